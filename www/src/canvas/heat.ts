/** Colours and geometry of heat maps: values to colours, cells to pixels. */

/** Red, green, blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The colours of a scale; `zero` is the middle of a scale with both signs and the start of one with one sign. */
export interface HeatInk {
  readonly negative: Rgb;
  readonly zero: Rgb;
  readonly positive: Rgb;
}

/** Values between which colours are spread. */
export interface HeatRange {
  readonly low: number;
  readonly high: number;
}

/** `#rrggbb` as numbers; black for anything else. */
export function parseHex(text: string): Rgb {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  return digits === null ? [0, 0, 0] : [parseInt(digits[1] ?? "0", 16), parseInt(digits[2] ?? "0", 16), parseInt(digits[3] ?? "0", 16)];
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * share);
  return [at(0), at(1), at(2)];
}

/** The range that holds all given finite bounds; null if there is none. */
export function rangeOf(bounds: readonly (number | null)[]): HeatRange | null {
  const known = bounds.filter((bound) => bound !== null);
  return known.length === 0 ? null : { low: Math.min(...known), high: Math.max(...known) };
}

/** Diverging around zero when both signs occur, else from the value nearest to zero to the farthest. */
export function heatColor(value: number, { low, high }: HeatRange, ink: HeatInk): Rgb {
  if (low < 0 && high > 0) {
    const share = Math.min(1, Math.abs(value) / Math.max(-low, high));
    return mix(ink.zero, value < 0 ? ink.negative : ink.positive, share);
  }
  const share = high === low ? 0.5 : Math.min(1, Math.max(0, (value - low) / (high - low)));
  return high <= 0 && low < 0 ? mix(ink.zero, ink.negative, 1 - share) : mix(ink.zero, ink.positive, share);
}

export function css([red, green, blue]: Rgb): string {
  return `rgb(${String(red)} ${String(green)} ${String(blue)})`;
}

/** Whether dark text is readable on a colour. */
export function isLight([red, green, blue]: Rgb): boolean {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140;
}

/** The cell at a pixel of a grid that fills a box; null outside. */
export function cellAt(xPx: number, yPx: number, widthPx: number, heightPx: number, rows: number, columns: number): { readonly row: number; readonly column: number } | null {
  if (xPx < 0 || yPx < 0 || xPx >= widthPx || yPx >= heightPx || rows === 0 || columns === 0) return null;
  return { row: Math.floor((yPx / heightPx) * rows), column: Math.floor((xPx / widthPx) * columns) };
}
