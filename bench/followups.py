"""How well follow-ups are rewritten by rules: does retrieval find more with the rewritten question?

    python bench/followups.py [--half dev|test]

On the multi-turn tasks of mtRAG (../shared/data/qa/mtrag_un): the passages of all answerable tasks are one corpus; each
task's own passages are what should be found. Compared are the question as typed, the rewritten one, and the question
with everything said before. Halves are by conversation.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from typing import Any

from citeleaf.answer.followup import Turn, leans, rewrite
from citeleaf.retrieve.tokens import terms

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "qa" / "mtrag_un" / "tasks.jsonl"
K = 5


class Bm25:
    """BM25 (k1 1.2, b 0.75) over texts."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.counts = {key: Counter(terms(text)) for key, text in texts.items()}
        self.lengths = {key: sum(c.values()) for key, c in self.counts.items()}
        self.mean = sum(self.lengths.values()) / len(texts)
        self.frequency = Counter(t for c in self.counts.values() for t in c)

    def best(self, question: str, k: int) -> list[str]:
        wanted = set(terms(question))
        scores: dict[str, float] = {}
        for key, counts in self.counts.items():
            score = 0.0
            for t in wanted & counts.keys():
                n = self.frequency[t]
                idf = log(1 + (len(self.counts) - n + 0.5) / (n + 0.5))
                score += idf * counts[t] * 2.2 / (counts[t] + 1.2 * (0.25 + 0.75 * self.lengths[key] / self.mean))
            scores[key] = score
        return sorted(scores, key=lambda key: (-scores[key], key))[:k]


def turns_of(task: dict[str, Any]) -> list[Turn]:
    """The talk so far, each question rewritten in its turn."""
    turns: list[Turn] = []
    asked = None
    for said in task["history"] or ():
        if said["speaker"] == "user":
            asked = rewrite(said["text"], turns).question
        elif asked is not None:
            turns.append(Turn(asked, said["text"]))
    return turns


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("dev", "test"), default="dev")
    half = parser.parse_args().half
    tasks = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    corpus = {c["document_id"]: c["text"] for t in tasks for c in t["contexts"]}
    index = Bm25(corpus)
    chosen = [t for t in tasks if _half(t["conversation_id"]) == half and t["answerable"] and t["contexts"]]
    later = [t for t in chosen if t["history"]]
    ways: dict[str, Callable[[dict[str, Any]], str]] = {
        "typed": lambda t: str(t["question"]),
        "rewritten": lambda t: rewrite(t["question"], turns_of(t)).question,
        "all said": lambda t: " ".join([*(h["text"] for h in t["history"] if h["speaker"] == "user"), t["question"]]),
    }
    leaning = [t for t in later if leans(t["question"])]
    standing = [t for t in later if not leans(t["question"])]
    print(f"{half}: {len(later)} follow-ups, {len(leaning)} of them lean; corpus of {len(corpus)} passages")
    for name, group in (("all", later), ("leaning", leaning), ("standing alone", standing)):
        for way, make in ways.items():
            print(f"{name:15} {way:10} recall@{K} {recall(index, group, make):.3f}  n={len(group)}")


def recall(index: Bm25, tasks: Sequence[dict[str, Any]], make: Callable[[dict[str, Any]], str]) -> float:
    """Mean share of a task's own passages among the first K."""
    shares = []
    for task in tasks:
        own = {c["document_id"] for c in task["contexts"]}
        shares.append(len(own & set(index.best(make(task), K))) / min(len(own), K))
    return sum(shares) / max(len(shares), 1)


def _half(conversation: str) -> str:
    return "dev" if int(hashlib.sha256(conversation.encode()).hexdigest(), 16) % 2 == 0 else "test"


if __name__ == "__main__":
    main()
