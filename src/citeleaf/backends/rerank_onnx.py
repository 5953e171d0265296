"""A local cross-encoder that scores passages against a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citeleaf.backends.onnx import ModelFiles, Runner, locate

MAX_TOKENS = 512


class OnnxReranker:
    """Query and passage to one raw logit: above 0 the passage likely answers, below it likely does not.

    A pair's score has the same bits whatever else is scored beside it.
    """

    def __init__(self, files: ModelFiles, threads: int) -> None:
        """Loads the model. Raises `ModelNotInstalled` and `ModelError`."""
        self._runner = Runner(files, threads)
        self.name = files.name
        self.fingerprint = f"{files.fingerprint} {files.max_tokens}"

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, in order, independent of the others.

        Query and passage share the limit of tokens; beyond it the longer of the two is cut.
        """
        encoded = self._runner.encode([(query, passage) for passage in passages])
        return [float(score.reshape(-1)[0]) for score in self._runner.run(encoded)]


def open_reranker(folder_or_name: str | Path, threads: int = 0, *, max_tokens: int = MAX_TOKENS) -> OnnxReranker:
    """A reranker from a folder or, by name, from the installed weights.

    `max_tokens`: most tokens of query and passage together. `threads`: 0 means one a core, at most four.
    Raises `ModelNotInstalled`.
    """
    files = locate(folder_or_name, max_tokens=max_tokens)
    return OnnxReranker(replace(files, max_tokens=min(max_tokens, files.max_tokens)), threads)
