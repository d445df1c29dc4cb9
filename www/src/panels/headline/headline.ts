import { type Dispose, Scope } from "../../base/atom.ts";
import { fill, h, icon, setAttr, setText } from "../../base/dom.ts";
import { formatBytes, formatCount, formatGbps, formatPercent, formatPs, join } from "../../base/format.ts";
import type { Key, Translate } from "../../base/i18n/i18n.ts";
import { ENGINES, type Check } from "../../sim/protocol.ts";
import { Metric } from "../metric.ts";
import type { Panel, PanelContext, Shown } from "../panel.ts";

const BOUNDS: Readonly<Record<string, Key>> = { hbm: "bound_hbm", latency: "bound_latency" };

/** The name of what bounds a kernel; a word that the page does not know is shown as it is. */
function boundName(t: Translate, bound: string): string {
  const engine = ENGINES.find((candidate) => candidate === bound);
  const key = engine === undefined ? BOUNDS[bound] : (`engine_${engine}` as const);
  return key === undefined ? bound : t(key);
}

/** What a check found; its condition when it found nothing worth telling. */
function noteOf(check: Check | undefined): string {
  return check === undefined ? "" : check.note !== "" ? check.note : check.text;
}

/** One number with a caption and a bar that shows its share of a limit. */
class Tile {
  readonly element: HTMLElement;
  readonly metric: Metric;
  readonly #note = h("div", { class: "tile-note" });
  readonly #bar = h("div", { class: "bar-fill" });
  readonly #track = h("div", { class: "bar", "aria-hidden": "true" }, this.#bar);

