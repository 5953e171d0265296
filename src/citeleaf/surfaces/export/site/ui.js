// What a reader sees: the question, the answer with its quotations, the page that they stand on.
import { ask, load } from "./ask.js";
import { cut, length, oneLine } from "./text.js";

const $ = (id) => document.getElementById(id);

/** An element with attributes and children; texts are never read as markup. */
function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== false));
  return node;
}

const REASONS = {
  supported: "every sentence is a quotation",
  below_gate: "too few of the question's words stand together in one passage",
  no_evidence: "no passage shares a word with the question",
  unknown_code: "a code in the question stands in none of the documents",
  draft_abstained: "no passage that may be read shares a word with the question",
  empty_question: "the question holds no word",
  question_too_long: "the question is too long",
};
const OUTCOMES = { answered: "Answered", abstained: "Not answered", refused: "Refused", escalated: "For a person" };

let library = null;
let index = null;
let citations = [];
let opener = null;

/** Begins the page over the data of an export. */
export function begin(data) {
  library = data;
  index = load(data);
  const pages = data.documents.reduce((sum, d) => sum + d.pages.length, 0);
  $("about").textContent = `${plural(data.documents.length, "document")}, ${plural(data.passages.length, "passage")}${pages ? `, ${plural(pages, "page")}` : ""} · quoted by words, without a language model`;
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    show($("question").value);
  });
  document.addEventListener("keydown", keys);
  listDocuments();
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    $("question").value = asked;
    show(asked);
  }
  $("question").focus();
}

