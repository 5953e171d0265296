"""One study: a pack asked of several systems, their figures with intervals, and paired differences to ours.

    python -m bench.study insurance [--model NAME]… [--generator http] [--out build/studies]

`studies.toml` names the systems. Each `--model` is one more system: ours, with that model of `--generator` as writer of
the answers (its address: CITELEAF_CHAT__ADDRESS). Runs are kept under `--out` and go on where they were. The table is
written to `docs/results/study-NAME.md`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Any

from bench.study_parts import PARTS, Run, bars

from citeleaf.app import App
from citeleaf.evaluate import manifest
from citeleaf.evaluate.benchmark import Benchmark, load
from citeleaf.evaluate.compare import compare
from citeleaf.evaluate.report import figures
from citeleaf.evaluate.run import Plan, open_own, read_rows, run
from citeleaf.ids import slug

ROOT = Path(__file__).resolve().parent.parent
OURS = "ours"


@dataclass(frozen=True, slots=True)
class System:
    """Settings that differ from those that come along, and the index asked: `policies` or `mixed`."""

    name: str
    set: tuple[str, ...] = ()
    index: str = "policies"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    plan = tomllib.loads((ROOT / "bench" / "studies.toml").read_text("utf-8"))
    parser.add_argument("study", choices=sorted(plan))
    parser.add_argument("--model", action="append", default=[], help="a language model as one more system")
    parser.add_argument("--generator", default="http", help="who runs the models: http, foundry or llama")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "studies")
    parser.add_argument("--page", type=Path, help="where the table goes; default: docs/results/study-NAME.md")
    options = parser.parse_args()
    study = plan[options.study]
    models = [System(m, (f"models.generator={options.generator}", f"chat.model={m}")) for m in options.model]
    systems = [
        System(OURS),
        *(System(s["name"], tuple(s.get("set", ())), s.get("index", "policies")) for s in study["system"]),
    ]
    runs = [ask(system, ROOT / study["pack"], options.out / options.study) for system in (*systems, *models)]
    command = " ".join(
        [f"make study-{options.study}", *([f'MODELS="{" ".join(options.model)}"'] if options.model else [])]
    )
    page = options.page or ROOT / "docs" / "results" / f"study-{options.study}.md"
    page.write_text(written(study, command, systems + models, runs), "utf-8")
    print(f"wrote {page}")
    return 0


def ask(system: System, pack: Path, out: Path) -> Run:
    """The pack asked of one system; systems over the same documents share a library."""
    benchmark = load(pack)
    if system.index == "mixed":
        benchmark = mixed(benchmark, pack, out / "mixed")
    place = out / slug(system.name)
    say = lambda text: print(f"{system.name}: {text}", file=sys.stderr)  # noqa: E731
    with open_own(
        out / f"library-{system.index}",
        lambda at: App.open(at, profile=benchmark.profile, flags=system.set, write=True),
    ) as app:
        summary = run([benchmark], app, place, plan=Plan(workers=2), say=say)
        facts = frozenset(path.stem for path in load(pack).facts)
        return Run(system.name, place, summary, tuple(read_rows(place)), facts, app.settings.gate.min_probability)


def mixed(benchmark: Benchmark, pack: Path, folder: Path) -> Benchmark:
    """The benchmark over a copy of its pack whose manifest takes the case files in as policies."""
    shutil.copytree(pack, folder, dirs_exist_ok=True)
    file = folder / "corpus.toml"
    file.write_text(file.read_text("utf-8").replace('role = "facts"', 'role = "policy"'), "utf-8")
    return replace(benchmark, documents=(file,), facts=())


def written(study: Mapping[str, Any], command: str, systems: Sequence[System], runs: Sequence[Run]) -> str:
    """The page."""
    described = manifest.read(runs[0].place)
    day, machine = str(described["started"])[:10], f"{os.cpu_count()} cores"
    about = (
        f"{study['about']} Default settings and models where no other is named; {day}, {machine}. Values stand with "
        "95 % intervals; [how they are defined](../concepts/four-layers-of-evaluation.md). Where a signal that the "
        "gate weighs is not run, there is no gate: such a system answers nearly everything, so it is to be held beside "
        "`ours, no gate`."
    )
    origin = (
        "Questions and documents were written for this project, and settings were chosen in part on such of these "
        f"questions as are not `frozen` ([the pack](../../{study['pack']}/README.md)): ours has that advantage here. "
        "With so few questions a difference has to be large to be told from chance."
    )
    lines = [f"# {study['title']}", "", fill(about, 125), "", "```console", f"$ {command}", "```", ""]
    lines += [fill(origin, 125), "", "## Figures", ""]
    names = [n for n in study["figures"] if any(n in dict(figures(r.summary)) for r in runs)]
    lines += ["| system | " + " | ".join(short(n) for n in names) + " |", "|---" * (len(names) + 1) + "|"]
    for each in runs:
        held = dict(figures(each.summary))
        lines.append(f"| {each.name} | " + " | ".join(bars(held.get(n)) for n in names) + " |")
    counts = {n: dict(figures(runs[0].summary)).get(n, {}).get("n") for n in names}
    lines += ["", "Rows scored: " + ", ".join(f"{short(n)} {c}" for n, c in counts.items()) + ".", ""]
    lines += [
        "## Differences to ours",
        "",
        "System minus ours, paired by question; in bold where it can be told from chance.",
        "",
    ]
    lines += ["| system | " + " | ".join(short(n) for n in names) + " |", "|---" * (len(names) + 1) + "|"]
    for each in runs[1:]:
        found = compare(runs[0].place, each.place)["figures"]
        assert isinstance(found, dict)
        lines.append(f"| {each.name} | " + " | ".join(difference(found.get(n)) for n in names) + " |")
    for part in study.get("parts", ()):
        lines += ["", *PARTS[part](runs)]
    lines += ["", "## Systems", "", "| system | settings | index |", "|---|---|---|"]
    lines += [f"| {s.name} | {', '.join(f'`{v}`' for v in s.set) or 'as they come'} | {s.index} |" for s in systems]
    return "\n".join(lines) + "\n"


def difference(row: Any) -> str:
    if not isinstance(row, dict):
        return "not scored"
    low, high = row["ci95"]
    text = f"{row['difference']:+.3f} ({low:+.3f} to {high:+.3f})"
    return f"**{text}**" if row["distinguishable"] else text


def short(name: str) -> str:
    """A figure's name as a column: without its block, but for page and span."""
    return name.partition(".")[2].replace(".", " ").replace("_", " ")


if __name__ == "__main__":
    sys.exit(main())
