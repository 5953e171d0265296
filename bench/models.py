"""Speed of the local models: passages embedded, pairs reranked, first query of a fresh process.

    python bench/models.py [--passages 700] [--texts FOLDER] [--threads 0]

Passages are windows of 150 words (about 200 tokens) of the Markdown files under FOLDER, by default those of `examples`.
Wall time and CPU time are both told: on a busy machine only the second means anything.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from citeleaf.backends.embed_onnx import open_embedder
from citeleaf.backends.rerank_onnx import open_reranker

ROOT = Path(__file__).resolve().parent.parent
WORDS = 150
QUESTION = "How long do I have to report a loss to the insurer?"
FIRST = (
    "from citeleaf.backends.embed_onnx import open_embedder; open_embedder('minilm-l6').query('What is not covered?')"
)


def windows(folder: Path, n: int) -> list[str]:
    """n windows, from the start again where there are fewer, their first word numbered so that none is twice."""
    words = " ".join(file.read_text("utf-8") for file in sorted(folder.rglob("*.md"))).split()
    texts = [" ".join(words[i : i + WORDS]) for i in range(0, len(words) - WORDS, WORDS)]
    return [f"{i} {texts[i % len(texts)]}" for i in range(n)]


def timed(work: Callable[[], object], repeats: int = 3) -> tuple[float, float]:
    """Least (wall, CPU) seconds of several runs."""
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return min(walls), min(cpus)


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the local models.")
    parser.add_argument("--passages", type=int, default=700)
    parser.add_argument("--texts", type=Path, default=ROOT / "examples")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    texts = windows(options.texts, options.passages)
    embedder = open_embedder("minilm-l6", threads=options.threads)
    lengths = [len(each.ids) for each in embedder._runner.encode(texts)]
    print(f"{len(texts)} passages of {statistics.median(lengths):.0f} tokens (median)")
    wall, cpu = timed(lambda: embedder.passages(texts), 1 if len(texts) > 300 else 3)
    print(f"embed: {len(texts) / wall:.1f} passages/s, {len(texts) / cpu:.1f} passages/CPU s")
    wall, cpu = timed(lambda: embedder.query(QUESTION), 20)
    print(f"query: {wall * 1000:.1f} ms, {cpu * 1000:.1f} CPU ms")
    reranker = open_reranker("msmarco-minilm-l12", threads=options.threads)
    wall, cpu = timed(lambda: reranker.scores(QUESTION, texts[:24]))
    print(f"rerank 24: {wall:.2f} s, {cpu:.2f} CPU s")
    wall, _ = timed(lambda: subprocess.run([sys.executable, "-c", FIRST], check=True), 5)
    print(f"first query of a fresh process: {wall:.2f} s")


if __name__ == "__main__":
    main()
