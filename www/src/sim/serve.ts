/**
 * The worker's side of the protocol, independent of what simulates: it drives a run in slices, lets messages in between two
 * slices, and keeps the last good run alive so that the page can ask for its windows while a newer run fails or goes on.
 */
import { type Inspectable, Looks } from "./inspecting.ts";
import type { ConsoleLine } from "./inspection.ts";
import type { CatalogEntry, Counter, Instruction, LaunchInfo, Options, Phase, Reply, Report, Request, Window } from "./protocol.ts";
import { isPresentable } from "./verdict.ts";

export type { Inspecting } from "./inspecting.ts";

export interface Progress {
  readonly phase: Phase;
  readonly fraction: number;
}

export interface Outcome {
  readonly report: Report;
  readonly launches: readonly LaunchInfo[];
  readonly console: readonly ConsoleLine[];
}

/** One opened script. */
export interface Run extends Inspectable {
  advance(budget: number): Progress;
  outcome(): Outcome;
  window(launch: number, track: number, from: number, to: number, pixels: number): Window;
  counter(launch: number, name: Counter, from: number, to: number, buckets: number): Float64Array;
  instruction(launch: number, inst: number): Instruction | null;
  free(): void;
}

/** Whatever can run scripts: the WASM package, or a stand-in for tests. */
export interface Simulator {
  /** Prepares a run; the script's mistakes show in its outcome. */
  open(main: string, text: string, options: Options): Run;
  catalog(): readonly CatalogEntry[];
}

interface Port {
  postMessage(reply: Reply, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent<Request>) => void): void;
}

/** Time between two looks at the message queue. */
const SLICE_MS = 12;
/** Work items a call of `advance`; small enough to stay well below a slice. */
const BUDGET = 20_000;
const PROGRESS_EVERY_MS = 80;

/** A macrotask that waiting messages overtake; `setTimeout` would be throttled to 4 ms. */
function makePause(): () => Promise<void> {
  const channel = new MessageChannel();
  const waiting: (() => void)[] = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(null);
    });
}

function buffersOf(window: Window): Transferable[] {
  return [window.start, window.end, window.inst, window.line, window.count, window.name].map((array) => array.buffer as ArrayBuffer);
}

class Server {
  #active: number | null = null;
  #good: { readonly id: number; readonly run: Run } | null = null;
  readonly #pause = makePause();
  readonly #looks: Looks;

  constructor(
    private readonly port: Port,
    private readonly simulator: Simulator,
  ) {
    this.#looks = new Looks({ reply: (reply, transfer) => this.reply(reply, transfer), pause: makePause() });
  }

  reply(reply: Reply, transfer: Transferable[] = []): void {
    this.port.postMessage(reply, transfer);
  }

  handle(request: Request): void {
    switch (request.kind) {
      case "run":
        void this.drive(request);
        break;
      case "cancel":
        if (this.#active === request.id) this.#active = null;
        this.#looks.stop(request.id);
        break;
      case "catalog":
        this.reply({ kind: "catalog", id: request.id, entries: this.simulator.catalog() });
        break;
      default:
        this.answer(request);
    }
  }

  private answer(request: Extract<Request, { run: number }>): void {
    const run = this.#good?.id === request.run ? this.#good.run : null;
    const { id } = request;
    if (run === null) return this.reply({ kind: "gone", id });
    if (request.kind === "window") {
      const { launch, from, to, pixels } = request;
      const windows = request.tracks.map((track) => run.window(launch, track, from, to, pixels));
      this.reply({ kind: "window", id, windows }, windows.flatMap(buffersOf));
    } else if (request.kind === "counters") {
      const { launch, from, to, buckets } = request;
      const series = request.names.map((name) => run.counter(launch, name, from, to, buckets));
      this.reply({ kind: "counters", id, series }, series.map((values) => values.buffer as ArrayBuffer));
    } else if (request.kind !== "instruction") {
      this.#looks.answer(request, run);
    } else {
      this.reply({ kind: "instruction", id, instruction: run.instruction(request.launch, request.inst) });
    }
  }

  private async drive(request: Extract<Request, { kind: "run" }>): Promise<void> {
    const { id } = request;
    const started = performance.now();
    this.#active = id;
    let run: Run | null = null;
    try {
      run = this.simulator.open(request.main, request.text, request.options);
      const traced = await this.toEnd(id, run, started);
      if (traced !== null) {
        const outcome = run.outcome();
        if (this.keep(id, run, outcome)) run = null;
        const now = performance.now();
        this.reply({ kind: "done", id, ...outcome, trace_ms: traced - started, elapsed_ms: now - started });
      } else {
        this.reply({ kind: "cancelled", id });
      }
    } catch (error) {
      this.reply({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
    } finally {
      run?.free();
      if (this.#active === id) this.#active = null;
    }
  }

  /** Advances until done, and gives the time at which everything was traced; `null` if the run was cancelled. */
  private async toEnd(id: number, run: Run, started: number): Promise<number | null> {
    let told = started;
    let traced = 0;
    for (;;) {
      const slice = performance.now();
      let progress: Progress;
      do {
        progress = run.advance(BUDGET);
        if (traced === 0 && progress.phase !== "trace") traced = performance.now();
        if (progress.phase === "done") return traced;
      } while (performance.now() - slice < SLICE_MS);
      if (performance.now() - told > PROGRESS_EVERY_MS) {
        told = performance.now();
        this.reply({ kind: "progress", id, ...progress });
      }
      await this.#pause();
      if (this.#active !== id) return null;
    }
  }

  /** Keeps a run whose numbers are shown for later questions; says whether it did. */
  private keep(id: number, run: Run, outcome: Outcome): boolean {
    if (!isPresentable(outcome.report)) return false;
    this.#looks.stop();
    this.#good?.run.free();
    this.#good = { id, run };
    return true;
  }
}

/** Answers requests on `port` once the simulator is there; requests that arrive earlier wait. */
export function serve(port: Port, simulator: Promise<Simulator>): void {
  const waiting: Request[] = [];
  let server: Server | null = null;
  port.addEventListener("message", ({ data }) => {
    if (server === null) waiting.push(data);
    else server.handle(data);
  });
  simulator.then(
    (ready) => {
      server = new Server(port, ready);
      server.reply({ kind: "ready" });
      for (const request of waiting.splice(0)) server.handle(request);
    },
    (error: unknown) => port.postMessage({ kind: "failed", id: 0, message: String(error) }, []),
  );
}
