/** A number as people read it, with its unit apart so that the unit can be set smaller. */
export interface Quantity {
  readonly text: string;
  readonly unit: string;
}

/** Missing values, so that a tile keeps its size before the first result. */
export const ABSENT: Quantity = { text: "–", unit: "" };

const TIME_UNITS = [
  [1e12, "s"],
  [1e9, "ms"],
  [1e6, "µs"],
  [1e3, "ns"],
  [1, "ps"],
] as const;
const BYTE_UNITS = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
] as const;
const COUNT_UNITS = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e4, "k"],
] as const;

/** Four significant digits, never in exponent form, without trailing zeros after a whole number. */
export function significant(value: number): string {
  const size = Number(Math.abs(value).toPrecision(4));
  if (size === 0) return "0";
  const decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  const text = value.toFixed(decimals);
  return Number.isInteger(value) ? String(value) : text;
}

function scaled(value: number, units: readonly (readonly [number, string])[]): Quantity {
  const last = units[units.length - 1] as readonly [number, string];
  const [factor, unit] = units.find(([limit]) => Math.abs(value) >= limit) ?? last;
  return { text: significant(value / factor), unit };
}

/** Picoseconds as `41.28 µs`. */
export function formatPs(value: number): Quantity {
  if (value === 0) return { text: "0", unit: "ns" };
  return scaled(value, TIME_UNITS);
}

/** Picoseconds for an axis: round values, so without trailing zeros. */
export function formatTick(value: number): string {
  const { text, unit } = formatPs(value);
  return join({ text: trimmed(text), unit });
}

/** Without zeros at the end of a fraction. */
function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Bytes in binary units, as `16 KiB`. */
export function formatBytes(value: number): Quantity {
  const { text, unit } = scaled(value, BYTE_UNITS);
  return { text: trimmed(text), unit };
}

/** A plain count: grouped digits, or `2.147 G` when long. */
export function formatCount(value: number): Quantity {
  if (Math.abs(value) < 1e6) return { text: group(value), unit: "" };
  return scaled(value, COUNT_UNITS);
}

/** A percentage with one decimal. */
export function formatPercent(value: number): Quantity {
  return { text: value.toFixed(Math.abs(value) < 10 && value !== 0 ? 2 : 1), unit: "%" };
}

/** Gigabytes (10^9 bytes) a second. */
export function formatGbps(value: number): Quantity {
  return { text: significant(value), unit: "GB/s" };
}

/** Digits in groups of three; fractions keep at most three decimals. */
export function group(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 3 });
}

/** `41.28 µs` as one string, with a no-break space. */
export function join(quantity: Quantity): string {
  return quantity.unit === "" ? quantity.text : `${quantity.text}\u00a0${quantity.unit}`;
}

/** Reads a metric's unit from its name, the way the profiler's names carry it. */
export function formatMetric(name: string, value: number): Quantity {
  if (name.endsWith("_percent")) return formatPercent(value);
  if (name.endsWith("_ns")) return formatPs(value * 1000);
  if (name.includes("bytes")) return formatBytes(value);
  if (name.endsWith("_gbps")) return formatGbps(value);
  if (name.endsWith("_time")) return formatPs(value * 1e12);
  if (Number.isInteger(value)) return formatCount(value);
  return { text: significant(value), unit: "" };
}
