"""Taking documents in: read -> parse -> structure -> chunk -> embed -> put; one transaction a document."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from citeleaf.boxes import Boxes
from citeleaf.errors import EmptyDocument, IngestError, UnreadableFile
from citeleaf.guard.documents import notices
from citeleaf.ids import fingerprint, sha256_file
from citeleaf.ingest.chunk import chunk
from citeleaf.ingest.manifest import Candidate, Gathered, gather
from citeleaf.ingest.plan import Clash, Known, Task, plan, shown, stale
from citeleaf.ingest.report import Report, Row, taken
from citeleaf.ingest.structure import build
from citeleaf.protocols import Embedder, Parser
from citeleaf.retrieve.reading import reading
from citeleaf.settings import Settings
from citeleaf.types import DocId, Document, Passage

__all__ = ["Files", "Known", "Report", "Row", "Shelf", "Watch", "chunker_fingerprint", "ingest", "reindex"]

Watch: TypeAlias = Callable[[int, int, str], None]
"""Told before each file how many are done, how many there are, and the file."""

_MAKERS = "2"
"""Raised when parsers, structure or chunker make other passages of the same file.

The index then wants to be made anew.
"""


class Shelf(Protocol):
    """What ingest needs of a store, beyond the `Store` protocol's `put`."""

    def known(self) -> Mapping[DocId, Known]:
        """Hash, source and recipe of every document."""
        ...

    def vectors(self, doc_id: DocId) -> tuple[tuple[Passage, ...], NDArray[np.float32] | None]:
        """A document's passages and their vectors."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Held while nobody else writes."""
        ...

    def files(self) -> set[tuple[str, str]]:
        """Hash and source of the file of every document."""
        ...

    def remove(self, doc_id: DocId) -> None:
        """Takes a document out."""
        ...

    def document(self, doc_id: DocId) -> Document:
        """One whole document."""
        ...

    def put(
        self,
        document: Document,
        passages: Sequence[Passage],
        vectors: NDArray[np.float32] | None,
        boxes: Boxes,
        *,
        recipe: str = "",
    ) -> None:
        """Adds or replaces a document in one transaction."""
        ...


class Files(Protocol):
    """Where the copies of the files are kept: a library."""

    def stage(self, path: Path) -> AbstractContextManager[Path]:
        """A private copy of a file while it is being read."""
        ...

    def keep(self, staged: Path, sha256: str, source: str) -> Path:
        """Moves a staged file among the copies."""
        ...

    def source(self, document: Document) -> Path:
        """The copy of a document's file."""
        ...

    def sweep(self, store: Shelf) -> tuple[Path, ...]:
        """Deletes copies that no document is made from."""
        ...


@dataclass(frozen=True, slots=True)
class _Made:
    """A document ready to be embedded and stored; `rooms` holds its staged file."""

    document: Document
    passages: tuple[Passage, ...]
    boxes: Boxes
    staged: Path
    rooms: ExitStack


def chunker_fingerprint(settings: Settings) -> str:
    """Names everything that decides which passages a file gives; a store holds passages of one such name only."""
    return fingerprint(_MAKERS, settings.chunk.model_dump_json(), settings.corpus.model_dump_json())


def ingest(
    paths: Sequence[Path],
    library: Files,
    store: Shelf,
    embedder: Embedder | None,
    settings: Settings,
    parse: Parser,
    suffixes: Collection[str],
    *,
    facts: Sequence[Path] = (),
    sources: Mapping[Path, str] | None = None,
    watch: Watch | None = None,
    force: bool = False,
) -> Report:
    """Takes files and folders in; see `manifest.gather` for which. The report has a row for each, by path.

    The result does not depend on the order of the paths or on the number of workers. A file whose bytes and manifest
    entry are those of its document is `unchanged` and costs one reading of it, unless `force`. Bytes that are in
    already under another id are `skipped` as a duplicate. Two different files with one id clash: the later by path,
    or the one that is not in yet, fails. Passages whose words and headings did not change keep their vectors.

    A failing file leaves the store as it was and the rest goes on. `sources` are names to keep for files that do not
    stay where they are (uploads). `parse` may be called from `settings.ingest.workers` threads at once.

    Raises `ConfigError` for a wrong manifest; `ModelError` and `StoreError` at once, what was put until then stays.
    """
    gathered = gather(paths, facts=facts, suffixes=suffixes)
    rows: dict[Path, Row] = {}
    for skip in gathered.skipped:
        failed = skip.error is not None
        rows[skip.path] = Row(shown(skip.path), "failed" if failed else "skipped", note=skip.reason, error=skip.error)
    waiting = gathered.candidates
    while waiting:
        tasks, clashes, broken = [], [], set()
        for found in plan(waiting, store.known(), sources or {}, settings.ingest.max_file_mb, force):
            if isinstance(found, Task):
                tasks.append(found)
            elif isinstance(found, Clash):
                clashes.append(found)
            else:
                rows[found[0]] = found[1]
        with closing(_prepared(tasks, library, settings, parse)) as prepared:
            for n, (task, future) in enumerate(prepared):
                if watch is not None:
                    watch(n, len(tasks), task.source)
                row = rows[task.candidate.path] = _put(task, future, library, store, embedder)
                if row.status == "failed":
                    broken.add(task.source)
        rows |= {clash.candidate.path: clash.row() for clash in clashes}
        waiting = tuple(clash.candidate for clash in clashes if clash.holder in broken)
    gone = _take_out(gathered, store, rows)
    if gone or any(row.status in ("added", "replaced") for row in rows.values()):
        library.sweep(store)
    return Report(tuple(rows[path] for path in sorted(rows)))


