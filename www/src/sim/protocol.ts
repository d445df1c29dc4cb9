/**
 * What the page and the worker say to each other. One request union, one reply union; every reply names the request it answers.
 * The report is the JSON of `trn3 run --json`; bulk data travels as typed arrays whose buffers are transferred.
 */
import type { Ps } from "../base/units.ts";
import type { Breakpoint, Cells, CellWindow, ConsoleLine, Inspection, Motion, OfLine, Point } from "./inspection.ts";

/** Chip generations that can be simulated. */
export const TARGETS = ["trn1", "trn2", "trn3"] as const;
export type Target = (typeof TARGETS)[number];

/** `simulate` computes values and times, `estimate` times only. */
export type Mode = "simulate" | "estimate";

/** The engines of a core in the order in which they are drawn, with the DMA queues as a group of their own. */
export const ENGINES = ["tensor", "vector", "scalar", "gpsimd", "sync", "dma"] as const;
export type Engine = (typeof ENGINES)[number];

export interface EngineReport {
  readonly active_ns: number;
  readonly active_percent: number;
  readonly instructions: number;
}

export interface Advice {
  readonly id: string;
  readonly severity: string;
  readonly message: string;
  readonly line: number;
  readonly gain_percent: number;
}

export interface LaunchReport {
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly latency_ns: number;
  readonly kernel_ns: number;
  readonly instructions: number;
  readonly engines: Readonly<Record<Engine, EngineReport>>;
  readonly summary: Readonly<Record<string, number>>;
  readonly memory: Readonly<Record<string, number>>;
  readonly bound_by: string;
  /** Why, in a sentence. */
  readonly bound_reason: string;
  readonly advice: readonly Advice[];
  /** The digest stands for the bytes: runs agree to the bit if their digests do; absent where values are not computed. */
  readonly outputs: readonly { readonly shape: readonly number[]; readonly dtype: string; readonly digest?: string }[];
}

/** A place in a file; lines and columns (in characters) count from 1, the end is one past the last column. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

/** A second place of a diagnostic, or a call that led to it. */
export interface Related extends Place {
  readonly message: string;
}

/** A replacement that would mend an error. */
export interface Fix extends Place {
  readonly title: string;
  readonly replacement: string;
}

export interface Diagnostic extends Place {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly notes: readonly string[];
  readonly labels: readonly Related[];
  /** Outermost first. */
  readonly calls: readonly Related[];
  readonly fixes: readonly Fix[];
}

export interface Report {
  readonly version: number;
  readonly target: Target;
  readonly mode: Mode;
  readonly stdout: string;
  readonly launches: readonly LaunchReport[];
  readonly checks: readonly Check[];
  readonly diagnostics: readonly Diagnostic[];
}

/** One comparison that the script made on host values. */
export interface Check {
  readonly result: "passed" | "failed" | "skipped";
  /** The condition as it is written. */
  readonly text: string;
  /** Facts beside it, such as the largest error. */
  readonly note: string;
  readonly line: number;
}

/** One row of the timeline. */
export interface Track {
  readonly id: number;
  readonly kind: "engine" | "dma";
  readonly engine: Engine;
  /** The part of an engine that has several; empty otherwise. */
  readonly part: "" | "load_stationary" | "multiply_moving";
  /** Null when the launch has a single core. */
  readonly core: number | null;
  /** Null for engines. */
  readonly queue: number | null;
}

/** Capacities that the charts are drawn against. */
export interface Limits {
  readonly sbuf_bytes_per_partition: number;
  readonly psum_banks: number;
  readonly hbm_gbps: number;
}

/** What a launch offers besides its report. */
export interface LaunchInfo {
  readonly end_ps: number;
  readonly tracks: readonly Track[];
  readonly limits: Limits;
}

/** Spans of one track within a window; spans closer than a pixel are merged into one that says how many it stands for. */
export interface Window {
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Instance index for `instruction`; of a merged span the first one. */
  readonly inst: Uint32Array;
  /** Source line, 0 when spans of several lines were merged. */
  readonly line: Uint32Array;
  /** How many instances the span stands for. */
  readonly count: Uint32Array;
  /** Index into `names`. */
  readonly name: Uint16Array;
  readonly names: readonly string[];
}

export interface Operand {
  readonly role: string;
  readonly text: string;
}

