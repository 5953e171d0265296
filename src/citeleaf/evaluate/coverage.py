"""How much of a gold quotation some texts hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

SHINGLE = 20
"""Characters that must agree in a row to count; a shorter gold quotation must be there whole."""


def fold(text: str) -> str:
    """Letters and digits alone: NFKC, case folded; white space, hyphens, quotes and marks dropped."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


folded = lru_cache(maxsize=1024)(fold)
"""`fold`, remembered; for passages and quotations, not for whole documents."""


class Cover:
    """The part of one gold quotation that the texts added so far hold."""

    __slots__ = ("_pieces", "_seen", "_wanted")

    def __init__(self, gold: str) -> None:
        """Nothing is covered yet."""
        self._wanted = folded(gold)
        self._seen = bytearray(len(self._wanted))
        self._pieces = shingles(self._wanted)

    def add(self, text: str) -> None:
        """Counts what `text` holds; the order of texts does not matter."""
        held = folded(text)
        if self._wanted in held:
            self._seen[:] = b"\1" * len(self._wanted)
        elif len(self._wanted) > SHINGLE:
            have = _shingle_set(text)
            for start, piece in enumerate(self._pieces):
                if piece in have:
                    self._seen[start : start + SHINGLE] = b"\1" * SHINGLE

    @property
    def share(self) -> float:
        """Covered characters over all, in [0, 1]; an empty quotation gives 0."""
        return sum(self._seen) / len(self._wanted) if self._wanted else 0.0


def coverage(gold: str, texts: Iterable[str]) -> float:
    """Share of the gold quotation's folded characters that stand in the texts, in [0, 1].

    A character counts when it lies in a run of `SHINGLE` folded characters that occurs in one of the texts. Example: of
    `The excess is $500 a claim` (21 folded characters) the text `excess is $500 a claim` (18) covers nothing, as no
    run of 20 agrees; a gold quotation of at most 20 folded characters is covered whole or not at all.
    """
    cover = Cover(gold)
    for text in texts:
        cover.add(text)
    return cover.share


def share_in(gold: str, document: str) -> float:
    """As `coverage`, in a whole document that is folded already."""
    wanted = fold(gold)
    if not wanted or wanted in document:
        return float(bool(wanted))
    seen = bytearray(len(wanted))
    for start, piece in enumerate(shingles(wanted)):
        if len(wanted) > SHINGLE and piece in document:
            seen[start : start + SHINGLE] = b"\1" * SHINGLE
    return sum(seen) / len(wanted)


def shingles(text: str) -> list[str]:
    """All runs of `SHINGLE` characters of a folded text, in order."""
    return [text[start : start + SHINGLE] for start in range(len(text) - SHINGLE + 1)]


@lru_cache(maxsize=256)
def _shingle_set(text: str) -> frozenset[str]:
    return frozenset(shingles(folded(text)))
