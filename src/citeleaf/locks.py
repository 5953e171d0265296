"""Locks: between processes, released by the system when the holder dies; and between threads, for what is made once."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from citeleaf.errors import StoreError, StoreLocked, StoreReadOnly

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


NOT_OURS = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
"""What the system says where nothing may be written."""
_FIRST_PAUSE_S = 0.001
_LONGEST_PAUSE_S = 0.02


T = TypeVar("T")


class once(Generic[T]):
    """A property made when first asked for, and only once, whichever threads ask; kept in the owner's `__dict__`.

    The owner has a `_lock` that a thread may take again. (`cached_property` has had no lock since Python 3.12.)
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        """`make` gets the owner."""
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> T:
        with owner._lock:
            if self._name not in owner.__dict__:
                owner.__dict__[self._name] = self._make(owner)
            made: T = owner.__dict__[self._name]
            return made


def take(path: Path) -> int | None:
    """Locks a file, made when missing, and gives the descriptor whose closing frees it; None when it is locked already.

    Raises `OSError` when the file cannot be opened for writing.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    if _try_lock(fd):
        return fd
    os.close(fd)
    return None


def read_only(folder: Path) -> StoreReadOnly:
    """The error of a library in a folder where nothing may be written, with the way out."""
    return StoreReadOnly(
        f"nothing can be written in `{folder}`",
        hint="it can be asked as it is; to change it, copy it with `citeleaf backup OUT` and name OUT with --library",
        subject=str(folder),
    )


class FileLock:
    """An exclusive lock on a file, over processes and threads; the thread that holds it may take it again."""

    def __init__(self, path: Path, *, wait_s: float = 30.0) -> None:
        """The file is made when first locked (mode 0600) and stays; `wait_s` is the longest wait."""
        self._path = path
        self._wait_s = wait_s
        self._thread = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the lock. Raises `StoreLocked` after the wait, `StoreReadOnly` or `StoreError` when it cannot be."""
        deadline = time.monotonic() + self._wait_s
        if not self._thread.acquire(timeout=self._wait_s):
            raise self._locked()
        try:
            fd = self._open(deadline) if self._depth == 0 else None
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if fd is not None:
                    os.close(fd)
        finally:
            self._thread.release()

    def _open(self, deadline: float) -> int:
        pause = _FIRST_PAUSE_S
        while True:
            try:
                fd = take(self._path)
            except OSError as error:
                if error.errno in NOT_OURS:
                    raise read_only(self._path.parent) from error
                raise StoreError(
                    f"`{self._path}` cannot be written: {error.strerror}",
                    hint="check that the folder exists and is yours to write",
                    subject=str(self._path),
                ) from error
            if fd is not None:
                return fd
            if time.monotonic() >= deadline:
                raise self._locked()
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _locked(self) -> StoreLocked:
        return StoreLocked(
            f"another process has been writing to `{self._path.parent}` for {self._wait_s:.0f} seconds",
            hint="wait for it to end, then try again",
            subject=str(self._path.parent),
        )
