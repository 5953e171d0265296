// Is the evidence worth answering from, and of which versions is asked; see `answer/gate.py`, `answer/versions.py`.
import { guessLanguage, terms } from "./tokens.js";
import { all, casefold, held, number, search } from "./text.js";

const WORD = "\\p{L}\\p{N}_";

const idfs = ([frequencies, n]) =>
  new Map([...frequencies].map(([t, df]) => [t, Math.log(1 + (n - df + 0.5) / (df + 0.5))]));

/** Weight of each term of a question over all passages. */
export const idf = (question, index) =>
  idfs(index.frequencies([...new Set(terms(question, guessLanguage(question)))]));

const sum = (values) => [...values].reduce((a, b) => a + b, 0);

/** The greatest weighted share of the question's terms that one passage holds. */
export function coverage(question, passages, index) {
  const weights = idf(question, index);
  const total = sum(weights.values());
  if (!total) return 0;
  const language = guessLanguage(question);
  const shares = passages.map((p) => {
    const words = new Set(terms([...p.heading, p.context, p.text].join("\n"), language));
    return sum([...weights].filter(([t]) => words.has(t)).map(([, w]) => w)) / total;
  });
  return shares.length ? Math.max(...shares) : 0;
}

/** The codes in a question that neither the index nor the passages hold, as written. */
export function unknownCodes(question, passages, index, documents) {
  const codes = ["gate.code", "gate.clause", "gate.dotted"].flatMap((name) => all(name, question).map((m) => m[1]));
  const texts = passages.map((p) => [...p.heading, p.text].join("\n"));
  const known = (words) => [...index.frequencies(words, documents)[0].values()];
  const missing = [...new Set(codes)].filter((code) => {
    const run = all("gate.run", code).map((m) => m[0].replace(/[iıİ]/gi, "[iıİ]")).join(`(?:[^${WORD}]|_)?`);
    const written = new RegExp(`(?<![${WORD}])${run}(?![${WORD}])`, "iu");
    if (known(terms(code).slice(0, 1)).some(Boolean) || texts.some((text) => written.test(text))) return false;
    const letters = known(all("gate.letters", code).flatMap(([word]) => terms(word)));
    return !(letters.length && search("gate.short_number", code) && !letters.some(Boolean));
  });
  return [...missing, ...unknownSizes(question, texts, known)];
}

/** Codes of one letter (`M16`) that stand nowhere where others of that letter stand in the passages. */
function unknownSizes(question, texts, known) {
  const sizes = [...new Set(all("gate.size", question).map((m) => m[0]))];
  const inAny = (pattern) => texts.some((text) => new RegExp(`(?<![${WORD}])${pattern}(?![${WORD}])`, "u").test(text));
  return sizes.filter((size) => {
    const stands = known(terms(size).slice(0, 1)).some(Boolean) || inAny(`${size[0]}[- ]?${size.slice(1)}`);
    return !stands && inAny(`${size[0]}[- ]?[0-9]{1,4}`);
  });
}

/** The gate's checks, in order; all must pass. */
export function gate(question, evidence, index, documents) {
  const settings = held.data.settings.gate;
  const passages = evidence.map((e) => e.passage);
  if (!passages.length) return [{ name: "evidence", passed: false, detail: "nothing was found", value: 0, threshold: 1 }];
  const checks = [{ name: "evidence", passed: true, detail: "", value: passages.length, threshold: 1 }];
  if (settings.codes) {
    const missing = unknownCodes(question, passages, index, documents);
    checks.push({ name: "codes", passed: !missing.length, detail: missing.join(", "), value: missing.length, threshold: 0 });
  }
  const covered = coverage(question, passages, index);
  const least = settings.min_coverage;
  checks.push({ name: "coverage", passed: least === null || covered >= least, detail: "", value: covered, threshold: least });
  if (settings.min_probability > 0 && !settings.rerank_weight && !settings.dense_weight) {
    const logit = Math.max(-60, Math.min(60, settings.bias + settings.coverage_weight * covered));
    const value = 1 / (1 + Math.exp(-logit));
    const passed = value >= settings.min_probability;
    const detail = passed ? "" : "the passages found are not likely to hold an answer";
    checks.push({ name: "probability", passed, detail, value, threshold: settings.min_probability });
  }
  return checks;
}

export function decideEvidence(checks) {
  const failed = new Set(checks.filter((c) => !c.passed).map((c) => c.name));
  if (!failed.size) return null;
  const reason = failed.has("evidence") ? "no_evidence" : failed.has("codes") ? "unknown_code" : "below_gate";
  return { outcome: "abstained", reason, reply: null };
}

const isDay = (year, month, day) => {
  const made = new Date(Date.UTC(2000, 0, 1));
  made.setUTCFullYear(year, month - 1, day);
  return year > 0 && made.getUTCMonth() === month - 1 && made.getUTCDate() === day;
};
const written = (year, month, day) =>
  `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

function askedDay(text) {
  for (const match of all("dates.date", text)) {
    const [, d1, m1, y1, m2, d2, y2, y3, m3, d3] = match;
    const name = m1 ?? m2;
    const year = Number(y1 ?? y2 ?? y3 ?? 0);
    const month = name ? held.data.words.months[casefold(name)] : Number(m3);
    const day = Number(d1 ?? d2 ?? d3);
    const before = text.slice(Math.max(0, match.index - number("versions.near")), match.index);
    if (year && search("versions.asked", before) && isDay(year, month, day)) return written(year, month, day);
  }
  const year = search("versions.year", text);
  return year && search("versions.asked", text) ? written(Number(year[1]), 12, 31) : null;
}

const isDate = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "") && isDay(...text.split("-").map(Number));

/** The documents in force on the day that a question asks about; none: those that no other replaces. */
export function inForce(question, index) {
  const documents = [...index.documents.values()];
  if (!documents.some((d) => d.replaces)) return [];
  const day = askedDay(question);
  if (day === null) return [];
  const chosen = documents.filter((d) => {
    if (d.chain.length < 2) return true;
    const dated = d.chain
      .map((id) => index.documents.get(id))
      .filter((o) => o && isDate(o.effective) && o.effective <= day)
      .map((o) => `${o.effective} ${o.id}`);
    return dated.length > 0 && dated.reduce((a, b) => (a > b ? a : b)) === `${d.effective} ${d.id}`;
  });
  const ids = chosen.map((d) => d.id).sort();
  const current = documents.filter((d) => !documents.some((o) => o.replaces === d.id)).map((d) => d.id).sort();
  return !ids.length || ids.join("\n") === current.join("\n") ? [] : ids;
}
