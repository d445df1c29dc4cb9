import type { Surface } from "../../canvas/surface.ts";
import { formatTick } from "../../base/format.ts";
import type { Ps } from "../../base/units.ts";
import { fitLabel, labelLeft } from "../../canvas/labels.ts";
import { drawSpans } from "../../canvas/rects.ts";
import { GUTTER_PX, type TimeScale } from "../../canvas/time-scale.ts";
import type { Track, Window } from "../../sim/protocol.ts";
import { AXIS_PX, type RowPlace } from "./layout.ts";
import type { Rows } from "./model.ts";

/** What one frame shows. */
export interface Scene {
  readonly rows: Rows;
  readonly places: readonly RowPlace[];
  readonly scale: TimeScale;
  readonly caretLine: number;
  readonly selected: number | null;
  readonly hovered: { readonly row: number; readonly index: number } | null;
  readonly pointerTime: Ps | null;
  readonly endPs: number;
  readonly name: (track: Track) => string;
}

/** Colours and fonts of the style sheet, read once a frame. */
interface Ink {
  readonly text: string;
  readonly muted: string;
  readonly faint: string;
  readonly grid: string;
  readonly lane: string;
  readonly accent: string;
  readonly onFill: string;
  readonly fill: (engine: string, alternate: boolean) => string;
  readonly sans: string;
  readonly mono: string;
}

function readInk(surface: Surface): Ink {
  const token = (name: string): string => surface.token(name);
  return {
    text: token("--text"),
    muted: token("--text-muted"),
    faint: token("--text-faint"),
    grid: token("--grid"),
    lane: token("--lane"),
    accent: token("--accent"),
    onFill: token("--on-engine"),
    fill: (engine, alternate) => token(`--engine-${engine}${alternate ? "-alt" : ""}`),
    sans: token("--font-sans"),
    mono: token("--font-mono"),
  };
}

function drawAxis(pen: CanvasRenderingContext2D, scene: Scene, ink: Ink, surface: Surface): void {
  pen.font = `11px ${ink.sans}`;
  pen.textBaseline = "middle";
  for (const tick of scene.scale.ticks(110)) {
    pen.fillStyle = ink.grid;
    pen.fillRect(Math.round(tick.px), AXIS_PX - 5, 1, surface.heightPx - AXIS_PX);
    const label = formatTick(tick.at);
    const widthPx = pen.measureText(label).width;
    const leftPx = Math.min(tick.px + 4, surface.widthPx - widthPx - 2);
    pen.fillStyle = ink.muted;
    if (leftPx >= tick.px - 1) pen.fillText(label, leftPx, 10);
  }
}

/** A thin bar below the axis: which part of the launch is visible. */
function drawPosition(pen: CanvasRenderingContext2D, scene: Scene, ink: Ink): void {
  const { range, leftPx, widthPx } = scene.scale;
  const share = (range.to - range.from) / scene.endPs;
  if (share > 0.999) return;
  pen.fillStyle = ink.grid;
  pen.fillRect(leftPx, AXIS_PX - 6, widthPx, 3);
  pen.fillStyle = ink.accent;
  pen.fillRect(leftPx + (range.from / scene.endPs) * widthPx, AXIS_PX - 6, Math.max(6, share * widthPx), 3);
}

function drawLabels(pen: CanvasRenderingContext2D, window: Window, scale: TimeScale, place: RowPlace, ink: Ink, charPx: number): void {
  pen.fillStyle = ink.onFill;
  const visibleRightPx = scale.leftPx + scale.widthPx;
  for (let index = 0; index < window.start.length; index += 1) {
    const fromPx = scale.toPx(window.start[index] as number);
    const toPx = Math.min(scale.toPx(window.end[index] as number), visibleRightPx);
    if (toPx - fromPx < 24 || toPx < scale.leftPx || fromPx > visibleRightPx) continue;
    const count = window.count[index] as number;
    const name = count > 1 ? `${String(count)}×` : (window.names[window.name[index] as number] ?? "");
    const leftPx = labelLeft(fromPx, scale.leftPx);
    const label = fitLabel(name, toPx - leftPx + 4, charPx);
    if (label !== "") pen.fillText(label, leftPx, place.topPx + place.heightPx / 2 + 0.5);
  }
}

