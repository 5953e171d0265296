"""A fake model server on the loopback, with the behaviours of `fake_behaviours`.

In a test: mark it `@pytest.mark.allow_hosts(["127.0.0.1"])` and use `with FakeModel("slow") as fake:`. By hand, or for
a program under test: `PYTHONPATH=tests python -m support.fake_model BEHAVIOUR` prints the address and serves.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "fake-1.5b"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_PASSAGE = re.compile(r"^\[(\d+)\] (.*)\n((?:\|.*\n?)*)", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)


@dataclass
class Seen:
    """One request, as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Asked:
    """A chat request as a model sees it: what its window leaves of the prompt."""

    messages: list[dict[str, str]]
    stream: bool
    max_tokens: int
    prompt_tokens: int
    text: str = field(repr=False)

    @property
    def passages(self) -> list[tuple[int, str]]:
        """(number, text) of the passages of the last turn."""
        last = self.messages[-1]["content"]
        found = [(int(n), re.sub(r"^\| ?", "", body, flags=re.M)) for n, _, body in _PASSAGE.findall(last)]
        return [(n, " ".join(body.split())) for n, body in found]

    @property
    def question(self) -> str:
        found = _QUESTION.findall(self.messages[-1]["content"])
        return str(found[-1]) if found else ""

    def best(self) -> tuple[int, str] | None:
        """Number and first sentence, the one nearest to the question, of the best passage."""
        wanted = set(re.findall(r"\w{4,}", self.question.lower()))
        sentences = [(n, s) for n, body in self.passages for s in re.split(r"(?<=[.!?])\s+", body) if s]
        if not sentences:
            return None
        return max(sentences, key=lambda s: len(wanted & set(re.findall(r"\w{4,}", s[1].lower()))))


class FakeModel:
    """A running server; `requests` is what it was asked. Behaviours are named in `fake_behaviours.BEHAVIOURS`."""

    def __init__(self, behaviour: str = "good", *, window: int | None = None, kind: str = "", port: int = 0) -> None:
        """`window`: so many last tokens of a prompt are kept, without a word. `kind`: `owned_by` of the model."""
        from support.fake_behaviours import BEHAVIOURS

        self.behaviour = BEHAVIOURS[behaviour]
        self.window = window
        self.kind = kind
        self.requests: list[Seen] = []
        self.open = 0
        """Chat replies being written at this moment."""
        self.loaded = False
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def address(self) -> str:
        return f"{self.root}/v1"

    @property
    def chats(self) -> list[Seen]:
        return [s for s in self.requests if s.path.split("?")[0].endswith("/chat/completions")]

    def __enter__(self) -> FakeModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def tokens(text: str) -> list[str]:
    """The fake tokenizer: words and marks."""
    return _TOKEN.findall(text)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeModel

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves is expected."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    @property
    def fake(self) -> FakeModel:
        return self.server.fake

    def do_GET(self) -> None:
        self._note(None)
        path = self.path.split("?")[0]
        if path == "/v1/models":
            self.fake.behaviour.models(self)
        elif path.startswith("/models/load/"):
            self.fake.loaded = path.rsplit("/", 1)[1] == "fake"
            self.reply(200 if self.fake.loaded else 404, {"ok": self.fake.loaded})
        else:
            self.reply(404, {"error": {"message": f"no route {path}"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._note(body)
        path = self.path.split("?")[0]
        if path.endswith("/chat/completions"):
            self.fake.open += 1
            try:
                self.fake.behaviour.chat(self, self._asked(body))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                self.fake.open -= 1
        elif path.endswith("/embeddings"):
            self.fake.behaviour.embed(self, body["input"])
        else:
            self.reply(404, {"error": {"message": f"no route {path}"}})

    def _note(self, body: Any) -> None:
        self.fake.requests.append(Seen(self.command, self.path, dict(self.headers.items()), body))

    def _asked(self, body: dict[str, Any]) -> Asked:
        whole = "\n".join(m["content"] for m in body["messages"])
        count = len(tokens(whole))
        messages = body["messages"]
        if self.fake.window is not None and count > self.fake.window:
            # The last tokens stay, as in servers that cut without a word.
            starts = [m.start() for m in _TOKEN.finditer(whole)]
            whole = whole[starts[-self.fake.window] :]
            messages = [{"role": "user", "content": whole}]
            count = self.fake.window
        most = body.get("max_tokens") or body.get("max_completion_tokens") or 2048
        return Asked(messages, bool(body.get("stream")), most, count, whole)

    def reply(self, status: int, value: Any, kind: str = "application/json", **headers: str) -> None:
        """One whole reply; `value` is JSON, or bytes as they are."""
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def begin(self, kind: str = "text/event-stream", status: int = 200) -> None:
        """The head of a reply that ends when the connection does."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, value: Any) -> None:
        self.wfile.write(b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n")

    def say(self, asked: Asked, text: str, *, finish: str = "stop", usage: Any = None, pause: float = 0.0) -> None:
        """The text as a chat reply, whole or in events, as it was asked for."""
        told = usage if usage is not None else usage_of(asked, text)
        if not asked.stream:
            message = {"role": "assistant", "content": text}
            self.reply(200, whole_reply({"index": 0, "message": message, "finish_reason": finish}, told))
            return
        self.begin()
        for piece in re.findall(r"\s*\S+|\s+$", text):
            self.event(chunk({"content": piece}))
            if pause:
                time.sleep(pause)
        self.event(chunk({}, finish))
        if told:
            self.event({"object": "chat.completion.chunk", "model": MODEL, "choices": [], "usage": told})
        self.event(b"[DONE]")


def usage_of(asked: Asked, text: str) -> dict[str, int]:
    used = min(len(tokens(text)), asked.max_tokens)
    return {"prompt_tokens": asked.prompt_tokens, "completion_tokens": used, "total_tokens": asked.prompt_tokens + used}


def whole_reply(choice: Any, usage: Any) -> dict[str, Any]:
    return {"id": "x", "object": "chat.completion", "model": MODEL, "choices": [choice], "usage": usage}


def chunk(delta: Any, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}


def main() -> None:
    from support.fake_behaviours import BEHAVIOURS

    parser = argparse.ArgumentParser()
    parser.add_argument("behaviour", choices=sorted(BEHAVIOURS))
    parser.add_argument("--window", type=int)
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    with FakeModel(given.behaviour, window=given.window, port=given.port) as fake:
        sys.stdout.write(fake.address + "\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
