"""A question with several questions in it, taken apart."""

from __future__ import annotations

import re

_ASKS = (
    r"what|how|when|where|who|whom|whose|which|why|is|are|was|were|do|does|did|can|could|may|must|should|will|would|"
    r"have|has|am|if|whether"
)
_BETWEEN_QUESTIONS = re.compile(r"(?<=[?;])\s+")
_JOINED = re.compile(rf",?\s+(?:and|or|but)\s+(?:also\s+|then\s+)?(?=(?:{_ASKS})\b)", re.IGNORECASE)
_STARTS_ASKING = re.compile(rf"^(?:[^,]{{0,60}},\s+)?(?:{_ASKS})\b", re.IGNORECASE)
_CONTENT = re.compile(r"\w{4,}")
MOST_PARTS = 4


def parts(question: str) -> tuple[str, ...]:
    """The sub-questions of a question, in order, at most four; empty when it holds only one.

    Split at question marks and semicolons, and at `and`, `or`, `but` before an asking word when both sides ask. A side
    condition before the first part (`If a burglar breaks a window, is the glass covered and what excess applies?`) is
    read with the first part only. Pieces with fewer than two longer words join the piece before them.
    """
    pieces: list[str] = []
    for sentence in _BETWEEN_QUESTIONS.split(question.strip()):
        halves = _JOINED.split(sentence)
        if len(halves) > 1 and not _STARTS_ASKING.match(halves[0]):
            halves = [sentence]
        for half in halves:
            if pieces and len(_CONTENT.findall(half)) < 2:
                pieces[-1] = f"{pieces[-1]} {half}"
            else:
                pieces.append(half.strip())
    pieces = [p for p in pieces if p]
    return tuple(pieces[:MOST_PARTS]) if len(pieces) > 1 else ()
