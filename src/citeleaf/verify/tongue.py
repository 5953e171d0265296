"""In which language a claim is: rules made for one language must not confirm a claim in another."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from citeleaf.retrieve.tokens import ENGLISH_STOP_WORDS, guess_language

Tongue: TypeAlias = Literal["en", "tr", "other"]

_WORD = re.compile(r"[^\W\d_]+")
_FOREIGN = (
    frozenset(
        "der die das und ist nicht ein eine einer den dem des im zu für mit auf wird werden von bei auch kann müssen"
        " muss oder"
        " le la les des un une est et pas dans pour qui que sur avec par du au aux ne sont être plus cette"
        " el los las del es y no por para con una como su sus se al lo pero debe deben"
        " il lo gli che di è non per con del della sono una nel alla deve"
        " het een en van niet dat zijn op te voor met aan ook worden moet"
        " o os as do da dos das em não uma por para com são deve ao".split()
    )
    - ENGLISH_STOP_WORDS
)
_LEAST = 0.2
"""Share of English function words from which a text is English whatever the passage says."""
_KNOWN = 0.5
"""Share of the claim's words in an English passage from which a terse claim is English."""


def tongue(text: str, coverage: float) -> Tongue:
    """The language of a claim, given the share of its content words that English evidence holds.

    >>> tongue("The fee is due on the first of May", 0.0), tongue("Die Gebühr ist am ersten Mai fällig", 0.2)
    ('en', 'other')
    """
    letters = [c for c in text if c.isalpha()]
    if sum(ord(c) > 0x24F for c in letters) * 5 > len(letters):
        return "other"
    words = [w.lower() for w in _WORD.findall(text)][:400]
    english = sum(w in ENGLISH_STOP_WORDS for w in words)
    foreign = sum(w in _FOREIGN for w in words)
    if guess_language(text) == "tr" and coverage < _KNOWN:
        return "tr"
    if foreign > english:
        return "other"
    return "en" if english >= _LEAST * len(words) or coverage >= _KNOWN else "other"
