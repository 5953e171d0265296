"""An embedding model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.http import Json
from citeleaf.backends.openai_shapes import vectors
from citeleaf.backends.servers import Served, find, limits, load, open_client, refuse
from citeleaf.errors import BadModelOutput, ModelUnavailable
from citeleaf.ids import fingerprint
from citeleaf.settings import ChatSettings, EmbedSettings

_BYTES_A_TEXT = 400_000
_BLANK = "-"
"""Stands in for an empty text: servers refuse one, or give a vector without length."""


class HttpEmbedder:
    """Texts to vectors by one model of one server."""

    def __init__(self, settings: EmbedSettings) -> None:
        """Asks the server for its model and one vector, to know the name and dimension. Raises as `passages` does."""
        self._settings = settings
        self._client, azure = open_client(settings, "embed")
        self._served: Served = find(self._client, azure, settings, "embed")
        self._lock = threading.Lock()
        self.name = self._served.model
        self.dim = len(self._ask(["dimension"])[0])
        prefixes = (settings.query_prefix, settings.passage_prefix)
        self.fingerprint = fingerprint("http-1", self.name, str(self.dim), *prefixes)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dim), rows of length 1, order kept.

        Raises `ModelUnavailable`, `ConfigError`, and `BadModelOutput` for vectors that are too few, of another
        dimension, not finite or without length.
        """
        out = np.zeros((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), self._settings.batch):
            batch = texts[start : start + self._settings.batch]
            rows = self._ask([self._settings.passage_prefix + (t if t.strip() else _BLANK) for t in batch])
            out[start : start + len(batch)] = unit_rows(rows, len(batch), self.dim)
        return out

    def query(self, text: str) -> NDArray[np.float32]:
        """(dim,), of length 1. Raises as `passages` does."""
        rows = self._ask([self._settings.query_prefix + (text if text.strip() else _BLANK)])
        vector: NDArray[np.float32] = unit_rows(rows, 1, self.dim)[0]
        return vector

    def _ask(self, texts: list[str]) -> list[list[float]]:
        try:
            return self._once(texts)
        except ModelUnavailable as error:
            if error.kind != "not_loaded":
                raise
        with self._lock:
            load(self._client, self._served, self._settings)
        return self._once(texts)

    def _once(self, texts: list[str]) -> list[list[float]]:
        bounds = limits(self._settings, size=_BYTES_A_TEXT * (len(texts) + 1))
        body: Json = {"model": self._served.model, "input": [*texts]}
        with self._client.send("POST", self._served.embed_path, body, bounds) as answered:
            if answered.status >= 300:
                refuse(answered, self._client, self._served, "embed")
            return vectors(answered.json())


def unit_rows(rows: list[list[float]], n: int, dim: int) -> NDArray[np.float32]:
    """The rows as float32 of length 1, shape (n, dim). Raises `BadModelOutput` when they cannot be."""
    if len(rows) != n:
        raise BadModelOutput(f"{n} texts were sent and {len(rows)} vectors came back", raw="", kind="wrong_count")
    if any(len(row) != dim for row in rows):
        raise BadModelOutput(f"a vector has not {dim} numbers, as the others had", raw="", kind="wrong_dimension")
    matrix = np.asarray(rows, np.float64)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise BadModelOutput("a vector holds numbers that are not finite", raw="", kind="not_finite")
    if (lengths < 1e-12).any():
        raise BadModelOutput("a vector has no length", raw="", kind="zero_vector")
    unit: NDArray[np.float32] = (matrix / lengths).astype(np.float32)
    return unit


def open_embedder(settings: EmbedSettings, chat: ChatSettings) -> HttpEmbedder:
    """The embedding model at `embed.address`; without one, at the chat model's address, with its key and proxy.

    Raises `ConfigError` when neither is set.
    """
    if not settings.address:
        shared = {k: getattr(chat, k) for k in ("address", "key", "api_version", "proxy")}
        settings = settings.model_copy(update=shared)
    return HttpEmbedder(settings)
