import { afterFrame } from "../../base/dom.ts";
import { lowerBound } from "../../base/geom.ts";
import { ps, type TimeRange } from "../../base/units.ts";
import type { Client } from "../../sim/client.ts";
import type { Track, Window } from "../../sim/protocol.ts";
import type { Shown } from "../panel.ts";

/** Rows with the spans that were last fetched for them. */
export interface Rows {
  readonly run: number;
  readonly launch: number;
  readonly covered: TimeRange;
  readonly pixelPs: number;
  readonly tracks: readonly Track[];
  readonly windows: readonly Window[];
}

/** A span of a row. */
export interface Found {
  readonly window: Window;
  readonly index: number;
}

/** The span before or after the one that shows `inst`, on its row. */
export function neighbour(rows: Rows, inst: number | null, delta: 1 | -1): Found | null {
  if (inst === null) return null;
  for (const window of rows.windows) {
    const index = window.inst.indexOf(inst);
    if (index >= 0 && window.inst[index + delta] !== undefined) return { window, index: index + delta };
  }
  return null;
}

/** The span that starts first within the view. */
export function firstIn(rows: Rows, view: TimeRange): Found | null {
  let best: Found | null = null;
  for (const window of rows.windows) {
    const index = lowerBound(window.start, view.from);
    const start = window.start[index];
    if (start === undefined || start > view.to) continue;
    if (best === null || start < (best.window.start[best.index] as number)) best = { window, index };
  }
  return best;
}

/** Extra time fetched on each side, as a share of the visible width, so that panning shows no gaps. */
const MARGIN = 0.5;

/** Fetches the spans of the visible range, one question at a time, and keeps the last answer until a better one is there. */
export class Model {
  rows: Rows | null = null;
  /** The worker that held the run is gone: what is drawn cannot be refined. */
  gone = false;
  #busy = false;
  #wanted: { readonly shown: Shown; readonly view: TimeRange; readonly widthPx: number } | null = null;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {}

  /** Asks for a range unless what is there already covers it closely enough. */
  show(shown: Shown, view: TimeRange, widthPx: number): void {
    if (widthPx <= 0 || this.covers(shown, view, widthPx)) return;
    this.#wanted = { shown, view, widthPx };
    if (!this.#busy) void this.fetch();
  }

  private covers(shown: Shown, view: TimeRange, widthPx: number): boolean {
    const { rows } = this;
    if (rows?.run !== shown.result.id || rows.launch !== shown.index) return false;
    const pixelPs = (view.to - view.from) / widthPx;
    const inside = rows.covered.from <= view.from && rows.covered.to >= view.to;
    return inside && rows.pixelPs <= pixelPs * 1.05 && rows.pixelPs >= pixelPs * 0.4;
  }

  private async fetch(): Promise<void> {
    this.#busy = true;
    for (let next = this.#wanted; next !== null; next = this.#wanted) {
      // Numbers first: a new result is read before it is drawn.
      if (next.shown.result.id !== this.rows?.run && this.rows !== null) await afterFrame();
      if (this.#wanted !== next) continue;
      this.#wanted = null;
      const { shown, view, widthPx } = next;
      const width = view.to - view.from;
      const from = ps(Math.max(0, Math.floor(view.from - width * MARGIN)));
      const to = ps(Math.min(shown.info.end_ps, Math.ceil(view.to + width * MARGIN)));
      const pixels = Math.max(1, Math.round((widthPx * (to - from)) / width));
      const { tracks } = shown.info;
      const windows = await this.client.windows(shown.result.id, shown.index, tracks.map(({ id }) => id), from, to, pixels);
      this.gone = windows === null;
      if (windows !== null) {
        this.rows = { run: shown.result.id, launch: shown.index, covered: { from, to }, pixelPs: width / widthPx, tracks, windows };
      }
      this.changed();
    }
    this.#busy = false;
  }
}
