import { type Dispose, Scope } from "../../base/atom.ts";
import { fill, h, icon, setAttr } from "../../base/dom.ts";
import type { Diagnostic, Fix, Related } from "../../sim/protocol.ts";
import type { Panel, PanelContext } from "../panel.ts";

function row(diagnostic: Diagnostic, context: PanelContext): HTMLElement {
  const { t, goTo } = context;
  const severity = diagnostic.severity === "note" ? "warning" : diagnostic.severity;
  const jump = h(
    "button",
    { class: "problem", type: "button", onClick: () => goTo(diagnostic.line, diagnostic.column) },
    icon(severity),
    h("span", { class: "problem-message" }, diagnostic.message),
    h("span", { class: "problem-place", title: t("problem_at", { line: diagnostic.line, column: diagnostic.column }) }, `${diagnostic.line}:${diagnostic.column}`),
  );
  const place = (related: Related): HTMLElement =>
    h("li", {}, `${related.message} `, h("button", { class: "link", type: "button", onClick: () => goTo(related.line, related.column) }, t("line", { line: related.line })));
  const fix = (repair: Fix): HTMLElement =>
    h("li", {}, h("button", { class: "button button-small", type: "button", "data-fix": repair.replacement, onClick: () => context.applyFix(repair) }, icon("bulb"), repair.title));
  const notes = [
    ...diagnostic.labels.map(place),
    ...diagnostic.notes.map((note) => h("li", {}, note)),
    ...diagnostic.calls.map((call) => place({ ...call, message: t("called_in", { name: call.message }) })),
    ...diagnostic.fixes.map(fix),
  ];
  return h(
    "li",
    { class: `problem-row problem-${severity}`, "data-code": diagnostic.code, "data-line": diagnostic.line, "data-column": diagnostic.column },
    jump,
    notes.length > 0 && h("ul", { class: "problem-notes" }, ...notes),
    h("code", { class: "problem-code" }, diagnostic.code),
  );
}

function verdict(diagnostics: readonly Diagnostic[], context: PanelContext): string {
  const { t } = context;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const others = diagnostics.length - errors;
  if (diagnostics.length === 0) return t(context.live.stopped.value ? "problems_stopped" : "problems_none");
  return [errors > 0 && t("problems_errors", { count: errors }), others > 0 && t("problems_warnings", { count: others })].filter(Boolean).join(", ");
}

/** What is wrong, where, and a way out. */
export const problems: Panel = {
  id: "problems",
  mount(host, context): Dispose {
    const scope = new Scope();
    const { live, t } = context;
    const title = h("div", { class: "problems-title", role: "status", "aria-live": "polite" });
    const list = h("ol", { class: "problem-list", "data-testid": "diagnostics" });
    host.append(h("section", { class: "problems", "aria-label": t("problems") }, title, list));
    scope.watch([live.diagnostics, live.failure, live.stopped], () => {
      const diagnostics = live.diagnostics.value;
      const { value: failure } = live.failure;
      setAttr(host, "data-severity", failure !== null || diagnostics.some(({ severity }) => severity === "error") ? "error" : diagnostics.length > 0 ? "warning" : "none");
      fill(title, icon(failure !== null || diagnostics.length > 0 ? "error" : live.stopped.value ? "skip" : "check"), failure === null ? verdict(diagnostics, context) : t("failure", { message: failure }));
      fill(list, ...diagnostics.map((diagnostic) => row(diagnostic, context)));
      list.hidden = diagnostics.length === 0;
    });
    return () => scope.dispose();
  },
};
