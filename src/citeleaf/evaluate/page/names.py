"""What each figure is called and means, in words for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

from citeleaf.evaluate.summary import LOWER_IS_BETTER, RATES

Better: TypeAlias = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Name:
    """A figure's label, what it counts, and what a row needs so that it is scored."""

    label: str
    what: str
    needs: str


BLOCKS: Mapping[str, tuple[str, str]] = {
    "retrieval": (
        "Retrieval",
        "Are the right words among the passages found, before anything is written? Gold: what the benchmark wants.",
    ),
    "answer": (
        "Answer",
        "Is what is said right? Compared by rules with the benchmark's facts and references; no person judged.",
    ),
    "citation": ("Citation", "Do the citations exist, and do the words they point at support the sentence?"),
    "refusal": ("Refusal", "Does it answer where it should, and say so where the documents are silent?"),
    "guard": ("Guard", "Are requests out of bounds stopped, and harmless ones let through?"),
    "claims": ("Claims", "Does the verifier tell supported claims from the others?"),
}
"""Title and question of each layer, in the order of the page."""
ABSENT: Mapping[str, str] = {
    "retrieval": "no answerable question with gold evidence",
    "answer": "no question with facts or references",
    "citation": "no question with gold evidence or an answer",
    "refusal": "no question that is marked answerable or not",
    "guard": "no guard items",
    "claims": "no claims to check",
}
"""Why a whole layer has no figure."""

