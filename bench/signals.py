"""The default search beside each single signal, on the same questions in one run.

    python bench/signals.py QUESTIONS.jsonl --docs DOCUMENTS --limit 60 --half report

Prints, for each figure, the value of ours, BM25 alone, TF-IDF alone and dense alone, and the difference of ours to the
better of BM25 and dense with a paired 95 % bootstrap interval. Public sets are split by a hash of the row's id:
settings are chosen on the half `develop`, figures come from the half `report`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citeleaf.app import App
from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.documents import take_in
from citeleaf.evaluate.forms import Row
from citeleaf.evaluate.metrics.intervals import bootstrap_means
from citeleaf.evaluate.score import Gold, retrieval_figures
from citeleaf.ids import sha256_text

SCORERS = {"ours": "reranked", "bm25": "lexical", "tfidf": "tfidf", "dense": "dense"}
DEPTH = 10
SHOWN = ("hit@1", "recall@5", "ndcg@5")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--docs", type=Path, nargs="*", default=[])
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--half", choices=("develop", "report", "all"), default="all")
    parser.add_argument("--library", type=Path, help="kept between calls; default: a temporary one")
    parser.add_argument("--set", action="append", default=[], help="a setting, for trying out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        library = options.library or Path(scratch) / "library"
        with App.open(library, flags=options.set, write=True) as app:
            benchmark = load(options.questions)
            gold = take_in([benchmark], app, Path(scratch), options.docs)[benchmark.name]
            rows = chosen(benchmark.questions, options.half, options.limit)
            print(json.dumps(compare(rows, app, gold, scoped=benchmark.scope == "document"), indent=1))


def chosen(rows: Sequence[Row], half: str, limit: int) -> list[Row]:
    """Answerable rows of one half, at even distances."""
    wanted = {"develop": 0, "report": 1}.get(half)
    kept = [r for r in rows if r.answerable and (wanted is None or int(sha256_text(r.id), 16) % 2 == wanted)]
    n = min(limit, len(kept))
    return [kept[i * len(kept) // n] for i in range(n)]


def compare(rows: Sequence[Row], app: App, gold: Gold, *, scoped: bool) -> dict[str, object]:
    """Figures of every scorer over the rows where all are scored, and differences."""
    figures: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        within = gold.docs(row) if scoped else ()
        for name, scorer in SCORERS.items():
            found = app.search(row.question, k=DEPTH, scorer=scorer, doc_ids=within)
            for key, value in retrieval_figures(row, [f.passage for f in found], gold).items():
                figures.setdefault(key, {n: [] for n in SCORERS})[name].append(value)
    out: dict[str, object] = {"questions": len(rows)}
    for key, by_name in sorted(figures.items()):
        if not key.endswith(SHOWN):
            continue
        means = {name: float(np.mean(values)) for name, values in by_name.items()}
        rival = max(("bm25", "dense"), key=lambda n: means[n])
        differences = np.subtract(by_name["ours"], by_name[rival])
        low, high = np.percentile(bootstrap_means(differences.tolist()), [2.5, 97.5])
        out[key.removeprefix("retrieval.")] = {
            **{name: round(value, 3) for name, value in means.items()},
            "rival": rival,
            "difference": round(float(differences.mean()), 3),
            "ci95": [round(float(low), 3), round(float(high), 3)],
        }
    return out


if __name__ == "__main__":
    main()
