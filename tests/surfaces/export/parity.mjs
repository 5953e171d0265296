// Answers the questions of a file with the exported scripts: node parity.mjs SITE DATA QUESTIONS OUT
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [site, data, questions, out] = process.argv.slice(2);
const { ask, load } = await import(pathToFileURL(`${site}/ask.js`));
const { terms } = await import(pathToFileURL(`${site}/tokens.js`));
load(JSON.parse(fs.readFileSync(data, "utf8")));
const asked = JSON.parse(fs.readFileSync(questions, "utf8"));
const answers = asked.map((question) => {
  const a = ask(question);
  return {
    question,
    terms: [terms(question, "en"), terms(question, "tr")],
    outcome: a.outcome,
    reason: a.reason,
    text: a.text,
    parts: a.parts,
    evidence: a.evidence.map((e) => [e.passage.id, e.score, e.why]),
    gate: a.checks.gate.map((c) => [c.name, c.passed, c.value]),
    guard: a.checks.guard.map((c) => [c.name, c.passed, c.detail, c.value]),
    claims: a.claims.map((c) => [c.text, c.citations]),
    citations: a.citations.map((c) => [c.n, c.passage_id, c.start, c.end, c.text]),
    nearest: a.nearest.map((n) => [n.passage_id, n.score, n.text]),
  };
});
fs.writeFileSync(out, JSON.stringify(answers));
