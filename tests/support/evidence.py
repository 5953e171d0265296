"""Small documents, passages and a store in memory, for tests of the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from citeleaf.ids import passage_id, sha256_text
from citeleaf.retrieve.fuse import ranked
from citeleaf.retrieve.tokens import terms
from citeleaf.sentences import sentences
from citeleaf.types import (
    Answer,
    DocId,
    Document,
    Evidence,
    Page,
    Passage,
    PassageId,
    Place,
    Quote,
    Ranking,
    Rect,
    Section,
    Span,
    Unit,
)


def document(doc_id: str, text: str, title: str | None = None) -> Document:
    """A document of one page and one section."""
    span = Span(0, len(text))
    section = Section("body", "Body", 1, ("Body",), span)
    return Document(doc_id, title or doc_id.title(), f"{doc_id}.txt", "0" * 64, text, (Page(1, span, "i"),), (section,))


def passage(doc: Document, start: int = 0, end: int | None = None, n: int = 1, heading: str = "Body") -> Passage:
    """A slice of a document with its units: sentences; lines that open with `- ` are items led by the line before."""
    span = Span(start, len(doc.text) if end is None else end)
    return Passage(
        id=passage_id(doc.id, "body", n),
        doc_id=doc.id,
        section_id="body",
        heading=(heading,),
        span=span,
        text=doc.text[span.start : span.end],
        pages=(1,),
        sha256=sha256_text(doc.text[span.start : span.end]),
        units=units(doc, span),
    )


def units(doc: Document, span: Span) -> tuple[Unit, ...]:
    """Units of a slice; the line that introduces a list is a unit too. Items know their position in their list."""
    out: list[Unit] = []
    lead: tuple[Quote, ...] = ()
    at = span.start
    for line in doc.text[span.start : span.end].split("\n"):
        if line.startswith("- "):
            out.append(Unit("list_item", quote(doc, at + 2, at + len(line)), lead))
        else:
            for s in sentences(line):
                out.append(Unit("paragraph", quote(doc, at + s.start, at + s.end)))
            lead = (out[-1].quote,) if line.rstrip().endswith(":") else ()
        at += len(line) + 1
    return tuple(_positioned(unit, out) for unit in out)


def _positioned(unit: Unit, among: Sequence[Unit]) -> Unit:
    items = [other for other in among if other.kind == "list_item" and other.lead == unit.lead]
    return replace(unit, position=(items.index(unit) + 1, len(items))) if unit in items and unit.lead else unit


def quote(doc: Document, start: int, end: int) -> Quote:
    """Exact words of a document."""
    return Quote(Span(start, end), doc.text[start:end])


def evidence(*passages: Passage) -> tuple[Evidence, ...]:
    """The passages as evidence, in order."""
    return tuple(Evidence(p, rank, 10.0 - rank, "fused") for rank, p in enumerate(passages, 1))


@dataclass
class MemoryStore:
    """The part of a store that an answer needs."""

    docs: dict[DocId, Document] = field(default_factory=dict)
    held: dict[PassageId, Passage] = field(default_factory=dict)
    kept: dict[str, Answer] = field(default_factory=dict)

    def add(self, doc: Document, *passages: Passage) -> None:
        self.docs[doc.id] = doc
        self.held.update({p.id: p for p in passages})

    def documents(self) -> tuple[Document, ...]:
        return tuple(replace(d, text="") for _, d in sorted(self.docs.items()))

    def document(self, doc_id: DocId) -> Document:
        return self.docs[doc_id]

    def passages(self, ids: Sequence[PassageId]) -> tuple[Passage, ...]:
        return tuple(self.held[i] for i in ids)

    def frequencies(self, words: Sequence[str], doc_ids: Sequence[DocId] = ()) -> tuple[dict[str, int], int]:
        held = [p for p in self.held.values() if not doc_ids or p.doc_id in doc_ids]
        counts = Counter(t for p in held for t in set(terms(p.text)))
        return {w: counts[w] for w in words}, len(held)

    def lexical(self, words: Sequence[str], k: int, doc_ids: Sequence[DocId] = ()) -> Ranking:
        held = [p for p in self.held.values() if not doc_ids or p.doc_id in doc_ids]
        shared = {p.id: float(len(set(words) & set(terms(p.text)))) for p in held}
        return ranked("lexical", {pid: n for pid, n in shared.items() if n}, depth=k)

    def place(self, doc_id: DocId, span: Span) -> Place:
        assert 0 <= span.start < span.end <= len(self.docs[doc_id].text)
        return Place(1, "i", "good", ("Body",), (Rect(1, 0.1, 0.2, 0.3, 0.4),))
