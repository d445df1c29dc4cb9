import { type Dispose, Scope } from "../../base/atom.ts";
import { fill, h, icon } from "../../base/dom.ts";
import { formatPercent, join } from "../../base/format.ts";
import type { Advice } from "../../sim/protocol.ts";
import type { Panel, PanelContext } from "../panel.ts";
import { section } from "../section.ts";

function card(advice: Advice, context: PanelContext): HTMLElement {
  const { t, goTo } = context;
  const gain = advice.gain_percent > 0 ? h("span", { class: "advice-gain" }, t("advice_gain", { gain: join(formatPercent(advice.gain_percent)) })) : null;
  const jump = advice.line > 0 ? h("button", { class: "link", type: "button", onClick: () => goTo(advice.line, 1) }, t("line", { line: advice.line })) : null;
  return h("li", { class: "advice-card", "data-advice": advice.id }, icon("bulb"), h("div", {}, h("p", {}, advice.message), h("div", { class: "advice-foot" }, jump, gain)));
}

/** What would make the kernel faster, best first. */
export const advice: Panel = {
  id: "advice",
  mount(host, context): Dispose {
    const scope = new Scope();
    const { body } = section(host, "advice", context.t("advice"));
    const list = h("ul", { class: "advice-list" });
    body.append(list);
    scope.watch([context.shown], () => {
      const items = context.shown.value?.report.advice ?? [];
      host.hidden = items.length === 0;
      fill(list, ...items.map((item) => card(item, context)));
    });
    return () => scope.dispose();
  },
};
