import { clamp } from "../base/geom.ts";
import { ps, type Ps, type TimeRange } from "../base/units.ts";

/** Deepest zoom: one nanosecond across the whole width. */
const NARROWEST_PS = 1000;

/** Keeps a range within the whole, by moving it first and shrinking it last. */
export function fitInto(range: TimeRange, whole: TimeRange): TimeRange {
  const full = whole.to - whole.from;
  const width = clamp(range.to - range.from, Math.min(NARROWEST_PS, full), full);
  const from = clamp(range.from, whole.from, whole.to - width);
  return { from: ps(from), to: ps(from + width) };
}

/** Zooms by `factor` (below 1 is closer) so that `anchor` keeps its place on the screen. */
export function zoomAround(range: TimeRange, whole: TimeRange, anchor: Ps, factor: number): TimeRange {
  const width = range.to - range.from;
  const wanted = clamp(width * factor, Math.min(NARROWEST_PS, whole.to - whole.from), whole.to - whole.from);
  const share = width === 0 ? 0.5 : (anchor - range.from) / width;
  const from = anchor - share * wanted;
  return fitInto({ from: ps(from), to: ps(from + wanted) }, whole);
}

/** Moves by a share of the visible width. */
export function panBy(range: TimeRange, whole: TimeRange, share: number): TimeRange {
  const delta = (range.to - range.from) * share;
  return fitInto({ from: ps(range.from + delta), to: ps(range.to + delta) }, whole);
}

/** Shows `target` with some room on both sides. */
export function frame(target: TimeRange, whole: TimeRange): TimeRange {
  const room = (target.to - target.from) * 1.5;
  return fitInto({ from: ps(target.from - room), to: ps(target.to + room) }, whole);
}

/** Whether the range is the whole, within a picosecond. */
export function isWhole(range: TimeRange, whole: TimeRange): boolean {
  return range.from - whole.from < 1 && whole.to - range.to < 1;
}
