/**
 * The catalogue of the simulator, made searchable by the names a script uses. The catalogue comes from the instruction tables;
 * nothing about NKI is written down here.
 */
import type { CatalogEntry, ParamDoc } from "../sim/protocol.ts";

export class Manifest {
  readonly #byName = new Map<string, CatalogEntry>();
  readonly #members = new Map<string, CatalogEntry[]>();

  constructor(entries: readonly CatalogEntry[]) {
    for (const plain of entries) {
      const entry = plain.params.length > 0 ? plain : { ...plain, params: paramsOf(plain.signature) };
      this.#byName.set(entry.name, entry);
      const dot = entry.name.lastIndexOf(".");
      const parent = dot < 0 ? "" : entry.name.slice(0, dot);
      const siblings = this.#members.get(parent) ?? [];
      siblings.push(entry);
      this.#members.set(parent, siblings);
    }
  }

  get(name: string): CatalogEntry | null {
    return this.#byName.get(name) ?? null;
  }

  members(parent: string): readonly CatalogEntry[] {
    return this.#members.get(parent) ?? [];
  }
}

/** The parameters that a signature in parentheses names, for entries without documented ones. */
export function paramsOf(signature: string): readonly ParamDoc[] {
  const parts = signature.replace(/^\(|\)[^)]*$/g, "").match(/(?:[^,([{]|\([^)]*\)|\[[^\]]*\]|\{[^}]*\})+/g) ?? [];
  return parts.flatMap((part) => {
    const [, name, annotation, value] = /^\s*(\*{0,2}\w+)\s*(?::([^=]*))?(?:=(.*))?$/.exec(part) ?? [];
    return name === undefined ? [] : [{ name, type: annotation?.trim() ?? "", default: value?.trim() ?? null, doc: "", choices: [] }];
  });
}

/** What the names of a script stand for: `nl` is `nki.language`. */
export function readImports(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [, module = "", alias] of text.matchAll(/^\s*import\s+([\w.]+)(?:\s+as\s+(\w+))?/gm)) {
    const first = module.split(".")[0] ?? module;
    names.set(alias ?? first, alias === undefined ? first : module);
  }
  for (const [, module = "", list = ""] of text.matchAll(/^\s*from\s+([\w.]+)\s+import\s+\(?([^)\n]+)/gm)) {
    for (const [, name = "", alias] of list.matchAll(/(\w+)(?:\s+as\s+(\w+))?/g)) names.set(alias ?? name, `${module}.${name}`);
  }
  return names;
}

/** The full name of a dotted path as written in the script. */
export function expand(path: string, imports: ReadonlyMap<string, string>): string {
  const [head = "", ...rest] = path.split(".");
  return [imports.get(head) ?? head, ...rest].join(".");
}

/** The call that encloses `offset`: its callee and the number of arguments before the cursor; null outside calls. */
export function enclosingCall(text: string, offset: number): { readonly callee: string; readonly argument: number; readonly keyword: string | null } | null {
  let depth = 0;
  let argument = 0;
  const lowest = Math.max(0, offset - 4000);
  for (let at = offset - 1; at >= lowest; at -= 1) {
    const char = text[at] as string;
    if (")]}".includes(char)) depth += 1;
    else if ("[{".includes(char)) depth -= 1;
    else if (char === "," && depth === 0) argument += 1;
    else if (char === "(") {
      depth -= 1;
      if (depth < 0) return describeCall(text, at, offset, argument);
    }
    if (depth < 0 && "[{".includes(char)) {
      depth = 0;
      argument = 0;
    }
  }
  return null;
}

function describeCall(text: string, open: number, offset: number, argument: number): ReturnType<typeof enclosingCall> {
  const callee = /([A-Za-z_][\w.]*)\s*$/.exec(text.slice(Math.max(0, open - 200), open));
  if (callee?.[1] === undefined) return null;
  const keyword = /(?:^|[(,])\s*(\w+)\s*=(?!=)[^,]*$/.exec(text.slice(open, offset));
  return { callee: callee[1], argument, keyword: keyword?.[1] ?? null };
}
