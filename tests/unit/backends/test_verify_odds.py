"""A model's yes or no on a claim: over the wire, with faults, and joined with the checks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.backends.generate_http import HttpChat
from citeleaf.backends.verify_checks import ChecksVerifier
from citeleaf.backends.verify_odds import ModelOdds
from citeleaf.protocols import Signal
from citeleaf.settings import ChatSettings
from citeleaf.types import Draft, Evidence, Verdict
from support.chats import ScriptedChat
from support.evidence import document, evidence, passage
from support.fake_model import FakeModel

PAIR = [("The gate is locked at nine.", "The warden must lock the gate at nine in the evening.")]
TEXT = "The warden must lock the gate at nine in the evening. Visitors sign the book unless they hold a pass."
FOUND = evidence(passage(document("yard", TEXT)))


def asked(behaviour: str) -> tuple[list[float | str], FakeModel]:
    with FakeModel(behaviour) as fake:
        signal = ModelOdds(HttpChat(ChatSettings(address=fake.address, idle_s=2, total_s=4, load_s=4)))
        return signal.odds(PAIR), fake


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize(("behaviour", "low", "high"), [("weighs_yes", 1.85, 1.95), ("weighs_no", -3.95, -3.85)])
def test_the_odds_are_those_of_yes_against_no(behaviour: str, low: float, high: float) -> None:
    (odds,), fake = asked(behaviour)
    assert isinstance(odds, float) and low < odds < high
    (sent,) = [s.body for s in fake.chats]
    assert (sent["max_tokens"], sent["temperature"], sent["logprobs"]) == (1, 0.0, True)
    assert "locked at nine" in sent["messages"][-1]["content"]


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        ("good_whole", "no probabilities"),
        ("weighs_neither", "neither yes nor no"),
        ("weighs_oddly", "no probabilities"),
        ("bad_request", "no probabilities"),
        ("overflow", "does not fit"),
        ("server_error", "server_error"),
        ("silent", "the server at"),
        ("html_page", ""),
        ("not_json", ""),
        ("no_choices", ""),
    ],
)
def test_without_probabilities_there_is_no_opinion_and_the_reason_is_kept(behaviour: str, why: str) -> None:
    (odds,), _ = asked(behaviour)
    assert isinstance(odds, str) and odds and why in odds


def test_a_runtime_that_cannot_weigh_is_told() -> None:
    signal = ModelOdds(ScriptedChat("Yes"))
    assert isinstance(signal, Signal)
    assert signal.odds(PAIR) == ["scripted gives no probabilities"]


class Says:
    name, fingerprint = "model_odds", "says-1"

    def __init__(self, odds: float | str) -> None:
        self.said, self.asked = odds, 0

    def odds(self, pairs: Sequence[tuple[str, str]]) -> list[float | str]:
        self.asked += len(pairs)
        return [self.said] * len(pairs)


def verdict(text: str, signal: Says) -> Verdict:
    draft = Draft(text, text, False, "fake")
    shown: tuple[Evidence, ...] = FOUND
    return ChecksVerifier(None, [signal]).verify(split_claims(draft, resolve(draft, shown)), shown)[0]


def test_an_open_claim_is_asked_about_and_a_refuted_one_is_not() -> None:
    open_ = Says(2.0)
    found = verdict("At nine in the evening the warden locks the yard's gate [1].", open_)
    assert open_.asked == 1
    assert ("model_odds", 2.0) in [(c.name, c.value) for c in found.checks]
    refuted = Says(12.0)
    assert verdict("The warden may lock the gate at nine in the evening [1].", refuted).label == "refuted"
    assert refuted.asked == 0


def test_no_opinion_changes_nothing_and_says_why() -> None:
    text = "At nine in the evening the warden locks the yard's gate [1]."
    without, silent = verdict(text, Says(0.0)), verdict(text, Says("asleep"))
    assert (silent.label, silent.claim) == (ChecksVerifier().verify(*_claims(text))[0].label, without.claim)
    assert "asleep" in [c.detail for c in silent.checks if c.name == "model_odds"]


def _claims(text: str):  # type: ignore[no-untyped-def]
    draft = Draft(text, text, False, "fake")
    return split_claims(draft, resolve(draft, FOUND)), FOUND
