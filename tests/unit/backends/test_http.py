from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from citeleaf.backends.generate_http import HttpChat
from citeleaf.backends.http import Client, Limits
from citeleaf.chat import Message, stopped_by
from citeleaf.errors import Cancelled, ConfigError, ModelUnavailable
from support import fake_model
from support.fake_model import FakeModel
from support.models import answer, generator, settings

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2"])

KEY = "sk-canary-0123456789"
HELLO = [Message("user", "Hello")]


@pytest.mark.parametrize(
    "address",
    [
        "",
        "127.0.0.1:11434",
        "ftp://127.0.0.1/v1",
        "http://",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:x/v1",
        "http://host/v1?key=1",
        "http://host/v1#x",
        "http://ho st/v1",
        "http://host/v1\r\nX-Y: 1",
        f"http://user:{KEY}@127.0.0.1/v1",
        f"http://{KEY}@127.0.0.1/v1",
    ],
)
def test_an_address_that_cannot_be_one_is_refused_without_showing_a_secret(address: str) -> None:
    with pytest.raises(ConfigError) as error:
        Client(address, SecretStr(""))
    assert "chat.address" in f"{error.value} {error.value.subject}"
    assert KEY not in str(error.value)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nX-Y: 1", f" {KEY}", "gebühr-key", "a\x00b"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError) as error:
        Client("http://127.0.0.1/v1", SecretStr(key))
    assert error.value.subject == "chat.key"
    assert key.strip() not in repr(error.value)


def test_the_key_is_in_no_text_form_of_anything() -> None:
    chosen = settings("http://127.0.0.1:1/v1", key=KEY)
    chat = HttpChat(chosen)
    texts = [repr(chosen), chosen.model_dump_json(), repr(chat), repr(vars(chat)), chat.name, chat.fingerprint]
    assert not [t for t in texts if KEY in t]
    assert chat.fingerprint == HttpChat(settings("http://127.0.0.1:1/v1", key="other")).fingerprint


@pytest.mark.parametrize(
    "behaviour", ["redirects", "unauthorised", "tells_key", "resets", "html_page", "says_key", "nan"]
)
def test_no_failure_shows_the_key(behaviour: str, capfd: pytest.CaptureFixture[str]) -> None:
    with FakeModel(behaviour) as fake:
        try:
            ended = answer(generator(fake.address, key=KEY))
            seen = repr(ended)
        except ConfigError as error:
            seen = f"{error!r} {error.hint} {error.__cause__!r} {error.__context__!r}"
    out = capfd.readouterr()
    assert KEY not in seen + out.out + out.err
    assert any(KEY in s.headers.get("Authorization", "") for s in fake.requests), "the key was sent to its own host"


def test_a_redirect_is_not_followed_and_the_key_stays_home() -> None:
    heard: list[bytes] = []
    listener = socket.create_server(("127.0.0.2", 0))

    def listen() -> None:
        connection, _ = listener.accept()
        heard.append(connection.recv(4096))
        connection.close()

    threading.Thread(target=listen, daemon=True).start()
    with FakeModel("redirects") as fake, pytest.raises(ModelUnavailable) as error:
        HttpChat(settings(fake.address, key=KEY)).reply(HELLO, max_tokens=4)
    time.sleep(0.2)
    listener.close()
    assert error.value.kind == "redirected"
    assert "127.0.0.2" in error.value.message
    assert not heard


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with FakeModel("good") as fake:
        assert HttpChat(settings(fake.address)).reply(HELLO, max_tokens=4).text


def test_a_proxy_that_is_set_is_used() -> None:
    with FakeModel("good") as fake:
        proxy = fake.root.removeprefix("http://")
        HttpChat(settings("http://model.test/v1", proxy=proxy, model="fake"))
        with pytest.raises(ConfigError):  # the fake knows no absolute targets: it answers 404, which shows it was asked
            HttpChat(settings("http://model.test/v1", proxy=proxy)).reply(HELLO, max_tokens=4)
        assert fake.requests[0].path == "http://model.test:80/v1/models"


