"""Learned signals beside the rules: how much a question looks like one of those that rules are for.

Logistic heads on the sentence embedder, trained on labelled prompts (see `profiles/signal.md`). They lend weight to
rules that found a weak sign, and warn; without a rule they refuse nothing.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from citeleaf.guard.look import guard
from citeleaf.protocols import Embedder
from citeleaf.settings import GuardSettings
from citeleaf.types import Check

LENT = 0.5
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Head:
    """Coefficients of one signal; probabilities from `least` on lend weight to `rules`."""

    name: str
    least: float
    rules: tuple[str, ...]
    bias: float
    weights: NDArray[np.float64]

    def probability(self, vector: NDArray[np.float32]) -> float:
        """In [0, 1]: the logistic function of bias + weights . vector."""
        return 1 / (1 + math.exp(-(self.bias + float(self.weights @ vector))))


@lru_cache(maxsize=1)
def heads() -> tuple[str, tuple[Head, ...]]:
    """The embedder the heads belong to, and the heads that come with citeleaf."""
    data = json.loads((files("citeleaf") / "profiles" / "signal.json").read_text("utf-8"))
    return data["embedder"], tuple(
        Head(h["name"], h["least"], tuple(h["rules"]), h["bias"], np.array(h["weights"])) for h in data["heads"]
    )


def guard_request(text: str, rules: GuardSettings, embedder: Embedder | None) -> tuple[Check, ...]:
    """The checks of a question: one a rule, then, where signals are on and their embedder is there, one a signal.

    A signal's check fails, as a warning, from its least probability on; no rule has its name, so nothing follows.
    """
    name, known = heads()
    if not rules.signal or embedder is None or embedder.name != name or not text.strip():
        return guard(text, rules.request)
    vector = embedder.query(text[:_LONGEST])
    lent: dict[str, float] = {}
    warnings = []
    for head in known:
        probability = head.probability(vector)
        warns = probability >= head.least
        if warns:
            lent.update(dict.fromkeys(head.rules, LENT))
        detail = f"looks like what {', '.join(head.rules)} are for" if warns else ""
        warnings.append(Check(head.name, not warns, detail, round(probability, 4), head.least))
    return (*guard(text, rules.request, lent), *warnings)
