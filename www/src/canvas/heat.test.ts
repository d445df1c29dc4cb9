import { describe, expect, it } from "vitest";
import { cellAt, heatColor, type HeatInk, isLight, parseHex, rangeOf } from "./heat.ts";

const ink: HeatInk = { negative: [0, 0, 255], zero: [255, 255, 255], positive: [255, 0, 0] };

describe("heat maps", () => {
  it("diverge around zero when both signs occur", () => {
    const range = { low: -2, high: 4 };
    expect(heatColor(0, range, ink)).toEqual([255, 255, 255]);
    expect(heatColor(4, range, ink)).toEqual([255, 0, 0]);
    expect(heatColor(-2, range, ink)).toEqual([128, 128, 255]);
  });

  it("spread values of one sign from end to end", () => {
    expect(heatColor(1000, { low: 1000, high: 1001 }, ink)).toEqual([255, 255, 255]);
    expect(heatColor(1001, { low: 1000, high: 1001 }, ink)).toEqual([255, 0, 0]);
    expect(heatColor(-5, { low: -5, high: -1 }, ink)).toEqual([0, 0, 255]);
    expect(heatColor(-1, { low: -5, high: -1 }, ink)).toEqual([255, 255, 255]);
    expect(heatColor(3, { low: 3, high: 3 }, ink)).toEqual([255, 128, 128]);
  });

  it("read colours, ranges and cells", () => {
    expect(parseHex(" #4173ea ")).toEqual([65, 115, 234]);
    expect(rangeOf([null, 3, -1])).toEqual({ low: -1, high: 3 });
    expect(rangeOf([null])).toBeNull();
    expect(isLight([255, 255, 255])).toBe(true);
    expect(isLight([30, 30, 90])).toBe(false);
    expect(cellAt(99, 49, 100, 50, 5, 10)).toEqual({ row: 4, column: 9 });
    expect(cellAt(100, 0, 100, 50, 5, 10)).toBeNull();
  });
});
