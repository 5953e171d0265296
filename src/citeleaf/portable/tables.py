"""Patterns, words and numbers of the answering path, read from the modules that use them: nothing is typed twice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import entities
from typing import TypeAlias

from citeleaf.answer import claims, close, decide, gate, match, versions
from citeleaf.backends import (
    generate_quote,
    quote_ask,
    quote_lists,
    quote_score,
    search_sqlite,
    verify_overlap,
)
from citeleaf.errors import ConfigError
from citeleaf.guard import language, look, normal
from citeleaf.guard.patterns import compiled, needles
from citeleaf.guard.rules import words_of
from citeleaf.language import quantities
from citeleaf.portable.regex import javascript
from citeleaf.retrieve import expand, parts, search, tokens
from citeleaf.settings import GuardRule, Settings

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

_FROM = {
    "tokens": tokens,
    "parts": parts,
    "gate": gate,
    "normal": normal,
    "look": look,
    "language": language,
    "ask": quote_ask,
    "quote": generate_quote,
    "lists": quote_lists,
    "score": quote_score,
    "overlap": verify_overlap,
    "versions": versions,
}
_SOME = {"dates": (quantities, ("_DATE",)), "claims": (claims, ("_BEFORE_STOP", "_SPACES"))}
"""Modules of which the path of a quotation uses a few patterns only."""
_NUMBERS = {
    "search": search,
    "expand": expand,
    "look": look,
    "quote": generate_quote,
    "score": quote_score,
    "overlap": verify_overlap,
    "match": match,
    "close": close,
    "decide": decide,
    "versions": versions,
    "parts": parts,
    "normal": normal,
    "store": search_sqlite,
}


def patterns() -> dict[str, Json]:
    """Every pattern of the path by module and name, as [source, flags]; lists and tables of patterns as such.

    Raises `ConfigError` for one that JavaScript has no like of.
    """
    out: dict[str, Json] = {}
    for name, module in _FROM.items():
        for key, value in vars(module).items():
            if isinstance(value, re.Pattern):
                out[f"{name}.{key.strip('_').lower()}"] = [*javascript(value)]
    for name, (module, keys) in _SOME.items():
        out |= {f"{name}.{key.strip('_').lower()}": [*javascript(getattr(module, key))] for key in keys}
    asked, held = quote_ask._ASKED, quote_ask._HELD
    out["ask.asked"] = {kind: [*javascript(p)] for kind, p in asked.items()}
    out["ask.held"] = {kind: [*javascript(p)] for kind, p in held.items()}
    out["ask.term_asked"] = [[*javascript(p)] for p in quote_ask._TERM_ASKED]
    return out


def numbers() -> dict[str, Json]:
    """Every constant number of the path by module and name."""
    return {
        f"{name}.{key.strip('_').lower()}": value
        for name, module in _NUMBERS.items()
        for key, value in vars(module).items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key.isupper()
    }


def words() -> dict[str, Json]:
    """Word lists and tables of letters."""
    return {
        "english": sorted(tokens.ENGLISH_STOP_WORDS),
        "turkish": sorted(tokens.TURKISH_STOP_WORDS),
        "reply_turkish": sorted(language._TURKISH),
        "reply_english": sorted(language._ENGLISH),
        "look_alike": _letters(normal._LOOK_ALIKE),
        "letter_signs": {chr(k): v for k, v in normal._LETTER_SIGNS.items()},
        "folded": _letters(normal._FOLDED),
        "marks": _letters(normal._MARKS),
        "leet": [_letters(table) for table in normal._LEET],
        "rot13": _letters(normal._ROT13),
        "entities": dict(entities.html5),
        "months": dict(quantities._MONTHS),
        "digits": dict(verify_overlap._WORDS),
        "negations": sorted(verify_overlap._NEGATIONS),
        "modal": dict(verify_overlap._MODAL),
        "conditions": sorted(verify_overlap._CONDITIONS),
        "weights": {
            "coverage": quote_score.ALONE.coverage,
            "fit": quote_score.ALONE.fit,
            "defines": quote_score.ALONE.defines,
            "passage": quote_score.ALONE.passage,
        },
        "figures": list(generate_quote._FIGURES),
    }


def request_rules(settings: Settings) -> dict[str, Json]:
    """The guard's rules over questions. Raises `ConfigError`, naming the rule, for a pattern that cannot be written."""
    rules = settings.guard.request
    return {"words": sorted(words_of(rules)), "rules": [_rule(rule) for rule in rules]}


def _rule(rule: GuardRule) -> dict[str, Json]:
    try:
        signs: list[Json] = [
            [*javascript(ready := compiled(pattern, rule.name)), weight, list(needles(ready))]
            for listed, weight in ((rule.patterns, look.SUFFICES), (rule.weak, look._WEAK))
            for pattern in listed
        ]
        unless: list[Json] = [[*javascript(compiled(pattern, rule.name))] for pattern in rule.unless]
    except ConfigError as error:
        raise ConfigError(
            f"guard rule `{rule.name}`: {error.message}", hint=error.hint or "", subject=rule.name
        ) from error
    return {
        "name": rule.name,
        "outcome": rule.outcome,
        "reply": {"en": rule.reply.said_in("en"), "tr": rule.reply.said_in("tr")},
        "signs": signs,
        "unless": unless,
        "places": list(rule.places),
    }


def _letters(table: Mapping[int, int | str | None]) -> dict[str, Json]:
    return {chr(k): chr(v) if isinstance(v, int) else v for k, v in table.items()}
