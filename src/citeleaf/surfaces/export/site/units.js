// Units and exact quotes, and whether a sentence is the documents' own words; see `quotes.py`, `verify/`.
import { guessLanguage, terms } from "./tokens.js";
import { all, cut, folded, held, length, number, oneLine, replaceAll, stripEnd, strip, trim } from "./text.js";

export const OMITTED = "[…]";

const holds = (outer, start, end) => outer.start <= start && end <= outer.end;
export const same = (a, b) => a.start === b.start && a.end === b.end;

/** The words a unit is read with: its lead, outermost first, then its own. */
export function quotesOf(unit) {
  unit.made ??= unit.quotes.map(([start, end, text]) => ({ start, end, text }));
  return unit.made;
}
export const own = (unit) => quotesOf(unit).at(-1);
export const leadOf = (unit) => quotesOf(unit).slice(0, -1);

export function introduction(unit) {
  unit.opening ??= leadOf(unit).filter((q) => !unit.columns.flat().some(([start, end]) => holds(q, start, end)));
  return unit.opening;
}

const part = (quote, [start, end]) => oneLine(cut(quote.text, start - quote.start, end - quote.start));

/** A unit's own words as they are said; a row's cells each under its headings. */
export function wordsOf(unit) {
  const quotes = quotesOf(unit);
  let said = [];
  for (const column of unit.columns) {
    const [cell, ...headings] = column.map((span) => {
      const home = quotes.find((q) => holds(q, ...span));
      return home ? part(home, span) : "";
    });
    if (cell) said.push([headings.filter(Boolean).map((h) => stripEnd(h, " :")).join(", "), cell]);
  }
  if (!said.length) return oneLine(own(unit).text);
  if (said.length === 2 && !said.some(([heading]) => heading)) said = [[stripEnd(said[0][1], " :"), said[1][1]]];
  let out = "";
  for (const [heading, words] of said) {
    if (out) out += /[.;:!?]$/.test(out) ? " " : "; ";
    out += heading ? `${heading}: ${words}` : words;
  }
  return out;
}

const key = (q) => `${q.start} ${q.end} ${q.text}`;

/** How units are said in reading order: what introduces them once, then their own words. */
export function spoken(units) {
  const out = new Map();
  for (const unit of units) {
    for (const q of introduction(unit)) if (!out.has(key(q))) out.set(key(q), [q, oneLine(q.text)]);
    if (!out.has(key(own(unit)))) out.set(key(own(unit)), [own(unit), wordsOf(unit)]);
  }
  return [...out.values()];
}

function said(quotes, passage) {
  const inside = passage.units.filter((u) => quotes.some((q) => holds(q, own(u).start, own(u).end)));
  const told = inside.flatMap((u) => u.columns.flat());
  const isName = (u) => u.kind === "table_row" && !u.columns.length && told.some(([s, e]) => holds(own(u), s, e));
  return spoken(inside.filter((u) => !isName(u))).map(([, words]) => words).join(" ");
}

/** The quotes in reading order, each once; neighbours become one. */
export function joined(quotes, passage) {
  const end = passage.start + length(passage.text);
  const ordered = [...new Map(quotes.map((q) => [key(q), q])).values()];
  ordered.sort((a, b) => a.start - b.start || b.end - a.end);
  const out = [];
  for (const quote of ordered) {
    const last = out.at(-1);
    if (last && quote.end <= last.end) continue;
    const inside = last && last.start >= passage.start && quote.end <= end;
    const between = inside && cut(passage.text, Math.max(0, last.end - passage.start), Math.max(0, quote.start - passage.start));
    if (inside && (quote.start <= last.end || !trim(between))) {
      const text = cut(passage.text, last.start - passage.start, quote.end - passage.start);
      out[out.length - 1] = { start: last.start, end: quote.end, text };
    } else out.push(quote);
  }
  return out;
}

const bare = (text) => strip(folded(text), " .;,:\"'•-");

/** Whether the words of a quotation stand in the passage that it cites, by `verify_overlap`. */
export function supported({ text, quotes, passage }) {
  const wanted = bare(text.split(OMITTED).join(" "));
  if (wanted) {
    if (wanted === bare(quotes.map((q) => q.text).join(" ")) || wanted === bare(said(quotes, passage))) return true;
    const alone = passage.units.map((u) => bare(quotesOf(u).map((q) => q.text).join(" ")));
    for (const [i, unit] of passage.units.entries()) {
      if (wanted === alone[i]) return true;
      const next = passage.units[i + 1];
      if (!next) continue;
      const alike = JSON.stringify(next.quotes.slice(0, -1)) === JSON.stringify(unit.quotes.slice(0, -1));
      if ((next.quotes.length === 1 || alike) && wanted === `${alone[i]} ${bare(own(next).text)}`) return true;
    }
  }
  return alike(text, quotes.map((q) => q.text).join(" "), [...passage.heading, passage.context, passage.text].join(" "));
}

const setOf = (name, text) => new Set(all(name, text).map((m) => m[0]));
const equal = (a, b) => a.size === b.size && [...a].every((x) => b.has(x));
const minus = (a, b) => [...a].filter((x) => !b.has(x));

function alike(claim, words, around) {
  const language = guessLanguage(words);
  const [said_, meant, near] = [claim, words, around].map((t) =>
    replaceAll("overlap.word", folded(t), (w) => held.data.words.digits[w] ?? w),
  );
  const wanted = new Set(terms(said_, language));
  const there = new Set(terms(meant, language));
  const share = wanted.size ? [...wanted].filter((t) => there.has(t)).length / wanted.size : 0;
  const foreign = minus(minus(wanted, there), new Set(terms(near, language)));
  const numbers = (t) => new Set([...setOf("overlap.number", t)].map((n) => n.replace(/,/g, "")));
  const signs = (t) => new Set([...setOf("overlap.word", t)].map((w) => (/n't$/.test(w) || w === "cannot" ? "not" : w)));
  const [mine, theirs] = [signs(said_), signs(meant)];
  const of = (set, list) => new Set([...set].filter((w) => list.includes(w)));
  const modal = (set) => new Set([...set].flatMap((w) => held.data.words.modal[w] ?? []));
  const exceptions = (t) => new Set([...setOf("overlap.exception", t)].map((w) => (w.startsWith("exclud") ? "exclude" : w)));
  const [ours, given] = [exceptions(said_), exceptions(meant)];
  return (
    share >= number("overlap.least_overlap") &&
    !foreign.length &&
    !minus(numbers(said_), numbers(meant)).length &&
    equal(of(mine, held.data.words.negations), of(theirs, held.data.words.negations)) &&
    equal(modal(mine), modal(theirs)) &&
    !minus(of(theirs, held.data.words.conditions), mine).length &&
    equal(ours, given)
  );
}

