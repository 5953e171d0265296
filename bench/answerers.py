"""Who answers best: quotations, a model with every sentence checked, or the same model asked plainly?

    python bench/answerers.py OUT [--model GGUF|NAME] [--python INTERPRETER] [--minutes 25] [--questions N] [--kept]
                              [--benchmark PATH]

A fixed sample of the questions of `examples` and of `bench/dev`, or all of a benchmark, is put to three answerers over
the same passages:

quote    the extractive answerer, as by default
checked  the model as the product asks it: prompt, reply protocol, citations, verification, guards
plain    the model with a common prompt and the same passages; what it says is taken as it is, with the numbers that it
         gives; it abstains when it says "I don't know", as it is asked to

Replies of the model are kept in OUT, so a run that was stopped goes on, and other checks can be tried on the same
replies; seconds of a kept reply are those it took. Differences are to `checked`, over the same questions, with paired
bootstrap intervals. Tuning looks at `--part dev` alone; a part is reported by name.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from citeleaf.answer.draft import ModelGenerator
from citeleaf.answer.prompts import language_of
from citeleaf.app import App
from citeleaf.backends.generate_llama import LlamaChat
from citeleaf.chat import Chat, Message, Reply, Tell, Window
from citeleaf.evaluate.benchmark import Benchmark, load
from citeleaf.evaluate.documents import take_in
from citeleaf.evaluate.forms import Row
from citeleaf.evaluate.metrics.intervals import interval, paired_interval
from citeleaf.evaluate.rows import Bench
from citeleaf.layers import load as load_settings
from citeleaf.library import find_library
from citeleaf.models import pulled
from citeleaf.settings import Settings
from citeleaf.types import Check, Claim, Draft, Evidence, Fact, Verdict

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT.parent / "shared" / "data" / "docs"
SEED = 20261130
PARTS = {
    "examples": [ROOT / "examples" / name for name in ("insurance", "kyc", "notes", "coldchain")],
    "dev": [ROOT / "bench" / "dev" / f"{name}.jsonl" for name in ("office_pack", "trades", "aml", "coldchain")],
}
SIZES = {"examples": (22, 8), "dev": (14, 6)}
"""Questions with and without an answer."""
BLOCK = 5
"""Questions put to one answerer before it is the next one's turn: its prompts begin alike, which saves time."""
ANSWERERS = ("quote", "checked", "plain")
FIGURES = {
    "answer.task_success": "task success",
    "citation.gold_hit": "citation hits the passage",
    "citation.quote_hit": "citation shows the words",
    "refusal.false_answer": "false answers",
    "refusal.false_refusal": "false refusals",
    "seconds": "seconds",
}
PLAIN = (
    "Answer the question from the numbered passages below, in the language of the question. Cite the passages you use "
    "by their numbers, such as [1]. If they do not hold the answer, write only: I don't know."
)
UNKNOWN = {"en": "i don't know", "tr": "bilmiyorum"}


class KeptChat:
    """A chat model whose replies are kept in a file and not asked for twice."""

    def __init__(self, chat: Chat, file: Path, *, only: bool) -> None:
        self._chat = chat
        self._only = only
        self._file = file
        self.name, self.fingerprint = chat.name, chat.fingerprint
        self.asked = 0
        self.replayed = 0.0
        """Seconds that replies which were kept had taken."""
        text = file.read_text("utf-8") if file.exists() else ""
        self._held = {row["key"]: row for row in map(json.loads, text.splitlines())}

    def window(self) -> Window:
        return Window(4096, True)

    def count(self, messages: Sequence[Message]) -> int | None:
        return self._kept("count", messages, 0, lambda: {"tokens": self._chat.count(messages)})["tokens"]

    def reply(self, messages: Sequence[Message], *, max_tokens: int, tell: Tell | None = None) -> Reply:
        def ask() -> dict[str, Any]:
            self.asked += 1
            reply = self._chat.reply(messages, max_tokens=max_tokens)
            return {name: getattr(reply, name) for name in Reply.__slots__}

        row = self._kept("reply", messages, max_tokens, ask)
        return Reply(**{name: row[name] for name in Reply.__slots__})

    def warm_up(self) -> None:
        self._chat.warm_up()

    def close(self) -> None:
        self._chat.close()

    def _kept(self, what: str, messages: Sequence[Message], limit: int, ask: Any) -> dict[str, Any]:
        made_of = [what, self.fingerprint, limit, *([m.role, m.text] for m in messages)]
        key = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()
        if key in self._held:
            self.replayed += self._held[key]["seconds"]
            return self._held[key]
        if self._only:
            raise LookupError("no reply to this prompt is kept")
        begin = time.monotonic()
        row = ask() | {"key": key}
        row["seconds"] = time.monotonic() - begin
        self._held[key] = row
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return row


