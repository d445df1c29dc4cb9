import type { Scope } from "../../base/atom.ts";
import { h } from "../../base/dom.ts";
import type { Translate } from "../../base/i18n/i18n.ts";
import { rangeOf } from "../../canvas/heat.ts";
import type { Extent, Inspected } from "../../sim/inspection.ts";
import type { PanelContext } from "../panel.ts";
import { Tile } from "./tile.ts";

/** First and last of a range as people read it. */
function span(first: number, last: number): string {
  return first === last ? String(first) : `${String(first)}–${String(last)}`;
}

/** Where an operand lies, in names and numbers. */
export function placeFacts(space: string, extent: Extent, t: Translate): readonly (readonly [string, string])[] {
  const chip = space === "sbuf" || space === "psum";
  const facts: (readonly [string, string])[] = [[t("fact_memory"), space]];
  if (chip) facts.push([t("fact_partitions"), span(extent.partition, extent.partition + extent.partitions - 1)]);
  facts.push([t(chip ? "fact_bytes" : "fact_bytes_hbm"), span(extent.byte, Math.max(extent.byte, extent.byte_end - 1))]);
  if (extent.banks !== null) facts.push([t("fact_bank"), span(...extent.banks)]);
  if (extent.indirect) facts.push([t("fact_index"), t("fact_indirect")]);
  return facts;
}

/** One operand: what it is, where it lies, and what it holds before and after. */
export function operandView(context: PanelContext, run: number, number: number, operand: Inspected, scope: Scope): HTMLElement {
  const { t } = context;
  const range = rangeOf([operand.before.low, operand.before.high, operand.after.low, operand.after.high]);
  const facts = [[t("fact_dtype"), operand.dtype], [t("fact_shape"), `[${operand.shape.join(", ")}]`], ...placeFacts(operand.space, operand.extent, t)] as const;
  const tile = (after: boolean): HTMLElement => new Tile(context, run, number, operand, after, range, scope).element;
  return h(
    "section",
    { class: "operand", "aria-label": operand.role, "data-operand": operand.role },
    h(
      "div",
      { class: "operand-head" },
      h("b", {}, operand.index ? t("index_of", { role: operand.role }) : operand.role),
      h("code", {}, operand.tensor),
      h("span", { class: `access access-${operand.access}` }, t(`access_${operand.access}`)),
      operand.changed > 0 && h("span", { class: "quiet" }, t("changed", { count: operand.changed })),
    ),
    h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { class: "num" }, value)))),
    h("div", { class: "tiles" }, tile(false), tile(true)),
  );
}
