import { ps, type Ps, type TimeRange } from "../base/units.ts";

/** A labelled position on the time axis. */
export interface Tick {
  readonly at: Ps;
  readonly px: number;
}

/** The one place where simulated time becomes pixels and back. */
export class TimeScale {
  constructor(
    readonly range: TimeRange,
    readonly leftPx: number,
    readonly widthPx: number,
  ) {}

  toPx(time: number): number {
    return this.leftPx + ((time - this.range.from) / (this.range.to - this.range.from)) * this.widthPx;
  }

  toPs(px: number): Ps {
    return ps(this.range.from + ((px - this.leftPx) / this.widthPx) * (this.range.to - this.range.from));
  }

  psPerPx(): number {
    return (this.range.to - this.range.from) / this.widthPx;
  }

  /** Ticks at round times, about one every `spacingPx`. */
  ticks(spacingPx: number): readonly Tick[] {
    const step = roundStep(this.psPerPx() * spacingPx);
    const ticks: Tick[] = [];
    for (let at = Math.ceil(this.range.from / step) * step; at <= this.range.to; at += step) {
      ticks.push({ at: ps(at), px: this.toPx(at) });
    }
    return ticks;
  }
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `raw`; at least one picosecond. */
export function roundStep(raw: number): number {
  if (raw <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= raw * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Room left of everything that shares the time axis, so that rows and charts line up. */
export const GUTTER_PX = 92;
/** Room right of it. */
export const MARGIN_PX = 12;
