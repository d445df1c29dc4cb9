import { fill, h, icon, setAttr, setText } from "../base/dom.ts";
import { LANGUAGES, type Key, type Language, type Translate } from "../base/i18n/i18n.ts";
import type { Kernel } from "../base/gallery.ts";
import type { Activity } from "../sim/client.ts";
import type { PageState } from "../sim/live.ts";
import { TARGETS, type Mode, type Target } from "../sim/protocol.ts";
import { PRECISIONS } from "./address.ts";
import { THEMES, type Theme } from "./theme.ts";

/** What the controls of the page do. */
export interface Actions {
  readonly openKernel: (id: string) => void;
  readonly setTarget: (target: Target) => void;
  readonly setPrecision: (precision: string) => void;
  readonly setMode: (mode: Mode) => void;
  readonly run: () => void;
  readonly stop: () => void;
  readonly share: () => void;
  readonly setTheme: (theme: Theme) => void;
  readonly setLanguage: (language: Language) => void;
}

const PRECISION_NAMES: Readonly<Record<string, string>> = { fp32: "FP32", bf16: "BF16", mxfp8: "MXFP8", mxfp4: "MXFP4" };
const TARGET_NAMES: Readonly<Record<Target, string>> = { trn1: "Trn1", trn2: "Trn2", trn3: "Trn3" };
const MODES: readonly Mode[] = ["simulate", "estimate"];
const NO_KERNEL = "";

function brand(t: Translate): HTMLElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "brand-mark");
  svg.setAttribute("aria-hidden", "true");
  for (const [x, y, width, tone] of [[2, 4, 13, 0], [7, 10.5, 15, 1], [4, 17, 9, 2], [15, 17, 5, 0]] as const) {
    const bar = document.createElementNS(space, "rect");
    for (const [name, value] of Object.entries({ x, y, width, height: 4.5, rx: 1.4 })) bar.setAttribute(name, String(value));
    bar.setAttribute("class", `brand-bar-${String(tone)}`);
    svg.append(bar);
  }
  return h("div", { class: "brand" }, svg, h("h1", {}, t("app_title")));
}

function labelled(label: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", { class: "field-label" }, label), control);
}

function picker(testid: string, label: string, choose: (value: string) => void): HTMLSelectElement {
  const select = h("select", { class: "control", "data-testid": testid, "aria-label": label });
  select.addEventListener("change", () => choose(select.value));
  return select;
}

