import { expect, it } from "vitest";
import type { Cells } from "../../sim/inspection.ts";
import { cellText, indexOf, shortValue } from "./values.ts";

it("numbers are exact when short and rounded when long", () => {
  expect(shortValue(0.5)).toBe("0.5");
  expect(shortValue(-0)).toBe("-0");
  expect(shortValue(0.10000000149011612)).toBe("0.1");
  expect(shortValue(123456.789)).toBe("123460");
  expect(shortValue(16777217)).toBe("1.68e+7");
  expect(shortValue(1.5e-9)).toBe("1.5e-9");
});

it("an index has all dimensions, and the lane of packed values", () => {
  expect(indexOf([128, 512], 1, 3, 17)).toEqual([3, 17]);
  expect(indexOf([4, 2, 3], 1, 1, 5)).toEqual([1, 1, 2]);
  expect(indexOf([8], 1, 7, 0)).toEqual([7]);
  expect(indexOf([4, 2], 4, 1, 6)).toEqual([1, 1, 2]);
});

it("cells tell what is not a number", () => {
  const cells: Cells = {
    row: 0, column: 0, rows: 1, columns: 4, block_rows: 1, block_columns: 1,
    mean: Float64Array.of(2, NaN, NaN, NaN),
    low: Float64Array.of(2, NaN, -Infinity, NaN),
    high: Float64Array.of(2, NaN, -Infinity, NaN),
    flags: Uint8Array.of(0, 1, 2, 4),
  };
  expect([0, 1, 2, 3].map((at) => cellText(cells, at))).toEqual(["2", "nan", "-inf", "·"]);
});
