import type { Scope } from "../../base/atom.ts";
import { h, setText } from "../../base/dom.ts";
import { clamp } from "../../base/geom.ts";
import { cellAt, css, heatColor, type HeatRange, isLight, parseHex } from "../../canvas/heat.ts";
import { Surface } from "../../canvas/surface.ts";
import type { Cells, Content, Inspected } from "../../sim/inspection.ts";
import { FLAG_INFINITE, FLAG_NAN, FLAG_UNWRITTEN } from "../../sim/inspection.ts";
import type { PanelContext } from "../panel.ts";
import { cellText, indexOf, shortValue } from "./values.ts";

/** Most cells of a picture each way, and cells of the close view in which numbers fit. */
const MOST_ROWS = 64;
const MOST_COLUMNS = 96;
const CLOSE_ROWS = 12;
const CLOSE_COLUMNS = 8;
/** A cell of this size has room for its number. */
const NUMBER_WIDTH_PX = 42;
const NUMBER_HEIGHT_PX = 15;

/** One operand at one moment as a heat map; a click or Enter shows the numbers around a cell, Escape the whole tile again. */
export class Tile {
  readonly element: HTMLElement;
  readonly #stage: HTMLElement;
  readonly #readout = h("div", { class: "tile-readout", "aria-live": "polite" });
  readonly #surface: Surface;
  readonly #content: Content;
  #cells: Cells | null = null;
  #cursor: { readonly row: number; readonly column: number } | null = null;
  #corner: { readonly row: number; readonly column: number } | null = null;

