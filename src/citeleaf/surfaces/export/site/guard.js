// The guard's rules over a question; see `guard/normal.py` and `guard/look.py`.
import { uncombined } from "./tokens.js";
import {
  all, ascii, cut, hasAlnum, held, isAlpha, length, number, oneLine, ready, replaceAll, search, strip,
  translate, trim,
} from "./text.js";

const INVALID = new Set([0x7f, 0xb, ...range(0x1, 0x9), ...range(0xe, 0x20), ...range(0x7f, 0xa0), ...range(0xfdd0, 0xfdf0)]);
const CP1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function range(from, to) {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/** Python's `html.unescape`. */
export function unescape(text) {
  if (!text.includes("&")) return text;
  return text.replace(/&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/gu, (whole, name) => {
    const known = held.data.words.entities;
    if (name[0] === "#") {
      const hex = /^#[xX]/.test(name);
      const code = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
      if (code === 0) return "\ufffd";
      if (code === 0xd) return "\r";
      if (code >= 0x80 && code <= 0x9f) return CP1252[code - 0x80];
      if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return "\ufffd";
      return INVALID.has(code) || (code & 0xfffe) === 0xfffe ? "" : String.fromCodePoint(code);
    }
    if (Object.hasOwn(known, name)) return known[name];
    const letters = [...name];
    for (let n = letters.length - 1; n > 1; n -= 1) {
      const head = letters.slice(0, n).join("");
      if (Object.hasOwn(known, head)) return known[head] + letters.slice(n).join("");
    }
    return whole;
  });
}

// UTF-8, what is none left out.
function utf8(bytes) {
  let out = "";
  for (let i = 0; i < bytes.length; ) {
    const size = bytes[i] < 0x80 ? 1 : bytes[i] < 0xe0 ? 2 : bytes[i] < 0xf0 ? 3 : 4;
    const piece = decoded(bytes.slice(i, i + size));
    out += piece ?? "";
    i += piece === null ? 1 : size;
  }
  return out;
}

function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

const unquote = (text) =>
  text.replace(/[\x00-\x7f]+/g, (run) =>
    run.replace(/(?:%[0-9a-fA-F]{2})+/g, (hex) => utf8(hex.match(/[0-9a-fA-F]{2}/g).map((b) => Number.parseInt(b, 16)))),
  );

/** The text in small letters without accents and tricks of writing. */
export function normal(raw, words) {
  let text = unescape(raw);
  if (text.split("%").length - 1 > 2) text = unquote(text);
  text = translate(translate(text, held.data.words.letter_signs).normalize("NFKC"), held.data.words.marks);
  text = replaceAll("normal.invisible", text, "");
  if (!ascii(text)) {
    text = replaceAll("normal.word", text, (word) => latin(word, words));
    text = uncombined(text.toLowerCase().normalize("NFD"));
    text = translate(text, held.data.words.folded);
  }
  text = replaceAll("normal.spaced", text.toLowerCase(), (run) => joined(run, words));
  if (words.size) text = replaceAll("normal.mixed", text, (token) => unmixed(token, words));
  return oneLine(text);
}

function latin(word, words) {
  const alike = translate(word, held.data.words.look_alike);
  return alike !== word && (search("normal.latin", word) || words.has(alike.toLowerCase())) ? alike : word;
}

function joined(run, words) {
  const groups = run.split(/ {2,}/).map((group) => group.replace(/[^a-z0-9@$!]/g, ""));
  return `${groups.map((g) => (groups.length === 1 ? parted(g, words) : g)).join(" ")} `;
}

function parted(letters, words) {
  if (!words.size || letters.length < 8) return letters;
  const best = [[0, 0]];
  for (let end = 1; end <= letters.length; end += 1) {
    let least = [best[end - 1][0] + 1.5, end - 1];
    for (let i = Math.max(0, end - 20); i < end; i += 1) {
      const option = [best[i][0] + 1, i];
      if (words.has(letters.slice(i, end)) && (option[0] < least[0] || (option[0] === least[0] && i < least[1]))) least = option;
    }
    best.push(least);
  }
  const cuts = [letters.length];
  for (let at = letters.length; at; cuts.push(at)) at = best[at][1];
  cuts.reverse();
  let out = "";
  let last = "";
  for (let i = 1; i < cuts.length; i += 1) {
    const piece = letters.slice(cuts[i - 1], cuts[i]);
    out += (piece.length === 1 && last.length === 1 ? "" : " ") + piece;
    last = piece;
  }
  return trim(out);
}

function unmixed(token, words) {
  const core = strip(token, ".,;:!?()[]{}<>\"'");
  if (length(core) < 4 || isAlpha(core) || core.split(/['-]/).every(isAlpha)) return token;
  for (const table of held.data.words.leet) {
    const word = translate(core, table).replace(/[^a-z]/g, "");
    if (word.length > 3 && words.has(word)) return token.split(core).join(word);
  }
  return token;
}

const known = (text, words) =>
  all("normal.word", cut(text, 0, 5000)).filter(([word]) => length(word) > 3 && words.has(word)).length;

function base64(token) {
  const letters = token.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  const whole = letters.slice(0, letters.length - (letters.length % 4 === 1 ? 1 : 0));
  try {
    const bytes = atob(whole + "=".repeat((4 - (whole.length % 4)) % 4));
    return decoded([...bytes].map((c) => c.charCodeAt(0))) ?? "";
  } catch {
    return "";
  }
}

function hex(token) {
  const digits = token.replace(/0x|\\x|[ ,:]/g, "");
  return digits.length % 2 ? "" : (decoded((digits.match(/../g) ?? []).map((b) => Number.parseInt(b, 16))) ?? "");
}

const binary = (token) => token.match(/[01]{8}/g).map((b) => String.fromCodePoint(Number.parseInt(b, 2))).join("");

function isText(text) {
  const letters = [...text];
  return letters.length >= 4 && letters.filter((c) => isAlpha(c) || c === " ").length >= 0.8 * letters.length;
}

/** The text as it stands, then what can be read in it by undoing a trick. */
export function readings(text, words) {
  const plain = normal(text, words);
  const out = [["", plain]];
  for (const [how, read] of [["base64", base64], ["hex", hex], ["binary", binary]]) {
    for (const [token] of all(`normal.${how}`, text).slice(0, number("normal.most_decoded"))) {
      const found = read(token);
      if (found && isText(found)) out.push([how, normal(found, words)]);
    }
  }
  const least = Math.max(2, known(plain, words) + 1);
  const turned = [["rot13", translate(plain, held.data.words.rot13)], ["backwards", [...plain].reverse().join("")]];
  if (search("normal.invisible", text)) turned.push(["invisible", normal(replaceAll("normal.invisible", text, " "), words)]);
  for (const [how, other] of turned) if (known(other, words) >= least) out.push([how, other]);
  return out;
}

let rules = null;

function compiled() {
  if (rules?.data !== held.data) {
    const { guard } = held.data;
    rules = {
      data: held.data,
      words: new Set(guard.words),
      list: guard.rules.map((rule) => ({ ...rule, ready: null })),
    };
  }
  for (const rule of rules.list) {
    rule.ready ??= { signs: rule.signs.map(([s, f, weight, needles]) => [null, [s, f], weight, needles]), unless: null };
  }
  return rules;
}

/** One check a rule: whether it passed, and the words that were hit. */
export function guard(question) {
  const { words, list } = compiled();
  if (!list.length) return [];
  const step = number("look.window") - number("look.shared");
  const windows = [];
  for (const [how, text] of readings(cut(question, 0, number("look.longest")), words)) {
    for (let i = 0; i < Math.max(length(text) - number("look.shared"), 1); i += step) {
      windows.push([how, cut(text, i, i + number("look.window"))]);
    }
  }
  return list.map((rule) => check(rule, windows));
}

function check(rule, windows) {
  let weight = 0;
  const found = [];
  for (const [i, sign] of rule.ready.signs.entries()) {
    const words = hit(sign, rule, windows);
    if (!words) continue;
    weight += sign[2];
    found.push(rule.places[i] ? `${words} [${rule.places[i]}]` : words);
    if (weight >= number("look.suffices")) break;
  }
  return { name: rule.name, passed: weight < number("look.suffices"), detail: found.join("; "), value: weight, threshold: 1 };
}

function hit(sign, rule, windows) {
  const [, written, , needles] = sign;
  for (const [how, text] of windows) {
    if (needles.length && !needles.some((word) => text.includes(word))) continue;
    sign[0] ??= ready(written);
    rule.ready.unless ??= rule.unless.map(ready);
    let n = 0;
    for (const match of text.matchAll(sign[0])) {
      if (n >= number("look.most_hits")) break;
      n += 1;
      if (rule.ready.unless.some((lift) => search(lift, sentence(text, match)))) continue;
      const words = trim(match[0]);
      const shown = length(words) <= number("look.shown") ? words : `${cut(words, 0, number("look.shown"))}…`;
      return how ? `${shown} (${how})` : shown;
    }
  }
  return "";
}

function sentence(text, match) {
  const [start, end] = [match.index, match.index + match[0].length];
  const from = Math.max(0, start - 400);
  const before = all("look.end", text.slice(from, start));
  // Python looks for the end of a sentence in this stretch alone: its end counts as the end of the text.
  const last = before.at(-1);
  const at = Math.max(start, end - 1);
  const after = search("look.end", text.slice(at, end + 400));
  return text.slice(last ? from + last.index + last[0].length : from, after ? at + after.index + after[0].length : end + 400);
}

/** The decision of the first rule that failed, or of a question that asks nothing; null: search. */
export function decideRequest(question, checks, language) {
  const longest = number("decide.longest_question");
  if (!hasAlnum(cut(question, 0, longest))) return { outcome: "abstained", reason: "empty_question", reply: null };
  if (length(question) > longest) return { outcome: "abstained", reason: "question_too_long", reply: null };
  const failed = new Set(checks.filter((c) => !c.passed).map((c) => c.name));
  const rule = held.data.guard.rules.find((r) => failed.has(r.name) && ["refused", "escalated"].includes(r.outcome));
  return rule ? { outcome: rule.outcome, reason: rule.name, reply: rule.reply[language] } : null;
}
