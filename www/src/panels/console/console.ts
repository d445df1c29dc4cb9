import { type Dispose, Scope } from "../../base/atom.ts";
import { h, setText } from "../../base/dom.ts";
import type { Panel } from "../panel.ts";
import { section } from "../section.ts";

/** Longest output that is put into the page. */
const LONGEST = 200_000;

/** What the script printed. */
export const console: Panel = {
  id: "console",
  mount(host, context): Dispose {
    const scope = new Scope();
    const { t, live } = context;
    const { body } = section(host, "console", t("console"));
    const output = h("pre", { class: "console", "data-testid": "console", tabindex: 0, "aria-label": t("console") });
    body.append(output);
    scope.watch([live.stdout], () => {
      const text = live.stdout.value;
      output.classList.toggle("is-quiet", text === "");
      setText(output, text === "" ? t("console_empty") : text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
    });
    return () => scope.dispose();
  },
};
