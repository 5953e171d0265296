// Lists and tables in an answer: which items belong together, and what is left out; see `backends/quote_lists.py`.
import { guessLanguage, terms } from "./tokens.js";
import { search } from "./text.js";
import { OMITTED, introduction, leadOf, own, same, spoken } from "./units.js";

/** The innermost list or the table that a unit is an item of, as a key; null: of none. */
export function listOf(doc, unit) {
  const leads = leadOf(unit);
  if (!unit.position || !leads.length) return null;
  const shared = unit.kind === "list_item" ? leads.at(-1) : leads[0];
  return `${doc} ${unit.kind} ${shared.start} ${shared.end}`;
}

const placeKey = (doc, quote) => `${doc} ${quote.start} ${quote.end}`;

/** Where each item of the candidates' passages stands in its list: key, number, total. */
export function placesOf(candidates) {
  const out = new Map();
  for (const passage of new Set(candidates.map((c) => c.passage))) {
    for (const unit of passage.units) {
      const owner = listOf(passage.doc, unit);
      if (owner !== null) out.set(placeKey(passage.doc, own(unit)), [owner, ...unit.position]);
    }
  }
  return out;
}

/** All candidates of the list that is asked for: the one whose introduction holds the most terms of the question. */
export function askedList(best, candidates, question) {
  const wanted = new Set(terms(question, guessLanguage(question)));
  const every = leadOf(best.unit);
  const leads = best.unit.kind === "list_item" ? every : every.slice(0, 1);
  if (!leads.length) return [];
  let [depth, most] = [0, -1];
  leads.forEach((lead, d) => {
    const n = new Set(terms(lead.text).filter((t) => wanted.has(t))).size;
    if (n >= most) [depth, most] = [d + 1, n];
  });
  const key = (unit) => JSON.stringify(unit.quotes.slice(0, -1).slice(0, depth));
  const wantedKey = JSON.stringify(leads.slice(0, depth).map((q) => [q.start, q.end, q.text]));
  return [...candidates].filter(
    (c) => c.unit.kind === best.unit.kind && key(c.unit) === wantedKey && c.passage.doc === best.passage.doc,
  );
}

/** The candidates with the best one, if a row, behind those of its table with more of the question. */
export function pointed(ranked, question) {
  const best = ranked[0];
  const mine = listOf(best.passage.doc, best.unit);
  if (mine === null || best.unit.kind !== "table_row") return ranked;
  let [first, most] = [best, -1];
  for (const c of ranked.filter((o) => listOf(o.passage.doc, o.unit) === mine)) {
    const n = inCells(c, question).size;
    if (n > most) [first, most] = [c, n];
  }
  return [first, ...ranked.filter((c) => c !== first)];
}

/** Whether a row's own cells add nothing to what is picked. */
export function lessToThePoint(row, picked, question) {
  const mine = listOf(row.passage.doc, row.unit);
  if (mine === null || row.unit.kind !== "table_row") return false;
  const words = inCells(row, question);
  if (picked.length && !words.size) return true;
  const others = picked.filter((c) => listOf(c.passage.doc, c.unit) === mine);
  return others.some((c) => [...inCells(c, question)].some((t) => !words.has(t)));
}

function inCells(row, question) {
  const language = guessLanguage(question);
  const firsts = row.unit.columns.map((column) => ({ start: column[0][0], end: column[0][1] }));
  const above = leadOf(row.unit).filter((q) => firsts.some((span) => same(span, q)));
  const known = new Set(terms([own(row.unit), ...above].map((q) => q.text).join(" "), language));
  return new Set(terms(question, language).filter((t) => known.has(t)));
}

/** Whether the items of a list hold together. */
export function mustBeWhole(items) {
  const lead = items.length ? leadOf(items[0].unit).at(-1) : null;
  return (lead && search("lists.all_lead", lead.text) !== null) || items.some((c) => search("lists.all", own(c.unit).text));
}

/** The numbers of the items that are said, by list. */
export function numbersSaid(chosen, places) {
  const out = new Map();
  for (const c of chosen) {
    for (const quote of [...introduction(c.unit), own(c.unit)]) {
      const place = places.get(placeKey(c.passage.doc, quote));
      if (!place) continue;
      if (!out.has(place[0])) out.set(place[0], new Set());
      out.get(place[0]).add(place[1]);
    }
  }
  return out;
}

/** The lines in which a run of units is said, with a sign where items are left out. */
export function linesOf(run, places, said) {
  const found = spoken(run.map((c) => c.unit)).map(([quote, words]) => [words, places.get(placeKey(run[0].passage.doc, quote))]);
  const [first] = run;
  if (run.length === 1 && first.unit.kind === "table_row" && !introduction(first.unit).length) return found.map(([words]) => words);
  const out = [];
  const omit = () => out.at(-1) !== OMITTED && out.push(OMITTED);
  const end = ([owner, n, total]) => n < total && !said.get(owner)?.has(n + 1) && omit();
  const open = [];
  for (const [words, place] of found) {
    if (place) {
      const [owner, n] = place;
      while (open.length && open.at(-1)[0] !== owner && open.some(([o]) => o === owner)) end(open.pop());
      if (open.length && open.at(-1)[0] === owner) open.pop();
      if (n > 1 && !said.get(owner)?.has(n - 1)) omit();
      open.push(place);
    }
    out.push(words);
  }
  while (open.length) end(open.pop());
  if (out.at(-1).endsWith(":")) omit();
  return out;
}

