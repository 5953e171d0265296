"""A model runtime in a process of its own, watched: it may hang or crash, and only it dies."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NoReturn, TypeAlias, get_args

from citeleaf.chat import check_stopped, stop_event
from citeleaf.errors import BadModelOutput, ConfigError, Kind, ModelError, ModelNotInstalled, ModelUnavailable

Value: TypeAlias = "dict[str, object]"

_TICK = 0.05
_GRACE = 1.0
"""Seconds a cancelled call may take to end before the process is killed."""
_LOOP = Path(__file__).with_name("worker_loop.py")


@dataclass(slots=True)
class _Call:
    process: subprocess.Popen[bytes]
    replies: queue.Queue[Value] = field(default_factory=queue.Queue)


class Child:
    """Starts the process when first called, starts it again after a crash, and ends calls that take too long."""

    def __init__(
        self,
        engine: str,
        *,
        python: str = "",
        environment: Mapping[str, str] | None = None,
        missing: ModelError | None = None,
    ) -> None:
        """`engine` is a file, named from this folder; `python` the interpreter (default: this one).

        `missing` is raised when the runtime's package is not there.
        """
        self._engine = Path(__file__).parent / engine
        self._python = python or sys.executable
        self._environment = dict(environment or {})
        self._missing = missing
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._calls: dict[int, _Call] = {}
        self._heard: subprocess.Popen[bytes] | None = None
        self._next = 0
        self.starts = 0

    def call(
        self,
        do: str,
        value: Value,
        *,
        total: float,
        first: float,
        idle: float,
        tell: Callable[[str], None] | None = None,
    ) -> Value:
        """What the runtime replies; `tell` gets pieces of text on the way.

        `total` is the seconds in all, `first` those to the first word, `idle` those between two. Raises
        `ModelUnavailable` (`timeout`, `stalled`, `crashed`), what the runtime itself reports, and `Cancelled`; a
        runtime that does not let go when told is killed.
        """
        check_stopped()
        number, call = self._send(do, value)
        end = time.monotonic() + total
        silent_until = time.monotonic() + first
        stop = stop_event()
        ended = False
        try:
            while True:
                now = time.monotonic()
                if stop is not None and stop.is_set():
                    check_stopped()
                if now > min(end, silent_until):
                    kind: Kind = "timeout" if now > end else "stalled"
                    raise ModelUnavailable(
                        "the model took longer than is allowed",
                        kind=kind,
                        hint="raise total_s or idle_s, or use a smaller model",
                    )
                try:
                    reply = call.replies.get(timeout=_TICK)
                except queue.Empty:
                    continue
                silent_until = time.monotonic() + idle
                if (piece := reply.get("text")) is not None:
                    if tell is not None:
                        tell(str(piece))
                    continue
                ended = True
                if "error" in reply:
                    self._raise(reply)
                done = reply.get("done")
                return done if isinstance(done, dict) else {}
        finally:
            # Whatever ends the call early, a key press too, ends the work.
            if not ended:
                self._let_go(number, call)
            with self._lock:
                self._calls.pop(number, None)

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def _send(self, do: str, value: Value) -> tuple[int, _Call]:
        with self._lock:
            process = self._running()
            self._next += 1
            number = self._next
            call = self._calls[number] = _Call(process)
            try:
                _write(process, {"id": number, "do": do, "value": value})
            except OSError:
                call.replies.put(self._ended(process, "it takes no request"))
        return number, call

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CITELEAF_")}
        try:
            # -I: the worker's folder is not put on the path, and neither is anything of the environment.
            self._process = subprocess.Popen(
                [self._python, "-I", str(_LOOP), str(self._engine)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**environment, **self._environment},
                start_new_session=True,
            )
        except OSError as error:
            raise ConfigError(
                f"`{self._python}` cannot be started", hint="set the interpreter of the runtime", subject=self._python
            ) from error
        self.starts += 1
        threading.Thread(target=self._listen, args=(self._process,), name="citeleaf-child", daemon=True).start()
        return self._process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            try:
                reply = json.loads(line)
            except ValueError:
                continue
            self._heard = process
            number = reply.get("id") if isinstance(reply, dict) else None
            call = self._calls.get(number) if isinstance(number, int) else None
            if call is not None:
                call.replies.put(reply)
        code = process.wait()
        with self._lock:
            if self._process is process:
                self._process = None
            waiting = [call for call in self._calls.values() if call.process is process]
        for call in waiting:
            call.replies.put(self._ended(process, f"exit code {code}"))

    def _ended(self, process: subprocess.Popen[bytes], how: str) -> Value:
        """The reply that stands for a process that is gone: one that never spoke is no worker."""
        return {"error": {"kind": "crashed" if self._heard is process else "no_worker", "message": how}}

    def _let_go(self, number: int, call: _Call) -> None:
        """Cancels a call; kills the process when it does not answer in time."""
        process = call.process
        try:
            with self._lock:
                _write(process, {"id": number, "do": "cancel"})
        except OSError:
            return
        end = time.monotonic() + _GRACE
        while time.monotonic() < end:
            try:
                if "text" not in call.replies.get(timeout=_TICK):
                    return
            except queue.Empty:
                continue
        with self._lock:
            if self._process is process:
                self._process = None
        process.kill()

    def _raise(self, reply: Value) -> NoReturn:
        error = reply["error"]
        told = error if isinstance(error, dict) else {}
        message, kind = str(told.get("message", "")), str(told.get("kind", ""))
        if kind == "not_installed" and self._missing is not None:
            raise self._missing
        if kind == "not_there":
            raise ModelNotInstalled(message, hint=str(told.get("hint", "")))
        if kind == "setting":
            raise ConfigError(message, hint=str(told.get("hint", "")))
        if kind == "overflow":
            raise BadModelOutput(message, raw="", kind="overflow")
        if kind == "no_worker":
            raise ModelUnavailable(
                f"`{self._python}` ended before it could run a model ({message})",
                kind="crashed",
                hint="set the interpreter of the runtime to a Python, 3.9 or later",
                subject=self._python,
            )
        if kind == "crashed":
            raise ModelUnavailable(
                f"the process of the model ended in the middle of its work ({message})",
                kind="crashed",
                hint="ask again; it is started anew",
            )
        known: Kind = next((k for k in get_args(Kind) if k == kind), "server_error")
        raise ModelUnavailable(
            f"the model runtime reports: {message}", kind=known, hint="ask again, or run `citeleaf doctor`"
        )


def _write(process: subprocess.Popen[bytes], value: Value) -> None:
    pipe: IO[bytes] | None = process.stdin
    assert pipe is not None
    pipe.write(json.dumps(value).encode() + b"\n")
    pipe.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        # A process that is gone already takes no more.
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(2)
