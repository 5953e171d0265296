"""Behaviours of the fake model server as a judge: one that does as asked, and ways not to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_ITEM = re.compile(r"^(\d+)\.\n((?:\|.*\n?)+)", re.MULTILINE)
_LAST = re.compile(r"^(?:Statements|Passages|Parts):\n", re.MULTILINE)


def judge(asked: Any) -> str:
    """Statements are sentences; a thing is affirmed when the rest of the prompt holds most of its longer words."""
    prompt = asked.messages[-1]["content"]
    if prompt.startswith("Split"):
        body = prompt.rpartition("Text:\n")[2]
        sentences = re.findall(r"[^.!?\n|]+[.!?]?", " ".join(re.sub(r"^\| ?", "", body, flags=re.M).split()))
        return "\n".join(f"{n}. {s.strip()}" for n, s in enumerate(sentences, 1))
    if prompt.startswith("Write 3"):
        body = prompt.rpartition("Text:\n")[2].strip("| \n")
        return "\n".join(f"{n}. Is it so that {body}?" for n in (1, 2, 3))
    if not _LAST.search(prompt):
        return "Hello."
    place = list(_LAST.finditer(prompt))[-1]
    told = set(re.findall(r"\w{4,}", prompt[: place.start()].lower()))
    said = []
    for number, item in _ITEM.findall(prompt[place.end() :] + "\n"):
        words = set(re.findall(r"\w{2,}", item.lower()))
        long = {w for w in words if len(w) > 3} or words
        said.append(f"{number}. {'yes' if len(long & told) >= len(long) / 2 else 'no'}")
    return "\n".join(said)


def _one_less(asked: Any) -> str:
    lines = judge(asked).split("\n")
    return "\n".join(lines[:-1]) or "Nothing to say."


SAYS: dict[str, Callable[[Any], str]] = {
    "judge": judge,
    "judge_that_thinks": lambda a: f"<think>1. no\n2. maybe</think>\n{judge(a)}",
    "judge_in_prose": lambda a: "All of it looks right to me.",
    "judge_one_less": _one_less,
    "judge_unsure": lambda a: judge(a).replace("yes", "perhaps").replace("no", "perhaps"),
    "judge_miscounts": lambda a: judge(a).replace("1.", "7."),
}
