/** What the address of the page says. Everything in it is checked: links come from strangers. */
import { type Language, LANGUAGES, pickLanguage } from "../base/i18n/i18n.ts";
import { TARGETS, type Target } from "../sim/protocol.ts";

/** Precisions that the page offers, in the order of the control. */
export const PRECISIONS = ["fp32", "bf16", "mxfp8", "mxfp4"] as const;

export interface Address {
  readonly kernel: string | null;
  readonly target: Target | null;
  readonly precision: string | null;
  readonly embed: boolean;
  readonly language: Language | null;
  readonly code: string | null;
}

function oneOf<T extends string>(value: string | null, allowed: readonly T[]): T | null {
  return allowed.find((candidate) => candidate === value) ?? null;
}

/** Reads query and hash; unknown values count as absent. */
export function readAddress(url: URL): Address {
  const query = url.searchParams;
  const kernel = query.get("kernel");
  return {
    kernel: kernel !== null && /^[\w-]{1,64}$/.test(kernel) ? kernel : null,
    target: oneOf(query.get("target"), TARGETS),
    precision: oneOf(query.get("precision"), PRECISIONS),
    embed: query.get("embed") === "1",
    language: oneOf(query.get("lang"), Object.keys(LANGUAGES) as Language[]),
    code: new URLSearchParams(url.hash.slice(1)).get("code"),
  };
}

/** The language of the address, of an earlier visit, or of the browser. */
export function chooseLanguage(address: Address, stored: Language | null): Language {
  return address.language ?? stored ?? pickLanguage(navigator.languages);
}

/** A link to this page with other contents. */
export function linkTo(url: URL, parts: { readonly kernel?: string; readonly target: Target; readonly code?: string }): URL {
  const link = new URL(url.href);
  link.search = "";
  link.hash = "";
  if (parts.kernel !== undefined) link.searchParams.set("kernel", parts.kernel);
  if (parts.target !== "trn3") link.searchParams.set("target", parts.target);
  if (parts.code !== undefined) link.hash = `code=${parts.code}`;
  return link;
}
