from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from citeleaf.guard.look import guard
from citeleaf.guard.signal import LENT, LENT_BY_KIND, LENT_TO_CUES, grams, guard_request, heads
from citeleaf.layers import load
from citeleaf.settings import GuardRule, GuardSettings

WEAK = GuardRule(name="injection", weak=("alpha",))
FORMS = (("alpha", LENT_BY_KIND), ("alpha", LENT), ("alpha", 0.0), ("beta", LENT_BY_KIND))
OTHER = GuardRule(name="fruit", weak=("alpha",))


class FakeEmbedder:
    """Points every text along the coefficients of a head, or away from them."""

    dim = 384
    fingerprint = "fake"

    def __init__(self, direction: float, name: str = heads()[0]) -> None:
        self.name = name
        self.direction = direction

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        return np.stack([self.query(t) for t in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        known = heads()[1]
        weights = known[0].linear.weights if self.direction > 0 else sum(h.linear.weights for h in known)
        return (self.direction * weights / np.linalg.norm(weights)).astype(np.float32)


def test_heads_are_whole() -> None:
    name, known = heads()
    assert name == "minilm-l6" and [h.name for h in known] == [
        "signal_injection",
        "signal_order",
        "signal_harm",
        "signal_request",
    ]
    for head in known:
        assert head.linear.weights.shape == (384,) and 0.3 <= head.least < 1 and head.rules
    assert LENT < 1


def test_a_strong_signal_lends_weight_to_a_weak_sign_of_its_rules_and_warns() -> None:
    rules = GuardSettings(rules=(), request=(WEAK, OTHER))
    checks = {c.name: c for c in guard_request("alpha", rules, FakeEmbedder(1.0))}
    assert not checks["injection"].passed and "learned signal" in checks["injection"].detail
    assert checks["fruit"].passed
    warning = checks["signal_injection"]
    assert not warning.passed and warning.value is not None and warning.value >= heads()[1][0].least


def test_a_signal_refuses_nothing_alone() -> None:
    checks = guard_request("beta", GuardSettings(rules=(), request=(WEAK,)), FakeEmbedder(1.0))
    failed = [c.name for c in checks if not c.passed]
    assert failed[0] == "signal_injection" and all(name.startswith("signal_") for name in failed)


def test_a_weak_signal_changes_nothing() -> None:
    checks = guard_request("alpha", GuardSettings(rules=(), request=(WEAK,)), FakeEmbedder(-1.0))
    assert all(c.passed for c in checks)


@pytest.mark.parametrize(
    ("settings", "embedder"),
    [
        (GuardSettings(rules=(), request=(WEAK,), signal=False), FakeEmbedder(1.0)),
        (GuardSettings(rules=(), request=(WEAK,)), FakeEmbedder(1.0, "another")),
        (GuardSettings(rules=(), request=(WEAK,)), None),
    ],
)
def test_without_its_embedder_or_switched_off_there_is_no_signal(
    settings: GuardSettings, embedder: FakeEmbedder | None
) -> None:
    (check,) = guard_request("alpha", settings, embedder)
    assert check.name == "injection" and check.passed


def test_a_sign_of_form_counts_only_beside_what_is_lent_by_kind() -> None:
    rule = GuardRule(name="injection", beside=("alpha",))
    refused = [not guard(text, (rule,), {"injection": lent})[0].passed for text, lent in FORMS]
    assert refused == [True, False, False, False]


def test_words_raise_a_probability_and_are_named() -> None:
    request = heads()[1][3]
    bare = np.zeros(384, np.float32)
    words = grams("Should I buy this, what do you advise?")
    assert request.probability(bare, words) > request.probability(bare, grams("What does section 4 say?"))
    named = request.heaviest(words)
    assert named and set(named) <= words and all(request.grams[word] > 0 for word in named)


def test_a_head_of_kinds_lends_to_all_and_from_its_least_probability_on_more_to_the_nearest() -> None:
    for head in heads()[1][1:]:
        assert set(head.kinds) == (set(head.rules) if len(head.rules) > 1 else set()) and head.likely < head.least
        vector = (head.kinds[head.rules[0]] if head.kinds else head.linear).weights.astype(np.float32)
        assert head.lends(head.likely - 0.01, vector) == {}
        assert head.lends(head.likely, vector) == dict.fromkeys(head.rules, LENT_TO_CUES)
        most = head.lends(head.least, vector)
        assert most[head.rules[0]] == LENT_BY_KIND and sorted(most.values())[:-1] == [LENT_TO_CUES] * (len(most) - 1)


def test_a_cue_counts_only_beside_what_heads_of_kinds_lend() -> None:
    rule = GuardRule(name="injection", cues=("alpha",), beside=("beta",), unless=("gamma",))
    lent = (LENT_BY_KIND, LENT_TO_CUES, LENT, 0.0)
    assert [guard("alpha", (rule,), {"injection": one})[0].passed for one in lent] == [False, False, True, True]
    assert guard("alpha gamma", (rule,), {"injection": LENT_TO_CUES})[0].passed
    assert guard("beta", (rule,), {"injection": LENT_TO_CUES})[0].passed


@pytest.mark.parametrize("profile", ["insurance", "kyc"])
def test_no_cue_refuses_alone(profile: str) -> None:
    rules = load(profile)[0].guard.request
    bare = tuple(rule.model_copy(update={"patterns": (), "weak": (), "places": ()}) for rule in rules)
    assert any(rule.cues for rule in bare)
    assert all(check.passed for rule in rules for text in rule.trips for check in guard(text, bare))
