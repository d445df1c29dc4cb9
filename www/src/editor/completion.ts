import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import type { CatalogEntry } from "../sim/protocol.ts";
import { docCard } from "./docs.ts";
import { enclosingCall, expand, readImports, type Manifest } from "./manifest.ts";

const KINDS: Readonly<Record<CatalogEntry["kind"], string>> = {
  function: "function",
  class: "class",
  method: "method",
  enum: "enum",
  member: "property",
  constant: "constant",
  dtype: "type",
};

function toCompletion(entry: CatalogEntry): Completion {
  return {
    label: entry.name.slice(entry.name.lastIndexOf(".") + 1),
    type: KINDS[entry.kind],
    info: () => docCard(entry),
  };
}

/** Keyword arguments of the call around the cursor. */
function keywords(context: CompletionContext, manifest: Manifest, text: string, from: number): readonly Completion[] {
  const call = enclosingCall(text, from);
  const entry = call === null ? null : manifest.get(expand(call.callee, readImports(text)));
  return (entry?.params ?? []).map((param) => ({
    label: `${param.name}=`,
    type: "property",
    detail: param.default ?? "",
    info: param.doc,
    boost: context.explicit ? 1 : 0,
  }));
}

/** Members after a dot, keyword arguments inside calls. */
export function completeNki(manifest: () => Manifest | null): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const known = manifest();
    const path = context.matchBefore(/[A-Za-z_][\w.]*/);
    if (known === null || (path === null && !context.explicit)) return null;
    const text = context.state.doc.toString();
    const written = path?.text ?? "";
    const dot = written.lastIndexOf(".");
    if (dot >= 0) {
      const members = known.members(expand(written.slice(0, dot), readImports(text)));
      if (members.length === 0) return null;
      return { from: context.pos - (written.length - dot - 1), options: members.map(toCompletion).filter(({ label }) => !label.startsWith("_")), validFor: /^\w*$/ };
    }
    const options = keywords(context, known, text, context.pos - written.length);
    return options.length === 0 ? null : { from: context.pos - written.length, options, validFor: /^\w*=?$/ };
  };
}
