import type { Brand } from "./brand.ts";

/** Simulated time in picoseconds; exact up to 2^53, which is two and a half hours. */
export type Ps = Brand<number, "ps">;

/** Declares that a plain number is a time in picoseconds. */
export const ps = (value: number): Ps => value as Ps;

/** Nanoseconds, the unit of the report, to picoseconds. */
export const psFromNs = (ns: number): Ps => Math.round(ns * 1000) as Ps;

/** A closed-open interval of simulated time. */
export interface TimeRange {
  readonly from: Ps;
  readonly to: Ps;
}
