import { describe, expect, it } from "vitest";
import { formatBytes, formatCount, formatGbps, formatMetric, formatPercent, formatPs, formatTick, join, significant } from "./format.ts";

describe("times", () => {
  it("pick the unit that keeps the number readable", () => {
    const texts = [1, 999, 1000, 41_283_000, 999_999, 1_000_000, 2.5e9, 3e12].map((value) => join(formatPs(value)));
    expect(texts).toEqual(["1 ps", "999 ps", "1 ns", "41.28 µs", "1000 ns", "1 µs", "2.500 ms", "3 s"].map((text) => text.replace(" ", "\u00a0")));
  });

  it("write zero in nanoseconds, not picoseconds", () => {
    expect(formatPs(0)).toEqual({ text: "0", unit: "ns" });
  });

  it("drop trailing zeros on axes only", () => {
    expect(formatTick(32_500_000)).toBe("32.5\u00a0µs");
    expect(formatTick(200_000_000)).toBe("200\u00a0µs");
    expect(join(formatPs(32_500_000))).toBe("32.50\u00a0µs");
  });
});

describe("numbers", () => {
  it("keep four significant digits", () => {
    expect([0, 7, 3.14159, 31.4159, 314.159, 3141.59, -2.5].map(significant)).toEqual(["0", "7", "3.142", "31.42", "314.2", "3142", "-2.500"]);
  });

  it("count bytes in binary units", () => {
    expect([0, 1023, 1024, 245_760, 6_291_456, 2 ** 31].map((value) => join(formatBytes(value)))).toEqual(
      ["0 B", "1023 B", "1 KiB", "240 KiB", "6 MiB", "2 GiB"].map((text) => text.replace(" ", "\u00a0")),
    );
  });

  it("group digits and shorten from a million on", () => {
    expect(formatCount(540).text).toBe("540");
    expect(formatCount(12_345).text).toBe("12,345");
    expect(formatCount(2_147_483_648)).toEqual({ text: "2.147", unit: "G" });
  });

  it("give small percentages another digit", () => {
    expect([0, 0.126, 9.99, 10, 63.28, 100].map((value) => formatPercent(value).text)).toEqual(["0.0", "0.13", "9.99", "10.0", "63.3", "100.0"]);
  });
});

describe("metrics", () => {
  it("carry their unit in their name", () => {
    expect(formatMetric("latency_ns", 66_140)).toEqual({ text: "66.14", unit: "µs" });
    expect(formatMetric("hbm_read_bytes", 4096)).toEqual({ text: "4", unit: "KiB" });
    expect(formatMetric("mfu_estimated_percent", 41.14)).toEqual({ text: "41.1", unit: "%" });
    expect(formatMetric("mm_arithmetic_intensity", 186.18)).toEqual({ text: "186.2", unit: "" });
    expect(formatMetric("psum_peak_banks", 4)).toEqual({ text: "4", unit: "" });
    expect(formatGbps(542.94)).toEqual({ text: "542.9", unit: "GB/s" });
  });
});
