"""Learned signals beside the rules: how much a question looks like one of those that rules are for.

Logistic heads on the sentence embedder and on the question's words and pairs of words, trained on labelled prompts (see
`profiles/signal.md`). They lend weight to rules that found a sign of their own, and warn; without one they refuse
nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from citeleaf.guard.look import guard
from citeleaf.guard.normal import normal
from citeleaf.protocols import Embedder
from citeleaf.settings import GuardSettings
from citeleaf.types import Check

LENT = 0.5
LENT_TO_CUES = 0.6
"""From heads trained on requests like those: enough beside a cue, too."""
LENT_BY_KIND = 0.75
"""Where hardly any harmless prompt gets: enough beside the form of a request, too."""
_LONGEST = 2_000
_MOST_WORDS = 400
_SHOWN = 4
_TOKEN = re.compile(r"\w+(?:'\w+)?|[?!]")


@dataclass(frozen=True, slots=True)
class Linear:
    """A bias and a weight for each number of an embedding."""

    bias: float
    weights: NDArray[np.float64]

    def logit(self, vector: NDArray[np.float32]) -> float:
        """bias + weights . vector, in log-odds."""
        return self.bias + float(self.weights @ vector)


@dataclass(frozen=True, slots=True)
class Head:
    """Coefficients of one signal; probabilities from `likely` on lend weight to `rules`, from `least` on more."""

    name: str
    likely: float
    least: float
    rules: tuple[str, ...]
    linear: Linear
    grams: Mapping[str, float]
    """Weights of words and pairs of words; empty where the embedding alone counts."""
    kinds: Mapping[str, Linear]
    """Which of `rules` a text is nearest to; empty where there is one."""

    def probability(self, vector: NDArray[np.float32], words: frozenset[str]) -> float:
        """In [0, 1]: the logistic function of the embedding's logit and the mean weight of `words` by root of count."""
        logit = self.linear.logit(vector) + sum(self.grams.get(w, 0.0) for w in words) / math.sqrt(max(len(words), 1))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))

    def heaviest(self, words: frozenset[str]) -> tuple[str, ...]:
        """The words that raised the probability most, at most four; ties in alphabetical order."""
        known = [word for word in words if self.grams.get(word, 0.0) > 0]
        return tuple(sorted(known, key=lambda word: (-self.grams[word], word))[:_SHOWN])

    def lends(self, probability: float, vector: NDArray[np.float32]) -> dict[str, float]:
        """The weight lent, by rule: to all alike, and from `least` on more to the kind that the text is nearest to."""
        if probability < self.likely:
            return {}
        if not self.grams:
            return dict.fromkeys(self.rules, LENT)
        lent = dict.fromkeys(self.rules, LENT_TO_CUES)
        if probability >= self.least:
            lent[max(self.rules, key=lambda rule: self._nearness(rule, vector))] = LENT_BY_KIND
        return lent

    def _nearness(self, rule: str, vector: NDArray[np.float32]) -> float:
        return self.kinds[rule].logit(vector) if self.kinds else 0.0


@lru_cache(maxsize=1)
def heads() -> tuple[str, tuple[Head, ...]]:
    """The embedder the heads belong to, and the heads that come with citeleaf."""
    data = json.loads((files("citeleaf") / "profiles" / "signal.json").read_text("utf-8"))
    return data["embedder"], tuple(
        Head(
            h["name"],
            h["likely"],
            h["least"],
            tuple(h["rules"]),
            _linear(h),
            h.get("grams", {}),
            {rule: _linear(kind) for rule, kind in h.get("kinds", {}).items()},
        )
        for h in data["heads"]
    )


def grams(text: str) -> frozenset[str]:
    """The words of a text, as rules read it, and the pairs of neighbours; the first 400 words, after a start sign."""
    words = ["<s>", *_TOKEN.findall(normal(text[:_LONGEST]))][:_MOST_WORDS]
    return frozenset(words) | {f"{a} {b}" for a, b in pairwise(words)}


def guard_request(text: str, rules: GuardSettings, embedder: Embedder | None) -> tuple[Check, ...]:
    """The checks of a question: one a rule, then, where signals are on and their embedder is there, one a signal.

    A signal's check fails, as a warning, from the probability on that lends weight; no rule has its name, so nothing
    follows. Its detail names the rules that it lends to and the words that weighed most.
    """
    name, known = heads()
    if not rules.signal or embedder is None or embedder.name != name or not text.strip():
        return guard(text, rules.request)
    vector, words = embedder.query(text[:_LONGEST]), grams(text)
    lent: dict[str, float] = {}
    warnings = []
    for head in known:
        probability = head.probability(vector, words)
        warns = probability >= head.likely
        detail = ""
        for rule, weight in head.lends(probability, vector).items():
            lent[rule] = max(weight, lent.get(rule, 0.0))
        if warns:
            heavy = ", ".join(f"`{word}`" for word in head.heaviest(words))
            detail = f"looks like what {', '.join(head.rules)} are for" + (f": {heavy}" if heavy else "")
        warnings.append(Check(head.name, not warns, detail, round(probability, 4), head.likely))
    return (*guard(text, rules.request, lent), *warnings)


def _linear(data: Mapping[str, object]) -> Linear:
    return Linear(float(str(data["bias"])), np.array(data["weights"], np.float64))
