"""The checks verifier beside word overlap, cosine and the cross-encoder alone, on claim sets.

    python bench/verify_sets.py --claims FOLDER [--most 120] [--sets wice,qags]

Claims are taken at even distances from the half of each set that the weights were not fitted on. Every method gives a
score; its threshold is the one with the best balanced accuracy on claims of the other half, so that none is favoured.
The difference to the checks verifier is paired over the same claims: 95 % interval of 1,000 bootstrap samples.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citeleaf.backends.embed_onnx import open_embedder
from citeleaf.backends.rerank_onnx import open_reranker
from citeleaf.backends.verify_checks import ChecksVerifier
from citeleaf.evaluate.forms import ClaimItem, read
from citeleaf.ids import sha256_text
from citeleaf.sentences import sentences
from citeleaf.types import Citation, Claim, Evidence, Span
from citeleaf.verify.align import match, pieces, prefer
from citeleaf.verify.reading import read as reading
from fit_verify import as_passage, even

SETS = ("policy_claims_dev", "summedits", "wice", "expertqa", "attributionbench", "qags", "faithbench")
LONGEST = 20_000
SAMPLES = 1000


def main() -> None:
    """Measures and prints one line a set and method."""
    parser = argparse.ArgumentParser(description="Verifier and baselines on claim sets.")
    parser.add_argument("--claims", type=Path, required=True)
    parser.add_argument("--most", type=int, default=120)
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    reranker, embedder = open_reranker("msmarco-minilm-l12"), open_embedder("minilm-l6")
    verifier = ChecksVerifier(reranker)
    for name in given.sets.split(","):
        items = [i for i in read(given.claims / f"{name}.jsonl") if isinstance(i, ClaimItem) and i.language == "en"]
        items = [i for i in items if any(t.strip() for t in i.evidence) and sum(map(len, i.evidence)) < LONGEST]
        halves = [[i for i in items if even(sha256_text("\n".join(i.evidence))) == half] for half in (True, False)]
        rows = [sample(half, given.most) for half in halves]
        scored = [[scores(i, verifier, reranker, embedder) for i in half] for half in rows]
        labels = [np.array([i.label == "supported" for i in half]) for half in rows]
        if any(len(set(y)) < 2 for y in labels):
            print(f"{name:18s} one label only")
            continue
        right: dict[str, NDArray[np.bool_]] = {}
        for method in scored[0][0]:
            tuned, held = (np.array([s[method] for s in half]) for half in scored)
            at = 0.5 if method == "checks" else best_threshold(tuned, labels[0])
            right[method] = (held >= at) == labels[1]
        for method, ok in right.items():
            low, high = paired(right["checks"], ok, labels[1])
            print(
                f"{name:18s} n {len(ok):4d} {method:8s} balanced {balanced(ok, labels[1]):.3f}"
                f"  checks minus this {balanced(right['checks'], labels[1]) - balanced(ok, labels[1]):+.3f}"
                f" [{low:+.3f}, {high:+.3f}]",
                flush=True,
            )


def sample(items: Sequence[ClaimItem], most: int) -> list[ClaimItem]:
    """At even distances."""
    return [items[i * len(items) // most] for i in range(most)] if len(items) > most else list(items)


def scores(item: ClaimItem, verifier: ChecksVerifier, reranker: object, embedder: object) -> dict[str, float]:
    """Each method's score; over several sentences the least, as a claim is supported when all of it is."""
    passages = [as_passage(n, t) for n, t in enumerate(item.evidence, 1) if t.strip()]
    found = [p for passage in passages for p in pieces(passage)]
    evidence = [Evidence(p, n, 0.0, "given") for n, p in enumerate(passages, 1)]
    cites = tuple(Citation("", Span(0, 1), "valid", p.id, ()) for p in passages)
    out = {"checks": 1.0, "overlap": 1.0, "cosine": 1.0, "rerank": 99.0}
    for n, span in enumerate(sentences(item.claim), 1):
        text = item.claim[span.start : span.end]
        (verdict,) = verifier.verify([Claim(n, text, span, cites)], evidence)
        claim = reading(text)
        near = [found[i] for i in prefer(claim, found)[:3]]
        held = max((match(claim, p).coverage for p in near), default=0.0)
        vectors = embedder.passages([text, *(p.text for p in near)])  # type: ignore[attr-defined]
        logits = reranker.scores(text, [p.text for p in near])  # type: ignore[attr-defined]
        now = {
            "checks": verdict.score,
            "overlap": held,
            "cosine": float(max(vectors[1:] @ vectors[0])),
            "rerank": max(logits),
        }
        out = {method: min(out[method], value) for method, value in now.items()}
    return out


def best_threshold(score: NDArray[np.float64], label: NDArray[np.bool_]) -> float:
    """The threshold with the best balanced accuracy; of equal ones the lowest."""
    tried = sorted(set(score))
    return float(max(tried, key=lambda t: (balanced((score >= t) == label, label), -t)))


def balanced(right: NDArray[np.bool_], label: NDArray[np.bool_]) -> float:
    """Mean share right of supported and of other claims."""
    return float((right[label].mean() + right[~label].mean()) / 2)


def paired(first: NDArray[np.bool_], second: NDArray[np.bool_], label: NDArray[np.bool_]) -> tuple[float, float]:
    """95 % interval of the difference in balanced accuracy over the same claims."""
    rng = random.Random(1)
    yes, no = np.flatnonzero(label), np.flatnonzero(~label)
    found = []
    for _ in range(SAMPLES):
        a = np.array([yes[rng.randrange(len(yes))] for _ in yes])
        b = np.array([no[rng.randrange(len(no))] for _ in no])
        apart = [(x[a].mean() + x[b].mean()) / 2 for x in (first, second)]
        found.append(apart[0] - apart[1])
    return float(np.quantile(found, 0.025)), float(np.quantile(found, 0.975))


if __name__ == "__main__":
    main()
