"""Whether a page's text can be read as words."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

_LATIN = np.array([chr(c).isalpha() for c in range(0x250)])
_VOWEL = np.array([unicodedata.normalize("NFD", chr(c))[0].lower() in "aeiouyæøœı" for c in range(0x250)])
_LONG = re.compile(r"[^\W\d_]{46,}")


def is_garbled(text: str) -> bool:
    """True when a fifth of the characters are unmapped, private or controls, or Latin letters make no words.

    Words that make no sense have hardly a vowel, or run on without spaces. Short texts (under 40 letters) are judged by
    their characters alone.
    """
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    visible = int((codes > 0x20).sum())
    if not visible:
        return False
    bad = (codes == 0xFFFD) | ((codes >= 0xE000) & (codes <= 0xF8FF)) | (codes >= 0xF0000)
    if bad.sum() >= 0.2 * visible:
        return True
    low = codes[codes < 0x250]
    latin = int(_LATIN[low].sum())
    others = int((codes >= 0x370).sum())
    if latin < 40 or latin < others:
        return False
    if _VOWEL[low].sum() < 0.12 * latin:
        return True
    return latin > 20 * len(text.split()) and sum(map(len, _LONG.findall(text))) > 0.5 * latin
