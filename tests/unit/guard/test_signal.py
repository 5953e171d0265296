from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from citeleaf.guard.look import guard
from citeleaf.guard.signal import LENT, LENT_BY_KIND, grams, guard_request, heads
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
    request = heads()[1][2]
    bare = np.zeros(384, np.float32)
    words = grams("Should I buy this, what do you advise?")
    assert request.probability(bare, words) > request.probability(bare, grams("What does section 4 say?"))
    named = request.heaviest(words)
    assert named and set(named) <= words and all(request.grams[word] > 0 for word in named)


def test_a_head_of_kinds_lends_to_the_nearest_alone() -> None:
    for head in heads()[1][1:]:
        assert set(head.kinds) == set(head.rules)
        vector = head.kinds[head.rules[0]].weights.astype(np.float32)
        assert head.lends(vector) == {head.rules[0]: LENT_BY_KIND}
