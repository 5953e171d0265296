"""Patterns that a rule may use: those that cannot run long."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

from citeleaf.errors import ConfigError

MOST_WAYS = 200_000
"""Ways in which one pattern may try to match at one place of a text: the product of what its repeats may vary."""
_LONGEST = 400
_FEW = 12
_ONE = frozenset({ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY, ops.CATEGORY, ops.RANGE, ops.AT, ops.GROUPREF})


@lru_cache(maxsize=8192)
def compiled(pattern: str, rule: str) -> re.Pattern[str]:
    """The pattern over text in normal form: its letters lose their accents, case is ignored.

    Raises `ConfigError` naming the rule for a pattern that is no regular expression, that repeats without a limit
    (`*`, `+`, `{2,}`), repeats a repeat more than a little, or could try more than `MOST_WAYS` ways at one place.
    """
    folded = "".join(c for c in unicodedata.normalize("NFD", pattern.replace("ı", "i")) if not unicodedata.combining(c))
    try:
        ways = _ways(parser.parse(folded, re.IGNORECASE))
        if ways > MOST_WAYS:
            raise _Slow(f"may try {ways:,} ways at one place; {MOST_WAYS:,} are allowed")
        return re.compile(folded, re.IGNORECASE)
    except _Slow as slow:
        raise ConfigError(
            f"a pattern of guard rule `{rule}` {slow}: `{pattern}`",
            hint="give every repeat a limit, e.g. `.{0,60}` for `.*`, and repeat no repeat",
            subject=rule,
        ) from slow
    except re.error as error:
        raise ConfigError(
            f"a pattern of guard rule `{rule}` is no regular expression: {error}: `{pattern}`",
            hint="correct it in the profile",
            subject=rule,
        ) from error


class _Slow(ValueError):
    """Why a pattern could run long."""


def _ways(parts: object, outer: int = 1) -> int:
    """Product over a sequence, sum over a choice, of the ways to match; refuses what has no limit."""
    ways = 1
    for op, value in parts:  # type: ignore[attr-defined]
        if op in _ONE:
            continue
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
            least, most, inner = value
            if most == ops.MAXREPEAT:
                raise _Slow("repeats without a limit")
            if most > 1 and most * outer > _LONGEST:
                raise _Slow(f"repeats more than {_LONGEST} times")
            within = 1 if _is_word(inner) else _ways(inner, outer * max(most, 1))
            if within > 1 and most > _FEW:
                raise _Slow("repeats a repeat")
            ways *= (most - least + 1) * within ** (most if within > 1 else 1)
        elif op is ops.BRANCH:
            ways *= max(_ways(branch, outer) for branch in value[1])
        elif op is ops.SUBPATTERN:
            ways *= _ways(value[-1], outer)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            ways *= _ways(value[1], outer)
        else:
            raise _Slow(f"uses `{str(op).lower()}`, which is not allowed")
    return ways


def _is_word(parts: object) -> bool:
    """A word and the sign after it, such as `\\w{1,12},? `: one way to match, however long the word."""
    first, *rest = [*parts] or [(None, None)]  # type: ignore[misc]
    if first[0] is not ops.MAX_REPEAT or [*first[1][2]] != [(ops.IN, [(ops.CATEGORY, ops.CATEGORY_WORD)])] or not rest:
        return False
    return first[1][1] != ops.MAXREPEAT and all(
        _is_sign(op, value) or (op is ops.MAX_REPEAT and value[1] == 1 and all(_is_sign(*part) for part in value[2]))
        for op, value in rest
    )


def _is_sign(op: object, value: object) -> bool:
    return op is ops.LITERAL and isinstance(value, int) and not chr(value).isalnum()
