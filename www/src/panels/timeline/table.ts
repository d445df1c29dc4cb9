import { fill, h } from "../../base/dom.ts";
import { formatPs, join } from "../../base/format.ts";
import type { Translate } from "../../base/i18n/i18n.ts";
import type { TimeRange } from "../../base/units.ts";
import type { Track } from "../../sim/protocol.ts";
import type { Rows } from "./model.ts";

/** More rows than this help nobody. */
const MOST_ROWS = 200;

interface Row {
  readonly track: string;
  readonly name: string;
  readonly start: number;
  readonly duration: number;
  readonly line: number;
}

function collect(rows: Rows, view: TimeRange, name: (track: Track) => string): Row[] {
  const found: Row[] = [];
  rows.tracks.forEach((track, at) => {
    const window = rows.windows[at];
    if (window === undefined) return;
    for (let index = 0; index < window.start.length; index += 1) {
      const start = window.start[index] as number;
      const end = window.end[index] as number;
      if (end < view.from || start > view.to) continue;
      const count = window.count[index] as number;
      const label = window.names[window.name[index] as number] ?? "";
      found.push({ track: name(track), name: count > 1 ? `${label} … (${String(count)})` : label, start, duration: end - start, line: window.line[index] as number });
    }
  });
  return found.sort((a, b) => a.start - b.start);
}

/** The visible window as text, for those who cannot or do not want to read the canvas. */
export function showTable(host: HTMLElement, rows: Rows, view: TimeRange, t: Translate, name: (track: Track) => string, goTo: (line: number, column: number) => void): void {
  const all = collect(rows, view, name);
  const head = (["col_start", "col_duration", "col_track", "col_instruction", "col_line"] as const).map((key) => h("th", { scope: "col" }, t(key)));
  const body = all.slice(0, MOST_ROWS).map((row) =>
    h(
      "tr",
      {},
      h("td", { class: "num" }, join(formatPs(row.start))),
      h("td", { class: "num" }, join(formatPs(row.duration))),
      h("td", {}, row.track),
      h("td", {}, h("code", {}, row.name)),
      h("td", {}, row.line > 0 && h("button", { class: "link", type: "button", onClick: () => goTo(row.line, 1) }, String(row.line))),
    ),
  );
  const more = all.length > MOST_ROWS ? h("p", { class: "quiet" }, t("table_more", { shown: MOST_ROWS, total: all.length })) : null;
  fill(host, h("table", { class: "data-table" }, h("caption", { class: "visually-hidden" }, t("table_caption")), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)), more);
}
