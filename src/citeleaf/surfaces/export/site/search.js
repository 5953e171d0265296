// First-stage lists, joined, and the evidence; see `retrieve/search.py`, `fuse.py`, `parts.py`, `expand.py`.
import { guessLanguage, isCode, terms } from "./tokens.js";
import { all, before, cut, held, length, number, starts, trim } from "./text.js";

const K1 = 1.2;
const B = 0.75;

/** The index of an export: postings, lengths, passages by id. */
export class Index {
  constructor(data) {
    this.data = data;
    const { index } = data;
    this.count = index.count;
    this.mean = index.total / index.count;
    this.documents = new Map(data.documents.map((d) => [d.id, d]));
    this.passages = new Map(data.passages.map((p) => [p.id, p]));
    this.postings = new Map();
    data.passages.forEach((passage, at) => {
      passage.size = passage.terms.reduce((sum, column) => sum + column.length, 0);
      passage.words = new Map();
      passage.terms.forEach((column, c) => {
        for (const id of column) {
          const word = index.terms[id];
          const counts = passage.words.get(word) ?? [0, 0, 0];
          counts[c] += 1;
          passage.words.set(word, counts);
        }
      });
      for (const word of passage.words.keys()) {
        if (!this.postings.has(word)) this.postings.set(word, []);
        this.postings.get(word).push(at);
      }
    });
  }

  /** In how many passages each term stands, and how many there are; of documents where they are named. */
  frequencies(words, documents = []) {
    if (!documents.length) {
      const known = this.data.index.frequencies;
      return [new Map(words.map((w) => [w, Object.hasOwn(known, w) ? known[w] : 0])), this.count];
    }
    const { terms: known, others } = this.data.index;
    const here = this.data.passages.filter((p) => documents.includes(p.doc));
    const aside = others.filter(([id]) => documents.includes(id));
    const count = (w) =>
      here.filter((p) => p.words.has(w)).length + aside.filter(([, ids]) => ids.some((i) => known[i] === w)).length;
    return [new Map(words.map((w) => [w, count(w)])), here.length + aside.length];
  }

  covers(passage, documents) {
    return documents.length ? documents.includes(passage.doc) : !this.documents.get(passage.doc).replaced;
  }

  telling(words) {
    const every = [...new Set(words)].sort(before);
    const found = [...this.frequencies(every)[0]].filter(([, df]) => df);
    const rarer = found.filter(([, df]) => df <= number("store.frequent_share") * this.count);
    return (this.count > number("store.frequent_from") && rarer.length ? rarer : found).map(([w]) => w);
  }

  /** BM25 as in SQLite's FTS5. */
  bm25(words, k, documents) {
    const weights = this.data.index.columns;
    const scores = new Map();
    for (const word of this.telling(words)) {
      const n = this.frequencies([word])[0].get(word);
      const idf = Math.max(Math.log((this.count - n + 0.5) / (n + 0.5)), 0);
      const weight = idf <= 0 ? 1e-6 : idf;
      for (const at of this.postings.get(word) ?? []) {
        const passage = this.data.passages[at];
        if (!this.covers(passage, documents)) continue;
        const counts = passage.words.get(word);
        const tf = counts.reduce((sum, c, i) => sum + c * weights[i], 0);
        const part = weight * ((tf * (K1 + 1)) / (tf + K1 * (1 - B + (B * passage.size) / this.mean)));
        scores.set(passage.id, (scores.get(passage.id) ?? 0) + part);
      }
    }
    return ranked("lexical", scores, k);
  }

  /** Cosine of log-weighted vectors over the first lexical hits. */
  tfidf(words, k, documents) {
    const hits = this.bm25(words, number("store.tfidf_candidates"), documents).hits;
    const known = (w) => this.frequencies([w])[0].get(w);
    const weigh = (counts) =>
      new Map([...counts].map(([w, tf]) => [w, (1 + Math.log(tf)) * (Math.log((1 + this.count) / (1 + known(w))) + 1)]));
    const norm = (vector) => Math.sqrt([...vector.values()].reduce((sum, w) => sum + w * w, 0));
    const counts = new Map();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const asked = weigh(counts);
    const scores = new Map();
    for (const { id } of hits) {
      const vector = weigh(new Map([...this.passages.get(id).words].map(([w, c]) => [w, c[0] + c[1] + c[2]])));
      const dot = [...asked].reduce((sum, [w, x]) => sum + (vector.has(w) ? x * vector.get(w) : 0), 0);
      if (dot > 0) scores.set(id, Math.min(1, dot / (norm(asked) * norm(vector))));
    }
    return ranked("tfidf", scores, k);
  }
}

/** Hits by (-score, id), ranks from 1. */
export function ranked(scorer, scores, depth = Infinity) {
  const ordered = [...scores].sort((a, b) => b[1] - a[1] || before(a[0], b[0])).slice(0, depth);
  return { scorer, hits: ordered.map(([id, score], i) => ({ id, rank: i + 1, score })) };
}

function minMax({ hits }) {
  const values = hits.map((h) => h.score);
  const low = Math.min(...values);
  const width = Math.max(...values) - low;
  return hits.map((h) => [h.id, width > 0 ? (h.score - low) / width : 1]);
}

