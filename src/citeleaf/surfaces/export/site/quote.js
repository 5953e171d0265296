// The extractive answerer without models; see `backends/generate_quote.py`, `quote_ask.py`, `quote_score.py`.
import { idf } from "./gate.js";
import { askedList, lessToThePoint, linesOf, listOf, mustBeWhole, numbersSaid, placesOf, pointed } from "./lists.js";
import { parts } from "./search.js";
import { guessLanguage, terms } from "./tokens.js";
import { all, hasAlnum, held, length, number, replaceAll, search, starts, stripEnd, trim, trimEnd } from "./text.js";
import { OMITTED, introduction, joined, leadOf, own, quotesOf, same, spoken, wordsOf } from "./units.js";

// ---- what is asked for

function read(question) {
  const kinds = Object.keys(held.data.patterns["ask.asked"]).filter((k) => search(`ask.asked/${k}`, question));
  if (kinds.includes("definition")) {
    const forms = held.data.patterns["ask.term_asked"].keys();
    const match = [...forms].map((i) => search(`ask.term_asked/${i}`, question)).find(Boolean);
    return { kinds, term: match ? match[1] : null };
  }
  const match = kinds.length ? null : search("ask.what_is", question);
  return match ? { kinds: ["definition"], term: match[1] } : { kinds, term: null };
}

const fits = (kind, words) => kind in held.data.patterns["ask.held"] && search(`ask.held/${kind}`, words) !== null;

// ---- candidates

const endsSentence = (text) => /[.!?]$/.test(stripEnd(trimEnd(text), "\"'”’)]"));

function candidatesOf(evidence, language) {
  const leads = new Set();
  const headings = new Set();
  for (const { passage } of evidence) {
    for (const unit of passage.units) {
      for (const q of leadOf(unit)) if (!endsSentence(q.text)) leads.add(`${passage.doc} ${q.start} ${q.end}`);
      for (const column of unit.columns) for (const [s, e] of column.slice(1)) headings.add(`${passage.doc} ${s} ${e}`);
    }
  }
  const out = [];
  for (const item of evidence) {
    const { passage } = item;
    const units = passage.units.length ? passage.units : [bareUnit(passage)];
    const titles = terms(passage.heading.join(" "), language);
    units.forEach((unit, place) => {
      const mine = wordsOf(unit);
      const quote = own(unit);
      const heads = cellsOf(unit).some(([s, e]) => headings.has(`${passage.doc} ${s} ${e}`));
      const here = units.some((o) => leadOf(o).some((q) => same(q, quote) && q.text === quote.text));
      const introduces = leads.has(`${passage.doc} ${quote.start} ${quote.end}`) && (here || unit.quotes.length === 1);
      if (introduces || heads || !hasAlnum(mine)) return;
      const words = spoken([unit]).map(([, said]) => said).join(" ");
      const known = new Set([...terms(words, language), ...titles]);
      out.push({ passage, rank: item.rank, place, unit, words, own: mine, held: known, evidence: item });
    });
  }
  const kept = out.filter((c) => !isBare(c));
  return kept.length ? kept : out;
}

function bareUnit(passage) {
  const text = trim(passage.text);
  const start = passage.start + length(passage.text.slice(0, passage.text.indexOf(text)));
  return { kind: "paragraph", quotes: [[start, start + length(text), text]], columns: [], position: null };
}

function cellsOf(unit) {
  if (unit.kind !== "table_row") return [];
  let at = own(unit).start;
  return own(unit).text.split("\t").map((cell) => {
    const span = [at, at + length(cell)];
    at = span[1] + 1;
    return span;
  });
}

function isBare({ unit, place, passage }) {
  if (unit.kind === "caption") return !endsSentence(own(unit).text);
  return place === passage.units.length - 1 && unit.quotes.length === 1 && trimEnd(own(unit).text).endsWith(":");
}

function defines(c, term) {
  const wanted = terms(term);
  if (c.passage.term !== null && terms(c.passage.term).join(" ") === wanted.join(" ")) return true;
  const head = terms(c.words).slice(0, wanted.length).join(" ");
  return wanted.length > 0 && head === wanted.join(" ") && fits("definition", c.words);
}

function slight({ unit }) {
  const text = trim(own(unit).text);
  const few = number("score.fewest_letters");
  if (text.endsWith(":") || (starts("score.reference", text) && length(text) < 4 * few)) return true;
  const alone = unit.quotes.length === 1 && ["paragraph", "table_row"].includes(unit.kind);
  return alone && length(text) < few && !/\p{Nd}/u.test(text);
}

const byOrder = (a, b) => a.rank - b.rank || a.place - b.place;

function scoresOf(part, asks, candidates, index) {
  const weights = held.data.words.weights;
  const known = idf(part, index);
  const total = [...known.values()].reduce((a, b) => a + b, 0) || 1;
  const kinds = asks.kinds.filter((k) => k !== "list").sort();
  return new Map(
    candidates.map((c) => {
      const share = [...known].reduce((sum, [t, w]) => sum + (c.held.has(t) ? w : 0), 0);
      let score = (weights.coverage * share) / total;
      const fit = kinds.length ? kinds.filter((k) => fits(k, c.words)).length / kinds.length : 0.5;
      score += weights.fit * fit + weights.passage * (-number("score.step") * c.rank);
      if (asks.term && defines(c, asks.term)) score += weights.defines;
      if (slight(c)) score -= number("score.slight");
      return [c, score];
    }),
  );
}

