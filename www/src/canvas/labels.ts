/** Shortest text worth drawing, with its padding. */
const NARROWEST_PX = 24;
const PADDING_PX = 4;
/** A cut text says nothing below this. */
const FEWEST_CHARS = 5;

/** Cuts `text` to a width, with an ellipsis; empty when not even that fits. `charPx` is the width of one character (monospace). */
export function fitLabel(text: string, widthPx: number, charPx: number): string {
  const room = Math.floor((widthPx - 2 * PADDING_PX) / charPx);
  if (widthPx < NARROWEST_PX) return "";
  if (text.length <= room) return text;
  return room < FEWEST_CHARS ? "" : `${text.slice(0, room - 1)}…`;
}

/** Left edge of a label inside a box that may begin left of the visible area. */
export function labelLeft(boxLeftPx: number, visibleLeftPx: number): number {
  return Math.max(boxLeftPx, visibleLeftPx) + PADDING_PX;
}
