"""The same questions on every surface: is the outcome the same, are the passages and the quoted words?

    python bench/surfaces.py [--questions 50]

The library (`App.ask`) is what the others are compared with: the command line, the API, its stream of events, the
endpoint for OpenAI clients, and the MCP server, all in this process, over the example packs. The exported page, which
has the lexical settings alone, is compared with these over 156 questions by `tests/surfaces/export/test_parity.py`.
Ends with 1 when anything differs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mcp import Client
from starlette.testclient import TestClient

from citeleaf.app import App
from citeleaf.evaluate.benchmark import load
from citeleaf.record import answer_json
from citeleaf.surfaces.api.app import create
from citeleaf.surfaces.cli.main import run
from citeleaf.surfaces.mcp import Holder, server

ROOT = Path(__file__).resolve().parent.parent
PACKS = {
    "insurance": "harbour_business_pds.pdf",
    "kyc": "policies",
    "notes": "docs",
    "coldchain": "marrow-bay-q3-2025.pdf",
}
SEED = 20261201
HOME = "http://127.0.0.1:8642"
Ask = Callable[[str], dict[str, Any]]
Told = tuple[str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def told(answer: dict[str, Any]) -> Told:
    """Outcome, reason, sentences, cited passages and quoted words of an answer as data."""
    cited = answer["citations"]
    return (
        answer["outcome"],
        answer["reason"],
        tuple(c["text"] for c in answer["claims"]),
        tuple(c["passage_id"] for c in cited),
        tuple(c["quote"] for c in cited),
    )


def surfaces(app: App, folder: Path, profile: str) -> Iterator[tuple[str, Ask]]:
    """Each surface with a function that asks it; the library first."""
    yield "library", lambda question: answer_json(app.ask(question))

    def command(question: str) -> dict[str, Any]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            run(["ask", question, "--json", "--library", str(folder), "--profile", profile])
        return dict(json.loads(out.getvalue()))

    yield "command line", command
    with TestClient(create(app), base_url=HOME) as client:
        yield "API", lambda question: client.post("/api/ask", json={"question": question}).json()

        def streamed(question: str) -> dict[str, Any]:
            headers = {"Accept": "text/event-stream"}
            text = client.post("/api/ask", json={"question": question}, headers=headers).text
            blocks = [block.split("\n") for block in text.strip().split("\n\n")]
            (done,) = [b for b in blocks if "event: done" in b]
            return dict(json.loads("".join(line[6:] for line in done if line.startswith("data: "))))

        yield "API, events", streamed

        def openai(question: str) -> dict[str, Any]:
            body = {"model": "citeleaf", "messages": [{"role": "user", "content": question}]}
            return dict(client.post("/v1/chat/completions", json=body).json()["citeleaf"])

        yield "OpenAI endpoint", openai

    def agent(question: str) -> dict[str, Any]:
        async def inside() -> Any:
            async with Client(server(Holder(lambda: app))) as client:
                return await client.call_tool("ask", {"question": question})

        found = asyncio.run(inside()).structured_content
        return dict(found.get("result", found))

    yield "MCP", agent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=50)
    options = parser.parse_args()
    asked = [(name, q.question) for name in PACKS for q in load(ROOT / "examples" / name).questions if not q.history]
    chosen = random.Random(SEED).sample(asked, options.questions)
    same: dict[str, int] = {}
    outcomes: dict[str, int] = {}
    for name, inside in PACKS.items():
        questions = [question for pack, question in chosen if pack == name]
        profile = str(load(ROOT / "examples" / name).profile or "default")
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "library"
            with App.open(library, profile=profile, write=True) as app:
                app.ingest([ROOT / "examples" / name / inside])
                wanted: dict[str, Told] = {}
                for surface, ask in surfaces(app, library, profile):
                    for question in questions:
                        found = told(ask(question))
                        if surface == "library":
                            wanted[question] = found
                            outcomes[found[0]] = outcomes.get(found[0], 0) + 1
                        same[surface] = same.get(surface, 0) + (found == wanted[question])
                        if found != wanted[question]:
                            print(f"{surface} differs: {question}\n    {found}\n    {wanted[question]}")
    print(f"{len(chosen)} questions: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(outcomes.items())))
    for surface, n in same.items():
        print(f"{surface:16} {n} of {len(chosen)} the same")
    return int(any(n != len(chosen) for n in same.values()))


if __name__ == "__main__":
    raise SystemExit(main())
