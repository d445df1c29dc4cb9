import { lowerBound } from "../base/geom.ts";
import type { Spans } from "./rects.ts";

/** The span that contains `time`, or the nearest one within `slack`; -1 when there is none. */
export function spanAt(spans: Spans, time: number, slack: number): number {
  const after = lowerBound(spans.start, time + 1e-9);
  let best = -1;
  let bestGap = slack;
  for (const index of [after - 1, after]) {
    const start = spans.start[index];
    const end = spans.end[index];
    if (start === undefined || end === undefined) continue;
    const gap = time < start ? start - time : time > end ? time - end : 0;
    if (gap <= bestGap) {
      bestGap = gap;
      best = index;
      if (gap === 0) break;
    }
  }
  return best;
}