const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && !$("source").hidden) hide();
  if (/^(?:INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (event.key === "/") {
    event.preventDefault();
    $("question").focus();
  }
  const chosen = citations.find((c) => String(c.n) === event.key);
  if (chosen) openPlace(chosen, document.querySelector(`.cite[data-n="${chosen.n}"]`));
}

function listDocuments() {
  const items = library.documents.map((d) =>
    el("li", {}, d.title, d.version ? ` (version ${d.version})` : "", d.replaced ? ", replaced by a later one" : ""),
  );
  $("answer").replaceChildren(el("h2", {}, "Documents"), el("ul", {}, ...items), help());
}

const help = () =>
  el("p", { class: "small" }, "Keys: / to ask, 1 to 9 to open a citation, Esc to close the source.");

function show(question) {
  hide(false);
  const answer = ask(question);
  citations = answer.citations;
  const good = answer.outcome === "answered";
  const body = answer.claims.length
    ? answer.claims.map((c) => el("p", { class: "claim" }, `${c.text} `, ...c.citations.map(citeButton)))
    : [el("p", { class: "claim" }, answer.text)];
  const head = el(
    "p", {},
    el("span", { class: good ? "outcome" : "outcome not" }, OUTCOMES[answer.outcome]),
    el("span", { class: "small" }, ` ${REASONS[answer.reason] ?? answer.reason} (${answer.reason})`),
  );
  const nodes = [el("h2", {}, oneLine(question).slice(0, 300) || "Your question"), head, ...body];
  if (citations.length) nodes.push(el("h3", {}, "Sources"), el("ol", {}, ...citations.map(sourceItem)));
  if (answer.nearest.length) nodes.push(el("h3", {}, "Nearest passages"), el("ul", {}, ...answer.nearest.map(nearItem)));
  nodes.push(why(answer), help());
  $("answer").replaceChildren(...nodes);
  $("status").textContent = good ? `Answered with ${plural(citations.length, "quotation")}.` : answer.text;
}

const citeButton = (n) =>
  el("button", {
    class: "cite", type: "button", "data-n": String(n), "aria-label": `Source ${n}`, "aria-pressed": "false",
    onclick: (event) => openPlace(citations.find((c) => c.n === n), event.currentTarget),
  }, String(n));

function placeOf(citation) {
  const passage = index.passages.get(citation.passage_id);
  const within = passage.rects.filter(([start, end]) => citation.start <= start && end <= citation.end);
  const covers = (a, b) => a !== b && a[0] <= b[0] && b[1] <= a[1];
  const inside = within.filter((r) => !within.some((other) => covers(other, r)));
  const first = inside.find(([start]) => start === citation.start) ?? inside[0] ?? passage.rects[0];
  const page = first?.[2] ?? null;
  const label = first?.[3] ?? null;
  const rects = inside.flatMap((r) => r[4]);
  return { passage, page, label, rects };
}

function where(citation) {
  const { passage, page, label } = placeOf(citation);
  const document_ = index.documents.get(passage.doc);
  const parts = [document_.title + (document_.version ? ` (version ${document_.version})` : "")];
  if (page !== null) parts.push(`page ${page}${label && label !== String(page) ? ` (printed ${label})` : ""}`);
  return [...parts, ...passage.heading.filter((title) => title !== document_.title)].join(" · ");
}

const sourceItem = (citation) =>
  el("li", { value: String(citation.n) }, `“${oneLine(citation.text)}”`, el("div", { class: "where" }, where(citation)));

const nearItem = (near) =>
  el("li", {},
    `“${oneLine(near.text)}” `,
    el("button", { type: "button", onclick: (event) => openPlace(near, event.currentTarget) }, "Open"),
    el("div", { class: "where" }, where(near)),
  );

function why(answer) {
  const rows = [...answer.checks.guard.filter((c) => !c.passed), ...answer.checks.gate].map((c) =>
    el("tr", {},
      el("td", {}, `${c.passed ? "✓" : "✗"} ${c.name}`),
      el("td", {}, c.detail || (c.threshold === null ? "" : `needs ${round(c.threshold)}`)),
      el("td", {}, c.value === null ? "" : round(c.value)),
    ),
  );
  const found = answer.evidence.map((e) =>
    el("tr", {}, el("td", {}, String(e.rank)), el("td", {}, e.passage.id), el("td", {}, `${e.scorer} ${round(e.score)}`)),
  );
  return el("details", {},
    el("summary", {}, "How this came about"),
    el("h3", {}, "Checks"), el("table", {}, ...rows),
    el("h3", {}, "Passages found"), el("table", {}, ...found),
  );
}

const round = (value) => String(Math.round(value * 1000) / 1000);

function openPlace(citation, button) {
  for (const other of document.querySelectorAll(".cite")) other.setAttribute("aria-pressed", String(other === button));
  opener = button ?? opener;
  const { passage, page, rects } = placeOf(citation);
  const picture = page !== null && library.images[passage.doc]?.[page];
  const pane = $("source");
  const close = el("button", { type: "button", "aria-label": "Close the source", onclick: () => hide() }, "Close");
  const title = el("h2", {}, index.documents.get(passage.doc).title);
  const nodes = [el("div", { class: "head" }, title, close), el("p", { class: "where" }, where(citation))];
  if (picture) nodes.push(sheet(picture, page, rects));
  nodes.push(el("h3", {}, "The passage"), el("div", { class: "passage" }, ...marked(passage, citation)));
  pane.replaceChildren(...nodes);
  pane.hidden = false;
  document.querySelector("main").classList.add("open");
  pane.focus({ preventScroll: true });
  pane.querySelector(".spot, mark")?.scrollIntoView({ block: "center" });
}

function sheet(picture, page, rects) {
  const box = el("div", { class: "sheet" }, el("img", { src: picture, alt: `Page ${page}` }));
  for (const [, x0, y0, x1, y1] of rects.filter((r) => r[0] === page)) {
    const spot = el("div", { class: "spot" });
    Object.assign(spot.style, {
      left: `${x0 * 100}%`, top: `${y0 * 100}%`, width: `${(x1 - x0) * 100}%`, height: `${(y1 - y0) * 100}%`,
    });
    box.append(spot);
  }
  return box;
}

// The passage's own words with those of the quotation marked; words outside of it go before it.
function marked(passage, citation) {
  const from = citation.start - passage.start;
  const to = citation.end - passage.start;
  if (from < 0 || to > length(passage.text)) return [el("mark", {}, citation.text), "\n\n", passage.text];
  return [cut(passage.text, 0, from), el("mark", {}, cut(passage.text, from, to)), cut(passage.text, to)];
}

function hide(back = true) {
  $("source").hidden = true;
  document.querySelector("main").classList.remove("open");
  for (const other of document.querySelectorAll(".cite")) other.setAttribute("aria-pressed", "false");
  if (back) opener?.focus();
}
