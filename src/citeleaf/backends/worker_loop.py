"""The other end of `child`: reads requests, runs each in a thread, writes replies.

Needs nothing but the standard library. Run as `python -I worker_loop.py ENGINE.py`. The engine file has
`open_engine()`, whose result has `do(name, value, tell, cancelled)` and `close()`, and `Failure(kind, message, hint)`,
which it raises. Ends when its input does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any


class Loop:
    """Requests in, replies out."""

    def __init__(self, engine: Any, failure: type[Exception], out: int) -> None:
        """`out` is the file descriptor that replies go to."""
        self._engine = engine
        self._failure = failure
        self._out = out
        self._lock = threading.Lock()
        self._cancelled: dict[int, threading.Event] = {}

    def run(self) -> None:
        """Until the input ends; first says that it is there."""
        self._reply({"id": 0})
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "cancel":
                event = self._cancelled.get(request["id"])
                if event is not None:
                    event.set()
                continue
            self._cancelled[request["id"]] = threading.Event()
            threading.Thread(target=self._work, args=(request,), daemon=True).start()

    def _work(self, request: dict[str, Any]) -> None:
        number = request["id"]
        cancelled = self._cancelled[number]

        def tell(piece: str) -> None:
            self._reply({"id": number, "text": piece})

        try:
            done = self._engine.do(request["do"], request["value"], tell, cancelled.is_set)
        except self._failure as failure:
            kind, message, hint = failure.args
            self._reply({"id": number, "error": {"kind": kind, "message": message, "hint": hint}})
        else:
            self._reply({"id": number, "done": done})
        finally:
            self._cancelled.pop(number, None)

    def _reply(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode() + b"\n"
        with self._lock:
            while data:
                data = data[os.write(self._out, data) :]


def main() -> None:
    """Keeps the standard output for replies alone: runtimes write their logs to it."""
    out = os.dup(1)
    os.dup2(2, 1)
    # What nobody foresaw ends the process, and the caller is told of a crash.
    leave: Callable[..., None] = lambda *_: os._exit(70)  # noqa: E731
    threading.excepthook = leave
    spec = importlib.util.spec_from_file_location("engine", sys.argv[1])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    engine = module.open_engine()
    Loop(engine, module.Failure, out).run()
    engine.close()
    # Not sys.exit: native threads may never end by themselves.
    os._exit(0)


if __name__ == "__main__":
    main()
