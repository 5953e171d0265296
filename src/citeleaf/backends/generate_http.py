"""A chat model behind an OpenAI-compatible endpoint: Ollama, llama.cpp, vLLM, LM Studio, Azure, Foundry Local."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

from citeleaf.backends.http import Answered, Json, parsed
from citeleaf.backends.openai_shapes import (
    chat_reply,
    chat_request,
    error_text,
    first_tokens,
    known_error,
    streamed_reply,
)
from citeleaf.backends.servers import Served, count, find, limits, load, open_client, refuse, told_window
from citeleaf.chat import Message, Reply, Tell, Window, check_stopped, stop_event
from citeleaf.errors import ConfigError, ModelUnavailable
from citeleaf.ids import fingerprint
from citeleaf.settings import ChatSettings

_PAUSES = (0.5, 1.5)
"""Seconds to wait before asking a busy server again."""
_CHARACTERS_A_TOKEN = 24
_OPTIONAL = ("stream_options", "seed", "temperature", "max_tokens")
_UNSUPPORTED = re.compile(r"unsupported|unknown|unrecognized|not (?:supported|permitted|allowed)|extra", re.IGNORECASE)
_SIZE = 4_000_000
_TOP_TOKENS = 20


class HttpChat:
    """One model of one server. Nothing is sent before the first question or `warm_up`."""

    def __init__(self, settings: ChatSettings) -> None:
        """Raises `ConfigError` for an address or key that cannot be one."""
        self._settings = settings
        self._client, self._azure = open_client(settings, "chat")
        self.name = settings.model or "http"
        self.fingerprint = fingerprint(
            "http-1", self._client.address, settings.model, str(settings.temperature), str(settings.seed)
        )
        self._lock = threading.Lock()
        self._found: Served | None = None
        self._refused: frozenset[str] = frozenset()

    def window(self) -> Window:
        """As the server tells it; Ollama tells it only of a model that is loaded, so that is done first."""
        served = self._served()
        if served.window.safe:
            return served.window
        if served.kind == "ollama":
            self.warm_up()
        told = told_window(self._client, served, self._settings)
        with self._lock:
            self._found = replace(served, window=told)
        return told

    def count(self, messages: Sequence[Message]) -> int | None:
        """By the server's own tokenizer, where it has a route for it (llama.cpp, vLLM)."""
        return count(self._client, self._served(), messages, self._settings)

    def reply(self, messages: Sequence[Message], *, max_tokens: int, tell: Tell | None = None) -> Reply:
        """Streamed, so that a silent server is noticed and an endless one left. A busy one is asked again, twice."""
        served = self._served()
        loaded = False
        pauses = iter(_PAUSES)
        while True:
            try:
                return self._once(served, messages, max_tokens, tell)
            except ModelUnavailable as error:
                if error.kind == "not_loaded" and not loaded:
                    load(self._client, served, self._settings)
                    loaded = True
                    continue
                pause = next(pauses, None)
                if error.kind != "busy" or pause is None:
                    raise
            _wait(pause)

    def warm_up(self) -> None:
        """Asks for one token, which makes a server load the model."""
        self.reply([Message("user", "Hello")], max_tokens=1)

    def first(self, messages: Sequence[Message]) -> Mapping[str, float] | None:
        """As the server tells it; None from one that does not know `logprobs`, which is not asked again.

        A prompt that is too long, or a model that is not loaded, raises a `ModelError` and says nothing of `logprobs`.
        """
        if "logprobs" in self._refused:
            return None
        served = self._served()
        body = chat_request(
            messages, model=served.model, max_tokens=1, temperature=0.0, logprobs=True, top_logprobs=_TOP_TOKENS
        )
        with self._client.send("POST", served.chat_path, body, limits(self._settings, _SIZE)) as answered:
            if answered.status in (400, 422):
                if known := known_error(error_text(answered.body())):
                    raise known
                self._refused |= {"logprobs"}
                return None
            if answered.status >= 300:
                refuse(answered, self._client, served, "chat")
            return first_tokens(parsed(answered.body(), answered.kind))

    def close(self) -> None:
        """Nothing to let go of: each call has its own connection."""

    def _served(self) -> Served:
        with self._lock:
            if self._found is None:
                self._found = find(self._client, self._azure, self._settings, "chat")
            return self._found

    def _once(self, served: Served, messages: Sequence[Message], max_tokens: int, tell: Tell | None) -> Reply:
        body = self._body(served, messages, max_tokens)
        with self._client.send("POST", served.chat_path, body, limits(self._settings, _SIZE)) as answered:
            if answered.status < 300:
                return self._read(answered, served, max_tokens, tell)
            if answered.status == 404:
                # The server may have been given other models since it was asked.
                with self._lock:
                    self._found = None
            blamed = self._blamed(answered) if answered.status == 400 else None
            if blamed is None:
                refuse(answered, self._client, served, "chat")
        self._refused |= {blamed}
        return self._once(served, messages, max_tokens, tell)

    def _body(self, served: Served, messages: Sequence[Message], max_tokens: int) -> Json:
        limit = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        options: dict[str, Json] = {
            "model": served.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": self._settings.temperature,
            "seed": self._settings.seed,
        }
        kept = {k: v for k, v in options.items() if k not in self._refused}
        return chat_request(messages, **kept, **{limit: max_tokens})

    def _blamed(self, answered: Answered) -> str | None:
        """The optional parameter that an error is about; leaves every other error as it is."""
        said = error_text(answered.body())
        if not _UNSUPPORTED.search(said):
            return None
        return next((name for name in _OPTIONAL if name in said and name not in self._refused), None)

    def _read(self, answered: Answered, served: Served, max_tokens: int, tell: Tell | None) -> Reply:
        if answered.kind == "text/event-stream":
            return streamed_reply(answered.lines(), served.model, _CHARACTERS_A_TOKEN * max_tokens + 400, tell)
        return chat_reply(parsed(answered.body(), answered.kind), served.model)


def open_chat(settings: ChatSettings) -> HttpChat:
    """The model at the address that is set. Raises `ConfigError` when no address is set."""
    if not settings.address:
        raise ConfigError(
            "no address of a model server is set",
            hint="set chat.address, for example http://127.0.0.1:11434/v1",
            subject="chat.address",
        )
    return HttpChat(settings)


def _wait(seconds: float) -> None:
    check_stopped()
    (stop_event() or threading.Event()).wait(seconds)
    check_stopped()
