"""Foundry Local's chat and embedding models, in a watched process of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.child import Child, Value
from citeleaf.backends.embed_http import unit_rows
from citeleaf.backends.openai_shapes import clean
from citeleaf.chat import Finish, Message, Reply, Window
from citeleaf.errors import BadModelOutput, ModelNotInstalled, ModelUnavailable
from citeleaf.ids import fingerprint
from citeleaf.settings import ChatSettings, EmbedSettings, ServerSettings

_FINISH: dict[object, Finish] = {"stop": "stop", "length": "length"}
_MISSING = ModelNotInstalled(
    "Foundry Local's SDK (2.2 or later) is not installed",
    hint="pip install 'citeleaf[foundry]', or set chat.python to the interpreter of an environment that has it",
)


class FoundryChat:
    """One chat model of Foundry Local: an alias, an id, or a folder with a `genai_config.json`."""

    def __init__(self, settings: ChatSettings) -> None:
        """Nothing is started before the first call."""
        self._settings = settings
        self._child = start(settings)
        self.name = settings.model or "foundry"
        self.fingerprint = fingerprint("foundry-1", settings.model, str(settings.temperature), str(settings.seed))

    def window(self) -> Window:
        """The model's own; a prompt that does not fit is refused by the runtime, never cut."""
        tokens = self._call("load", {})["window"]
        return Window(tokens if isinstance(tokens, int) and tokens > 0 else None, True)

    def count(self, messages: Sequence[Message]) -> int | None:
        """By the runtime's own count before it starts (`preflight`)."""
        tokens = self._call("count", {"messages": turns(messages)})["tokens"]
        return tokens if isinstance(tokens, int) else None

    def reply(self, messages: Sequence[Message], *, max_tokens: int) -> Reply:
        """One reply in a session of its own."""
        pieces: list[str] = []
        value: Value = {
            "messages": turns(messages),
            "max_tokens": max_tokens,
            "temperature": self._settings.temperature,
            "seed": self._settings.seed,
        }
        done = self._call("chat", value, pieces)
        return reply_of(pieces, done, self.name)

    def warm_up(self) -> None:
        """Starts the process and loads the model."""
        self._call("load", {})

    def close(self) -> None:
        """Ends the process."""
        self._child.close()

    @property
    def child(self) -> Child:
        """The process, for those who watch it."""
        return self._child

    def _call(self, do: str, value: Value, pieces: list[str] | None = None) -> Value:
        common: Value = {"model": self._settings.model, "cache": self._settings.cache, "task": "chat"}
        return call(self._child, self._settings, do, {**common, **value}, None if pieces is None else pieces.append)


class FoundryEmbedder:
    """One embedding model of Foundry Local."""

    def __init__(self, settings: EmbedSettings) -> None:
        """Starts the process and loads the model, to know its name and dimension."""
        self._settings = settings
        self._child = start(settings)
        first = self._ask(["dimension"])
        self.dim = len(first[0])
        prefixes = (settings.query_prefix, settings.passage_prefix)
        self.fingerprint = fingerprint("foundry-1", self.name, str(self.dim), *prefixes)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dim), rows of length 1, order kept. Raises `ModelUnavailable` and `BadModelOutput`."""
        out = np.zeros((len(texts), self.dim), np.float32)
        for start_at in range(0, len(texts), self._settings.batch):
            batch = texts[start_at : start_at + self._settings.batch]
            rows = self._ask([self._settings.passage_prefix + t for t in batch])
            out[start_at : start_at + len(batch)] = unit_rows(rows, len(batch), self.dim)
        return out

    def query(self, text: str) -> NDArray[np.float32]:
        """(dim,), of length 1. Raises as `passages` does."""
        vector: NDArray[np.float32] = unit_rows(self._ask([self._settings.query_prefix + text]), 1, self.dim)[0]
        return vector

    def close(self) -> None:
        """Ends the process."""
        self._child.close()

    def _ask(self, texts: list[str]) -> list[list[float]]:
        # The runtime gives an empty text a vector without length.
        value: Value = {
            "model": self._settings.model,
            "cache": self._settings.cache,
            "task": "embed",
            "texts": [t if t.strip() else "-" for t in texts],
        }
        done = call(self._child, self._settings, "embed", value)
        self.name = str(done.get("id", self._settings.model))
        rows = done.get("vectors")
        if not isinstance(rows, list) or not rows:
            raise BadModelOutput("the runtime gave no vectors", raw="", kind="wrong_count")
        return rows


def start(settings: ServerSettings) -> Child:
    """The process. Unless `telemetry` is set, `CI` makes its runtime take this for a build machine and send none."""
    quiet = {} if settings.telemetry else {"CI": "true", "ORT_TELEMETRY_DISABLED": "1"}
    return Child("foundry_worker.py", python=settings.python, environment=quiet, missing=_MISSING)


def call(
    child: Child, settings: ServerSettings, do: str, value: Value, tell: Callable[[str], None] | None = None
) -> Value:
    """One call within the set limits; `tell` gets pieces of text on the way."""
    return child.call(do, value, total=settings.total_s, first=settings.load_s, idle=settings.idle_s, tell=tell)


def turns(messages: Sequence[Message]) -> list[list[str]]:
    """Messages as they are sent to a worker; native strings end at a NUL, so it is left out."""
    return [[m.role, m.text.replace("\0", "")] for m in messages]


def reply_of(pieces: Sequence[str], done: Value, name: str) -> Reply:
    """The reply that a worker's pieces and its last word make. Raises `ModelUnavailable` for a word without counts."""
    prompt, written = done.get("prompt_tokens"), done.get("reply_tokens")
    if not isinstance(prompt, int) or not isinstance(written, int):
        raise ModelUnavailable("the runtime gave no counts", kind="server_error", hint="run `citeleaf doctor`")
    text = clean("".join(pieces))
    return Reply(text, _FINISH.get(done.get("finish"), "unknown"), str(done.get("model", name)), prompt, written)


def open_chat(settings: ChatSettings) -> FoundryChat:
    """The chat model that is set. Nothing is started before the first call."""
    return FoundryChat(settings)


def open_embedder(settings: EmbedSettings) -> FoundryEmbedder:
    """The embedding model that is set. Raises `ModelNotInstalled` and `ModelUnavailable`."""
    return FoundryEmbedder(settings)