def _take_out(gathered: Gathered, store: Shelf, rows: dict[Path, Row]) -> bool:
    """Removes what a manifest no longer lets stand, once what takes its place is in; whether there was any."""
    going = stale((*gathered.candidates, *gathered.ignored), store.known())
    gone = {doc_id: path for doc_id, path in going.items() if rows[path].status != "failed"}
    for doc_id, path in gone.items():
        store.remove(doc_id)
        note = f"`{doc_id}` was taken out"
        rows[path] = replace(rows[path], note=f"{rows[path].note}; {note}" if rows[path].note else note)
    return bool(gone)


def _put(task: Task, future: Future[_Made], library: Files, store: Shelf, embedder: Embedder | None) -> Row:
    path = shown(task.candidate.path)
    try:
        made = future.result()
        with made.rooms:
            vectors = _embed(made, embedder, store if task.stored else None)
            with store.writing():
                library.keep(made.staged, task.sha256, task.source)
                store.put(made.document, made.passages, vectors, made.boxes, recipe=task.recipe)
    except IngestError as error:
        return Row(path, "failed", task.candidate.doc_id, error=error)
    return taken(path, "replaced" if task.stored else "added", made.document, made.passages)


def reindex(
    library: Files,
    old: Shelf,
    fresh: Shelf,
    embedder: Embedder | None,
    settings: Settings,
    parse: Parser,
    *,
    watch: Watch | None = None,
) -> Report:
    """Makes all documents of `old` anew in `fresh`, from the kept copies of their files, with what is known of them.

    The caller puts `fresh` in the place of `old` when no row failed. Raises `ModelError` and `StoreError`.
    """
    rows = []
    known = sorted(old.known().items())
    for n, (doc_id, was) in enumerate(known):
        if watch is not None:
            watch(n, len(known), was.source)
        try:
            d = old.document(doc_id)
            candidate = Candidate(library.source(d), d.id, d.title, d.version, d.effective, d.role, d.replaces)
            task = Task(candidate, d.source, d.sha256, was.recipe, stored=True)
            made = _make(task, candidate.path, ExitStack(), settings, parse)
            fresh.put(made.document, made.passages, _embed(made, embedder, None), made.boxes, recipe=was.recipe)
            rows.append(taken(was.source, "replaced", made.document, made.passages))
        except IngestError as error:
            rows.append(Row(was.source, "failed", doc_id, error=error))
    return Report(tuple(rows))


def _prepared(
    tasks: Sequence[Task], library: Files, settings: Settings, parse: Parser
) -> Generator[tuple[Task, Future[_Made]], None, None]:
    """The documents in the order of the tasks, a few made ahead by several threads."""
    workers = settings.ingest.workers or min(4, os.cpu_count() or 1)
    waiting = iter(tasks)
    ahead: deque[tuple[Task, Future[_Made]]] = deque()
    with ThreadPoolExecutor(workers, thread_name_prefix="ingest") as pool:
        try:
            while True:
                while len(ahead) < 2 * workers and (task := next(waiting, None)) is not None:
                    ahead.append((task, pool.submit(_read, task, library, settings, parse)))
                if not ahead:
                    return
                yield ahead.popleft()
        finally:
            for _, future in ahead:
                if not future.cancel() and future.exception() is None:
                    future.result().rooms.close()


def _read(task: Task, library: Files, settings: Settings, parse: Parser) -> _Made:
    with ExitStack() as rooms:
        staged = rooms.enter_context(library.stage(task.candidate.path))
        if sha256_file(staged) != task.sha256:
            raise UnreadableFile(
                f"`{task.source}` changed while it was being read", hint="ingest it again", subject=task.source
            )
        return _make(task, staged, rooms.pop_all(), settings, parse)


def _make(task: Task, file: Path, rooms: ExitStack, settings: Settings, parse: Parser) -> _Made:
    c = task.candidate
    with rooms:
        parsed = parse(file)
        document = build(
            parsed,
            doc_id=c.doc_id,
            source=task.source,
            sha256=task.sha256,
            settings=settings.corpus,
            title=c.title,
            version=c.version,
            effective=c.effective,
            replaces=c.replaces,
            role=c.role,
        )
        orders = notices(document.text, document.pages, settings.guard.document)
        document = replace(document, notices=(*document.notices, *orders))
        # Case facts get no passages: what has no id cannot be cited.
        passages = chunk(document, settings.chunk) if c.role == "policy" else ()
        if not passages if c.role == "policy" else not document.text.strip():
            raise _empty(document)
        return _Made(document, passages, parsed.boxes, file, rooms.pop_all())


def _empty(document: Document) -> EmptyDocument:
    blank = sum(page.quality == "no_text" for page in document.pages)
    scanned = blank and blank == len(document.pages)
    return EmptyDocument(
        f"`{document.source}` holds no text that could be cited"
        + (f": none of its {blank} pages has any" if scanned else ""),
        hint="its pages may be pictures, which need OCR first" if scanned else "check that it is the right file",
        subject=document.source,
    )


def _embed(made: _Made, embedder: Embedder | None, store: Shelf | None) -> NDArray[np.float32] | None:
    """A vector for each passage; those of the stored version with the same words are taken over."""
    if embedder is None or not made.passages:
        return None
    texts = [reading(p) for p in made.passages]
    known: dict[str, NDArray[np.float32]] = {}
    if store is not None:
        passages, vectors = store.vectors(made.document.id)
        if vectors is not None:
            known = {reading(p): v for p, v in zip(passages, vectors, strict=True)}
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if new:
        known |= dict(zip(new, embedder.passages(new), strict=True))
    return np.stack([known[text] for text in texts])
