// The tokenizer that index and question share; see `retrieve/tokens.py`.
import { stemmers } from "./snowball.js";
import { all, ascii, held, isAlnum, pattern, replaceAll, search } from "./text.js";

const COMBINING = /\p{M}/gu;
const MARK = /[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f]/u;
const kept = new Map();
let lists = null;

function stops() {
  if (!lists || lists.data !== held.data) {
    lists = { data: held.data, en: new Set(held.data.words.english), tr: new Set(held.data.words.turkish) };
    kept.clear();
  }
  return lists;
}

/** Marks that combine with the letter before them (Python's `unicodedata.combining`). */
export const uncombined = (text) => text.replace(COMBINING, (sign) => (combines(sign) ? "" : sign));

// A combining class other than 0: canonical reordering moves such a mark behind one of a lower class.
function combines(sign) {
  if (MARK.test(sign)) return true;
  const low = "\u0334"; // class 1
  const high = "\u0345"; // class 240
  return `a${sign}${low}`.normalize("NFD") !== `a${sign}${low}` || `a${high}${sign}`.normalize("NFD") !== `a${high}${sign}`;
}

/** Accents off, dotless i to i, compatibility forms joined. */
export function fold(word) {
  if (ascii(word)) return word;
  return uncombined(word.replace(/ı/g, "i").normalize("NFKD")).replace(/'/g, "");
}

function term(word, language) {
  const key = `${language}${word}`;
  let found = kept.get(key);
  if (found === undefined) {
    const { en, tr } = stops();
    if (language === "tr") found = tr.has(word) ? "" : fold(stemmers.turkish.stemWord(word));
    else if (en.has(word) || ([...word].length === 1 && !/^\p{Nd}$/u.test(word))) found = "";
    else found = fold(stemmers.english.stemWord(word));
    kept.set(key, found);
  }
  return found;
}

/** Index terms of a text in order, repeats kept. */
export function terms(text, language = "en") {
  stops();
  let read = ascii(text) ? text : text.normalize("NFKC");
  if (language === "tr") read = read.replace(/İ/g, "i").replace(/I/g, "ı");
  const out = [];
  const add = (word) => {
    const found = term(word, language);
    if (found) out.push(found);
  };
  for (const [match] of all("tokens.word", replaceAll("tokens.thousands", read.toLowerCase(), ""))) {
    if (isAlnum(match)) {
      add(match);
      continue;
    }
    const word = replaceAll("tokens.possessive", match, "");
    const pieces = all("tokens.piece", word).map((m) => m[0]);
    if (pieces.length > 1 && search("tokens.digit", word)) out.push(fold(word));
    pieces.forEach(add);
  }
  return out;
}

/** Whether a term names something exactly: it holds a digit and is no short plain number. */
export const isCode = (word) => search("tokens.digit", word) !== null && (!/^\p{Nd}+$/u.test(word) || word.length >= 4);

/** `tr` when Turkish function words or letters outnumber English ones, else `en`. */
export function guessLanguage(text) {
  const { en, tr } = stops();
  const lower = /[İışğ]/.test(text) ? text.replace(/İ/g, "i").replace(/I/g, "ı").toLowerCase() : text.toLowerCase();
  const words = all(pattern("tokens.piece"), lower).map((m) => m[0]);
  const letters = [...lower].filter((c) => "ışğ".includes(c)).length;
  const turkish = words.filter((w) => tr.has(w)).length + letters / 3;
  return turkish > words.filter((w) => en.has(w)).length ? "tr" : "en";
}

/** In which language a reply is given; see `guard/language.py`. */
export function replyLanguage(text, fallback) {
  const head = [...text.slice(0, 4000)].slice(0, 2000).join("");
  if (search("language.turkish_letter", head)) return "tr";
  const words = all("language.word", head).map((m) => m[0].toLowerCase());
  const count = (list) => words.filter((w) => list.includes(w)).length;
  const [turkish, english] = [count(held.data.words.reply_turkish), count(held.data.words.reply_english)];
  if (turkish === english) return fallback;
  return turkish > english ? "tr" : "en";
}