class Plain:
    """The model, asked as is common: passages, question, and nothing looked at afterwards."""

    fingerprint = "plain"

    def __init__(self, chat: Chat, max_tokens: int) -> None:
        self._chat = chat
        self._max_tokens = max_tokens
        self.name = f"plain {chat.name}"

    def draft(self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact]) -> Draft:
        passages = "\n\n".join(f"[{e.rank}] {' > '.join(e.passage.heading)}\n{e.passage.text}" for e in evidence)
        case = "".join(f"{fact.label}: {fact.text}\n\n" for fact in facts)
        asked = f"{passages}\n\n{case}Question: {question}"
        reply = self._chat.reply([Message("system", PLAIN), Message("user", asked)], max_tokens=self._max_tokens)
        said = reply.text.lower().replace("’", "'")
        unknown = UNKNOWN["en"] in said or (language_of(question) == "tr" and UNKNOWN["tr"] in said)
        return Draft(reply.text, "" if unknown else reply.text, unknown, self.name)


class Trusting:
    """A verifier that believes everything."""

    name = fingerprint = "trusting"

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Verdict]:
        return [Verdict(claim.n, "supported", 1.0, (), (Check("trusted", True, ""),)) for claim in claims]


@dataclass(frozen=True)
class Asked:
    """One question put to one answerer."""

    id: str
    figures: dict[str, float]


class Trial(App):
    """A library of a benchmark, asked by one answerer after the other."""

    def __init__(self, benchmark: Benchmark, out: Path, chat: KeptChat, extra: Sequence[str]) -> None:
        self._made = {answerer: settings_of(benchmark, answerer, extra) for answerer in ANSWERERS}
        folder = out / "libraries" / benchmark.name
        super().__init__(find_library(folder, create=True), self._made["checked"], ())
        self._answerer = "checked"
        self._chat = chat
        docs = [path for path in benchmark.documents if path.exists()] or [
            path for q in benchmark.questions for name in q.gold_docs for path in DOCS.rglob(name)
        ]
        self.gold = take_in([replace(benchmark, corpus=())], self, out, sorted({*docs}))[benchmark.name]
        self.benchmark = benchmark

    def turn(self, answerer: str) -> Bench:
        """Makes it one answerer's turn."""
        self._answerer, self.settings = answerer, self._made[answerer]
        return Bench(self.benchmark, self.gold, self, self.kit)

    def share(self, other: Trial) -> None:
        """Uses the embedder and the reranker of another one, which are large."""
        for name in ("embedder", "reranker"):
            self._parts.__dict__[name] = getattr(other._parts, name)

    @property
    def kit(self) -> Any:
        kit = super().kit
        if self._answerer == "checked":
            return replace(kit, generator=ModelGenerator(self._chat, self.settings.chat))
        if self._answerer == "plain":
            plain = Plain(self._chat, self.settings.chat.max_tokens)
            return replace(kit, generator=plain, quoter=plain, verifier=Trusting())
        return kit


def sampled(parts: Sequence[str], whole: Path | None = None) -> list[tuple[str, Benchmark, Row]]:
    """The questions drawn, or all of the benchmark `whole`, in an order in which any beginning is a sample of all."""
    drawn: list[tuple[str, Benchmark, Row]] = []
    if whole is not None:
        benchmark = load(whole)
        drawn = [(benchmark.name, benchmark, question) for question in benchmark.questions]
    for part in parts if whole is None else ():
        benchmarks = [load(path) for path in PARTS[part]]
        for answerable, size in zip((True, False), SIZES[part], strict=True):
            found = [(part, b, q) for b in benchmarks for q in b.questions if q.answerable is answerable]
            drawn.extend(random.Random(SEED).sample(found, min(size, len(found))))
    return random.Random(SEED).sample(drawn, len(drawn))


