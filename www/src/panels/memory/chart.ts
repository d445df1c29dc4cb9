import uPlot from "uplot";
import { GUTTER_PX, MARGIN_PX } from "../../canvas/time-scale.ts";
import { formatTick, join, type Quantity } from "../../base/format.ts";
import type { Counter } from "../../sim/protocol.ts";

/** One line of a chart. */
export interface Line {
  readonly counter: Counter;
  readonly color: string;
}

/** What a chart shows and against which limit. */
export interface ChartSpec {
  readonly id: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => Quantity;
  /** Values move in whole steps, so the line does too. */
  readonly stepped: boolean;
  /** Grid lines fall on powers of two. */
  readonly binary: boolean;
  /** The axis always reaches the limit. */
  readonly wholeScale: boolean;
}

export interface ChartData {
  readonly times: Float64Array;
  readonly series: readonly Float64Array[];
  readonly limit: number;
}

const POWERS_OF_TWO = Array.from({ length: 48 }, (_, exponent) => 2 ** exponent);
const HEIGHT_PX = 84;
const AXIS_PX = 24;

/** Top of the vertical axis: the limit, or some room above the highest value. */
function ceiling(spec: ChartSpec, data: ChartData): number {
  const highest = data.series.reduce((top, values) => values.reduce((a, b) => Math.max(a, b), top), 0);
  if (spec.wholeScale) return Math.max(data.limit, highest) * 1.04;
  return highest > 0 ? Math.min(highest * 1.25, Math.max(highest, data.limit) * 1.04) : data.limit;
}

/** A uPlot chart in the page's colours whose time axis is moved from outside. */
export class Chart {
  #plot: uPlot | null = null;
  #data: ChartData | null = null;
  readonly #observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    private readonly spec: ChartSpec,
    private readonly withAxis: boolean,
    private readonly onPointer: (time: number | null) => void,
  ) {
    this.#observer = new ResizeObserver(() => this.resize());
    this.#observer.observe(host);
  }

  /** Shows new values for a range of time. */
  update(data: ChartData, from: number, to: number): void {
    this.#data = data;
    this.#plot ??= this.build();
    this.#plot.batch((plot: uPlot) => {
      plot.setData([data.times, ...data.series], false);
      plot.setScale("x", { min: from, max: to });
      plot.setScale("y", { min: 0, max: ceiling(this.spec, data) });
    });
  }

  /** Puts the cursor line to a time; the pointer may be over another chart or the timeline. */
  pointAt(time: number | null): void {
    const plot = this.#plot;
    if (plot === null) return;
    const leftPx = time === null ? -10 : plot.valToPos(time, "x");
    plot.setCursor({ left: leftPx, top: time === null ? -10 : 10 }, false);
  }

  /** Colours changed: canvases must be drawn anew. */
  rebuild(): void {
    const [plot, data] = [this.#plot, this.#data];
    if (plot === null || data === null) return;
    const { min = 0, max = 1 } = plot.scales["x"] ?? {};
    plot.destroy();
    this.#plot = null;
    this.update(data, min, max);
  }

  dispose(): void {
    this.#observer.disconnect();
    this.#plot?.destroy();
  }

  private token(name: string): string {
    return getComputedStyle(this.host).getPropertyValue(name).trim();
  }

  private heightPx(): number {
    return HEIGHT_PX + (this.withAxis ? AXIS_PX : 0);
  }

  private resize(): void {
    if (this.host.clientWidth > 0) this.#plot?.setSize({ width: this.host.clientWidth, height: this.heightPx() });
  }

  private build(): uPlot {
    const font = `11px ${this.token("--font-sans")}`;
    const stroke = this.token("--text-muted");
    const grid = { stroke: this.token("--grid"), width: 1 };
    const ticks = { show: false };
    const paths = this.spec.stepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
    return new uPlot(
      {
        width: Math.max(100, this.host.clientWidth),
        height: this.heightPx(),
        padding: [6, MARGIN_PX, this.withAxis ? 0 : 4, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false, auto: false }, y: { auto: false } },
        axes: [
          { show: this.withAxis, size: AXIS_PX, font, stroke, grid, ticks, space: 110, values: (_, splits) => splits.map(formatTick) },
          { size: GUTTER_PX, font, stroke, grid, ticks, space: 26, gap: 8, values: (_, splits) => splits.map((value) => join(this.spec.format(value))), ...(this.spec.binary ? { incrs: POWERS_OF_TWO } : {}) },
        ],
        series: [
          {},
          ...this.spec.lines.map(({ color }) => ({
            stroke: this.token(color),
            fill: this.token(`${color}-area`),
            width: 1.25,
            points: { show: false },
            ...(paths === undefined ? {} : { paths }),
          })),
        ],
        hooks: { setCursor: [(plot) => this.pointerMoved(plot)] },
      },
      [[], ...this.spec.lines.map(() => [])] as unknown as uPlot.AlignedData,
      this.host,
    );
  }

  private pointerMoved(plot: uPlot): void {
    const { event, left = -1 } = plot.cursor;
    if (event) this.onPointer(left < 0 ? null : plot.posToVal(left, "x"));
  }
}
