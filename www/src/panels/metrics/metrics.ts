import { type Dispose, Scope } from "../../base/atom.ts";
import { fill, h } from "../../base/dom.ts";
import { formatMetric, join } from "../../base/format.ts";
import type { LaunchReport } from "../../sim/protocol.ts";
import { Metric } from "../metric.ts";
import type { Panel } from "../panel.ts";
import { section } from "../section.ts";

/** Metrics that have a place of their own; the table repeats them without `data-metric`, so that each name is unique. */
const ELSEWHERE = new Set(["mfu_estimated_percent", "mbu_estimated_percent", "hbm_read_bytes", "hbm_write_bytes", "sbuf_peak_bytes_per_partition", "psum_peak_banks"]);

function rowsOf(report: LaunchReport): readonly (readonly [string, number])[] {
  return [...Object.entries(report.summary), ...Object.entries(report.memory)];
}

function valueCell(name: string, value: number): Node | string {
  if (ELSEWHERE.has(name)) return h("span", { title: String(value) }, join(formatMetric(name, value)));
  const metric = new Metric(name);
  metric.set(value);
  return metric.element;
}

/** Every number of the summary under the profiler's name. */
export const metrics: Panel = {
  id: "metrics",
  mount(host, context): Dispose {
    const scope = new Scope();
    const { t } = context;
    const { body } = section(host, "metrics", t("metrics"), t("metrics_note"));
    const rows = h("tbody");
    const outputs = h("p", { class: "outputs" });
    const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("metric")), h("th", { scope: "col" }, t("value"))));
    body.append(h("table", { class: "metric-table" }, head, rows), outputs);
    scope.watch([context.shown], () => {
      const report = context.shown.value?.report;
      if (report === undefined) return;
      fill(rows, ...rowsOf(report).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, valueCell(name, value)))));
      const list = report.outputs.map(({ shape, dtype }) => `${dtype}[${shape.join(", ")}]`).join(", ");
      fill(outputs, h("b", {}, t("outputs")), " ", h("code", {}, list));
    });
    return () => scope.dispose();
  },
};
