"""Python's regular expressions written for JavaScript, so that both match the same words of the same text.

JavaScript's `\\w`, `\\b`, `\\d`, `\\s` and `$` mean something else than Python's, and ignoring case does for the dotted
and dotless i. The pattern is taken apart by Python's own parser and written anew, for the flags `u` and `iu`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

from citeleaf.errors import ConfigError

_Part: TypeAlias = tuple[Any, Any]

_WORD = r"\p{L}\p{N}_"
_DIGIT = r"\p{Nd}"
_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CLASSES = {ops.CATEGORY_WORD: _WORD, ops.CATEGORY_DIGIT: _DIGIT, ops.CATEGORY_SPACE: _SPACE}
_COMPLEMENTS = {
    ops.CATEGORY_NOT_WORD: _WORD,
    ops.CATEGORY_NOT_DIGIT: _DIGIT,
    ops.CATEGORY_NOT_SPACE: _SPACE,
}
_PLACES = {
    ops.AT_BEGINNING: r"(?<![^])",
    ops.AT_BEGINNING_STRING: r"(?<![^])",
    ops.AT_END: r"(?=\n?(?![^]))",
    ops.AT_END_STRING: r"(?![^])",
    ops.AT_BOUNDARY: rf"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    ops.AT_NON_BOUNDARY: rf"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))",
}
_I = frozenset("iIıİ")
"""Alike to Python where case is ignored; JavaScript takes them for three letters."""


def javascript(pattern: re.Pattern[str]) -> tuple[str, str]:
    """Source and flags (`u` or `iu`) of a JavaScript expression that matches what the pattern matches.

    Groups keep their numbers. Raises `ConfigError` for what JavaScript has no like of: references to groups that
    need not have taken part, conditions on groups, atomic groups, repeats that never give back, flags inside
    the pattern, and flags other than ignoring case.
    """
    if pattern.flags & ~(re.IGNORECASE | re.UNICODE):
        raise _refused(pattern.pattern, "flags other than ignoring case")
    ignored = bool(pattern.flags & re.IGNORECASE)
    parts = [*parser.parse(pattern.pattern, pattern.flags & re.IGNORECASE)]
    return _sequence(parts, ignored, pattern.pattern), "iu" if ignored else "u"


def _sequence(parts: Sequence[_Part], ignored: bool, pattern: str, sure: frozenset[int] = frozenset()) -> str:
    """`sure` are the groups that have taken part where the sequence begins."""
    out = ""
    for op, value in parts:
        out += _part(op, value, ignored, pattern, sure)
        sure |= _taking_part(op, value)
    return out


def _taking_part(op: Any, value: Any) -> frozenset[int]:
    """The groups in a part that have taken part once it has matched."""
    if op is ops.SUBPATTERN:
        own: frozenset[int] = frozenset() if value[0] is None else frozenset({value[0]})
        return own.union(*(_taking_part(*part) for part in value[-1]))
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT) and value[0] > 0:
        return frozenset[int]().union(*(_taking_part(*part) for part in value[2]))
    return frozenset()


def _part(op: Any, value: Any, ignored: bool, pattern: str, sure: frozenset[int]) -> str:
    if op is ops.LITERAL:
        return "[iıİ]" if ignored and chr(value) in _I else _sign(value)
    if op is ops.NOT_LITERAL:
        return _class([(ops.NEGATE, None), (ops.LITERAL, value)], ignored)
    if op is ops.ANY:
        return r"[^\n]"
    if op is ops.IN:
        return _class(value, ignored)
    if op is ops.AT:
        return _PLACES[value]
    if op is ops.BRANCH:
        return f"(?:{'|'.join(_sequence([*branch], ignored, pattern, sure) for branch in value[1])})"
    if op is ops.SUBPATTERN:
        group, add, remove, inner = value
        if add or remove:
            raise _refused(pattern, "flags inside the pattern")
        return f"({'?:' if group is None else ''}{_sequence([*inner], ignored, pattern, sure)})"
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        least, most, inner = value
        limit = "" if most == ops.MAXREPEAT else str(most)
        lazy = "?" if op is ops.MIN_REPEAT else ""
        return f"(?:{_sequence([*inner], ignored, pattern, sure)}){{{least},{limit}}}{lazy}"
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        way, inner = value
        sign = ("" if way > 0 else "<") + ("=" if op is ops.ASSERT else "!")
        return f"(?{sign}{_sequence([*inner], ignored, pattern, sure)})"
    if op is ops.GROUPREF and value in sure:
        return f"(?:\\{value})"
    raise _refused(pattern, f"`{str(op).lower()}`")


def _class(items: Sequence[_Part], ignored: bool) -> str:
    negated = bool(items) and items[0][0] is ops.NEGATE
    inside, complements = "", []
    for op, value in items[1:] if negated else items:
        if op is ops.LITERAL:
            inside += _sign(value) + ("iıİ" if ignored and chr(value) in _I else "")
        elif op is ops.RANGE:
            low, high = value
            inside += f"{_sign(low)}-{_sign(high)}"
            inside += "iıİ" if ignored and any(low <= ord(c) <= high for c in _I) else ""
        elif value in _CLASSES:
            inside += _CLASSES[value]
        else:
            complements.append(_COMPLEMENTS[value])
    if not complements:
        return f"[{'^' if negated else ''}{inside}]"
    if not negated:
        return f"(?:{'|'.join([*([f'[{inside}]'] if inside else []), *(f'[^{c}]' for c in complements)])})"
    first, *others = complements
    held = "".join(f"(?=[{c}])" for c in others)
    return f"(?:{f'(?![{inside}])' if inside else ''}{held}[{first}])"


def _sign(code: int) -> str:
    sign = chr(code)
    return sign if sign.isalnum() and sign.isascii() else f"\\u{{{code:x}}}"


def _refused(pattern: str, what: str) -> ConfigError:
    shown = pattern if len(pattern) <= 160 else f"{pattern[:160]}…"
    return ConfigError(
        f"a pattern uses {what}, which JavaScript has no like of: `{shown}`",
        hint="write the pattern without it, or switch its rule off in guard.off",
        subject=shown,
    )