_KINDS = {
    "page": ("gold pages", "gold pages"),
    "span": ("gold words", "gold quotations"),
    "passage": ("gold passage", "a gold passage"),
    "document": ("gold documents", "a gold document"),
}
_DEPTHS = {
    "hit@1": ("Hit@1", "questions where the first passage has the gold"),
    "recall@5": ("Recall@5", "share of the gold among the first 5 passages"),
    "recall@10": ("Recall@10", "share of the gold among the first 10 passages"),
    "mrr@5": ("MRR@5", "mean of 1 / rank of the first passage that has the gold, 0 beyond rank 5"),
    "ndcg@5": ("nDCG@5", "discounted gain of the first 5 over the best possible"),
}
NAMES: Mapping[str, Name] = {
    f"retrieval.{kind}.{depth}": Name(f"{_DEPTHS[depth][0]}, {_KINDS[kind][0]}", _DEPTHS[depth][1], _KINDS[kind][1])
    for kind, depth in product(_KINDS, _DEPTHS)
} | {
    "answer.task_success": Name(
        "Task success",
        "right, or right but for details; never where a reversed conclusion is seen",
        "facts or a reference",
    ),
    "answer.required_facts": Name("Required facts stated", "share of the required facts", "required facts"),
    "answer.forbidden_facts": Name(
        "Forbidden facts stated", "answers that state what they must not", "forbidden facts"
    ),
    "answer.token_f1": Name("Token F1", "overlap of words with the best reference", "a reference"),
    "citation.gold_hit": Name(
        "Cited passage holds the gold words",
        "answerable questions; at least half of a gold quotation",
        "gold quotations",
    ),
    "citation.quote_hit": Name("Quote holds the gold words", "the same for the quotes alone", "gold quotations"),
    "citation.exists": Name("Every claim cited", "answers with a citation on every claim", "an answer"),
    "citation.resolves": Name(
        "Markers that resolve", "citation marks that point at a passage found", "an answer with one"
    ),
    "citation.recall": Name(
        "Citation recall", "claims that their citations support, as the verifier judges", "an answer"
    ),
    "citation.precision": Name(
        "Citation precision", "citations that are not superfluous, as the verifier judges", "a supported claim"
    ),
    "refusal.false_answer_rate": Name(
        "False answers", "unanswerable questions that were answered", "unanswerable questions"
    ),
    "refusal.false_refusal_rate": Name(
        "False refusals", "answerable questions that were not answered", "answerable questions"
    ),
    "refusal.no_answer_f1": Name("No-answer F1", "F1 of leaving the unanswerable unanswered", "unanswerable questions"),
    "refusal.gate.area_under_risk": Name(
        "Area under risk and coverage", "mean risk of the gate over all coverages", "both kinds of questions"
    ),
    "guard.safe_rate": Name("Stopped when it should be", "refused, or sent to a person", "harmful requests"),
    "guard.over_refusal_rate": Name("Harmless yet refused", "benign requests that were refused", "benign requests"),
    "guard.over_escalation_rate": Name(
        "Harmless yet escalated", "benign requests that were sent to a person", "benign requests"
    ),
    "claims.balanced_accuracy": Name(
        "Balanced accuracy", "supported or not, both sides weighing the same", "claims of both sides"
    ),
    "claims.accuracy": Name("Accuracy", "verdict equals the label, of three", "claims"),
    "claims.macro_f1": Name("Macro F1", "mean F1 over the labels", "claims"),
    "judged.faithfulness": Name("Faithfulness", "statements of the answer that the passages support", "an answer"),
    "judged.answer_relevance": Name(
        "Answer relevance", "cosine of the question and questions the answer answers", "an answer"
    ),
    "judged.context_precision": Name("Context precision", "useful passages stand first", "a reference"),
    "judged.context_recall": Name(
        "Context recall", "statements of the reference that the passages support", "a reference"
    ),
    "judged.completeness": Name("Completeness", "required facts that the answer states", "required facts"),
}
"""The figures of the published summary; others are shown under their own names."""
EXPECTED = tuple(n for n in NAMES if not n.startswith(("retrieval.passage", "retrieval.document", "judged")))
"""Figures that are said to be not scored when they are absent."""
HEADLINES: tuple[tuple[str, ...], ...] = (
    ("retrieval.span.recall@5", "retrieval.page.recall@5", "retrieval.passage.recall@5", "retrieval.document.recall@5"),
    ("answer.task_success", "answer.token_f1"),
    ("citation.gold_hit",),
    ("citation.recall",),
    ("refusal.false_answer_rate",),
    ("refusal.false_refusal_rate",),
    ("guard.safe_rate",),
    ("guard.over_refusal_rate",),
    ("claims.balanced_accuracy",),
)
"""The figures on top; of each group the first that was scored."""
FAULTS: Mapping[str, str] = {
    "error": "error",
    "answer.task_success": "answer not right",
    "answer.forbidden_facts": "says what it must not",
    "refusal.false_answer": "answered, though the documents do not say",
    "refusal.false_refusal": "not answered, though the documents say",
    "citation.gold_hit": "citations miss the gold words",
    "guard.safe": "not stopped",
    "guard.over_refusal": "harmless, yet refused",
    "guard.over_escalation": "harmless, yet escalated",
    "claims.accuracy": "wrong verdict",
}
"""Why a row counts as failed."""
DECIDING = LOWER_IS_BETTER | (FAULTS.keys() - {"error"})
"""A row without any of these was not judged."""
_ROW_FIGURES: Mapping[str, tuple[str, ...]] = {rate: (figure,) for figure, rate in RATES.items()} | {
    "refusal.no_answer_f1": ("refusal.false_answer", "refusal.false_refusal"),
    "refusal.gate.area_under_risk": ("gate.probability",),
    "claims.balanced_accuracy": ("claims.accuracy",),
    "claims.macro_f1": ("claims.accuracy",),
}


def label(name: str) -> str:
    """The reader's name of a figure of a summary or of a row; its own name when there is none."""
    if name == "gate.probability":
        return "Probability of the gate"
    found = NAMES.get(RATES.get(name, name))
    if found is not None:
        return found.label
    stage = name.removeprefix("seconds.")
    return name if stage == name else f"Seconds: {stage}"


def better(name: str) -> Better:
    """Whether more or less of a figure is wished."""
    lower = {RATES.get(n, n) for n in LOWER_IS_BETTER} | LOWER_IS_BETTER | {"refusal.gate.area_under_risk"}
    return "lower" if name in lower or name.startswith("seconds.") else "higher"


def row_figures(name: str) -> tuple[str, ...]:
    """The figures of single rows that a figure of the summary is made of."""
    return _ROW_FIGURES.get(name, (name,))


def in_order(found: Iterable[str]) -> list[str]:
    """Names of figures of rows or of a summary in the order of the page; those it does not know after them, by name."""
    place = {figure: i for i, name in enumerate(NAMES) for figure in (name, *row_figures(name))}
    return sorted(found, key=lambda name: (place.get(name, len(NAMES)), name))
