import type { Scope } from "../../base/atom.ts";
import type { TimeRange } from "../../base/units.ts";
import type { TimeScale } from "../../canvas/time-scale.ts";
import { isWhole, panBy, zoomAround } from "../../canvas/viewport.ts";

/** What the input layer may read and do. */
export interface Controls {
  readonly scale: () => TimeScale | null;
  readonly whole: () => TimeRange | null;
  readonly view: () => TimeRange | null;
  readonly setView: (range: TimeRange) => void;
  readonly hover: (xPx: number, yPx: number, clientX: number, clientY: number) => void;
  readonly leave: () => void;
  readonly click: (xPx: number, yPx: number) => void;
  readonly focusSpan: (xPx: number, yPx: number) => void;
  readonly step: (delta: 1 | -1) => void;
  readonly open: () => void;
  readonly clear: () => void;
}

/** A press that moves less than this is a click. */
const CLICK_SLACK_PX = 4;
const ZOOM_STEP = 0.8;
const PAN_STEP = 0.15;
/** A wheel gesture that began by scrolling the page goes on scrolling it. */
const SCROLL_GRACE_MS = 250;

/** Zoom by one step around the middle of the view. */
export function zoomStep(controls: Controls, closer: boolean, anchorPx: number | null = null): void {
  const [view, whole, scale] = [controls.view(), controls.whole(), controls.scale()];
  if (view === null || whole === null || scale === null) return;
  const anchor = scale.toPs(anchorPx ?? scale.leftPx + scale.widthPx / 2);
  controls.setView(zoomAround(view, whole, anchor, closer ? ZOOM_STEP : 1 / ZOOM_STEP));
}

function pan(controls: Controls, share: number): void {
  const [view, whole] = [controls.view(), controls.whole()];
  if (view !== null && whole !== null) controls.setView(panBy(view, whole, share));
}

function fit(controls: Controls): void {
  const whole = controls.whole();
  if (whole !== null) controls.setView(whole);
}

/** The keys of Perfetto and the Neuron profiler. */
const KEYS: Readonly<Record<string, (controls: Controls) => void>> = {
  w: (controls) => zoomStep(controls, true),
  "+": (controls) => zoomStep(controls, true),
  "=": (controls) => zoomStep(controls, true),
  ArrowUp: (controls) => zoomStep(controls, true),
  s: (controls) => zoomStep(controls, false),
  "-": (controls) => zoomStep(controls, false),
  ArrowDown: (controls) => zoomStep(controls, false),
  a: (controls) => pan(controls, -PAN_STEP),
  ArrowLeft: (controls) => pan(controls, -PAN_STEP),
  d: (controls) => pan(controls, PAN_STEP),
  ArrowRight: (controls) => pan(controls, PAN_STEP),
  f: fit,
  "0": fit,
  Home: fit,
  ".": (controls) => controls.step(1),
  ",": (controls) => controls.step(-1),
  Enter: (controls) => controls.open(),
  Escape: (controls) => controls.clear(),
};

function listenWheel(target: HTMLElement, controls: Controls, scope: Scope): void {
  let scrolledAt = Number.NEGATIVE_INFINITY;
  scope.listen(document, "scroll", () => (scrolledAt = performance.now()), { capture: true, passive: true });
  scope.listen(
    target,
    "wheel",
    (event) => {
      const [view, whole, scale] = [controls.view(), controls.whole(), controls.scale()];
      if (view === null || whole === null || scale === null) return;
      const zooming = event.ctrlKey || event.metaKey;
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const scrolling = performance.now() - scrolledAt < SCROLL_GRACE_MS;
      const useless = event.deltaY > 0 && isWhole(view, whole);
      if (!zooming && !sideways && (scrolling || useless)) return;
      event.preventDefault();
      if (sideways && !zooming) return pan(controls, (event.deltaX + (event.shiftKey ? event.deltaY : 0)) / scale.widthPx);
      const xPx = event.clientX - target.getBoundingClientRect().left;
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 24 : 1;
      controls.setView(zoomAround(view, whole, scale.toPs(xPx), Math.exp((event.deltaY * lines) / 400)));
    },
    { passive: false },
  );
}

function listenPointer(target: HTMLElement, controls: Controls, scope: Scope): void {
  let press: { readonly xPx: number; readonly view: TimeRange; moved: boolean } | null = null;
  const place = (event: PointerEvent | MouseEvent): readonly [number, number] => {
    const box = target.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  scope.listen(target, "pointerdown", (event) => {
    const view = controls.view();
    if (event.button !== 0 || view === null) return;
    press = { xPx: place(event)[0], view, moved: false };
    target.setPointerCapture(event.pointerId);
  });
  scope.listen(target, "pointermove", (event) => {
    const [xPx, yPx] = place(event);
    const [whole, scale] = [controls.whole(), controls.scale()];
    if (press === null || whole === null || scale === null) return controls.hover(xPx, yPx, event.clientX, event.clientY);
    if (Math.abs(xPx - press.xPx) >= CLICK_SLACK_PX) press.moved = true;
    if (press.moved) controls.setView(panBy(press.view, whole, (press.xPx - xPx) / scale.widthPx));
  });
  scope.listen(target, "pointerup", (event) => {
    if (press !== null && !press.moved) controls.click(...place(event));
    press = null;
  });
  scope.listen(target, "pointercancel", () => (press = null));
  scope.listen(target, "pointerleave", () => controls.leave());
  scope.listen(target, "dblclick", (event) => controls.focusSpan(...place(event)));
}

/** Connects wheel, pointer and keys. */
export function listen(target: HTMLElement, controls: Controls, scope: Scope): void {
  listenWheel(target, controls, scope);
  listenPointer(target, controls, scope);
  scope.listen(target, "keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action === undefined) return;
    event.preventDefault();
    action(controls);
  });
}
