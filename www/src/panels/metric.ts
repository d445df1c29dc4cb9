import { h, setAttr, setText } from "../base/dom.ts";
import { ABSENT, formatMetric, join, type Quantity } from "../base/format.ts";

/** A live number: `data-metric` names it as the JSON does, `data-value` holds it unrounded. */
export class Metric {
  readonly element: HTMLElement;
  readonly #text = h("span", { class: "metric-text" });
  readonly #unit = h("span", { class: "metric-unit" });

  constructor(
    readonly name: string,
    className = "",
  ) {
    this.element = h("span", { class: `metric ${className}`.trim(), "data-metric": name }, this.#text, this.#unit);
    this.set(null);
  }

  /** Shows a value, by default in the unit that its name tells. */
  set(value: number | null | undefined, format: (value: number) => Quantity = (number) => formatMetric(this.name, number)): void {
    const known = value !== null && value !== undefined;
    const quantity = known ? format(value) : ABSENT;
    setText(this.#text, quantity.text);
    setText(this.#unit, quantity.unit === "" ? "" : `\u00a0${quantity.unit}`);
    setAttr(this.element, "data-value", known ? String(value) : null);
    setAttr(this.element, "title", known ? `${this.name} = ${String(value)}` : null);
  }
}

/** A live number in running text, without markup for its unit. */
export function inlineMetric(name: string, value: number): HTMLElement {
  return h("span", { class: "metric", "data-metric": name, "data-value": String(value), title: `${name} = ${String(value)}` }, join(formatMetric(name, value)));
}
