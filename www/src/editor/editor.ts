import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, foldGutter, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { CatalogEntry, Diagnostic, Fix } from "../sim/protocol.ts";
import { breakpoints, showPoint, toggleBreakpoint } from "./breakpoints.ts";
import { completeNki } from "./completion.ts";
import { hoverDocs, signatureHelp } from "./hover.ts";
import { flashLine, lineFlash } from "./line-flash.ts";
import { applyFix, offsetOf, showDiagnostics } from "./lint.ts";
import { Manifest } from "./manifest.ts";
import type { Edit } from "../base/params.ts";
import { editorTheme } from "./theme.ts";

export interface EditorEvents {
  readonly changed: (text: string) => void;
  readonly caretMoved: (line: number) => void;
  /** Lines with a breakpoint, from 1. */
  readonly breakpoints: (lines: readonly number[]) => void;
  readonly run: () => void;
  readonly share: () => void;
}

/** The nonce that the content policy of `index.html` asks of the editor's style sheet. */
const STYLE_NONCE = "editor";

export class Editor {
  readonly #view: EditorView;
  readonly #label = new Compartment();
  #manifest: Manifest | null = null;

  constructor(host: HTMLElement, text: string, events: EditorEvents) {
    this.#view = new EditorView({
      parent: host,
      state: EditorState.create({ doc: text, extensions: [this.extensions(events)] }),
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Replaces everything, as one step that can be undone. */
  setText(text: string): void {
    if (text === this.text) return;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  apply(edit: Edit | null): void {
    if (edit !== null) this.#view.dispatch({ changes: edit, userEvent: "input.control" });
  }

  /** Does what a diagnostic proposes. */
  applyFix(fix: Fix): void {
    applyFix(this.#view, fix);
    this.#view.focus();
  }

  /** Shows a place, puts the caret there and marks the line until the next jump. */
  reveal(line: number, column: number): void {
    const offset = offsetOf(this.#view.state.doc, line, column);
    this.#view.dispatch({ selection: { anchor: offset }, effects: [EditorView.scrollIntoView(offset, { y: "center" }), flashLine.of(offset)] });
  }

  /** Marks the line of the present instruction; `null` takes the mark away. */
  showPoint(line: number | null): void {
    showPoint(this.#view, line);
  }

  /** Sets or takes away the breakpoint of the line with the caret. */
  toggleBreakpoint(): void {
    toggleBreakpoint(this.#view);
  }

  setDiagnostics(diagnostics: readonly Diagnostic[], main: string): void {
    showDiagnostics(this.#view, diagnostics, main);
  }

  setCatalog(entries: readonly CatalogEntry[]): void {
    this.#manifest = new Manifest(entries);
  }

  setLabel(label: string, hint: string): void {
    const attributes = EditorView.contentAttributes.of({ "aria-label": `${label}. ${hint}` });
    this.#view.dispatch({ effects: this.#label.reconfigure(attributes) });
  }

  focus(): void {
    this.#view.focus();
  }

  private extensions(events: EditorEvents): Extension {
    const manifest = (): Manifest | null => this.#manifest;
    const command = (run: () => void) => () => {
      run();
      return true;
    };
    return [
      breakpoints(events.breakpoints),
      lineNumbers(),
      lintGutter(),
      foldGutter(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      highlightSelectionMatches(),
      search({ top: true }),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      python(),
      autocompletion({ override: [completeNki(manifest)], icons: true }),
      hoverDocs(manifest),
      signatureHelp(manifest),
      lineFlash,
      editorTheme,
      EditorView.cspNonce.of(STYLE_NONCE),
      this.#label.of([]),
      keymap.of([
        { key: "Mod-Enter", run: command(events.run), preventDefault: true },
        { key: "Mod-s", run: command(events.share), preventDefault: true },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
        indentWithTab,
      ]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) events.changed(update.state.doc.toString());
        if (update.docChanged || update.selectionSet) events.caretMoved(update.state.doc.lineAt(update.state.selection.main.head).number);
      }),
    ];
  }
}
