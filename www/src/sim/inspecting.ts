/** The worker's side of looking into a finished run: steps answer at once, a look at operands runs in slices and can be stopped. */
import type { Breakpoint, Cells, CellWindow, Inspection, Motion, OfLine, Point } from "./inspection.ts";
import type { Reply, Request } from "./protocol.ts";

/** How far a look is. */
export interface Inspecting {
  readonly fraction: number;
  readonly done: boolean;
}

/** A run that can be looked into. */
export interface Inspectable {
  pointOfEntry(launch: number, entry: number): Point | null;
  seek(launch: number, core: number, from: number | null, motion: Motion, breakpoints: readonly Breakpoint[]): Point | null;
  ofLine(launch: number, core: number, at: Breakpoint, skip: number, limit: number): OfLine | null;
  inspect(launch: number, core: number, instance: number): boolean;
  advanceInspection(budget: number): Inspecting;
  inspection(): Inspection | null;
  cells(operand: number, after: boolean, window: CellWindow): Cells;
}

/** What this file answers. */
export type LookRequest = Extract<Request, { kind: "point" | "seek" | "line" | "inspect" | "cells" }>;

/** What a look needs of the server. */
export interface Desk {
  reply(reply: Reply, transfer?: Transferable[]): void;
  pause(): Promise<void>;
}

/** Instructions between two looks at the clock, and time between two looks at the message queue. */
const BUDGET = 2_000;
const SLICE_MS = 12;
const PROGRESS_EVERY_MS = 80;

/** Answers questions about one run; the newest look wins. */
export class Looks {
  #active: number | null = null;

  constructor(private readonly desk: Desk) {}

  /** Ends the look with this number, or whichever goes on. */
  stop(id: number | null = null): void {
    if (id === null || this.#active === id) this.#active = null;
  }

  answer(request: LookRequest, run: Inspectable): void {
    const { id } = request;
    switch (request.kind) {
      case "point":
        return this.desk.reply({ kind: "point", id, point: run.pointOfEntry(request.launch, request.entry) });
      case "seek":
        return this.desk.reply({ kind: "point", id, point: run.seek(request.launch, request.core, request.from, request.motion, request.breakpoints) });
      case "line":
        return this.desk.reply({ kind: "line", id, found: run.ofLine(request.launch, request.core, request.at, request.skip, request.limit) });
      case "inspect":
        void this.look(request, run);
        return;
      case "cells":
        return this.cells(request, run);
    }
  }

  private cells(request: Extract<Request, { kind: "cells" }>, run: Inspectable): void {
    const { id, operand, after, window } = request;
    const known = run.inspection()?.operands[operand] !== undefined;
    const cells = known && this.#active === null ? run.cells(operand, after, window) : null;
    const columns = cells === null ? [] : [cells.mean, cells.low, cells.high, cells.flags];
    this.desk.reply({ kind: "cells", id, cells }, columns.map(({ buffer }) => buffer as ArrayBuffer));
  }

  private async look(request: Extract<Request, { kind: "inspect" }>, run: Inspectable): Promise<void> {
    const { id } = request;
    this.#active = id;
    const end = (inspection: Inspection | null, error: string | null = null): void => {
      if (this.#active === id) this.#active = null;
      this.desk.reply({ kind: "inspected", id, inspection, error });
    };
    try {
      const begun = run.inspect(request.launch, request.core, request.instance);
      end(begun && (await this.toEnd(id, run)) ? run.inspection() : null);
    } catch (error) {
      end(null, error instanceof Error ? error.message : String(error));
    }
  }

  /** Advances until done (true) or stopped (false). */
  private async toEnd(id: number, run: Inspectable): Promise<boolean> {
    let told = performance.now();
    for (;;) {
      const slice = performance.now();
      do {
        const state = run.advanceInspection(BUDGET);
        if (state.done) return true;
        if (performance.now() - told > PROGRESS_EVERY_MS) {
          told = performance.now();
          this.desk.reply({ kind: "inspecting", id, fraction: state.fraction });
        }
      } while (performance.now() - slice < SLICE_MS);
      await this.desk.pause();
      if (this.#active !== id) return false;
    }
  }
}
