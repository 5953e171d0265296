"""Measures the model files against float32 and against ordinary 8-bit quantisation: fidelity, size, speed, company.

    python build.py --carriers CARRIERS --float32 FLOAT32
    python measure.py --carriers CARRIERS --float32 FLOAT32 --texts FOLDER [MODEL ...]

Texts are windows of 200 words of the `.md` and `.txt` files under FOLDER, at most 200, cut at 256 tokens. Speed is
texts per second of one core's time, one text a run. `company` is the largest change of a vector or score when other
texts of the same length stand in the batch; 0 means equal bits.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
from bert_onnx import build
from build import MODELS, RECIPES, Recipe
from carriers import read
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic

WORDS, MOST = 200, 200
QUESTIONS = ("What is not covered?", "How long do I have to report a loss?", "Who pays the excess?")
Vectors = NDArray[np.float32]


class Model:
    """A graph to measure."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        basic = "per-token" in path.name or path.name == "model.onnx"
        levels = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_ENABLE_BASIC if basic else levels.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = [each.name for each in self.session.get_inputs()]
        self.megabytes = path.stat().st_size / 1e6

    def run(self, batch: Sequence[Encoding]) -> Vectors:
        """Embeddings or scores of texts of one length."""
        feeds = {
            "input_ids": np.array([each.ids for each in batch]),
            "token_type_ids": np.array([each.type_ids for each in batch]),
        }
        return np.asarray(self.session.run(None, {name: feeds[name] for name in self.inputs})[0])


def windows(folder: Path) -> list[str]:
    """Texts of 200 words."""
    out = []
    for file in sorted(file for file in folder.rglob("*") if file.suffix in (".md", ".txt")):
        words = file.read_text("utf-8").split()
        out += [" ".join(words[i : i + WORDS]) for i in range(0, max(1, len(words) - WORDS // 2), WORDS)]
    return [out[i * len(out) // MOST] for i in range(MOST)] if len(out) > MOST else out


def neighbours(vectors: Vectors, k: int = 10) -> list[set[int]]:
    """The k nearest others of each."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2)
    return [set(row[:k].tolist()) for row in np.argsort(-cosines, axis=1, kind="stable")]


def company(model: Model, encoded: Sequence[Encoding]) -> float:
    """Largest change of a result when a text of the same length stands beside it."""
    change = 0.0
    by_length: dict[int, list[Encoding]] = {}
    for each in encoded:
        by_length.setdefault(len(each.ids), []).append(each)
    for same in by_length.values():
        if len(same) > 1:
            alone = np.concatenate([model.run([each]) for each in same[:4]])
            change = max(change, float(np.abs(model.run(same[:4]) - alone).max()))
    return change


def variants(name: str, recipe: Recipe, carriers: Path, float32: Path, scratch: Path) -> dict[str, Path]:
    """Graphs of one model in several precisions."""
    weights = recipe.parse(read(recipe.source, carriers))
    reference = float32 / f"{name}.onnx"
    plain = scratch / f"{name}.per-token.onnx"
    onnx.save(build(weights, recipe.shape), plain)
    whole = scratch / f"{name}.whole.onnx"
    float_type = {"DefaultTensorType": onnx.TensorProto.FLOAT}
    quantize_dynamic(reference, whole, weight_type=QuantType.QInt8, per_channel=True, extra_options=float_type)
    only = scratch / f"{name}.weights.onnx"
    onnx.save(round_weights(onnx.load(reference)), only)
    return {
        "float32": reference,
        "int8 weights, float32 arithmetic": only,
        "int8, one scale a tensor (the usual)": whole,
        "int8, one scale a token": plain,
        "the same with smoothed ranges (shipped)": MODELS / name / "model.onnx",
    }


def round_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Float32 matrices rounded to 8 bits per output channel: what the weights alone cost."""
    for tensor in model.graph.initializer:
        value = onnx.numpy_helper.to_array(tensor)
        if value.ndim == 2 and min(value.shape) >= 256 and "embeddings" not in tensor.name and tensor.name != "places":
            scale = np.maximum(np.abs(value).max(axis=1 if tensor.name == "words" else 0, keepdims=True), 1e-20) / 127
            tensor.CopyFrom(
                onnx.numpy_helper.from_array((np.rint(value / scale) * scale).astype(np.float32), tensor.name)
            )
    return model


def rows(paths: dict[str, Path], encoded: Sequence[Encoding], compare: Callable[[Vectors, Vectors], str]) -> None:
    """One line of the table a variant."""
    reference: Vectors | None = None
    for label, path in paths.items():
        model = Model(path)
        model.run(encoded[:1])
        began = time.process_time()
        results = np.concatenate([model.run([each]) for each in encoded])
        speed = len(encoded) / (time.process_time() - began)
        reference = results if reference is None else reference
        line = (
            label,
            f"{model.megabytes:.1f}",
            f"{speed:.1f}",
            compare(results, reference),
            f"{company(model, encoded):.1g}",
        )
        print("| " + " | ".join(line) + " |", flush=True)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Measures the model files against float32.")
    parser.add_argument("--carriers", type=Path, required=True)
    parser.add_argument("--float32", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("models", nargs="*", default=["minilm-l6", "msmarco-minilm-l12"])
    options = parser.parse_args()
    texts = windows(options.texts)
    for name in options.models:
        recipe = RECIPES[name]
        tokenizer = Tokenizer.from_file(str(MODELS / name / "tokenizer.json"))
        tokenizer.enable_truncation(256)
        with tempfile.TemporaryDirectory() as scratch:
            paths = variants(name, recipe, options.carriers, options.float32, Path(scratch))
            if recipe.purpose == "embedding":
                head(name, len(texts), "texts", "cosine least, mean | top-10 overlap")
                rows(paths, tokenizer.encode_batch(texts), compare_vectors)
            else:
                pairs = [(question, text) for question in QUESTIONS for text in texts[::6]]
                head(name, len(pairs), "pairs", "logit off by most, mean | same order")
                rows(paths, tokenizer.encode_batch(pairs), compare_scores)


def head(name: str, n: int, unit: str, fidelity: str) -> None:
    """Title and head of a table."""
    print(f"\n{name}: {n} {unit}\n\n| precision | MB | {unit} a core second | {fidelity} | company |")
    print("|---|---|---|---|---|---|")


def compare_vectors(found: Vectors, reference: Vectors) -> str:
    """Cosines to the reference, and share of the ten nearest neighbours that stay."""
    cosines = (found * reference).sum(axis=1)
    shared = [len(a & b) / 10 for a, b in zip(neighbours(found), neighbours(reference), strict=True)]
    return f"{cosines.min():.4f}, {cosines.mean():.4f} | {np.mean(shared):.3f}"


def compare_scores(found: Vectors, reference: Vectors) -> str:
    """Differences of logits, and share of pairs of passages in the same order, within each question."""
    off = np.abs(found - reference)
    agree = []
    for a, b in zip(np.split(found, len(QUESTIONS)), np.split(reference, len(QUESTIONS)), strict=True):
        upper = np.triu_indices(len(a), 1)
        agree.append(np.mean(np.sign(np.subtract.outer(a, a)[upper]) == np.sign(np.subtract.outer(b, b)[upper])))
    return f"{off.max():.2f}, {off.mean():.3f} | {np.mean(agree):.4f}"


if __name__ == "__main__":
    main()
