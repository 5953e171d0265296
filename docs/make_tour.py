"""One question through every stage, from a real run on the insurance example: the pages that need one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from citeleaf.app import App
from citeleaf.ids import fingerprint, sha256_file
from citeleaf.ingest.pipeline import chunker_fingerprint
from citeleaf.layers import load
from citeleaf.record import answer_json
from citeleaf.types import Answer, Check, Document

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "examples" / "insurance" / "harbour_business_pds.pdf"
PROFILE = "insurance"
QUESTION = "How soon must I report a theft to the police?"
_INGEST = (
    "boxes.py",
    "sentences.py",
    "ingest/*.py",
    "retrieve/tokens.py",
    "retrieve/reading.py",
    "backends/p*.py",
    "backends/embed_onnx.py",
    "backends/*sqlite*.py",
)
"""Where the source decides what a PDF file becomes in a library."""
_SHOWN = 3
_CUT = 160


class Run(AbstractContextManager["Run"]):
    """The example in a library that is kept under `build/` as long as what it is made from stays the same."""

    def __init__(self, app: App) -> None:
        self.app = app

    @classmethod
    def open(cls) -> Run:
        """Takes the example in, where it is not in yet."""
        source = ROOT / "src" / "citeleaf"
        files = sorted(path for pattern in _INGEST for path in source.glob(pattern))
        settings, _ = load(PROFILE, folder=FILE.parent, environment={})
        made_by = chunker_fingerprint(settings)
        folder = ROOT / "build" / "docs" / fingerprint(made_by, *(sha256_file(path) for path in (*files, FILE)))
        app = App.open(folder, profile=PROFILE, write=True)
        app.ingest([FILE])
        return cls(app)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.app.close()

    @cached_property
    def document(self) -> Document:
        """The example."""
        return self.app.show(self.app.documents()[0].id).document

    @cached_property
    def answer(self) -> Answer:
        """The answer to the question of the tour."""
        return self.app.ask(QUESTION)


def answer_page(run: Run, schema_file: Path) -> str:
    """The fields of the answer JSON, and a real one."""
    schema = json.loads(schema_file.read_text("utf-8"))
    parts = [
        "# The answer",
        "",
        "What `citeleaf ask QUESTION --json` prints, and what every surface shows. The schema for programs is "
        "[answer.schema.json](answer.schema.json).",
        "",
        *_fields_table(schema),
    ]
    for name, inner in schema["$defs"].items():
        parts += [f"## {name}", "", *_fields_table(inner)]
    return "\n".join([*parts, *_REASONS, *_example(run)])


_REASONS = [
    "## Reasons",
    "",
    "| outcome | reason | when |",
    "| --- | --- | --- |",
    "| answered | `supported` | the shown claims are supported |",
    "| answered | `model_unavailable_quoted`, `bad_model_output_quoted`, `model_not_installed_quoted`, "
    "`model_quoted` | the model failed; the documents are quoted instead |",
    "| abstained | `empty_question`, `question_too_long` | no letter or digit in it; over 20,000 characters |",
    "| abstained | `no_evidence` | nothing was found |",
    "| abstained | `unknown_code` | a code or clause number of the question stands nowhere in the documents |",
    "| abstained | `below_gate` | a check of the evidence failed |",
    "| abstained | `draft_abstained` | who wrote the draft found no answer in the evidence |",
    "| abstained | `no_supported_claim` | no claim is supported |",
    "| abstained | `too_few_supported` | a smaller share than `decide.min_supported` is |",
    "| escalated | `conflict` | a claim is refuted by what it cites |",
    "| refused, escalated | the name of a rule, such as `advice_request` | see [profiles](profiles.md) |",
    "",
]


def _fields_table(schema: dict[str, Any]) -> list[str]:
    rows = []
    for name, field in schema["properties"].items():
        rows.append(f"| `{name}` | {_type(field)} | {field.get('description', '')} |")
    return ["| field | type | what it is |", "| --- | --- | --- |", *rows, ""]


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    names = field["type"] if isinstance(field["type"], list) else [field["type"]]
    inner = f" of {_type(field['items'])}" if "items" in field else ""
    return " or ".join("list" + inner if name == "array" else name for name in names)


def _example(run: Run) -> list[str]:
    value: dict[str, Any] = answer_json(run.answer)
    cut: dict[str, Any] = _rounded(value)
    cut["id"] = "…"
    cut["evidence"] = [{**item, "text": _line(item["text"], 80)} for item in cut["evidence"][:1]] + ["…"]
    cut["trace"] = dict.fromkeys(cut["trace"], "…")
    cut["seconds"] = "…"
    return [
        "## An example",
        "",
        f"`citeleaf ask {json.dumps(QUESTION)} {FILE.relative_to(ROOT)} --profile {PROFILE} --json`, numbers "
        "rounded and long parts cut (`…`); [the tour](../tour.md) shows the trace.",
        "",
        "```json",
        json.dumps(cut, ensure_ascii=False, indent=1),
        "```",
    ]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list) else value


def tour_page(run: Run) -> str:
    """The tour: every stage's own value."""
    return "\n\n".join(
        [
            "# A tour",
            f"One document and one question through every stage. The document is `{FILE.relative_to(ROOT)}`, which is "
            f"invented; the question is “{QUESTION}”, the profile `{PROFILE}`. All values are those of a real run; "
            "numbers are rounded and long texts cut (`…`). The stages are called in `src/citeleaf/ask.py`, read from "
            "top to bottom: "
            "`guard -> retrieve -> gate -> read -> compose -> cite -> verify -> screen -> decide -> close`.",
            *_taking_in(run),
            *_asking(run.answer),
            *_ending(run.answer),
        ]
    )


