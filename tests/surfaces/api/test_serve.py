"""`citeleaf serve` as it is run: started, asked over loopback, left, stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from citeleaf.surfaces.cli.main import run
from surfaces.api.conftest import PLAIN

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
RUN = "import sys; from citeleaf.surfaces.cli.main import run; sys.exit(run(sys.argv[1:]))"
SETS = [part for flag in PLAIN for part in ("--set", flag)]
LEAVE = {"question": "How many days of leave does everybody get?"}


@contextmanager
def served(*arguments: str, folder: Path, end: signal.Signals = signal.SIGINT) -> Iterator[httpx2.Client]:
    """A server in a process of its own, which must end well."""
    home = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder), "CITELEAF_LIBRARY": ""}
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "serve", *arguments, "--port", "0", "--json", *SETS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=home,
    ) as child:
        assert child.stdout is not None
        try:
            said = ""
            while not said.rstrip().endswith("}"):
                line = child.stdout.readline()
                assert line, child.stderr and child.stderr.read()
                said += line
            with httpx2.Client(base_url=json.loads(said)["address"], trust_env=False, timeout=30) as client:
                yield client
            child.send_signal(end)
            assert child.wait(20) == 0, child.stderr and child.stderr.read()
        finally:
            child.kill()


def test_files_are_served_and_nothing_is_left_behind(papers: Path, tmp_path: Path) -> None:
    with served(str(papers / "leave.md"), folder=tmp_path, end=signal.SIGTERM) as client:
        for _ in range(200):
            if client.get("/healthz").json()["ready"]:
                break
            time.sleep(0.05)
        assert client.get("/healthz").json()["ready"]
        assert [d["id"] for d in client.get("/api/documents").json()["documents"]] == ["leave"]
        assert "25 days" in client.post("/api/ask", json=LEAVE).json()["text"]
        with client.stream("POST", "/api/ask", json=LEAVE, headers={"Accept": "text/event-stream"}) as stream:
            lines = [line for line in stream.iter_lines() if line.startswith("event:")]
        assert (lines[0], lines[-1]) == ("event: status", "event: done")
        sent = client.post("/api/documents", files=[("files", ("x.md", b"# X\n\nWords of a note.\n"))])
        assert sent.json()["rows"][0]["status"] == "added"
        assert client.get("/healthz", headers={"Host": "attacker.test"}).status_code == 421
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("citeleaf-")] == []
    assert b"Words of a note" not in b"".join(p.read_bytes() for p in (tmp_path / "cache").rglob("*") if p.is_file())


def test_a_caller_who_leaves_frees_the_server(shelf: Path, tmp_path: Path) -> None:
    with served("--library", str(shelf), folder=tmp_path) as client:
        body = json.dumps(LEAVE).encode()
        address = (client.base_url.host, client.base_url.port)
        head = b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        for n in range(20):
            with socket.create_connection(address) as line:
                events = b"Accept: text/event-stream\r\n" if n % 2 else b""
                cut = b"" if n % 3 else body  # a third of them break off inside the body
                line.sendall(head + events + b"Content-Length: %d\r\n\r\n" % (len(body) + (not cut)) + body)
        assert client.post("/api/ask", json=LEAVE).status_code == 200


def test_a_port_that_is_taken_is_named_in_one_line(shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["serve", "--library", str(shelf), "--port", port, *SETS]) == 2
    said = capsys.readouterr().err
    assert f"port {port}" in said
    assert said.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", str(tmp_path / "none.pdf"), *SETS]) == 3
    assert "none.pdf" in capsys.readouterr().err
