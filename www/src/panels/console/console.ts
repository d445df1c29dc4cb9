import { type Dispose, Scope } from "../../base/atom.ts";
import { fill, h } from "../../base/dom.ts";
import type { Translate } from "../../base/i18n/i18n.ts";
import type { ConsoleLine } from "../../sim/inspection.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { section } from "../section.ts";

/** Most lines, and longest output, that are put into the page. */
const MOST_LINES = 2_000;
const LONGEST = 200_000;

/** Who printed: the launch and the core inside of kernels, and the execution on the device. */
function origin({ printer, core, instance, launch }: ConsoleLine, t: Translate): string {
  const parts = [t(`printer_${printer}`)];
  if (launch !== null && core !== null) parts.push(t("launch_core", { launch: launch + 1, core }));
  if (instance !== null) parts.push(t("instance", { number: instance }));
  return parts.join(" · ");
}

function row(line: ConsoleLine, { t, goTo }: PanelContext): HTMLElement {
  const text = line.printer === "skipped" ? t("printer_skipped_text", { prefix: line.text }) : line.text;
  return h(
    "div",
    { class: `console-line is-${line.printer}` },
    h("span", { class: "console-text" }, text),
    h("span", { class: "console-origin" }, origin(line, t)),
    h("button", { class: "link", type: "button", title: t("go_to_line", { line: line.line }), onClick: () => goTo(line.line, 1) }, t("line", { line: line.line })),
  );
}

/** The first lines, as many as the page can take. */
function shown(lines: readonly ConsoleLine[]): readonly ConsoleLine[] {
  let left = LONGEST;
  const end = lines.findIndex(({ text }, at) => (left -= text.length) < 0 || at >= MOST_LINES);
  return end < 0 ? lines : lines.slice(0, end);
}

/** What the script, its kernels and the device printed, each with its place. */
export const console: Panel = {
  id: "console",
  mount(host, context): Dispose {
    const scope = new Scope();
    const { t, live } = context;
    const { body } = section(host, "console", t("console"));
    const output = h("div", { class: "console", "data-testid": "console", tabindex: 0, role: "log", "aria-label": t("console") });
    body.append(output);
    scope.watch([live.console], () => {
      const { value: lines } = live.console;
      const first = shown(lines);
      const rest = lines.length - first.length;
      output.classList.toggle("is-quiet", lines.length === 0);
      if (lines.length === 0) fill(output, t("console_empty"));
      else fill(output, ...first.map((line) => row(line, context)), rest > 0 && h("div", { class: "console-more" }, t("console_more", { count: rest })));
    });
    return () => scope.dispose();
  },
};