// ---- choosing

/** Quotations in order: text, passage, its exact quotes, what stands before; null: nothing shares a word. */
export function draft(question, evidence, index) {
  const candidates = candidatesOf(evidence, guessLanguage(question));
  const wanted = [...idf(question, index).keys()];
  if (!candidates.some((c) => wanted.some((t) => c.held.has(t)))) return null;
  const split = parts(question);
  const asked = split.length ? split : [question];
  const chosen = new Map();
  for (const part of asked) choose(part, scoresOf(part, read(part), candidates, index), chosen, asked.length);
  complete(chosen, candidates, asked.some((part) => read(part).kinds.includes("list")));
  return write(chosen, placesOf(candidates));
}

function choose(part, scored, chosen, share) {
  const asks = read(part);
  const settings = held.data.settings.quote;
  const ranked = pointed([...scored.keys()].sort((a, b) => scored.get(b) - scored.get(a) || byOrder(a, b)), part);
  const best = ranked[0];
  const odds = new Map(ranked.map((c) => [c, Math.exp(scored.get(c) - scored.get(best))]));
  const least = (number("quote.least_share") * [...odds.values()].reduce((a, b) => a + b, 0)) / number("quote.usual");
  let most = Math.max(1, Math.floor(settings.max_quotes / share));
  let budget = Math.floor(settings.max_characters / share);
  const picked = new Map();
  if (asks.kinds.includes("list")) {
    for (const c of fitting(best, askedList(best, scored.keys(), part), budget)) picked.set(c, scored.get(best));
    budget -= sizeOf(picked.keys());
    most -= picked.size ? 1 : 0;
  }
  for (const c of ranked) {
    if (picked.size && picked.size >= most) break;
    const size = added(c, picked.keys());
    const weak = odds.get(c) < Math.max(least * size, Math.exp(-number("quote.most_behind")));
    if (picked.has(c) || chosen.has(c) || (picked.size && (weak || size > budget))) continue;
    if (!repeats(c, [...picked.keys(), ...chosen.keys()]) && !lessToThePoint(c, [...picked.keys()], part)) {
      picked.set(c, scored.get(c));
      budget -= size;
    }
  }
  const figure = missingFigure(asks, ranked, [...picked.keys(), ...chosen.keys()]);
  if (figure && !lessToThePoint(figure, [...picked.keys()], part)) picked.set(figure, scored.get(figure));
  for (const [c, score] of picked) chosen.set(c, score);
}

function complete(chosen, candidates, lists) {
  const settings = held.data.settings.quote;
  let left = settings.max_characters - [...chosen.keys()].reduce((sum, c) => sum + length(c.words), 0);
  for (const [c, score] of [...chosen]) {
    const led = candidates.filter((o) => leadOf(o.unit).some((q) => same(q, own(c.unit)) && q.text === own(c.unit).text));
    const near = beside(c, candidates.filter((o) => o.rank === c.rank));
    const room = lists ? left + (number("quote.list_share") - 1) * settings.max_characters : left;
    const rest = restOfList(c, chosen, candidates, room, lists);
    for (const companion of [...led, ...near, ...rest]) {
      if (chosen.has(companion) || repeats(companion, [...chosen.keys()])) continue;
      const size = added(companion, chosen.keys());
      if (size <= Math.min(left, number("quote.companion")) || rest.includes(companion)) {
        chosen.set(companion, score);
        left -= size;
      }
    }
  }
}

const leadKey = (unit, depth) => JSON.stringify(unit.quotes.slice(0, -1).slice(0, depth));

function beside(c, passage) {
  const i = passage.indexOf(c);
  const out = [];
  const before = passage[i - 1];
  if (i && before.place === c.place - 1 && before.unit.kind === c.unit.kind && leansBack(c.unit)) out.push(before);
  out.push(...beforeLead(c, passage));
  let end = passage.findIndex((o, k) => k >= i && leadKey(o.unit, 1) !== leadKey(c.unit, 1));
  if (end < 0) end = passage.length;
  const adds = c.unit.quotes.length > 1 ? "quote.adds" : "quote.exception";
  for (const [k, opening] of [[i + 1, adds], [i + 1, "quote.exception"], [end, "quote.exception"]]) {
    out.push(...opened(c, passage.slice(k), opening));
  }
  if (trimEnd(own(c.unit).text).endsWith(":")) {
    for (const after of passage.slice(i + 1)) {
      out.push(after);
      if (!search("quote.goes_on", trimEnd(own(after.unit).text))) break;
    }
  }
  if (c.unit.kind === "table_row") {
    const marks = new Set(all("quote.mark", c.own).map((m) => m[0]));
    const notes = passage.slice(i + 1).filter((o) => o.unit.kind !== "table_row");
    out.push(...notes.filter((o) => marks.has(starts("quote.mark", o.own)?.[0])));
  }
  return out;
}

