/** Builds the page: creates its state, connects editor, simulator and panels, and reads the address. */
import { Atom, type Dispose, Scope, setIfDifferent, watch } from "./base/atom.ts";
import { h } from "./base/dom.ts";
import { type Key, type Language, LANGUAGES, translator, type Translate } from "./base/i18n/i18n.ts";
import { recall, remember } from "./base/settings.ts";
import { decodeSource, encodeSource } from "./base/share-link.ts";
import type { Ps, TimeRange } from "./base/units.ts";
import { Editor } from "./editor/editor.ts";
import { applyEdit, findParams, type Param, readPrecision, setParam, setPrecision } from "./base/params.ts";
import { DEFAULT_KERNEL, type Kernel } from "./base/gallery.ts";
import { RESULT_PANELS } from "./panels/index.ts";
import type { Panel, PanelContext, Selection, Shown } from "./panels/panel.ts";
import { params as paramsPanel } from "./panels/params/params.ts";
import { problems } from "./panels/problems/problems.ts";
import { type Address, chooseLanguage, linkTo, readAddress } from "./shell/address.ts";
import { makeSplitter } from "./shell/splitter.ts";
import { ThemeChoice } from "./shell/theme.ts";
import { Toast } from "./shell/toast.ts";
import { Toolbar } from "./shell/toolbar.ts";
import { Client } from "./sim/client.ts";
import { Debugger, type Subject } from "./sim/debugger.ts";
import { Live } from "./sim/live.ts";
import type { Mode, Target } from "./sim/protocol.ts";

/** Name under which diagnostics speak of the text in the editor. */
const MAIN_FILE = "kernel.py";
/** Links longer than this are cut by some chat programs. */
const LONG_LINK = 2000;

/** What the page starts with. */
interface Start {
  readonly kernel: Kernel | null;
  readonly text: string;
  readonly notice: Key | null;
}

async function chooseStart(address: Address, gallery: readonly Kernel[]): Promise<Start> {
  const find = (id: string): Kernel | undefined => gallery.find((kernel) => kernel.id === id);
  const shared = address.code === null ? null : await decodeSource(address.code);
  const kernel = find(address.kernel ?? DEFAULT_KERNEL) ?? find(DEFAULT_KERNEL) ?? gallery[0] ?? null;
  const base = shared ?? kernel?.text ?? "";
  const text = address.precision === null ? base : applyEdit(base, setPrecision(base, address.precision));
  return { kernel: shared === null ? kernel : null, text, notice: address.code !== null && shared === null ? "share_broken" : null };
}

class App {
  readonly #language: Atom<Language>;
  readonly #theme = new ThemeChoice();
  readonly #target: Atom<Target>;
  readonly #mode = new Atom<Mode>("simulate");
  readonly #kernel: Atom<Kernel | null>;
  readonly #text: Atom<string>;
  readonly #params = new Atom<readonly Param[]>([]);
  readonly #launch = new Atom(0);
  readonly #shown = new Atom<Shown | null>(null);
  readonly #viewport = new Atom<TimeRange | null>(null);
  readonly #selection = new Atom<Selection | null>(null);
  readonly #pointerTime = new Atom<Ps | null>(null);
  readonly #caretLine = new Atom(0);
  readonly #client: Client;
  readonly #live: Live;
  readonly #subject = new Atom<Subject | null>(null);
  readonly #debug: Debugger;
  readonly #editor: Editor;
  readonly #editorHost = h("div", { class: "editor-host" });
  readonly #toast = new Toast();
  #t: Translate;

