"""Which sections stay in the document for audit and out of retrieval: contents, indexes, source lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_LEADERS = re.compile(r"(?:\.{3,}|…{2,}|(?:\.\s){3,}|(?:·\s?){3,}|_{4,})\s*\(?[\divxlc]{1,5}\)?\s*$", re.IGNORECASE)
_PAGE_AT_END = re.compile(r"^(?P<words>.*[^\W\d_].*?)[ \t]+(?P<page>\d{1,4})$")
_CHAPTER_PAGE = re.compile(r"^.*[^\W\d_].*?\D\d{1,3}-\d{1,3}$")
_PAGES_AT_END = re.compile(r"^[^\W\d_].{1,60}?,?\s+\d{1,4}(?:\s*[,–-]\s*\d{1,4})*$")
_AMOUNT = re.compile(r"[$€£%₺]|\b(?:AUD|USD|EUR|GBP|TRY|days?|months?|years?|hours?)\b")
_ENTRY = re.compile(
    r"""\bdoi\b|\barxiv\b|\bISBN\b|\bISSN\b|\bet\ al\b|\bRetrieved\b|\baccessed\b|\bpp?\.\s?\d|\bvol\.\s?\d
      | ^\W*(?:\[\d+\]\s*)?[^\W\d_][\w'’-]+,\s(?:[^\W\d_]\.\s?)+.{0,160}?\(?\b(?:19|20)\d\d[a-z]?\b""",
    re.VERBOSE | re.IGNORECASE,
)
_LONGEST_ENTRY = 500
_LONGEST_LINE = 250
"""Longer lines are prose, and the patterns above are for short ones."""


def title_is_skipped(title: str, skipped: Sequence[str]) -> bool:
    """Whether the title is one of `skipped`; its number, case and punctuation do not count."""
    return _plain(title) in {_plain(s) for s in skipped}


def looks_like_contents(lines: Sequence[str], pages: int) -> bool:
    """Lines that end in page numbers: with dotted leaders, by chapter (`3-12`), or ascending within `pages` pages."""
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) < 3:
        return False
    short = [line for line in lines if len(line) <= _LONGEST_LINE]
    if sum(_LEADERS.search(line) is not None for line in short) * 2 >= len(lines):
        return True
    if len(lines) >= 8 and sum(_CHAPTER_PAGE.match(line) is not None for line in short) * 10 >= len(lines) * 7:
        return True
    found = [m for line in short if (m := _PAGE_AT_END.match(line)) and not _AMOUNT.search(line)]
    numbers = [int(m["page"]) for m in found]
    return (
        len(found) >= 5
        and len(found) * 5 >= len(lines) * 4
        and numbers == sorted(numbers)
        and len(set(numbers)) * 2 > len(numbers)
        and 0 < numbers[-1] <= pages
    )


def looks_like_index(lines: Sequence[str], pages: int) -> bool:
    """Nearly all lines are words and page numbers, in the order of the alphabet, and within `pages` pages."""
    lines = [line.strip() for line in lines if line.strip()]
    short = [line for line in lines if len(line) <= _LONGEST_LINE]
    found = [line for line in short if _PAGES_AT_END.match(line) and not _AMOUNT.search(line)]
    if len(found) < 8 or len(found) * 5 < len(lines) * 4:
        return False
    in_order = sum(a[0].casefold() <= b[0].casefold() for a, b in pairwise(found))
    largest = max(int(n) for line in found for n in re.findall(r"\d{1,4}", line))
    return in_order * 10 >= (len(found) - 1) * 9 and largest <= pages


def looks_like_sources(blocks: Sequence[str]) -> bool:
    """At least three short blocks, nearly all with the marks of a citation: author and year, DOI, `et al`."""
    blocks = [block.strip() for block in blocks if block.strip()]
    cited = sum(len(block) <= _LONGEST_ENTRY and _ENTRY.search(block) is not None for block in blocks)
    return len(blocks) >= 3 and cited * 5 >= len(blocks) * 4


def _plain(title: str) -> str:
    words = re.sub(r"^\W*(?:\d+(?:\.\d+)*|[a-z]|[ivxlc]+)[.):]\s+|^\W*\d+(?:\.\d+)*\s+", "", title.casefold().strip())
    return " ".join(re.findall(r"\w+", words))
