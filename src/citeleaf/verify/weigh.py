"""Findings and signals to one probability that the passage supports the claim: a small logistic layer.

    p  =  1 / (1 + exp(-(bias + sum of weight * feature)))

The weights lie in `weights.json`, one set for each combination of signals, with a card that says what they were fitted
on and by which command. A deterministic contradiction is never outvoted: `verdict` gives it the label `refuted`
whatever the probability.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from pathlib import Path

from citeleaf.errors import ConfigError
from citeleaf.types import Label
from citeleaf.verify.finding import Finding, Sides
from citeleaf.verify.lexicon import REGARDLESS
from citeleaf.verify.modality import cues
from citeleaf.verify.polarity import denials
from citeleaf.verify.run import contradictions
from citeleaf.verify.wording import longest_unsaid

FILE = Path(__file__).with_name("weights.json")
MOST_UNSAID = 0.4
"""Share of a part's words that a supported claim may have beyond one piece."""
REFUTED = 0.05
"""Highest score of a refuted claim."""
LEXICAL, RERANKED = "lexical", "reranked"


@dataclass(frozen=True, slots=True)
class Weights:
    """One fitted set: a weight a feature, the bias, and the two thresholds.

    From `sure` on a claim is shown as supported; below `unsure` nothing supports it; between, a person should look.
    """

    name: str
    bias: float
    weights: Mapping[str, float]
    sure: float
    unsure: float
    gated: bool = True
    """Whether a doubt keeps a claim from being supported; without, doubts are weighed alone."""

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability that the evidence supports the claim. Features without a weight do not count."""
        z = self.bias + sum(w * features.get(name, 0.0) for name, w in self.weights.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, z))))


@lru_cache(maxsize=8)
def weights(signals: tuple[str, ...] = ()) -> Weights:
    """The weights for the signals at hand, else for the most of them that were fitted together.

    Raises `ConfigError` when the file that comes along cannot be read.
    """
    try:
        sets = json.loads(FILE.read_text("utf-8"))["sets"]
        known = {tuple(sorted(entry["signals"])): entry for entry in sets}
        best = max((k for k in known if set(k) <= set(signals)), key=lambda k: (len(k), k))
        entry = known[best]
        return Weights(
            entry["name"],
            entry["bias"],
            entry["weights"],
            entry["thresholds"]["sure"],
            entry["thresholds"]["unsure"],
            entry.get("gated", True),
        )
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"`{FILE.name}` cannot be read: {error!r}", hint="install citeleaf again") from error


def features(
    sides: Sides, findings: Sequence[Finding], parted: Sequence[Sides], signals: Mapping[str, float]
) -> dict[str, float]:
    """What is weighed, by name: shares in [0, 1], flags, and the signals (log-odds over 6, cut to [-2, 2]).

    `parted` are the claim's parts beside the same pieces, when it has several.
    """
    best = sides.best
    failed = {f.name: f for f in findings if f.state == "failed"}
    missing = sum(
        not any(q.written == p.written for m in sides.matches for p in m.piece.reading.quantities)
        for q in sides.claim.quantities
    )
    clean = (
        best.near
        and best.tight >= 0.6
        and not (set(failed) - {"words", "wording", "additions"})
        and sides.coverage >= 0.85
    )
    mine, theirs = {c.kind for c in cues(sides.claim)}, {c.kind for c in cues(best.piece.reading)}
    values = {
        "unsaid": 1 - sides.coverage,
        "unsaid_best": 1 - best.coverage,
        "disorder": 1 - best.ordered,
        "run": min(5, longest_unsaid(sides)) / 5,
        "unsaid_part": max((_unsaid(p) for p in parted), default=_unsaid(sides)),
        "parts": min(3, len(parted)) / 3,
        "contradicted": float(bool(contradictions(tuple(findings)))),
        "numbers": float(any(n in failed and not failed[n].contradicts for n in ("numbers", "periods", "dates"))),
        "numbers_lost": min(2, missing) / 2,
        "names": float("names" in failed),
        "quoted": float("quoted" in failed),
        "exceptions": float("exceptions" in failed and not failed["exceptions"].contradicts),
        "quantifiers": float("quantifiers" in failed and not failed["quantifiers"].contradicts),
        "parties": float("parties" in failed and not failed["parties"].contradicts),
        "denials": float(denials(sides.claim) % 2 != denials(best.piece.reading) % 2),
        "modality": float(bool(mine) and bool(theirs) and not (mine & theirs)),
        "duty_added": float(bool(mine - {"permitted"}) and not theirs),
        "regardless": float(bool(REGARDLESS.search(sides.claim.text))),
        "wording": float("wording" in failed),
        "additions": float("additions" in failed),
        "clean": float(clean),
        "length": min(60, len(sides.claim.content)) / 20,
    }
    return values | {name: max(-2.0, min(2.0, value / 6)) for name, value in signals.items()}


def label(
    probability: float, findings: Sequence[Finding], values: Mapping[str, float], known: Weights
) -> tuple[Label, float]:
    """Label and score. A contradiction is `refuted`, at most 0.05; else `supported` from `sure` on, without a doubt.

    A doubt is a failed check, `words` aside, or a part of which one piece holds less than 0.6; it forbids where the
    weights are `gated`.
    """
    if contradictions(tuple(findings)):
        return "refuted", min(probability, REFUTED)
    doubtful = any(f.state == "failed" and f.name != "words" for f in findings) or values["unsaid_part"] > MOST_UNSAID
    held_back = doubtful and known.gated
    return ("supported" if probability >= known.sure and not held_back else "not_enough_info"), probability


def _unsaid(sides: Sides) -> float:
    """Share of the words of a part that its best piece alone does not hold."""
    return 1 - max(m.coverage for m in sides.matches)
