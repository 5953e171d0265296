"""An open library behind the server, called in-process."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from citeleaf.app import App
from citeleaf.surfaces.api.app import create
from support.pdfs import PROSE, lines, make

PLAIN = ("models.embedder=none", "models.reranker=none")
HOME = "http://127.0.0.1:8642"


@pytest.fixture(scope="session")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    (folder / "leave.md").write_text(
        "# Leave\n\nEverybody gets 25 days of leave a year.\n\n"
        "## Carry over\n\nUp to 5 days of leave can be carried over to the next year.\n",
        "utf-8",
    )
    one, two = ["1 What is covered", "", *PROSE], ["2 Claims", *PROSE]
    make(folder / "cover.pdf", [lambda c: lines(c, 72, 700, one), lambda c: lines(c, 72, 700, two)])
    return folder


@pytest.fixture(scope="session")
def shelf(papers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with the papers taken in, to be copied."""
    folder = tmp_path_factory.mktemp("shelf") / "library"
    with App.open(folder, flags=PLAIN, write=True) as app:
        app.ingest([papers])
    return folder


@pytest.fixture
def app(shelf: Path, tmp_path: Path) -> Iterator[App]:
    shutil.copytree(shelf, tmp_path / "library")
    with App.open(tmp_path / "library", flags=PLAIN) as app:
        yield app


@pytest.fixture
def client(app: App) -> Iterator[TestClient]:
    with TestClient(create(app), base_url=HOME) as client:
        yield client


def events(text: str) -> list[tuple[str, str]]:
    """Name and data of each event of a stream."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields.get("event", ""), fields["data"]))
    return found


async def call(
    server: ASGIApp, path: str, body: object, headers: dict[str, str], leaves: Callable[[], Awaitable[object]]
) -> list[tuple[float, dict[str, object]]]:
    """One POST, straight to the application, by a caller who closes the connection when `leaves` ends.

    Gives what was sent, with the seconds since the call.
    """
    start = asyncio.get_running_loop().time()
    sent: list[tuple[float, dict[str, object]]] = []
    waiting = iter([{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}])

    async def receive() -> dict[str, object]:
        message = next(waiting, None)
        if message is None:
            await leaves()
            return {"type": "http.disconnect"}
        return message

    async def send(message: MutableMapping[str, object]) -> None:
        sent.append((asyncio.get_running_loop().time() - start, dict(message)))

    named = {"host": "127.0.0.1", "content-type": "application/json", **headers}
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(k.lower().encode(), v.encode()) for k, v in named.items()],
    }
    await server(scope, receive, send)  # type: ignore[arg-type]
    return sent
