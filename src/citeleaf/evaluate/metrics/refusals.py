"""Refusal figures from outcomes, never from words."""

from __future__ import annotations

from collections.abc import Sequence


def no_answer_f1(answerable: Sequence[bool], answered: Sequence[bool]) -> float | None:
    """F1 of 'there is no answer' as the positive class; None when no row is unanswerable and none was left unanswered.

    precision = unanswerable among the unanswered, recall = unanswered among the unanswerable (SQuAD 2.0's no-answer
    class, as a plain F1). Example: 2 unanswerable rows, one of them left unanswered, and one answerable row too: 0.5.
    """
    true = sum(not a and not b for a, b in zip(answerable, answered, strict=True))
    wrong = sum(a and not b for a, b in zip(answerable, answered, strict=True))
    missed = sum(not a and b for a, b in zip(answerable, answered, strict=True))
    return None if true + wrong + missed == 0 else 2 * true / (2 * true + wrong + missed)
