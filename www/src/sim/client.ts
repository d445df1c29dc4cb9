/**
 * The only caller of the worker. It runs one script at a time and the newest wins: a run that is overtaken is cancelled, and a
 * worker that does not answer the cancellation in time (it sits in one long step, an endless loop for example) is thrown
 * away and replaced by the spare one, which is already warm.
 */
import { Atom } from "../base/atom.ts";
import type { Ps } from "../base/units.ts";
import type { Breakpoint, Cells, CellWindow, Inspection, Motion, OfLine, Point } from "./inspection.ts";
import type { CatalogEntry, Counter, Instruction, Options, Phase, Reply, Request, Window } from "./protocol.ts";

/** A worker that does not answer a cancellation by then is replaced. */
const CANCEL_PATIENCE_MS = 150;

export interface Job {
  readonly main: string;
  readonly text: string;
  readonly options: Options;
}

export type Done = Extract<Reply, { kind: "done" }>;

/** How a run ended. */
export type Ending =
  | { readonly kind: "done"; readonly done: Done }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string };

export interface Activity {
  readonly busy: boolean;
  readonly phase: Phase;
  readonly fraction: number;
}

const IDLE: Activity = { busy: false, phase: "done", fraction: 0 };

/** How a look at an instruction ended; without an inspection it was stopped, overtaken, or found no values. */
export interface Look {
  readonly inspection: Inspection | null;
  readonly error: string | null;
}

interface Pending {
  readonly job: Job;
  readonly settle: (ending: Ending) => void;
}

/** Omit that keeps the members of a union apart. */
type Question = Extract<Request, { run: number } | { kind: "catalog" }>;
type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

export class Client {
  /** False until the first worker can run something. */
  readonly ready = new Atom(false);
  readonly activity = new Atom<Activity>(IDLE);
  /** Share of the way of the look that goes on; null when there is none. */
  readonly looking = new Atom<number | null>(null);
  #look: number | null = null;
  #worker: Worker;
  #spare: Worker | null = null;
  #nextId = 1;
  #running: (Pending & { readonly id: number }) | null = null;
  #queued: Pending | null = null;
  #deadline: ReturnType<typeof setTimeout> | null = null;
  readonly #questions = new Map<number, (reply: Reply | null) => void>();

  constructor(private readonly makeWorker: () => Worker) {
    this.#worker = this.adopt(makeWorker());
  }

  /** Runs a script; overtakes the running one. A run that waited and was overtaken ends as cancelled. */
  run(job: Job): Promise<Ending> {
    return new Promise((settle) => {
      this.#queued?.settle({ kind: "cancelled" });
      this.#queued = { job, settle };
      if (this.#running === null) this.startQueued();
      else this.cancelRunning();
    });
  }

  /** Ends what runs, what waits and the look that goes on. */
  stop(): void {
    this.stopLooking();
    this.#queued?.settle({ kind: "cancelled" });
    this.#queued = null;
    if (this.#running !== null) this.cancelRunning();
  }

  windows(run: number, launch: number, tracks: readonly number[], from: Ps, to: Ps, pixels: number): Promise<readonly Window[] | null> {
    return this.ask({ kind: "window", run, launch, tracks, from, to, pixels }, (reply) => (reply.kind === "window" ? reply.windows : null));
  }

  counters(run: number, launch: number, names: readonly Counter[], from: Ps, to: Ps, buckets: number): Promise<readonly Float64Array[] | null> {
    return this.ask({ kind: "counters", run, launch, names, from, to, buckets }, (reply) => (reply.kind === "counters" ? reply.series : null));
  }

  instruction(run: number, launch: number, inst: number): Promise<Instruction | null> {
    return this.ask({ kind: "instruction", run, launch, inst }, (reply) => (reply.kind === "instruction" ? reply.instruction : null));
  }

  point(run: number, launch: number, entry: number): Promise<Point | null> {
    return this.ask({ kind: "point", run, launch, entry }, readPoint);
  }

  seek(run: number, launch: number, core: number, from: number | null, motion: Motion, breakpoints: readonly Breakpoint[]): Promise<Point | null> {
    return this.ask({ kind: "seek", run, launch, core, from, motion, breakpoints }, readPoint);
  }

  ofLine(run: number, launch: number, core: number, at: Breakpoint, skip: number, limit: number): Promise<OfLine | null> {
    return this.ask({ kind: "line", run, launch, core, at, skip, limit }, (reply) => (reply.kind === "line" ? reply.found : null));
  }

  cells(run: number, operand: number, after: boolean, window: CellWindow): Promise<Cells | null> {
    return this.ask({ kind: "cells", run, operand, after, window }, (reply) => (reply.kind === "cells" ? reply.cells : null));
  }

  /** Runs up to an execution and looks at its operands; overtakes the look that goes on. */
  async inspect(run: number, launch: number, core: number, instance: number): Promise<Look> {
    this.stopLooking();
    const id = this.#nextId;
    const answer = this.ask({ kind: "inspect", run, launch, core, instance }, (reply) => (reply.kind === "inspected" ? reply : null));
    this.#look = id;
    this.looking.set(0);
    const look = await answer;
    if (this.#look === id) {
      this.#look = null;
      this.looking.set(null);
    }
    return look ?? { inspection: null, error: null };
  }

  /** Ends the look that goes on. */
  stopLooking(): void {
    if (this.#look !== null) this.#worker.postMessage({ kind: "cancel", id: this.#look } satisfies Request);
  }

  catalog(): Promise<readonly CatalogEntry[] | null> {
    return this.ask({ kind: "catalog" }, (reply) => (reply.kind === "catalog" ? reply.entries : null));
  }

  /** Null when the worker that could have answered is gone. */
  private ask<T>(question: WithoutId<Question>, read: (reply: Reply) => T | null): Promise<T | null> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#questions.set(id, (reply) => resolve(reply === null ? null : read(reply)));
      this.#worker.postMessage({ ...question, id });
    });
  }

