"""Foundry Local's chat and embedding models, in a watched process of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.chat_child import ChildChat, call
from citeleaf.backends.child import Child, Value
from citeleaf.backends.embed_http import unit_rows
from citeleaf.errors import BadModelOutput, ModelNotInstalled
from citeleaf.ids import fingerprint
from citeleaf.settings import ChatSettings, EmbedSettings, ServerSettings

_MISSING = ModelNotInstalled(
    "Foundry Local's SDK (2.2 or later) is not installed",
    hint="pip install 'citeleaf[foundry]', or set chat.python to the interpreter of an environment that has it",
)


class FoundryChat(ChildChat):
    """One chat model of Foundry Local: an alias, an id, or a folder with a `genai_config.json`."""

    def __init__(self, settings: ChatSettings) -> None:
        """Nothing is started before the first call."""
        common: Value = {"model": settings.model, "cache": settings.cache, "task": "chat"}
        made_of = fingerprint("foundry-1", settings.model, str(settings.temperature), str(settings.seed))
        super().__init__(start(settings), settings, common, settings.model or "foundry", made_of)


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


def open_chat(settings: ChatSettings) -> FoundryChat:
    """The chat model that is set. Nothing is started before the first call."""
    return FoundryChat(settings)


def open_embedder(settings: EmbedSettings) -> FoundryEmbedder:
    """The embedding model that is set. Raises `ModelNotInstalled` and `ModelUnavailable`."""
    return FoundryEmbedder(settings)
