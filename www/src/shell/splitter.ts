import type { Scope } from "../base/atom.ts";
import { h } from "../base/dom.ts";
import { clamp } from "../base/geom.ts";

const LEAST = 24;
const MOST = 70;
const KEY_STEP = 2;

/** A bar between editor and results that can be dragged or moved with the arrow keys. */
export function makeSplitter(container: HTMLElement, label: string, scope: Scope): HTMLElement {
  const bar = h("div", { class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": label, "aria-valuemin": LEAST, "aria-valuemax": MOST });
  let percent = 42;
  const set = (value: number): void => {
    percent = clamp(value, LEAST, MOST);
    container.style.setProperty("--editor-share", `${percent.toFixed(2)}%`);
    bar.setAttribute("aria-valuenow", percent.toFixed(0));
  };
  set(percent);
  let dragging = false;
  scope.listen(bar, "pointerdown", (event) => {
    dragging = true;
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  scope.listen(bar, "pointermove", (event) => {
    if (!dragging) return;
    const box = container.getBoundingClientRect();
    set(((event.clientX - box.left) / box.width) * 100);
  });
  const end = (): void => void (dragging = false);
  scope.listen(bar, "pointerup", end);
  scope.listen(bar, "pointercancel", end);
  scope.listen(bar, "dblclick", () => set(42));
  scope.listen(bar, "keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -KEY_STEP : event.key === "ArrowRight" ? KEY_STEP : 0;
    if (step === 0) return;
    event.preventDefault();
    set(percent + step);
  });
  return bar;
}
