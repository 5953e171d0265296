"""Named rules over a text: a request before anything is searched, a draft before it is shown."""

from __future__ import annotations

import re
from functools import lru_cache

from citeleaf.answer.normal import normal
from citeleaf.errors import ConfigError
from citeleaf.settings import GuardRule
from citeleaf.types import Check

_WINDOW = 20_000
_SHARED = 1_000
"""Windows of a long text share this much, so that no hit is lost at an edge."""
_LONGEST = 200_000
_SHOWN = 80


def guard(text: str, rules: tuple[GuardRule, ...]) -> tuple[Check, ...]:
    """One check a rule, in the rules' order; it fails when its pattern is found and `unless` is not.

    Patterns run over the normalised text (see `normal`), case ignored, 20,000 characters at a time and over the first
    200,000 of a text, so that the time of a check is bounded. `detail` holds the words that were hit. Raises
    `ConfigError` for a pattern that is no regular expression.
    """
    if not rules:
        return ()
    windows = _windows(normal(text[:_LONGEST]))
    return tuple(_check(rule, windows) for rule in rules)


def _check(rule: GuardRule, windows: list[str]) -> Check:
    pattern = _compiled(rule.pattern, rule.name)
    for window in windows:
        hit = pattern.search(window)
        if hit is not None and not (rule.unless and _compiled(rule.unless, rule.name).search(window)):
            return Check(rule.name, False, hit[0][:_SHOWN])
    return Check(rule.name, True, "")


def _windows(text: str) -> list[str]:
    step = _WINDOW - _SHARED
    return [text[i : i + _WINDOW] for i in range(0, max(len(text) - _SHARED, 1), step)]


@lru_cache(maxsize=1024)
def _compiled(pattern: str, name: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ConfigError(
            f"the pattern of guard rule `{name}` is no regular expression: {error}",
            hint="correct it in the profile",
            subject=name,
        ) from error
