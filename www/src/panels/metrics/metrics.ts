import { type Dispose, Scope } from "../../base/atom.ts";
import { fill, h, setAttr, setText } from "../../base/dom.ts";
import type { LaunchReport } from "../../sim/protocol.ts";
import { Metric } from "../metric.ts";
import type { Panel } from "../panel.ts";
import { section } from "../section.ts";

/** Metrics that have a place of their own; the table repeats them without `data-metric`, so that each name is unique. */
const ELSEWHERE = new Set(["mfu_estimated_percent", "mbu_estimated_percent", "hbm_read_bytes", "hbm_write_bytes", "sbuf_peak_bytes_per_partition", "psum_peak_banks"]);

function rowsOf(report: LaunchReport): readonly (readonly [string, number])[] {
  return [...Object.entries(report.summary), ...Object.entries(report.memory)];
}

/** One row, with the call that shows a new value. */
function makeRow(name: string): { readonly element: HTMLElement; readonly set: (value: number) => void } {
  const metric = new Metric(name);
  if (ELSEWHERE.has(name)) metric.element.removeAttribute("data-metric");
  return { element: h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, metric.element)), set: (value) => metric.set(value) };
}

/** Every number of the summary under the profiler's name. */
export const metrics: Panel = {
  id: "metrics",
  mount(host, context): Dispose {
    const scope = new Scope();
    const { t } = context;
    const { body } = section(host, "metrics", t("metrics"), t("metrics_note"));
    const rows = h("tbody");
    const outputList = h("code", { "data-metric": "output_digests" });
    const outputs = h("p", { class: "outputs" }, h("b", {}, t("outputs")), " ", outputList);
    const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("metric")), h("th", { scope: "col" }, t("value"))));
    body.append(h("table", { class: "metric-table" }, head, rows), outputs);
    let present = "";
    let setters: ReadonlyMap<string, (value: number) => void> = new Map();
    scope.watch([context.shown], () => {
      const report = context.shown.value?.report;
      if (report === undefined) return;
      const entries = rowsOf(report);
      const names = entries.map(([name]) => name).join();
      if (names !== present) {
        present = names;
        const made = entries.map(([name]) => [name, makeRow(name)] as const);
        setters = new Map(made.map(([name, row]) => [name, row.set]));
        fill(rows, ...made.map(([, row]) => row.element));
      }
      for (const [name, value] of entries) setters.get(name)?.(value);
      const list = report.outputs.map(({ shape, dtype, digest }) => `${dtype}[${shape.join(", ")}]${digest === undefined ? "" : ` ${digest}`}`);
      setText(outputList, list.join(", "));
      setAttr(outputList, "data-value", report.outputs.map(({ digest }) => digest ?? "").join(" "));
    });
    return () => scope.dispose();
  },
};