/** All that is known of one executed instruction. */
export interface Instruction {
  readonly inst: number;
  readonly name: string;
  readonly engine: string;
  readonly track: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly operands: readonly Operand[];
  readonly start_ps: number;
  /** When the next one on its row could start. */
  readonly end_ps: number;
  /** When its result was visible. */
  readonly done_ps: number;
  /** When the instruction reached the head of its queue; the difference to the start is the time it waited. */
  readonly ready_ps: number;
  /** What it waited for, in words; empty when it did not wait. */
  readonly waited_for: string;
  /** The instruction that it waited for, if it was one. */
  readonly cause: number | null;
}

/** Series that `counters` can sample. */
export type Counter = "hbm_read_gbps" | "hbm_write_gbps" | "sbuf_bytes_per_partition" | "psum_banks";

export interface ParamDoc {
  readonly name: string;
  readonly type: string;
  readonly default: string | null;
  readonly doc: string;
  /** The words it accepts, if it is a choice. */
  readonly choices: readonly string[];
}

/** One documented `nki.*` name. */
export interface CatalogEntry {
  readonly name: string;
  readonly kind: "function" | "class" | "method" | "enum" | "member" | "constant" | "dtype";
  /** Its parameters in parentheses; empty if it cannot be called. */
  readonly signature: string;
  /** Its value as Python writes it, for members of enumerations. */
  readonly value: string | null;
  readonly doc: string;
  readonly params: readonly ParamDoc[];
}

export interface Options {
  readonly target: Target;
  readonly mode: Mode;
}

export type Phase = "parse" | "trace" | "execute" | "schedule" | "done";

export type Request =
  | { readonly kind: "run"; readonly id: number; readonly main: string; readonly text: string; readonly options: Options }
  | { readonly kind: "cancel"; readonly id: number }
  | {
      readonly kind: "window";
      readonly id: number;
      readonly run: number;
      readonly launch: number;
      readonly tracks: readonly number[];
      readonly from: Ps;
      readonly to: Ps;
      readonly pixels: number;
    }
  | {
      readonly kind: "counters";
      readonly id: number;
      readonly run: number;
      readonly launch: number;
      readonly names: readonly Counter[];
      readonly from: Ps;
      readonly to: Ps;
      readonly buckets: number;
    }
  | { readonly kind: "instruction"; readonly id: number; readonly run: number; readonly launch: number; readonly inst: number }
  | { readonly kind: "point"; readonly id: number; readonly run: number; readonly launch: number; readonly entry: number }
  | {
      readonly kind: "seek";
      readonly id: number;
      readonly run: number;
      readonly launch: number;
      readonly core: number;
      readonly from: number | null;
      readonly motion: Motion;
      readonly breakpoints: readonly Breakpoint[];
    }
  | {
      readonly kind: "line";
      readonly id: number;
      readonly run: number;
      readonly launch: number;
      readonly core: number;
      readonly at: Breakpoint;
      readonly skip: number;
      readonly limit: number;
    }
  | { readonly kind: "inspect"; readonly id: number; readonly run: number; readonly launch: number; readonly core: number; readonly instance: number }
  | { readonly kind: "cells"; readonly id: number; readonly run: number; readonly operand: number; readonly after: boolean; readonly window: CellWindow }
  | { readonly kind: "catalog"; readonly id: number };

export type Reply =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly id: number; readonly phase: Phase; readonly fraction: number }
  | {
      readonly kind: "done";
      readonly id: number;
      readonly report: Report;
      readonly launches: readonly LaunchInfo[];
      /** Until the script had run and its kernels were traced, and until the end. */
      readonly trace_ms: number;
      readonly console: readonly ConsoleLine[];
      readonly elapsed_ms: number;
    }
  | { readonly kind: "cancelled"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  | { readonly kind: "gone"; readonly id: number }
  | { readonly kind: "window"; readonly id: number; readonly windows: readonly Window[] }
  | { readonly kind: "counters"; readonly id: number; readonly series: readonly Float64Array[] }
  | { readonly kind: "instruction"; readonly id: number; readonly instruction: Instruction | null }
  | { readonly kind: "point"; readonly id: number; readonly point: Point | null }
  | { readonly kind: "line"; readonly id: number; readonly found: OfLine | null }
  | { readonly kind: "inspecting"; readonly id: number; readonly fraction: number }
  | { readonly kind: "inspected"; readonly id: number; readonly inspection: Inspection | null; readonly error: string | null }
  | { readonly kind: "cells"; readonly id: number; readonly cells: Cells | null }
  | { readonly kind: "catalog"; readonly id: number; readonly entries: readonly CatalogEntry[] };
