"""Named rules over a text: a request before anything is searched, a draft before it is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from citeleaf.guard.normal import Reading, readings
from citeleaf.guard.patterns import compiled, needles
from citeleaf.guard.rules import words_of
from citeleaf.settings import GuardRule
from citeleaf.types import Check

_WINDOW = 20_000
_SHARED = 1_000
"""Windows of a long text share this much, so that no hit is lost at an edge."""
_LONGEST = 200_000
_SHOWN = 80
_MOST_HITS = 20
SUFFICES = 1.0
_WEAK = 0.5
_CUE = 0.4
_BESIDE = 0.25
_END = re.compile(r"[.?!;](?= |$)")


def guard(
    text: str, rules: tuple[GuardRule, ...], lent: Mapping[str, float] = MappingProxyType({})
) -> tuple[Check, ...]:
    """One check a rule, in the rules' order; it fails when what was found weighs 1 or more.

    A pattern weighs 1 and a weak sign 0.5, each counted once; `lent` is weight from elsewhere, by rule, that counts
    where the rule found a weak sign itself, or one of those that count only beside it: its cues weigh 0.4 together,
    else the form of a request 0.25.
    Patterns run over every reading of the text (see `normal.readings`), 20,000 characters at a time and over the first
    200,000 of a text, so that the time of a check is bounded. `detail` holds the words that were hit, the trick that
    hid them, and where the pattern is written.
    """
    if not rules:
        return ()
    read = readings(text[:_LONGEST], words_of(rules))
    windows = [Reading(reading.how, part) for reading in read for part in _windows(reading.text)]
    return tuple(_check(rule, _compiled(rule), windows, lent.get(rule.name, 0.0)) for rule in rules)


def wrong_examples(rules: tuple[GuardRule, ...]) -> tuple[str, ...]:
    """The rules' own examples that come out wrong, each told in a line; none when rules and examples agree."""
    return tuple(
        f"{rule.name}: {'is not tripped by' if must else 'is tripped by'} `{text}`"
        for rule in rules
        for must, texts in ((True, rule.trips), (False, rule.passes))
        for text in texts
        if guard(text, (rule,))[0].passed == must
    )


@dataclass(frozen=True, slots=True)
class _Sign:
    """A pattern with the words of which it needs one, what a hit weighs, and where it is written."""

    pattern: re.Pattern[str]
    needles: tuple[str, ...]
    worth: float
    place: str = ""


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A rule's patterns, ready."""

    signs: tuple[_Sign, ...]
    beside: tuple[_Sign, ...]
    """What counts only beside what is lent, the heaviest first."""
    unless: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=1024)
def _compiled(rule: GuardRule) -> _Compiled:
    weights = [SUFFICES] * len(rule.patterns) + [_WEAK] * len(rule.weak)
    patterns = [compiled(pattern, rule.name) for pattern in (*rule.patterns, *rule.weak)]
    places = rule.places or ("",) * len(patterns)
    beside = [(p, worth) for worth, ps in ((_CUE, rule.cues), (_BESIDE, rule.beside)) for p in ps]
    ready = [(compiled(p, rule.name), worth) for p, worth in beside]
    return _Compiled(
        tuple(_Sign(p, needles(p), worth, at) for p, worth, at in zip(patterns, weights, places, strict=True)),
        tuple(_Sign(p, needles(p), worth) for p, worth in ready),
        tuple(compiled(p, rule.name) for p in rule.unless),
    )


def _check(rule: GuardRule, ready: _Compiled, windows: list[Reading], lent: float) -> Check:
    weight, found = 0.0, []
    for sign in ready.signs:
        if hit := _hit(sign, ready.unless, windows):
            weight += sign.worth
            found.append(f"{hit} [{sign.place}]" if sign.place else hit)
            if weight >= SUFFICES:
                break
    if lent and weight == 0:
        beside = ((sign.worth, _hit(sign, ready.unless, windows)) for sign in ready.beside)
        weight, hit = next(((worth, hit) for worth, hit in beside if hit), (0.0, ""))
        found += [hit] if hit else []
    if lent and 0 < weight < SUFFICES:
        weight += lent
        found.append("learned signal")
    return Check(rule.name, weight < SUFFICES, "; ".join(found), weight, SUFFICES)


def _hit(sign: _Sign, unless: tuple[re.Pattern[str], ...], windows: list[Reading]) -> str:
    for window in windows:
        text = window.text
        for word in sign.needles:
            if word in text:
                break
        else:
            if sign.needles:
                continue
        for n, match in enumerate(sign.pattern.finditer(text)):
            if n >= _MOST_HITS:
                break
            if not any(lift.search(_sentence(text, match)) for lift in unless):
                words = match[0].strip()
                shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
                return f"{shown} ({window.how})" if window.how else shown
    return ""


def _sentence(text: str, match: re.Match[str]) -> str:
    before = [m.end() for m in _END.finditer(text, max(0, match.start() - 400), match.start())]
    after = _END.search(text, max(match.start(), match.end() - 1), match.end() + 400)
    return text[before[-1] if before else max(0, match.start() - 400) : after.end() if after else match.end() + 400]


def _windows(text: str) -> list[str]:
    step = _WINDOW - _SHARED
    return [text[i : i + _WINDOW] for i in range(0, max(len(text) - _SHARED, 1), step)]