function drawMark(pen: CanvasRenderingContext2D, window: Window, index: number, scale: TimeScale, place: RowPlace, color: string): void {
  const fromPx = Math.max(scale.leftPx, scale.toPx(window.start[index] as number));
  const toPx = Math.min(scale.leftPx + scale.widthPx, scale.toPx(window.end[index] as number));
  pen.strokeStyle = color;
  pen.lineWidth = 1.5;
  pen.strokeRect(fromPx - 0.75, place.topPx - 0.75, Math.max(2, toPx - fromPx) + 1, place.heightPx + 1.5);
}

/** Stripes under the spans of the line with the caret, and frames around what is selected or under the pointer. */
function drawMarks(pen: CanvasRenderingContext2D, scene: Scene, row: number, window: Window, place: RowPlace, ink: Ink): void {
  const { scale } = scene;
  pen.fillStyle = ink.text;
  for (let index = 0; index < window.start.length; index += 1) {
    if (window.line[index] === scene.caretLine) {
      const fromPx = Math.max(scale.leftPx, scale.toPx(window.start[index] as number));
      const toPx = Math.min(scale.leftPx + scale.widthPx, scale.toPx(window.end[index] as number));
      if (toPx >= fromPx) pen.fillRect(fromPx, place.topPx + place.heightPx - 2, Math.max(1, toPx - fromPx - 0.5), 2);
    }
    if (window.inst[index] === scene.selected && window.count[index] === 1) drawMark(pen, window, index, scale, place, ink.text);
  }
  if (scene.hovered?.row === row) drawMark(pen, window, scene.hovered.index, scale, place, ink.muted);
}

function drawRow(pen: CanvasRenderingContext2D, scene: Scene, row: number, ink: Ink): void {
  const track = scene.rows.tracks[row];
  const window = scene.rows.windows[row];
  const place = scene.places[row];
  if (track === undefined || window === undefined || place === undefined) return;
  const { scale } = scene;
  pen.fillStyle = ink.lane;
  pen.fillRect(scale.leftPx, place.topPx, scale.widthPx, place.heightPx);
  const fills = [ink.fill(track.engine, false), ink.fill(track.engine, true)] as const;
  drawSpans(pen, window, scale, place, (index) => ((window.name[index] as number) % 2 === 0 ? fills[0] : fills[1]));
  if (track.kind === "engine") {
    pen.font = `11px ${ink.mono}`;
    drawLabels(pen, window, scale, place, ink, pen.measureText("m").width);
  }
  drawMarks(pen, scene, row, window, place, ink);
  pen.font = track.kind === "engine" ? `500 12px ${ink.sans}` : `10.5px ${ink.sans}`;
  pen.fillStyle = track.kind === "engine" ? ink.text : ink.muted;
  pen.textAlign = "right";
  pen.fillText(fitLabel(scene.name(track), GUTTER_PX + 2, 6), GUTTER_PX - 8, place.topPx + place.heightPx / 2 + 0.5);
  pen.textAlign = "left";
}

/** Draws a whole frame. */
export function drawScene(pen: CanvasRenderingContext2D, surface: Surface, scene: Scene): void {
  const ink = readInk(surface);
  drawAxis(pen, scene, ink, surface);
  scene.rows.tracks.forEach((_, row) => drawRow(pen, scene, row, ink));
  drawPosition(pen, scene, ink);
  if (scene.pointerTime !== null) {
    const px = Math.round(scene.scale.toPx(scene.pointerTime));
    if (px >= scene.scale.leftPx && px <= scene.scale.leftPx + scene.scale.widthPx) {
      pen.fillStyle = ink.faint;
      pen.fillRect(px, AXIS_PX - 3, 1, surface.heightPx);
    }
  }
}
