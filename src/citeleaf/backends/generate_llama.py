"""A GGUF file as a chat model, run by llama.cpp in a watched process of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import cast

from citeleaf.backends.chat_child import ChildChat, turns
from citeleaf.backends.child import Child, Value
from citeleaf.backends.http import Json
from citeleaf.backends.openai_shapes import first_tokens
from citeleaf.chat import Message
from citeleaf.errors import ConfigError, ModelNotInstalled, ModelUnavailable
from citeleaf.ids import fingerprint
from citeleaf.settings import ChatSettings

_WINDOW = 4096
_MOST_THREADS = 4
_MISSING = ModelNotInstalled(
    "the runtime of GGUF models is not installed",
    hint="pip install 'citeleaf[llama]', or set chat.python to the interpreter of an environment that has xllamacpp",
)


class LlamaChat(ChildChat):
    """One GGUF file; one reply is written at a time, others wait for it."""

    def __init__(self, settings: ChatSettings, threads: int = 0) -> None:
        """Nothing is started before the first call. `threads` 0: one a core, at most four, one less while writing.

        Threads that write wait for each other at each word, so one core that is busy elsewhere stops them all.
        """
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="citeleaf-")
        except OSError as error:
            raise ModelUnavailable(
                f"no temporary folder can be made: {error.strerror}", hint="make room on the disk, or set TMPDIR"
            ) from error
        cores = min(os.cpu_count() or 1, _MOST_THREADS)
        common: Value = {
            "model": settings.model,
            "window": settings.window or _WINDOW,
            "threads": threads or max(cores - 1, 1),
            "prompt_threads": threads or cores,
            "folder": self._folder.name,
        }
        name = settings.model.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
        made_of = fingerprint("llama-1", name, str(settings.temperature), str(settings.seed))
        child = Child("llama_worker.py", python=settings.python, missing=_MISSING)
        super().__init__(child, settings, common, name, made_of)

    def first(self, messages: Sequence[Message]) -> Mapping[str, float] | None:
        """As llama.cpp tells it."""
        said = self._call("first", {"messages": turns(messages)})["said"]
        return first_tokens(cast(Json, said))

    def close(self) -> None:
        """Ends the process and takes its folder away."""
        super().close()
        self._folder.cleanup()


def open_chat(settings: ChatSettings, threads: int = 0) -> LlamaChat:
    """The file that is set. Raises `ConfigError` when none is."""
    if not settings.model:
        raise ConfigError(
            "no model file is set",
            hint="set chat.model to a GGUF file or to a name of `citeleaf models list`",
            subject="chat.model",
        )
    return LlamaChat(settings, threads)
