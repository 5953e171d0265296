"""Where sentences end: a rule-based splitter for prose, lists and drafts."""

from __future__ import annotations

import re

from citeleaf.types import Span

_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]+[」』”’]*|\n\s*\n")
_NEXT = re.compile(r"\s*(?:[\"'“‘(\[•–—*-]+\s*)?[^\W_a-zß-öø-ÿ]")
"""A new sentence opens with a capital, a digit or a letter without case, behind quotation marks or a bullet."""
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Za-zÀ-ž]|e\.g|i\.e|viz|cf|vs|incl|excl|mr|mrs|ms|dr|prof|rev|st|sr|jr|inc|ltd|corp|pty|dept|al|"
    r"gen|gov|hon|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|örn|vb|bkz|u\.s|u\.k|u\.n|ph\.d)"
    r"|^\W*(?:\d{1,3}(?:\.\d{1,3})*|[ivxIVX]{1,5}))\.$",
    re.IGNORECASE,
)
_BEFORE_NUMBER = re.compile(
    r"\b(?:no|nos|art|arts|sec|ss|cl|para|paras|pt|ch|fig|p|pp|vol|approx|max|min|est|md)\.$", re.IGNORECASE
)
_NUMBER = re.compile(r"\s*\d")
_REST = re.compile(r"\s*\Z")
_LONGEST_ABBREVIATION = 12


def sentences(text: str) -> list[Span]:
    """Spans of the sentences in order, outer white space left out; together they hold every other character.

    A sentence ends at `.`, `!`, `?` with closing marks when a capital, a digit or a caseless letter follows, at a CJK
    full stop, and at an empty line. Abbreviations, initials and list numbers (`e.g.`, `No.`, `J.`, `2.`) end none.
    """
    out: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match.start() < start or not _is_end(text, start, match):
            continue
        _keep(out, text, start, match.end())
        start = match.end()
    _keep(out, text, start, len(text))
    return out


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    mark, after = match[0], match.end()
    if mark[0] in "。！？" or mark.isspace():
        return True
    if mark == ".":
        before = text[max(start, after - _LONGEST_ABBREVIATION) : after]
        if _ABBREVIATED.search(before) or (_BEFORE_NUMBER.search(before) and _NUMBER.match(text, after)):
            return False
    return _NEXT.match(text, after) is not None or _REST.match(text, after) is not None


def _keep(out: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = left + len(piece.strip())
    if right > left:
        out.append(Span(left, right))
