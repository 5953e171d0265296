"""A library copied whole, and a copy put back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from citeleaf.errors import ConfigError, StoreError
from citeleaf.feedback import FILE as FEEDBACK
from citeleaf.library import Library, Shelf

if TYPE_CHECKING:
    from citeleaf.types import Check


class Copied(Shelf, Protocol):
    """What a backup needs of a store."""

    def backup(self, out: Path) -> None:
        """Writes a snapshot of the store's file."""
        ...

    def integrity(self) -> tuple[Check, ...]:
        """Whether the store is in order."""
        ...


def backup(library: Library, store: Copied, out: Path) -> None:
    """Copies a library into the new folder `out`, which is a library itself; nobody can write meanwhile.

    Raises `ConfigError` when `out` holds something, `StoreError` and `StoreFull` for what the disk cannot do.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"`{out}` holds something already", hint="name a new folder", subject=str(out))
    copy = Library(out.absolute())
    with store.writing():
        copy.make()
        store.backup(copy.folder / "store.sqlite")
        if library.sources.is_dir():
            shutil.copytree(library.sources, copy.sources, dirs_exist_ok=True)
        if (library.folder / FEEDBACK).is_file():
            shutil.copyfile(library.folder / FEEDBACK, copy.folder / FEEDBACK)
            (copy.folder / FEEDBACK).chmod(0o600)


def restore(source: Path, target: Library, store: Copied) -> None:
    """Puts the copy at `source` (whose open store is `store`) in the place of an empty or missing library.

    Raises `StoreError` when the copy is damaged, and `ConfigError` when the target holds something.
    """
    faults = [check for check in store.integrity() if not check.passed]
    if faults:
        raise StoreError(
            f"the backup at `{source}` is damaged: {faults[0].name}", hint="take an older one", subject=str(source)
        )
    if target.folder.exists() and any(target.folder.iterdir()):
        raise ConfigError(
            f"`{target.folder}` holds something already",
            hint="name a new folder with --library",
            subject=str(target.folder),
        )
    backup(Library(source.absolute()), store, target.folder)
