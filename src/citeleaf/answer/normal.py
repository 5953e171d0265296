"""Text as a rule reads it: without the tricks of encoding that hide words."""

from __future__ import annotations

import html
import re
import unicodedata

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_LATIN = re.compile(r"[a-z]", re.IGNORECASE)
_LOOK_ALIKE = str.maketrans(
    "аеіјорсухѕһԁԛԝАВЕІЈКМНОРСТУХЅαεικνορτυχΑΒΕΗΙΚΜΝΟΡΤΥΧΖ",
    "aeijopcyxshdqwABEIJKMHOPCTYXSaeikvoptuxABEHIKMNOPTYXZ",
)
_QUOTES = str.maketrans("‘’‛“”„–—−‐‑", "'''\"\"\"-----")


def normal(text: str) -> str:
    """The text with HTML entities read, compatibility forms joined, invisible characters out and spaces made single.

    Invisible are format characters (zero width, bidi, tags), variation selectors and control characters other than
    white space. Greek and Cyrillic letters that look Latin become Latin inside words that hold Latin letters too, so
    that words wholly in another script stay as they are. Case is kept.
    """
    text = unicodedata.normalize("NFKC", html.unescape(text)).translate(_QUOTES)
    text = "".join(c for c in text if c.isspace() or not _invisible(c))
    text = _WORD.sub(lambda m: m[0].translate(_LOOK_ALIKE) if _LATIN.search(m[0]) else m[0], text)
    return _SPACE.sub(" ", text).strip()


def _invisible(character: str) -> bool:
    return unicodedata.category(character) in {"Cf", "Cc", "Cs"} or "\ufe00" <= character <= "\ufe0f"