/** The controls above editor and results. Built anew for another language. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly #gallery: HTMLSelectElement;
  readonly #target: HTMLSelectElement;
  readonly #precision: HTMLSelectElement;
  readonly #mode: HTMLSelectElement;
  readonly #theme: HTMLSelectElement;
  readonly #language: HTMLSelectElement;
  readonly #run: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #status = h("span", { class: "status", role: "status" });

  constructor(
    private readonly t: Translate,
    private readonly kernels: readonly Kernel[],
    actions: Actions,
  ) {
    this.#gallery = picker("gallery", t("gallery"), (id) => actions.openKernel(id));
    this.#target = picker("target", t("target"), (value) => actions.setTarget(value as Target));
    this.#precision = picker("precision", t("precision"), actions.setPrecision);
    this.#mode = picker("mode", t("mode"), (value) => actions.setMode(value as Mode));
    this.#theme = picker("theme", t("theme"), (value) => actions.setTheme(value as Theme));
    this.#language = picker("language", t("language"), (value) => actions.setLanguage(value as Language));
    this.#run = this.button("run", "primary", actions.run);
    this.#stop = this.button("stop", "quiet", actions.stop);
    const share = this.button("share", "quiet", actions.share);
    this.fillChoices();
    this.element = h(
      "header",
      { class: "toolbar" },
      brand(t),
      h(
        "div",
        { class: "toolbar-main" },
        labelled(t("gallery"), this.#gallery),
        labelled(t("target"), this.#target),
        labelled(t("precision"), this.#precision),
        labelled(t("mode"), this.#mode),
        h("div", { class: "run-group" }, this.#run, this.#stop),
        this.#status,
      ),
      h("div", { class: "toolbar-end" }, share, this.#theme, this.#language),
    );
  }

  private button(name: "run" | "stop" | "share", look: string, onClick: () => void): HTMLButtonElement {
    const hint = this.t(`${name}_hint`);
    return h("button", { class: `button button-${look}`, type: "button", "data-testid": name, title: hint, onClick: () => onClick() }, icon(name), h("span", {}, this.t(name)));
  }

  private fillChoices(): void {
    const option = (value: string, label: string): HTMLOptionElement => h("option", { value }, label);
    fill(this.#target, ...TARGETS.map((target) => option(target, TARGET_NAMES[target])));
    fill(this.#mode, ...MODES.map((mode) => option(mode, this.t(`mode_${mode}`))));
    fill(this.#theme, ...THEMES.map((theme) => option(theme, this.t(`theme_${theme}`))));
    fill(this.#language, ...Object.entries(LANGUAGES).map(([language, name]) => option(language, name)));
    const groups = new Map<string, HTMLOptionElement[]>();
    for (const kernel of this.kernels) {
      const options = groups.get(kernel.group) ?? [];
      options.push(h("option", { value: kernel.id, title: kernel.description }, kernel.title));
      groups.set(kernel.group, options);
    }
    const nodes = [...groups].flatMap(([name, options]) => (name === "" ? options : [h("optgroup", { label: name }, ...options)]));
    fill(this.#gallery, ...nodes);
  }

  setChoices(choices: { readonly target: Target; readonly mode: Mode; readonly theme: Theme; readonly language: Language }): void {
    this.#target.value = choices.target;
    this.#mode.value = choices.mode;
    this.#theme.value = choices.theme;
    this.#language.value = choices.language;
  }

  /** Shows which gallery kernel the text is; another text gets an entry of its own. */
  setKernel(id: string | null, other: Key): void {
    this.#gallery.querySelector(`option[value="${NO_KERNEL}"]`)?.remove();
    if (id === null) this.#gallery.prepend(h("option", { value: NO_KERNEL, disabled: true }, this.t(other)));
    this.#gallery.value = id ?? NO_KERNEL;
  }

  /** Offers the precisions of the kernel; the others stay visible but cannot be chosen. */
  setPrecision(precision: { readonly current: string; readonly offered: readonly string[] } | null): void {
    const offered = precision?.offered ?? [];
    const all = [...PRECISIONS, ...offered.filter((name) => !PRECISIONS.some((known) => known === name))];
    const options = all.map((value) => {
      const name = PRECISION_NAMES[value] ?? value;
      const enabled = offered.includes(value);
      return h("option", { value, disabled: !enabled }, enabled || precision === null ? name : this.t("precision_not_offered", { name }));
    });
    if (precision === null) options.unshift(h("option", { value: "" }, "–"));
    fill(this.#precision, ...options);
    this.#precision.disabled = precision === null;
    setAttr(this.#precision, "title", precision === null ? this.t("precision_none") : null);
    this.#precision.value = precision?.current ?? "";
  }

  /** `looking`: a look at operands goes on, which Stop ends too. */
  setActivity(state: PageState, activity: Activity, looking: boolean): void {
    const { t } = this;
    this.#stop.disabled = !activity.busy && !looking;
    const share = String(activity.busy ? activity.fraction : 0);
    this.#run.style.setProperty("--share", share);
    setAttr(this.#run, "data-busy", String(activity.busy));
    setAttr(this.#status, "data-busy", String(state === "loading" || activity.busy));
    setText(this.#status, state === "loading" ? t("state_loading") : activity.busy ? t("state_running", { phase: t(`phase_${activity.phase}`) }) : "");
  }
}
