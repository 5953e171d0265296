"""Stage times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from citeleaf.chat import check_stopped
from citeleaf.events import CheckEvent, Event, StatusEvent, Watch
from citeleaf.spans import Spans, silent
from citeleaf.types import Check, Seconds

P = ParamSpec("P")
T = TypeVar("T")


class Clock:
    """Times stages on the monotonic clock; `watch`, if given, is told when each begins and ends, as are `spans`."""

    def __init__(self, watch: Watch | None = None, spans: Spans = silent) -> None:
        """Starts the total."""
        self._begin = time.monotonic()
        self._watch = watch
        self._spans = spans
        self._stages: list[Seconds] = []

    def time(self, stage: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs `work(*args)` and notes how long it took under `stage`. Raises `Cancelled` when the asker has left."""
        check_stopped()
        self.tell(StatusEvent(stage))
        start = time.monotonic()
        try:
            with self._spans(stage):
                return work(*args, **kwargs)
        finally:
            took = time.monotonic() - start
            self._stages.append(Seconds(stage, took))
            self.tell(StatusEvent(stage, took))

    def tell(self, *events: Event) -> None:
        """Passes events on to the one who watches, if there is one."""
        if self._watch is not None:
            for event in events:
                self._watch(event)

    def checked(self, stage: str, checks: Iterable[Check]) -> None:
        """Passes on what a stage looked at."""
        self.tell(*(CheckEvent(stage, check) for check in checks))

    @property
    def watched(self) -> bool:
        """Whether anybody is told."""
        return self._watch is not None

    def seconds(self) -> tuple[Seconds, ...]:
        """All stages in the order they ended, then `total`."""
        return (*self._stages, Seconds("total", time.monotonic() - self._begin))
