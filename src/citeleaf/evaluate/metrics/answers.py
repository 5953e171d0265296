"""Answer figures: token F1, facts stated, and the 0-3 rubric with its success."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

SUCCESS = 2
"""Least rubric score of a successful answer."""
_ARTICLES = frozenset(("a", "an", "the"))
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


def tokens(text: str) -> list[str]:
    """Words as SQuAD's evaluation compares them: lower case, no punctuation, no English articles.

    Han and kana characters are a token each, as in MLQA's evaluation.

    >>> tokens("The 30-day period")
    ['30', 'day', 'period']
    """
    return [t for t in _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()) if t not in _ARTICLES]


def token_f1(answer: str, references: Sequence[str]) -> float:
    """Greatest F1 of shared tokens, counted with repeats, over the references (Rajpurkar et al., EMNLP 2016).

    Both empty gives 1, one empty gives 0. Of three and two tokens two are shared: 2 * 2 / (3 + 2).

    >>> token_f1("within 30 days", ["30 days"])
    0.8
    """
    return max(_f1(tokens(answer), tokens(reference)) for reference in references)


def facts_stated(stated: Sequence[bool]) -> float:
    """Share of the required facts that an answer states.

    >>> facts_stated([True, True, False, False])
    0.5
    """
    return sum(stated) / len(stated)


def rubric(stated: float, *, wrong: bool) -> int:
    """The score of an answer, 0 to 3, from the share of what was required and whether anything in it is wrong.

    3: all of it. 2: at least two thirds. 1: less, but something. 0: nothing, or a forbidden fact is asserted, or a
    required fact or the conclusion of the reference is reversed. 2 and 3 are a success.

    >>> rubric(1.0, wrong=False), rubric(2 / 3, wrong=False), rubric(0.5, wrong=False), rubric(1.0, wrong=True)
    (3, 2, 1, 0)
    """
    if wrong or stated <= 0:
        return 0
    if stated >= 1:
        return 3
    return 2 if stated >= 2 / 3 else 1


def _f1(said: list[str], wanted: list[str]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    return 2 * (Counter(said) & Counter(wanted)).total() / (len(said) + len(wanted))
