/** Numbers and indices of tiles as people read them. */
import type { Cells } from "../../sim/inspection.ts";
import { FLAG_INFINITE, FLAG_NAN, FLAG_UNWRITTEN } from "../../sim/inspection.ts";

/** A value in few characters; exact when it is short. */
export function shortValue(value: number): string {
  if (Object.is(value, -0)) return "-0";
  const plain = String(value);
  if (plain.length <= 7) return plain;
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(5)));
}

/** The index of an element from its row and column: the column runs over all dimensions but the first, then over lanes. */
export function indexOf(shape: readonly number[], lanes: number, row: number, column: number): readonly number[] {
  const index = [];
  let rest = Math.floor(column / lanes);
  for (const size of shape.slice(1).reverse()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  if (lanes > 1) index.push(column % lanes);
  return [row, ...index];
}

/** What a cell holds, in one word or number. */
export function cellText(cells: Cells, at: number): string {
  const flags = cells.flags[at] ?? 0;
  const mean = cells.mean[at] ?? Number.NaN;
  if ((flags & FLAG_UNWRITTEN) !== 0 && Number.isNaN(mean)) return "·";
  if ((flags & FLAG_NAN) !== 0) return "nan";
  if ((flags & FLAG_INFINITE) !== 0) return (cells.high[at] ?? 0) === Infinity ? "inf" : "-inf";
  return shortValue(mean);
}
