"""What a study tells beside its figures: gate scores, categories, markers, outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from citeleaf.evaluate.metrics.intervals import exact_binomial

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """One system's run. `facts` are ids of the pack's case files, `least` the gate's threshold."""

    name: str
    place: Path
    summary: Mapping[str, Any]
    rows: tuple[Row, ...]
    facts: frozenset[str]
    least: float

    @property
    def questions(self) -> list[Row]:
        return [row for row in self.rows if row["kind"] == "question" and "error" not in row]


def bars(figure: Any) -> str:
    """A figure with its interval."""
    if not isinstance(figure, dict):
        return "not scored"
    low, high = figure["ci95"]
    return f"{figure['value']:.3f} ({low:.3f} to {high:.3f})"


def share(hits: int, n: int) -> str:
    """So many of so many, with the exact binomial interval."""
    if not n:
        return "not scored"
    low, high = exact_binomial(hits, n)
    return f"{hits} of {n} ({low:.3f} to {high:.3f})"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], about: str = "") -> list[str]:
    head = [f"## {title}", "", *([fill(about, 125), ""] if about else [])]
    return [
        *head,
        "| " + " | ".join(columns) + " |",
        "|---" * len(columns) + "|",
        *(f"| {' | '.join(r)} |" for r in rows),
    ]


def cases(runs: Sequence[Run]) -> list[str]:
    """Answers that cite a case file."""
    rows = []
    for run in runs:
        answered = [row for row in run.questions if row["outcome"] == "answered"]
        hits = sum(any(c["doc_id"] in run.facts for c in row["answer"]["citations"]) for row in answered)
        rows.append((run.name, share(hits, len(answered))))
    return table("Case files cited as if they were policy", ("system", "answers"), rows)


def markers(runs: Sequence[Run]) -> list[str]:
    """Markers of the drafts that name no passage: as written, and after repair."""
    rows = []
    for run in runs:
        found = Counter(
            c["status"] for row in run.questions for c in row["answer"]["trace"]["citations"] or () if "status" in c
        )
        n = sum(found.values())
        rows.append((run.name, share(n - found["valid"], n), share(found["dropped"], n)))
    about = (
        "Markers of all drafts that name no passage of the evidence. Quotations come with exact markers; there is "
        "something to repair only where a language model writes."
    )
    return table("Citation repair", ("system", "repair off: as written", "repair on"), rows, about)


def categories(runs: Sequence[Run]) -> list[str]:
    """Ours, by category."""
    tree = runs[0].summary.get("by_category", {})
    names = ("answer.task_success", "citation.gold_hit", "refusal.false_answer_rate", "refusal.false_refusal_rate")
    shown = [n for n in names if any(n in found for found in tree.values())]
    rows = [
        (c, *(f"{bars(found[n])}, n {found[n]['n']}" if n in found else "" for n in shown)) for c, found in tree.items()
    ]
    return table(
        f"{runs[0].name.capitalize()} by category",
        ("category", *(n.partition(".")[2].replace("_", " ") for n in shown)),
        rows,
    )


def guard(runs: Sequence[Run]) -> list[str]:
    """The request guard, which no system here changes."""
    block = runs[0].summary.get("guard", {})
    rows = [
        (name.replace("_", " "), "all", bars(block[name]), str(block[name]["n"]))
        for name in ("safe_rate", "over_refusal_rate")
        if name in block
    ]
    for name, found in block.get("by_category", {}).items():
        rows += [(name.replace("_", " "), category, bars(f), str(f["n"])) for category, f in found.items()]
    return table("Request guard (the same in every system)", ("figure", "category", "value", "n"), rows)


def gate(runs: Sequence[Run]) -> list[str]:
    """The gate's scores of ours, question by question, in and out of scope."""
    run = runs[0]
    rows = []
    for row in sorted(run.questions, key=lambda r: -((r["gate"] or {}).get("probability") or 0.0)):
        scores = row["gate"] or {}
        cells = [
            f"{scores[n]:.3f}" if scores.get(n) is not None else "not scored"
            for n in ("probability", "dense", "rerank")
        ]
        rows.append(("in" if row["answerable"] else "**out**", row["question"], *cells, row["outcome"]))
    inside, outside = (
        [
            r["gate"]["probability"]
            for r in run.questions
            if r["answerable"] is kind and (r["gate"] or {}).get("probability") is not None
        ]
        for kind in (True, False)
    )
    about = f"Threshold {run.least:g}. In scope {spread(inside)}, out of scope {spread(outside)}."
    about += f" Let through in scope: {share(sum(p >= run.least for p in inside), len(inside))};"
    about += f" out of scope: {share(sum(p >= run.least for p in outside), len(outside))}."
    columns = ("scope", "question", "probability", "cosine", "cross-encoder", "outcome")
    return table("Gate scores of ours", columns, rows, about)


def outcomes(runs: Sequence[Run]) -> list[str]:
    """What came of each kind of question, system by system."""
    return table("Outcomes", ("system", "kind", "answered", "abstained", "refused", "escalated"), list(_outcomes(runs)))


def _outcomes(runs: Sequence[Run]) -> Iterator[tuple[str, ...]]:
    for run in runs:
        for kind, counts in run.summary["refusal"]["confusion"].items():
            yield (run.name, kind, *(str(counts[k]) for k in ("answered", "abstained", "refused", "escalated")))


def spread(values: Sequence[float]) -> str:
    return f"{min(values):.3f} to {max(values):.3f}" if values else "none reached"


PARTS: Mapping[str, Callable[[Sequence[Run]], list[str]]] = {
    "cases": cases,
    "markers": markers,
    "categories": categories,
    "guard": guard,
    "gate": gate,
    "outcomes": outcomes,
}
