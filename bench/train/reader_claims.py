"""Reads `claims_*.txt`: invented passages with claims and questions beside them, written for this.

# topic
= the passage, on one line
S close | claim that the passage supports       (kinds: close, para, infer, odd)
C number | claim that it contradicts            (number, negation, modality, party, exception, date, quantifier)
N detail | claim of which it says nothing       (detail, addition, broad)
A | question that it answers
M | question close by that it does not answer
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeleaf.ids import passage_id, sha256_text
from citeleaf.sentences import sentences
from citeleaf.types import Passage, Quote, Span, Unit
from citeleaf.verify.align import BEST, pieces, prefer
from citeleaf.verify.reading import read

HERE = Path(__file__).parent
LABELS = {"S": 0, "C": 1, "N": 2}
MOST_WORDS = 90
"""Words of evidence beside a claim or a question."""


@dataclass
class Written:
    """One passage; `claims` are (label, kind, text), `questions` are (answered, text)."""

    topic: str
    text: str
    claims: list[tuple[str, str, str]] = field(default_factory=list)
    questions: list[tuple[bool, str]] = field(default_factory=list)


def load(path: Path) -> list[Written]:
    """The passages of one file. Raises `ValueError` with the place of a line that has no known form."""
    out: list[Written] = []
    topic = ""
    for n, line in enumerate(map(str.strip, path.read_text("utf-8").splitlines()), 1):
        head, _, rest = line.partition(" | ")
        if not line:
            continue
        if line.startswith("# "):
            topic = line[2:]
        elif line.startswith("= "):
            out.append(Written(topic, line[2:]))
        elif head[:2] in ("S ", "C ", "N ") and rest:
            out[-1].claims.append((head[0], head[2:], rest))
        elif head in ("A", "M") and rest:
            out[-1].questions.append((head == "A", rest))
        else:
            raise ValueError(f"{path.name}:{n}: no known form: {line[:60]}")
    return out


def written(*, fitting: bool, folder: Path = HERE) -> list[Written]:
    """The passages that the reader is trained on, or the fifth of them kept to fit what weighs its opinion."""
    found = [each for path in sorted(folder.glob("claims_*.txt")) for each in load(path)]
    return [each for each in found if (int(sha256_text(each.text), 16) % 5 == 0) is fitting]


def passage(text: str) -> Passage:
    """The text as a passage whose units are its sentences."""
    units = tuple(Unit("paragraph", Quote(s, text[s.start : s.end])) for s in sentences(text))
    span = Span(0, len(text))
    return Passage(
        passage_id("given", "given", 1), "given", "given", (), span, text, (), sha256_text(text), units=units
    )


def beside(claim: str, text: str, best: int = BEST) -> list[str]:
    """The pieces of the text that the verifier would compare the claim with, best first."""
    found = pieces(passage(text))
    order = prefer(read(claim), found)[:best]
    return [found[i].text for i in order]


def joined(rng: random.Random, texts: Sequence[str], most: int = MOST_WORDS) -> str:
    """Some texts as one, in random order one time in three, cut to so many words."""
    some = list(dict.fromkeys(texts))
    if rng.random() < 1 / 3:
        rng.shuffle(some)
    return " ".join(" ".join(some).split()[:most])


def pairs(rng: random.Random, all_written: Sequence[Written]) -> Iterator[tuple[str, str, str, int]]:
    """(a, b, task, y) as `reader_data.py` has them; every claim once, questions beside several pieces."""
    for each in all_written:
        for label, _, claim in each.claims:
            yield claim, joined(rng, beside(claim, each.text)), "supports", LABELS[label]
        for answered, question in each.questions:
            near = beside(question, each.text, 4)
            if answered:
                yield question, joined(rng, near[:3]), "answers", 1
            else:
                yield question, joined(rng, near[:3]), "answers", 0
                for one in near[:2]:
                    yield question, " ".join(one.split()[:MOST_WORDS]), "answers", 0
        other = rng.choice(all_written)
        for answered, question in each.questions:
            if answered and other is not each and rng.random() < 0.5:
                yield question, joined(rng, beside(question, other.text)), "answers", 0
        true = [claim for label, _, claim in each.claims if label == "S"]
        if other is not each and true:
            claim = rng.choice(true)
            yield claim, joined(rng, beside(claim, other.text)), "supports", 2
