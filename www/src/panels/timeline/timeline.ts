import { type Dispose, Scope } from "../../base/atom.ts";
import { h, icon, setAttr, setText } from "../../base/dom.ts";
import { clamp } from "../../base/geom.ts";
import { ps, type TimeRange } from "../../base/units.ts";
import { spanAt } from "../../canvas/hit-test.ts";
import { Surface } from "../../canvas/surface.ts";
import { GUTTER_PX, MARGIN_PX, TimeScale } from "../../canvas/time-scale.ts";
import { frame, panBy } from "../../canvas/viewport.ts";
import type { Instruction, Track } from "../../sim/protocol.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { section } from "../section.ts";
import { showDetails, showTooltip } from "./details.ts";
import { drawScene } from "./draw.ts";
import { type Controls, listen, zoomStep } from "./input.ts";
import { placeRows, rowAt } from "./layout.ts";
import { firstIn, Model, neighbour } from "./model.ts";
import { showTable } from "./table.ts";

interface Hover {
  readonly row: number;
  readonly index: number;
}

class Timeline {
  readonly #stage: HTMLElement;
  readonly #tip = h("div", { class: "tip", role: "tooltip", hidden: true });
  readonly #table = h("div", { class: "timeline-table", hidden: true });
  readonly #details = h("div", { class: "details", "aria-live": "polite" });
  readonly #surface: Surface;
  readonly #model: Model;
  readonly #controls: Controls;
  #hovered: Hover | null = null;
  #asTable = false;

