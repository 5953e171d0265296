"""Stage times."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from citeleaf.types import Seconds

P = ParamSpec("P")
T = TypeVar("T")


class Clock:
    """Times stages on the monotonic clock; `watch`, if given, is told each stage's name as it starts."""

    def __init__(self, watch: Callable[[str], None] | None = None) -> None:
        """Starts the total."""
        self._begin = time.monotonic()
        self._watch = watch
        self._stages: list[Seconds] = []

    def time(self, stage: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs `work(*args)` and notes how long it took under `stage`."""
        if self._watch is not None:
            self._watch(stage)
        start = time.monotonic()
        try:
            return work(*args, **kwargs)
        finally:
            self._stages.append(Seconds(stage, time.monotonic() - start))

    def seconds(self) -> tuple[Seconds, ...]:
        """All stages in the order they ended, then `total`."""
        return (*self._stages, Seconds("total", time.monotonic() - self._begin))