function fused(lists, settings) {
  const scores = new Map();
  const add = (id, value) => scores.set(id, (scores.get(id) ?? 0) + value);
  for (const [ranking, weight] of lists.filter(([, w]) => w > 0)) {
    if (settings.fuse === "rrf") ranking.hits.forEach((h) => add(h.id, weight / (settings.rrf_k + h.rank)));
    else if (ranking.hits.length) minMax(ranking).forEach(([id, value]) => add(id, weight * value));
  }
  return ranked("fused", scores, settings.depth);
}

function rare(words, index, documents) {
  const [found, n] = index.frequencies([...new Set(words)], documents);
  const most = Math.max(number("search.least_rare"), Math.floor(n * number("search.rare_share")));
  return [...found]
    .filter(([w, df]) => (df > 0 && df <= most) || (isCode(w) && df > 0 && df <= 5 * most))
    .map(([w]) => w);
}

function searched(text, index, documents, rankings) {
  const settings = held.data.settings.retrieve;
  const words = terms(text, guessLanguage(text));
  const lists = [];
  if (settings.lexical) lists.push([index.bm25(words, settings.depth, documents), settings.lexical]);
  if (settings.tfidf) lists.push([index.tfidf(words, settings.depth, documents), settings.tfidf]);
  if (settings.entity) {
    const few = rare(words, index, documents);
    if (few.length) lists.push([{ ...index.bm25(few, settings.depth, documents), scorer: "entity" }, settings.entity]);
  }
  const joined = fused(lists, settings);
  rankings.push(...lists.map(([ranking]) => ranking), joined);
  return joined;
}

// Python's `split`, which takes lookbehinds; groups are none.
function split(name, text) {
  const out = [];
  let from = 0;
  for (const match of all(name, text)) {
    out.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  return [...out, text.slice(from)];
}

/** The sub-questions of a question, at most four; empty when it holds only one. */
export function parts(question) {
  let pieces = [];
  for (const sentence of split("parts.between_questions", trim(question))) {
    let halves = split("parts.joined", sentence);
    if (halves.length > 1 && !starts("parts.starts_asking", halves[0])) halves = [sentence];
    for (const half of halves) {
      if (pieces.length && all("parts.content", half).length < 2) pieces[pieces.length - 1] += ` ${half}`;
      else pieces.push(trim(half));
    }
  }
  pieces = pieces.filter(Boolean);
  return pieces.length > 1 ? pieces.slice(0, number("parts.most_parts")) : [];
}

const WORD = "\\p{L}\\p{N}_";
const escaped = (text) => [...text].map((c) => (/[A-Za-z0-9]/.test(c) ? c : `\\u{${c.codePointAt(0).toString(16)}}`)).join("");
const edge = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;

function definitions(question, passages, index, most) {
  if (!most || !passages.length) return [];
  const have = new Set(passages.map((p) => p.id));
  const asked = ` ${terms(question).join(" ")} `;
  const found = [];
  for (const id of new Set(passages.map((p) => p.doc))) {
    const text = passages[0].doc === id ? passages[0].text : "";
    for (const [term, passage] of Object.entries(index.documents.get(id).definitions)) {
      if (have.has(passage) || length(term) < number("expand.least_letters")) continue;
      const wanted = terms(term).join(" ");
      if (wanted && asked.includes(` ${wanted} `)) found.push([0, -length(term), passage]);
      else if (upper(term) && new RegExp(`${edge}${escaped(term)}${edge}`, "u").test(text)) {
        found.push([1, -length(term), passage]);
      }
    }
  }
  found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || before(a[2], b[2]));
  return found.slice(0, most).map((f) => f[2]);
}

const upper = (term) => /^\p{Lu}/u.test(cut(term, 0, 1));

/** The evidence for a question, best first, and every list that led to it. */
export function retrieve(question, index, documents = []) {
  const settings = held.data.settings.retrieve;
  const rankings = [];
  const main = searched(question, index, documents, rankings);
  const chosen = new Map(main.hits.slice(0, settings.top_k).map((h) => [h.id, "found"]));
  const scores = new Map(main.hits.map((h) => [h.id, h.score]));
  const setDefault = (id, score) => scores.has(id) || scores.set(id, score);
  const pieces = settings.parts ? parts(question) : [];
  for (const piece of pieces) {
    const best = searched(piece, index, documents, []).hits.slice(0, 2);
    best.forEach((h) => setDefault(h.id, h.score));
    if (!best.length) continue;
    if (!chosen.has(best[0].id) && chosen.size >= settings.top_k) {
      const last = [...chosen].reverse().find(([, why]) => why === "found");
      if (last) chosen.delete(last[0]);
    }
    chosen.set(best[0].id, "part");
  }
  const passages = [...chosen.keys()].map((id) => index.passages.get(id));
  for (const id of definitions(question, passages, index, settings.definitions)) {
    chosen.set(id, "definition");
    setDefault(id, Math.min(...scores.values()));
  }
  const evidence = [...chosen].map(([id, why], i) => ({
    passage: index.passages.get(id), rank: i + 1, score: scores.get(id), scorer: main.scorer, why,
  }));
  return { evidence, rankings, parts: pieces };
}

