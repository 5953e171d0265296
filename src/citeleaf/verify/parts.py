"""A compound sentence taken apart where its parts can differ in truth; positions kept."""

from __future__ import annotations

import re

from citeleaf.types import Span

_JOINT = re.compile(
    r";\s+"
    r"|,?\s+(?:and|but|while|whereas|although|though|so|ve|ama|ancak|fakat)\s+(?=(?:we|you|it|they|he|she|there|this|these"
    r"|that|those|no|any|all|each|every|its|their|our|your|the\s+\w+(?:\s+\w+){0,3}\s+(?:is|are|was|were|has|have|had|will"
    r"|must|may|can|should|shall))\b)"
    r"|,\s+(?:and|but|or)\s+(?=(?:also\s+|then\s+|will\s+|must\s+|may\s+|is\s+|are\s+|has\s+|have\s+|was\s+|were\s+|can\s+"
    r"|should\s+|shall\s+|not\s+))"
    r"|,\s+(?=which\s+(?:is|are|was|were|has|have|must|may|will|can|should|shall)\b)"
    r"|,\s+(?=(?:including|excluding|together with|along with|as well as|plus)\b)"
    r"|,?\s+(?=even if\b|regardless of\b|without exception\b)",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
MOST_PARTS = 8


def parts(text: str) -> tuple[Span, ...]:
    """The parts of a sentence, in order, at most eight; a sentence that makes one statement is its only part.

    Cut at semicolons, at `and`, `but` and the like before a new subject or verb, and before additions (`including`,
    `which must`). A part of fewer than three words stays with the one before it.

    >>> text = "The fee is due in May, and it is paid by cheque."
    >>> [text[s.start : s.end] for s in parts(text)]
    ['The fee is due in May', 'it is paid by cheque.']
    """
    cuts = [(m.start(), m.end()) for m in _JOINT.finditer(text)]
    out: list[Span] = []
    start = 0
    for begin, end in (*cuts, (len(text), len(text))):
        piece = text[start:begin]
        if len(piece.split()) < _LEAST_WORDS and begin < len(text):
            continue
        if (len(piece.split()) < _LEAST_WORDS or len(out) >= MOST_PARTS) and out:
            out[-1] = Span(out[-1].start, begin)
        elif piece.strip():
            out.append(Span(start, begin))
        start = end
    return tuple(out) or (Span(0, len(text)),)
