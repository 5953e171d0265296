"""A GGUF model by llama.cpp (`xllamacpp`), for `worker_loop`: the only file that knows that package.

Needs nothing but the standard library and `xllamacpp`. Its server listens on a socket file in a folder that only this
user can enter, or, where there are no such files, on the loopback with a key that nobody else has.
"""

from __future__ import annotations

import http.client
import importlib
import json
import os
import secrets
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Tell = Callable[[str], None]
Stopped = Callable[[], bool]
_TICK = 0.1


class Failure(Exception):
    """(kind, message, hint)."""


class Engine:
    """One model, loaded with the first request."""

    def __init__(self, runtime: Any) -> None:
        """`runtime` is the imported package."""
        self._runtime = runtime
        self._lock = threading.Lock()
        self._server: Any = None
        self._name = ""
        self._key = secrets.token_urlsafe(24)
        self._folder = Path()
        self._socket: Path | None = None

    def do(self, name: str, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        """`load`, `count`, `chat` or `first`."""
        work = {"load": self._load, "count": self._count, "chat": self._chat, "first": self._first}[name]
        try:
            self._start(value)
            return work(value, tell, stopped)
        except (RuntimeError, OSError, http.client.HTTPException) as error:
            raise Failure("server_error", f"{type(error).__name__}: {str(error)[:200]}", "") from error

    def _start(self, value: dict[str, Any]) -> None:
        with self._lock:
            if self._server is not None:
                return
            path = Path(value["model"]).expanduser()
            if not path.is_file():
                raise Failure("not_there", f"there is no file `{path}`", "set chat.model to a GGUF file")
            with path.open("rb") as file:
                if file.read(4) != b"GGUF":
                    raise Failure("setting", f"`{path.name}` is no GGUF file", "set chat.model to a GGUF file")
            self._folder = Path(tempfile.mkdtemp(dir=value["folder"]))
            self._socket = self._folder / "model.sock" if hasattr(socket, "AF_UNIX") else None
            params = self._runtime.CommonParams()
            params.model.path = str(path)
            params.n_ctx = value["window"]
            params.cpuparams.n_threads = value["threads"]
            params.cpuparams_batch.n_threads = value["prompt_threads"]
            params.n_parallel = 1
            params.warmup = params.ctx_shift = params.ui = False
            params.offline = True
            params.verbosity = 0
            params.api_keys = [self._key]
            if self._socket is not None:
                params.hostnames = [str(self._socket)]
            try:
                self._server = self._runtime.Server(params)
            except RuntimeError as error:
                raise Failure("not_loaded", f"`{path.name}` cannot be loaded: {str(error)[:200]}", "") from error
            self._name = path.stem

    def _load(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        told = self._asked("GET", "/props", None)
        window = told.get("default_generation_settings", {}).get("n_ctx", value["window"])
        return {"id": self._name, "window": window}

    def _count(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        made = self._asked("POST", "/apply-template", {"messages": _messages(value)})
        body = {"content": made["prompt"], "add_special": True, "parse_special": True}
        return {"tokens": len(self._asked("POST", "/tokenize", body)["tokens"])}

    def _chat(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        body = {
            "messages": _messages(value),
            "max_tokens": value["max_tokens"],
            "temperature": value["temperature"],
            "seed": value["seed"],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        finish = "unknown"
        usage: dict[str, Any] = {}
        with self._sent("POST", "/v1/chat/completions", body, stopped) as response:
            for line in response:
                if not line.startswith(b"data: {"):
                    continue
                event = json.loads(line[6:])
                if "error" in event:
                    raise Failure("server_error", str(event["error"])[:200], "")
                usage = event.get("usage") or usage
                for choice in event.get("choices", ()):
                    if text := choice["delta"].get("content"):
                        tell(text)
                    finish = choice.get("finish_reason") or finish
        if stopped():
            raise Failure("timeout", "stopped", "")
        return {
            "finish": finish,
            "model": self._name,
            "prompt_tokens": usage.get("prompt_tokens"),
            "reply_tokens": usage.get("completion_tokens"),
        }

    def _first(self, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        body = {
            "messages": _messages(value),
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": 20,
            "cache_prompt": True,
        }
        with self._sent("POST", "/v1/chat/completions", body, stopped) as response:
            return {"said": json.loads(response.read())}

    def _asked(self, method: str, path: str, body: Any) -> dict[str, Any]:
        with self._sent(method, path, body, lambda: False) as response:
            value: dict[str, Any] = json.loads(response.read())
            return value

    @contextmanager
    def _sent(self, method: str, path: str, body: Any, stopped: Stopped) -> Iterator[http.client.HTTPResponse]:
        """A reply of the server; its connection, and with it the server's work, ends when the caller is stopped."""
        connection = http.client.HTTPConnection("localhost")
        sock = self._connected()
        connection.sock = sock
        done = threading.Event()

        def watch() -> None:
            while not done.wait(_TICK):
                if stopped():
                    sock.shutdown(socket.SHUT_RDWR)
                    return

        threading.Thread(target=watch, daemon=True).start()
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            if response.status >= 300:
                raise _refused(response.read())
            yield response
        finally:
            done.set()
            connection.close()

    def _connected(self) -> socket.socket:
        if self._socket is None:
            host, port = self._server.listening_address.removeprefix("http://").rsplit(":", 1)
            return socket.create_connection((host, int(port)))
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(self._socket))
        return sock

    def close(self) -> None:
        """Takes the socket's folder away."""
        if self._server is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def open_engine() -> Any:
    """The engine; a missing package is told at the first request."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        return Engine(importlib.import_module("xllamacpp"))
    except ImportError:
        return _Missing()


class _Missing:
    """Says at each request that there is no runtime."""

    def do(self, name: str, value: dict[str, Any], tell: Tell, stopped: Stopped) -> dict[str, Any]:
        raise Failure("not_installed", "the package xllamacpp is not installed", "")

    def close(self) -> None:
        """Nothing to close."""


def _messages(value: dict[str, Any]) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for role, text in value["messages"]]


def _refused(body: bytes) -> Failure:
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError):
        return Failure("server_error", "the server of the model refuses", "")
    kind = "overflow" if error.get("type") == "exceed_context_size_error" else "server_error"
    return Failure(kind, str(error.get("message"))[:200], "")
