"""How many tokens a text has, when the runtime cannot tell: a count that is meant to be too high."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeleaf.chat import Message

_PIECE = re.compile(r"[A-Za-z]+|[^\W\d_]+|\d|[^\w\s]|_+|\n+|[ \t]{2,}")
_TURN = 8
"""Tokens of a chat template around one message."""
_START = 8


def estimate(messages: Sequence[Message]) -> int:
    """Tokens of a chat, template included, at least as many as common tokenizers make of English and Turkish text."""
    return _START + sum(_TURN + estimate_text(m.text) for m in messages)


def estimate_text(text: str) -> int:
    """Tokens of a text: a word of ASCII letters counts one for each four letters begun, other letters one for two."""
    total = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece.isascii():
            total += 1 + (len(piece) - 1) // 4 if piece.isalpha() else 1
        else:
            total += 1 + len(piece.encode()) // 3
    return total
