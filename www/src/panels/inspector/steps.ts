import { h } from "../../base/dom.ts";
import type { Translate } from "../../base/i18n/i18n.ts";
import type { Motion } from "../../sim/inspection.ts";

/** A step with its key; keys that browsers use for themselves (F5, F6, F11) are left to them. */
interface Step {
  readonly motion: Motion;
  readonly key: string;
  readonly shift?: boolean;
  readonly control?: boolean;
  readonly glyph: string;
}

export const STEPS: readonly Step[] = [
  { motion: "reverse", key: "F8", shift: true, glyph: "⏮" },
  { motion: "previous", key: "F7", glyph: "◀" },
  { motion: "next", key: "F10", glyph: "▶" },
  { motion: "line", key: "F10", control: true, glyph: "⤵" },
  { motion: "continue", key: "F8", glyph: "⏭" },
];

/** The keys of a step as people read them. */
export function keysOf(step: Step): string {
  return `${step.control === true ? "Ctrl+" : ""}${step.shift === true ? "Shift+" : ""}${step.key}`;
}

/** The step that a key press asks for. */
export function motionOf(event: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">): Motion | null {
  if (event.altKey) return null;
  const control = event.ctrlKey || event.metaKey;
  const step = STEPS.find(({ key, shift, control: wanted }) => key === event.key && (shift ?? false) === event.shiftKey && (wanted ?? false) === control);
  return step?.motion ?? null;
}

/** The buttons of all steps. */
export function stepButtons(t: Translate, take: (motion: Motion) => void): readonly HTMLElement[] {
  return STEPS.map((step) => {
    const label = `${t(`step_${step.motion}`)} (${keysOf(step)})`;
    return h(
      "button",
      { class: "step-button", type: "button", title: label, "aria-label": label, "aria-keyshortcuts": keysOf(step).replace("Ctrl", "Control"), "data-step": step.motion, onClick: () => take(step.motion) },
      h("span", { "aria-hidden": "true" }, step.glyph),
      h("span", { class: "step-name" }, t(`step_${step.motion}_short`)),
    );
  });
}
