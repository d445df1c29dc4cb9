import "uplot/dist/uPlot.min.css";
import { type Dispose, Scope } from "../../base/atom.ts";
import { afterFrame, h, setText } from "../../base/dom.ts";
import { formatBytes, formatCount, formatGbps, join } from "../../base/format.ts";
import { clamp } from "../../base/geom.ts";
import type { Key } from "../../base/i18n/i18n.ts";
import { ps, type TimeRange } from "../../base/units.ts";
import type { Limits } from "../../sim/protocol.ts";
import type { Panel, PanelContext, Shown } from "../panel.ts";
import { section } from "../section.ts";
import { Chart, type ChartData, type ChartSpec } from "./chart.ts";

interface Definition extends ChartSpec {
  readonly title: Key;
  readonly limitOf: (limits: Limits) => number;
  readonly limitText: Key;
}

const HBM: Definition = {
  id: "hbm",
  title: "chart_hbm",
  lines: [
    { counter: "hbm_read_gbps", color: "--chart-read" },
    { counter: "hbm_write_gbps", color: "--chart-write" },
  ],
  format: formatGbps,
  stepped: false,
  binary: false,
  wholeScale: true,
  limitOf: (limits) => limits.hbm_gbps,
  limitText: "hbm_of",
};
const SBUF: Definition = {
  id: "sbuf",
  title: "chart_sbuf",
  lines: [{ counter: "sbuf_bytes_per_partition", color: "--chart-sbuf" }],
  format: formatBytes,
  stepped: true,
  binary: true,
  wholeScale: false,
  limitOf: (limits) => limits.sbuf_bytes_per_partition,
  limitText: "sbuf_of",
};
const PSUM: Definition = {
  id: "psum",
  title: "chart_psum",
  lines: [{ counter: "psum_banks", color: "--chart-psum" }],
  format: formatCount,
  stepped: true,
  binary: true,
  wholeScale: true,
  limitOf: (limits) => limits.psum_banks,
  limitText: "psum_of",
};
const CHARTS = [HBM, SBUF, PSUM] as const;
const COUNTERS = CHARTS.flatMap(({ lines }) => lines.map(({ counter }) => counter));
/** Samples a chart asks for; more cannot be told apart at the widths it has. */
const MOST_BUCKETS = 600;

class ChartRow {
  readonly element: HTMLElement;
  readonly #chart: Chart;
  readonly #value = h("span", { class: "chart-value num" });
  readonly #host: HTMLElement;
  #data: ChartData | null = null;

  constructor(
    readonly definition: Definition,
    private readonly context: PanelContext,
    last: boolean,
  ) {
    const { t } = context;
    this.#host = h("div", { class: "chart", role: "img", "data-testid": `chart-${definition.id}` });
    const names = (["chart_read", "chart_write"] as const).map((key, at) => h("span", { class: `legend legend-${String(at)}` }, t(key)));
    const head = h("div", { class: "chart-head" }, h("h3", {}, t(definition.title)), ...(definition === HBM ? names : []), this.#value);
    this.element = h("div", { class: "chart-row" }, head, this.#host);
    this.#chart = new Chart(this.#host, definition, last, (time) => context.pointerTime.set(time === null ? null : ps(time)));
  }

  update(data: ChartData, view: TimeRange): void {
    this.#data = data;
    this.#chart.update(data, view.from, view.to);
    const { t } = this.context;
    const { format, title } = this.definition;
    const all = data.series.flatMap((values) => [...values]);
    const mean = all.reduce((sum, value) => sum + value, 0) / Math.max(1, all.length);
    const peak = all.reduce((top, value) => Math.max(top, value), 0);
    this.#host.setAttribute("aria-label", t("chart_alt", { title: t(title), peak: join(format(peak)), mean: join(format(mean)) }));
    this.showValue(null);
  }

  /** The values under the pointer, or the highest ones. */
  showValue(time: number | null): void {
    const { t } = this.context;
    const data = this.#data;
    if (data === null) return;
    const { format, limitText } = this.definition;
    const first = data.times[0] ?? 0;
    const step = (data.times[1] ?? 1) - first;
    const at = time === null ? -1 : clamp(Math.round((time - first) / Math.max(1, step)), 0, data.times.length - 1);
    const values = data.series.map((series) => (at < 0 ? series.reduce((a, b) => Math.max(a, b), 0) : (series[at] ?? 0)));
    const limit = join(format(data.limit));
    const named = values.map((value, at) => (values.length > 1 ? `${t(at === 0 ? "chart_read" : "chart_write")} ${join(format(value))}` : join(format(value))));
    const text = named.join(", ");
    const prefix = at < 0 ? `${t("chart_peak")} ` : "";
    setText(this.#value, `${prefix}${text} · ${t(limitText, { peak: limit, capacity: limit, banks: data.limit })}`);
    this.#chart.pointAt(time);
  }

  rebuild(): void {
    this.#chart.rebuild();
  }

  dispose(): void {
    this.#chart.dispose();
  }
}

class Memory {
  readonly rows: readonly ChartRow[];
  #busy = false;
  /** Counts the requests, so that one that arrives while a question is open is not lost. */
  #wanted = 0;
  /** Run of the values on display. */
  #sampled: number | null = null;

  constructor(
    host: HTMLElement,
    private readonly context: PanelContext,
  ) {
    this.rows = CHARTS.map((definition, at) => new ChartRow(definition, context, at === CHARTS.length - 1));
    const { body } = section(host, "memory", context.t("memory"));
    body.append(...this.rows.map((row) => row.element));
  }

  /** Samples the visible range; while one question is open the next one waits. */
  async refresh(): Promise<void> {
    this.#wanted += 1;
    if (this.#busy) return;
    this.#busy = true;
    for (let asked = 0; asked !== this.#wanted; ) {
      asked = this.#wanted;
      // Numbers first: a new result is read before it is drawn.
      if (this.context.shown.value?.result.id !== this.#sampled && this.#sampled !== null) await afterFrame();
      const { value: shown } = this.context.shown;
      if (shown !== null) await this.sample(shown, this.context.viewport.value ?? { from: ps(0), to: ps(shown.info.end_ps) });
    }
    this.#busy = false;
  }

  private async sample(shown: Shown, view: TimeRange): Promise<void> {
    const series = await this.context.client.counters(shown.result.id, shown.index, COUNTERS, view.from, view.to, MOST_BUCKETS);
    if (series === null) return;
    this.#sampled = shown.result.id;
    const step = (view.to - view.from) / MOST_BUCKETS;
    const times = Float64Array.from({ length: MOST_BUCKETS }, (_, at) => view.from + (at + 0.5) * step);
    let offset = 0;
    for (const row of this.rows) {
      const { lines, limitOf } = row.definition;
      row.update({ times, series: series.slice(offset, offset + lines.length), limit: limitOf(shown.info.limits) }, view);
      offset += lines.length;
    }
  }
}

/** HBM bandwidth, SBUF and PSUM over the same time axis as the timeline above. */
export const memory: Panel = {
  id: "memory",
  mount(host, context): Dispose {
    const scope = new Scope();
    const view = new Memory(host, context);
    scope.watch([context.shown, context.viewport], () => void view.refresh());
    scope.watch([context.pointerTime], () => {
      for (const row of view.rows) row.showValue(context.pointerTime.value);
    });
    scope.watch([context.appearance], () => {
      for (const row of view.rows) row.rebuild();
    });
    scope.add(() => {
      for (const row of view.rows) row.dispose();
    });
    return () => scope.dispose();
  },
};
