"""A local sentence embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.onnx import ModelFiles, Runner, locate
from citeleaf.errors import ModelError

MAX_TOKENS = 256


class OnnxEmbedder:
    """Texts to unit vectors. The same text gives the same bits on one machine: alone, in company, in any order.

    Between kinds of processor and versions of the runtime, vectors agree to a cosine of about 0.9999: 8-bit rounding
    can turn a difference in the last bit of float32 into a small step.
    """

    def __init__(self, files: ModelFiles, threads: int) -> None:
        """Loads the model. Raises `ModelNotInstalled` and `ModelError`."""
        self._files = files
        self._runner = Runner(files, threads)
        if not isinstance(self._runner.width, int):
            raise ModelError(f"`{files.folder}` is not an embedder", hint="name another folder", subject=files.name)
        self.name = files.name
        self.dim: int = self._runner.width
        self.fingerprint = files.fingerprint

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dim), rows of length 1, order kept. A text is cut at the model's limit of tokens."""
        out = np.zeros((len(texts), self.dim), np.float32)
        for at, vector in enumerate(self._runner.run(self._runner.encode(texts))):
            out[at] = self._pooled(vector)
        return out

    def query(self, text: str) -> NDArray[np.float32]:
        """(dim,), of length 1."""
        vector: NDArray[np.float32] = self.passages([self._files.query_prefix + text])[0]
        return vector

    def _pooled(self, output: NDArray[np.float32]) -> NDArray[np.float32]:
        """The vector of a text, from a vector that is one already or from one row a token."""
        if output.ndim == 1 and self._files.per_token:
            return output
        vector = output if output.ndim == 1 else output.mean(axis=0)
        unit: NDArray[np.float32] = vector / np.maximum(np.linalg.norm(vector), np.float32(1e-12))
        return unit


def open_embedder(folder_or_name: str | Path, threads: int = 0) -> OnnxEmbedder:
    """An embedder from a folder or, by name, from the installed weights.

    A folder holds `tokenizer.json` and `model.onnx` with the inputs of a BERT, whose first output is a vector a text or
    a vector a token (their mean is taken). `threads`: 0 means one a core, at most four. Raises `ModelNotInstalled`.
    """
    return OnnxEmbedder(locate(folder_or_name, max_tokens=MAX_TOKENS), threads)