  constructor(
    host: HTMLElement,
    private readonly context: PanelContext,
    scope: Scope,
  ) {
    const { t } = context;
    this.#stage = h("div", { class: "timeline-stage", tabindex: 0, role: "application", "aria-label": t("timeline_label"), "data-testid": "timeline" });
    this.#surface = new Surface(this.#stage, (pen) => this.draw(pen));
    this.#model = new Model(context.client, () => this.refresh());
    this.#controls = this.makeControls();
    const { head, body } = section(host, "timeline", t("timeline"));
    head.append(h("span", { class: "section-note keys" }, t("timeline_keys")), this.toolbar());
    body.append(this.#stage, this.#table, this.#details, this.#tip);
    listen(this.#stage, this.#controls, scope);
    scope.add(() => this.#surface.dispose());
    scope.watch([context.shown, context.viewport], () => this.request());
    scope.watch([context.caretLine, context.pointerTime, context.appearance], () => this.#surface.redraw());
    scope.watch([context.selection], () => void this.select());
  }

  private toolbar(): HTMLElement {
    const { t } = this.context;
    const button = (name: "plus" | "minus" | "fit", label: string, onClick: () => void): HTMLElement =>
      h("button", { class: "icon-button", type: "button", title: label, "aria-label": label, onClick }, icon(name));
    const table = h("button", { class: "icon-button", type: "button", title: t("as_table"), "aria-label": t("as_table"), "aria-pressed": "false" }, icon("table"));
    table.addEventListener("click", () => {
      this.#asTable = !this.#asTable;
      setAttr(table, "aria-pressed", String(this.#asTable));
      this.refresh();
    });
    return h(
      "div",
      { class: "section-tools" },
      button("minus", t("zoom_out"), () => zoomStep(this.#controls, false)),
      button("plus", t("zoom_in"), () => zoomStep(this.#controls, true)),
      button("fit", t("zoom_fit"), () => this.context.viewport.set(this.whole())),
      table,
    );
  }

  private whole(): TimeRange | null {
    const shown = this.context.shown.value;
    return shown === null ? null : { from: ps(0), to: ps(Math.max(1, shown.info.end_ps)) };
  }

  private view(): TimeRange | null {
    return this.context.viewport.value ?? this.whole();
  }

  private scale(): TimeScale | null {
    const view = this.view();
    const widthPx = this.#surface.widthPx - GUTTER_PX - MARGIN_PX;
    return view === null || widthPx <= 0 ? null : new TimeScale(view, GUTTER_PX, widthPx);
  }

  private request(): void {
    const { value: shown } = this.context.shown;
    const scale = this.scale();
    if (shown !== null && scale !== null) {
      this.#stage.style.setProperty("--stage-height", `${String(placeRows(shown.info.tracks).heightPx)}px`);
      this.#model.show(shown, scale.range, scale.widthPx);
    }
    this.refresh();
  }

  private refresh(): void {
    const { rows } = this.#model;
    const view = this.view();
    this.#stage.hidden = this.#asTable;
    this.#table.hidden = !this.#asTable;
    if (this.#asTable && rows !== null && view !== null) {
      showTable(this.#table, rows, view, this.context.t, this.trackName, this.context.goTo);
    }
    setAttr(this.#stage, "data-range", view === null ? null : `${String(Math.round(view.from))}-${String(Math.round(view.to))}`);
    this.#surface.redraw();
  }

  private readonly trackName = (track: Track): string => {
    const { t } = this.context;
    const core = track.core === null ? "" : `${String(track.core)} `;
    const part = track.part === "" ? "" : ` ${t(`part_${track.part}`)}`;
    return core + t(`engine_${track.engine}`) + part + (track.queue === null ? "" : ` ${String(track.queue)}`);
  };

  private draw(pen: CanvasRenderingContext2D): void {
    const { rows } = this.#model;
    const scale = this.scale();
    if (rows === null || scale === null) return;
    const { caretLine, selection, pointerTime, shown } = this.context;
    if (shown.value !== null) this.#model.show(shown.value, scale.range, scale.widthPx);
    drawScene(pen, this.#surface, {
      rows,
      places: placeRows(rows.tracks).places,
      scale,
      caretLine: caretLine.value,
      selected: selection.value?.inst ?? null,
      hovered: this.#hovered,
      pointerTime: pointerTime.value,
      endPs: shown.value?.info.end_ps ?? scale.range.to,
      name: this.trackName,
    });
  }

  private spanUnder(xPx: number, yPx: number): Hover | null {
    const { rows } = this.#model;
    const scale = this.scale();
    if (rows === null || scale === null || xPx < scale.leftPx) return null;
    const row = rowAt(placeRows(rows.tracks).places, yPx);
    const window = rows.windows[row];
    if (window === undefined) return null;
    const index = spanAt(window, scale.toPs(xPx), scale.psPerPx() * 3);
    return index < 0 ? null : { row, index };
  }

  private makeControls(): Controls {
    const { context } = this;
    return {
      scale: () => this.scale(),
      whole: () => this.whole(),
      view: () => this.view(),
      setView: (range) => context.viewport.set(range),
      hover: (xPx, yPx, clientX, clientY) => void this.hover(xPx, yPx, clientX, clientY),
      leave: () => this.leave(),
      click: (xPx, yPx) => this.click(xPx, yPx),
      focusSpan: (xPx, yPx) => this.focusSpan(xPx, yPx),
      step: (delta) => this.step(delta),
      open: () => {
        const line = context.selection.value?.line ?? 0;
        if (line > 0) context.goTo(line, 1);
      },
      clear: () => context.selection.set(null),
    };
  }

  private leave(): void {
    this.#hovered = null;
    this.#tip.hidden = true;
    this.context.pointerTime.set(null);
    this.#surface.redraw();
  }

  private async hover(xPx: number, yPx: number, clientX: number, clientY: number): Promise<void> {
    const found = this.spanUnder(xPx, yPx);
    const before = this.#hovered;
    this.#hovered = found;
    const scale = this.scale();
    this.context.pointerTime.set(scale !== null && xPx >= scale.leftPx ? scale.toPs(xPx) : null);
    if (found === null) {
      this.#tip.hidden = true;
      return;
    }
    this.moveTip(clientX, clientY);
    if (before?.row === found.row && before.index === found.index && !this.#tip.hidden) return;
    const window = this.#model.rows?.windows[found.row];
    const count = window?.count[found.index] ?? 1;
    if (count > 1) {
      setText(this.#tip, this.context.t("merged", { count }));
      this.#tip.hidden = false;
      return;
    }
    const instruction = await this.fetch(window?.inst[found.index] ?? 0);
    if (instruction === null || this.#hovered !== found) return;
    showTooltip(this.#tip, instruction, this.context.t);
    this.#tip.hidden = false;
    this.moveTip(clientX, clientY);
  }

  private moveTip(clientX: number, clientY: number): void {
    const leftPx = clamp(clientX + 14, 8, Math.max(8, window.innerWidth - this.#tip.offsetWidth - 8));
    const below = clientY + 18 + this.#tip.offsetHeight < window.innerHeight;
    const topPx = below ? clientY + 18 : clientY - 14 - this.#tip.offsetHeight;
    this.#tip.style.transform = `translate(${String(Math.round(leftPx))}px, ${String(Math.round(topPx))}px)`;
  }

  private async fetch(inst: number): Promise<Instruction | null> {
    const { rows } = this.#model;
    return rows === null ? null : this.context.client.instruction(rows.run, rows.launch, inst);
  }

  private click(xPx: number, yPx: number): void {
    const found = this.spanUnder(xPx, yPx);
    const window = found === null ? undefined : this.#model.rows?.windows[found.row];
    if (found === null || window === undefined) return this.context.selection.set(null);
    if ((window.count[found.index] as number) > 1) return this.focusSpan(xPx, yPx);
    const line = window.line[found.index] as number;
    this.context.selection.set({ inst: window.inst[found.index] as number, line });
    if (line > 0) this.context.reveal(line);
  }

  private focusSpan(xPx: number, yPx: number): void {
    const found = this.spanUnder(xPx, yPx);
    const whole = this.whole();
    const window = found === null ? undefined : this.#model.rows?.windows[found.row];
    if (found === null || whole === null || window === undefined) return this.context.viewport.set(whole);
    this.context.viewport.set(frame({ from: ps(window.start[found.index] as number), to: ps(window.end[found.index] as number) }, whole));
  }

  /** Next or previous instruction on the row of the selected one; the first visible one when nothing is selected. */
  private step(delta: 1 | -1): void {
    const { rows } = this.#model;
    const view = this.view();
    if (rows === null || view === null) return;
    const next = neighbour(rows, this.context.selection.value?.inst ?? null, delta) ?? firstIn(rows, view);
    if (next === null) return;
    const { window, index } = next;
    this.context.selection.set({ inst: window.inst[index] as number, line: window.line[index] as number });
    this.reach({ from: ps(window.start[index] as number), to: ps(window.end[index] as number) });
  }

  /** Moves the view just enough to show a span. */
  private reach(span: TimeRange): void {
    const [view, whole] = [this.view(), this.whole()];
    if (view === null || whole === null || (span.from >= view.from && span.to <= view.to)) return;
    const middle = (span.from + span.to) / 2;
    this.context.viewport.set(panBy(view, whole, (middle - (view.from + view.to) / 2) / (view.to - view.from)));
  }

  private async select(): Promise<void> {
    const { selection, t, goTo } = this.context;
    const { value } = selection;
    const instruction = value === null ? null : await this.fetch(value.inst);
    if (selection.value === value) showDetails(this.#details, instruction, t, goTo);
    this.#surface.redraw();
  }
}

/** What every engine and DMA queue did, when. */
export const timeline: Panel = {
  id: "timeline",
  mount(host, context): Dispose {
    const scope = new Scope();
    new Timeline(host, context, scope);
    return () => scope.dispose();
  },
};
