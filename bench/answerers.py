"""Who answers best: quotations, a model with every sentence checked, or the same model asked plainly?

    python bench/answerers.py OUT --model GGUF|NAME [--python INTERPRETER] [--minutes 25] [--only quote|checked|plain]

A fixed sample of the questions of `examples` and of `bench/dev` is put to three answerers over the same passages:

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
from collections.abc import Iterator, Sequence
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

    def __init__(self, chat: Chat, file: Path) -> None:
        self._chat = chat
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

    part: str
    id: str
    outcome: str
    reason: str
    figures: dict[str, float]
    document: str


class Trial(App):
    """An app whose parts of an answer are exchanged."""

    def __init__(self, folder: Path, settings: Settings, answerer: str, chat: KeptChat) -> None:
        super().__init__(find_library(folder, create=True), settings, ())
        self._answerer = answerer
        self._chat = chat

    @property
    def kit(self) -> Any:
        kit = super().kit
        if self._answerer == "checked":
            return replace(kit, generator=ModelGenerator(self._chat, self.settings.chat))
        if self._answerer == "plain":
            plain = Plain(self._chat, self.settings.chat.max_tokens)
            return replace(kit, generator=plain, quoter=plain, verifier=Trusting())
        return kit


def sampled(part: str) -> list[Benchmark]:
    """The part's benchmarks, each with the questions of it that were drawn."""
    benchmarks = [load(path) for path in PARTS[part]]
    drawn: set[str] = set()
    for answerable, size in zip((True, False), SIZES[part], strict=True):
        ids = sorted(f"{b.name} {q.id}" for b in benchmarks for q in b.questions if q.answerable is answerable)
        drawn.update(random.Random(SEED).sample(ids, min(size, len(ids))))
    return [replace(b, items=tuple(q for q in b.questions if f"{b.name} {q.id}" in drawn)) for b in benchmarks]


def settings_of(benchmark: Benchmark, answerer: str, extra: Sequence[str]) -> Settings:
    settings, _ = load_settings(benchmark.profile, tuple(extra))
    if answerer != "plain":
        return settings
    open_guard = settings.guard.model_copy(update={"request": (), "answer": (), "document": (), "signal": False})
    open_gate = settings.gate.model_copy(update={"min_probability": 0.0, "codes": False})
    return settings.model_copy(update={"guard": open_guard, "gate": open_gate})


def asked(
    part: str, benchmark: Benchmark, answerer: str, out: Path, chat: KeptChat, extra: Sequence[str], end: float
) -> Iterator[Asked]:
    """The questions of a benchmark put to an answerer, until the time is over."""
    with Trial(out / "libraries" / benchmark.name, settings_of(benchmark, answerer, extra), answerer, chat) as app:
        docs = [path for path in benchmark.documents if path.exists()] or [
            path for q in load(benchmark.files[0]).questions for name in q.gold_docs for path in DOCS.rglob(name)
        ]
        gold = take_in([replace(benchmark, corpus=())], app, out, sorted({*docs}))
        bench = Bench(benchmark, gold[benchmark.name], app, app.kit)
        app.warm_up()
        for item in benchmark.items:
            assert isinstance(item, Row)
            if time.monotonic() > end:
                return
            chat.replayed = 0.0
            row: Any = bench.record(item)
            if "error" in row:
                print(f"{item.id}: {row['message']}", file=sys.stderr)
                continue
            figures = {n: float(v) for n, v in row["figures"].items() if n in FIGURES}
            figures["seconds"] = sum(v for k, v in row["seconds"].items() if k == "total") + chat.replayed
            with (out / f"{part}-{answerer}.rows.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            yield Asked(part, item.id, row["outcome"], row["reason"], figures, f"{benchmark.name} {row['document']}")


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
    parser.add_argument("--part", choices=sorted(PARTS), action="append")
    parser.add_argument("--only", choices=ANSWERERS, action="append")
    parser.add_argument("--set", action="append", default=[], help="a setting of the product, KEY=VALUE")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    extra = [f"chat.python={options.python}", *options.set]
    settings, _ = load_settings(None, tuple(extra))
    model = settings.chat.model_copy(update={"model": pulled(options.model)})
    chat = KeptChat(LlamaChat(model), options.out / "replies.jsonl")
    end = time.monotonic() + 60 * options.minutes
    summary: dict[str, Any] = {"model": chat.name, "seed": SEED}
    try:
        for part in options.part or PARTS:
            rows: dict[str, list[Asked]] = {}
            for answerer in options.only or ANSWERERS:
                (options.out / f"{part}-{answerer}.rows.jsonl").unlink(missing_ok=True)
                rows[answerer] = [
                    each
                    for benchmark in sampled(part)
                    if benchmark.items
                    for each in asked(part, benchmark, answerer, options.out, chat, extra, end)
                ]
            summary[part] = table(rows)
    finally:
        chat.close()
    summary["asked_now"] = chat.asked
    print(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
