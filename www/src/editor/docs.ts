import { h } from "../base/dom.ts";
import type { CatalogEntry } from "../sim/protocol.ts";

/** Doc text: `code` in backquotes, blank lines between paragraphs. */
function paragraphs(text: string): readonly HTMLElement[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      const paragraph = h("p");
      block.split(/`+([^`]+)`+/).forEach((part, index) => {
        paragraph.append(index % 2 === 1 ? h("code", {}, part) : part.replace(/\s+/g, " "));
      });
      return paragraph;
    });
}

/** The documentation card of hover and completion. */
export function docCard(entry: CatalogEntry): HTMLElement {
  const rows = entry.params.map((param) =>
    h("div", { class: "doc-param" }, h("dt", {}, h("code", {}, param.name), param.type === "" ? null : ` ${param.type}`), h("dd", {}, param.doc)),
  );
  return h(
    "div",
    { class: "doc-card" },
    h("code", { class: "doc-signature" }, entry.name + entry.signature + (entry.value === null ? "" : ` = ${entry.value}`)),
    ...paragraphs(entry.doc),
    rows.length > 0 && h("dl", {}, ...rows),
  );
}

/** The signature with the present argument marked. */
export function signatureCard(entry: CatalogEntry, active: number): HTMLElement {
  const parts: (Node | string)[] = [];
  entry.params.forEach((param, index) => {
    if (index > 0) parts.push(", ");
    const text = param.default === null ? param.name : `${param.name}=${param.default}`;
    parts.push(index === active ? h("b", { class: "doc-active" }, text) : text);
  });
  const short = entry.name.slice(entry.name.lastIndexOf(".") + 1);
  const doc = entry.params[active]?.doc ?? "";
  return h("div", { class: "doc-card doc-call" }, h("code", { class: "doc-signature" }, `${short}(`, ...parts, ")"), doc !== "" && h("p", {}, doc));
}
