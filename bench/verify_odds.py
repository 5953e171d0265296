"""A language model's opinions on claims, kept in a file between runs of `fit_verify.py`."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from citeleaf.backends.generate_llama import LlamaChat
from citeleaf.backends.verify_odds import ModelOdds
from citeleaf.ids import sha256_text
from citeleaf.layers import load
from citeleaf.models import pulled

if TYPE_CHECKING:
    from fit_verify import Example

ODDS = ModelOdds.name


def ask(examples: Sequence[Example], file: Path, model: str, python: str, minutes: float) -> None:
    """Asks the model about the claims that FILE does not hold, in order. Ends when a claim gets no opinion."""
    known = opinions(file)
    settings, _ = load(None, (f"chat.model={pulled(model)}", f"chat.python={python}"))
    chat = LlamaChat(settings.chat)
    signal = ModelOdds(chat)
    end = time.monotonic() + 60 * minutes
    try:
        for n, example in enumerate(examples):
            if time.monotonic() > end:
                print(f"asked about {n} of {len(examples)}")
                break
            if key(example) not in known:
                (odds,) = signal.odds([example.pair])
                if isinstance(odds, str):
                    raise SystemExit(odds)
                with file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps([key(example), odds]) + "\n")
    finally:
        chat.close()


def weighed(examples: Sequence[Example], file: Path) -> list[Example]:
    """The examples with the opinions that FILE holds, as the verifier weighs them."""
    known = opinions(file)
    return [
        replace(e, features=e.features | {ODDS: max(-2.0, min(2.0, known[key(e)] / 6))}) if key(e) in known else e
        for e in examples
    ]


def opinions(file: Path) -> dict[str, float]:
    """What FILE holds: log-odds by key."""
    return dict(json.loads(line) for line in file.read_text("utf-8").splitlines()) if file.is_file() else {}


def key(example: Example) -> str:
    """What an opinion is kept under."""
    return sha256_text("\n".join(example.pair))[:24]
