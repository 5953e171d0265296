"""What everything around a model costs: guard, search, reranking, gate, prompt, checks, storing.

    python bench/overhead.py [--delay 2.0] [--questions 20]

Questions of `examples/insurance` are answered by a fake model server that takes a fixed time for a reply. Told are, a
question: the seconds of the whole, those the server had (the model's own), and what is left, by stage; and how many
requests the server got, once for a server that is known to refuse what does not fit, once for one that has to be
proved to read whole prompts (its first question needs three requests more, of one token each; see `answer/whole.py`).
`retrieve` is embedding the question, searching and reranking. Medians; `cpu` is the processor's seconds around the
model, which other work on the machine does not change.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from citeleaf.answer.draft import ModelGenerator
from citeleaf.app import App
from citeleaf.ask import ask
from citeleaf.backends.generate_http import HttpChat
from citeleaf.clock import Clock
from citeleaf.settings import ChatSettings
from citeleaf.types import Query

ROOT = Path(__file__).resolve().parent.parent
PACK = ROOT / "examples" / "insurance"
sys.path.insert(0, str(ROOT / "tests"))

from support.fake_behaviours import Behaviour, answer  # noqa: E402 - the fake server is a part of the tests
from support.fake_model import FakeModel  # noqa: E402


class Slow:
    """A model that takes its time for a reply and hardly any for one token; it adds up what it took."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.seconds = 0.0

    def __call__(self, http: Any, asked: Any) -> None:
        begin = time.monotonic()
        if asked.max_tokens > 1:
            time.sleep(self.delay)
        http.say(asked, answer(asked))
        self.seconds += time.monotonic() - begin


def measured(app: App, questions: list[str], delay: float, kind: str) -> dict[str, Any]:
    """The medians for one kind of server."""
    model = Slow(delay)
    totals, own, around, requests, cpu = [], [], [], [], []
    stages: dict[str, list[float]] = {}
    with FakeModel("good", kind=kind) as fake:
        fake.behaviour = Behaviour(model)
        settings = ChatSettings(address=fake.address)
        generator = ModelGenerator(HttpChat(settings), settings)
        for question in questions:
            model.seconds = 0.0
            fake.requests.clear()
            begin, spent_before = time.monotonic(), time.process_time()
            ended = ask(Query(question), replace(app.kit, generator=generator), app.settings, Clock())
            app.kit.store.keep(ended)
            total = time.monotonic() - begin
            if ended.trace.draft is None:
                continue
            totals.append(total)
            cpu.append(time.process_time() - spent_before)
            own.append(model.seconds)
            around.append(total - model.seconds)
            requests.append(len(fake.chats))
            for stage in ended.seconds:
                spent = stage.seconds - (model.seconds if stage.stage == "compose" else 0.0)
                if stage.stage != "total":
                    stages.setdefault(stage.stage, []).append(spent)
    without = [a - r for a, r in zip(around, stages["retrieve"], strict=True)]
    return {
        "questions": len(totals),
        "total": statistics.median(totals),
        "model": statistics.median(own),
        "around": statistics.median(around),
        "cpu": statistics.median(cpu),
        "around_without_retrieve": statistics.median(without),
        "share": statistics.median(a / m for a, m in zip(around, own, strict=True)),
        "share_without_retrieve": statistics.median(w / m for w, m in zip(without, own, strict=True)),
        "stages": {name: statistics.median(values) for name, values in stages.items()},
        "requests": {"first": requests[0], "later": statistics.median(requests[1:])},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=2.0, help="seconds of the model")
    parser.add_argument("--questions", type=int, default=20)
    options = parser.parse_args()
    rows = [json.loads(line) for line in (PACK / "questions.jsonl").read_text("utf-8").splitlines()]
    questions = [row["question"] for row in rows if row["answerable"]][: options.questions]
    with tempfile.TemporaryDirectory() as folder, App.open(folder, profile="insurance", write=True) as app:
        for row in app.ingest([PACK / "harbour_business_pds.pdf"]).rows:
            if row.error is not None:
                raise row.error
        app.warm_up()
        ask(Query(questions[0]), app.kit, app.settings)
        kinds = {"refuses": "microsoft", "proved": "someone"}
        print(json.dumps({name: measured(app, questions, options.delay, kind) for name, kind in kinds.items()}))


if __name__ == "__main__":
    main()
