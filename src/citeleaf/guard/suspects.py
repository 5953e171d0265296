"""Which lines of a long text rules could find something in: a quick look at all of it before a slow one at a few.

A pattern needs certain words to match (see `patterns.needs`), and a trick that hides words leaves a trace. A line with
neither is not looked at; every other is, so that the quick look loses nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from citeleaf.guard.normal import disguised, plain_lines, tricks
from citeleaf.guard.patterns import Need, compiled, needs
from citeleaf.guard.rules import words_of
from citeleaf.settings import GuardRule


def suspects(text: str, rules: tuple[GuardRule, ...]) -> frozenset[int]:
    """Numbers, from 0, of the lines in which some rule could find something; lines end at a line feed."""
    wanted = _wanted(rules)
    if wanted is None:
        return frozenset(range(text.count("\n") + 1))
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    found = {bisect_right(starts, at) - 1 for at in tricks(text)}
    words = _Words(plain_lines(text))
    for token in disguised(words.lines_of, words_of(rules)):
        found.update(words.lines_of[token])
    for need in wanted:
        found.update(words.meeting(need))
    return frozenset(found)


@lru_cache(maxsize=64)
def _wanted(rules: tuple[GuardRule, ...]) -> tuple[Need, ...] | None:
    """What the alternatives of all patterns need; None where one needs nothing that could be looked for."""
    patterns = [compiled(pattern, rule.name) for rule in rules for pattern in (*rule.patterns, *rule.weak)]
    found = [tuple(s for s in need if all(map(str.strip, s))) for pattern in patterns for need in needs(pattern)]
    return tuple(dict.fromkeys(found)) if all(found) else None


class _Words:
    """The tokens of a text with the lines that they stand in."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Tokens are what blanks part."""
        self._lines = lines
        self.lines_of: dict[str, list[int]] = {}
        for n, line in enumerate(lines):
            for token in line.split(" "):
                self.lines_of.setdefault(token, []).append(n)
        self._tokens = "\n".join(self.lines_of) + "\n"
        self._counts: dict[str, int] = {}
        self._with: dict[str, set[int]] = {}

    def meeting(self, need: Need) -> Iterator[int]:
        """The lines that hold a word of each set."""
        rarest = min(need, key=lambda words: sum(map(self._count, words)))
        for n in sorted(set().union(*(self._holding(_longest(word)) for word in rarest))):
            if all(any(word in self._lines[n] for word in words) for words in need):
                yield n

    def _count(self, word: str) -> int:
        if word not in self._counts:
            self._counts[word] = self._tokens.count(_longest(word))
        return self._counts[word]

    def _holding(self, part: str) -> set[int]:
        """The lines with a token that holds these letters."""
        if part not in self._with:
            found: set[int] = set()
            at = self._tokens.find(part)
            while at >= 0:
                end = self._tokens.index("\n", at)
                found.update(self.lines_of[self._tokens[self._tokens.rfind("\n", 0, at) + 1 : end]])
                at = self._tokens.find(part, end)
            self._with[part] = found
        return self._with[part]


@lru_cache(maxsize=4096)
def _longest(word: str) -> str:
    """The longest piece of a needed word that lies within a token."""
    return max(word.split(), key=len)