def _taking_in(run: Run) -> list[str]:
    document, best = run.document, _best(run)
    section = next(s for s in document.sections if s.id == best.section_id)
    first = document.pages[next(iter(best.pages), 1) - 1]
    left_out = [s.title for s in document.sections if not s.indexed]
    block = next(b for b in document.blocks if b.span.start <= best.span.start < b.span.end)
    return [
        "## 1. Taking the document in",
        "`read -> parse -> structure -> chunk -> embed -> put` (`ingest/pipeline.py`); one transaction a document.",
        _code(
            [
                f"document   {document.id}: {document.title}",
                f"sha256     {document.sha256[:16]}…",
                f"text       {len(document.text):,} characters, {len(document.pages)} pages, in {document.language}",
                f"blocks     {len(document.blocks)}: {_counts([b.kind for b in document.blocks])}",
                f"sections   {len(document.sections)}; left out of retrieval: {', '.join(left_out) or 'none'}",
                *(f"notice     {n.code}, page {n.page}: {_line(n.detail, 80)}" for n in document.notices[:_SHOWN]),
            ]
        ),
        "The page, the block, the section and the passage that this question will find:",
        _code(
            [
                f"page       {first.number}, printed {first.label}, characters {first.span.start}-{first.span.end}",
                f"block      {block.kind}, characters {block.span.start}-{block.span.end}",
                f"section    {section.id}, level {section.level}: {' > '.join(section.path)}",
                f"passage    {best.id}, characters {best.span.start}-{best.span.end}, sha256 {best.sha256[:16]}…",
                *(f"unit       {unit.kind}: {_line(unit.quote.text)}" for unit in best.units),
            ]
        ),
        "A passage is an exact slice of one section. A unit is the smallest piece that can be quoted, with the words "
        "that it must be read with (the lead of a list item, the headings of a table row).",
    ]


