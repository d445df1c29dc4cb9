import { fill, h } from "../../base/dom.ts";
import { formatPs, join } from "../../base/format.ts";
import type { Translate } from "../../base/i18n/i18n.ts";
import type { Instruction } from "../../sim/protocol.ts";

/** The waiting time in words; empty when there was none. */
export function waitText(instruction: Instruction, t: Translate): string {
  const wait = instruction.start_ps - instruction.ready_ps;
  if (wait <= 0) return "";
  const time = join(formatPs(wait));
  return instruction.waited_for === "" ? t("waited", { time }) : t("waited_for", { time, what: instruction.waited_for });
}

function operandRows(instruction: Instruction): readonly HTMLElement[] {
  return instruction.operands.flatMap(({ role, text }) => [h("dt", {}, role), h("dd", {}, h("code", {}, text))]);
}

/** All that is known of the selected instruction. */
export function showDetails(host: HTMLElement, instruction: Instruction | null, t: Translate, goTo: (line: number, column: number) => void): void {
  if (instruction === null) {
    fill(host, h("p", { class: "details-empty" }, t("selection_none")));
    return;
  }
  const { line, column } = instruction;
  const wait = waitText(instruction, t);
  fill(
    host,
    h(
      "div",
      { class: "details-head" },
      h("b", {}, instruction.name),
      h("span", {}, instruction.track),
      h("span", { class: "num" }, join(formatPs(instruction.end_ps - instruction.start_ps))),
      h("span", { class: "num quiet" }, `@ ${join(formatPs(instruction.start_ps))}`),
      wait !== "" && h("span", { class: "details-wait" }, wait),
      h("button", { class: "link", type: "button", title: t("go_to_line", { line }), onClick: () => goTo(line, column) }, t("line", { line })),
    ),
    h("dl", { class: "operands" }, ...operandRows(instruction)),
  );
}

/** The same in short, for the tooltip. */
export function showTooltip(host: HTMLElement, instruction: Instruction, t: Translate): void {
  const wait = waitText(instruction, t);
  fill(
    host,
    h("div", { class: "tip-head" }, h("b", {}, instruction.name), h("span", { class: "num" }, join(formatPs(instruction.end_ps - instruction.start_ps)))),
    h("dl", { class: "operands" }, ...operandRows(instruction)),
    h("div", { class: "tip-foot" }, t("line", { line: instruction.line }), wait !== "" && ` · ${wait}`),
  );
}
