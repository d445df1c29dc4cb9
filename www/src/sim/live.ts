/**
 * When to run what. Every edit gives an estimate at once; a pause, or Run, computes values too. The last good result stays
 * and is marked as old while the text in the editor is in error or changed.
 */
import { Atom, setIfDifferent } from "../base/atom.ts";
import type { Client, Done, Ending, Job } from "./client.ts";
import type { ConsoleLine } from "./inspection.ts";
import type { Diagnostic, Mode, Report, Target } from "./protocol.ts";
import { hasErrors, isPresentable } from "./verdict.ts";

/** Merges the key repeats of one burst; far below what a reader notices. */
const DEBOUNCE_MS = 4;
const PAUSE_MS = 600;
/** Values are computed without being asked for below this much work; above, Run asks for them. */
const AFFORDABLE_FLOPS = 8e9;
const AFFORDABLE_INSTRUCTIONS = 150_000;

/** The result on display. */
export interface Result extends Done {
  /** The text in the editor is newer than this result, or in error. */
  readonly stale: boolean;
}

/** `running` lasts until nothing runs and nothing is about to; a pause before values are computed counts as running. */
export type PageState = "loading" | "ready" | "running" | "error";

export interface Source {
  readonly main: string;
  readonly text: string;
  readonly target: Target;
  readonly mode: Mode;
}

export class Live {
  readonly state = new Atom<PageState>("loading");
  readonly result = new Atom<Result | null>(null);
  readonly diagnostics = new Atom<readonly Diagnostic[]>([]);
  /** What the script printed in its last run, failed ones included. */
  readonly console = new Atom<readonly ConsoleLine[]>([]);
  /** A defect of ours, in words; null when all is well. */
  readonly failure = new Atom<string | null>(null);
  /** Whether the last run was ended by the user. */
  readonly stopped = new Atom(false);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #generation = 0;
  /** Text and target of the result on display. */
  #shown = "";
  /** Text and target that the diagnostics are about. */
  #diagnosed = "";

  constructor(
    private readonly client: Client,
    private readonly source: () => Source,
  ) {}

  /** The text or an option changed. */
  edited(): void {
    this.schedule(DEBOUNCE_MS, () => void this.estimate(PAUSE_MS));
  }

  /** First result after opening a script: the values follow without a pause. */
  opened(): void {
    this.schedule(0, () => void this.estimate(0));
  }

  /** The Run button: values at once, or a fresh estimate in estimate mode. */
  run(): void {
    const { mode } = this.source();
    this.schedule(0, () => void this.start(mode));
  }

  stop(): void {
    this.schedule(null, () => undefined);
    this.stopped.set(true);
    this.client.stop();
    if (!this.client.activity.value.busy) this.settle();
  }

  private schedule(delayMs: number | null, then: () => void): void {
    this.#generation += 1;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = delayMs === null ? null : setTimeout(then, delayMs);
    if (delayMs !== null) this.stopped.set(false);
    if (delayMs !== null) this.state.set(this.state.value === "loading" ? "loading" : "running");
  }

  private async estimate(pauseMs: number): Promise<void> {
    const generation = this.#generation;
    const report = await this.start("estimate", true);
    if (generation !== this.#generation || report === null) return;
    if (this.source().mode === "simulate" && affordable(report)) this.schedule(pauseMs, () => void this.start("simulate"));
    else this.settle();
  }

  /** Runs the present text; the report when it has no error. */
  private async start(mode: Mode, more = false): Promise<Report | null> {
    const { main, text, target } = this.source();
    const job: Job = { main, text, options: { target, mode } };
    const generation = this.#generation;
    const ending = await this.client.run(job);
    const overtaken = generation !== this.#generation;
    const report = overtaken && ending.kind !== "done" ? null : this.accept(ending, job);
    if (overtaken) {
      // What overtook it settles the state when it ends, unless that was Stop.
      if (this.#timer === null) this.settle();
      return null;
    }
    if (!more || report === null) this.settle();
    return report;
  }

  private accept(ending: Ending, job: Job): Report | null {
    if (ending.kind !== "done") {
      if (ending.kind === "failed") this.failure.set(ending.message);
      this.markStale();
      return null;
    }
    const { report } = ending.done;
    this.failure.set(null);
    setIfDifferent(this.console, ending.done.console);
    setIfDifferent(this.diagnostics, report.diagnostics);
    this.#diagnosed = keyOf(job.text, job.options.target);
    if (!isPresentable(report)) this.markStale();
    else {
      this.#shown = keyOf(job.text, job.options.target);
      this.result.set({ ...ending.done, stale: false });
    }
    return hasErrors(report) ? null : report;
  }

  private markStale(): void {
    const { value } = this.result;
    if (value !== null && !value.stale) this.result.set({ ...value, stale: true });
  }

  private settle(): void {
    const { text, target } = this.source();
    const key = keyOf(text, target);
    if (this.#shown !== key) this.markStale();
    // Nothing is known about a text whose run was stopped; what an earlier one had wrong would only mislead.
    if (this.#diagnosed !== key) setIfDifferent(this.diagnostics, []);
    const failed = this.failure.value !== null || this.diagnostics.value.some((diagnostic) => diagnostic.severity === "error");
    this.state.set(failed ? "error" : "ready");
  }
}

function keyOf(text: string, target: Target): string {
  return `${target}\n${text}`;
}

function affordable(report: Report): boolean {
  const flops = report.launches.reduce((sum, launch) => sum + (launch.summary["hardware_flops"] ?? 0), 0);
  const instructions = report.launches.reduce((sum, launch) => sum + launch.instructions, 0);
  return flops <= AFFORDABLE_FLOPS && instructions <= AFFORDABLE_INSTRUCTIONS;
}
