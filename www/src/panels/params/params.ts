import { type Dispose, Scope } from "../../base/atom.ts";
import { clamp } from "../../base/geom.ts";
import { fill, h } from "../../base/dom.ts";
import { PRECISION, type Param, quoteLike, unquote } from "../../base/params.ts";
import type { Panel, PanelContext } from "../panel.ts";

/** What tells whether the controls must be built anew: everything but the values. */
function shapeOf(params: readonly Param[]): string {
  return JSON.stringify(params.map(({ name, control }) => [name, control]));
}

type Update = (param: Param) => void;

function slider(param: Param, context: PanelContext): { readonly element: HTMLElement; readonly update: Update } {
  const { control, name } = param;
  if (control.kind !== "slider") throw new TypeError("not a slider");
  const bounds = { min: control.min, max: control.max, step: control.step };
  const range = h("input", { type: "range", ...bounds, "data-param": name, "aria-label": name });
  const number = h("input", { type: "number", ...bounds, class: "param-number", "aria-label": name });
  const set = (value: string): void => {
    if (value !== "") context.setParam(name, value);
  };
  range.addEventListener("input", () => set(range.value));
  number.addEventListener("change", () => set(number.value));
  const update: Update = ({ literal }) => {
    const value = Number(literal);
    if (Number.isNaN(value)) return;
    range.value = literal;
    number.value = literal;
    const share = (clamp(value, control.min, control.max) - control.min) / Math.max(1e-9, control.max - control.min);
    range.style.setProperty("--share", String(share));
  };
  return { element: h("div", { class: "param-slider" }, range, number), update };
}

function choice(param: Param, context: PanelContext): { readonly element: HTMLElement; readonly update: Update } {
  const { control, name } = param;
  const options = control.kind === "choice" ? control.options : ["True", "False"];
  const select = h("select", { class: "control", "data-param": name, "aria-label": name }, ...options.map((option) => h("option", { value: option }, unquote(option))));
  select.addEventListener("change", () => context.setParam(name, select.value));
  return {
    element: select,
    update: ({ literal }) => {
      select.value = options.find((option) => unquote(option) === unquote(literal)) ?? literal;
    },
  };
}

function toggle(param: Param, context: PanelContext): { readonly element: HTMLElement; readonly update: Update } {
  const box = h("input", { type: "checkbox", "data-param": param.name, "aria-label": param.name });
  box.addEventListener("change", () => context.setParam(param.name, box.checked ? "True" : "False"));
  return { element: box, update: ({ literal }) => (box.checked = literal === "True") };
}

function field(param: Param, context: PanelContext): { readonly element: HTMLElement; readonly update: Update } {
  const input = h("input", { type: "text", class: "control", "data-param": param.name, "aria-label": param.name });
  let literal = param.literal;
  input.addEventListener("change", () => context.setParam(param.name, quoteLike(literal, input.value)));
  return {
    element: input,
    update: (next) => {
      literal = next.literal;
      input.value = unquote(literal);
    },
  };
}

const BUILDERS = { slider, choice, boolean: toggle, text: field } as const;

/** The form that `#@param` comments ask for. */
export const params: Panel = {
  id: "params",
  mount(host, context): Dispose {
    const scope = new Scope();
    const form = h("div", { class: "params", role: "group", "aria-label": context.t("parameters") });
    host.append(form);
    let shape = "";
    let updates = new Map<string, Update>();
    scope.watch([context.params], () => {
      const shown = context.params.value.filter(({ name, control }) => name !== PRECISION || control.kind !== "choice");
      host.hidden = shown.length === 0;
      if (shapeOf(shown) !== shape) {
        shape = shapeOf(shown);
        updates = new Map();
        const rows = shown.map((param) => {
          const { element, update } = BUILDERS[param.control.kind](param, context);
          updates.set(param.name, update);
          return h("div", { class: `param param-${param.control.kind}` }, h("span", { class: "param-name" }, param.name), element);
        });
        fill(form, ...rows);
      }
      for (const param of shown) updates.get(param.name)?.(param);
    });
    return () => scope.dispose();
  },
};
