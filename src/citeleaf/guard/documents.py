"""Documents that speak to the assistant: such words are marked, shown as data, and never read by who composes.

A document is data. Orders in it, text that plays the system, made-up citations and ids that look like ours are found
sentence by sentence by the profile's rules over documents. A rule whose outcome is `marked` only leaves a mark; words
of one whose outcome is `removed` are kept from the generator, the quoting answerer and the verifier, so that nothing
can rest on them. They stay in the document, in the index and in the evidence that is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from citeleaf.guard.look import guard
from citeleaf.guard.suspects import suspects
from citeleaf.sentences import sentences
from citeleaf.settings import GuardRule
from citeleaf.types import Check, Evidence, Notice, Page, Passage, Quote, Retrieval, Span

_OMITTED = "[omitted]"
_LINE = re.compile(r"[^\n]{1,4000}")
_SHORT = 12
_MOST_NOTICES = 50


@dataclass(frozen=True, slots=True)
class Mark:
    """Words that a rule found; `code` is the rule's name, `span` the sentence and, for an order, its line's rest."""

    code: str
    span: Span
    detail: str
    read: bool
    """Whether they may still be read by who composes."""


def marks(text: str, rules: Sequence[GuardRule]) -> tuple[Mark, ...]:
    """What the rules find in a text, in reading order.

    Every sentence is looked at alone, and every line as a whole, so that an order split over sentences is found. After
    words that may not be read, the rest of the line is not read either: it may be what the order wants said.
    """
    out: list[Mark] = []
    known = tuple(rules)
    worth = suspects(text, known)
    number = end = 0
    for line in _LINE.finditer(text) if worth else ():
        number += text.count("\n", end, line.start())
        end = line.start()
        if number not in worth:
            continue
        for at in _pieces(line[0]):
            piece = line[0][at.start : at.end]
            for check, rule in zip(guard(piece, known), known, strict=True):
                if check.passed:
                    continue
                read = rule.outcome != "removed"
                stop = line.start() + at.end if read else line.end()
                out.append(Mark(rule.name, Span(line.start() + at.start, stop), check.detail, read))
    return tuple(dict.fromkeys(out))


def notices(text: str, pages: Sequence[Page], rules: Sequence[GuardRule]) -> tuple[Notice, ...]:
    """The marks of a document as notices to its reader: code, words and page; at most 50."""
    out = []
    for mark in marks(text, rules)[:_MOST_NOTICES]:
        page = next((p.number for p in pages if p.span.start <= mark.span.start < max(p.span.end, 1)), None)
        out.append(Notice(mark.code, mark.detail, page))
    return tuple(out)


def veiled(found: Retrieval, rules: Sequence[GuardRule]) -> tuple[Retrieval, tuple[Check, ...]]:
    """The evidence as it may be read, and one check a mark.

    Words that may not be read are replaced, in equal length; units that touch them or are led by them go, and a passage
    of which nothing is left goes too. A heading that holds such words becomes `…`, a context goes whole. Everything
    else, ranks included, stays; without such words the evidence comes back as it was.
    """
    checks: list[Check] = []
    kept: list[Evidence] = []
    for item in found.evidence:
        seen = marks(item.passage.text, rules)
        context = marks(item.passage.context, rules) if item.passage.context else ()
        titles = [marks(title, rules) for title in item.passage.heading]
        known = (*seen, *context, *chain.from_iterable(titles))
        checks.extend(Check(m.code, False, f"{item.passage.id}: {m.detail}") for m in known)
        passage = _veil(item.passage, [m.span for m in seen if not m.read])
        if passage is not None and _unread(context):
            passage = _without_context(passage, rules)
        if passage is None:
            continue
        if any(map(_unread, titles)):
            heading = tuple("…" if _unread(m) else t for t, m in zip(passage.heading, titles, strict=True))
            passage = replace(passage, heading=heading)
        kept.append(item if passage == item.passage else replace(item, passage=passage))
    return (replace(found, evidence=tuple(kept)) if checks else found), tuple(checks)


def _veil(passage: Passage, spans: Sequence[Span]) -> Passage | None:
    if not spans:
        return passage
    text = passage.text
    for span in spans:
        length = span.end - span.start
        text = text[: span.start] + _OMITTED[:length].ljust(length) + text[span.end :]
    start = passage.span.start
    hidden = [Span(start + span.start, start + span.end) for span in spans]
    units = tuple(u for u in passage.units if not any(_meets(q, hidden) for q in (u.quote, *u.lead)))
    return replace(passage, text=text, units=units) if units else None


def _without_context(passage: Passage, rules: Sequence[GuardRule]) -> Passage | None:
    """The passage without its context and without the units whose leads hold words that may not be read."""
    orders = {lead: _unread(marks(" ".join(q.text for q in lead), rules)) for lead in {u.lead for u in passage.units}}
    units = tuple(u for u in passage.units if not orders[u.lead])
    return replace(passage, context="", units=units) if units else None


def _unread(found: Sequence[Mark]) -> bool:
    return any(not mark.read for mark in found)


def _meets(quote: Quote, spans: Sequence[Span]) -> bool:
    return any(quote.span.start < span.end and span.start < quote.span.end for span in spans)


def _pieces(line: str) -> list[Span]:
    """The sentences of a line; pieces of a few letters go with the next, so that `System:` stays with its order."""
    out: list[Span] = []
    start: int | None = None
    for span in sentences(line):
        begin = span.start if start is None else start
        if span.end - begin < _SHORT:
            start = begin
            continue
        out.append(Span(begin, span.end))
        start = None
    if start is not None:
        out.append(Span(start, len(line)))
    return out
