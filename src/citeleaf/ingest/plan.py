"""What an ingest has to do about each file, decided from hashes and ids alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citeleaf.errors import IngestError, TooLarge, UnreadableFile
from citeleaf.ids import fingerprint, sha256_file
from citeleaf.ingest.manifest import Candidate
from citeleaf.ingest.report import Row
from citeleaf.types import DocId

_MB = 1_000_000


class Known(Protocol):
    """What a store knows of the file behind a document."""

    @property
    def sha256(self) -> str: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def recipe(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Clash:
    """A file whose id belongs to another file, `holder`; it is planned for again when that one is not taken in."""

    candidate: Candidate
    holder: str

    def row(self) -> Row:
        """The row of a file that failed for it."""
        path, doc_id = self.candidate.path, self.candidate.doc_id
        error = IngestError(
            f"`{path}` would have the id `{doc_id}`, which belongs to `{self.holder}`",
            hint="rename it, or give it another id in corpus.toml",
            subject=str(path),
        )
        return Row(shown(path), "failed", doc_id, error=error)


@dataclass(frozen=True, slots=True)
class Task:
    """A file that is to be taken in: where it came from, its hash, and what its document will be made from."""

    candidate: Candidate
    source: str
    sha256: str
    recipe: str
    stored: bool


def plan(
    candidates: Sequence[Candidate], known: Mapping[DocId, Known], sources: Mapping[Path, str], max_mb: int, force: bool
) -> Iterator[Task | Clash | tuple[Path, Row]]:
    """For each file the task of taking it in, or its path with the row that says why there is nothing to do.

    Bytes that another document holds are a duplicate. An id belongs to the file its document was made from as long as
    that file is there, else to the first by path; any other file that would get it clashes. `sources` are names to keep
    in place of paths. The result is the same whatever the order of `candidates`, which come sorted by path.
    """
    tasks: list[Task] = []
    for candidate in candidates:
        path = candidate.path
        source = sources.get(path, shown(path))
        try:
            sha256 = _hash(path, max_mb)
        except IngestError as error:
            yield path, Row(shown(path), "failed", candidate.doc_id, error=error)
            continue
        tasks.append(Task(candidate, source, sha256, _recipe(candidate, sha256), candidate.doc_id in known))
    # Bytes belong to the document that holds them already, unless this very run reads other bytes from its file.
    # A document goes when a manifest gives its file another id (see `stale`), so that it owns nothing.
    here = {task.source: task.sha256 for task in tasks}
    going = stale([task.candidate for task in tasks], known)
    owners = {
        k.sha256: doc_id
        for doc_id, k in known.items()
        if here.get(k.source, k.sha256) == k.sha256 and doc_id not in going
    }
    holders = _holders(tasks, known)
    for task in tasks:
        path, doc_id = task.candidate.path, task.candidate.doc_id
        holder, was = holders[doc_id], known.get(doc_id)
        owner = owners.get(task.sha256, doc_id)
        if owner != doc_id:
            yield path, Row(shown(path), "skipped", note=f"duplicate of {owner}")
        elif holder != task.source and here.get(holder, was.sha256 if was else "") == task.sha256:
            yield path, Row(shown(path), "skipped", note=f"duplicate of {doc_id}")
        elif holder != task.source:
            yield Clash(task.candidate, holder)
        elif was is not None and was.recipe == task.recipe and not force:
            owners[task.sha256] = doc_id
            yield path, Row(shown(path), "unchanged", doc_id)
        else:
            owners[task.sha256] = doc_id
            yield task


def stale(candidates: Sequence[Candidate], known: Mapping[DocId, Known]) -> dict[DocId, Path]:
    """Documents that a manifest no longer lets stand, each with its file: ignored by now, or under another id."""
    listed = {shown(c.path): c for c in candidates if c.listed}
    found = {doc_id: listed[k.source] for doc_id, k in known.items() if k.source in listed}
    return {doc_id: c.path for doc_id, c in found.items() if c.role == "ignored" or c.doc_id != doc_id}


def _holders(tasks: Sequence[Task], known: Mapping[DocId, Known]) -> dict[DocId, str]:
    """For each id the file it belongs to: the one it was made from while that is there, else the first by path."""
    sources = {task.source for task in tasks}
    holders: dict[DocId, str] = {}
    for task in tasks:
        doc_id = task.candidate.doc_id
        was = known.get(doc_id)
        if was is not None and (was.source in sources or Path(was.source).is_file()):
            holders[doc_id] = was.source
        else:
            holders.setdefault(doc_id, task.source)
    return holders


def _hash(path: Path, max_mb: int) -> str:
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise UnreadableFile(f"`{path}` is no ordinary file", hint="name a file", subject=str(path))
        if state.st_size > max_mb * _MB:
            raise TooLarge(
                f"`{path}` has {state.st_size / _MB:.1f} MB, more than {max_mb}",
                hint="raise ingest.max_file_mb if it is sound",
                subject=str(path),
            )
        return sha256_file(path)
    except OSError as error:
        raise UnreadableFile(
            f"`{path}` cannot be read: {error.strerror}", hint="check the path and its permissions", subject=str(path)
        ) from error


def _recipe(candidate: Candidate, sha256: str) -> str:
    c = candidate
    entry = (c.doc_id, c.title or "", c.version or "", c.effective or "", c.role, c.replaces or "")
    return fingerprint(sha256, c.path.suffix.lower(), *entry)


def shown(path: Path) -> str:
    """A path as text; bytes in it that are no text are written as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
