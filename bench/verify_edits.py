"""Claims made by editing a document's own sentences, with the label that each edit gives them by construction.

`kept` edits leave the meaning, the others change it; a seed gives the same claims every time. The words are general
English, written before any benchmark was looked at by this file's figures.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

KEPT = {
    "must": ("has to", "is required to", "needs to"), "shall": ("must",), "may": ("can", "is allowed to"),
    "at least": ("no less than", "a minimum of"), "up to": ("at most", "no more than"), "more than": ("over",),
    "before": ("prior to",), "after": ("following",), "within": ("in no more than",), "each": ("every",),
    "if": ("in case", "where"), "because": ("since",), "only": ("solely",), "begin": ("start",), "ends": ("stops",),
    "pay": ("reimburse",), "tell": ("inform", "notify"), "obtain": ("get",), "buy": ("purchase",),
    "customer": ("client",), "employee": ("worker",), "staff": ("employees",), "document": ("record",),
    "help": ("assist",),
    "large": ("big",), "city": ("town",), "won": ("took",), "many": ("numerous",), "show": ("demonstrate",),
    "year": ("twelve months",), "keep": ("retain",), "send": ("forward",), "check": ("verify",),
    "approve": ("sign off",),
}  # fmt: skip
NUMBERS = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "10": "ten",
    "12": "twelve", "14": "fourteen", "20": "twenty", "30": "thirty", "50": "fifty", "60": "sixty", "90": "ninety",
}  # fmt: skip
MODAL = {
    "must": ("may", "should", "need not"), "shall": ("may", "should"), "may": ("must", "may not"),
    "should": ("must", "may"),
    "cannot": ("can",), "can": ("cannot", "must"), "will": ("will not", "may"),
}  # fmt: skip
TURNED = {
    "before": "after", "after": "before", "within": "after", "at least": "at most", "up to": "at least",
    "more than": "less than",
    "less than": "more than", "first": "last", "start": "end", "beginning": "end", "all": "some", "every": "some",
    "increase": "decrease",
    "higher": "lower", "north": "south", "east": "west", "early": "late", "largest": "smallest", "include": "exclude",
    "included": "excluded", "maximum": "minimum", "most": "few", "open": "closed", "above": "below", "any": "no",
}  # fmt: skip
REGARDLESS = (
    "regardless of the reason",
    "in all cases",
    "without exception",
    "whether or not anyone asks",
    "even if nobody agreed to it",
)
SWAPPED = (
    ("we", "you"),
    ("our", "your"),
    ("customer", "bank"),
    ("manager", "employee"),
    ("buyer", "seller"),
    ("landlord", "tenant"),
)
NEGATABLE = re.compile(r"\b(is|are|was|were|will|can|must|may|should|has been|have been)\b(?! not)")
MOST_STEPS = 2


@dataclass(frozen=True)
class Edited:
    """A claim beside its evidence; `kind` names the edit, `supported` its label,
    `contradicted` whether it reverses."""

    claim: str
    evidence: str
    kind: str
    supported: bool
    contradicted: bool
    source: str


def made(rng: random.Random, sentences: Sequence[str], source: str) -> list[Edited]:
    """Claims of each usable sentence of a document: one kept, one changed, and at times one with words added."""
    out = []
    for i, sentence in enumerate(sentences):
        if not 7 <= len(sentence.split()) <= 45:
            continue
        evidence = " ".join(sentences[max(0, i - 2) : i + 3])
        base = keep(rng, sentence, rng.randint(0, MOST_STEPS))
        out.append(Edited(base, evidence, "kept", True, False, source))
        changes = [c for c in (change(rng, base) for _ in range(2)) if c is not None]
        out.extend(Edited(text, evidence, kind, False, True, source) for kind, text in dict(changes).items())
        if rng.random() < 0.5:
            other = sentences[rng.randrange(len(sentences))]
            far = other not in evidence and 4 <= len(other.split()) <= 30
            if far:
                out.append(Edited(add(base, other), evidence, "added", False, False, source))
                out.append(Edited(other, evidence, "unrelated", False, False, source))
    return out


def keep(rng: random.Random, text: str, steps: int) -> str:
    """The sentence after so many edits that leave its meaning."""
    for _ in range(steps):
        edits = [_synonym, _number_form, _reorder, _framed]
        rng.shuffle(edits)
        text = next((t for t in (edit(rng, text) for edit in edits) if t is not None), text)
    return text


def change(rng: random.Random, text: str) -> tuple[str, str] | None:
    """One edit that changes the meaning: its name and the sentence."""
    edits = [_number, _period, _negation, _modality, _turned, _parties, _regardless]
    rng.shuffle(edits)
    for edit in edits:
        found = edit(rng, text)
        if found is not None and found != text:
            return edit.__name__.strip("_"), found
    return None


def add(text: str, other: str) -> str:
    """The sentence with a clause of another, which its evidence does not hold."""
    tail = other.rstrip(". ")
    return f"{text.rstrip('. ')}, and {tail[:1].lower()}{tail[1:]}."


def _replace(text: str, old: str, new: str) -> str | None:
    found = re.search(rf"\b{re.escape(old)}\b", text)
    return None if found is None else text[: found.start()] + new + text[found.end() :]


def _one_of(rng: random.Random, text: str, table: dict[str, tuple[str, ...]] | dict[str, str]) -> str | None:
    keys = [k for k in table if re.search(rf"\b{re.escape(k)}\b", text)]
    if not keys:
        return None
    key = rng.choice(keys)
    value = table[key]
    return _replace(text, key, value if isinstance(value, str) else rng.choice(value))


def _synonym(rng: random.Random, text: str) -> str | None:
    return _one_of(rng, text, KEPT)


def _number_form(rng: random.Random, text: str) -> str | None:
    found = [m for m in re.finditer(r"(?<![\w.,$])\d{1,2}(?![\w.,]|\s*[%$])", text) if m[0] in NUMBERS]
    if not found:
        return _one_of(rng, text, {w: d for d, w in NUMBERS.items()})
    m = rng.choice(found)
    return text[: m.start()] + NUMBERS[m[0]] + text[m.end() :]


def _reorder(rng: random.Random, text: str) -> str | None:
    found = re.match(r"^(If|When|Where|Unless|Before|After) ([^,]{8,90}), (.{10,160})\.$", text)
    if found:
        main = found[3]
        return f"{main[:1].upper()}{main[1:]} {found[1].lower()} {found[2]}."
    found = re.match(r"^(.{12,160}) (if|when|unless) ([^,.]{8,90})\.$", text)
    return f"{found[2].capitalize()} {found[3]}, {found[1][:1].lower()}{found[1][1:]}." if found else None


def _framed(rng: random.Random, text: str) -> str | None:
    if not text[:1].isupper() or text[:2].isupper():
        return None
    return rng.choice(("The text says that ", "It is stated that ", "Note that ")) + text[:1].lower() + text[1:]


def _number(rng: random.Random, text: str) -> str | None:
    found = [m for m in re.finditer(r"(?<![\w-])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\w-])", text)]
    if not found:
        return _one_of(rng, text, {w: rng.choice([v for v in NUMBERS.values() if v != w]) for w in NUMBERS.values()})
    m = rng.choice(found)
    value = float(m[0].replace(",", ""))
    other = rng.choice([v for v in (value * 2, value + 5, value + 1, max(1.0, value // 2), value * 10) if v != value])
    new = f"{other:,.0f}" if "," in m[0] else f"{other:g}"
    return text[: m.start()] + new + text[m.end() :]


def _period(rng: random.Random, text: str) -> str | None:
    units = ("hours", "days", "weeks", "months", "years")
    found = re.search(rf"\b({'|'.join(units)})\b", text)
    if found is None:
        return None
    return text[: found.start()] + rng.choice([u for u in units if u != found[1]]) + text[found.end() :]


def _negation(rng: random.Random, text: str) -> str | None:
    found = NEGATABLE.search(text)
    if found:
        first, *rest = found[1].split()
        return text[: found.start()] + " ".join([first, "not", *rest]) + text[found.end() :]
    found = re.search(r"\b(?:do|does|did)? ?not ", text)
    return text[: found.start()] + text[found.end() :] if found else None


def _modality(rng: random.Random, text: str) -> str | None:
    return _one_of(rng, text, MODAL)


def _turned(rng: random.Random, text: str) -> str | None:
    return _one_of(rng, text, TURNED)


def _parties(rng: random.Random, text: str) -> str | None:
    for a, b in SWAPPED:
        if re.search(rf"\b{a}\b", text, re.I) and re.search(rf"\b{b}\b", text, re.I):

            def other(m: re.Match[str], a: str = a, b: str = b) -> str:
                new = b if m[0].lower() == a else a
                return new.capitalize() if m[0][:1].isupper() else new

            return re.sub(rf"\b(?:{a}|{b})\b", other, text, flags=re.I)
    return None


def _regardless(rng: random.Random, text: str) -> str | None:
    if not re.search(r"\b(?:if|unless|only|except|when|provided|subject to)\b", text):
        return None
    return f"{text.rstrip('. ')}, {rng.choice(REGARDLESS)}."
