"""Dense-only retrieval of several embedders on public question sets: recall@5 and nDCG@10.

    python bench/embedders.py --data FOLDER minilm-l6 PATH/TO/bge-small ... [--out results.json]

FOLDER holds `policyqa`, `xquad/en`, `cranfield`, `clapnq` and `cuad`, one JSON object a line. At most 300 questions a
set, evenly spaced. Passages are those of the set. PolicyQA asks every company the same questions, so the search is
within the company's policy; so it is within the contract for CUAD, whose contracts are cut into windows of 180 words,
relevant when they hold the whole gold span.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pypdfium2

from citeleaf.backends.embed_onnx import open_embedder

MOST = 300
WORDS = 180


@dataclass(frozen=True)
class Task:
    """Questions over one corpus; `gold[i]` maps the passages relevant to question i to their grade."""

    corpus: tuple[str, ...]
    questions: tuple[str, ...]
    gold: tuple[dict[int, int], ...]


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def spaced(items: Sequence, n: int = MOST) -> list:
    return [items[i * len(items) // n] for i in range(n)] if len(items) > n else list(items)


def by_passage(folder: Path) -> list[Task]:
    corpus = rows(folder / "corpus.jsonl")
    at = {row["passage_id"]: i for i, row in enumerate(corpus)}
    asked = spaced([q for q in rows(folder / "questions.jsonl") if q.get("gold_passage") in at])
    return [
        Task(
            tuple(row["text"] for row in corpus),
            tuple(q["question"] for q in asked),
            tuple({at[q["gold_passage"]]: 1} for q in asked),
        )
    ]


def policyqa(folder: Path) -> list[Task]:
    (whole,) = by_passage(folder)
    owners = [row["doc_id"] for row in rows(folder / "corpus.jsonl")]
    tasks = []
    for owner in sorted(set(owners)):
        mine = [i for i, other in enumerate(owners) if other == owner]
        asked = [i for i, gold in enumerate(whole.gold) if owners[next(iter(gold))] == owner]
        if asked:
            gold = tuple({mine.index(g): 1 for g in whole.gold[i]} for i in asked)
            tasks.append(Task(tuple(whole.corpus[i] for i in mine), tuple(whole.questions[i] for i in asked), gold))
    return tasks


def cranfield(folder: Path) -> list[Task]:
    corpus = rows(folder / "corpus.jsonl")
    at = {row["doc_id"]: i for i, row in enumerate(corpus)}
    asked = rows(folder / "queries.jsonl")
    gold = tuple({at[d]: g for d, g in q["qrels"].items() if d in at and g > 0} for q in asked)
    return [Task(tuple(row["text"] for row in corpus), tuple(q["question"] for q in asked), gold)]


def clapnq(folder: Path) -> list[Task]:
    asked = rows(folder / "questions.jsonl")
    texts: dict[str, int] = {}
    for q in asked:
        for passage in q["passages"]:
            texts.setdefault(" ".join([passage["title"], *passage["sentences"]]), len(texts))
    answerable = spaced([q for q in asked if q["answerable"]])
    first = [q["passages"][0] for q in answerable]
    gold = tuple({texts[" ".join([p["title"], *p["sentences"]])]: 1} for p in first)
    return [Task(tuple(texts), tuple(q["question"] for q in answerable), gold)]


def cuad(folder: Path) -> list[Task]:
    asked = rows(folder / "questions.jsonl")
    tasks = []
    for file in sorted((folder / "pdfs").iterdir()):
        with pypdfium2.PdfDocument(file) as pdf:
            words = " ".join(page.get_textpage().get_text_range() for page in pdf).split()
        step = WORDS * 3 // 4
        corpus = [" ".join(words[i : i + WORDS]) for i in range(0, max(1, len(words) - WORDS + step), step)]
        plain = ["".join(text.split()).lower() for text in corpus]
        questions, gold = [], []
        for q in asked:
            spans = ["".join(span.split()).lower() for span in q["gold_spans"]]
            hits = {i: 1 for i, text in enumerate(plain) if any(span in text for span in spans if len(span) > 20)}
            if q["gold_doc"] == file.name and hits:
                questions.append(q["question"])
                gold.append(hits)
        if questions:
            tasks.append(Task(tuple(corpus), tuple(questions), tuple(gold)))
    return tasks


SETS = {
    "policyqa": policyqa,
    "xquad/en": by_passage,
    "cranfield": cranfield,
    "clapnq": clapnq,
    "cuad": cuad,
}


def recall(ranked: Sequence[int], gold: dict[int, int], k: int = 5) -> float:
    """Share of the relevant passages within the first k; of k where there are more."""
    return sum(i in gold for i in ranked[:k]) / min(k, len(gold))


def ndcg(ranked: Sequence[int], gold: dict[int, int], k: int = 10) -> float:
    """Jarvelin and Kekalainen 2002 with gain = grade and discount log2(rank + 1), rank from 1."""
    found = sum(gold.get(i, 0) / math.log2(rank + 1) for rank, i in enumerate(ranked[:k], 1))
    best = sum(g / math.log2(rank + 1) for rank, g in enumerate(sorted(gold.values(), reverse=True)[:k], 1))
    return found / best


def judge(name: str, tasks: Sequence[Task]) -> dict:
    embedder = open_embedder(name)
    recalls, ndcgs, passages = [], [], 0
    began, used = time.perf_counter(), time.process_time()
    for task in tasks:
        matrix = embedder.passages(task.corpus)
        passages += len(task.corpus)
        for question, gold in zip(task.questions, task.gold, strict=True):
            ranked = np.argsort(-(matrix @ embedder.query(question)), kind="stable")[:10].tolist()
            recalls.append(recall(ranked, gold))
            ndcgs.append(ndcg(ranked, gold))
    return {
        "passages": passages,
        "questions": len(recalls),
        "recall@5": recalls,
        "ndcg@10": ndcgs,
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - used,
    }


def paired(a: Sequence[float], b: Sequence[float], draws: int = 10_000) -> tuple[float, float, float]:
    """(mean of b - a, 2.5 %, 97.5 %) by paired bootstrap over questions."""
    differences = np.array(b) - np.array(a)
    picks = np.random.default_rng(0).integers(0, len(differences), (draws, len(differences)))
    low, high = np.percentile(differences[picks].mean(axis=1), [2.5, 97.5])
    return float(differences.mean()), float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    print("| set | passages | questions | embedder | recall@5 | nDCG@10 | nDCG@10 against the first | CPU s |")
    print("|---|---|---|---|---|---|---|---|")
    results = {}
    for name in options.sets:
        tasks = SETS[name](options.data / name)
        for model in options.models:
            got = results[f"{name} {Path(model).name}"] = judge(model, tasks)
            mean, low, high = paired(results[f"{name} {Path(options.models[0]).name}"]["ndcg@10"], got["ndcg@10"])
            print(
                f"| {name} | {got['passages']} | {got['questions']} | {Path(model).name} "
                f"| {np.mean(got['recall@5']):.3f} | {np.mean(got['ndcg@10']):.3f} "
                f"| {mean:+.3f} [{low:+.3f}, {high:+.3f}] | {got['cpu_seconds']:.1f} |",
                flush=True,
            )
    if options.out:
        options.out.write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