  constructor(
    private readonly context: PanelContext,
    private readonly run: number,
    private readonly number: number,
    private readonly operand: Inspected,
    private readonly after: boolean,
    private readonly range: HeatRange | null,
    scope: Scope,
  ) {
    const { t } = context;
    this.#content = after ? operand.after : operand.before;
    const title = t(after ? "after" : "before");
    this.#stage = h("div", { class: "tile-stage", tabindex: 0, role: "application", "aria-label": `${operand.role}, ${title}. ${t("tile_hint")}`, "data-tile": `${operand.role}-${after ? "after" : "before"}` });
    this.#stage.style.setProperty("--tile-rows", String(clamp(this.#content.rows, 2, 40)));
    this.#surface = new Surface(this.#stage, (pen) => this.draw(pen));
    this.element = h("div", { class: "tile" }, h("div", { class: "tile-head" }, h("b", {}, title), h("span", { class: "quiet num" }, this.summary())), this.#stage, this.#readout);
    scope.add(() => this.#surface.dispose());
    scope.watch([context.appearance], () => this.#surface.redraw());
    this.listen(scope);
    void this.load();
  }

  private summary(): string {
    const { t } = this.context;
    const { known, low, high, mean, nan, infinite, unwritten, rows, columns } = this.#content;
    if (!known) return t("tile_unknown");
    if (unwritten === rows * columns) return t("tile_unwritten");
    const parts = low === null || high === null || mean === null ? [] : [`${shortValue(low)} … ${shortValue(high)}`, `${t("tile_mean")} ${shortValue(mean)}`];
    if (nan > 0) parts.push(`${String(nan)} NaN`);
    if (infinite > 0) parts.push(`${String(infinite)} inf`);
    if (unwritten > 0) parts.push(t("tile_some_unwritten", { count: unwritten }));
    return parts.join(" · ");
  }

  private async load(): Promise<void> {
    const { rows, columns } = this.#content;
    const corner = this.#corner;
    const window =
      corner === null
        ? { row: 0, column: 0, rows, columns, mostRows: MOST_ROWS, mostColumns: MOST_COLUMNS }
        : { ...corner, rows: CLOSE_ROWS, columns: CLOSE_COLUMNS, mostRows: CLOSE_ROWS, mostColumns: CLOSE_COLUMNS };
    const cells = await this.context.client.cells(this.run, this.number, this.after, window);
    if (cells === null || corner !== this.#corner) return;
    this.#cells = cells;
    this.#surface.redraw();
    this.tell();
  }

  private draw(pen: CanvasRenderingContext2D): void {
    const cells = this.#cells;
    if (cells === null || cells.rows === 0 || cells.columns === 0) return;
    const { widthPx, heightPx } = this.#surface;
    const token = (name: string): string => this.#surface.token(name);
    const ink = { negative: parseHex(token("--heat-negative")), zero: parseHex(token("--heat-zero")), positive: parseHex(token("--heat-positive")) };
    const [missing, odd, dark, light] = [token("--heat-unwritten"), token("--heat-nan"), token("--on-engine"), token("--heat-on-dark")];
    const [stepX, stepY] = [widthPx / cells.columns, heightPx / cells.rows];
    const numbers = stepX >= NUMBER_WIDTH_PX && stepY >= NUMBER_HEIGHT_PX;
    pen.font = `11px ${token("--font-mono")}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let at = 0; at < cells.mean.length; at += 1) {
      const flags = cells.flags[at] ?? 0;
      const mean = cells.mean[at] ?? Number.NaN;
      const [leftPx, topPx] = [(at % cells.columns) * stepX, Math.floor(at / cells.columns) * stepY];
      const color = Number.isNaN(mean) || this.range === null ? null : heatColor(mean, this.range, ink);
      pen.fillStyle = (flags & (FLAG_NAN | FLAG_INFINITE)) !== 0 ? odd : color === null ? missing : css(color);
      pen.fillRect(leftPx, topPx, Math.ceil(stepX + 0.01), Math.ceil(stepY + 0.01));
      if ((flags & FLAG_UNWRITTEN) !== 0 && color !== null) {
        pen.fillStyle = missing;
        pen.fillRect(leftPx, topPx, stepX / 2, stepY / 2);
      }
      if (!numbers) continue;
      const onLight = (flags & (FLAG_NAN | FLAG_INFINITE)) === 0 && (color === null || isLight(color));
      pen.fillStyle = color === null && (flags & FLAG_UNWRITTEN) !== 0 ? token("--text-muted") : onLight ? dark : light;
      pen.fillText(cellText(cells, at), leftPx + stepX / 2, topPx + stepY / 2 + 0.5, stepX - 4);
    }
    if (this.#cursor === null) return;
    pen.strokeStyle = token("--text");
    pen.lineWidth = 1.5;
    pen.strokeRect(this.#cursor.column * stepX + 0.75, this.#cursor.row * stepY + 0.75, Math.max(3, stepX - 1.5), Math.max(3, stepY - 1.5));
  }

  private listen(scope: Scope): void {
    const under = (event: MouseEvent): { readonly row: number; readonly column: number } | null => {
      const box = this.#stage.getBoundingClientRect();
      const cells = this.#cells;
      return cells === null ? null : cellAt(event.clientX - box.left, event.clientY - box.top, box.width, box.height, cells.rows, cells.columns);
    };
    scope.listen(this.#stage, "pointermove", (event) => this.moveTo(under(event)));
    scope.listen(this.#stage, "pointerleave", () => this.moveTo(null));
    scope.listen(this.#stage, "click", (event) => {
      this.moveTo(under(event));
      this.zoom(this.#corner === null);
    });
    scope.listen(this.#stage, "keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const cells = this.#cells;
    const moves: Readonly<Record<string, readonly [number, number]>> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (cells === null || (move === undefined && event.key !== "Enter" && event.key !== "Escape")) return;
    if (event.key === "Escape" && this.#corner === null) return;
    event.preventDefault();
    if (move === undefined) return this.zoom(event.key === "Enter");
    const { row, column } = this.#cursor ?? { row: -move[0], column: -move[1] };
    this.moveTo({ row: clamp(row + move[0], 0, cells.rows - 1), column: clamp(column + move[1], 0, cells.columns - 1) });
  }

  /** Shows the numbers around the cursor, or the whole tile. */
  private zoom(closer: boolean): void {
    const cells = this.#cells;
    if (cells === null || (closer && this.#corner !== null)) return;
    const { row, column } = this.#cursor ?? { row: 0, column: 0 };
    const place = (first: number, at: number, block: number, size: number, close: number): number => clamp(first + at * block - Math.floor(close / 4), 0, Math.max(0, size - close));
    this.#corner = !closer
      ? null
      : {
          row: place(cells.row, row, cells.block_rows, this.#content.rows, CLOSE_ROWS),
          column: place(cells.column, column, cells.block_columns, this.#content.columns, CLOSE_COLUMNS),
        };
    this.#cursor = null;
    void this.load();
  }

  private moveTo(cell: { readonly row: number; readonly column: number } | null): void {
    this.#cursor = cell;
    this.#surface.redraw();
    this.tell();
  }

  /** Index and value of the cell under the cursor, or how the picture is made. */
  private tell(): void {
    const { t } = this.context;
    const cells = this.#cells;
    if (cells === null) return;
    const { block_rows: tall, block_columns: wide } = cells;
    if (this.#cursor === null) {
      setText(this.#readout, tall * wide > 1 ? t("tile_sampled", { rows: tall, columns: wide }) : "\u00a0");
      return;
    }
    const at = this.#cursor.row * cells.columns + this.#cursor.column;
    const index = indexOf(this.operand.shape, this.operand.lanes, cells.row + this.#cursor.row * tall, cells.column + this.#cursor.column * wide);
    const value = this.valueText(cells, at, tall * wide > 1);
    setText(this.#readout, `[${index.join(", ")}]${tall * wide > 1 ? ` ${String(tall)}×${String(wide)}` : ""} = ${value}`);
  }

  private valueText(cells: Cells, at: number, block: boolean): string {
    const { t } = this.context;
    const flags = cells.flags[at] ?? 0;
    const [mean, low, high] = [cells.mean[at] ?? NaN, cells.low[at] ?? NaN, cells.high[at] ?? NaN];
    const odd = [(flags & FLAG_NAN) !== 0 && "NaN", (flags & FLAG_UNWRITTEN) !== 0 && t("tile_unwritten")].filter((text) => text !== false);
    if (Number.isNaN(low)) return odd.join(", ");
    const text = block ? `${t("tile_mean")} ${shortValue(mean)}, ${shortValue(low)} … ${shortValue(high)}` : String(low);
    return [text, ...odd].join(", ");
  }
}
