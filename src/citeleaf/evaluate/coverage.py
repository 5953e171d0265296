"""How much of a gold quotation some texts hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

SHINGLE = 20
"""Characters that must agree in a row to count; a shorter gold quotation must be there whole."""


def folded(text: str) -> str:
    """Letters and digits alone: NFKC, case folded; white space, hyphens, quotes and marks dropped."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def coverage(gold: str, texts: Iterable[str]) -> float:
    """Share of the gold quotation's folded characters that stand in the texts, in [0, 1].

    A character counts when it lies in a run of `SHINGLE` folded characters that occurs in one of the texts. Example: of
    `The excess is $500 a claim` (21 folded characters) the text `excess is $500 a claim` (18) covers nothing, as no
    run of 20 agrees; a gold quotation of fewer than 20 folded characters is covered whole or not at all. An empty one
    gives 0.
    """
    wanted = folded(gold)
    held = [folded(text) for text in texts]
    if not wanted:
        return 0.0
    if any(wanted in text for text in held):
        return 1.0
    if len(wanted) <= SHINGLE:
        return 0.0
    seen = bytearray(len(wanted))
    for start in range(len(wanted) - SHINGLE + 1):
        shingle = wanted[start : start + SHINGLE]
        if any(shingle in text for text in held):
            seen[start : start + SHINGLE] = b"\1" * SHINGLE
    return sum(seen) / len(wanted)
