from __future__ import annotations

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.backends.verify_overlap import OverlapVerifier
from citeleaf.types import Draft, Evidence, Verdict
from support.evidence import document, evidence, passage

TEXT = """The bank must review high-risk accounts every 90 days. A review may be put off unless a report was filed.
We will not pay for:
- theft from an unlocked vehicle;
- wear and tear.
Staff are trained within thirty days of joining."""
FOUND = evidence(passage(document("aml", TEXT)), passage(document("kyc", "Passports are checked twice.")))


def verdict(text: str, shown: tuple[Evidence, ...] = FOUND) -> Verdict:
    draft = Draft(text, text, False, "fake")
    (found,) = OverlapVerifier().verify(split_claims(draft, resolve(draft, shown)), shown)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "The bank must review high-risk accounts every 90 days. [1]",
        "the BANK must review high‑risk accounts  every 90 days [1].",
        "We will not pay for: theft from an unlocked vehicle [1]",
    ],
)
def test_the_documents_own_words_are_supported(text: str) -> None:
    found = verdict(text)
    assert (found.label, found.score, [c.name for c in found.checks]) == ("supported", 1.0, ["quoted"])
    assert found.passage_ids == ("aml#body#c1",)


def test_a_close_wording_is_supported_below_one() -> None:
    found = verdict("High-risk accounts must be reviewed by the bank every 90 days [1].")
    assert found.label == "supported"
    assert 0.7 < found.score < 1.0


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("The bank must review high-risk accounts every 30 days [1].", "numbers"),
        ("The bank must not review high-risk accounts every 90 days [1].", "polarity"),
        ("The bank may review high-risk accounts every 90 days [1].", "modality"),
        ("A review may be put off [1].", "conditions"),
        ("The bank must review high-risk accounts every 90 days without notice [1].", "conditions"),
        ("The bank must review high-risk accounts every 90 days, approved [1].", "words"),
        ("Theft from an unlocked vehicle [1].", "polarity"),
        ("Customers can open an account by telephone on Sundays [1].", "overlap"),
        ("The bank must review high-risk accounts every 90 days. [2]", "overlap"),
        ("The bank must review high-risk accounts every 90 days.", "cited"),
        ("The bank must review high-risk accounts every 90 days. [5]", "cited"),
    ],
)
def test_changed_or_uncited_words_are_not(text: str, failed: str) -> None:
    found = verdict(text)
    assert found.label == "not_enough_info"
    assert found.score < 0.5
    assert failed in [c.name for c in found.checks if not c.passed]


@pytest.mark.parametrize(
    ("text", "claim", "failed"),
    [
        ("Cash is not covered; a deductible applies.", "Cash is covered without a deductible [1].", "polarity"),
        ("Cash is covered without a deductible.", "Cash is not covered [1].", "polarity"),
        ("Cash is covered without a deductible.", "Cash is not covered [1].", "conditions"),
        ("We cover theft excluding cash.", "We do not cover theft [1].", "polarity"),
        ("We cover theft excluding cash.", "We cover theft [1].", "conditions"),
        ("Cash cannot be claimed.", "Cash can be claimed [1].", "polarity"),
        ("Theft is covered provided that doors were locked.", "Theft is covered, doors locked [1].", "conditions"),
    ],
)
def test_a_negation_is_not_exchanged_for_an_exception(text: str, claim: str, failed: str) -> None:
    found = verdict(claim, evidence(passage(document("home", text))))
    assert found.label == "not_enough_info"
    assert failed in [c.name for c in found.checks if not c.passed]


def test_an_exception_may_be_said_in_another_form() -> None:
    shown = evidence(passage(document("home", "We cover theft excluding cash.")))
    found = verdict("Theft is covered, cash excluded [1].", shown)
    assert found.label == "supported"


def test_written_numbers_are_numbers() -> None:
    assert verdict("Staff are trained within 30 days of joining [1].").label == "supported"
    assert verdict("Staff are trained within 60 days of joining [1].").label == "not_enough_info"


def test_one_verdict_a_claim_in_order() -> None:
    text = "Passports are checked twice [2]. Nobody knows [1]. Passports are checked twice [2]."
    draft = Draft(text, text, False, "fake")
    found = OverlapVerifier().verify(split_claims(draft, resolve(draft, FOUND)), FOUND)
    assert [(v.claim, v.label) for v in found] == [(1, "supported"), (2, "not_enough_info"), (3, "supported")]
