/** The worker: the only importer of the WASM package. It gives the package's plain objects their types. */
import init, { catalog, Run as WasmRun } from "../../pkg/trn3.js";
import type { CatalogEntry, Counter, Instruction, LaunchInfo, Options, Report, Window } from "./protocol.ts";
import { type Outcome, type Progress, type Run, serve, type Simulator } from "./serve.ts";

class BoundRun implements Run {
  readonly #run: WasmRun;

  constructor(main: string, text: string, options: Options) {
    this.#run = new WasmRun(main, text, options.target, options.mode);
  }

  advance(budget: number): Progress {
    return this.#run.advance(budget) as Progress;
  }

  outcome(): Outcome {
    return this.#run.outcome() as { readonly report: Report; readonly launches: readonly LaunchInfo[] };
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
