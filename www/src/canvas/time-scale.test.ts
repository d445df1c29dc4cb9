import { describe, expect, it } from "vitest";
import { ps } from "../base/units.ts";
import { spanAt } from "./hit-test.ts";
import { fitLabel } from "./labels.ts";
import { roundStep, TimeScale } from "./time-scale.ts";
import { fitInto, frame, isWhole, panBy, zoomAround } from "./viewport.ts";

const whole = { from: ps(0), to: ps(1_000_000) };

describe("TimeScale", () => {
  const scale = new TimeScale({ from: ps(100_000), to: ps(300_000) }, 84, 400);

  it("turns time into pixels and back", () => {
    expect([scale.toPx(100_000), scale.toPx(200_000), scale.toPx(300_000)]).toEqual([84, 284, 484]);
    expect(scale.toPs(284)).toBe(200_000);
    expect(scale.psPerPx()).toBe(500);
  });

  it("puts ticks on round times inside the range", () => {
    expect(scale.ticks(100).map(({ at }) => at)).toEqual([100_000, 150_000, 200_000, 250_000, 300_000]);
  });

  it("rounds steps up to 1, 2 or 5", () => {
    expect([0.2, 1, 1.2, 3, 7, 50, 51, 1999].map(roundStep)).toEqual([1, 1, 2, 5, 10, 50, 100, 2000]);
  });
});

describe("the viewport", () => {
  it("keeps the anchor in place when zooming", () => {
    const view = zoomAround(whole, whole, ps(250_000), 0.5);
    expect(view).toEqual({ from: 125_000, to: 625_000 });
    expect((250_000 - view.from) / (view.to - view.from)).toBe(0.25);
  });

  it("never leaves the launch", () => {
    expect(panBy({ from: ps(900_000), to: ps(1_000_000) }, whole, 5)).toEqual({ from: 900_000, to: 1_000_000 });
    expect(panBy({ from: ps(0), to: ps(100_000) }, whole, -5)).toEqual({ from: 0, to: 100_000 });
    expect(zoomAround(whole, whole, ps(1), 100)).toEqual(whole);
    expect(fitInto({ from: ps(-5), to: ps(9_000_000) }, whole)).toEqual(whole);
  });

  it("stops zooming at a nanosecond", () => {
    const view = zoomAround({ from: ps(0), to: ps(1200) }, whole, ps(600), 0.01);
    expect(view.to - view.from).toBe(1000);
  });

  it("frames an instruction with room around it", () => {
    expect(frame({ from: ps(400_000), to: ps(500_000) }, whole)).toEqual({ from: 250_000, to: 650_000 });
  });

  it("knows when everything is visible", () => {
    expect(isWhole(whole, whole)).toBe(true);
    expect(isWhole({ from: ps(0), to: ps(999_000) }, whole)).toBe(false);
  });
});

describe("spanAt", () => {
  const spans = { start: Float64Array.of(10, 30), end: Float64Array.of(20, 40), line: Uint32Array.of(1, 2), count: Uint32Array.of(1, 1) };

  it("finds the span under a time, or the nearest within the slack", () => {
    expect([10, 15, 20, 35].map((time) => spanAt(spans, time, 0))).toEqual([0, 0, 0, 1]);
    expect([22, 28, 25].map((time) => spanAt(spans, time, 3))).toEqual([0, 1, -1]);
    expect(spanAt(spans, 45, 0)).toBe(-1);
  });
});

describe("fitLabel", () => {
  it("cuts to the width and gives up when there is no room", () => {
    expect(fitLabel("nc_matmul", 200, 7)).toBe("nc_matmul");
    expect(fitLabel("nc_matmul", 50, 7)).toBe("nc_ma…");
    expect(fitLabel("nc_matmul", 20, 7)).toBe("");
  });
});