def test_a_port_where_nobody_listens_says_so_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable) as error:
        HttpChat(settings(f"http://127.0.0.1:{port}/v1")).reply(HELLO, max_tokens=4)
    assert error.value.kind == "unreachable"
    assert "start the server" in error.value.hint
    assert time.monotonic() - begin < 2


def test_a_port_that_another_program_has_is_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:

        def serve() -> None:
            with taken.accept()[0] as connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
                connection.recv(65_536)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        with pytest.raises(ModelUnavailable, match="speaks no HTTP") as error:
            HttpChat(settings(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")).reply(HELLO, max_tokens=4)
    assert error.value.kind == "unreachable"
    assert "another program" in error.value.hint


def test_a_server_that_dies_in_the_middle_of_a_reply_is_told_and_the_documents_are_quoted() -> None:
    tests = Path(fake_model.__file__ or "").parents[1]
    command = [sys.executable, "-m", "support.fake_model", "stalls"]
    with subprocess.Popen(command, cwd=tests, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        threading.Timer(0.8, server.kill).start()
        ended = answer(generator(address, load_s=20.0, idle_s=20.0, total_s=30.0))
    assert ended.draft.fallback == "model_unavailable"
    assert ended.decision.reason == "model_unavailable_quoted"
    assert ended.draft.checks[-1].detail.startswith("closed_early: ")


def test_tls_spoken_to_a_plain_server_is_told_apart() -> None:
    with FakeModel("good") as fake, pytest.raises(ModelUnavailable) as error:
        HttpChat(settings(fake.address.replace("http:", "https:"))).reply(HELLO, max_tokens=4)
    assert error.value.kind == "tls"


def test_a_name_that_cannot_be_resolved_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> list[object]:
        time.sleep(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    begin = time.monotonic()
    client = Client("http://nowhere.test/v1", SecretStr(""))
    with pytest.raises(ModelUnavailable) as error, client.send("GET", "/models", None, Limits(0.3, 1, 1, 2)):
        pass
    assert error.value.kind == "unreachable"
    assert time.monotonic() - begin < 2


@pytest.fixture
def limits() -> dict[str, float]:
    return {"connect_s": 2, "load_s": 60, "idle_s": 60, "total_s": 120}


@pytest.mark.parametrize("behaviour", ["silent", "stalls", "trickles", "trickles_head", "never_ends", "slow"])
def test_stopping_ends_the_call_and_the_work_of_the_server_soon(behaviour: str, limits: dict[str, float]) -> None:
    with FakeModel(behaviour) as fake:
        chat = HttpChat(settings(fake.address, **limits))
        stop = threading.Event()
        threading.Timer(0.05, stop.set).start()
        begin = time.monotonic()
        with stopped_by(stop), pytest.raises(Cancelled):
            while True:
                chat.reply([Message("user", "word " * 50)], max_tokens=100_000)
        assert time.monotonic() - begin < 1.5


def test_a_clock_that_jumps_changes_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    jumps: Iterator[float] = iter(range(0, 10**9, 10**6))
    monkeypatch.setattr(time, "time", lambda: float(next(jumps)))
    with FakeModel("good") as fake:
        assert HttpChat(settings(fake.address)).reply(HELLO, max_tokens=4).text


def test_several_asks_at_once_do_not_mix() -> None:
    with FakeModel("slow") as fake:
        model = generator(fake.address)
        results: dict[int, str] = {}

        def ask(n: int) -> None:
            question = "What is the fee for a late payment?" if n % 2 else "How much may members transfer a day?"
            results[n] = answer(model, question).draft.text

        threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert all(("50 dollars" in text) == bool(n % 2) for n, text in results.items())
    assert len(results) == 8


def test_nothing_is_left_behind() -> None:
    before = threading.active_count()
    with FakeModel("breaks_off") as fake:
        chat = HttpChat(settings(fake.address))
        for _ in range(10):
            with pytest.raises(ModelUnavailable):
                chat.reply(HELLO, max_tokens=4)
    time.sleep(0.3)
    assert threading.active_count() <= before
