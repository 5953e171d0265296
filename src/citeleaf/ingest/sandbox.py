"""Parsers run in processes of their own, watched and limited: no file can take the program down or hold it up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from citeleaf.boxes import Parsed
from citeleaf.errors import IngestError, ParseError, ParseTimeout, TooLarge
from citeleaf.ingest import child, wire

_START = (
    "import json, sys; order = json.loads(sys.argv[1]); sys.path[:] = order['path']; "
    "from citeleaf.ingest.child import main; main(order)"
)
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZDIR")
"""Variables without which an interpreter or its libraries may not start. No other reaches a parser."""
_FILES_A_WORKER = 100
"""Then a new process takes its place, so that what a library leaks never adds up."""
_DATA_A_REPLY = 512_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may take: seconds of wall clock (and of processor), megabytes of memory over an idle process."""

    seconds: float = 30.0
    memory_mb: int = 1024


class Sandbox:
    """A `Parser` that runs another in child processes; safe to call from several threads, each gets its own child.

    `target` names the parser as `package.module:function`; `options` are keyword arguments for it, plain data. Children
    are started when needed, kept over files, and replaced when one died. Use as a context manager.
    """

    def __init__(
        self,
        target: str,
        *,
        limits: Limits | None = None,
        workers: int = 0,
        options: Mapping[str, str | int | float | None] | None = None,
    ) -> None:
        """`workers` is the most children at a time; 0 means one a core, at most four."""
        self.workers = workers or min(4, os.cpu_count() or 1)
        self._limits = limits or Limits()
        self._order = json.dumps(
            {
                "target": target,
                "options": dict(options or {}),
                "memory_mb": self._limits.memory_mb,
                "path": [os.path.abspath(p) for p in sys.path],  # noqa: PTH100 - entries may be files or not exist
            }
        )
        self._free = threading.BoundedSemaphore(self.workers)
        self._idle: list[_Worker] = []

    def __call__(self, path: Path) -> Parsed:
        """Parses one file. Raises nothing but `IngestError`s.

        `ParseTimeout` past the time, `TooLarge` past the memory, `ParseError` when the parser's process died or sent
        nonsense, and whatever `IngestError` the parser itself raised.
        """
        with self._free:
            worker = self._idle.pop() if self._idle else _Worker(self._order)
            try:
                return worker.parse(path, self._limits)
            finally:
                if worker.fit:
                    self._idle.append(worker)
                else:
                    worker.stop()

    def close(self) -> None:
        """Ends the idle children."""
        while self._idle:
            self._idle.pop().stop()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@dataclass(slots=True)
class _Worker:
    """One child. `fit` until it fails: then it must be stopped."""

    order: str
    fit: bool = True
    _left: int = field(default_factory=lambda: _FILES_A_WORKER)
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        # One thread for numerical libraries: more would cost address space and time to start.
        environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "LANG": "C.UTF-8"}
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-X", "utf8", "-c", _START, self.order],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )

    def parse(self, path: Path, limits: Limits) -> Parsed:
        """Sends one request and reads its reply, or finds out why there is none."""
        self._left -= 1
        self.fit, late = False, threading.Event()
        timer = threading.Timer(limits.seconds, self._too_late, (late,))
        timer.daemon = True
        timer.start()
        try:
            reply = self._exchange(path, limits)
        finally:
            timer.cancel()
        if reply is None:
            raise self._why(path, limits, late.is_set())
        if reply[:1] != child.PARSED:
            self.fit = reply[:1] == child.FAILED and not late.is_set() and self._left > 0
            raise self._failure(reply[1:], path, limits)
        parsed = wire.decode(reply[1:])
        self.fit = not late.is_set() and self._left > 0
        return parsed

    def _too_late(self, late: threading.Event) -> None:
        late.set()
        self._process.kill()

    def _exchange(self, path: Path, limits: Limits) -> bytes | None:
        out, back = self._process.stdin, self._process.stdout
        assert out is not None and back is not None
        request = {"path": str(path.absolute()), "seconds": limits.seconds}
        try:
            out.write(json.dumps(request).encode() + b"\n")
            out.flush()
            length = back.read(child.LENGTH)
            size = int.from_bytes(length, "big")
            if len(length) < child.LENGTH or size > _DATA_A_REPLY:
                return None
            reply = back.read(size)
        except OSError:
            return None
        return reply if len(reply) == size and reply[:1] in (child.PARSED, child.FAILED, child.DYING) else None

    def _why(self, path: Path, limits: Limits, late: bool) -> IngestError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)
        code, name = self._process.returncode, path.name
        timeout = ParseTimeout(
            f"`{name}` took longer than {limits.seconds:g} seconds to read",
            hint="raise ingest.timeout_s if the file is sound",
            subject=name,
        )
        if late:
            return timeout
        if code is not None and code < 0:
            if sys.platform != "win32" and -code == signal.SIGXCPU:
                return timeout
            return ParseError(
                f"the parser died while reading `{name}` ({_signal(-code)})",
                hint="the file may be damaged",
                subject=name,
            )
        return ParseError(f"the parser gave no result for `{name}`", hint="the file may be damaged", subject=name)

    def _failure(self, body: bytes, path: Path, limits: Limits) -> IngestError:
        try:
            said = json.loads(body)
            code, message, hint, subject = (said[key] for key in ("code", "message", "hint", "subject"))
        except (ValueError, TypeError, KeyError):
            return ParseError(f"the parser's result for `{path.name}` makes no sense", subject=path.name)
        if code == child.MEMORY:
            return TooLarge(
                f"`{path.name}` needs more than {limits.memory_mb} MB of memory to read",
                hint="raise ingest.memory_mb if the file is sound",
                subject=path.name,
            )
        kind = next((k for k in _kinds(IngestError) if k.code == code), ParseError)
        return kind(str(message), hint=str(hint), subject=path.name if subject is None else str(subject))

    def stop(self) -> None:
        """Ends the child at once."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()


def _kinds(kind: type[IngestError]) -> list[type[IngestError]]:
    return [kind, *(k for sub in kind.__subclasses__() for k in _kinds(sub))]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
