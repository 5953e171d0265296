"""Whether a page's text can be read as words."""

from __future__ import annotations

import re
import unicodedata

_LATIN_VOWELS = frozenset("aeiouyäöüáéíóúàèìòùâêîôûåæøœıİãõ")
_LONG = 45


def is_garbled(text: str) -> bool:
    """True when a fifth of the characters are unmapped, private or controls, or Latin letters make no words.

    Words that make no sense have hardly a vowel, or run on without spaces. Short texts (under 40 letters) are judged by
    their characters alone.
    """
    visible = [c for c in text if not c.isspace()]
    if not visible:
        return False
    bad = sum(c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn", "Cc", "Cs") for c in visible)
    if bad >= 0.2 * len(visible):
        return True
    latin = [c for c in text.lower() if "a" <= c <= "z" or c in _LATIN_VOWELS]
    if len(latin) < 40 or len(latin) < 0.5 * sum(c.isalpha() for c in visible):
        return False
    vowels = sum(c in _LATIN_VOWELS for c in latin)
    if vowels < 0.12 * len(latin):
        return True
    words = re.findall(r"[^\W\d_]+", text)
    return sum(len(w) for w in words if len(w) > _LONG) > 0.5 * len(latin)
