/**
 * Form controls from comments: a top-level assignment of a literal that ends in `#@param` becomes a control, and moving the
 * control rewrites the literal in the text. The text stays the only state.
 */

export type Control =
  | { readonly kind: "slider"; readonly min: number; readonly max: number; readonly step: number }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "boolean" }
  | { readonly kind: "text" };

export interface Param {
  readonly name: string;
  readonly control: Control;
  /** The literal as written. */
  readonly literal: string;
  /** Where the literal stands in the text, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)[ \t]*(?::[^=#\n]*)?=[ \t]*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\s#"'][^\n#]*?)[ \t]*#[ \t]*@param\b[ \t]*(.*)$/gm;

/** All controls of a script in the order of the text. */
export function findParams(text: string): readonly Param[] {
  const params: Param[] = [];
  for (const match of text.matchAll(ASSIGNMENT)) {
    const [whole, name = "", literal = "", spec = ""] = match;
    const from = match.index + whole.indexOf(literal, whole.indexOf("=") + 1);
    params.push({ name, literal, from, to: from + literal.length, control: readControl(spec, literal) });
  }
  return params;
}

function readControl(spec: string, literal: string): Control {
  const list = /^\[(.*)\]/.exec(spec);
  if (list !== null) return { kind: "choice", options: splitLiterals(list[1] ?? "") };
  const number = (key: string, fallback: number): number => {
    const found = new RegExp(`\\b${key}["']?\\s*:\\s*(-?[\\d.]+(?:e-?\\d+)?)`).exec(spec);
    return found === null ? fallback : Number(found[1]);
  };
  if (/type["']?\s*:\s*["']slider["']/.test(spec)) {
    return { kind: "slider", min: number("min", 0), max: number("max", 100), step: number("step", 1) };
  }
  if (/type["']?\s*:\s*["']boolean["']/.test(spec) || literal === "True" || literal === "False") return { kind: "boolean" };
  return { kind: "text" };
}

function splitLiterals(list: string): readonly string[] {
  return [...list.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,]+/g)].map(([literal]) => literal);
}

/** The text of a string literal; other literals as they are. */
export function unquote(literal: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(literal);
  return quoted === null ? literal : (quoted[2] ?? "").replace(/\\(.)/g, "$1");
}

/** A value as a literal of the same kind as `model`. */
export function quoteLike(model: string, value: string): string {
  const quote = /^["']/.exec(model)?.[0] ?? "";
  return quote === "" ? value : quote + value.replace(/[\\"']/g, "\\$&") + quote;
}

/** One replacement in the text. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The edit that gives the control `name` a new literal; null when there is no such control or nothing changes. */
export function setParam(text: string, name: string, literal: string): Edit | null {
  const param = findParams(text).find((candidate) => candidate.name === name);
  if (param === undefined || param.literal === literal) return null;
  return { from: param.from, to: param.to, insert: literal };
}

/** Name of the assignment that the precision control rewrites. */
export const PRECISION = "precision";

/** The precision in the text and the ones that the kernel offers; null when it has no such control. */
export function readPrecision(text: string): { readonly current: string; readonly offered: readonly string[] } | null {
  const param = findParams(text).find(({ name }) => name === PRECISION);
  if (param?.control.kind !== "choice") return null;
  return { current: unquote(param.literal), offered: param.control.options.map(unquote) };
}

/** The edit that selects a precision; null when the kernel does not offer it. */
export function setPrecision(text: string, precision: string): Edit | null {
  const param = findParams(text).find(({ name }) => name === PRECISION);
  if (param?.control.kind !== "choice") return null;
  const option = param.control.options.find((candidate) => unquote(candidate) === precision);
  return option === undefined ? null : setParam(text, PRECISION, option);
}

/** Applies one edit to a text outside the editor. */
export function applyEdit(text: string, edit: Edit | null): string {
  return edit === null ? text : text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
}
