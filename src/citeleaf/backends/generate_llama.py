"""A GGUF file as a chat model, run by llama.cpp in a watched process of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

from citeleaf.backends.child import Child, Value
from citeleaf.backends.generate_foundry import call, reply_of, turns
from citeleaf.chat import Message, Reply, Window
from citeleaf.errors import ConfigError, ModelNotInstalled
from citeleaf.ids import fingerprint
from citeleaf.settings import ChatSettings

_WINDOW = 4096
_MOST_THREADS = 4
_MISSING = ModelNotInstalled(
    "the runtime of GGUF models is not installed",
    hint="pip install 'citeleaf[llama]', or set chat.python to the interpreter of an environment that has xllamacpp",
)


class LlamaChat:
    """One GGUF file."""

    def __init__(self, settings: ChatSettings, threads: int = 0) -> None:
        """Nothing is started before the first call. `threads` 0: one a core, at most four, one less while writing.

        Threads that write wait for each other at each word, so one core that is busy elsewhere stops them all.
        """
        self._settings = settings
        self._child = Child("llama_worker.py", python=settings.python, missing=_MISSING)
        self._folder = tempfile.TemporaryDirectory(prefix="citeleaf-")
        cores = min(os.cpu_count() or 1, _MOST_THREADS)
        self._common: Value = {
            "model": settings.model,
            "window": settings.window or _WINDOW,
            "threads": threads or max(cores - 1, 1),
            "prompt_threads": threads or cores,
            "folder": self._folder.name,
        }
        self.name = settings.model.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
        self.fingerprint = fingerprint("llama-1", self.name, str(settings.temperature), str(settings.seed))

    def window(self) -> Window:
        """As loaded; a prompt that does not fit is refused by the runtime, never cut."""
        tokens = self._call("load", {})["window"]
        return Window(tokens if isinstance(tokens, int) and tokens > 0 else None, True)

    def count(self, messages: Sequence[Message]) -> int | None:
        """By the model's own template and tokenizer."""
        tokens = self._call("count", {"messages": turns(messages)})["tokens"]
        return tokens if isinstance(tokens, int) else None

    def reply(self, messages: Sequence[Message], *, max_tokens: int) -> Reply:
        """One reply; others wait for it."""
        pieces: list[str] = []
        value: Value = {
            "messages": turns(messages),
            "max_tokens": max_tokens,
            "temperature": self._settings.temperature,
            "seed": self._settings.seed,
        }
        return reply_of(pieces, self._call("chat", value, pieces), self.name)

    def warm_up(self) -> None:
        """Starts the process and loads the file."""
        self._call("load", {})

    def close(self) -> None:
        """Ends the process."""
        self._child.close()
        self._folder.cleanup()

    @property
    def child(self) -> Child:
        """The process, for those who watch it."""
        return self._child

    def _call(self, do: str, value: Value, pieces: list[str] | None = None) -> Value:
        return call(
            self._child, self._settings, do, {**self._common, **value}, None if pieces is None else pieces.append
        )


def open_chat(settings: ChatSettings, threads: int = 0) -> LlamaChat:
    """The file that is set. Raises `ConfigError` when none is."""
    if not settings.model:
        raise ConfigError(
            "no model file is set",
            hint="set chat.model to a GGUF file or to a name of `citeleaf models list`",
            subject="chat.model",
        )
    return LlamaChat(settings, threads)
