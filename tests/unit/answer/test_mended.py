"""Sentences that are mended or taken out, documents that disagree, versions by date, open parts of a question."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.answer.decide import decide_answer
from citeleaf.answer.disagree import disagreements
from citeleaf.answer.missing import missing
from citeleaf.answer.revise import revise
from citeleaf.answer.versions import asked_day, in_force
from citeleaf.backends.verify_checks import ChecksVerifier
from citeleaf.settings import DecideSettings
from citeleaf.types import Claim, Draft, Evidence, Query, Verdict
from support.evidence import document, evidence, passage

YARD = document("yard", "The warden must lock the gate at nine in the evening. A deposit of $40 is taken.")
SHED = document("shed", "Bicycles may be left in the shed for three days. The shed is closed on Sundays.")
VERIFIER = ChecksVerifier()


def checked(text: str, shown: tuple[Evidence, ...]) -> tuple[Draft, tuple[Claim, ...], tuple[Verdict, ...]]:
    draft = Draft(text, text, False, "fake")
    claims = split_claims(draft, resolve(draft, shown))
    return draft, claims, tuple(VERIFIER.verify(claims, shown))


def test_a_sentence_that_cites_the_wrong_passage_is_pointed_at_the_right_one() -> None:
    shown = evidence(passage(YARD), passage(SHED))
    _, claims, verdicts = checked("Bicycles may be left in the shed for three days [1].", shown)
    assert verdicts[0].label != "supported"
    after, judged = revise(claims, verdicts, shown, VERIFIER)
    assert [v.label for v in judged][1:] == ["supported"]
    (cite,) = after[1].cites
    assert (cite.passage_id, cite.status) == ("shed#body#c1", "repaired")
    assert cite.why and after[1].at == claims[0].at


def test_a_refuted_sentence_gives_way_to_the_documents_words() -> None:
    shown = evidence(passage(YARD))
    draft, claims, verdicts = checked("The warden may lock the gate at nine in the evening [1].", shown)
    assert verdicts[0].label == "refuted"
    after, judged = revise(claims, verdicts, shown, VERIFIER)
    assert after[1].text == "The warden must lock the gate at nine in the evening."
    decision = decide_answer(draft, after, judged, (), (), DecideSettings())
    assert (decision.outcome, decision.kept) == ("answered", (after[1].n,))


def test_what_nothing_supports_is_taken_out_and_too_little_abstains() -> None:
    shown = evidence(passage(YARD), passage(SHED))
    draft, claims, verdicts = checked("The moon is made of cheese [1]. Cats sleep at noon [2].", shown)
    after, judged = revise(claims, verdicts, shown, VERIFIER)
    assert after == claims
    assert decide_answer(draft, after, judged, (), (), DecideSettings()).reason == "no_supported_claim"


def test_two_documents_that_disagree_are_both_shown() -> None:
    other = document("rules", "The warden must lock the gate at ten in the evening. Dogs are kept on a lead.")
    other = replace(other, text=other.text.replace("at ten", "within 10 minutes"))
    first = document("yard", "The warden must lock the gate within 30 minutes in the evening.")
    shown = evidence(passage(first), passage(other))
    draft, claims, verdicts = checked("The warden must lock the gate within 30 minutes in the evening [1].", shown)
    after, judged, found = disagreements(claims, verdicts, shown, (first, other), VERIFIER)
    assert {int(c.value or 0) for c in found} == {c.n for c in after}
    decision = decide_answer(draft, after, judged, found, (), DecideSettings())
    assert (decision.outcome, decision.reason, len(decision.kept)) == ("escalated", "conflict", 2)
    assert {c.cites[0].passage_id for c in after} == {"yard#body#c1", "rules#body#c1"}


@pytest.mark.parametrize(
    "text",
    [
        "The warden must lock the shed within 10 minutes in the evening.",
        "The warden must lock the gate within 30 minutes in the evening.",
        "Dogs are kept on a lead.",
    ],
)
def test_what_speaks_of_something_else_is_no_conflict(text: str) -> None:
    first = document("yard", "The warden must lock the gate within 30 minutes in the evening.")
    other = document("rules", text)
    shown = evidence(passage(first), passage(other))
    _, claims, verdicts = checked("The warden must lock the gate within 30 minutes in the evening [1].", shown)
    assert disagreements(claims, verdicts, shown, (first, other), VERIFIER)[2] == ()


def test_versions_of_one_document_do_not_disagree() -> None:
    first = document("yard-2", "The warden must lock the gate within 30 minutes in the evening.")
    old = document("yard-1", "The warden must lock the gate within 10 minutes in the evening.")
    shown = evidence(passage(first), passage(old))
    _, claims, verdicts = checked("The warden must lock the gate within 30 minutes in the evening [1].", shown)
    documents = (replace(first, replaces="yard-1"), old)
    assert disagreements(claims, verdicts, shown, documents, VERIFIER)[2] == ()


def test_a_day_in_the_past_is_asked_of_the_version_then_in_force() -> None:
    new = replace(document("yard-2", "b"), effective="2024-01-01", replaces="yard-1")
    old = replace(document("yard-1", "a"), effective="2020-01-01")
    other = document("shed", "c")
    documents = (old, new, other)
    asked = in_force(Query("Which deposit was in force on 3 May 2021?"), documents)
    assert asked.doc_ids == ("shed", "yard-1")
    for text in ("What is the deposit?", "Which deposit was in force on 3 May 2024?", "Who was born on 3 May 2021?"):
        assert in_force(Query(text), documents).doc_ids == () or "born" in text
    assert in_force(Query("Which deposit was in force on 3 May 2021?", (), ("yard-2",)), documents).doc_ids == (
        "yard-2",
    )
    assert asked_day("What did the policy of 2019 say?") == date(2019, 12, 31)
    assert asked_day("What is due on 31 February 2021?") is None


def test_a_part_of_the_question_that_no_sentence_speaks_of_is_named() -> None:
    shown = evidence(passage(YARD))
    _, claims, verdicts = checked("The warden must lock the gate at nine in the evening [1].", shown)
    parts = ("When is the gate locked?", "Who feeds the geese?")
    assert [c.detail for c in missing(parts, claims, verdicts)] == ["Who feeds the geese?"]
    assert missing((), claims, verdicts) == ()
