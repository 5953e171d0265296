"""Local ONNX models: where their files lie, and sessions that give the same bits for the same text.

Weights are the optional package `citeleaf-weights`, or a folder with `model.onnx` and `tokenizer.json`.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from citeleaf.errors import ModelError, ModelNotInstalled
from citeleaf.ids import sha256_file

R = TypeVar("R")

WEIGHTS = "citeleaf_weights"
INSTALL = "pip install citeleaf-weights"
MODEL, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"
MOST_THREADS = 4
_CHARACTERS_A_TOKEN = 200
"""Characters looked at per token of the limit, so that a text of many megabytes costs no more than a long one."""
_TOKENS_A_BATCH = 512
"""Beyond that a layer's activations outgrow the nearest cache, and a batch is slower than its texts one by one."""
_CANARY = base64.b64decode(
    "CAc6YgoYCgFhCgFiEgF5Ig1NYXRNdWxJbnRlZ2VyEgFnWhUKAWESEAoOCAISCgoDEgFtCgMSAWtaFQoBYhIQCg4IAxIKCgMSAWsKAxIBbmIVCgF5"
    "EhAKDggGEgoKAxIBbQoDEgFuQgQKABAN"
)
"""An ONNX graph of one node: y = MatMulInteger(uint8 a, int8 b)."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model's folder and what its manifest says; without a manifest, what can be said of any BERT."""

    folder: Path
    name: str
    sha256: str
    """Of `model.onnx`, from the manifest where there is one: `verify` compares it with the file."""
    per_token: bool
    """Made by `citeleaf-weights`: a text's result does not depend on the batch, so texts of one length go together."""
    max_tokens: int
    query_prefix: str

    @property
    def fingerprint(self) -> str:
        """Name and sha256 of the model file."""
        return f"{self.name} {self.sha256}"


@dataclass(frozen=True, slots=True)
class Damage:
    """A file of a model that is not what its manifest says."""

    path: Path
    why: str


def locate(folder_or_name: str | Path, *, max_tokens: int) -> ModelFiles:
    """The files of a model in a folder, or in the installed weights by name. `max_tokens`: where no manifest tells.

    Raises `ModelNotInstalled` when there are none, `ModelError` for a manifest that cannot be read.
    """
    folder = Path(folder_or_name)
    if not folder.is_dir():
        folder = _packaged(str(folder_or_name))
    missing = [name for name in (MODEL, TOKENIZER) if not (folder / name).is_file()]
    if missing:
        raise ModelNotInstalled(
            f"`{folder}` has no `{missing[0]}`", hint=INSTALL if WEIGHTS in folder.parts else "name a folder that has",
            subject=str(folder_or_name),
        )  # fmt: skip
    if not (folder / MANIFEST).is_file():
        return ModelFiles(folder, folder.name, sha256_file(folder / MODEL), False, max_tokens, "")
    stated = _manifest(folder)
    return ModelFiles(
        folder=folder,
        name=str(stated["name"]),
        sha256=next(str(file["sha256"]) for file in stated["files"] if file["path"] == MODEL),
        per_token=True,
        max_tokens=int(stated["max_tokens"]),
        query_prefix=str(stated["query_prefix"]),
    )


def verify(folder: Path) -> tuple[Damage, ...]:
    """The files of a model that differ from its manifest in size or sha256, in the manifest's order; empty: all well.

    Raises `ModelError` when there is no manifest to compare with.
    """
    found = []
    for file in _manifest(folder)["files"]:
        path = folder / str(file["path"])
        if not path.is_file():
            found.append(Damage(path, "missing"))
        elif path.stat().st_size != file["bytes"]:
            found.append(Damage(path, f"{path.stat().st_size} bytes, not {file['bytes']}"))
        elif sha256_file(path) != file["sha256"]:
            found.append(Damage(path, "other content, same size"))
    return tuple(found)


