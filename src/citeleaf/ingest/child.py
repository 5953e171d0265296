"""The parser process: reads requests, parses under limits, writes results; see `sandbox`.

It imports only what parsing needs. Whatever a library prints goes nowhere: results leave by a private copy of standard
output, and the descriptors that a C library knows lead to the null device.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from citeleaf.boxes import Parsed
from citeleaf.errors import IngestError
from citeleaf.ingest import wire

if sys.platform != "win32":
    import resource

LENGTH = 8
"""Bytes in front of a reply: the length of its body. The first byte of the body is one of the next three."""
PARSED = b"p"
FAILED = b"f"
DYING = b"d"
MEMORY = "memory"
"""Code of the failure for want of memory."""

_MB = 1_000_000
_OPEN_FILES = 64


def main(order: dict[str, Any]) -> None:
    """Serves requests, a line of JSON each, until there are no more.

    `order` names the parser (`module:function`), its options, and the limits on memory, file size and open files.
    """
    requests, replies = _channels()
    gc.set_threshold(50_000, 20, 50)  # a file's pieces live until its end: looking for garbage among them is waste
    sys.excepthook = lambda kind, error, at: _last_words(replies, kind, error, at)
    module, _, function = order["target"].partition(":")
    parse: Callable[..., Parsed] = getattr(importlib.import_module(module), function)
    _limit(order["memory_mb"])
    for line in requests:
        request = json.loads(line)
        _limit_cpu(request["seconds"])
        _answer(replies, _reply(parse, Path(request["path"]), order["options"]))


def _reply(parse: Callable[..., Parsed], path: Path, options: dict[str, Any]) -> bytes:
    try:
        return PARSED + wire.encode(parse(path, **options))
    except IngestError as error:
        return _failure(error.code, error.message, error.hint, error.subject)
    except MemoryError:
        return _failure(MEMORY, "", "", None)
    except RecursionError:
        return _failure("parse_error", f"`{path.name}` is nested too deeply", "the file may be damaged", path.name)


def _failure(code: str, message: str, hint: str, subject: str | None) -> bytes:
    return FAILED + json.dumps({"code": code, "message": message, "hint": hint, "subject": subject}).encode()


def _answer(replies: IO[bytes], body: bytes) -> None:
    replies.write(len(body).to_bytes(LENGTH, "big"))
    replies.write(body)
    replies.flush()


def _last_words(replies: IO[bytes], kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """For what no parser should raise: says what it was; the process ends, and the next file gets a new one."""
    words = f"the parser failed: {kind.__name__}: {error}"
    _answer(replies, DYING + _failure("parse_error", words, "please report this", None)[1:])


def _channels() -> tuple[IO[bytes], IO[bytes]]:
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    return requests, replies


def _limit(memory_mb: int) -> None:
    if sys.platform == "win32":
        return
    with suppress(OSError):  # where there is one, the system's own killer shall take this process first
        Path("/proc/self/oom_score_adj").write_text("1000")
    space = _address_space() + memory_mb * _MB
    for limit, most in (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(OSError, ValueError):  # not every system has every limit
            resource.setrlimit(limit, (most, most))


def _address_space() -> int:
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 512 * _MB


def _limit_cpu(seconds: float) -> None:
    if sys.platform == "win32":
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
