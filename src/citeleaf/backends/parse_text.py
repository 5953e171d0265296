"""Plain text files: paragraphs by empty lines, headings by their look, pages by form feeds."""

from __future__ import annotations

import re
from pathlib import Path

from citeleaf.backends import front
from citeleaf.backends.decode import decode
from citeleaf.backends.writer import Writer, clean
from citeleaf.boxes import Parsed
from citeleaf.errors import EmptyDocument
from citeleaf.types import Span

_RULE = re.compile(r"[=\-_*~#+]{3,}")
_UNDERLINE = re.compile(r"(?:={3,}|-{3,}|~{3,}|\^{3,})")
_NUMBERED = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})[.)]?[ \t]+\S")
_NAMED = re.compile(
    r"(?:section|chapter|part|article|schedule|appendix|annex|bölüm|kısım|madde|ek)\s+(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?P<bullet>[•●▪◦‣·–—*-])[ \t]+\S|\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,3})[).][ \t]+\S")
_LEADS = re.compile(r"[:–—]$|[^.!?;]$|\b(?:following|below)\b[^.!?]*[.!?]?$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.;,!?]$")
_LONGEST_HEADING = 90
_LONGEST_TITLE = 100


def parse_text(path: Path) -> Parsed:
    """Reads a text file in whatever encoding `decode` finds. Raises `EmptyDocument`.

    A heading is a line that is underlined, numbered, named (`Section 3`) or in capitals, and stands by itself. Lines of
    a paragraph keep their line ends. A file with form feeds has pages.
    """
    source, notices = decode(path.read_bytes())
    sheets = source.split("\f")
    writer = Writer()
    writer.notices += notices
    reader = _Reader(writer)
    for number, sheet in enumerate(sheets, start=1):
        if len(sheets) > 1:
            writer.page(number)
        reader.read(clean(sheet))
    if not writer.blocks and not writer.headings:
        raise EmptyDocument(f"`{path.name}` holds no text", subject=path.name)
    parsed = writer.finish(title=None)
    stated = front.stated(parsed.text, parsed.blocks)
    return writer.finish(title=_title(parsed), front=stated)


def _title(parsed: Parsed) -> str | None:
    """The first line, when it stands by itself and reads like a title."""
    spans = [heading.span for heading in parsed.headings[:1]] + [block.span for block in parsed.blocks[:1]]
    first = min(spans, key=lambda span: span.start)
    words = parsed.text[first.start : first.end]
    return words if "\n" not in words and len(words) <= _LONGEST_TITLE and not _SENTENCE_END.search(words) else None


class _Reader:
    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._lead: tuple[Span, ...] = ()

    def read(self, text: str) -> None:
        """Writes one page, or all of a file without pages."""
        group: list[str] = []
        for line in [*text.split("\n"), ""]:
            if line.strip():
                group.append(line.strip())
            elif group:
                self._group(group)
                group = []

    def _group(self, lines: list[str]) -> None:
        """Lines between two empty ones: a heading first, where there is one, then text, then list items."""
        if len(lines) > 1 and _UNDERLINE.fullmatch(lines[1]) and not _RULE.fullmatch(lines[0]):
            self._heading(lines[0], 1 if lines[1][0] == "=" else 2)
            lines = lines[2:]
        lines = [line for line in lines if not _RULE.fullmatch(line)]
        if not lines:
            return
        level = _level(lines[0])
        is_list = len(lines) > 1 and _ITEM.match(lines[0]) is not None and _ITEM.match(lines[1]) is not None
        if level is not None and not is_list and (len(lines) == 1 or lines[1][:1].isupper()):
            self._heading(lines[0], level)
            lines = lines[1:]
        self._body(lines)

    def _heading(self, line: str, level: int) -> None:
        span = self.writer.heading(line, level)
        self._lead = (span,) if span is not None and line.endswith(":") else ()

    def _body(self, lines: list[str]) -> None:
        at = next((i for i, line in enumerate(lines) if _ITEM.match(line)), len(lines))
        if at:
            text = "\n".join(lines[:at])
            span = self.writer.block("paragraph", text)
            self._lead = (span,) if span is not None and _LEADS.search(text) else ()
        items: list[list[str]] = []
        for line in lines[at:]:
            if _ITEM.match(line):
                items.append([line])
            else:
                items[-1].append(line)
        for item in items:
            self.writer.block("list_item", "\n".join(item), self._lead)


def _level(line: str) -> int | None:
    """The level of a line that looks like a heading, else None."""
    if len(line) > _LONGEST_HEADING or _SENTENCE_END.search(line):
        return None
    letters = [c for c in line if c.isalpha()]
    numbered = _NUMBERED.match(line)
    if numbered and letters and letters[0].isupper():
        return 1 + numbered["number"].rstrip(".").count(".")
    capitals = len(letters) > 2 and not any(c.islower() for c in letters)
    return 1 if capitals or _NAMED.match(line) else None
