"""The library folder: one store, the copies of its documents' files, and a format number.

    library.toml      format number
    store.sqlite      documents, passages, vectors, answers (see `backends/schema_sqlite.py`)
    sources/          a copy of each document's file, named by its sha256 and suffix
    staged/           files being read

Folders have mode 0700 and files 0600. Names of documents never become names of files here.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol

import platformdirs

from citeleaf import __version__
from citeleaf.errors import ConfigError, IngestError, SchemaMismatch, StoreError, StoreFull, UnreadableFile
from citeleaf.ids import fingerprint, sha256_file
from citeleaf.locks import NOT_OURS, read_only, take
from citeleaf.settings import Settings
from citeleaf.types import DocId, Document

FORMAT = 1
FOLDER = ".citeleaf"
"""Name of a library folder that is found from the folders below it."""
MARK = "library.toml"

_SUFFIX = re.compile(r"\.[a-z0-9]{1,10}")
_CACHED_KEPT = 16
_UNLOCKED_S = 60.0
"""A room among the staged files that has no lock yet is left alone for so long."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} if hasattr(errno, "EDQUOT") else {errno.ENOSPC, errno.EFBIG}


class Shelf(Protocol):
    """What a library needs of its store."""

    def writing(self) -> AbstractContextManager[None]:
        """Held while nobody else writes."""
        ...

    def files(self) -> set[tuple[str, str]]:
        """Hash and source of the file of every document."""
        ...

    def remove(self, doc_id: DocId) -> None:
        """Takes a document out."""
        ...


@dataclass(frozen=True, slots=True)
class Library:
    """One library, open or not; all its paths come from here."""

    folder: Path

    @property
    def sources(self) -> Path:
        """Copies of the documents' files."""
        return self.folder / "sources"

    @property
    def staged(self) -> Path:
        """Files being read."""
        return self.folder / "staged"

    def source(self, document: Document) -> Path:
        """The copy of a document's file. Raises `UnreadableFile` when it is gone."""
        path = self._copy(document.sha256, document.source)
        if not path.is_file():
            raise UnreadableFile(
                f"the copy of `{document.source}` is not in the library",
                hint="ingest the file again",
                subject=document.id,
            )
        return path

    def _copy(self, sha256: str, source: str) -> Path:
        suffix = PurePath(source).suffix.lower()
        return self.sources / (sha256 + (suffix if _SUFFIX.fullmatch(suffix) else ""))

    @contextmanager
    def stage(self, path: Path) -> Iterator[Path]:
        """A private copy of a file under its own name, for as long as it is being read; later changes do not reach it.

        Raises `UnreadableFile` and `StoreFull`.
        """
        with _disk(self.staged):
            _private(self.staged)
            room = Path(tempfile.mkdtemp(dir=self.staged))
        # The lock tells a room in use from one that a killed process left.
        lock = None
        try:
            with _disk(room):
                lock = take(room / "lock")
                _private(room / "file")
            copy = room / "file" / path.name
            _copy_file(path, copy)
            yield copy
        finally:
            if lock is not None:
                os.close(lock)
            shutil.rmtree(room, ignore_errors=True)

    def keep(self, staged: Path, sha256: str, source: str) -> Path:
        """Moves a staged file among the copies; call while holding the store's `writing`."""
        with _disk(self.sources):
            _private(self.sources)
            kept = self._copy(sha256, source)
            staged.chmod(0o600)
            staged.replace(kept)
            _sync_folder(self.sources)
        return kept

    def remove(self, store: Shelf, doc_id: DocId) -> None:
        """Takes a document out of the store, and its file unless another is made from it. Raises `UnknownId`."""
        with store.writing():
            store.remove(doc_id)
            self.sweep(store)

    def sweep(self, store: Shelf) -> tuple[Path, ...]:
        """Deletes copies that no document in the store is made from, and what a killed ingest left.

        Gives their paths.
        """
        with store.writing():
            wanted = {self._copy(sha256, source).name for sha256, source in store.files()}
            gone = [path for path in _files(self.sources) if path.name not in wanted]
            for path in gone:
                path.unlink(missing_ok=True)
            for room in self.staged.iterdir() if self.staged.is_dir() else ():
                if _abandoned(room):
                    shutil.rmtree(room, ignore_errors=True)
                    gone.append(room)
            return tuple(gone)

    def make(self) -> None:
        """Makes the folder, or checks that it is a library. Raises `ConfigError`, `SchemaMismatch`, `StoreError`."""
        mark = self.folder / MARK
        if not mark.is_file():
            foreign = self.folder.is_dir() and any(not p.name.startswith(".tmp-") for p in self.folder.iterdir())
            if foreign and not mark.is_file():  # looked at again: another process may just have made it
                raise ConfigError(
                    f"`{self.folder}` holds other things and is no library",
                    hint="name a new or an empty folder",
                    subject=str(self.folder),
                )
            with _disk(self.folder):
                _private(self.folder)
                self.folder.chmod(0o700)
                _write(mark, f"format = {FORMAT}\n")
        self.check()

    def check(self) -> None:
        """Raises `StoreError` when there is no library, `SchemaMismatch` when its format is not ours."""
        mark = self.folder / MARK
        try:
            found = tomllib.loads(mark.read_text("utf-8")).get("format")
        except (FileNotFoundError, NotADirectoryError):
            raise StoreError(
                f"there is no library at `{self.folder}`",
                hint="make one with `citeleaf ingest PATH`, or name another with --library",
                subject=str(self.folder),
            ) from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise StoreError(f"`{mark}` cannot be read: {error}", subject=str(mark)) from error
        if found != FORMAT:
            newer = isinstance(found, int) and found > FORMAT
            raise SchemaMismatch(
                f"the library at `{self.folder}` has format {found}, this version of citeleaf reads format {FORMAT}",
                hint="use the newer citeleaf that made it" if newer else "run `citeleaf migrate`",
                subject=str(self.folder),
            )


