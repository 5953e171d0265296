"""What is read of the evidence, and what it comes to."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citeleaf.answer.gate import Features
from citeleaf.answer.suffice import MOST_READ, sufficiency
from citeleaf.settings import GateSettings
from citeleaf.types import Evidence, Passage, Quote, Span, Unit


class Halves:
    """A reader that thinks every text a coin's throw, and keeps what it was given."""

    name = fingerprint = "halves"

    def __init__(self) -> None:
        self.read: list[str] = []

    def answers(self, question: str, texts: Sequence[str]) -> list[float]:
        self.read = list(texts)
        return [0.5] * len(texts)


class Frequencies:
    """A store of ten passages in which every term stands once."""

    def frequencies(self, terms: Sequence[str]) -> tuple[dict[str, int], int]:
        return dict.fromkeys(terms, 1), 10


def evidence(*texts: str) -> Evidence:
    units = tuple(Unit("paragraph", Quote(Span(i, i + 1), text)) for i, text in enumerate(texts))
    return Evidence(
        Passage("p", "d", "s", (), Span(0, 9), " ".join(texts), (1,), "0", units=units), 1, 0.0, "reranked", "found"
    )


def test_units_that_share_the_questions_words_are_read_first_and_few_at_all() -> None:
    reader = Halves()
    plenty = [f"Nothing of that kind, number {i}." for i in range(20)]
    value = sufficiency("Is theft covered?", [evidence(*plenty, "Theft is covered.")], Frequencies(), reader)  # type: ignore[arg-type]
    assert reader.read[0] == "Theft is covered."
    assert len(reader.read) == MOST_READ
    assert value == pytest.approx(1 - 0.5**MOST_READ)


def test_what_was_read_is_weighed_beside_the_other_features_where_it_has_a_weight() -> None:
    read = GateSettings(bias=0.0, sufficiency_weight=1.0, sufficiency_bias=0.0)
    assert Features(0.0, 0.0, 1.0, 0.25).probability(read) == pytest.approx(0.25)
    assert Features(5.0, 0.0, 1.0, 0.25).probability(read) > 0.25
    assert Features(0.0, 0.0, 1.0, 0.25).probability(GateSettings(bias=0.0, sufficiency_weight=0.0)) == pytest.approx(
        0.5
    )
    assert Features(0.0, 0.0, 1.0).probability(read) == pytest.approx(0.5)
