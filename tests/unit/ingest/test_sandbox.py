"""Parsers in child processes: whatever a file makes them do, the caller gets text or a typed error, in time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from citeleaf.boxes import Boxes, Parsed
from citeleaf.errors import EncryptedFile, ParseError, ParseTimeout, TooLarge
from citeleaf.ingest import wire
from citeleaf.ingest.sandbox import Limits, Sandbox
from citeleaf.types import Block, Heading, Notice, Page, Span
from support.library import lines

FULL = Parsed(
    title="Ünder 30 %",
    text="Grüße 💧\nsecond",
    pages=(Page(1, Span(0, 8), "i"), Page(2, Span(8, 14), None, "ocr")),
    headings=(Heading(Span(0, 5), 1, "3.2"),),
    blocks=(
        Block(
            "table_row",
            Span(8, 14),
            (Span(0, 5),),
            (Span(8, 10), Span(11, 14)),
            ((Span(8, 10), Span(0, 5)), (Span(11, 14),)),
        ),
    ),
    notices=(Notice("hidden_text", "white", 2), Notice("x", "y")),
    boxes=Boxes(
        np.array([[0, 5], [8, 14]], np.int32), np.array([1, 2], np.int32), np.array([[0, 0, 1, 1]] * 2, np.float32)
    ),
    language="de",
    front=(("version", "2"),),
)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("support.library:hostile", limits=Limits(seconds=2.0, memory_mb=256), workers=1) as made:
        yield made


def equal(a: Parsed, b: Parsed) -> bool:
    none = Boxes.empty()
    same = replace(a, boxes=none) == replace(b, boxes=none)
    columns = ((a.boxes.spans, b.boxes.spans), (a.boxes.pages, b.boxes.pages), (a.boxes.rects, b.boxes.rects))
    return same and all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in columns)


# ---- the bytes between


def test_a_result_crosses_unchanged() -> None:
    assert equal(wire.decode(wire.encode(FULL)), FULL)
    empty = Parsed(None, "", (), (), (), (), Boxes.empty())
    assert equal(wire.decode(wire.encode(empty)), empty)


def test_half_characters_in_names_are_told_and_in_text_refused() -> None:
    back = wire.decode(wire.encode(replace(FULL, title="a\udcffb")))
    assert back.title == "a?b"
    with pytest.raises(UnicodeEncodeError):
        wire.encode(replace(FULL, text="a\udcff"))


@pytest.mark.parametrize("at", range(0, 700, 7))
def test_cut_bytes_are_refused(at: int) -> None:
    data = wire.encode(FULL)
    if at < len(data):
        with pytest.raises(ParseError):
            wire.decode(data[:at])


@pytest.mark.parametrize(
    "change",
    [
        {"pages": [[1, 0, 99, None, "good"]]},
        {"pages": [[1, 5, 2, None, "good"]]},
        {"pages": [[1, 0, 5, None, "perfect"]]},
        {"pages": [[1, 0.5, 5, None, "good"]]},
        {"headings": [[0, -1, 1, None]]},
        {"blocks": [[99, 0, 5, [], []]]},
        {"blocks": [[0, 0, 5, [1], []]]},
        {"blocks": [[0, 0, 5, [0, 99], []]]},
        {"notices": [["a", 7, None]]},
        {"title": ["x"]},
        {"title": "\ud83d"},
        {"front": [["a"]]},
        {"text": 3},
        {"text": -1},
        {"words": 1},
        {"words": -2},
        {"words": 10**12},
        {"pages": None},
    ],
)
def test_nonsense_is_refused(change: dict[str, object]) -> None:
    data = wire.encode(FULL)
    size = int.from_bytes(data[:4], "big")
    head = json.loads(data[4 : 4 + size]) | change
    front = json.dumps(head).encode()
    with pytest.raises(ParseError):
        wire.decode(len(front).to_bytes(4, "big") + front + data[4 + size :])


def test_boxes_out_of_place_are_refused() -> None:
    for boxes in (
        replace(FULL.boxes, pages=np.array([1, 3], np.int32)),
        replace(FULL.boxes, spans=np.array([[8, 14], [0, 5]], np.int32)),
        replace(FULL.boxes, spans=np.array([[0, 5], [8, 99]], np.int32)),
        replace(FULL.boxes, rects=np.full((2, 4), np.nan, np.float32)),
    ):
        with pytest.raises(ParseError):
            wire.decode(wire.encode(replace(FULL, boxes=boxes)))


# ---- the child


def test_a_child_gives_what_the_parser_gives(tmp_path: Path) -> None:
    file = tmp_path / "policy.txt"
    file.write_text("# Title\nOne.\n\fTwo.\n", "utf-8")
    with Sandbox("support.library:lines") as sandbox:
        assert equal(sandbox(file), lines(file))


def test_the_parsers_own_errors_arrive_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "policy.txt"
    file.write_text("LOCKED", "utf-8")
    with Sandbox("support.library:lines", workers=1) as sandbox:
        with pytest.raises(EncryptedFile) as caught:
            sandbox(file)
        child = sandbox._idle[0]._process.pid
        assert (caught.value.message, caught.value.hint, caught.value.subject) == (
            "`policy.txt` needs a password",
            "open it first",
            "policy.txt",
        )
        file.write_text("One.", "utf-8")
        sandbox(file)
        assert sandbox._idle[0]._process.pid == child  # the file was at fault, not the process


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("hang", ParseTimeout, "longer than 2 seconds"),
        ("die", ParseError, "SIGKILL"),
        ("crash", ParseError, "SIGSEGV"),
        ("leave", ParseError, "no result"),
        ("memory", TooLarge, "256 MB"),
        ("deep", ParseError, "nested too deeply"),
        ("bug", ParseError, "KeyError"),
        ("garbage", ParseError, "no sense|no result"),
    ],
)
def test_what_goes_wrong_is_typed_and_the_next_file_is_fine(
    sandbox: Sandbox, name: str, kind: type[Exception], words: str
) -> None:
    start = time.monotonic()
    with pytest.raises(kind, match=words):
        sandbox(Path(f"{name}.pdf"))
    assert time.monotonic() - start < 5
    assert sandbox(Path("next.pdf")).text == "fine"


def test_a_busy_loop_ends_in_time(sandbox: Sandbox) -> None:
    with pytest.raises(ParseTimeout):
        sandbox(Path("spin.pdf"))


def test_nothing_a_parser_prints_is_seen() -> None:
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from pathlib import Path\nfrom citeleaf.ingest.sandbox import Sandbox\n"
        "with Sandbox('support.library:hostile') as s: assert s(Path('print.pdf')).text == 'fine'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_parser_writes_no_files(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(ParseError):
        sandbox(tmp_path / "write.pdf")
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) == 0


def test_no_secret_reaches_a_parser(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELEAF_TEST_SECRET", "hunter2")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    words = sandbox(Path("secret.pdf")).text
    assert words.startswith("None") and "SECRET" not in words and "HOME" not in words


def test_children_do_not_outlive_the_sandbox(tmp_path: Path) -> None:
    with Sandbox("support.library:hostile", workers=2) as sandbox:
        sandbox(Path("a.pdf"))
        child = sandbox._idle[0]._process.pid
        os.kill(child, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_child_ends_when_its_parent_dies() -> None:
    code = (
        f"import sys, os; sys.path[:] = {sys.path!r}\n"
        "from pathlib import Path\nfrom citeleaf.ingest.sandbox import Sandbox\n"
        "s = Sandbox('support.library:hostile'); s(Path('a.pdf'))\n"
        "print(s._idle[0]._process.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    child, deadline = int(done.stdout), time.monotonic() + 10
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        if "Z" in Path(f"/proc/{child}/stat").read_text().split()[2:3]:
            return
        time.sleep(0.02)
    assert not Path(f"/proc/{child}").exists()


def test_several_threads_get_a_child_each() -> None:
    with Sandbox("support.library:hostile", limits=Limits(seconds=20), workers=2) as sandbox:
        results: list[tuple[str, str]] = []

        def work(name: str) -> None:
            for _ in range(5):
                try:
                    results.append((name, sandbox(Path(f"{name}.pdf")).text))
                except ParseError as error:
                    results.append((name, error.code))

        threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "bug", "b", "c")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == sorted([(n, "fine") for n in "abc"] * 5 + [("bug", "parse_error")] * 5)
        assert len(sandbox._idle) <= 2


def test_a_child_is_replaced_after_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citeleaf.ingest.sandbox._FILES_A_WORKER", 2)
    with Sandbox("support.library:hostile", workers=1) as sandbox:
        pids = []
        for _ in range(4):
            sandbox(Path("a.pdf"))
            pids.append(sandbox._idle[0]._process.pid if sandbox._idle else None)
        assert pids[0] is not None and pids[1] is None and pids[2] not in (None, pids[0])
