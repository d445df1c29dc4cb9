import { h, setAttr, setText } from "../base/dom.ts";

/** Warnings stay longer: the reader did not expect them. */
const SHOWN_MS = { plain: 4000, warning: 12_000 } as const;

/** A short notice that goes by itself. */
export class Toast {
  readonly element = h("div", { class: "toast", role: "status", "aria-live": "polite" });
  #timer: ReturnType<typeof setTimeout> | null = null;

  show(text: string, tone: "plain" | "warning"): void {
    setText(this.element, text);
    setAttr(this.element, "data-tone", tone);
    this.element.classList.add("is-shown");
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.element.classList.remove("is-shown"), SHOWN_MS[tone]);
  }
}
