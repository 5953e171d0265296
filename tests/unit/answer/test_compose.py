from __future__ import annotations

from collections.abc import Sequence

import pytest

from citeleaf.answer.compose import compose
from citeleaf.errors import BadModelOutput, ModelUnavailable
from citeleaf.types import Draft, Evidence, Fact, Query, Retrieval

FOUND = Retrieval((), ())


class Says:
    name = "says"
    fingerprint = "says"

    def __init__(self, reply: Draft | Exception) -> None:
        self.reply = reply

    def draft(self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact]) -> Draft:
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


QUOTER = Says(Draft("q", "quoted [1]", False, "quote"))


def test_a_good_draft_is_taken_as_it_is() -> None:
    draft = Draft("raw", "text [1]", False, "model")
    assert compose(Query("q"), FOUND, Says(draft), QUOTER) is draft


def test_an_abstention_is_believed() -> None:
    draft = Draft("raw", "", True, "model")
    assert compose(Query("q"), FOUND, Says(draft), QUOTER) is draft


def test_on_strong_evidence_an_abstention_becomes_quotation_and_the_record_says_why() -> None:
    draft = compose(Query("q"), FOUND, Says(Draft("NOT_IN_DOCUMENTS", "", True, "model")), QUOTER, strong=True)
    assert (draft.text, draft.fallback, draft.raw) == ("quoted [1]", "bad_model_output", "NOT_IN_DOCUMENTS")
    assert [c.detail.split(":")[0] for c in draft.checks] == ["abstained_on_strong_evidence"]


def test_a_quoter_that_abstains_is_believed_on_strong_evidence_too() -> None:
    quoter = Says(Draft("", "", True, "quote"))
    assert compose(Query("q"), FOUND, quoter, quoter, strong=True).abstains


@pytest.mark.parametrize(
    ("reply", "fallback", "raw"),
    [
        (BadModelOutput("echoed", raw="the instructions"), "bad_model_output", "the instructions"),
        (ModelUnavailable("down"), "model_unavailable", ""),
        (Draft("  ", " \n", False, "model"), "bad_model_output", "  "),
    ],
)
def test_a_failing_model_becomes_quotation_and_the_record_says_why(
    reply: Draft | Exception, fallback: str, raw: str
) -> None:
    draft = compose(Query("q"), FOUND, Says(reply), QUOTER)
    assert (draft.text, draft.generator, draft.fallback, draft.raw) == ("quoted [1]", "quote", fallback, raw)


def test_a_failing_quoter_raises() -> None:
    broken = Says(ModelUnavailable("down"))
    with pytest.raises(ModelUnavailable):
        compose(Query("q"), FOUND, broken, broken)
