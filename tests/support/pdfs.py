"""Small PDF files made on the fly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from citeleaf.boxes import Parsed
from citeleaf.types import Block, Span

Draw = Callable[[Canvas], None]
Change = Callable[[PdfWriter], None]
WIDTH, HEIGHT = A4


def make(path: Path, pages: Sequence[Draw], change: Change | None = None) -> Path:
    """A PDF with one page a drawing, changed by `change` before it is written."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, pageCompression=1, invariant=1)
    for draw in pages:
        canvas.setFont("Helvetica", 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    writer = PdfWriter(clone_from=PdfReader(buffer))
    if change is not None:
        change(writer)
    with path.open("wb") as file:
        writer.write(file)
    return path


def lines(
    canvas: Canvas, x: float, y: float, words: Sequence[str], *, size: float = 10, font: str = "Helvetica"
) -> float:
    """Lines under each other from the baseline y; gives the baseline after the last."""
    canvas.setFont(font, size)
    for line in words:
        canvas.drawString(x, y, line)
        y -= 1.2 * size
    return y


def words_of(parsed: Parsed, span: Span) -> str:
    """The words of a span."""
    return parsed.text[span.start : span.end]


def of_kind(parsed: Parsed, kind: str) -> list[tuple[str, list[str], list[str]]]:
    """Text, lead and cells of each block of a kind."""
    return [
        (words_of(parsed, b.span), [words_of(parsed, s) for s in b.lead], [words_of(parsed, s) for s in b.cells])
        for b in parsed.blocks
        if b.kind == kind
    ]


def block_with(parsed: Parsed, words: str) -> Block:
    """The one block that holds the words."""
    found = [b for b in parsed.blocks if words in words_of(parsed, b.span)]
    assert len(found) == 1, (words, [words_of(parsed, b.span) for b in parsed.blocks])
    return found[0]


def headings(parsed: Parsed) -> list[tuple[int, str | None, str]]:
    """Level, number and words of each heading."""
    return [(h.level, h.number, words_of(parsed, h.span)) for h in parsed.headings]


PROSE = (
    "The insurer will pay for loss or damage that happens during the period shown",
    "in the schedule. It will not pay for wear and tear, nor for anything that was",
    "known before the policy began. A claim must be made within thirty days, and",
    "the insured must keep what is left of the goods until they have been seen.",
)
