import { type Dispose, Scope } from "../../base/atom.ts";
import { h } from "../../base/dom.ts";
import { formatPercent, group } from "../../base/format.ts";
import { ENGINES, type Engine } from "../../sim/protocol.ts";
import { Metric } from "../metric.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { section } from "../section.ts";

/** One engine: name, bar, share, and what stands behind it. */
class EngineRow {
  readonly element: HTMLElement;
  readonly #percent: Metric;
  readonly #active: Metric;
  readonly #instructions: Metric;
  readonly #fill = h("div", { class: "bar-fill" });

  constructor(
    readonly engine: Engine,
    name: string,
    private readonly counted: string,
  ) {
    this.#percent = new Metric(`engines.${engine}.active_percent`, "engine-percent");
    this.#active = new Metric(`engines.${engine}.active_ns`);
    this.#instructions = new Metric(`engines.${engine}.instructions`);
    this.element = h(
      "div",
      { class: `engine engine-${engine}`, role: "listitem" },
      h("span", { class: "engine-name" }, name),
      h("div", { class: "bar bar-engine", "aria-hidden": "true" }, this.#fill),
      this.#percent.element,
      h("span", { class: "engine-detail" }, this.#active.element, h("span", { class: "engine-count" }, this.#instructions.element)),
    );
  }

  update(active: { readonly active_ns: number; readonly active_percent: number; readonly instructions: number }): void {
    this.#percent.set(active.active_percent, formatPercent);
    this.#active.set(active.active_ns);
    this.#instructions.set(active.instructions, (count) => ({ text: group(count), unit: this.counted }));
    this.#fill.style.setProperty("--share", String(Math.min(1, active.active_percent / 100)));
  }
}

/** A bar an engine: the first place to look for what is busy and what waits. */
export const utilization: Panel = {
  id: "utilization",
  mount(host: HTMLElement, context: PanelContext): Dispose {
    const scope = new Scope();
    const { t } = context;
    const { body } = section(host, "utilization", t("engines"), t("engines_note"));
    const rows = ENGINES.map((engine) => new EngineRow(engine, t(`engine_${engine}`), t("engine_count")));
    body.append(h("div", { class: "engine-list", role: "list" }, ...rows.map((row) => row.element)));
    scope.watch([context.shown], () => {
      const shown = context.shown.value;
      if (shown === null) return;
      for (const row of rows) row.update(shown.report.engines[row.engine]);
    });
    return () => scope.dispose();
  },
};
