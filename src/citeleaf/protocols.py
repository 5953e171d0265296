"""The plug points. `wiring` chooses an implementation for each; `tests/contract` holds one suite a protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citeleaf.boxes import Boxes, Parsed
from citeleaf.types import (
    Answer,
    Claim,
    DocId,
    Document,
    Draft,
    Evidence,
    Fact,
    Passage,
    PassageId,
    Place,
    Ranking,
    Span,
    Verdict,
)


class Parser(Protocol):
    """Turns one file into text, pages, headings, blocks and word boxes."""

    def __call__(self, path: Path) -> Parsed:
        """Never raises anything but `IngestError`s; never fetches or opens anything but `path`."""
        ...


class Embedder(Protocol):
    """Texts to vectors: the same text gives the same bits, alone or in company."""

    name: str
    dim: int
    fingerprint: str

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dim), rows of length 1, order kept."""
        ...

    def query(self, text: str) -> NDArray[np.float32]:
        """(dim,), of length 1."""
        ...


class Reranker(Protocol):
    """Scores passages against a query with a cross-encoder."""

    name: str
    fingerprint: str

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, in order, independent of the others in the batch."""
        ...


class Reader(Protocol):
    """Reads words beside a question and says whether they answer it."""

    name: str
    fingerprint: str

    def answers(self, question: str, texts: Sequence[str]) -> list[float]:
        """The probability, in [0, 1], that each text answers the question, in order, independent of the others."""
        ...


class Store(Protocol):
    """Holds documents, passages, vectors and answers, and searches them.

    Every search returns at most `k` hits ordered by (-score, passage id) with ranks from 1, over citable, current,
    indexed passages only, of `doc_ids` where given (empty: all).
    """

    def put(
        self, document: Document, passages: Sequence[Passage], vectors: NDArray[np.float32] | None, boxes: Boxes
    ) -> None:
        """Adds or replaces a document in one transaction."""
        ...

    def remove(self, doc_id: DocId) -> None:
        """Takes a document out in one transaction; nothing of it can answer afterwards. Raises `UnknownId`."""
        ...

    def documents(self) -> tuple[Document, ...]:
        """All documents by id, their text and blocks left empty."""
        ...

    def document(self, doc_id: DocId) -> Document:
        """One whole document. Raises `UnknownId`."""
        ...

    def passages(self, ids: Sequence[PassageId]) -> tuple[Passage, ...]:
        """Passages in the order asked for. Raises `UnknownId`."""
        ...

    def lexical(self, terms: Sequence[str], k: int, doc_ids: Sequence[DocId] = ()) -> Ranking:
        """BM25 over the terms (already folded and stemmed), a disjunction."""
        ...

    def tfidf(self, terms: Sequence[str], k: int, doc_ids: Sequence[DocId] = ()) -> Ranking:
        """Cosine of log-weighted TF-IDF vectors, in [0, 1]."""
        ...

    def dense(self, vector: NDArray[np.float32], k: int, doc_ids: Sequence[DocId] = ()) -> Ranking:
        """Exact cosine, in [-1, 1]; empty when the store has no vectors."""
        ...

    def frequencies(self, terms: Sequence[str], doc_ids: Sequence[DocId] = ()) -> tuple[dict[str, int], int]:
        """In how many passages each term stands (absent terms: 0), and how many there are; of `doc_ids` where given."""
        ...

    def definitions(self, doc_id: DocId) -> dict[str, PassageId]:
        """Defined term, as it is written, to its passage, for one document; where defined twice, the first counts."""
        ...

    def neighbours(self, passage_id: PassageId) -> tuple[PassageId | None, PassageId | None]:
        """The passages before and after it in the same document, in reading order."""
        ...

    def place(self, doc_id: DocId, span: Span) -> Place:
        """Page, label, quality, section path and rectangles of a span. Raises `UnknownId`."""
        ...

    def keep(self, answer: Answer) -> None:
        """Keeps an answer with its trace under its id."""
        ...

    def answer(self, answer_id: str) -> Answer:
        """A kept answer. Raises `UnknownId`."""
        ...


class Generator(Protocol):
    """Writes a draft from evidence. The extractive answerer is one."""

    name: str
    fingerprint: str

    def draft(self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact]) -> Draft:
        """Sees only what it is given; sets `abstains` by its own protocol, else raises `BadModelOutput` with `raw`."""
        ...


@runtime_checkable
class StreamingGenerator(Generator, Protocol):
    """A generator that can be heard while it writes."""

    def stream(
        self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact], hear: Callable[[Draft], None]
    ) -> Draft:
        """What `draft` gives; `hear` gets the draft so far each time a sentence was ended by the begin of the next.

        A draft so far is one that would not be asked for again if it were the whole. What follows may still end it.
        """
        ...


class Verifier(Protocol):
    """Judges claims against the words they cite."""

    name: str
    fingerprint: str

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Verdict]:
        """One verdict a claim, in order; a claim without a citation is `not_enough_info`."""
        ...


@runtime_checkable
class Signal(Protocol):
    """A further opinion on whether words support a claim, weighed beside the checks of the default verifier."""

    name: str
    fingerprint: str

    def odds(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | str]:
        """For each (claim, evidence) the log-odds that the evidence supports the claim, in order.

        Where there is no opinion, why, in words.
        """
        ...