def settings_of(benchmark: Benchmark, answerer: str, extra: Sequence[str]) -> Settings:
    settings, _ = load_settings(benchmark.profile, tuple(extra))
    if answerer != "plain":
        return settings
    open_guard = settings.guard.model_copy(update={"request": (), "answer": (), "document": (), "signal": False})
    open_gate = settings.gate.model_copy(update={"min_probability": 0.0, "codes": False})
    return settings.model_copy(update={"guard": open_guard, "gate": open_gate})


def put(part: str, trial: Trial, row: Row, answerer: str, chat: KeptChat, out: Path) -> Asked | None:
    """One question put to one answerer; a line of `rows.jsonl`."""
    chat.replayed = 0.0
    record: Any = trial.turn(answerer).record(row)
    with (out / "rows.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"part": part, "answerer": answerer, **record}) + "\n")
    if "error" in record:
        print(f"{row.id}: {record['message']}", file=sys.stderr)
        return None
    figures = {n: float(v) for n, v in record["figures"].items() if n in FIGURES}
    figures["seconds"] = record["seconds"]["total"] + chat.replayed
    return Asked(f"{trial.benchmark.name} {row.id}", figures)


def table(rows: dict[str, list[Asked]]) -> list[dict[str, Any]]:
    """Each figure of each answerer with its interval, and the difference to `checked` on the questions both have."""
    out = []
    for figure, title in FIGURES.items():
        for answerer, found in rows.items():
            scored = [r for r in found if figure in r.figures]
            if not scored:
                continue
            values = [r.figures[figure] for r in scored]
            entry: dict[str, Any] = {"figure": title, "answerer": answerer, "n": len(values)}
            entry["value"] = float(np.mean(values))
            entry["ci95"] = list(interval(values)) if len(set(values)) > 1 or figure != "seconds" else None
            others = {r.id: r.figures[figure] for r in rows.get("checked", []) if figure in r.figures}
            pairs = [(others[r.id], r.figures[figure]) for r in scored if r.id in others]
            if answerer != "checked" and pairs:
                first, second = zip(*pairs, strict=True)
                entry["against_checked"] = float(np.mean(second) - np.mean(first))
                entry["against_checked_ci95"] = list(paired_interval(first, second))
            out.append(entry)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--python", default="", help="interpreter that has the runtime")
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--questions", type=int, help="only the first so many of the sample")
    parser.add_argument("--kept", action="store_true", help="only questions whose replies are kept in OUT")
    parser.add_argument("--part", choices=sorted(PARTS), action="append")
    parser.add_argument("--benchmark", type=Path, help="all questions of this benchmark, instead of the sample")
    parser.add_argument("--only", choices=ANSWERERS, action="append")
    parser.add_argument("--set", action="append", default=[], help="a setting of the product, KEY=VALUE")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    extra = [f"chat.python={options.python}", *options.set]
    settings, _ = load_settings(None, tuple(extra))
    model = settings.chat.model_copy(update={"model": pulled(options.model)})
    chat = KeptChat(LlamaChat(model), options.out / "replies.jsonl", only=options.kept)
    end = time.monotonic() + 60 * options.minutes
    (options.out / "rows.jsonl").unlink(missing_ok=True)
    answerers = [name for name in ANSWERERS if name in (options.only or ANSWERERS)]
    drawn = sampled(options.part or list(PARTS), options.benchmark)[: options.questions]
    rows: dict[str, dict[str, list[Asked]]] = {part: {name: [] for name in answerers} for part, _, _ in drawn}
    with ExitStack() as held:
        held.callback(chat.close)
        trials: dict[str, Trial] = {}
        for block in (drawn[at : at + BLOCK] for at in range(0, len(drawn), BLOCK)):
            for _, benchmark, _ in block:
                if benchmark.name not in trials:
                    trial = trials[benchmark.name] = held.enter_context(Trial(benchmark, options.out, chat, extra))
                    trial.share(next(iter(trials.values())))
            if time.monotonic() > end:
                break
            for answerer in answerers:
                for part, benchmark, row in block:
                    if (found := put(part, trials[benchmark.name], row, answerer, chat, options.out)) is not None:
                        rows[part][answerer].append(found)
    summary: dict[str, Any] = {part: table(found) for part, found in rows.items()}
    print(json.dumps({"model": chat.name, "seed": SEED, "asked_now": chat.asked, **summary}, indent=1))


if __name__ == "__main__":
    main()
