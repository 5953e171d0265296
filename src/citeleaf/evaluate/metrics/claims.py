"""Claim figures: a verifier's labels beside those of people."""

from __future__ import annotations

from collections.abc import Sequence

LABELS = ("supported", "refuted", "not_enough_info")
MAPPED = {
    "supported": "supported",
    "partial": "not_enough_info",
    "unsupported": "not_enough_info",
    "contradicted": "refuted",
}
"""The label of a benchmark as the verifier would say it: what is partly supported is not supported."""


def accuracy(gold: Sequence[str], said: Sequence[str]) -> float:
    """Share of equal labels.

    >>> accuracy(["supported", "refuted"], ["supported", "supported"])
    0.5
    """
    return sum(g == s for g, s in zip(gold, said, strict=True)) / len(gold)


def balanced_accuracy(gold: Sequence[str], said: Sequence[str]) -> float | None:
    """Mean recall of `supported` and of not `supported`; None when the gold labels hold but one of the two.

    (Brodersen et al., ICPR 2010.) One of two supported claims found, and the one other:

    >>> balanced_accuracy(["supported", "supported", "refuted"], ["supported", "refuted", "not_enough_info"])
    0.75
    """
    yes = [s == "supported" for g, s in zip(gold, said, strict=True) if g == "supported"]
    no = [s != "supported" for g, s in zip(gold, said, strict=True) if g != "supported"]
    return (sum(yes) / len(yes) + sum(no) / len(no)) / 2 if yes and no else None


def macro_f1(gold: Sequence[str], said: Sequence[str]) -> float:
    """Mean F1 over the three labels, those left out that neither side uses; F1 is 0 for one used and never right.

    >>> round(macro_f1(["supported", "refuted", "refuted"], ["supported", "refuted", "supported"]), 4)
    0.6667
    """
    scores = []
    for label in LABELS:
        wanted, found = sum(g == label for g in gold), sum(s == label for s in said)
        if wanted + found:
            both = sum(g == s == label for g, s in zip(gold, said, strict=True))
            scores.append(2 * both / (wanted + found))
    return sum(scores) / len(scores)
