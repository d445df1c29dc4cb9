/** What the page and the worker say of the inside of a run: output with its places, points, operands and their cells. */
import type { Place, Related } from "./protocol.ts";

/** One piece of output; `skipped` marks a `device_print` whose values an estimate does not compute. */
export interface ConsoleLine {
  readonly printer: "script" | "trace" | "device" | "skipped";
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly launch: number | null;
  readonly core: number | null;
  /** Which execution of the core printed, on the device. */
  readonly instance: number | null;
}

/** One execution of an instruction: executions of a core are numbered from 0 in program order. */
export interface Point {
  readonly core: number;
  readonly instance: number;
  /** Executions of the core. */
  readonly total: number;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Its first entry in the timeline; null if it takes no time. */
  readonly entry: number | null;
}

export interface Breakpoint {
  readonly file: string;
  readonly line: number;
}

export type Motion = "next" | "previous" | "line" | "continue" | "reverse";

export interface OfLine {
  readonly total: number;
  readonly points: readonly Point[];
}

/** Where an operand lies; bytes are those of each partition, in HBM those of the tensor. */
export interface Extent {
  readonly partition: number;
  readonly partitions: number;
  readonly byte: number;
  readonly byte_end: number;
  readonly banks: readonly [number, number] | null;
  /** A run-time index decides which part of it is touched. */
  readonly indirect: boolean;
}

/** Sums over what an operand holds at one moment. */
export interface Content {
  /** False where a run-time index was wrong, so that nothing could be read. */
  readonly known: boolean;
  readonly rows: number;
  readonly columns: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly mean: number | null;
  readonly nan: number;
  readonly infinite: number;
  readonly unwritten: number;
}

export interface Inspected {
  readonly role: string;
  /** It is the run-time index behind the parameter. */
  readonly index: boolean;
  readonly access: "read" | "write" | "read_write";
  readonly tensor: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly lanes: number;
  readonly space: string;
  readonly extent: Extent;
  readonly before: Content;
  readonly after: Content;
  readonly changed: number;
}

/** An execution with its operands before and after. */
export interface Inspection extends Place {
  readonly launch: number;
  readonly core: number;
  readonly instance: number;
  readonly name: string;
  /** The calls that led to it, innermost first. */
  readonly calls: readonly Related[];
  /** Loops of the device around it, outermost first. */
  readonly iterations: readonly { readonly line: number; readonly number: number; readonly value: number | null }[];
  readonly operands: readonly Inspected[];
}

/** A part of an operand, and the most cells that it may be sampled down to. */
export interface CellWindow {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
  readonly mostRows: number;
  readonly mostColumns: number;
}

export const FLAG_NAN = 1;
export const FLAG_INFINITE = 2;
export const FLAG_UNWRITTEN = 4;

/** Cells of a window row by row; each stands for a block of values. */
export interface Cells {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
  readonly block_rows: number;
  readonly block_columns: number;
  readonly mean: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly flags: Uint8Array;
}
