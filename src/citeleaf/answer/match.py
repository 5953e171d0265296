"""Which units of a passage a sentence or a question is about."""

from __future__ import annotations

from math import log

from citeleaf.quotes import joined, quotes_of, whole
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.types import Passage, Quote, Unit

_LEAST_GAIN = 0.15
"""A further unit must bring at least this share of the sentence's weight."""


def best_units(text: str, passage: Passage, most: int) -> tuple[Unit, ...]:
    """The units that together hold the most of the text's terms, in reading order; at least one, where there is one.

    A term weighs log(1 + units / units that hold it). Units are taken greedily by the weight they add, of equal ones
    the earlier; after the first, one is taken only when it adds 15 % of the text's whole weight.
    """
    language = guess_language(text)
    held = [set(terms(" ".join(q.text for q in quotes_of(u)), language)) for u in passage.units]
    wanted = set(terms(text, language))
    weights = {t: log(1 + len(held) / n) for t in sorted(wanted) if (n := sum(t in h for h in held))}
    total = sum(weights.values())
    chosen: list[int] = []
    left = dict(weights)
    while len(chosen) < most and len(chosen) < len(held):
        gains = [(sum(w for t, w in left.items() if t in held[i]), -i) for i in range(len(held)) if i not in chosen]
        gain, place = max(gains)
        if chosen and gain < max(_LEAST_GAIN * total, 1e-9):
            break
        chosen.append(-place)
        left = {t: w for t, w in left.items() if t not in held[-place]}
    return tuple(passage.units[i] for i in sorted(chosen))


def best_quotes(text: str, passage: Passage, most: int) -> tuple[Quote, ...]:
    """The exact words of `best_units` with their leads, in reading order; a passage without units gives itself."""
    quotes = [q for unit in best_units(text, passage, most) for q in quotes_of(unit)]
    return joined(quotes, passage) if quotes else (whole(passage),)
