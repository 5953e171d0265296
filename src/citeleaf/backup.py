"""A library copied whole, and a copy put back."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from citeleaf.errors import ConfigError, StoreError, StoreReadOnly, UnreadableFile
from citeleaf.feedback import FILE as FEEDBACK
from citeleaf.ids import sha256_file
from citeleaf.library import Library, Shelf
from citeleaf.measured import FILE as MEASURED

if TYPE_CHECKING:
    from citeleaf.types import Check, Document


class Copied(Shelf, Protocol):
    """What a backup needs of a store."""

    def documents(self) -> tuple[Document, ...]:
        """All documents by id."""
        ...

    def backup(self, out: Path) -> None:
        """Writes a snapshot of the store's file."""
        ...

    def integrity(self) -> tuple[Check, ...]:
        """Whether the store is in order."""
        ...


def backup(library: Library, store: Copied, out: Path) -> None:
    """Copies a library into the new folder `out`, which is a library itself; nobody can write meanwhile.

    Raises `ConfigError` when `out` holds something or lies in the library, `StoreError` and `StoreFull` for what the
    disk cannot do.
    """
    if out.resolve().is_relative_to(library.folder.resolve()):
        raise ConfigError(
            f"`{out}` lies in the library itself", hint="name a folder outside of it", subject=str(library.folder)
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"`{out}` holds something already", hint="name a new folder", subject=str(out))
    copy = Library(out.absolute())
    with ExitStack() as held:
        with suppress(StoreReadOnly):  # where nothing can be written, nobody does meanwhile
            held.enter_context(store.writing())
        copy.make()
        store.backup(copy.folder / "store.sqlite")
        copy.sources.mkdir(mode=0o700)
        for file in sorted(library.sources.iterdir()) if library.sources.is_dir() else ():
            shutil.copyfile(file, copy.sources / file.name)
            (copy.sources / file.name).chmod(0o600)
        for name in (FEEDBACK, MEASURED):
            if (library.folder / name).is_file():
                shutil.copyfile(library.folder / name, copy.folder / name)
                (copy.folder / name).chmod(0o600)


def restore(source: Path, target: Library, store: Copied) -> None:
    """Puts the copy at `source` (whose open store is `store`) in the place of an empty or missing library.

    Raises `StoreError` when the copy is damaged, also when a document's file is missing or not the one it was made
    from, and `ConfigError` when the target holds something.
    """
    faults = [check.name for check in store.integrity() if not check.passed]
    faults += [] if faults else _wrong_files(Library(source), store)
    if faults:
        raise StoreError(
            f"the backup at `{source}` is damaged: {faults[0]}", hint="take an older one", subject=str(source)
        )
    if target.folder.exists() and any(target.folder.iterdir()):
        raise ConfigError(
            f"`{target.folder}` holds something already",
            hint="name a new folder with --library",
            subject=str(target.folder),
        )
    backup(Library(source.absolute()), store, target.folder)


def _wrong_files(copy: Library, store: Copied) -> list[str]:
    """The documents whose file is not there, or not the one they were made from."""
    wrong = []
    for document in store.documents():
        try:
            sound = sha256_file(copy.source(document)) == document.sha256
        except (OSError, UnreadableFile):
            sound = False
        if not sound:
            wrong.append(f"the file of `{document.id}`")
    return wrong
