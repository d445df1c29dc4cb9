import type { Scope } from "../../base/atom.ts";
import { fill, h } from "../../base/dom.ts";
import { LIST_SIZE } from "../../sim/debugger.ts";
import type { OfLine, Point } from "../../sim/inspection.ts";
import type { PanelContext } from "../panel.ts";

/** The executions of the instructions of the line with the caret, iterations of loops included, a page at a time. */
export class LineList {
  readonly element = h("details", { class: "line-list" });
  readonly #title = h("summary", {});
  readonly #items = h("ol", { class: "line-items" });
  readonly #pages = h("div", { class: "line-pages" });
  #skip = 0;
  #line = 0;

  constructor(
    private readonly context: PanelContext,
    scope: Scope,
  ) {
    this.element.append(this.#title, this.#items, this.#pages);
    scope.watch([context.caretLine, context.shown, context.debug.core], () => void this.load(0));
    scope.watch([context.debug.point], () => this.mark());
  }

  private async load(skip: number): Promise<void> {
    const { context } = this;
    const line = context.caretLine.value;
    this.#skip = skip;
    this.#line = line;
    const found = line === 0 ? null : await context.debug.ofLine({ file: context.file, line }, skip);
    if (line === this.#line && skip === this.#skip) this.show(found);
  }

  private show(found: OfLine | null): void {
    const { t } = this.context;
    const total = found?.total ?? 0;
    this.element.hidden = total === 0;
    fill(this.#title, t("line_list", { line: this.#line, count: total }));
    fill(this.#items, ...(found?.points ?? []).map((point) => this.item(point)));
    const page = (skip: number, label: string): HTMLElement => h("button", { class: "link", type: "button", onClick: () => void this.load(skip) }, label);
    fill(
      this.#pages,
      this.#skip > 0 && page(Math.max(0, this.#skip - LIST_SIZE), t("list_before")),
      this.#skip + LIST_SIZE < total && page(this.#skip + LIST_SIZE, t("list_after")),
    );
    this.mark();
  }

  private item(point: Point): HTMLElement {
    const { t, debug } = this.context;
    const pick = h("button", { class: "line-item", type: "button", "data-instance": point.instance, onClick: () => void debug.showInstance(point) }, h("b", {}, point.name), h("span", { class: "quiet num" }, t("instance", { number: point.instance })));
    return h("li", {}, pick);
  }

  /** Marks the present point in the list. */
  private mark(): void {
    const present = String(this.context.debug.point.value?.instance ?? "");
    for (const item of this.#items.querySelectorAll<HTMLElement>("[data-instance]")) {
      item.setAttribute("aria-current", String(item.dataset["instance"] === present));
    }
  }
}
