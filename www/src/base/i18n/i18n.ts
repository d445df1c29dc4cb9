import { en } from "./en.ts";
import { ko } from "./ko.ts";
import { zh } from "./zh.ts";

/** Name of a text. */
export type Key = keyof typeof en;

/** A whole language; a missing key does not compile. */
export type Dictionary = Readonly<Record<Key, string>>;

/** Languages with the name they call themselves. */
export const LANGUAGES = { en: "English", zh: "中文", ko: "한국어" } as const;
export type Language = keyof typeof LANGUAGES;

const DICTIONARIES: Readonly<Record<Language, Dictionary>> = { en, zh, ko };

/** Gives the text of a key with its values filled in. */
export type Translate = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

export function translator(language: Language): Translate {
  const dictionary = DICTIONARIES[language];
  return (key, values = {}) =>
    dictionary[key].replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** The first of the wanted languages (BCP 47 tags) that there is; English otherwise. */
export function pickLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const primary = tag.toLowerCase().split("-")[0] ?? "";
    if (primary in LANGUAGES) return primary as Language;
  }
  return "en";
}
