import { type Diagnostic as Marker, setDiagnostics } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { clamp } from "../base/geom.ts";
import type { Diagnostic, Fix } from "../sim/protocol.ts";

/** Offset of a 1-based line and column (in characters); positions outside the text are moved to its nearest end. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const info = doc.line(clamp(line, 1, doc.lines));
  const characters = Array.from(info.text).slice(0, Math.max(0, column - 1)).join("");
  return info.from + Math.min(characters.length, info.length);
}

/** Replaces what a fix wants replaced. */
export function applyFix(view: EditorView, fix: Fix): void {
  const from = offsetOf(view.state.doc, fix.line, fix.column);
  const to = Math.max(from, offsetOf(view.state.doc, fix.end_line, fix.end_column));
  view.dispatch({ changes: { from, to, insert: fix.replacement }, userEvent: "input.control" });
}

function toMarker(doc: Text, diagnostic: Diagnostic): Marker {
  const from = offsetOf(doc, diagnostic.line, diagnostic.column);
  const to = Math.max(offsetOf(doc, diagnostic.end_line, diagnostic.end_column), from);
  return {
    from,
    to: to === from ? Math.min(from + 1, doc.length) : to,
    severity: diagnostic.severity === "note" ? "info" : diagnostic.severity,
    message: [diagnostic.message, ...diagnostic.notes].join("\n"),
    source: diagnostic.code,
    actions: diagnostic.fixes.map((fix) => ({ name: fix.title, apply: (view) => applyFix(view, fix) })),
  };
}

/** Underlines the diagnostics of the main file. */
export function showDiagnostics(view: EditorView, diagnostics: readonly Diagnostic[], main: string): void {
  const own = diagnostics.filter(({ file, line }) => line > 0 && (file === "" || file === main));
  view.dispatch(setDiagnostics(view.state, own.map((diagnostic) => toMarker(view.state.doc, diagnostic))));
}
