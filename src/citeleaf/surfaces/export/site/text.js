// Texts as Python reads them: by code points, with its white space, its letters and its patterns.

/** Everything the export wrote down: set once, before anything else is called. */
export const held = { data: null, patterns: null };

/** Takes the data of an export; patterns are made when first used. */
export function open(data) {
  held.data = data;
  held.patterns = new Map();
  return data;
}

const made = (source, flags) => new RegExp(source, `g${flags}`);
const at = (name) => name.split("/").reduce((table, key) => table?.[key], held.data.patterns);

/** The pattern of this name, such as `tokens.word`, or `ask.held/amount`. */
export function pattern(name) {
  let found = held.patterns.get(name);
  if (!found) {
    const written = at(name);
    if (!written) throw new Error(`no pattern ${name} in this export`);
    found = made(...written);
    held.patterns.set(name, found);
  }
  return found;
}

/** A pattern that is no part of the table, such as a rule's. */
export const ready = (written) => made(written[0], written[1]);

export const all = (re, text) => [...text.matchAll(typeof re === "string" ? pattern(re) : re)];

export function search(re, text, from = 0) {
  const found = typeof re === "string" ? pattern(re) : re;
  found.lastIndex = from;
  const match = found.exec(text);
  found.lastIndex = 0;
  return match;
}

/** The match at the very beginning, as Python's `match`. */
export function starts(re, text) {
  const match = search(re, text);
  return match && match.index === 0 ? match : null;
}

export const replaceAll = (re, text, by) => text.replace(typeof re === "string" ? pattern(re) : re, by);

export const number = (name) => held.data.numbers[name];

const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACES = new RegExp(`[${SPACE}]+`, "gu");
const LEFT = new RegExp(`^[${SPACE}]+`, "u");
const RIGHT = new RegExp(`[${SPACE}]+$`, "u");
const ALNUM = /[\p{L}\p{N}]/u;

export const trimEnd = (text) => text.replace(RIGHT, "");
export const trim = (text) => trimEnd(text.replace(LEFT, ""));
export const oneLine = (text) => trim(text.replace(SPACES, " "));
export const hasAlnum = (text) => ALNUM.test(text);
export const isAlnum = (text) => text !== "" && /^[\p{L}\p{N}]+$/u.test(text);
export const isAlpha = (text) => text !== "" && /^\p{L}+$/u.test(text);
export const ascii = (text) => /^[\x00-\x7f]*$/.test(text);

/** `text` without any of `signs` at its ends. */
export function strip(text, signs) {
  const letters = [...text];
  let from = 0;
  let to = letters.length;
  while (from < to && signs.includes(letters[from])) from += 1;
  while (to > from && signs.includes(letters[to - 1])) to -= 1;
  return letters.slice(from, to).join("");
}
export function stripEnd(text, signs) {
  let to = text.length;
  while (to && signs.includes(text[to - 1])) to -= 1;
  return text.slice(0, to);
}

const wide = (text) => /[\ud800-\udfff]/.test(text);

/** Length in characters of Python: code points. */
export const length = (text) => (wide(text) ? [...text].length : text.length);

/** `text[from:to]` in code points. */
export function cut(text, from, to = Infinity) {
  return wide(text) ? [...text].slice(from, to).join("") : text.slice(from, to);
}

export const translate = (text, table) => {
  let out = "";
  for (const sign of text) out += sign in table ? (table[sign] ?? "") : sign;
  return out;
};

/** Order of Python: by code points. */
export function before(a, b) {
  if (a === b) return 0;
  const [x, y] = [[...a], [...b]];
  for (let i = 0; i < Math.min(x.length, y.length); i += 1) {
    if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  }
  return x.length - y.length;
}

const SAME = {
  "’": "'", "‘": "'", "‛": "'", "“": '"', "”": '"', "„": '"',
  "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "\u00ad": "", "\u200b": "", "\ufeff": "",
};

/** Case off, as Python's `casefold` for the letters of European languages. */
export const casefold = (text) =>
  text.replace(/İ/g, "i̇").toLowerCase().replace(/ß/g, "ss").replace(/ς/g, "σ").replace(/ſ/g, "s");

/** For comparing words: see `quotes.folded`. */
export const folded = (text) =>
  oneLine(casefold(translate(translate(text, SAME).normalize("NFKC"), SAME)));