def _asking(answer: Answer) -> list[str]:
    trace = answer.trace
    found = trace.retrieval
    assert found is not None and trace.draft is not None
    lists = []
    for ranking in found.rankings:
        lists.append(f"{ranking.scorer} ({len(ranking.hits)} hits)")
        lists += [f"  {hit.rank}. {hit.score:8.2f}  {hit.passage_id}" for hit in ranking.hits[:_SHOWN]]
    return [
        "## 2. guard: rules over the question",
        _code(_checks(trace.guard)),
        "## 3. retrieve: five lists and the evidence",
        "`lexical` (BM25), `dense` (cosine) and `entity` (rare words) are joined to `fused`; the cross-encoder reads "
        "the first of it (`reranked`, raw logits); both are joined to `blended`, which orders the evidence "
        "([why](decisions/0004-ranking-by-normalised-sum.md)).",
        _code(lists),
        _code([f"evidence {e.rank}. {e.why:<10} {e.passage.id}: {_line(e.passage.text, 90)}" for e in found.evidence]),
        "## 4. gate: is the evidence worth answering from?",
        _code(_checks(trace.gate or ())),
        "## 5. compose: the draft",
        f"By the generator `{trace.draft.generator}`. The numbers are ranks of the evidence; nothing is checked yet.",
        _code(trace.draft.text.split("\n")),
        "## 6. cite: markers to exact words",
        _code(
            [
                line
                for c in trace.citations or ()
                for line in (
                    f"{c.marker} at {c.at.start}: {c.status} -> {c.passage_id}",
                    *(f"    {q.span.start}-{q.span.end}: {_line(q.text)}" for q in c.quotes),
                )
            ]
        ),
    ]


def _ending(answer: Answer) -> list[str]:
    trace = answer.trace
    verdicts = [
        line
        for v in trace.verdicts or ()
        for line in (f"claim {v.claim}: {v.label}, score {v.score:.2f}", *(f"    {line}" for line in _checks(v.checks)))
    ]
    return [
        "## 7. claims and verify: does the cited text carry each sentence?",
        _code([f"claim {c.n}: {_line(c.text)}" for c in trace.claims or ()]),
        _code(verdicts),
        "## 8. screen: rules over the draft",
        _code(_checks(trace.screen or ())),
        "## 9. decide and close: what is shown",
        _code([f"outcome    {answer.decision.outcome}", f"reason     {answer.decision.reason}"]),
        _code(answer.text.split("\n")),
        _code(
            [
                line
                for c in answer.citations
                for line in (
                    f"[{c.n}] page {c.place.page} (printed {c.place.page_label}), {' > '.join(c.place.section)}",
                    f"    “{_line(c.quote.text)}”",
                    *(f"    at x {r.x0:.2f}-{r.x1:.2f}, y {r.y0:.2f}-{r.y1:.2f}" for r in c.place.rects),
                )
            ]
        ),
        "The answer is kept with its trace: `citeleaf show ANSWER_ID` shows it again, "
        "`citeleaf show PASSAGE_ID --image page.png` draws the page with the words marked. "
        "[The fields of an answer](reference/answer.md).",
    ]


def _best(run: Run) -> Any:
    found = run.answer.trace.retrieval
    assert found is not None
    return found.evidence[0].passage


def _checks(checks: Sequence[Check]) -> list[str]:
    out = []
    for check in checks:
        numbers = "" if check.value is None else f"  value {check.value:.2f}"
        numbers += "" if check.threshold is None else f", threshold {check.threshold:.2f}"
        detail = f"  {_line(check.detail, 90)}" if check.detail else ""
        out.append(f"{'ok  ' if check.passed else 'FAIL'} {check.name}{numbers}{detail}")
    return out or ["no check"]


def _counts(names: Sequence[str]) -> str:
    return ", ".join(f"{names.count(name)} {name.replace('_', ' ')}" for name in sorted(set(names)))


def _line(text: str, limit: int = _CUT) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _code(lines: Sequence[str]) -> str:
    return "\n".join(["```", *(line.rstrip() for line in lines), "```"])
