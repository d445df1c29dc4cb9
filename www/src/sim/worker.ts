/** The worker: the only importer of the WASM package. It gives the package's plain objects their types. */
import init, { catalog, Run as WasmRun } from "../../pkg/trn3.js";
import type { Breakpoint, Cells, CellWindow, Inspection, Motion, OfLine, Point } from "./inspection.ts";
import type { CatalogEntry, Counter, Instruction, Options, Window } from "./protocol.ts";
import { type Inspecting, type Outcome, type Progress, type Run, serve, type Simulator } from "./serve.ts";

class BoundRun implements Run {
  readonly #run: WasmRun;

  constructor(main: string, text: string, options: Options) {
    this.#run = new WasmRun(main, text, options.target, options.mode);
  }

  advance(budget: number): Progress {
    return this.#run.advance(budget) as Progress;
  }

  outcome(): Outcome {
    return this.#run.outcome() as Outcome;
  }

  window(launch: number, track: number, from: number, to: number, pixels: number): Window {
    return this.#run.window(launch, track, from, to, pixels) as Window;
  }

  counter(launch: number, name: Counter, from: number, to: number, buckets: number): Float64Array {
    return this.#run.counter(launch, name, from, to, buckets);
  }

  instruction(launch: number, inst: number): Instruction | null {
    return this.#run.instruction(launch, inst) as Instruction | null;
  }

  pointOfEntry(launch: number, entry: number): Point | null {
    return this.#run.point_of_entry(launch, entry) as Point | null;
  }

  seek(launch: number, core: number, from: number | null, motion: Motion, breakpoints: readonly Breakpoint[]): Point | null {
    const files = breakpoints.map(({ file }) => file);
    const lines = Uint32Array.from(breakpoints, ({ line }) => line);
    return this.#run.seek(launch, core, from ?? -1, motion, files, lines) as Point | null;
  }

  ofLine(launch: number, core: number, at: Breakpoint, skip: number, limit: number): OfLine | null {
    return this.#run.of_line(launch, core, at.file, at.line, skip, limit) as OfLine | null;
  }

  inspect(launch: number, core: number, instance: number): boolean {
    return this.#run.inspect(launch, core, instance);
  }

  advanceInspection(budget: number): Inspecting {
    return this.#run.advance_inspection(budget) as Inspecting;
  }

  inspection(): Inspection | null {
    return this.#run.inspection() as Inspection | null;
  }

  cells(operand: number, after: boolean, { row, column, rows, columns, mostRows, mostColumns }: CellWindow): Cells {
    return this.#run.cells(operand, after, Uint32Array.of(row, column, rows, columns, mostRows, mostColumns)) as Cells;
  }

  free(): void {
    this.#run.free();
  }
}

async function load(): Promise<Simulator> {
  await init();
  return {
    open: (main, text, options) => new BoundRun(main, text, options),
    catalog: () => catalog() as readonly CatalogEntry[],
  };
}

serve(self, load());
