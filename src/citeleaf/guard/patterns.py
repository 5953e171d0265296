"""Patterns that a rule may use: those that cannot run long."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

from citeleaf.errors import ConfigError

MOST_WAYS = 200_000
"""Ways in which one pattern may try to match at one place of a text: the product of what its repeats may vary."""
_LONGEST = 400
_FEW = 12
_ONE = frozenset({ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY, ops.CATEGORY, ops.RANGE, ops.AT, ops.GROUPREF})
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT)
_Part = tuple[Any, Any]


@lru_cache(maxsize=8192)
def compiled(pattern: str, rule: str) -> re.Pattern[str]:
    """The pattern over text in normal form: its letters lose their accents, case is ignored.

    Raises `ConfigError` naming the rule for a pattern that is no regular expression, that repeats without a limit
    (`*`, `+`, `{2,}`), repeats a repeat more than a little, or could try more than `MOST_WAYS` ways at one place.
    """
    folded = "".join(c for c in unicodedata.normalize("NFD", pattern.replace("ı", "i")) if not unicodedata.combining(c))
    try:
        ways = _ways([*parser.parse(folded, re.IGNORECASE)])
        if ways > MOST_WAYS:
            raise _Slow(f"may try {ways:,} ways at one place; {MOST_WAYS:,} are allowed")
        return re.compile(folded, re.IGNORECASE)
    except _Slow as slow:
        raise ConfigError(
            f"a pattern of guard rule `{rule}` {slow}: `{_short(pattern)}`",
            hint="give every repeat a limit, e.g. `.{0,60}` for `.*`, and repeat no repeat",
            subject=rule,
        ) from slow
    except re.error as error:
        raise ConfigError(
            f"a pattern of guard rule `{rule}` is no regular expression: {error}: `{_short(pattern)}`",
            hint="correct it in the profile",
            subject=rule,
        ) from error


Need: TypeAlias = tuple[tuple[str, ...], ...]
"""Sets of words; a text that matches holds a word of each."""


@lru_cache(maxsize=8192)
def needs(pattern: re.Pattern[str]) -> tuple[Need, ...]:
    """What each alternative of the pattern needs; an empty one where that cannot be told."""
    parts: list[_Part] = [*parser.parse(pattern.pattern, re.IGNORECASE)]
    choice = next((n for n, (op, _) in enumerate(parts) if op is ops.BRANCH), None)
    options = [[]] if choice is None else [[*branch] for branch in parts[choice][1][1]]
    every = [[*parts[:choice], *option, *parts[choice + 1 :]] for option in options] if choice is not None else [parts]
    found = [dict.fromkeys(tuple(sorted(words)) for words in _needs(sequence)) for sequence in every]
    return tuple(tuple(sets) for sets in found)


@lru_cache(maxsize=8192)
def needles(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Words of which one stands in every text that the pattern matches; none when that cannot be told.

    Looking for them first is much faster than trying the pattern at every place of a text that has none of them.
    """
    best = [_best(need) for need in needs(pattern)]
    return tuple(sorted({word for words in best for word in words})) if all(best) else ()


def _best(sets: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The set whose shortest word is longest."""
    return max(sets, key=lambda words: (min(map(len, words)), -len(words)), default=())


def _needs(parts: Sequence[_Part]) -> list[frozenset[str]]:
    sets: list[frozenset[str]] = []
    run = ""
    for op, value in (*parts, (None, None)):
        if op is ops.LITERAL:
            run += chr(value).lower()
            continue
        if run:
            sets.append(frozenset({run}))
            run = ""
        if op is ops.SUBPATTERN:
            sets += _needs([*value[-1]])
        elif op in _REPEATS and value[0] > 0:
            sets += _needs([*value[2]])
        elif op is ops.BRANCH:
            branches = [_best([tuple(sorted(words)) for words in _needs([*branch])]) for branch in value[1]]
            if all(branches):
                sets.append(frozenset(word for words in branches for word in words))
    return sets


def _short(pattern: str) -> str:
    return pattern if len(pattern) <= 160 else f"{pattern[:160]}…"


class _Slow(ValueError):
    """Why a pattern could run long."""


def _ways(parts: Sequence[_Part], outer: int = 1) -> int:
    """The ways to match: product over a sequence, most of a choice; what looks ahead ends there. Refuses no limit."""
    ways = beside = 1
    for n, (op, value) in enumerate(parts):
        if op in _ONE:
            continue
        if op in _REPEATS:
            least, most, inner = value
            if most == ops.MAXREPEAT:
                raise _Slow("repeats without a limit")
            if most > 1 and most * outer > _LONGEST:
                raise _Slow(f"repeats more than {_LONGEST} times")
            if _is_letters([*inner]) and n + 1 < len(parts) and _ends_letters(parts[n + 1], [*inner]):
                continue
            within = _ways([*inner], outer * max(most, 1)) if not _is_word([*inner]) else 1
            if within > 1 and most > _FEW:
                raise _Slow("repeats a repeat")
            ways *= (most - least + 1) * within ** (most if within > 1 else 1)
        elif op is ops.BRANCH:
            ways *= max(_ways([*branch], outer) for branch in value[1])
        elif op is ops.SUBPATTERN:
            ways *= _ways([*value[-1]], outer)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            beside = max(beside, _ways([*value[1]], outer))
        else:
            raise _Slow(f"uses `{str(op).lower()}`, which is not allowed")
    return max(ways, beside)


def _is_letters(parts: Sequence[_Part]) -> bool:
    return len(parts) == 1 and parts[0][0] is ops.IN and parts[0][1][0][0] is not ops.NEGATE


def _ends_letters(part: _Part, letters: Sequence[_Part]) -> bool:
    """Where a run of letters can end in one place only: at a word's edge, or before a sign that is none of them."""
    op, value = part
    if op is ops.AT:
        return value is ops.AT_BOUNDARY and letters[0][1] == [(ops.CATEGORY, ops.CATEGORY_WORD)]
    return op is ops.LITERAL and _is_sign(part) and (ops.LITERAL, value) not in letters[0][1]


def _is_word(parts: Sequence[_Part]) -> bool:
    """One word with a sign before or after it, such as `\\w{1,12},? `: one way to match, however long the word."""
    runs = [part for part in parts if part[0] in _REPEATS and _is_letters([*part[1][2]])]
    others = [part for part in parts if part not in runs and part[0] not in (ops.ASSERT, ops.ASSERT_NOT)]
    signs = [_is_sign(p) or (p[0] in _REPEATS and p[1][1] == 1 and all(map(_is_sign, p[1][2]))) for p in others]
    return len(runs) == 1 and runs[0][1][1] != ops.MAXREPEAT and any(map(_is_sign, others)) and all(signs)


def _is_sign(part: _Part) -> bool:
    return part[0] is ops.LITERAL and not chr(part[1]).isalnum()
