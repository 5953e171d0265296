from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeleaf.backends.child import Child, Value
from citeleaf.chat import stopped_by
from citeleaf.errors import BadModelOutput, Cancelled, ConfigError, ModelNotInstalled, ModelUnavailable
from support import fake_engine

ENGINE = fake_engine.__file__ or ""
LIMITS = {"total": 20.0, "first": 10.0, "idle": 5.0}


@pytest.fixture
def child() -> Iterator[Child]:
    made = Child(ENGINE, environment={"CI": "true"}, missing=ModelNotInstalled("not there", hint="pip install it"))
    yield made
    made.close()


def run(child: Child, do: str = "talk", value: Value | None = None, **limits: float) -> Value:
    return child.call(do, value or {}, **{**LIMITS, **limits})


def is_gone(pid: int, seconds: float = 5.0) -> bool:
    """Whether a process ends in time."""
    for _ in range(int(seconds / 0.05)):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_pieces_come_in_order_and_then_the_end(child: Child) -> None:
    heard: list[str] = []
    done = child.call("talk", {"pieces": 5}, **LIMITS, tell=heard.append)
    assert "".join(heard) == "0 1 2 3 4 "
    assert done["pid"] == child.pid != os.getpid()


def test_no_secret_of_ours_and_no_path_of_ours_reaches_the_process(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELEAF_CHAT__KEY", "sk-canary")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    done = run(child)
    assert "sk-canary" not in str(done["environment"])
    assert not [p for p in done["path"] if "somewhere" in str(p) or "backends" in str(p)]  # type: ignore[attr-defined]
    assert dict(done["environment"])["CI"] == "true"  # type: ignore[call-overload]


def test_what_a_runtime_prints_is_no_reply(child: Child) -> None:
    assert "forged" not in run(child, "print")


@pytest.mark.parametrize("do", ["segfault", "unforeseen"])
def test_a_crash_is_told_and_the_next_call_starts_anew(child: Child, do: str) -> None:
    with pytest.raises(ModelUnavailable) as error:
        run(child, do)
    assert error.value.kind == "crashed"
    assert run(child)["pid"]
    assert child.starts == 2


def test_a_crash_ends_the_other_calls_too(child: Child) -> None:
    kinds: list[str] = []

    def wait() -> None:
        try:
            run(child, "talk", {"pieces": 100, "pause": 0.1})
        except ModelUnavailable as error:
            kinds.append(error.kind)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    os.kill(child.pid or 0, signal.SIGKILL)
    for thread in threads:
        thread.join(5)
    assert kinds == ["crashed"] * 3


@pytest.mark.parametrize(
    ("value", "limits", "kind"),
    [
        ({}, {"total": 0.5}, "timeout"),
        ({}, {"first": 0.5}, "stalled"),
        ({"pieces": 2, "pause": 9}, {"idle": 0.5}, "stalled"),
        ({"pieces": 900, "pause": 0.05}, {"total": 0.5}, "timeout"),
    ],
)
def test_every_limit_holds(child: Child, value: Value, limits: dict[str, float], kind: str) -> None:
    run(child)
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable) as error:
        run(child, "talk" if value else "hang", value, **limits)
    assert error.value.kind == kind
    assert time.monotonic() - begin < 3
    assert run(child)["pid"]


@pytest.mark.parametrize(
    ("do", "value", "starts"),
    [
        ("talk", {"pieces": 900, "pause": 0.02}, 1),
        ("talk", {"pieces": 900, "pause": 0.02, "deaf": True}, 2),
        ("hang", {}, 2),
    ],
)
def test_stopping_ends_the_work_and_kills_only_a_process_that_does_not_listen(
    child: Child, do: str, value: Value, starts: int
) -> None:
    pid = int(str(run(child)["pid"]))
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    begin = time.monotonic()
    with stopped_by(stop), pytest.raises(Cancelled):
        run(child, do, value)
    assert time.monotonic() - begin < 2
    assert run(child)["pid"]
    assert child.starts == starts
    assert is_gone(pid, 5.0 if starts == 2 else 0.2) == (starts == 2)


def test_a_key_press_ends_the_work_too(child: Child) -> None:
    run(child)
    heard: list[str] = []

    def interrupted(piece: str) -> None:
        heard.append(piece)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        child.call("talk", {"pieces": 900, "pause": 0.02}, **LIMITS, tell=interrupted)
    assert heard == ["0 "]
    assert run(child)["pid"]
    assert child.starts == 1


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overflow", BadModelOutput),
        ("setting", ConfigError),
        ("not_there", ModelNotInstalled),
        ("not_installed", ModelNotInstalled),
        ("server_error", ModelUnavailable),
        ("unheard_of", ModelUnavailable),
    ],
)
def test_what_the_runtime_reports_becomes_a_typed_error(child: Child, kind: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        run(child, "fail", {"kind": kind})


def test_calls_run_side_by_side(child: Child) -> None:
    run(child)
    begin = time.monotonic()
    threads = [threading.Thread(target=run, args=(child, "talk", {"pieces": 10, "pause": 0.05})) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert time.monotonic() - begin < 2.5


def test_an_interpreter_that_is_not_there_is_a_setting_to_mend() -> None:
    with pytest.raises(ConfigError):
        run(Child(ENGINE, python="/nowhere/python"))


def test_closing_ends_the_process(child: Child) -> None:
    pid = run(child)["pid"]
    child.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(pid)), 0)


def test_the_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from citeleaf.backends.child import Child; c = Child(sys.argv[1]);"
        "print(c.call('talk', {}, total=20, first=20, idle=20)['pid'], flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, ENGINE], check=False, capture_output=True, text=True, timeout=30)
    assert is_gone(int(done.stdout))


@pytest.mark.parametrize("worker", ["foundry_worker.py", "llama_worker.py"])
def test_a_runtime_that_is_not_installed_is_told_with_the_command(worker: str) -> None:
    made = Child(worker, missing=ModelNotInstalled("not there", hint="pip install it"))
    with pytest.raises(ModelNotInstalled) as error:
        run(made, "load", {"model": "x", "task": "chat", "cache": "", "window": 1, "threads": 1, "folder": ""})
    assert error.value.hint == "pip install it"
    made.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs /bin")
@pytest.mark.parametrize("python", ["/bin/true", "/bin/cat", "/bin/echo"])
def test_an_interpreter_that_is_none_is_told_apart_from_a_crash(python: str) -> None:
    made = Child(ENGINE, python=python)
    with pytest.raises(ModelUnavailable, match="ended before it could run a model"):
        run(made)
    made.close()
