import { type Extension, type StateField as Field, StateField } from "@codemirror/state";
import { type EditorView, hoverTooltip, showTooltip, type Tooltip } from "@codemirror/view";
import type { EditorState } from "@codemirror/state";
import { docCard, signatureCard } from "./docs.ts";
import { enclosingCall, expand, readImports, type Manifest } from "./manifest.ts";

/** The dotted path around `offset` up to the end of the word under it. */
function pathAt(state: EditorState, offset: number): { readonly path: string; readonly from: number; readonly to: number } | null {
  const line = state.doc.lineAt(offset);
  const column = offset - line.from;
  const before = /[\w.]*$/.exec(line.text.slice(0, column))?.[0] ?? "";
  const after = /^\w*/.exec(line.text.slice(column))?.[0] ?? "";
  const path = before + after;
  if (!/^[A-Za-z_]/.test(path)) return null;
  return { path, from: offset - before.length, to: offset + after.length };
}

/** Documentation of the name under the pointer. */
export function hoverDocs(manifest: () => Manifest | null): Extension {
  return hoverTooltip((view: EditorView, offset: number): Tooltip | null => {
    const found = pathAt(view.state, offset);
    if (found === null) return null;
    const entry = manifest()?.get(expand(found.path, readImports(view.state.doc.toString()))) ?? null;
    if (entry === null) return null;
    return { pos: found.from, end: found.to, above: true, create: () => ({ dom: docCard(entry) }) };
  });
}

function signatureTooltip(state: EditorState, manifest: Manifest | null): Tooltip | null {
  const { head, empty } = state.selection.main;
  if (manifest === null || !empty) return null;
  const text = state.doc.toString();
  const call = enclosingCall(text, head);
  const entry = call === null ? null : manifest.get(expand(call.callee, readImports(text)));
  if (call === null || entry === null || entry.params.length === 0) return null;
  const named = entry.params.findIndex(({ name }) => name === call.keyword);
  const active = named >= 0 ? named : call.argument;
  return { pos: head, above: true, create: () => ({ dom: signatureCard(entry, active) }) };
}

/** The signature of the call that is being typed; it shows after an edit and goes when the cursor moves without one. */
export function signatureHelp(manifest: () => Manifest | null): Extension {
  const field: Field<Tooltip | null> = StateField.define<Tooltip | null>({
    create: () => null,
    update: (tooltip, change) => {
      if (change.docChanged) return change.isUserEvent("input") ? signatureTooltip(change.state, manifest()) : null;
      return change.selection === undefined ? tooltip : null;
    },
    provide: (own) => showTooltip.from(own),
  });
  return field;
}
