"""Draft -> claims: one checkable sentence each, markers removed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from citeleaf.sentences import sentences
from citeleaf.types import Citation, Claim, Draft, Span

_BULLET_LINE = re.compile(r"\n(?=[ \t]*(?:[-*•–]|\d{1,3}[.)])\s)")
_BULLET = re.compile(r"[ \t]*(?:[-*•–]|\d{1,3}[.)])\s+")
_BEFORE_STOP = re.compile(r"(?<![ \t])[ \t]+(?=[.,;:!?])")
_SPACES = re.compile(r"[ \t]{2,}")
_POINTS_BACK = re.compile(
    r"^\W*(?:it|its|they|their|he|she|this|these|that|those|such|there|here|both|otherwise|bu|bunlar|o|onlar)\b"
    r"|\b(?:the (?:above|same|latter|former)|aforementioned|this (?:section|clause|rule|limit|benefit))\b",
    re.IGNORECASE,
)
_MASK = " "
_HEADING_WORDS = 8
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t][^\n]*", re.MULTILINE)
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)


def split_claims(draft: Draft, citations: Sequence[Citation]) -> tuple[Claim, ...]:
    """The claims in order, numbered from 1, each with the citations whose markers stand in it or right after it.

    A quotation of the draft is one claim, whatever is in it; other text is split into sentences, at lines that open
    with a bullet, and around Markdown headings and fenced code. Markers go out of `text`, and so does the bullet;
    pieces without a letter or digit are no claims. An abstaining draft has none.
    """
    if draft.abstains:
        return ()
    marks = sorted({(c.at.start, c.at.end) for c in citations})
    spans = claim_spans(draft, [Span(*m) for m in marks])
    owned: dict[int, list[Citation]] = {}
    for citation in citations:
        place = owner(spans, citation.at)
        if place is not None:
            owned.setdefault(place, []).append(citation)
    masked = _masked(draft.text, [Span(*m) for m in marks])
    return tuple(
        Claim(i + 1, _clean(masked[span.start : span.end]), span, tuple(owned.get(i, ())))
        for i, span in enumerate(spans)
    )


def skipped(claim: Claim, text: str) -> str | None:
    """Why a piece of a text states nothing that could be checked, or None: `question`, `heading`, `code`.

    A heading is a Markdown heading, or a line of at most eight words that ends without a full stop and before an empty
    line. Code stands between fences.
    """
    before, after = text[: claim.at.start], text[claim.at.end :]
    if any(m.start() <= claim.at.start < m.end() for m in _CODE.finditer(text)):
        return "code"
    if _HEADING.match(text, before.rfind("\n") + 1):
        return "heading"
    if claim.text.rstrip(" \"'”’)").endswith("?"):
        return "question"
    alone = not before[before.rfind("\n") + 1 :].strip() and after.startswith("\n\n")
    short = len(claim.text.split()) <= _HEADING_WORDS and claim.text[-1:].isalnum()
    return "heading" if alone and short else None


def standing(claims: Sequence[Claim], question: str = "") -> tuple[str, ...]:
    """Each claim as it can be searched for alone: one that points back has what it points to in front.

    A claim points back when it opens with a pronoun (`it`, `this section`, `such`), or holds `the above` or `the same`.
    It is read behind the claim before it, pointing back or not, or behind the question where it is the first. What is
    verified is the claim's own text; this is for finding its evidence.
    """
    out: list[str] = []
    before = question
    for claim in claims:
        out.append(f"{before} {claim.text}".strip() if _POINTS_BACK.search(claim.text) else claim.text)
        before = claim.text
    return tuple(out)


def claim_spans(draft: Draft, marks: Sequence[Span]) -> list[Span]:
    """Spans of the claims in `Draft.text`, in order, given where its markers stand."""
    text = _masked(draft.text, marks)
    quoted = sorted((q.at for q in draft.quotations), key=lambda s: s.start)
    out: list[Span] = []
    start = 0
    for at in (*quoted, Span(len(text), len(text))):
        out.extend(_prose(text, start, at.start))
        if at.start < at.end:
            out.append(at)
        start = max(start, at.end)
    return [span for span in out if any(c.isalnum() for c in text[span.start : span.end])]


def owner(spans: Sequence[Span], mark: Span) -> int | None:
    """Index of the claim a marker belongs to: the one it stands in, else the one before it, else the first."""
    before = [i for i, span in enumerate(spans) if span.start <= mark.start]
    return before[-1] if before else (0 if spans else None)


def _prose(text: str, start: int, end: int) -> list[Span]:
    out: list[Span] = []
    for line_start, line_end in _lines(text, start, end):
        bullet = _BULLET.match(text, line_start, line_end)
        inner = bullet.end() if bullet else line_start
        out.extend(Span(inner + s.start, inner + s.end) for s in sentences(text[inner:line_end]))
    return out


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = {start, end, *(m.end() for m in _BULLET_LINE.finditer(text, start, end))}
    for block in (_HEADING, _CODE):
        cuts.update(at for m in block.finditer(text, start, end) for at in m.span())
    return [(a, b) for a, b in pairwise(sorted(cuts)) if a < b]


def _masked(text: str, marks: Sequence[Span]) -> str:
    for mark in marks:
        text = text[: mark.start] + _MASK * (mark.end - mark.start) + text[mark.end :]
    return text


def _clean(text: str) -> str:
    return _SPACES.sub(" ", _BEFORE_STOP.sub("", text)).strip()
