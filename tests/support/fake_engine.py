"""An engine for `worker_loop` that does what it is told: talks, waits, crashes, prints, hangs."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any


class Failure(Exception):
    """(kind, message, hint)."""


class Engine:
    def do(self, name: str, value: dict[str, Any], tell: Callable[[str], None], stopped: Callable[[], bool]) -> Any:
        if name == "fail":
            raise Failure(value["kind"], "as told", "mend it")
        if name == "unforeseen":
            raise KeyError("nobody thought of this")
        if name == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
            time.sleep(5)
        if name == "print":
            sys.stdout.write("log line of a runtime\n{}\n")
            os.write(1, b'{"id": 1, "done": {"forged": true}}\n')
        if name == "hang" or value.get("hangs") == name:
            time.sleep(600)
        if name == "load":
            return {"id": "fake", "window": 4096}
        if name == "count":
            return {"tokens": sum(len(text.split()) for _, text in value["messages"])}
        for n in range(int(value.get("pieces", 0))):
            if stopped() and not value.get("deaf"):
                raise Failure("timeout", "stopped", "")
            tell(f"{n} ")
            time.sleep(float(value.get("pause", 0)))
        says = str(value.get("says", ""))
        if value.get("quotes"):
            # The first sentence of the first passage, as a good model would have it.
            line = next(line for line in value["messages"][-1][1].split("\n") if line.startswith("| "))
            says = line[2:].split(". ")[0].rstrip(".") + " [1]."
        for word in says.split():
            tell(f"{word} ")
        counts = {"finish": "stop", "prompt_tokens": 10_000, "reply_tokens": 10}
        return counts | {"pid": os.getpid(), "environment": dict(os.environ), "path": sys.path}

    def close(self) -> None:
        """Nothing to close."""


def open_engine() -> Engine:
    return Engine()