  private startQueued(): void {
    const next = this.#queued;
    if (next === null || this.#running !== null) return;
    this.#queued = null;
    const id = this.#nextId++;
    this.#running = { ...next, id };
    this.activity.set({ busy: true, phase: "parse", fraction: 0 });
    this.#worker.postMessage({ kind: "run", id, ...next.job } satisfies Request);
  }

  private cancelRunning(): void {
    if (this.#running === null || this.#deadline !== null) return;
    this.#worker.postMessage({ kind: "cancel", id: this.#running.id } satisfies Request);
    this.#deadline = setTimeout(() => this.replaceWorker({ kind: "cancelled" }), CANCEL_PATIENCE_MS);
  }

  private finish(ending: Ending): void {
    const running = this.#running;
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#deadline = null;
    this.#running = null;
    if (this.#queued === null) this.activity.set(IDLE);
    running?.settle(ending);
    this.startQueued();
  }

  /** Puts the spare worker to work; what the old one held is gone. */
  private replaceWorker(ending: Ending): void {
    this.#worker.terminate();
    this.#worker = this.#spare ?? this.adopt(this.makeWorker());
    this.#spare = null;
    for (const answer of this.#questions.values()) answer(null);
    this.#questions.clear();
    this.finish(ending);
    this.warmSpare();
  }

  private warmSpare(): void {
    this.#spare ??= this.adopt(this.makeWorker());
  }

  private adopt(worker: Worker): Worker {
    worker.addEventListener("message", (event: MessageEvent<Reply>) => this.receive(worker, event.data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.replaceWorker({ kind: "failed", message: event.message });
    });
    return worker;
  }

  private receive(worker: Worker, reply: Reply): void {
    if (reply.kind === "ready") {
      if (worker === this.#worker) this.ready.set(true);
      return;
    }
    if (worker !== this.#worker) return;
    if (reply.kind === "inspecting") {
      if (reply.id === this.#look) this.looking.set(reply.fraction);
      return;
    }
    const answer = this.#questions.get(reply.id);
    if (answer !== undefined) {
      this.#questions.delete(reply.id);
      answer(reply);
    } else if (reply.id === this.#running?.id || reply.kind === "failed") {
      this.receiveRun(reply);
    }
  }

  private receiveRun(reply: Reply): void {
    switch (reply.kind) {
      case "progress":
        this.activity.set({ busy: true, phase: reply.phase, fraction: reply.fraction });
        break;
      case "done":
        this.finish({ kind: "done", done: reply });
        this.warmSpare();
        break;
      case "cancelled":
        this.finish({ kind: "cancelled" });
        break;
      case "failed":
        // A simulator that failed may be in any state; one that did not even load would fail again.
        if (reply.id === 0) this.finish({ kind: "failed", message: reply.message });
        else this.replaceWorker({ kind: "failed", message: reply.message });
        break;
      default:
        break;
    }
  }
}

function readPoint(reply: Reply): Point | null {
  return reply.kind === "point" ? reply.point : null;
}
