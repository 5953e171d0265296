"""Progress on a terminal: a bar over files, the stage of a question; nothing when quiet or piped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.markup import escape

from citeleaf.events import StatusEvent
from citeleaf.surfaces.terminal import Screen, one_line

if TYPE_CHECKING:
    from rich.progress import Progress

    from citeleaf.events import Event


class Watch:
    """What an ingest and a question report to."""

    def __init__(self, progress: Progress | None) -> None:
        """Silent without a progress display."""
        self._progress = progress
        self._task = None if progress is None else progress.add_task("", total=None)

    def file(self, done: int, total: int, name: str) -> None:
        """`done` of `total` files are finished; `name` is the one in work."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total, description=escape(one_line(name, 40)))

    def event(self, event: Event) -> None:
        """Something happens to a question; the stage that begins is shown."""
        if isinstance(event, StatusEvent) and event.seconds is None:
            self.stage(event.stage)

    def stage(self, name: str) -> None:
        """A stage of the work begins."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=escape(name), total=None)


@contextmanager
def stages(screen: Screen) -> Iterator[Watch]:
    """A display that goes away when the work is done."""
    if not screen.bars:
        yield Watch(None)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen.messages, transient=True) as progress:
        yield Watch(progress)
