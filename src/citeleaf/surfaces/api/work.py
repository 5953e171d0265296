"""Work in threads whose progress is sent as it happens, and which stops when the one who asked has left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from citeleaf.errors import Cancelled, CiteleafError
from citeleaf.record import Json
from citeleaf.surfaces.api.problems import dumps, log, of_error

T = TypeVar("T")
Tell: TypeAlias = Callable[[str, Json], None]
"""Takes the name of an event and its data."""
_PING_S = 15.0


class Busy(CiteleafError):
    """So many wait already that one more would wait too long."""

    code = "busy"
    http_status = 503
    retryable = True


class Job(Generic[T]):
    """One piece of work under way."""

    def __init__(self, stop: threading.Event, told: asyncio.Queue[tuple[str, Json]], end: asyncio.Future[T]) -> None:
        """`told` fills while the work goes on; `end` holds its result."""
        self.stop = stop
        self.told = told
        self.end = end

    async def events(self) -> AsyncIterator[tuple[str, Json]]:
        """What is told until the end, in order; an event without a name after a while of silence."""
        while True:
            while not self.told.empty():
                yield self.told.get_nowait()
            if self.end.done():
                return
            getting = asyncio.ensure_future(self.told.get())
            try:
                waiting: set[asyncio.Future[Any]] = {getting, self.end}
                done, _ = await asyncio.wait(waiting, timeout=_PING_S, return_when=asyncio.FIRST_COMPLETED)
                if getting in done:
                    yield getting.result()
                elif not done:
                    yield "", None
            finally:
                getting.cancel()

    def leave(self) -> None:
        """Nobody waits any more: work that is under way stops soon, work that waits is never begun."""
        self.stop.set()
        self.end.cancel()

    async def result(self, request: Request) -> T:
        """The result; raises what the work raised, and `Cancelled` when the caller has left."""
        left = asyncio.ensure_future(_gone(request.receive))
        try:
            waiting: set[asyncio.Future[Any]] = {self.end, left}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if self.end.done():
                return self.end.result()
            raise Cancelled("the caller left before the end", hint="ask again")
        finally:
            left.cancel()
            self.leave()


class Desk:
    """A pool of threads with a waiting line of limited length; for use from one event loop."""

    def __init__(self, name: str, *, at_once: int, waiting: int) -> None:
        """`at_once` pieces of work run side by side, `waiting` more may stand in line."""
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._room = at_once + waiting
        self._inside = 0

    def start(self, work: Callable[[Tell, threading.Event], T]) -> Job[T]:
        """Begins work, or puts it in line. Raises `Busy`."""
        if self._inside >= self._room:
            raise Busy(f"{self._inside} others wait already", hint="try again in a moment")
        loop = asyncio.get_running_loop()
        stop = threading.Event()
        told: asyncio.Queue[tuple[str, Json]] = asyncio.Queue()

        def tell(name: str, data: Json) -> None:
            with suppress(RuntimeError):  # the loop is closed: the server is going down
                loop.call_soon_threadsafe(told.put_nowait, (name, data))

        def run() -> T:
            try:
                if stop.is_set():
                    raise Cancelled("the caller left before the work began", hint="ask again")
                return work(tell, stop)
            finally:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._out)

        self._inside += 1
        held = self._pool.submit(run)
        held.add_done_callback(lambda f: loop.call_soon_threadsafe(self._out) if f.cancelled() else None)
        end = asyncio.wrap_future(held)
        end.add_done_callback(_look_at)
        return Job(stop, told, end)

    def _out(self) -> None:
        self._inside -= 1

    def close(self) -> None:
        """Ends when the work under way has ended; what waits is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class EventStream(Response, Generic[T]):
    """A `text/event-stream` of one job: its events, then `done` with the result, or `error` with a problem document."""

    media_type = "text/event-stream"

    def __init__(self, job: Job[T], shown: Callable[[T], Json], first: tuple[str, Json] | None = None) -> None:
        """`shown` makes the data of `done`; `first` is sent at once."""
        super().__init__()
        del self.headers["content-length"]
        self.headers["x-accel-buffering"] = "no"
        self._job = job
        self._shown = shown
        self._first = first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends until the end, or until the reader has left."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        left = asyncio.ensure_future(_gone(receive))
        written = asyncio.ensure_future(self._write(send))
        try:
            await asyncio.wait({left, written}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._job.leave()
            left.cancel()
            written.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await written

    async def _write(self, send: Send) -> None:
        async def put(text: str) -> None:
            if text:
                await send({"type": "http.response.body", "body": text.encode("ascii"), "more_body": True})

        if self._first is not None:
            await put(self.event(*self._first))
        async for name, data in self._job.events():
            await put(self.event(name, data) if name else ": still there\n\n")
        try:
            await put(self.last(self._job.end.result()))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - the last catch of a stream: the reader is told, the log holds why
            if not isinstance(error, CiteleafError):
                log.error("work failed", exc_info=error)
            await put(self.broken(of_error(error)))
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def event(self, name: str, data: Json) -> str:
        """One event as it is written."""
        return f"event: {name}\ndata: {dumps(data)}\n\n"

    def last(self, result: T) -> str:
        """What ends a stream whose work was done."""
        return self.event("done", self._shown(result))

    def broken(self, body: dict[str, Json]) -> str:
        """What ends a stream whose work failed."""
        return self.event("error", body)


async def _gone(receive: Receive) -> None:
    """Ends when the other side has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _look_at(end: asyncio.Future[T]) -> None:
    # An error that nobody waits for any more is no news.
    if not end.cancelled():
        end.exception()
