"""Runs what `expected.toml` names and says `ok`, `near` or `FAIL` beside each figure.

Each entry has a command that prints one JSON document, a figure in it (dotted path), the expected value, and how it
must compare. `near`: within the tolerance on the wrong side. A command is run once for all its figures. Without the
test data beside the repository, entries that need it are skipped with that reason.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="also what takes longer than five minutes")
    parser.add_argument("--only", help="entries whose name holds this")
    parser.add_argument("--peers", type=Path, help="interpreter with the frameworks to compare with")
    parser.add_argument("--peer-model", type=Path, help="float32 weights for them")
    options = parser.parse_args()
    plan = tomllib.loads((ROOT / "bench" / "expected.toml").read_text("utf-8"))
    failed = 0
    given = {"peers": options.peers, "peer_model": options.peer_model}
    places = {name: path and path.absolute() for name, path in given.items()}
    places["shared"] = SHARED if SHARED.is_dir() else None
    with tempfile.TemporaryDirectory() as scratch:
        results: dict[str, object] = {}
        for entry in plan["figure"]:
            if (entry.get("part") == "full" and not options.full) or (
                options.only and options.only not in entry["name"]
            ):
                continue
            verdict, value = check(entry, places | {"scratch": Path(scratch)}, results)
            failed += verdict == "FAIL"
            bound = f"{entry['must']} {entry['expected']:g}"
            print(f"{verdict:<5} {entry['name']:<52} {value:>12}   {bound}", flush=True)
    return 1 if failed else 0


def check(entry: dict[str, object], places: dict[str, Path | None], results: dict[str, object]) -> tuple[str, str]:
    commands = [str(entry[key]) for key in ("after", "command") if key in entry]
    for name, place in places.items():
        if place is None and any(f"{{{name}}}" in command for command in commands):
            return "skip", f"no {name}"
    for command in commands:
        if command not in results:
            results[command] = run(command, places)
    value = results[commands[-1]]
    if isinstance(value, str):
        return "FAIL", value
    for key in str(entry["figure"]).split("/"):
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, int | float):
        return "FAIL", "not printed"
    expected, tolerance = float(str(entry["expected"])), float(str(entry.get("tolerance", 0)))
    short = expected - value if entry["must"] == ">=" else value - expected
    return ("ok" if short <= 0 else "near" if short <= tolerance else "FAIL"), f"{value:.4g}"


def run(command: str, places: dict[str, Path | None]) -> object:
    """The JSON that a command prints, or a word on why there is none."""
    words = shlex.split(command.format(**places))
    words[0] = sys.executable if words[0] == "python" else str(Path(sys.executable).parent / words[0])
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        print(done.stderr[-500:], file=sys.stderr)
        return f"exit {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
