"""A learned signal of injection: how much a question looks like an order to the assistant.

A logistic head on the sentence embedder, trained on public labelled prompts (see `profiles/signal.md`). It lends weight
to rules that found a weak sign, and warns; without a rule it refuses nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from citeleaf.guard.look import guard
from citeleaf.protocols import Embedder
from citeleaf.settings import GuardSettings
from citeleaf.types import Check

NAME = "learned_signal"
LENT = 0.5
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Head:
    """Coefficients for one embedder; probabilities from `least` on lend weight to `rules`."""

    embedder: str
    least: float
    rules: tuple[str, ...]
    bias: float
    weights: NDArray[np.float64]

    def probability(self, vector: NDArray[np.float32]) -> float:
        """In [0, 1]: the logistic function of bias + weights . vector."""
        return 1 / (1 + math.exp(-(self.bias + float(self.weights @ vector))))


@lru_cache(maxsize=1)
def head() -> Head:
    """The head that comes with citeleaf."""
    data = json.loads((files("citeleaf") / "profiles" / "signal.json").read_text("utf-8"))
    return Head(data["embedder"], data["least"], tuple(data["rules"]), data["bias"], np.array(data["weights"]))


def guard_request(text: str, rules: GuardSettings, embedder: Embedder | None) -> tuple[Check, ...]:
    """The checks of a question: one a rule, then, where the signal is on and there is its embedder, the signal's own.

    The signal's check fails, as a warning, from its least probability on; no rule has its name, so nothing follows.
    """
    if not rules.signal or embedder is None or embedder.name != head().embedder or not text.strip():
        return guard(text, rules.request)
    probability = head().probability(embedder.query(text[:_LONGEST]))
    warns = probability >= head().least
    lent: Mapping[str, float] = dict.fromkeys(head().rules, LENT) if warns else {}
    checks = guard(text, rules.request, lent)
    detail = "looks like an order to the assistant" if warns else ""
    return (*checks, Check(NAME, not warns, detail, round(probability, 4), head().least))
