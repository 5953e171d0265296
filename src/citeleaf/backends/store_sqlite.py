"""The store: one SQLite file with documents, passages, their full-text index, vectors and answers."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends import answers_sqlite as answers
from citeleaf.backends import documents_sqlite as documents
from citeleaf.backends import rows_sqlite as rows
from citeleaf.backends import search_sqlite as search
from citeleaf.backends import upkeep_sqlite as upkeep
from citeleaf.backends.connections_sqlite import WAIT_S, Connections, Snapshot, bindable
from citeleaf.backends.dense_sqlite import DenseSearch
from citeleaf.boxes import Boxes
from citeleaf.errors import IndexStale
from citeleaf.ids import fingerprint
from citeleaf.retrieve.fuse import ranked
from citeleaf.types import Answer, Check, DocId, Document, Fact, Passage, PassageId, Place, Ranking, Span

FILE = "store.sqlite"
_BOXES_KEPT = 8


@dataclass(frozen=True, slots=True)
class Known:
    """What ingest needs to know of a document in the store: `recipe` says what it was made from."""

    sha256: str
    source: str
    recipe: str


def open_store(
    folder: Path,
    *,
    embedder: tuple[str, int] | None,
    chunker: str | None = None,
    read_only: bool = False,
    weights: tuple[float, float, float] = (1.5, 0.7, 1.0),
    wait_s: float = WAIT_S,
) -> SqliteStore:
    """Opens the store in a folder, or makes it there unless `read_only`.

    `embedder` is fingerprint and dimension; None: vectors are neither searched nor added, and whatever the store
    holds can be read and removed. `chunker` is the fingerprint of the settings that make passages; None: not
    compared. `weights` are those of the columns heading, context and body in BM25. `wait_s` is the longest wait for
    another writer.

    Raises `IndexStale` when the store's documents were made with another embedder or chunker, `SchemaMismatch` for
    another version's file, `StoreError` for a damaged or missing one.
    """
    store = SqliteStore(
        folder, embedder, chunker, weights, Connections(folder / FILE, read_only=read_only, wait_s=wait_s)
    )
    try:
        store.check_makers()
    except BaseException:
        store.close()
        raise
    return store


class SqliteStore:
    """The `Store` protocol over one SQLite file, safe to use from any thread; `open_store` makes one.

    A search covers the passages of documents with role `policy`, in indexed sections, of documents that no other policy
    document replaces; a replaced one is searched when it is named in `doc_ids`. Every method sees one state of the
    store; inside `snapshot()` all calls of a thread see the same one.
    """

    def __init__(
        self,
        folder: Path,
        embedder: tuple[str, int] | None,
        chunker: str | None,
        weights: tuple[float, float, float],
        connections: Connections,
    ) -> None:
        """Use `open_store`, which checks what the store was made with."""
        self.folder = folder
        self._embedder = embedder
        self._chunker = chunker
        self._weights = weights
        self._connections = connections
        self._before = 0
        self._vocabulary = search.Vocabulary()
        self._dense = DenseSearch(connections.path)
        self._boxes: OrderedDict[tuple[int, DocId], Boxes] = OrderedDict()
        self._listing = documents.Listing()

    # ---- opening and closing

    def check_makers(self) -> None:
        """Raises `IndexStale` when the documents were made with another embedder or chunker than now asked for."""
        with self._connections.reading() as snapshot:
            self._check_makers(snapshot)

    def _check_makers(self, snapshot: Snapshot, *, adding: bool = False) -> None:
        if snapshot.db.execute("SELECT 1 FROM passage LIMIT 1").fetchone() is None:
            return
        if adding or self._embedder is not None:
            self._compare("embedder", _maker(self._embedder), snapshot.meta["embedder"])
        if self._chunker is not None:
            self._compare("chunker", self._chunker, snapshot.meta["chunker"])

    def _compare(self, what: str, now: str, then: str) -> None:
        if now != then:
            raise IndexStale(
                f"the documents in `{self.folder}` were indexed with {what} `{then}`, the settings now say `{now}`",
                hint="run `citeleaf reindex`, or go back to the settings they were made with",
                subject=str(self.folder),
            )

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reading calls of this thread inside see the same state of the store."""
        with self._connections.reading():
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """No other process writes while this is held; `put` and `remove` take it by themselves."""
        with self._connections.alone():
            yield

    def close(self) -> None:
        """Closes the file; no call may be running."""
        self._connections.close()

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written: opened so, or where nothing may be."""
        return self._connections.read_only

    # ---- writing

    def put(
        self,
        document: Document,
        passages: Sequence[Passage],
        vectors: NDArray[np.float32] | None,
        boxes: Boxes,
        *,
        recipe: str = "",
    ) -> None:
        """Adds or replaces a document in one transaction.

        `passages` are in reading order; `vectors` has a row for each, of length 1. `recipe` says what the document
        was made from, for `known`. Raises `IngestError` for passages that are not slices of the text or not the
        document's own, `IndexStale` where other documents were made with another embedder or chunker.
        """
        upkeep.check_parts(document, passages, vectors, self._embedder)
        columns = [upkeep.columns(p, document.language) for p in passages]
        with self._connections.writing() as snapshot:
            db = snapshot.db
            upkeep.delete_document(db, document.id)
            self._check_makers(snapshot, adding=True)
            makers = {"embedder": _maker(self._embedder), "chunker": self._chunker or snapshot.meta["chunker"]}
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", makers.items())
            n = rows.insert_document(db, document, boxes, recipe)
            indexed = {s.id for s in document.sections if s.indexed}
            for position, (passage, terms) in enumerate(zip(passages, columns, strict=True)):
                citable = document.role == "policy" and passage.section_id in indexed
                rows.insert_passage(db, n, position, citable, passage, terms)
            if vectors is not None and len(vectors):
                db.execute("INSERT INTO vector VALUES (?, ?)", (n, vectors.astype("<f4").tobytes()))
            upkeep.after_change(db, document.id)

    def remove(self, doc_id: DocId) -> None:
        """Takes a document out in one transaction, with all answers whose words came from it. Raises `UnknownId`.

        A document that it replaced is current again. Copies of the words may stay in free space of the files, out of
        reach of every search, until `purge`.
        """
        with self._connections.writing() as snapshot:
            if not upkeep.delete_document(snapshot.db, doc_id):
                raise documents.unknown("document", doc_id)
            answers.blank(snapshot, doc_id)
            upkeep.after_change(snapshot.db)

    @contextmanager
    def rebuilding(self, embedder: tuple[str, int] | None, chunker: str | None) -> Iterator[SqliteStore]:
        """An empty store beside this one for another embedder and chunker, gone after the block; see `take_over`.

        Raises `StoreLocked` when another process is at it.
        """
        with upkeep.beside(self._connections) as folder:
            with self._connections.reading() as s:
                self._before = s.generation
            fresh = open_store(folder, embedder=embedder, chunker=chunker, weights=self._weights)
            try:
                yield fresh
            finally:
                fresh.close()

    def take_over(self, fresh: SqliteStore) -> None:
        """Puts the documents of `fresh`, from `rebuilding`, in the place of all documents here, in one transaction.

        Answers stay, and readers see the old documents until then. Raises `StoreLocked`, with nothing changed, when
        documents changed since `rebuilding` began.
        """
        upkeep.take_over(self._connections, fresh._connections, self._before)
        self._embedder, self._chunker = fresh._embedder, fresh._chunker

    def purge(self) -> None:
        """Rewrites index and file so that nothing removed is left in them. Raises `StoreLocked` while others read."""
        with self._connections.alone() as db:
            upkeep.purge(db, self._connections.path)

    def digest(self) -> str:
        """Fingerprint of what the store holds: equal for the same documents made the same way, in whatever order."""
        with self._connections.reading() as s:
            found = s.db.execute(
                "SELECT id, sha256, recipe, role, coalesce(version, ''), coalesce(replaces, '') "
                "FROM document ORDER BY id"
            )
            made = (s.meta["embedder"], s.meta["chunker"])
            return fingerprint(*made, *("\n".join(row) for row in found))

    def backup(self, out: Path) -> None:
        """Writes one state of the store to a new file, also while others write."""
        upkeep.backup(self._connections, out)

    def integrity(self) -> tuple[Check, ...]:
        """Whether file, links between tables, full-text index and counts are in order; all `passed` when they are.

        The full-text index is compared word by word only in a store opened for writing.
        """
        return upkeep.integrity(self._connections)

    # ---- documents

    def known(self) -> dict[DocId, Known]:
        """Hash, source and recipe of every document, by id."""
        with self._connections.reading() as s:
            found = s.db.execute("SELECT id, sha256, source, recipe FROM document ORDER BY id")
            return {id_: Known(*values) for id_, *values in found}

    def files(self) -> set[tuple[str, str]]:
        """Hash and source of the file of every document."""
        return {(k.sha256, k.source) for k in self.known().values()}

    def documents(self) -> tuple[Document, ...]:
        """All documents by id, their text and blocks left empty."""
        with self._connections.reading() as s:
            return self._listing.every(s)

    def document(self, doc_id: DocId) -> Document:
        """One whole document. Raises `UnknownId`."""
        with self._connections.reading() as s:
            return documents.whole(s, doc_id)

    def facts(self) -> tuple[Fact, ...]:
        """The documents kept as case facts, by id, labelled with their titles."""
        with self._connections.reading() as s:
            return documents.facts(s)

    def boxes(self, doc_id: DocId) -> Boxes:
        """Word boxes of a document. Raises `UnknownId`."""
        with self._connections.reading() as s:
            key = (s.generation, doc_id)
            found = self._boxes.get(key)
            if found is None:
                found = self._boxes[key] = documents.boxes(s, documents.number(s, doc_id))
                while len(self._boxes) > _BOXES_KEPT:
                    self._boxes.popitem(last=False)
            return found

    def place(self, doc_id: DocId, span: Span) -> Place:
        """Page and section of a span's first character, rectangles of all its words. Raises `UnknownId`."""
        with self._connections.reading() as s:
            return documents.place(s, documents.number(s, doc_id), span, self.boxes(doc_id))

    # ---- passages

    def passages(self, ids: Sequence[PassageId]) -> tuple[Passage, ...]:
        """Passages in the order asked for. Raises `UnknownId`."""
        with self._connections.reading() as s:
            found = s.db.execute(
                f"SELECT {rows.PASSAGE} WHERE p.id IN (SELECT value FROM json_each(?))",
                (json.dumps([bindable(i) for i in ids]),),
            )
            by_id = {row[0]: rows.passage_of(row) for row in found}
        for id_ in ids:
            if id_ not in by_id:
                raise documents.unknown("passage", id_)
        return tuple(by_id[id_] for id_ in ids)

    def passage_ids(self, doc_id: DocId) -> tuple[PassageId, ...]:
        """Ids of a document's passages in reading order. Raises `UnknownId`."""
        with self._connections.reading() as s:
            n = documents.number(s, doc_id)
            found = s.db.execute("SELECT id FROM passage WHERE document = ? ORDER BY position", (n,))
            return tuple(row[0] for row in found)

    def vectors(self, doc_id: DocId) -> tuple[tuple[Passage, ...], NDArray[np.float32] | None]:
        """A document's passages in reading order with their vectors; None without vectors. Raises `UnknownId`."""
        with self._connections.reading() as s:
            n = documents.number(s, doc_id)
            found = s.db.execute(f"SELECT {rows.PASSAGE} WHERE p.document = ? ORDER BY p.position", (n,))
            passages = tuple(rows.passage_of(row) for row in found)
            data = s.db.execute("SELECT data FROM vector WHERE document = ?", (n,)).fetchone()
            return passages, None if data is None else np.frombuffer(data[0], "<f4").reshape(len(passages), -1)

    def definitions(self, doc_id: DocId) -> dict[str, PassageId]:
        """Defined term, as it is written, to its passage, in reading order; the first counts. Raises `UnknownId`."""
        with self._connections.reading() as s:
            n = documents.number(s, doc_id)
            found = s.db.execute(
                "SELECT term, id FROM passage WHERE document = ? AND term IS NOT NULL AND searchable ORDER BY position",
                (n,),
            )
            out: dict[str, PassageId] = {}
            for term, id_ in found:
                out.setdefault(term, id_)
            return out

    def neighbours(self, passage_id: PassageId) -> tuple[PassageId | None, PassageId | None]:
        """The passages before and after it in the same document that can be retrieved. Raises `UnknownId`."""
        with self._connections.reading() as s:
            row = s.db.execute(
                "SELECT document, position FROM passage WHERE id = ?", (bindable(passage_id),)
            ).fetchone()
            if row is None:
                raise documents.unknown("passage", passage_id)
            near = "SELECT id FROM passage WHERE document = ? AND searchable AND position"
            before = s.db.execute(f"{near} < ? ORDER BY position DESC LIMIT 1", row).fetchone()
            after = s.db.execute(f"{near} > ? ORDER BY position LIMIT 1", row).fetchone()
            return (before[0] if before else None), (after[0] if after else None)

    # ---- searching

    def lexical(self, terms: Sequence[str], k: int, doc_ids: Sequence[DocId] = ()) -> Ranking:
        """BM25 over the terms, a disjunction; see `search_sqlite.bm25` and `telling`.

        Raises `UnknownId` for `doc_ids`.
        """
        with self._connections.reading() as s:
            found = search.bm25(s, search.telling(s, self._vocabulary, terms), k, doc_ids, self._weights)
        return ranked("lexical", dict(found.values()))

    def tfidf(self, terms: Sequence[str], k: int, doc_ids: Sequence[DocId] = ()) -> Ranking:
        """Cosine of log-weighted TF-IDF vectors, in [0, 1], over the first 1,000 lexical hits.

        See `search_sqlite.tfidf`.
        """
        with self._connections.reading() as s:
            told = search.telling(s, self._vocabulary, terms)
            found = search.bm25(s, told, search.TFIDF_CANDIDATES, doc_ids, self._weights)
            return search.tfidf(s, self._vocabulary, terms, found, max(k, 0))

    def frequencies(self, terms: Sequence[str], doc_ids: Sequence[DocId] = ()) -> tuple[dict[str, int], int]:
        """In how many passages (of `doc_ids`) each term stands, and how many there are. Raises `UnknownId`."""
        with self._connections.reading() as s:
            if doc_ids:
                return search.frequencies_in(s, terms, doc_ids)
            return self._vocabulary.frequencies(s, terms), search.count(s)

    def dense(self, vector: NDArray[np.float32], k: int, doc_ids: Sequence[DocId] = ()) -> Ranking:
        """Exact cosine, in [-1, 1]; empty when the store has no vectors.

        Raises `IndexStale` for another embedder's vector.
        """
        with self._connections.reading() as s:
            if self._embedder is None and s.meta["embedder"] != "none":
                self._compare("embedder", "none", s.meta["embedder"])
            self._check_makers(s)
            return self._dense.search(s, vector, k, doc_ids)

    # ---- answers

    def keep(self, answer: Answer) -> None:
        """Keeps an answer with its trace under its id, in place of one with the same. Raises `StoreReadOnly`."""
        with self._connections.writing() as s:
            answers.keep(s, answer)

    def answer(self, answer_id: str) -> Answer:
        """A kept answer. Raises `UnknownId`, also for one whose document was removed since, and says so."""
        with self._connections.reading() as s:
            return answers.read(s, bindable(answer_id))

    def answer_ids(self, limit: int = 100) -> tuple[str, ...]:
        """Ids of the answers kept last, newest first, those whose document was removed left out."""
        with self._connections.reading() as s:
            found = s.db.execute("SELECT id FROM answer WHERE data IS NOT NULL ORDER BY n DESC LIMIT ?", (limit,))
            return tuple(row[0] for row in found)


def _maker(embedder: tuple[str, int] | None) -> str:
    return "none" if embedder is None else f"{embedder[0]}/{embedder[1]}"