function opened(c, following, opening) {
  if (!following.length) return [];
  const after = following[0];
  const mine = quotesOf(c.unit);
  const fresh = introduction(after.unit).filter((q) => !mine.some((m) => same(m, q) && m.text === q.text));
  if (fresh.length) {
    return search(opening, fresh[0].text) ? following.filter((o) => leadKey(o.unit) === leadKey(after.unit)) : [];
  }
  const alike = after.unit.kind === c.unit.kind || (c.unit.kind === "list_item" && after.unit.kind === "paragraph");
  return alike && opening === "quote.exception" && starts(opening, own(after.unit).text) ? [after] : [];
}

function leansBack(unit) {
  const words = own(unit).text;
  return starts("quote.leans_back", words) !== null || (unit.kind === "paragraph" && starts("quote.runs_on", words) !== null);
}

/** The sentence just before a lead that makes no sense without it. */
function beforeLead(c, passage) {
  const lead = leadOf(c.unit).find((q) => starts("quote.leans_back", q.text) !== null);
  if (lead === undefined) return [];
  const near = (o) => lead.start - own(o.unit).end >= 0 && lead.start - own(o.unit).end <= number("quote.gap");
  return passage.filter((o) => near(o) && o.unit.kind === "paragraph");
}

function restOfList(c, chosen, candidates, room, whole) {
  const mine = listOf(c.passage.doc, c.unit);
  if (mine === null || c.unit.kind !== "list_item") return [];
  const items = candidates.filter((o) => listOf(o.passage.doc, o.unit) === mine);
  const more = items.filter((o) => !chosen.has(o));
  const fit = more.reduce((sum, o) => sum + length(o.own), 0) <= room;
  return (whole || mustBeWhole(items)) && fit ? more : [];
}

function fitting(best, items, budget) {
  const whole = sizeOf(items);
  if (best.unit.kind === "table_row" || items.length < 2) return whole <= budget && items.length > 1 ? [...items] : [];
  const out = [best];
  const at = (c) => c.unit.position ?? [0, 0];
  const sorted = [...items].sort((a, b) => at(a)[0] - at(b)[0] || at(a)[1] - at(b)[1] || byOrder(a, b));
  for (const c of sorted) if (c !== best && sizeOf([...out, c]) <= number("quote.list_share") * budget) out.push(c);
  return out;
}

function sizeOf(units) {
  const said = [];
  let size = 0;
  for (const c of units) {
    size += added(c, said);
    said.push(c);
  }
  return size;
}

function added(c, picked) {
  const lead = introduction(c.unit);
  const text = JSON.stringify(lead);
  const shared = [...picked].some((o) => o.rank === c.rank && JSON.stringify(introduction(o.unit)) === text);
  return length(lead.length && shared ? c.own : c.words);
}

function missingFigure(asks, ranked, picked) {
  for (const kind of held.data.words.figures) {
    if (!asks.kinds.includes(kind) || picked.some((c) => fits(kind, c.words))) continue;
    const near = ranked.filter((c) => c.rank === ranked[0].rank && length(c.words) <= number("quote.companion"));
    const found = near.find((c) => fits(kind, c.words));
    if (found) return found;
  }
  return null;
}

function repeats(c, others) {
  return others.some((o) => {
    if (c.passage.doc === o.passage.doc && same(own(c.unit), own(o.unit))) return true;
    if (c.unit.quotes.length > 1 && leadKey(c.unit) === leadKey(o.unit)) return false;
    const both = [...c.held].filter((t) => o.held.has(t)).length;
    return both >= number("quote.repeated") * Math.max(c.held.size + o.held.size - both, 1);
  });
}

// ---- writing

function write(chosen, places) {
  const groups = new Map();
  for (const c of [...chosen.keys()].sort((a, b) => chosen.get(b) - chosen.get(a) || byOrder(a, b))) {
    if (!groups.has(c.rank)) groups.set(c.rank, []);
    groups.get(c.rank).push(c);
  }
  const numbers = numbersSaid(chosen.keys(), places);
  const out = [];
  for (const members of groups.values()) {
    runsOf(members.sort((a, b) => a.place - b.place)).forEach((run, i) => {
      const lines = linesOf(run, places, numbers);
      const { passage } = run[0];
      const said = lines.join(run.length > 1 || lines.includes(OMITTED) ? "\n" : " ");
      const text = trim(replaceAll("claims.spaces", replaceAll("claims.before_stop", said, ""), " "));
      const between = out.length ? (i ? " " : "\n\n") : "";
      if (hasAlnum(said)) out.push({ text, passage, quotes: joined(run.flatMap((c) => quotesOf(c.unit)), passage), between });
    });
  }
  return out;
}

function runsOf(members) {
  const out = [];
  for (const c of members) {
    const last = out.at(-1)?.at(-1);
    if (last && c.unit.quotes.length > 1 && leadKey(last.unit, 1) === leadKey(c.unit, 1)) out.at(-1).push(c);
    else out.push([c]);
  }
  return out;
}

