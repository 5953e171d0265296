"""Fits the gate's probability to the development questions and prints the `[gate]` section of a profile.

    python bench/fit_gate.py [--docs FOLDER] [--features rerank,dense,sufficiency] [--keep 0.85] [--cross 25]

An example is one question asked of one set of documents; it is positive when the evidence found holds at least half of
a gold quotation, so that a question whose evidence was missed counts as one that should not be answered. Negative are
the unanswerable questions and, at half weight, questions of other sets, which these documents do not touch.

The weights are a logistic regression (L2 on standardised features, Newton's method) over all sets. What is reported is
leave-one-set-out: each set is scored by weights fitted without it, so that the figures are those of unseen documents.
The threshold keeps the wished share of the positive examples there. Below it stands what the gate of the default
profile lets through, by wording: its weights have seen these questions.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.answer.gate import Features, gate, measure
from citeleaf.app import App
from citeleaf.evaluate.coverage import coverage
from citeleaf.retrieve.search import retrieve
from citeleaf.types import Query

ROOT = Path(__file__).resolve().parent.parent
DEV = ROOT / "bench" / "dev"
SETS = {
    "office_pack": ("insurance/Allianz_Business_Office_Pack.pdf",),
    "trades": ("insurance/Allianz_Business_Trades_and_Services.pdf",),
    "aml": ("aml/ffiec/*.pdf", "aml/parasol/*.md"),
    "coldchain": ("coldchain/*.html",),
}
ALIKE = ({"office_pack", "trades"},)
"""Sets whose documents may answer each other's questions."""
FEATURES: dict[str, Callable[[Features], float]] = {
    "rerank": lambda f: max(f.rerank or 0.0, 0.0),
    "dense": lambda f: f.dense or 0.0,
    "coverage": lambda f: f.coverage,
    "sufficiency": lambda f: log(f.sufficiency / (1 - f.sufficiency)) if f.sufficiency is not None else 0.0,
}
LAY = ("lay", "scenario")
COVERED = 0.5
RIDGE = 1.0
HALF = 0.5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One question asked of one set: `kind` is `answerable`, `unanswerable` or `other` (a question of another set).

    `style` is the question's own (`lay` and `scenario`: a layman's words; the others: the documents'); `shipped` says
    whether the default profile's gate lets it through.
    """

    documents: str
    kind: str
    style: str
    found: bool
    features: Features
    shipped: bool


def questions(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DEV / f"{name}.jsonl").read_text("utf-8").splitlines()]


def examples(name: str, docs: Path, cross: int) -> list[Example]:
    """All examples of one set of documents."""
    files = [path for pattern in SETS[name] for path in sorted(docs.glob(pattern))]
    others = [
        str(row["question"])
        for other in SETS
        if other != name and not any({name, other} <= alike for alike in ALIKE)
        for row in questions(other)
    ]
    asked = [(str(r["question"]), bool(r["answerable"]), str(r["style"]), r["gold_spans"]) for r in questions(name)]
    out: list[Example] = []
    with App.for_files(files) as app:
        kit = app.kit

        rules = app.settings.gate

        def one(text: str, kind: str, style: str, gold: Sequence[str]) -> Example:
            found = retrieve(Query(text), kit.store, kit.embedder, kit.reranker, app.settings.retrieve)
            texts = [e.passage.text for e in found.evidence]
            held = any(coverage(g, texts) >= COVERED for g in gold)
            passed = all(check.passed for check in gate(Query(text), found, kit.store, rules, kit.reader))
            return Example(name, kind, style, held, measure(Query(text), found, kit.store, kit.reader), passed)

        for text, answerable, style, gold in asked:
            assert isinstance(gold, list)
            out.append(one(text, "answerable" if answerable else "unanswerable", style, gold))
        for text in random.Random(name).sample(others, min(cross, len(others))):
            out.append(one(text, "other", "", ()))
    return out


def fit(x: Floats, y: Floats, weight: Floats) -> tuple[Floats, float]:
    """Weights of the raw features and bias."""
    mean, spread = x.mean(0), x.std(0)
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    ridge = np.diag([*([RIDGE] * x.shape[1]), 0.0])
    w = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        hessian = (z * (weight * p * (1 - p))[:, None]).T @ z + ridge + 1e-9 * np.eye(len(w))
        w -= np.linalg.solve(hessian, z.T @ (weight * (p - y)) + ridge @ w)
    raw = w[:-1] / spread
    return raw, float(w[-1] - raw @ mean)


def auc(scores: Floats, positive: NDArray[np.bool_]) -> float:
    good, bad = scores[positive][:, None], scores[~positive][None, :]
    return float(np.mean((good > bad) + 0.5 * (good == bad)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Fits the gate's probability to the development questions.")
    parser.add_argument("--docs", type=Path, default=ROOT.parent / "shared" / "data" / "docs")
    parser.add_argument(
        "--features", default="rerank,dense,sufficiency", help=f"of {', '.join(FEATURES)}; the rest weigh nothing"
    )
    parser.add_argument("--keep", type=float, default=0.85, help="share of positive examples the threshold keeps")
    parser.add_argument("--cross", type=int, default=25, help="questions of other sets asked of each")
    options = parser.parse_args()
    rows = [example for name in SETS for example in examples(name, options.docs, options.cross)]
    names = options.features.split(",")
    x = np.array([[FEATURES[name](row.features) for name in names] for row in rows])
    y = np.array([float(row.found) for row in rows])
    kind = np.array([row.kind for row in rows])
    documents = np.array([row.documents for row in rows])
    weight = np.where(kind == "other", HALF, 1.0)
    held_out = np.zeros(len(rows))
    for name in SETS:
        train = documents != name
        w, bias = fit(x[train], y[train], weight[train])
        held_out[~train] = 1 / (1 + np.exp(-(x[~train] @ w + bias)))
    least = float(np.quantile(held_out[y == 1], 1 - options.keep))
    print(f"{len(rows)} examples, {int(y.sum())} positive; AUC, each set by the others: {auc(held_out, y == 1):.3f}")
    for name in SETS:
        own = (documents == name) & (kind != "other")
        print(f"  {name}: AUC against its own unanswerable and missed questions {auc(held_out[own], y[own] == 1):.3f}")
    for label, chosen in (
        ("evidence found", y == 1),
        ("answerable, evidence missed", (kind == "answerable") & (y == 0)),
        ("unanswerable", kind == "unanswerable"),
        ("of other documents", kind == "other"),
    ):
        print(f"  let through, {label}: {np.mean(held_out[chosen] >= least):.2f} of {int(chosen.sum())}")
    w, bias = fit(x, y, weight)
    print("\n[gate]")
    print(f"min_probability = {least:.3f}\nbias + sufficiency_bias = {bias:.3f}")
    for name in FEATURES:
        print(f"{name}_weight = {dict(zip(names, w, strict=True)).get(name, 0.0):.3f}")
    print(f'calibrated_on = "bench/dev, {len(rows)} examples; keeps {options.keep:.0%} where the evidence was found"')
    print("\nLet through at a threshold, each set by the others:")
    lay = np.array([row.style in LAY for row in rows])
    groups = {
        "own words": (y == 1) & ~lay,
        "a layman's": (y == 1) & lay,
        "missed": (kind == "answerable") & (y == 0),
        "unanswerable": kind == "unanswerable",
        "other documents": kind == "other",
    }
    print("  " + "  ".join(["threshold", *groups]))
    for least in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5):
        print(
            f"  {least:9.2f}  " + "  ".join(f"{np.mean(held_out[g] >= least):{len(n)}.2f}" for n, g in groups.items())
        )
    print("\nLet through by the default profile's gate:")
    shipped = np.array([row.shipped for row in rows])
    for label, chosen in groups.items():
        print(f"  {label}: {np.mean(shipped[chosen]):.2f} of {int(chosen.sum())}")


if __name__ == "__main__":
    main()
