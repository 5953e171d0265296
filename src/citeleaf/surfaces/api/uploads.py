"""Files that are sent: their names are for display, never a path; each gets a place of its own while it is taken in."""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from citeleaf.app import App
from citeleaf.errors import Cancelled, CiteleafError
from citeleaf.ids import slug
from citeleaf.ingest.report import Report, Row
from citeleaf.surfaces.api.work import Tell

_SUFFIX = re.compile(r"\.[a-z0-9]{1,10}")
_LONGEST_NAME = 120
_MANIFEST = "corpus.toml"


@dataclass(frozen=True, slots=True)
class Upload:
    """One file as it was sent."""

    name: str
    file: BinaryIO


def display_name(sent: str) -> str:
    """A file's name as it is shown: the last part of a path, without signs that cannot be seen; never empty."""
    flat = unicodedata.normalize("NFKC", sent.encode("utf-8", "ignore").decode()).replace("\u2215", "/")
    last = re.split(r"[/\\\u2044\u29f8]", flat)[-1]
    seen = "".join(c for c in last if unicodedata.category(c)[0] not in "CZ" or c == " ")
    name = " ".join(seen.split()).strip(". ")
    if len(name) > _LONGEST_NAME:
        suffix = PurePosixPath(name).suffix
        suffix = suffix if len(suffix) <= 11 else ""
        name = name[: _LONGEST_NAME - len(suffix)].rstrip(". ") + suffix
    return name or "document"


def take_in(app: App, uploads: Sequence[Upload], tell: Tell, stop: threading.Event, *, facts: bool) -> Report:
    """Takes the files in, one after the other; raises `Cancelled` between two of them once `stop` is set.

    Two different files of one name clash: the second fails. A file that was in under this name is replaced.
    """
    with _laid_out(uploads) as named:

        def watch(done: int, total: int, name: str) -> None:
            if stop.is_set():
                raise Cancelled("the upload was stopped; the files taken in before stay", hint="send the others again")
            tell("status", {"stage": "ingest", "done": done, "total": total, "file": name})

        paths = list(named)
        report = app.ingest([] if facts else paths, facts=paths if facts else (), sources=named, watch=watch)
        # Rows speak of places that are gone: they get the names that were sent.
        shown = {str(path): name for path, name in named.items()}
        return Report(tuple(_renamed(row, shown) for row in report.rows))


@contextmanager
def _laid_out(uploads: Sequence[Upload]) -> Iterator[dict[Path, str]]:
    """The files on disk, each in a folder of its own, with the names to keep."""
    with tempfile.TemporaryDirectory(prefix="citeleaf-upload-") as folder:
        named: dict[Path, str] = {}
        for n, upload in enumerate(uploads):
            name = display_name(upload.name)
            stem = PurePosixPath(name).stem
            suffix = PurePosixPath(name).suffix.lower()
            file = slug(stem) + (suffix if _SUFFIX.fullmatch(suffix) else "")
            # A manifest names files of its own folder, and there are none.
            file = "corpus.manifest" if file == _MANIFEST else file
            path = Path(folder).resolve() / f"{n:06}" / file
            path.parent.mkdir()
            with path.open("wb") as out:
                shutil.copyfileobj(upload.file, out, 1 << 20)
            taken = set(named.values())
            named[path] = name if name not in taken else f"{stem} ({n + 1}){PurePosixPath(name).suffix}"
        yield named


def _renamed(row: Row, shown: dict[str, str]) -> Row:
    name = shown.get(row.path, row.path)
    return replace(row, path=name, error=row.error and _told(row.error, row.path, name))


def _told(error: CiteleafError, path: str, name: str) -> CiteleafError:
    """The error with the name that was sent: parsers name the file, the others its path."""
    there = path if path in error.message else Path(path).name
    error.message = error.message.replace(f"`{there}`", f"`{name}`")
    if error.subject in (path, Path(path).name):
        error.subject = name
    return error
