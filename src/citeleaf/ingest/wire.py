"""What a parser found, as bytes between two processes: a JSON head, the text, the columns of the word boxes.

Nothing in it can run, and the reader takes nothing on trust: a parser that a hostile file took over can send wrong
words, but only words, inside the limits of the types.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from citeleaf.boxes import Boxes, Parsed
from citeleaf.errors import ParseError
from citeleaf.types import Block, BlockKind, Heading, Notice, Page, Quality, Span

_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_QUALITIES: tuple[Quality, ...] = get_args(Quality)
_HEAD = 4
"""Bytes that hold the length of the JSON head."""
_WORD = 4 * (2 + 1 + 4)
"""Bytes of one word's box: its span, its page, its rectangle."""


def encode(parsed: Parsed) -> bytes:
    """The bytes of a result. Raises `UnicodeEncodeError` for a text with half characters (lone surrogates)."""
    text = parsed.text.encode("utf-8")
    head = {
        "title": parsed.title,
        "language": parsed.language,
        "front": parsed.front,
        "notices": [(n.code, n.detail, n.page) for n in parsed.notices],
        "pages": [(p.number, p.span.start, p.span.end, p.label, p.quality) for p in parsed.pages],
        "headings": [(h.span.start, h.span.end, h.level, h.number) for h in parsed.headings],
        "blocks": [
            (
                _KINDS.index(b.kind),
                b.span.start,
                b.span.end,
                _flat(b.lead),
                _flat(b.cells),
                [_flat(column) for column in b.columns],
            )
            for b in parsed.blocks
        ],
        "text": len(text),
        "words": len(parsed.boxes.pages),
    }
    front = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    boxes = parsed.boxes
    columns = (boxes.spans.astype("<i4"), boxes.pages.astype("<i4"), boxes.rects.astype("<f4"))
    return b"".join((len(front).to_bytes(_HEAD, "big"), front, text, *(c.tobytes() for c in columns)))


def decode(data: bytes) -> Parsed:
    """Inverse of `encode`. Raises `ParseError` for anything that `encode` cannot have made."""
    try:
        return _decode(data)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise ParseError("the parser's result makes no sense", hint="the file may be damaged") from error


def _decode(data: bytes) -> Parsed:
    end = _HEAD + int.from_bytes(data[:_HEAD], "big")
    head = json.loads(data[_HEAD:end])
    text = data[end : end + head["text"]].decode("utf-8")
    words = head["words"]
    columns = data[end + head["text"] :]
    if len(columns) != words * _WORD:
        raise ValueError(len(columns))
    spans = np.frombuffer(columns, "<i4", 2 * words).reshape(words, 2)
    pages = np.frombuffer(columns, "<i4", words, 8 * words)
    rects = np.frombuffer(columns, "<f4", 4 * words, 12 * words).reshape(words, 4)
    parsed = Parsed(
        title=_text_or_none(head["title"]),
        text=text,
        pages=tuple(
            Page(int(n), _span(start, stop), _text_or_none(label), _QUALITIES[_QUALITIES.index(quality)])
            for n, start, stop, label, quality in head["pages"]
        ),
        headings=tuple(
            Heading(_span(start, stop), int(level), _text_or_none(number))
            for start, stop, level, number in head["headings"]
        ),
        blocks=tuple(
            Block(_KINDS[kind], _span(start, stop), _spans(lead), _spans(cells), tuple(map(_spans, columns)))
            for kind, start, stop, lead, cells, columns in head["blocks"]
        ),
        notices=tuple(
            Notice(_text(code), _text(detail), None if page is None else int(page))
            for code, detail, page in head["notices"]
        ),
        boxes=Boxes(spans, pages, rects),
        language=_text_or_none(head["language"]),
        front=tuple((_text(key), _text(value)) for key, value in head["front"]),
    )
    _check(parsed)
    return parsed


def _check(parsed: Parsed) -> None:
    most, boxes = len(parsed.text), parsed.boxes
    for span in (*(p.span for p in parsed.pages), *(h.span for h in parsed.headings)):
        _within(span, most)
    for block in parsed.blocks:
        for span in (block.span, *block.lead, *block.cells, *(span for column in block.columns for span in column)):
            _within(span, most)
    edges: NDArray[np.int32] = boxes.spans.ravel()
    if edges.size and (edges[0] < 0 or edges[-1] > most or np.any(np.diff(edges) < 0)):
        raise ValueError("word boxes out of order")
    if boxes.pages.size and (boxes.pages.min() < 1 or boxes.pages.max() > len(parsed.pages)):
        raise ValueError("word box on no page")
    if not np.all(np.isfinite(boxes.rects)):
        raise ValueError("word box without place")


def _within(span: Span, most: int) -> None:
    if not 0 <= span.start <= span.end <= most:
        raise ValueError(span)


def _flat(spans: Iterable[Span]) -> list[int]:
    return [edge for span in spans for edge in (span.start, span.end)]


def _spans(flat: Sequence[int]) -> tuple[Span, ...]:
    return tuple(_span(start, stop) for start, stop in zip(flat[::2], flat[1::2], strict=True))


def _span(start: Any, stop: Any) -> Span:
    return Span(start.__index__(), stop.__index__())


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value))
    value.encode("utf-8")
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)