  constructor(
    private readonly root: HTMLElement,
    private readonly gallery: readonly Kernel[],
    makeWorker: () => Worker,
    private readonly address: Address,
    start: Start,
  ) {
    this.#language = new Atom(chooseLanguage(address, recall("language", Object.keys(LANGUAGES) as Language[])));
    this.#t = translator(this.#language.value);
    this.#target = new Atom(address.target ?? "trn3");
    this.#kernel = new Atom(start.kernel);
    this.#text = new Atom(start.text);
    this.#client = new Client(makeWorker);
    this.#debug = new Debugger(this.#client, this.#subject);
    this.#live = new Live(this.#client, () => ({ main: MAIN_FILE, text: this.#text.value, target: this.#target.value, mode: this.#mode.value }));
    this.#editor = new Editor(this.#editorHost, start.text, {
      changed: (text) => this.#text.set(text),
      caretMoved: (line) => this.#caretLine.set(line),
      breakpoints: (lines) => setIfDifferent(this.#debug.breakpoints, lines.map((line) => ({ file: MAIN_FILE, line }))),
      run: () => this.#live.run(),
      share: () => void this.share(),
    });
    this.connect();
    this.mount();
    if (start.notice !== null) this.#toast.show(this.#t(start.notice), "warning");
    this.#live.opened();
    void this.#client.catalog().then((entries) => entries !== null && this.#editor.setCatalog(entries));
  }

  /** State that follows from other state. */
  private connect(): void {
    const { dataset } = document.documentElement;
    watch([this.#live.state], () => (dataset["state"] = this.#live.state.value));
    watch([this.#text], () => setIfDifferent(this.#params, findParams(this.#text.value)));
    this.#text.subscribe(() => this.#live.edited());
    this.#target.subscribe(() => this.#live.edited());
    this.#mode.subscribe(() => this.#live.edited());
    watch([this.#live.diagnostics], () => this.#editor.setDiagnostics(this.#live.diagnostics.value, MAIN_FILE));
    watch([this.#live.result, this.#launch], () => this.showResult());
    this.connectDebugger();
    this.#language.subscribe((language) => {
      remember("language", language);
      this.mount();
    });
  }

  /** The selected bar and the present instruction are one thing; a step also marks its line. */
  private connectDebugger(): void {
    const { point } = this.#debug;
    watch([this.#shown], () => {
      const { value: shown } = this.#shown;
      if (shown === null) return this.#subject.set(null);
      setIfDifferent(this.#subject, { run: shown.result.id, launch: shown.index, values: shown.result.report.mode === "simulate" });
      const { value: selection } = this.#selection;
      if (selection !== null && point.value === null) void this.#debug.showEntry(selection.inst);
    });
    this.#selection.subscribe((selection) => selection !== null && void this.#debug.showEntry(selection.inst));
    point.subscribe((value) => {
      this.#editor.showPoint(value?.file === MAIN_FILE ? value.line : null);
      if (value !== null) setIfDifferent(this.#selection, value.entry === null ? null : { inst: value.entry, line: value.line });
    });
  }

  /** Picks the launch on display; the zoom stays unless the length of the launch changed. */
  private showResult(): void {
    const { value: result } = this.#live.result;
    const index = result === null ? 0 : Math.min(this.#launch.value, result.report.launches.length - 1);
    const report = result?.report.launches[index];
    const info = result?.launches[index];
    if (result === null || report === undefined || info === undefined) return this.#shown.set(null);
    if (this.#shown.value !== null && this.#shown.value.info.end_ps !== info.end_ps) {
      this.#viewport.set(null);
      this.#selection.set(null);
    }
    this.#shown.set({ result, index, report, info });
  }

  private readonly context = (): PanelContext => ({
    t: this.#t,
    live: this.#live,
    client: this.#client,
    activity: this.#client.activity,
    shown: this.#shown,
    launch: this.#launch,
    viewport: this.#viewport,
    selection: this.#selection,
    debug: this.#debug,
    file: MAIN_FILE,
    toggleBreakpoint: () => this.#editor.toggleBreakpoint(),
    pointerTime: this.#pointerTime,
    caretLine: this.#caretLine,
    params: this.#params,
    appearance: this.#theme.appearance,
    goTo: (line, column) => {
      this.#editor.reveal(line, column);
      this.#editor.focus();
    },
    applyFix: (fix) => this.#editor.applyFix(fix),
    reveal: (line) => this.#editor.reveal(line, 1),
    setParam: (name, literal) => this.#editor.apply(setParam(this.#editor.text, name, literal)),
  });

  #unmount: Dispose = () => undefined;

  /** Builds everything that contains words; the editor and the state stay. */
  private mount(): void {
    this.#unmount();
    const scope = new Scope();
    this.#unmount = () => scope.dispose();
    const { value: language } = this.#language;
    this.#t = translator(language);
    document.documentElement.lang = language;
    document.title = this.#t("app_title");
    this.#editor.setLabel(this.#t("editor"), this.#t("editor_trap_hint"));
    const context = this.context();
    const place = (panel: Panel): HTMLElement => {
      const host = h("div", { class: `panel panel-${panel.id}` });
      scope.add(panel.mount(host, context));
      return host;
    };
    const editor = h("div", { class: "pane pane-editor" }, place(paramsPanel), this.#editorHost, place(problems));
    const results = h("main", { class: "pane pane-results", tabindex: -1 }, ...RESULT_PANELS.map(place), this.footer());
    const body = h("div", { class: "body" }, editor);
    body.append(makeSplitter(body, this.#t("splitter"), scope), results);
    scope.watch([this.#live.result], () => results.classList.toggle("is-stale", this.#live.result.value?.stale === true));
    this.root.classList.toggle("is-embedded", this.address.embed);
    this.root.replaceChildren(this.makeToolbar(scope).element, body, this.#toast.element);
  }

  private footer(): HTMLElement {
    const { t } = { t: this.#t };
    const open = h("a", { class: "link open-full", href: linkTo(new URL(location.href), { target: this.#target.value }).href, target: "_blank", rel: "noopener" }, t("open_full"));
    // Links of changed texts are long to make; before the address can be used or copied, the pointer or the focus is there.
    const refresh = (): void => void this.makeLink().then((link) => (open.href = link.href));
    open.addEventListener("pointerenter", refresh);
    open.addEventListener("focus", refresh);
    open.addEventListener("click", (event) => {
      event.preventDefault();
      void this.makeLink().then((link) => window.open(link.href, "_blank", "noopener"));
    });
    return h("footer", { class: "footer" }, h("span", {}, t("privacy")), h("span", {}, t("model_note")), this.address.embed && open);
  }

  private makeToolbar(scope: Scope): Toolbar {
    const toolbar = new Toolbar(this.#t, this.gallery, {
      openKernel: (id) => this.openKernel(id),
      setTarget: (target) => this.#target.set(target),
      setPrecision: (precision) => this.#editor.apply(setPrecision(this.#editor.text, precision)),
      setMode: (mode) => this.#mode.set(mode),
      run: () => this.#live.run(),
      stop: () => (this.#client.activity.value.busy ? this.#live.stop() : this.#client.stopLooking()),
      share: () => void this.share(),
      setTheme: (theme) => this.#theme.choice.set(theme),
      setLanguage: (language) => this.#language.set(language),
    });
    scope.watch([this.#target, this.#mode, this.#theme.choice, this.#language], () =>
      toolbar.setChoices({ target: this.#target.value, mode: this.#mode.value, theme: this.#theme.choice.value, language: this.#language.value }),
    );
    scope.watch([this.#kernel], () => toolbar.setKernel(this.#kernel.value?.id ?? null, "gallery_shared"));
    scope.watch([this.#params], () => toolbar.setPrecision(readPrecision(this.#text.value)));
    scope.watch([this.#live.state, this.#client.activity, this.#client.looking], () =>
      toolbar.setActivity(this.#live.state.value, this.#client.activity.value, this.#client.looking.value !== null),
    );
    return toolbar;
  }

  private openKernel(id: string): void {
    const kernel = this.gallery.find((candidate) => candidate.id === id);
    if (kernel === undefined) return;
    this.#kernel.set(kernel);
    this.#viewport.set(null);
    this.#launch.set(0);
    this.#editor.setText(kernel.text);
    history.replaceState(null, "", linkTo(new URL(location.href), { kernel: kernel.id, target: this.#target.value }));
    this.#live.opened();
  }

  /** A gallery kernel that was not changed needs no source in its link. */
  private async makeLink(): Promise<URL> {
    const kernel = this.#kernel.value;
    const target = this.#target.value;
    if (kernel !== null && kernel.text === this.#text.value) return linkTo(new URL(location.href), { kernel: kernel.id, target });
    return linkTo(new URL(location.href), { target, code: await encodeSource(this.#text.value) });
  }

  private async share(): Promise<void> {
    const link = await this.makeLink();
    history.replaceState(null, "", link);
    const { length } = link.href;
    try {
      await navigator.clipboard.writeText(link.href);
      this.#toast.show(this.#t(length > LONG_LINK ? "share_too_long" : "share_copied", { length }), "plain");
    } catch {
      this.#toast.show(this.#t("share_failed"), "warning");
    }
  }
}

/** Starts the page in `root`. */
export async function startApp(root: HTMLElement, gallery: readonly Kernel[], makeWorker: () => Worker): Promise<void> {
  const address = readAddress(new URL(location.href));
  new App(root, gallery, makeWorker, address, await chooseStart(address, gallery));
}
