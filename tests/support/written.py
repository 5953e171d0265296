"""Evidence and answers from documents as they are taken in: parsed, structured, cut."""

from __future__ import annotations

from pathlib import Path

from citeleaf.backends.generate_quote import QuoteGenerator
from citeleaf.backends.parse import read
from citeleaf.ingest.chunk import chunk
from citeleaf.ingest.structure import build
from citeleaf.settings import ChunkSettings, CorpusSettings, QuoteSettings
from citeleaf.types import Document, Draft, Evidence, Passage


def taken_in(path: Path, **rules: int) -> tuple[Document, tuple[Passage, ...]]:
    """A file's document and passages."""
    parsed = read(path, max_file_mb=10, max_unpacked_mb=10, max_pages=50)
    document = build(parsed, doc_id="doc", source=path.name, sha256="0", settings=CorpusSettings())
    return document, chunk(document, ChunkSettings(**rules))  # type: ignore[arg-type]


def as_evidence(passages: tuple[Passage, ...]) -> tuple[Evidence, ...]:
    """Passages as evidence, in reading order."""
    return tuple(Evidence(p, rank, 10.0 - rank, "fused") for rank, p in enumerate(passages, 1))


def answer(question: str, passages: tuple[Passage, ...], settings: QuoteSettings | None = None) -> Draft:
    """The extractive answer from all of these passages, without any model."""
    return QuoteGenerator(settings).draft(question, as_evidence(passages), ())


def markdown(folder: Path, text: str) -> Path:
    """A Markdown file."""
    path = folder / "doc.md"
    path.write_text(text, "utf-8")
    return path


def page(folder: Path, body: str) -> Path:
    """An HTML file."""
    path = folder / "doc.html"
    path.write_text(f"<html><body>{body}</body></html>", "utf-8")
    return path
