"""Speed of one document: taking it in, the first answer from a cold start, warm questions, help, memory.

Wall clock on a machine that does nothing else; the load average is printed beside it so that a busy one shows.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from citeleaf.app import App
from citeleaf.retrieve.search import first_stage
from citeleaf.types import Query

QUESTIONS = (
    "Is flood covered?",
    "What does Excess mean?",
    "How soon must a claim be reported?",
    "What is not covered under the liability section?",
    "What happens when a building stands empty?",
    "Who pays the legal costs of a claim?",
    "Can the policy be cancelled, and is the premium refunded?",
    "What is the limit for money in transit?",
    "Is glass breakage covered?",
    "What must I do after a theft?",
)
COMMAND = str(Path(sys.executable).parent / "citeleaf")


def main() -> None:
    document = Path(sys.argv[1])
    result: dict[str, object] = {"load": os.getloadavg()[0], "help": median(lambda: call("--help"), 7)}
    result["file_to_answer"] = median(lambda: lexical_answer(document), 5)
    with tempfile.TemporaryDirectory() as folder, App.open(Path(folder) / "library", write=True) as app:
        wall, used = time.perf_counter(), cpu()
        report = app.ingest([document])
        result["ingest"] = {
            "wall": time.perf_counter() - wall,
            "cpu": cpu() - used,
            "passages": sum(row.passages for row in report.rows),
        }
        app.ask(QUESTIONS[0])
        result["ask"] = spread([timed(lambda q=q: app.ask(q)) for q in QUESTIONS for _ in range(3)])
        kit, settings = app.kit, app.settings.retrieve
        stage = [
            timed(lambda q=q: first_stage(q, Query(q), kit.store, kit.embedder, settings))
            for q in QUESTIONS
            for _ in range(3)
        ]
        result["first_stage"] = spread(stage)
    result["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result, indent=2))


def lexical_answer(document: Path) -> None:
    """From the start of the command to an answer, nothing cached, no models."""
    with tempfile.TemporaryDirectory() as cache:
        plain = ("--set", "models.embedder=none", "--set", "models.reranker=none")
        call("ask", QUESTIONS[0], str(document), "--quiet", *plain, cache=cache)


def call(*arguments: str, cache: str | None = None) -> None:
    environment = os.environ | ({"XDG_CACHE_HOME": cache} if cache else {})
    subprocess.run([COMMAND, *arguments], env=environment, capture_output=True, check=True)


def median(work: object, n: int) -> float:
    return statistics.median(timed(work) for _ in range(n))


def timed(work: object) -> float:
    assert callable(work)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50": statistics.median(ordered), "p95": ordered[int(0.95 * (len(ordered) - 1))]}


def cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()
