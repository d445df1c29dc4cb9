import type { Track } from "../../sim/protocol.ts";

export const AXIS_PX = 26;
const ENGINE_PX = 24;
const DMA_PX = 14;
const GAP_PX = 2;
const GROUP_GAP_PX = 8;

/** Where a track is drawn. */
export interface RowPlace {
  readonly topPx: number;
  readonly heightPx: number;
}

/** Engines are tall enough for a label, DMA queues are not; the two groups stand apart. */
export function placeRows(tracks: readonly Track[]): { readonly places: readonly RowPlace[]; readonly heightPx: number } {
  let topPx = AXIS_PX;
  let group: string | null = null;
  const places = tracks.map((track) => {
    if (group !== null && group !== track.kind) topPx += GROUP_GAP_PX;
    group = track.kind;
    const heightPx = track.kind === "engine" ? ENGINE_PX : DMA_PX;
    const place = { topPx, heightPx };
    topPx += heightPx + GAP_PX;
    return place;
  });
  return { places, heightPx: topPx + 6 };
}

/** Index of the row under a vertical position; -1 when there is none. */
export function rowAt(places: readonly RowPlace[], yPx: number): number {
  return places.findIndex(({ topPx, heightPx }) => yPx >= topPx - GAP_PX / 2 && yPx < topPx + heightPx + GAP_PX / 2);
}
