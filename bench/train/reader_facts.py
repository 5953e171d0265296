"""Reads `reader_facts*.txt`: facts of invented house rules, policies and manuals, with questions and claims about each.

    # topic
    * wordings in a document, separated by |
    + questions that they answer
    - questions close by that they do not answer
    = claims that they support
    ! claims that they contradict
    ? claims that they neither support nor contradict

`{n}`, `{m}`, `{k}` are whole numbers, `{p}` a percentage, `{d}` and `{e}` amounts of money, drawn anew for every
filling; `{x}` and `{y}` are a number and an amount that no other place of the fact holds.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, fields, replace
from pathlib import Path

SMALL = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 18, 20, 21, 24, 25, 28, 30, 36, 40, 45, 48, 60, 72, 90, 120)
MONEY = (50, 80, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2000, 2500, 4000, 5000, 7500, 10000, 25000, 50000)
SHARES = (2, 3, 5, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60, 70, 75, 80, 90)
MARKS = {"*": "says", "+": "asks", "-": "misses", "=": "same", "!": "wrong", "?": "more"}


@dataclass(frozen=True)
class Fact:
    topic: str
    says: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    more: tuple[str, ...] = ()

    def fill(self, rng: random.Random) -> Fact:
        n, m, k, x = rng.sample(SMALL, 4)
        d, e, y = rng.sample(MONEY, 3)
        sign = rng.choice(("$", "£", "€"))
        values = {
            "n": n,
            "m": m,
            "k": k,
            "x": x,
            "p": rng.choice(SHARES),
            "d": f"{sign}{d:,}",
            "e": f"{sign}{e:,}",
            "y": f"{sign}{y:,}",
        }

        def filled(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(text.format(**values) for text in texts)

        return replace(self, **{f.name: filled(getattr(self, f.name)) for f in fields(self)[1:]})

    def say(self, rng: random.Random) -> str:
        return rng.choice(self.says)


def facts() -> list[Fact]:
    out: list[Fact] = []
    topic = ""
    for path in sorted(Path(__file__).parent.glob("reader_facts*.txt")):
        for line in filter(None, map(str.strip, path.read_text("utf-8").splitlines())):
            mark, rest = line[0], line[1:].strip()
            if mark == "#":
                topic = rest
                continue
            if mark == "*":
                out.append(Fact(topic))
            out[-1] = replace(out[-1], **{MARKS[mark]: tuple(part.strip() for part in rest.split("|"))})
    return out
