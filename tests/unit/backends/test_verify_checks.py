"""The default verifier without a model: labels, scores, deciding words, and what it never does."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.backends.verify_checks import ChecksVerifier
from citeleaf.types import Draft, Evidence, Verdict
from support.evidence import document, evidence, passage

TEXT = """The warden must lock the gate at nine in the evening. Visitors sign the book unless they hold a pass.
We will not pay for:
- damage to fences;
- damage to gates.
A deposit of $40 is returned within 14 days of the last visit."""
FOUND = evidence(passage(document("yard", TEXT)), passage(document("kitchen", "The kitchen is cleaned every morning.")))
VERIFIER = ChecksVerifier()


def verdict(text: str, shown: tuple[Evidence, ...] = FOUND, verifier: ChecksVerifier = VERIFIER) -> Verdict:
    draft = Draft(text, text, False, "fake")
    (found,) = verifier.verify(split_claims(draft, resolve(draft, shown)), shown)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "The warden must lock the gate at nine in the evening. [1]",
        "We will not pay for: damage to fences [1]",
        "a deposit of $40 is returned within 14 days of the last visit [1].",
    ],
)
def test_quotations_are_supported_at_one(text: str) -> None:
    found = verdict(text)
    assert (found.label, found.score, [c.name for c in found.checks]) == ("supported", 1.0, ["quoted"])
    assert found.passage_ids[0] == "yard#body#c1"
    assert found.quote is not None and found.quote.text in TEXT


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("The warden may lock the gate at nine in the evening [1].", "modality", "must"),
        ("The warden must not lock the gate at nine in the evening [1].", "negation", ""),
        ("A deposit of $60 is returned within 14 days of the last visit [1].", "numbers", "$40"),
        ("A deposit of $40 is returned within 14 weeks of the last visit [1].", "units", "14 days"),
        ("A deposit of $40 is returned after 14 days [1].", "comparators", ""),
        ("We will pay for damage to gates [1].", "negation", ""),
    ],
)
def test_a_reversal_is_refuted_with_the_words_that_decided(text: str, name: str, words: str) -> None:
    found = verdict(text)
    assert found.label == "refuted"
    assert found.score <= 0.05
    failed = next(c for c in found.checks if c.name == name and not c.passed)
    assert failed.found is not None and words in failed.found.text
    assert found.quote is not None and found.quote.text in TEXT


@pytest.mark.parametrize(
    "text",
    [
        "The kitchen is closed on public holidays [2].",
        "A deposit of $40 is returned within 14 days of the last visit, and a receipt is sent by post [1].",
        "The warden must lock the gate at nine in the evening.",
        "The warden must lock the gate at nine in the evening [7].",
        "Bekçi kapıyı akşam dokuzda kilitlemelidir [1].",
        "Der Wärter muss das Tor um neun Uhr am Abend abschließen [1].",
        "门在晚上九点锁上 [1]。",
        "x " * 3000 + "[1]",
    ],
)
def test_what_the_words_do_not_say_is_never_supported(text: str) -> None:
    found = verdict(text)
    assert found.label != "supported"
    assert any(not c.passed for c in found.checks)


def test_a_contradiction_is_never_outvoted() -> None:
    class Sure:
        name = "sure"
        fingerprint = "sure-1"

        def odds(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [30.0] * len(pairs)

    found = verdict("The warden may lock the gate at nine in the evening [1].", verifier=ChecksVerifier(None, [Sure()]))
    assert found.label == "refuted"


def test_one_verdict_a_claim_in_order_and_the_same_each_time() -> None:
    text = "The kitchen is cleaned every morning [2]. The moon is blue [1]. We will pay for damage to gates [1]."
    draft = Draft(text, text, False, "fake")
    claims = split_claims(draft, resolve(draft, FOUND))
    first, second = VERIFIER.verify(claims, FOUND), ChecksVerifier().verify(claims, FOUND)
    assert [(v.claim, v.label) for v in first] == [(1, "supported"), (2, "not_enough_info"), (3, "refuted")]
    assert first == second


def test_hard_claims_get_a_verdict_in_time() -> None:
    hard = [
        "| a | b |\n|---|---|", "```\nfor (;;) {}\n```", "\x00\x1b[31m\u202e gate", "\ud800 gate", "(" * 2000,
        "not " * 500,         "unless except other than " * 100, "1,2,3,4,5 " * 300, "“" * 500 + "gate", "[1" * 300,
    ]  # fmt: skip
    start = time.perf_counter()
    for text in hard:
        draft = Draft(text, text, False, "fake")
        claims = [c for c in split_claims(draft, ()) if c.text]
        cited = [type(c)(c.n, c.text, c.at, resolve(Draft("gate [1]", "gate [1]", False, ""), FOUND)) for c in claims]
        for found in VERIFIER.verify(cited, FOUND):
            assert 0.0 <= found.score <= 1.0
    assert time.perf_counter() - start < 10.0


def test_a_claim_is_not_pieced_together_from_several_places() -> None:
    shown = evidence(
        passage(
            document(
                "pep",
                "A politically exposed person is always placed in the high risk class. The relationship may be entered "
                "into only with the written approval of the Head of Compliance.\nA person ceases to be treated as "
                "politically exposed 18 months after leaving office, unless the Head of Compliance decides otherwise.",
            )
        ),
        passage(document("shops", "A customer may be taken on without a visit.")),
    )
    claim = "A politically exposed person may be taken on without approval by the Head of Compliance [1][2]."
    found = verdict(claim, shown)
    assert found.label == "not_enough_info"
    assert "one place" in [check.name for check in found.checks if not check.passed]
