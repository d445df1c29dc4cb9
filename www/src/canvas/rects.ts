import type { TimeScale } from "./time-scale.ts";

/** Spans of one row, as they arrive from the simulator. */
export interface Spans {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly line: Uint32Array;
  readonly count: Uint32Array;
}

export interface RowBox {
  readonly topPx: number;
  readonly heightPx: number;
}

/** No span is thinner than this, so that short instructions stay visible. */
const THINNEST_PX = 1;

/** Draws each span as a box; `fillFor` picks the colour by index. */
export function drawSpans(
  pen: CanvasRenderingContext2D,
  spans: Spans,
  scale: TimeScale,
  row: RowBox,
  fillFor: (index: number) => string,
): void {
  const rightPx = scale.leftPx + scale.widthPx;
  let fill = "";
  for (let index = 0; index < spans.start.length; index += 1) {
    const fromPx = Math.max(scale.toPx(spans.start[index] as number), scale.leftPx);
    const toPx = Math.min(scale.toPx(spans.end[index] as number), rightPx);
    if (toPx < scale.leftPx || fromPx > rightPx) continue;
    const wanted = fillFor(index);
    if (wanted !== fill) {
      fill = wanted;
      pen.fillStyle = fill;
    }
    const widthPx = Math.max(toPx - fromPx, THINNEST_PX);
    pen.fillRect(fromPx, row.topPx, widthPx > 3 ? widthPx - 0.75 : widthPx, row.heightPx);
  }
}
