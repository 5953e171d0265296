// Words of the page. `en` says which keys there are; a key that `tr` lacks fails the build.

import { en } from "../text/en.ts";
import { tr } from "../text/tr.ts";
import { settings } from "./settings.svelte.ts";

export type TextKey = keyof typeof en;
export type Catalogue = Record<TextKey, string>;

const catalogues: Record<"en" | "tr", Catalogue> = { en, tr };

/** The words under a key, `{name}` filled in. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return fill(catalogues[settings.language][key], values);
}

/** The words for a count: the key ends in `_one` or `_other` by the language's rules. */
export function counted(key: CountKey, count: number): string {
  const form = new Intl.PluralRules(settings.language).select(count) === "one" ? "one" : "other";
  return t(`${key}_${form}`, { n: number(count) });
}

/** Whether there are words under a key. */
export const known = (key: string): boolean => key in en;

/** The words for a code the server sent, or the code itself where it is one of a profile's own. */
export function coded(family: string, code: string): string {
  const key = `${family}.${code}`;
  return key in en ? t(key as TextKey) : code.replaceAll("_", " ");
}

export const number = (value: number, digits = 0): string =>
  new Intl.NumberFormat(settings.language, { maximumFractionDigits: digits }).format(value);

export const decimal = (value: number, digits = 2): string =>
  new Intl.NumberFormat(settings.language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    value,
  );

export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

type CountKey = TextKey extends infer K ? (K extends `${infer Stem}_other` ? Stem : never) : never;
