"""From what a parser found to a document: sections that tile the text, titles, ids, and which sections are indexed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from citeleaf import ids
from citeleaf.boxes import Parsed
from citeleaf.ingest import language, unindexed
from citeleaf.ingest.dates import iso_date
from citeleaf.ingest.leads import led
from citeleaf.settings import CorpusSettings
from citeleaf.types import Block, DocId, Document, Notice, Role, Section, Span

_LARGEST_SKIPPED = 0.5
"""A skipped section takes its sub-sections along unless they are more than this part of the whole text."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a section begins: its title as printed, the number in front of it, and its level."""

    start: int
    title: str
    number: str | None
    level: int


def build(
    parsed: Parsed,
    *,
    doc_id: DocId,
    source: str,
    sha256: str,
    settings: CorpusSettings,
    title: str | None = None,
    version: str | None = None,
    effective: str | None = None,
    replaces: DocId | None = None,
    role: Role = "policy",
) -> Document:
    """The document: sections tile the text in reading order, each from its heading to the next.

    What stands before the first heading is a section titled like the document. A section's id is its number and the
    slug of its title; the second of a kind gets `-2`. Title, version and effective date come from the
    arguments, else from what the file states about itself; a date is written `YYYY-MM-DD` where it is unambiguous,
    else kept as it stands with a notice `ambiguous_date`. What a file says it replaces is a notice `stated_replaces`
    and has no effect: else any file could take another out of every search.
    Language: a vote of common words, else what the file says, else `en`.
    """
    front = dict(parsed.front)
    title = title or front.get("title") or parsed.title or PurePath(source).stem or doc_id
    notices = list(parsed.notices)
    stated = effective or front.get("effective")
    date = iso_date(stated) if stated else None
    if stated and date is None:
        notices.append(Notice("ambiguous_date", f"the effective date `{stated}` could not be read as one date"))
    claim = front.get("replaces")
    if claim and replaces not in (claim, ids.slug(claim)):
        notices.append(Notice("stated_replaces", f"it says that it replaces `{claim}`; only corpus.toml can say so"))
    sections = _sections(parsed, " ".join(title.split()), settings)
    tongue = language.guess(parsed.text) or (parsed.language or "en").split("-")[0].casefold()
    return Document(
        id=doc_id,
        title=" ".join(title.split()),
        source=source,
        sha256=sha256,
        text=parsed.text,
        pages=parsed.pages,
        sections=sections,
        blocks=led(parsed, sections, tongue),
        notices=tuple(notices),
        language=tongue,
        version=version or front.get("version"),
        effective=date or stated,
        replaces=replaces,
        role=role,
    )


def _sections(parsed: Parsed, title: str, settings: CorpusSettings) -> tuple[Section, ...]:
    marks = _marks(parsed, title)
    starts = [mark.start for mark in marks]
    spans = [Span(a, b) for a, b in zip(starts, [*starts[1:], len(parsed.text)], strict=True)]
    skipped = _skipped(parsed, marks, spans, settings)
    names = ids.unique(_name(mark) for mark in marks)
    return tuple(
        Section(name, mark.title, mark.level, path, span, indexed=i not in skipped)
        for i, (name, mark, path, span) in enumerate(zip(names, marks, _paths(marks), spans, strict=True))
    )


def _marks(parsed: Parsed, title: str) -> list[_Mark]:
    marks = []
    for heading in parsed.headings:
        words = " ".join(parsed.text[heading.span.start : heading.span.end].split())
        marks.append(_Mark(heading.span.start, words, heading.number, heading.level))
    if not marks or parsed.text[: marks[0].start].strip():
        return [_Mark(0, title, None, 1), *marks]
    return [replace(marks[0], start=0), *marks[1:]]


def _name(mark: _Mark) -> str:
    number = re.sub(r"[^0-9a-z.]+", "-", (mark.number or "").casefold()).strip("-.")
    words = mark.title
    if mark.number and words.startswith(mark.number):
        words = words[len(mark.number) :]
    words = re.sub(r"^[\W_]+", "", words)
    if number and words:
        return f"{number}-{ids.slug(words)}"
    return number or ids.slug(words or mark.title)


def _paths(marks: Sequence[_Mark]) -> list[tuple[str, ...]]:
    open_marks: list[_Mark] = []
    paths = []
    for mark in marks:
        while open_marks and open_marks[-1].level >= mark.level:
            open_marks.pop()
        open_marks.append(mark)
        paths.append(tuple(m.title for m in open_marks))
    return paths


def _skipped(parsed: Parsed, marks: Sequence[_Mark], spans: Sequence[Span], settings: CorpusSettings) -> set[int]:
    """Numbers of the sections that are not indexed."""
    out: set[int] = set()
    starts = [block.span.start for block in parsed.blocks]
    for i, (mark, span) in enumerate(zip(marks, spans, strict=True)):
        if i in out:
            continue
        own = parsed.blocks[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        # Text before the first heading goes by the document's title, which may be its file's name: `index.html`.
        headed = i > 0 or bool(parsed.headings and parsed.headings[0].span.start <= span.start)
        named = headed and unindexed.title_is_skipped(mark.title, settings.skip_sections)
        if not (named or _is_list(parsed, own)):
            continue
        out.add(i)
        below = i + 1
        while below < len(marks) and marks[below].level > mark.level:
            below += 1
        if spans[below - 1].end - span.start <= _LARGEST_SKIPPED * len(parsed.text):
            out.update(range(i, below))
    return out


def _is_list(parsed: Parsed, blocks: Sequence[Block]) -> bool:
    texts = [parsed.text[block.span.start : block.span.end] for block in blocks]
    lines = [line for text in texts for line in text.splitlines()]
    pages = len(parsed.pages)
    return (
        unindexed.looks_like_contents(lines, pages)
        or unindexed.looks_like_index(lines, pages)
        or unindexed.looks_like_sources(texts)
    )
