import { Atom, type Readable } from "../base/atom.ts";
import { recall, remember } from "../base/settings.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The chosen theme, written to the document; `appearance` is what it comes to. */
export class ThemeChoice {
  readonly choice = new Atom<Theme>(recall("theme", THEMES) ?? "system");
  readonly #appearance = new Atom<"light" | "dark">("light");

  constructor() {
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const apply = (): void => {
      const { value } = this.choice;
      const appearance = value === "system" ? (system.matches ? "dark" : "light") : value;
      document.documentElement.dataset["theme"] = appearance;
      this.#appearance.set(appearance);
    };
    system.addEventListener("change", apply);
    this.choice.subscribe((value) => {
      remember("theme", value);
      apply();
    });
    apply();
  }

  get appearance(): Readable<"light" | "dark"> {
    return this.#appearance;
  }
}
