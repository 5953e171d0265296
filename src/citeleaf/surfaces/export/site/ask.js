// The main path: guard, retrieve, gate, quote, check, decide; see `ask.py` and `answer/close.py`.
import { decideEvidence, gate, inForce } from "./gate.js";
import { decideRequest, guard } from "./guard.js";
import { draft } from "./quote.js";
import { Index, retrieve } from "./search.js";
import { guessLanguage, replyLanguage, terms } from "./tokens.js";
import { cut, held, length, number, open, trim } from "./text.js";
import { quotesOf, supported } from "./units.js";

let index = null;

/** Takes the data of an export in; call it once before `ask`. */
export function load(data) {
  index = new Index(open(data));
  return index;
}

/** Answers one question: outcome, reason, text, claims, citations, evidence, checks, nearest. */
export function ask(question) {
  const language = replyLanguage(question, held.data.profile.language);
  const checks = guard(cut(question, 0, number("decide.longest_question")));
  const refusal = decideRequest(question, checks, language);
  if (refusal) return close(question, refusal, { guard: checks, evidence: null }, language);

  const documents = inForce(question, index);
  const found = retrieve(question, index, documents);
  const enough = gate(question, found.evidence, index, documents);
  const trace = { guard: checks, evidence: found.evidence, rankings: found.rankings, parts: found.parts, gate: enough };
  const abstention = decideEvidence(enough);
  if (abstention) return close(question, abstention, trace, language);

  const evidence = found.evidence.flatMap(asRead);
  const written = draft(question, evidence, index);
  if (!written) return close(question, { outcome: "abstained", reason: "draft_abstained", reply: null }, trace, language);
  const claims = written.map((q, i) => ({ n: i + 1, ...q, verdict: supported(q, evidence) }));
  const kept = claims.filter((c) => c.verdict);
  const least = held.data.settings.decide.min_supported * claims.length;
  const reason = !kept.length ? "no_supported_claim" : kept.length < least ? "too_few_supported" : "supported";
  const decision = { outcome: reason === "supported" ? "answered" : "abstained", reason, reply: null };
  return close(question, decision, trace, language, decision.outcome === "answered" ? kept : []);
}

// What may be read of a passage: words that speak to an assistant were left out when the page was made.
function asRead(item) {
  const { read } = item.passage;
  if (read === null) return [];
  return read === undefined ? [item] : [{ ...item, passage: read }];
}

function close(question, decision, trace, language, kept = []) {
  const numbers = new Map();
  const shown = kept.map((claim) => {
    const cites = claim.quotes.map((quote) => {
      const key = `${claim.passage.id} ${quote.start} ${quote.end}`;
      if (!numbers.has(key)) numbers.set(key, { n: numbers.size + 1, quote, passage: claim.passage });
      return numbers.get(key).n;
    });
    return { n: claim.n, text: claim.text, between: claim.between, citations: [...new Set(cites)] };
  });
  const said = decision.reply || held.data.settings.said[language][decision.outcome];
  const marks = (claim) => claim.citations.map((n) => `[${n}]`).join("");
  const answered = shown.map((c, i) => `${i ? c.between : ""}${c.text} ${marks(c)}`).join("");
  return {
    outcome: decision.outcome,
    reason: decision.reason,
    text: decision.outcome === "answered" ? answered : said,
    claims: shown,
    citations: [...numbers.values()].map(({ n, quote, passage }) => ({ n, passage_id: passage.id, doc_id: passage.doc, ...quote })),
    evidence: trace.evidence ?? [],
    nearest: decision.outcome === "answered" ? [] : nearest(question, trace.evidence ?? byWords(question)),
    checks: { guard: trace.guard, gate: trace.gate ?? [] },
    parts: trace.parts ?? [],
  };
}

function byWords(question) {
  const head = cut(question, 0, number("close.longest"));
  const words = [...new Set(terms(head, guessLanguage(head)))].slice(0, number("close.most_words"));
  return words.length
    ? index.bm25(words, number("close.nearest"), []).hits.map((h) => ({ ...h, passage: index.passages.get(h.id) }))
    : [];
}

function nearest(question, evidence) {
  return evidence.slice(0, number("close.nearest")).map(({ passage, score }) => {
    const unit = bestUnit(cut(question, 0, number("close.longest")), passage);
    const quote = unit ? quotesOf(unit).at(-1) : whole(passage);
    return { passage_id: passage.id, score, start: quote.start, end: quote.end, text: quote.text };
  });
}

function whole(passage) {
  const text = trim(passage.text);
  const start = passage.start + length(passage.text.slice(0, passage.text.indexOf(text)));
  return { start, end: start + length(text), text };
}

// The unit that holds the most of a text's terms; of equal ones the first.
function bestUnit(text, passage) {
  const language = guessLanguage(text);
  const holds = passage.units.map((u) => new Set(terms(quotesOf(u).map((q) => q.text).join(" "), language)));
  const weights = [...new Set(terms(text, language))].sort().flatMap((t) => {
    const n = holds.filter((h) => h.has(t)).length;
    return n ? [[t, Math.log(1 + holds.length / n)]] : [];
  });
  let [best, most] = [null, -1];
  holds.forEach((words, i) => {
    const gain = weights.reduce((sum, [t, w]) => sum + (words.has(t) ? w : 0), 0);
    if (gain > most) [best, most] = [passage.units[i], gain];
  });
  return best;
}