def find_library(
    given: str | Path | None = None,
    *,
    create: bool = False,
    environment: Mapping[str, str] | None = None,
    start: Path | None = None,
) -> Library:
    """The library given, else `CITELEAF_LIBRARY` unless empty, else the nearest `.citeleaf` upward, else the user's.

    `start` is the folder to look upward from, by default the working folder. With `create` it is made when missing.
    Raises `ConfigError`, `SchemaMismatch`, `StoreError`.
    """
    library = place_of(given, environment=environment, start=start)
    if create:
        library.make()
    else:
        library.check()
    return library


def place_of(
    given: str | Path | None = None, *, environment: Mapping[str, str] | None = None, start: Path | None = None
) -> Library:
    """Where `find_library` would look, whether or not there is a library. Raises `ConfigError` for an empty name."""
    if given == "":
        raise ConfigError("the path of the library is empty", hint="name one, or leave it out", subject="--library")
    environment = os.environ if environment is None else environment
    named = str(given) if given else environment.get("CITELEAF_LIBRARY", "")
    return Library(Path(named).expanduser().absolute() if named else _nearest(start or Path.cwd()))


def _nearest(start: Path) -> Path:
    for folder in (start, *start.parents):
        if (folder / FOLDER / MARK).is_file():
            return folder / FOLDER
    return platformdirs.user_data_path("citeleaf", appauthor=False) / "library"


def cached_library(paths: Sequence[Path], settings: Settings, *, cache: Path | None = None) -> Library:
    """The library that holds just these files under these settings, made when missing; the last 16 stay.

    Its place follows from names and contents of the files and from the settings, so that no answer comes from other
    files, from an earlier state of them or from other settings; where a server listens is none of it. Raises
    `UnreadableFile` for a file that is not there.
    """
    files = sorted(file for path in paths for file in (sorted(_files(path)) if path.is_dir() else [path]))
    parts = [__version__, settings.model_dump_json(exclude={"serve"})]
    for file in files:
        try:
            parts += [file.name.encode("utf-8", "replace").decode(), sha256_file(file)]
        except OSError as error:
            raise UnreadableFile(
                f"`{file}` cannot be read: {error.strerror}", hint="check the path", subject=str(file)
            ) from error
    root = cache or platformdirs.user_cache_path("citeleaf", appauthor=False) / "libraries"
    library = Library(root / fingerprint(*parts))
    library.make()
    os.utime(library.folder)
    others = sorted((p for p in root.iterdir() if p != library.folder), key=_age)
    for old in others[_CACHED_KEPT - 1 :]:
        shutil.rmtree(old, ignore_errors=True)
    return library


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (p for p in folder.rglob("*") if p.is_file())


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _abandoned(room: Path) -> bool:
    if not (room / "lock").is_file():
        return _age(room) > _UNLOCKED_S
    try:
        lock = take(room / "lock")
    except OSError:
        return False
    if lock is not None:
        os.close(lock)
    return lock is not None


def _private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _write(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)
    _sync_folder(path.parent)


def _copy_file(source: Path, target: Path) -> None:
    try:
        reading = source.open("rb")
    except OSError as error:
        raise _unreadable(source, error) from error
    with reading, _disk(target):
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as writing:
            try:
                shutil.copyfileobj(reading, writing, 1 << 20)
            except OSError as error:
                if error.errno in _FULL:
                    raise
                raise _unreadable(source, error) from error
            writing.flush()
            os.fsync(writing.fileno())


def _unreadable(path: Path, error: OSError) -> IngestError:
    return UnreadableFile(f"`{path}` cannot be read: {error.strerror}", hint="check the path", subject=str(path))


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StoreFull(
                f"`{path}` cannot be written: the disk is full",
                hint="free some space, then try again",
                subject=str(path),
            ) from error
        if error.errno in NOT_OURS and path.parent.is_dir():
            raise read_only(path) from error
        raise StoreError(
            f"`{path}` cannot be written: {error.strerror}", hint="check that it is yours to write", subject=str(path)
        ) from error


def _sync_folder(folder: Path) -> None:
    # A rename is on disk once its folder is; not all systems let a folder be opened.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
