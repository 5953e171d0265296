"""A local cross-encoder that reads: do these words answer this question?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.onnx import ModelFiles, Runner, locate

MAX_TOKENS = 128


@dataclass(frozen=True, slots=True)
class _Marked:
    """A tokenized pair whose types tell what one side lacks."""

    ids: list[int]
    type_ids: list[int]


class OnnxReader:
    """Pairs of texts to probabilities; a pair's have the same bits whatever else is read beside it.

    The model has four logits a pair: `answers`, which counts here, and `supported`, `contradicted`, `neither`.
    """

    def __init__(self, files: ModelFiles, threads: int) -> None:
        """Loads the model. Raises `ModelNotInstalled` and `ModelError`."""
        self._runner = Runner(files, threads)
        self.name = files.name
        self.fingerprint = f"{files.fingerprint} {files.max_tokens}"

    def answers(self, question: str, texts: Sequence[str]) -> list[float]:
        """The probability that each text answers the question, in order."""
        return [float(1 / (1 + np.exp(-row[0]))) for row in self._logits([(question, text) for text in texts])]

    def _logits(self, pairs: Sequence[tuple[str, str]]) -> list[NDArray[np.float64]]:
        encoded = [_Marked(each.ids, marked(each)) for each in self._runner.encode(pairs)]
        return [row.astype(np.float64) for row in self._runner.run(encoded)]


def marked(encoding: Any) -> list[int]:
    """Token types: 0 and 1 for the two texts, 2 and 3 for those of their tokens that the other text does not hold."""
    tokens = list(zip(encoding.ids, encoding.type_ids, encoding.special_tokens_mask, strict=True))
    sides = [{token for token, side, special in tokens if side == this and not special} for this in (0, 1)]
    return [side if special or token in sides[1 - side] else side + 2 for token, side, special in tokens]


def open_reader(folder_or_name: str | Path, threads: int = 0) -> OnnxReader:
    """A reader from a folder or, by name, from the installed weights. `threads`: 0 means one a core, at most four.

    Raises `ModelNotInstalled`.
    """
    files = locate(folder_or_name, max_tokens=MAX_TOKENS)
    return OnnxReader(replace(files, max_tokens=min(MAX_TOKENS, files.max_tokens)), threads)
