/**
 * Where the page looks into a run: the present point, its operands, breakpoints and steps. A point is chosen by a click on a bar, in
 * a list, or by a step; looking at it runs the launch again up to it.
 */
import { Atom, type Readable } from "../base/atom.ts";
import type { Client } from "./client.ts";
import type { Breakpoint, Inspection, Motion, OfLine, Point } from "./inspection.ts";

/** The launch that is looked into. */
export interface Subject {
  readonly run: number;
  readonly launch: number;
  /** Whether the run computed values. */
  readonly values: boolean;
}

/** What is known of the operands of the point. */
export type Sight = "none" | "looking" | "seen" | "stopped" | "no_values" | "failed";

/** Executions of a line that the list offers at once. */
export const LIST_SIZE = 100;

export class Debugger {
  readonly point = new Atom<Point | null>(null);
  readonly inspection = new Atom<Inspection | null>(null);
  readonly sight = new Atom<Sight>("none");
  readonly breakpoints = new Atom<readonly Breakpoint[]>([]);
  /** Core on which steps start while no point is chosen. */
  readonly core = new Atom(0);
  /** The answer to a step that leads nowhere: its direction; null after every step that leads somewhere. */
  readonly edge = new Atom<"start" | "end" | null>(null);
  #generation = 0;
  #subject: Subject | null = null;

  constructor(
    private readonly client: Client,
    subject: Readable<Subject | null>,
  ) {
    subject.subscribe((next) => this.follow(next));
  }

  get subject(): Subject | null {
    return this.#subject;
  }

  /** Goes to the point of an entry of the timeline. */
  async showEntry(entry: number): Promise<void> {
    if (this.point.value?.entry === entry) return;
    const subject = this.#subject;
    if (subject === null) return;
    const generation = ++this.#generation;
    const point = await this.client.point(subject.run, subject.launch, entry);
    if (generation === this.#generation && point !== null) this.show(point);
  }

  /** Goes to a point and looks at its operands. */
  show(point: Point): void {
    const subject = this.#subject;
    if (subject === null) return;
    const generation = ++this.#generation;
    this.core.set(point.core);
    this.edge.set(null);
    this.point.set(point);
    if (!subject.values) return this.sight.set("no_values");
    this.sight.set("looking");
    void this.client.inspect(subject.run, subject.launch, point.core, point.instance).then(({ inspection, error }) => {
      if (generation !== this.#generation) return;
      this.inspection.set(inspection);
      this.sight.set(inspection !== null ? "seen" : error !== null ? "failed" : "stopped");
    });
  }

  /** Goes to a point of a list, whose bar is not known yet. */
  async showInstance({ core, instance }: Point): Promise<void> {
    const subject = this.#subject;
    if (subject === null) return;
    const generation = ++this.#generation;
    const from = instance === 0 ? null : instance - 1;
    const point = await this.client.seek(subject.run, subject.launch, core, from, "next", []);
    if (generation === this.#generation && point !== null) this.show(point);
  }

  /** Looks again after a stop. */
  again(): void {
    if (this.point.value !== null) this.show(this.point.value);
  }

  /** Takes a step from the point; without one the first step starts before the first instruction. */
  async step(motion: Motion): Promise<void> {
    const subject = this.#subject;
    if (subject === null) return;
    const generation = ++this.#generation;
    const from = this.point.value?.instance ?? null;
    const point = await this.client.seek(subject.run, subject.launch, this.core.value, from, motion, this.breakpoints.value);
    if (generation !== this.#generation) return;
    if (point === null) this.edge.set(motion === "previous" || motion === "reverse" ? "start" : "end");
    else this.show(point);
  }

  /** Chooses the core that is stepped through. */
  setCore(core: number): void {
    this.clear();
    this.core.set(core);
  }

  /** The executions of a line, from number `skip` on. */
  async ofLine(at: Breakpoint, skip: number): Promise<OfLine | null> {
    const subject = this.#subject;
    return subject === null ? null : this.client.ofLine(subject.run, subject.launch, this.core.value, at, skip, LIST_SIZE);
  }

  /** Forgets the point. */
  clear(): void {
    this.#generation += 1;
    this.client.stopLooking();
    this.point.set(null);
    this.inspection.set(null);
    this.edge.set(null);
    this.sight.set("none");
  }

  /** A newer run has other executions, so a point does not outlive its run. */
  private follow(next: Subject | null): void {
    const before = this.#subject;
    this.#subject = next;
    if (before?.run === next?.run && before?.launch === next?.launch) return;
    this.clear();
    if (before?.launch !== next?.launch) this.core.set(0);
  }
}