  constructor(metric: string, caption: string, note = "") {
    this.metric = new Metric(metric, "tile-value");
    this.element = h("div", { class: "tile" }, h("div", { class: "tile-caption" }, caption), this.metric.element, this.#track, this.#note);
    setText(this.#note, note);
  }

  setNote(...children: readonly (Node | string)[]): void {
    fill(this.#note, ...children);
  }

  setShare(share: number): void {
    this.#bar.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  }
}

class Headline {
  readonly #latency = new Metric("latency_ns", "headline-value");
  readonly #kernel = new Metric("kernel_ns");
  readonly #instructions = new Metric("instructions");
  readonly #bound = h("span", { class: "chip chip-bound", "data-metric": "bound_by" });
  readonly #reason = h("p", { class: "headline-reason" });
  readonly #badge = h("span", { class: "chip" });
  readonly #check = h("details", { class: "check", "data-testid": "check" });
  readonly #launches = h("select", { class: "control launch-select", "data-testid": "launch" });
  readonly #launchRow: HTMLElement;
  readonly #mfu: Tile;
  readonly #mbu: Tile;
  readonly #hbm = h("div", { class: "metric tile-value" });
  readonly #hbmTile: HTMLElement;
  readonly #hbmRead = new Metric("hbm_read_bytes");
  readonly #hbmWrite = new Metric("hbm_write_bytes");
  readonly #hbmBar = h("div", { class: "bar-fill" });
  readonly #sbuf: Tile;
  readonly #psum: Tile;

  #checksKey = "";

  constructor(
    private readonly host: HTMLElement,
    private readonly context: PanelContext,
  ) {
    const { t } = context;
    this.#mfu = new Tile("mfu_estimated_percent", t("mfu"), t("mfu_note"));
    this.#mbu = new Tile("mbu_estimated_percent", t("mbu"), t("mbu_note"));
    this.#sbuf = new Tile("sbuf_peak_bytes_per_partition", t("sbuf_peak"));
    this.#psum = new Tile("psum_peak_banks", t("psum_peak"));
    this.#hbmTile = this.hbmTile();
    this.#launchRow = h("label", { class: "launch-row" }, t("launch"), this.#launches);
    this.#launches.addEventListener("change", () => context.launch.set(Number(this.#launches.value)));
    this.host.append(this.layout());
  }

  private hbmTile(): HTMLElement {
    const { t } = this.context;
    const note = h("div", { class: "tile-note" }, h("span", {}, t("chart_read"), " ", this.#hbmRead.element), h("span", {}, t("chart_write"), " ", this.#hbmWrite.element));
    return h(
      "div",
      { class: "tile" },
      h("div", { class: "tile-caption" }, t("hbm_achieved")),
      this.#hbm,
      h("div", { class: "bar", "aria-hidden": "true" }, this.#hbmBar),
      note,
    );
  }

  private layout(): HTMLElement {
    const { t } = this.context;
    const facts = h("div", { class: "headline-facts" }, t("kernel_time"), " ", this.#kernel.element, h("span", { class: "dot" }, "·"), t("instructions"), " ", this.#instructions.element);
    const main = h(
      "div",
      { class: "headline-main" },
      h("div", { class: "headline-caption", title: t("latency_note") }, t("latency")),
      h("div", { class: "headline-number" }, this.#latency.element, h("div", { class: "chips" }, this.#bound, this.#badge)),
      facts,
      this.#reason,
    );
    return h(
      "section",
      { class: "section headline", "aria-label": t("results") },
      this.#launchRow,
      h("div", { class: "headline-row" }, main, this.#check),
      h("div", { class: "tiles" }, this.#mfu.element, this.#mbu.element, this.#hbmTile, this.#sbuf.element, this.#psum.element),
    );
  }

  update(): void {
    const { shown, t } = { shown: this.context.shown.value, t: this.context.t };
    this.host.classList.toggle("is-empty", shown === null);
    if (shown === null) return;
    const { report } = shown;
    setAttr(this.host, "data-trace-ms", String(shown.result.trace_ms));
    setAttr(this.host, "data-result", String(shown.result.id));
    this.#latency.set(report.latency_ns);
    this.#kernel.set(report.kernel_ns);
    this.#instructions.set(report.instructions, formatCount);
    setText(this.#bound, t("bound_by", { what: boundName(t, report.bound_by) }));
    setAttr(this.#bound, "data-value", report.bound_by);
    setText(this.#reason, report.bound_reason);
    this.updateTiles(shown);
    this.updateBadge(shown);
    this.updateLaunches(shown);
    this.updateChecks(shown.result.report.checks);
  }

  private updateTiles({ report, info }: Shown): void {
    const { t } = this.context;
    const { summary, memory } = report;
    for (const tile of [this.#mfu, this.#mbu]) {
      const value = summary[tile.metric.name];
      tile.metric.set(value, formatPercent);
      tile.setShare((value ?? 0) / 100);
    }
    const read = summary["hbm_read_bytes"];
    const write = summary["hbm_write_bytes"];
    this.#hbmRead.set(read);
    this.#hbmWrite.set(write);
    const rate = report.latency_ns > 0 ? ((read ?? 0) + (write ?? 0)) / report.latency_ns : 0;
    const { text, unit } = formatGbps(rate);
    fill(this.#hbm, text, h("span", { class: "metric-unit" }, `\u00a0${unit}`));
    setAttr(this.#hbm, "title", t("hbm_of", { peak: join(formatGbps(info.limits.hbm_gbps)) }));
    this.#hbmBar.style.setProperty("--share", String(Math.min(1, rate / Math.max(1, info.limits.hbm_gbps))));
    const sbuf = memory[this.#sbuf.metric.name];
    this.#sbuf.metric.set(sbuf, formatBytes);
    this.#sbuf.setNote(t("sbuf_of", { capacity: join(formatBytes(info.limits.sbuf_bytes_per_partition)) }));
    this.#sbuf.setShare((sbuf ?? 0) / info.limits.sbuf_bytes_per_partition);
    const psum = memory[this.#psum.metric.name];
    this.#psum.metric.set(psum, formatCount);
    this.#psum.setNote(t("psum_of", { banks: info.limits.psum_banks }));
    this.#psum.setShare((psum ?? 0) / info.limits.psum_banks);
  }

  private updateBadge({ result }: Shown): void {
    const { t } = this.context;
    const key = result.stale ? "badge_stale" : result.report.mode === "simulate" ? "badge_simulated" : "badge_estimated";
    setText(this.#badge, t(key));
    setAttr(this.#badge, "class", `chip ${result.stale ? "chip-stale" : "chip-quiet"}`);
    setAttr(this.#badge, "title", result.stale ? t("stale_note") : null);
  }

  private updateLaunches({ result, index }: Shown): void {
    const { launches } = result.report;
    this.#launchRow.hidden = launches.length < 2;
    if (launches.length < 2) return;
    const options = launches.map((launch, at) => {
      const label = this.context.t("launch_label", { index: at + 1, kernel: launch.kernel, time: join(formatPs(launch.latency_ns * 1000)) });
      return h("option", { value: at, selected: at === index }, label);
    });
    fill(this.#launches, ...options);
  }

  private updateChecks(checks: readonly Check[]): void {
    const { t } = this.context;
    const key = JSON.stringify(checks);
    if (key === this.#checksKey) return;
    this.#checksKey = key;
    const state = (["failed", "skipped"] as const).find((result) => checks.some((check) => check.result === result)) ?? "passed";
    const verdict = checks.length === 0 ? t("check_none") : t(`check_${state}`);
    const symbol = checks.length === 0 ? "skip" : ({ passed: "check", failed: "cross", skipped: "skip" } as const)[state];
    setAttr(this.#check, "class", `check check-${checks.length === 0 ? "skipped" : state}`);
    setAttr(this.#check, "data-check", checks.length === 0 ? "none" : state);
    const first = checks.find((check) => check.result === state);
    const summary = h("summary", {}, icon(symbol), h("span", { class: "check-verdict" }, verdict), h("span", { class: "check-text" }, noteOf(first)));
    fill(this.#check, summary, h("ul", {}, ...checks.map((check) => this.checkRow(check))));
  }

  private checkRow(check: Check): HTMLElement {
    const { t, goTo } = this.context;
    const link = h("button", { class: "link", type: "button", onClick: () => goTo(check.line, 1) }, t("line", { line: check.line }));
    return h("li", { class: `check-${check.result}` }, link, " ", h("code", {}, check.text), " ", check.note);
  }
}

/** Latency, what bounds it, and how far each limit is used. */
export const headline: Panel = {
  id: "headline",
  mount(host, context): Dispose {
    const scope = new Scope();
    const view = new Headline(host, context);
    scope.watch([context.shown], () => view.update());
    return () => scope.dispose();
  },
};
