"""Does an answer state what is required, assert what is forbidden, or turn the reference round?"""

from __future__ import annotations

from dataclasses import dataclass

from citeleaf.evaluate.forms import Row
from citeleaf.evaluate.metrics.answers import facts_stated, rubric, tokens
from citeleaf.record import Json


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict on one answer."""

    stated: tuple[bool, ...]
    forbidden: tuple[bool, ...]
    score: int | None

    def figures(self) -> dict[str, float]:
        """Figures by dotted name."""
        figures: dict[str, float] = {}
        if self.stated:
            figures["answer.required_facts"] = facts_stated(self.stated)
        if self.forbidden:
            figures["answer.forbidden_facts"] = float(any(self.forbidden))
        if self.score is not None:
            figures["answer.task_success"] = float(self.score >= 2)
        return figures

    def json(self) -> Json:
        """For the row."""
        return {"stated": list(self.stated), "forbidden": list(self.forbidden), "score": self.score}


def judge(text: str, row: Row) -> Judgement:
    """The verdict on an answer; an empty text was not answered."""
    if row.answerable is False:
        return Judgement((), (), 0 if text else 3)
    said = " ".join(tokens(text))
    stated = tuple(any(" ".join(tokens(w)) in said for w in fact) for fact in row.required_facts)
    forbidden = tuple(any(" ".join(tokens(w)) in said for w in fact) for fact in row.forbidden_facts) if text else ()
    score = rubric(facts_stated(stated), wrong=any(forbidden)) if stated else None
    return Judgement(stated, forbidden, score)
