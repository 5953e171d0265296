"""Which sections stay in the document for audit and out of retrieval: contents, indexes, source lists.

Text that is left out by mistake can never be cited, so every form asks for most lines and most characters of a section.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_LEADERS = re.compile(r"(?:\.{3,}|…{2,}|(?:\.\s){3,}|(?:·\s?){3,}|_{4,})\s*\(?[\divxlc]{1,5}\)?\s*$", re.IGNORECASE)
_PAGE = re.compile(r"^.*?[^\W\d_].*?[ \t]+(?P<page>\d{1,4})$")
_CHAPTER_PAGE = re.compile(r"^.*?[^\W\d_].*?\D\d{1,3}-\d{1,3}$")
_PAGES = re.compile(r"^[^\W\d_].{1,60}?,?\s+\d{1,4}(?:\s*[,–-]\s*\d{1,4})*$")
_AMOUNT = re.compile(r"[$€£%₺]|\b(?:AUD|USD|EUR|GBP|TRY|days?|months?|years?|hours?)\b")
_ENTRY = re.compile(
    r"""\b(?:doi|DOI)\b | \barXiv\b | \bISBN\b | \bISSN\b | \bet\ al\b | \bpp\.\s?\d | \bvol\.\s?\d
      | \bRetrieved\ (?:from|on|\d|[A-Z][a-z]+\ \d) | \b[Aa]ccessed\ (?:on\ )?(?:\d|[A-Z][a-z]+\ \d)
      | ^\W*(?:\[?\d+\]?\W\s*)?[^\W\d_][\w'’-]+,\s(?:[^\W\d_]\.\s?)+.{0,160}?\(?\b(?:19|20)\d\d[a-z]?\b""",
    re.VERBOSE,
)
_LONGEST_ENTRY = 500
_LONGEST_LINE = 250
"""Longer lines are prose, and the patterns above are for short ones."""


def title_is_skipped(title: str, skipped: Sequence[str]) -> bool:
    """Whether the title is one of `skipped`; its number, case and punctuation do not count."""
    return _plain(title) in {_plain(s) for s in skipped}


def looks_like_contents(lines: Sequence[str], pages: int) -> bool:
    """Lines with dotted leaders, with pages by chapter (`3-12`), or with ascending numbers up to `pages` at most."""
    lines = _filled(lines)
    if _are_most(3, 0.6, [line for line in lines if _short(line) and _LEADERS.search(line)], lines):
        return True
    if _are_most(8, 0.7, [line for line in lines if _numbered(line) and _CHAPTER_PAGE.match(line)], lines):
        return True
    found = [m for line in lines if _numbered(line) and not _AMOUNT.search(line) and (m := _PAGE.match(line))]
    numbers = [int(m["page"]) for m in found]
    return (
        _are_most(5, 0.8, [m.string for m in found], lines)
        and numbers == sorted(numbers)
        and len(set(numbers)) * 2 > len(numbers)
        and 0 < numbers[-1] <= pages
    )


def looks_like_index(lines: Sequence[str], pages: int) -> bool:
    """Nearly all lines are words and page numbers, in the order of the alphabet, and within `pages` pages."""
    lines = _filled(lines)
    found = [line for line in lines if _numbered(line) and _PAGES.match(line) and not _AMOUNT.search(line)]
    if not _are_most(8, 0.8, found, lines):
        return False
    in_order = sum(a[0].casefold() <= b[0].casefold() for a, b in pairwise(found))
    largest = max(int(n) for line in found for n in re.findall(r"\d{1,4}", line))
    return in_order * 10 >= (len(found) - 1) * 9 and largest <= pages


def looks_like_sources(blocks: Sequence[str]) -> bool:
    """At least three short blocks, nearly all with the marks of a citation: author and year, DOI, `et al`."""
    blocks = _filled(blocks)
    return _are_most(3, 0.8, [b for b in blocks if len(b) <= _LONGEST_ENTRY and _ENTRY.search(b)], blocks)


def _are_most(least: int, share: float, found: Sequence[str], lines: Sequence[str]) -> bool:
    """At least so many, and this share of the lines and of their characters."""
    many = len(found) >= max(least, share * len(lines))
    return many and sum(map(len, found)) >= share * sum(map(len, lines))


def _filled(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines if line.strip()]


def _short(line: str) -> bool:
    return len(line) <= _LONGEST_LINE


def _numbered(line: str) -> bool:
    """Whether a page number could end it: looked at first, since few lines do and the patterns are slow to fail."""
    return line[-1].isdigit() and _short(line)


def _plain(title: str) -> str:
    words = re.sub(r"^\W*(?:\d+(?:\.\d+)*|[a-z]|[ivxlc]+)[.):]\s+|^\W*\d+(?:\.\d+)*\s+", "", title.casefold().strip())
    return " ".join(re.findall(r"\w+", words))
