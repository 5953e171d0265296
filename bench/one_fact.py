"""A model that says what the documents say, with one fact changed: is the sentence shown as supported?

    python bench/one_fact.py [--benchmark PATH ...] [--most N] [--wrong]

For each answerable question of the benchmarks (the four example packs) that quotation answers, a fake model server
gives up to two of the quoted sentences with their number: as they are, in other words that mean the same, and with one
fact changed. The edits are those of `bench/train/reader_edits.py`, on which no weight of the verifier was fitted; what
they make is not always good English, and a few changes leave the sense. `shown` is the share of the sentences that the
answer shows as supported; of unchanged ones, the share altered or refused is told too.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "train")]

from reader_edits import OPPOSITE, keep, negation, number, swap, widened  # noqa: E402

from citeleaf.answer.draft import ModelGenerator  # noqa: E402
from citeleaf.app import App  # noqa: E402
from citeleaf.backends.generate_http import HttpChat  # noqa: E402
from citeleaf.evaluate.benchmark import Benchmark, load  # noqa: E402
from citeleaf.evaluate.documents import take_in  # noqa: E402
from citeleaf.evaluate.metrics.intervals import exact_binomial  # noqa: E402
from citeleaf.layers import load as load_settings  # noqa: E402
from citeleaf.library import find_library  # noqa: E402
from citeleaf.sentences import sentences  # noqa: E402
from citeleaf.settings import ChatSettings  # noqa: E402
from support import fake_behaviours as fakes  # noqa: E402
from support.fake_model import Asked, FakeModel  # noqa: E402

PACKS = [ROOT / "examples" / name for name in ("insurance", "kyc", "notes", "coldchain")]
DOCS = ROOT.parent / "shared" / "data" / "docs"
SEED = 20261201
DUTIES = {"must", "shall", "may", "is required to", "is free to", "will"}
SIDES = {"we", "you", "our", "your", "seller", "buyer", "supplier", "customer", "employee", "employer"}
Edit = Callable[[random.Random, str], "str | None"]


def _pairs(words: set[str]) -> Edit:
    table = [pair for pair in OPPOSITE if pair[0] in words]

    def edit(rng: random.Random, text: str) -> str | None:
        held = [pair for pair in table if re.search(rf"\b{pair[0]}\b", text, re.IGNORECASE)]
        return swap(rng, text, *rng.choice(held)) if held else None

    return edit


EDITS: dict[str, Edit] = {
    "number": number,
    "negation": negation,
    "may, must": _pairs(DUTIES),
    "exception": widened,
    "party": _pairs(SIDES),
    "other opposites": _pairs({a for a, _ in OPPOSITE} - DUTIES - SIDES),
}


class Telling(App):
    """A library whose questions are answered by what the fake model is told to say."""

    def __init__(self, benchmark: Benchmark, folder: Path, address: str) -> None:
        settings, _ = load_settings(benchmark.profile, ())
        super().__init__(find_library(folder / benchmark.name, create=True), settings, ())
        self.told = False
        docs = [path for path in benchmark.documents if path.exists()] or [
            path for q in benchmark.questions for name in q.gold_docs for path in DOCS.rglob(name)
        ]
        take_in([replace(benchmark, corpus=())], self, folder, sorted({*docs}))
        chat = ChatSettings(address=address)
        self.model = ModelGenerator(HttpChat(chat), chat)

    @property
    def kit(self) -> Any:
        kit = super().kit
        return replace(kit, generator=self.model) if self.told else kit


def sentences_of(app: App, question: str) -> list[tuple[str, int]]:
    """Up to two whole sentences that quotation answers with, and the numbers of their passages."""
    answer = app.ask(question)
    ranks = {e.passage.id: e.rank for e in answer.trace.retrieval.evidence} if answer.trace.retrieval else {}
    found = []
    for citation in answer.citations if answer.decision.outcome == "answered" else ():
        text = " ".join(citation.quote.text.split())
        text = re.sub(r"^(?:\(?[\w.]{1,6}[.)]|\d+(?:\.\d+)+)\s+", "", text)
        if (
            len(sentences(text)) == 1
            and text[:1].isupper()
            and text.endswith(".")
            and 6 <= len(text.split()) <= 45
            and citation.passage_id in ranks
        ):
            found.append((text, ranks[citation.passage_id]))
    return list(dict.fromkeys(found))[:2]


def variants(rng: random.Random, text: str) -> list[tuple[str, str]]:
    """(kind, sentence): as it is, in other words, and one for each edit that applies."""
    out = [("as it is", text)]
    if (kept := keep(rng, text, 2)) != text:
        out.append(("in other words", kept))
    for kind, edit in EDITS.items():
        changed = edit(rng, text)
        if changed and changed != text:
            out.append((kind, changed))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", type=Path, action="append")
    parser.add_argument("--most", type=int, default=10_000, help="most questions of a benchmark")
    parser.add_argument("--wrong", action="store_true", help="list what came out wrong")
    options = parser.parse_args()
    rng = random.Random(SEED)
    said = ""

    def say(asked: Asked) -> str:
        return said

    fakes.BEHAVIOURS["told"] = fakes.Behaviour(fakes._says(say))
    rows: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    with FakeModel("told") as fake, tempfile.TemporaryDirectory() as folder, ExitStack() as held:
        for path in options.benchmark or PACKS:
            benchmark = load(path)
            app = held.enter_context(Telling(benchmark, Path(folder), fake.address))
            for row in [q for q in benchmark.questions if q.answerable][: options.most]:
                app.told = False
                for text, rank in sentences_of(app, row.question):
                    for kind, sentence in variants(rng, text):
                        said, app.told = f"{sentence} [{rank}]", True
                        made = app.ask(row.question)
                        shown = any(c.text == sentence and c.verdict == "supported" for c in made.claims)
                        rows[kind].append((shown, made.decision.outcome == "answered"))
                        if options.wrong and shown is (kind in EDITS):
                            print(f"{kind} | {sentence}\n    {text}")
    show(rows)


def show(rows: dict[str, Sequence[tuple[bool, bool]]]) -> None:
    """The table: how many, shown as supported with exact 95 % interval, answered at all."""
    changed = [r for kind in EDITS for r in rows.get(kind, ())]
    print(f"{'sentence':18} {'n':>5} {'shown as supported':>28} {'answered':>10}")
    listed = [(kind, rows.get(kind, ())) for kind in ("as it is", "in other words", *EDITS)]
    for kind, found in (*listed, ("all changed", changed)):
        if not found:
            continue
        n, hits = len(found), sum(shown for shown, _ in found)
        low, high = exact_binomial(hits, n)
        share = f"{hits:6} {hits / n:6.1%} ({low:5.1%} to {high:5.1%})"
        print(f"{kind:18} {n:5} {share} {sum(a for _, a in found) / n:9.1%}")


if __name__ == "__main__":
    main()
