"""Deterministic identifiers and hashes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_LATIN = str.maketrans({"ı": "i", "ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "þ": "th", "œ": "oe"})


def sha256_text(text: str) -> str:
    """Hex sha256 of the UTF-8 bytes; a lone surrogate counts as its escaped form."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_file(path: Path) -> str:
    """Hex sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def slug(text: str, *, limit: int = 48) -> str:
    """Lower-case ASCII words joined by hyphens, at most `limit` characters, cut at a word.

    Accents are folded. Text without any Latin letter or digit gets `x` and the first eight digits of its hash, so that
    a slug is never empty and two different titles rarely share one.
    """
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_LATIN))
    plain = "".join(c for c in folded if not unicodedata.combining(c))
    words = _NOT_WORD.sub("-", plain).strip("-")
    if not words:
        return "x" + sha256_text(text)[:8]
    if len(words) > limit:
        words = words[:limit].rsplit("-", 1)[0] if "-" in words[:limit] else words[:limit]
    return words


def unique(names: Iterable[str]) -> list[str]:
    """The names in order; the second of its kind gets `-2`, the third `-3`, never one that is already taken."""
    taken: set[str] = set()
    out: list[str] = []
    for name in names:
        candidate, n = name, 1
        while candidate in taken:
            n += 1
            candidate = f"{name}-{n}"
        taken.add(candidate)
        out.append(candidate)
    return out


def passage_id(doc_id: str, section_id: str, n: int) -> str:
    """`doc#section#cN`, `n` from 1 inside the section."""
    return f"{doc_id}#{section_id}#c{n}"


def fingerprint(*parts: str) -> str:
    """First sixteen hex digits of the hash of the parts, which may not hold NUL."""
    return sha256_text("\0".join(parts))[:16]
