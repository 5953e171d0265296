"""Refusal figures, from outcomes and never from words; the risk-coverage curve of the gate."""

from __future__ import annotations

from collections.abc import Sequence


def no_answer_f1(answerable: Sequence[bool], answered: Sequence[bool]) -> float | None:
    """F1 of 'there is no answer' as the positive class; None when no row is unanswerable and none was left unanswered.

    precision = unanswerable among the unanswered, recall = unanswered among the unanswerable (the no-answer class of
    Rajpurkar et al., ACL 2018, as a plain F1). Two unanswerable rows, one of them left unanswered, and one answerable
    row left unanswered too:

    >>> no_answer_f1([False, False, True], [False, True, False])
    0.5
    """
    true = sum(not a and not b for a, b in zip(answerable, answered, strict=True))
    wrong = sum(a and not b for a, b in zip(answerable, answered, strict=True))
    missed = sum(not a and b for a, b in zip(answerable, answered, strict=True))
    return None if true + wrong + missed == 0 else 2 * true / (2 * true + wrong + missed)


def risk_coverage(scores: Sequence[float], wrong: Sequence[bool]) -> list[tuple[float, float, float]]:
    """Points (threshold, coverage, risk) of letting through every row whose score is at least the threshold.

    Coverage is the share let through, risk the share of those that are wrong (El-Yaniv & Wiener, JMLR 2010). One point
    for each different score, highest first; rows of equal score pass together.

    >>> risk_coverage([0.9, 0.5, 0.5], [False, True, False])
    [(0.9, 0.3333333333333333, 0.0), (0.5, 1.0, 0.3333333333333333)]
    """
    points = []
    for threshold in sorted(set(scores), reverse=True):
        through = [w for s, w in zip(scores, wrong, strict=True) if s >= threshold]
        points.append((threshold, len(through) / len(scores), sum(through) / len(through)))
    return points


def area_under_risk(scores: Sequence[float], wrong: Sequence[bool]) -> float:
    """Mean risk over the coverages 1/n .. n/n (AURC: Geifman, Uziel & El-Yaniv, ICLR 2019); lower is better.

    Rows of equal score share their wrongs evenly, so that the order of rows does not matter. Risks 0, 0.25 and 0.333:

    >>> round(area_under_risk([0.9, 0.5, 0.5], [False, True, False]), 4)
    0.1944
    """
    total, seen, bad = 0.0, 0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        tied = [w for s, w in zip(scores, wrong, strict=True) if s == threshold]
        share = sum(tied) / len(tied)
        for _ in tied:
            seen, bad = seen + 1, bad + share
            total += bad / seen
    return total / len(scores)
