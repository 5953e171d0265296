"""The answer scorer beside people: their preference between two answers, and reversals beside the right sentence.

    python bench/scorer.py ../shared/data/claims

Pairs are split by a hash of their id. The scorer was made with the `dev` half; `held out` is reported. A pair counts
where the person preferred one answer; the scorer agrees when it gives that one more.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from citeleaf.evaluate.facts import closeness, judge_text
from citeleaf.evaluate.metrics.answers import token_f1
from citeleaf.evaluate.metrics.intervals import mcnemar

Scorer = Callable[[str, str], float]
SCORERS: dict[str, Scorer] = {"token F1": lambda text, gold: token_f1(text, [gold]), "closeness": closeness}
LABELS = ("overall_label", "correctness_label", "completeness_label")


def half(name: str) -> str:
    return "dev" if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0 else "held out"


def pairs(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for part in ("dev", "held out"):
        for label in LABELS:
            chosen = [r for r in rows if half(r["id"]) == part and r[label]]
            right = {name: [agrees(r, label, scorer) for r in chosen] for name, scorer in SCORERS.items()}
            both = list(zip(right["token F1"], right["closeness"], strict=True))
            p = mcnemar(both.count((False, True)), both.count((True, False)))
            shown = ", ".join(f"{name} {sum(ok)}/{len(ok)}" for name, ok in right.items())
            print(f"{part:8}  {label.removesuffix('_label'):13} {shown}, McNemar p {p:.3f}")


def agrees(row: dict[str, object], label: str, scorer: Scorer) -> bool:
    first, second = (scorer(row[m]["response"], str(row["gt_answer"])) for m in ("model1", "model2"))  # type: ignore[index]
    return (second > first) if int(str(row[label])) > 0 else (second < first)


def reversals(path: Path) -> None:
    """A claim that contradicts its document, beside the sentence as it should be: never a success."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    wrong = [r for r in rows if r["label"] == "contradicted" and r["minimal_fix"]]
    for name, passed in (
        ("scorer", lambda r: (judge_text(r["claim"], (r["minimal_fix"],)).score or 0) >= 2),
        ("token F1 of 0.5 or more", lambda r: token_f1(r["claim"], [r["minimal_fix"]]) >= 0.5),
    ):
        through = Counter(r["kind"] for r in wrong if passed(r))
        print(f"reversals taken for right by {name}: {through.total()}/{len(wrong)} {dict(sorted(through.items()))}")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    pairs(folder / "ragchecker_human_pairs.jsonl")
    reversals(folder / "policy_claims_dev.jsonl")
