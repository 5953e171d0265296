"""Markers in a draft -> citations of the evidence: exact, repaired or dropped, each on record."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from citeleaf.answer.claims import claim_spans, owner
from citeleaf.answer.match import best_quotes
from citeleaf.quotes import folded
from citeleaf.types import Citation, CitationStatus, Draft, Evidence, Passage, Quotation, Quote, Span

_BRACKETS = re.compile(r"[\[［【]([^\[\]［］【】\n]{1,200})[\]］】]")
_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+(?:and|ve)\s+")
_NUMBER = re.compile(r"(?:(?:passage|source|evidence|ref|pasaj|kaynak)\s*)?[#^]?\s*(\d{1,4})", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,4})\s*[-–—]\s*(\d{1,4})")
_ID = re.compile(r"[\w.-]+(?:\s*[#/:|>]+\s*|-)[\w.-]+(?:(?:\s*[#/:|>]+\s*|-)[\w.-]+)*", re.UNICODE)
_SHORT_ID = re.compile(r"c0*\d{1,4}", re.IGNORECASE)
_NOT_WORD = re.compile(r"[^\w]+|_+")
_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_WORD_BEFORE = re.compile(r"[\w.,;:)'\"]+\s*\Z")
_WIDEST = 20
_MOST_QUOTES = 3


@dataclass(frozen=True, slots=True)
class _Found:
    """What one item of a marker points at."""

    status: CitationStatus
    passage: Passage | None
    why: str | None = None


def resolve(draft: Draft, evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    """One citation for each passage a marker names, in the order of the text; only passages of the evidence, ever.

    Markers are bracketed ranks (`[1]`, `[1][2]`, `[1, 2]`, `[1-3]`, `[１]`, `[passage 2]`) and passage ids
    (`[doc#section#c2]`). `valid`: it names a passage exactly. `repaired`: there is only one passage that it can mean,
    but for case, zeros in front, separators, full-width digits, an id's last part alone, or one wrong letter (never a
    wrong digit). `dropped`, with the reason, else. Brackets inside a quotation of the draft are the document's, and so
    are those that the evidence holds after the same word ("Article [3]"); brackets with other words are prose.

    The quotes of a citation are those of the quotation it follows, else the units of the passage that hold the most of
    the sentence's words, at most three.
    """
    if draft.abstains:
        return ()
    marks = _marks(draft, evidence)
    spans = claim_spans(draft, [at for at, _ in marks])
    out: list[Citation] = []
    for at, items in marks:
        marker = draft.text[at.start : at.end]
        place = owner(spans, at)
        sentence = spans[place] if place is not None else None
        for item in items:
            found = _look_up(item, evidence)
            if found.passage is None:
                out.append(Citation(marker, at, "dropped", None, (), found.why))
                continue
            quotes = _quotes(draft, sentence, [m for m, _ in marks], found.passage)
            out.append(Citation(marker, at, found.status, found.passage.id, quotes, found.why))
    return tuple(out)


def _marks(draft: Draft, evidence: Sequence[Evidence]) -> list[tuple[Span, list[str]]]:
    # A draft that tells where its quotations stand has no document's bracket outside them.
    shown = [] if draft.quotations else [folded(e.passage.text) for e in evidence]
    out: list[tuple[Span, list[str]]] = []
    for match in _BRACKETS.finditer(draft.text):
        at = Span(match.start(), match.end())
        if any(q.at.start < at.end and at.start < q.at.end for q in draft.quotations):
            continue
        items = _items(match[1].strip())
        if items and not _of_document(draft.text, at, shown):
            out.append((at, items))
    return out


def _items(inner: str) -> list[str]:
    """The items of a marker, ranges spelled out; empty when the brackets hold something else."""
    out: list[str] = []
    for item in _SEPARATOR.split(inner):
        plain = unicodedata.normalize("NFKC", item).strip()
        if spread := _RANGE.fullmatch(plain):
            first, last = int(spread[1]), int(spread[2])
            if not first <= last < first + _WIDEST:
                return []
            out.extend(str(n) for n in range(first, last + 1))
        elif _NUMBER.fullmatch(plain) or _SHORT_ID.fullmatch(plain) or (_ID.fullmatch(plain) and _names_passage(plain)):
            out.append(item.strip())
        else:
            return []
    return out


def _names_passage(text: str) -> bool:
    return "#" in text or bool(re.search(r"[#/:|>-]\s*c\d+$", text, re.IGNORECASE))


def _of_document(text: str, at: Span, shown: Sequence[str]) -> bool:
    before = _WORD_BEFORE.search(text, max(0, at.start - 40), at.start)
    if before is None:
        return False
    words = folded(before[0] + text[at.start : at.end])
    return any(words in passage for passage in shown)


def _look_up(item: str, evidence: Sequence[Evidence]) -> _Found:
    plain = unicodedata.normalize("NFKC", item)
    if number := _NUMBER.fullmatch(plain):
        rank = int(number[1])
        found = next((e.passage for e in evidence if e.rank == rank), None)
        if found is None:
            return _Found("dropped", None, f"`{rank}` is not among the evidence")
        return _Found("valid", found) if item == str(rank) else _Found("repaired", found, f"`{item}` read as {rank}")
    exact = next((e.passage for e in evidence if e.passage.id == item), None)
    if exact is not None:
        return _Found("valid", exact)
    near = _near(plain, [e.passage for e in evidence])
    if len(near) == 1:
        return _Found("repaired", near[0], f"`{item}` read as `{near[0].id}`")
    reason = "could be more than one passage of the evidence" if near else "is not among the evidence"
    return _Found("dropped", None, f"`{item}` {reason}")


def _near(item: str, passages: Sequence[Passage]) -> list[Passage]:
    """Passages that a wrongly written id can mean: the same but for form, else by its end, else but for one letter."""
    key = _key(item)
    keys = [_key(p.id) for p in passages]
    same = [p for p, k in zip(passages, keys, strict=True) if k == key]
    if same:
        return same
    ending = [p for p, k in zip(passages, keys, strict=True) if k.endswith("-" + key)]
    if ending:
        return ending
    return [p for p, k in zip(passages, keys, strict=True) if _one_letter_off(key, k)]


def _key(passage_id: str) -> str:
    return _LEADING_ZEROS.sub("", re.sub(r"(?<=c)0+(?=\d)", "", _NOT_WORD.sub("-", passage_id.casefold()))).strip("-")


def _one_letter_off(a: str, b: str) -> bool:
    """Whether one letter, never a digit, was changed, left out or put in."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    changed = (rest_a[:1], rest_b[:1]) if len(a) == len(b) else (rest_a[:1],) if len(a) > len(b) else (rest_b[:1],)
    tails = (
        rest_a[1:] == rest_b[1:]
        if len(a) == len(b)
        else rest_a[1:] == rest_b
        if len(a) > len(b)
        else rest_a == rest_b[1:]
    )
    return tails and not any(c.isdigit() for c in changed)


def _quotes(draft: Draft, sentence: Span | None, marks: Sequence[Span], passage: Passage) -> tuple[Quote, ...]:
    if sentence is None:
        return best_quotes("", passage, 1)
    quotation = _quotation(draft, sentence)
    if quotation is not None and quotation.passage_id == passage.id:
        return quotation.quotes
    text = draft.text[sentence.start : sentence.end]
    for mark in reversed(marks):
        if sentence.start <= mark.start and mark.end <= sentence.end:
            text = text[: mark.start - sentence.start] + text[mark.end - sentence.start :]
    return best_quotes(text, passage, _MOST_QUOTES)


def _quotation(draft: Draft, sentence: Span) -> Quotation | None:
    return next((q for q in draft.quotations if q.at == sentence), None)
