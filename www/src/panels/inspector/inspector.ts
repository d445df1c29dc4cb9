import { type Dispose, Scope } from "../../base/atom.ts";
import { fill, h, setAttr } from "../../base/dom.ts";
import type { Inspection, Point } from "../../sim/inspection.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { section } from "../section.ts";
import { LineList } from "./list.ts";
import { operandView } from "./operand.ts";
import { motionOf, stepButtons } from "./steps.ts";

class Inspector {
  readonly #where = h("div", { class: "point", "aria-live": "polite", "data-testid": "point" });
  readonly #state = h("div", { class: "sight" });
  readonly #operands = h("div", { class: "inspected", "data-testid": "operands" });
  readonly #bar = h("progress", { max: 1, "aria-label": "" });
  #tiles = new Scope();

  constructor(
    host: HTMLElement,
    private readonly context: PanelContext,
    scope: Scope,
  ) {
    const { t, debug } = context;
    const { head, body } = section(host, "inspector", t("inspector"));
    head.append(h("div", { class: "steps", role: "toolbar", "aria-label": t("steps") }, this.coreChoice(scope), this.breakpointButton(scope), ...stepButtons(t, (motion) => void debug.step(motion))));
    setAttr(this.#bar, "aria-label", t("looking"));
    body.append(h("div", { class: "point-row" }, this.#where, this.#state), this.#operands, new LineList(context, scope).element);
    scope.listen(window, "keydown", (event) => {
      const motion = motionOf(event);
      if (motion === null) return;
      event.preventDefault();
      void debug.step(motion);
    });
    scope.watch([debug.point, debug.edge], () => this.showPoint(debug.point.value));
    scope.watch([debug.sight, context.client.looking], () => this.showState());
    scope.watch([debug.inspection], () => this.showOperands(debug.inspection.value));
    scope.add(() => this.#tiles.dispose());
  }

  /** Steps stay on one core. */
  private coreChoice(scope: Scope): HTMLElement {
    const { t, debug, shown } = this.context;
    const choice = h("select", { "aria-label": t("core") });
    choice.addEventListener("change", () => debug.setCore(Number(choice.value)));
    scope.watch([shown, debug.core], () => {
      const cores = 1 + Math.max(0, ...(shown.value?.info.tracks ?? []).map(({ core }) => core ?? 0));
      choice.hidden = cores < 2;
      fill(choice, ...Array.from({ length: cores }, (_, core) => h("option", { value: core, selected: core === debug.core.value }, t("core_number", { core }))));
    });
    return choice;
  }

  /** The column of breakpoints for those who do not point. */
  private breakpointButton(scope: Scope): HTMLElement {
    const { t, debug, caretLine, toggleBreakpoint } = this.context;
    const button = h("button", { class: "step-button", type: "button", "aria-keyshortcuts": "F9", "data-step": "breakpoint", onClick: () => toggleBreakpoint() }, h("span", { class: "dot", "aria-hidden": "true" }));
    scope.watch([caretLine, debug.breakpoints], () => {
      const label = `${t("breakpoint", { line: caretLine.value })} (F9)`;
      setAttr(button, "aria-label", label);
      setAttr(button, "title", label);
      setAttr(button, "aria-pressed", String(debug.breakpoints.value.some(({ line }) => line === caretLine.value)));
    });
    return button;
  }

  private showPoint(point: Point | null): void {
    const { t, goTo, debug } = this.context;
    const { value: edge } = debug.edge;
    if (point === null) return fill(this.#where, h("p", { class: "details-empty" }, edge === null ? t("point_none") : t(`edge_${edge}`)));
    fill(
      this.#where,
      h("b", {}, point.name),
      h("button", { class: "link", type: "button", title: t("go_to_line", { line: point.line }), onClick: () => goTo(point.line, 1) }, t("line", { line: point.line })),
      h("span", { class: "quiet num" }, t("instance_of", { number: point.instance, total: point.total })),
      edge !== null && h("span", { class: "quiet" }, t(`edge_${edge}`)),
    );
  }

  private showState(): void {
    const { t, debug, client } = this.context;
    const { value: sight } = debug.sight;
    setAttr(this.#state, "data-sight", sight);
    this.#state.hidden = sight === "seen" || sight === "none";
    this.#operands.classList.toggle("is-old", sight !== "seen");
    if (sight === "looking") {
      this.#bar.value = client.looking.value ?? 0;
      if (this.#bar.isConnected) return;
      fill(this.#state, h("span", {}, t("looking")), this.#bar, h("button", { class: "button", type: "button", "data-testid": "stop-looking", onClick: () => client.stopLooking() }, t("stop")));
    } else if (sight === "stopped") {
      fill(this.#state, h("span", {}, t("look_stopped")), h("button", { class: "link", type: "button", onClick: () => debug.again() }, t("look_again")));
    } else if (sight === "no_values" || sight === "failed") {
      fill(this.#state, h("span", {}, t(`look_${sight}`)));
    } else {
      fill(this.#state);
    }
    if (sight === "none" || sight === "no_values") fill(this.#operands);
  }

  private showOperands(inspection: Inspection | null): void {
    const { t, debug } = this.context;
    this.#tiles.dispose();
    this.#tiles = new Scope();
    const run = debug.subject?.run;
    if (inspection === null || run === undefined) return fill(this.#operands);
    const loops = inspection.iterations.map(({ line, number, value }) => h("span", {}, value === null ? t("iteration", { line, number }) : t("iteration_value", { line, number, value })));
    const calls = inspection.calls.map(({ message, line }) => h("span", {}, `${t("called_in", { name: message })} ${t("line", { line })}`));
    const around = h("div", { class: "around quiet" }, ...loops, ...calls);
    const operands = inspection.operands.map((operand, number) => operandView(this.context, run, number, operand, this.#tiles));
    fill(this.#operands, loops.length + calls.length > 0 && around, ...operands, operands.length === 0 && h("p", { class: "details-empty" }, t("no_operands")));
  }
}

/** The present instruction: steps to others, its operands before and after it, and the instructions of the line. */
export const inspector: Panel = {
  id: "inspector",
  mount(host, context): Dispose {
    const scope = new Scope();
    new Inspector(host, context, scope);
    return () => scope.dispose();
  },
};
