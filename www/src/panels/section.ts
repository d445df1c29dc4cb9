import { h } from "../base/dom.ts";

/** A titled part of the results. */
export function section(host: HTMLElement, id: string, title: string, note = ""): { readonly head: HTMLElement; readonly body: HTMLElement } {
  const head = h("div", { class: "section-head" }, h("h2", { id: `${id}-title` }, title), note !== "" && h("span", { class: "section-note" }, note));
  const body = h("div", { class: "section-body" });
  host.append(h("section", { class: `section section-${id}`, "aria-labelledby": `${id}-title` }, head, body));
  return { head, body };
}