class Runner:
    """One model with its tokenizer; safe to use from several threads."""

    def __init__(self, files: ModelFiles, threads: int) -> None:
        """`threads`: texts worked on at once; 0 means one a core, at most four. Raises `ModelNotInstalled`."""
        runtime, tokenizers = _module("onnxruntime"), _module("tokenizers")
        self._threads = threads or min(MOST_THREADS, os.cpu_count() or 1)
        self._batch = _TOKENS_A_BATCH if files.per_token else 1
        self._limit = files.max_tokens * _CHARACTERS_A_TOKEN
        with _Loading(files.folder / TOKENIZER):
            self._tokenizer = tokenizers.Tokenizer.from_file(str(files.folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(files.max_tokens, strategy="longest_first")
        with _Loading(files.folder / MODEL):
            self._session = _session(runtime, files)
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._output = self._session.get_outputs()[0].name
        self.width = self._session.get_outputs()[0].shape[-1]
        """The last dimension of the output; a number, or a name where it varies."""

    def encode(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[Any]:
        """Tokenized texts or pairs, cut to the limit of tokens; of a pair, the longer part is cut."""
        clean = [self._clean(t) if isinstance(t, str) else tuple(map(self._clean, t)) for t in texts]
        return list(self._tokenizer.encode_batch(clean))

    def run(self, encoded: Sequence[Any]) -> list[NDArray[np.float32]]:
        """The model's output for each text, in order."""
        out: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(encoded)
        batches = list(self._batches([len(each.ids) for each in encoded]))

        def one(batch: list[int]) -> None:
            for at, row in zip(batch, self._infer([encoded[at] for at in batch]), strict=True):
                out[at] = row

        _spread(one, batches, self._threads)
        return out

    def _infer(self, batch: Sequence[Any]) -> NDArray[np.float32]:
        fields = {"input_ids": "ids", "token_type_ids": "type_ids", "attention_mask": "attention_mask"}
        feeds = {name: np.array([getattr(each, fields[name]) for each in batch], np.int64) for name in self._inputs}
        result: NDArray[np.float32] = self._session.run([self._output], feeds)[0]
        return result

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        """Texts of equal token count together, so none is padded; the longest first, so threads end together."""
        batch: list[int] = []
        for at in sorted(range(len(lengths)), key=lambda at: (-lengths[at], at)):
            full = (len(batch) + 1) * lengths[at] > self._batch
            if batch and (full or lengths[batch[0]] != lengths[at]):
                yield batch
                batch = []
            batch.append(at)
        if batch:
            yield batch

    def _clean(self, text: str) -> str:
        """At most the characters that can matter; lone surrogates, which have no bytes, as question marks."""
        return text[: self._limit].encode("utf-8", "replace").decode("utf-8")


class _Loading:
    """Turns the runtimes' own errors into a `ModelError` that names the file.

    Those have no common base: onnxruntime has a class for each, tokenizers raises a bare `Exception`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is Exception or (kind is not None and kind.__module__.startswith("onnxruntime")):
            raise ModelError(
                f"`{self._path}` cannot be loaded: {' '.join(str(error).split())[:200]}",
                hint="check it with `citeleaf models verify`",
                subject=str(self._path),
            ) from error


def _spread(function: Callable[[list[int]], None], batches: list[list[int]], threads: int) -> None:
    if threads == 1 or len(batches) < 2:
        for batch in batches:
            function(batch)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(function, batch) for batch in batches]:
            done.result()


def _session(runtime: ModuleType, files: ModelFiles) -> Any:
    options = runtime.SessionOptions()
    # One thread a run and several runs at once: nothing spins, and the bits do not depend on how work was divided.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    levels = runtime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_BASIC if files.per_token else levels.ORT_ENABLE_ALL
    if _saturates():
        options.graph_optimization_level = levels.ORT_ENABLE_ALL
        options.add_session_config_entry("session.x64quantprecision", "1")
    return runtime.InferenceSession(
        str(files.folder / MODEL),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"] if files.per_token else None,  # seven times slower than its parts
    )


@cache
def _saturates() -> bool:
    """Whether integer products of this processor overflow silently, as those of x86 without VNNI do.

    There, the option `session.x64quantprecision` gives the exact products, more slowly.
    """
    runtime = _module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(_CANARY, options, providers=["CPUExecutionProvider"])
    product = session.run(None, {"a": np.full((2, 64), 255, np.uint8), "b": np.full((64, 32), 127, np.int8)})[0]
    return bool((product != 64 * 255 * 127).any())


def _module(name: str) -> ModuleType:
    """An optional runtime, imported when first needed. Raises `ModelNotInstalled`."""
    # onnxruntime reports usage over the network unless told not to, and reads this when it is imported.
    late = "onnxruntime" in sys.modules and os.environ.get("ORT_DISABLE_TELEMETRY") != "1"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        module = import_module(name)
    except ImportError as error:
        raise ModelNotInstalled(f"`{name}` cannot be imported", hint=f"pip install {name}", subject=name) from error
    if late and name == "onnxruntime":
        module.disable_telemetry_events()
    return module


def _packaged(name: str) -> Path:
    if find_spec(WEIGHTS) is None:
        raise ModelNotInstalled(f"the model `{name}` is not installed", hint=INSTALL, subject=name)
    weights = import_module(WEIGHTS)
    try:
        return Path(weights.path(name))
    except KeyError as error:
        held = ", ".join(f"`{each}`" for each in weights.names()) or "no model"
        raise ModelNotInstalled(
            f"there is no model `{name}`: citeleaf-weights {weights.__version__} has {held}",
            hint=f"{INSTALL} --upgrade",
            subject=name,
        ) from error


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        stated: dict[str, Any] = json.loads(path.read_text("utf-8"))
        _ = [stated[key] for key in ("name", "max_tokens", "query_prefix")]
        _ = [(file["path"], file["bytes"], file["sha256"]) for file in stated["files"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"`{path}` cannot be read: {error!r}", hint=INSTALL, subject=str(folder)) from error
    return stated
