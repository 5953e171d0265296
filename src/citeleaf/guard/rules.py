"""Rule files: word lists and rules that profiles name, so that no rule is written twice.

A rule file is TOML with the tables `[words]`, `[[request]]`, `[[answer]]` and `[[document]]`. In a pattern `{name}`
stands for any of a word list; the lists of `words.toml` may be used in every file, and a list may use earlier ones.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from citeleaf.errors import ConfigError
from citeleaf.guard.patterns import compiled
from citeleaf.settings import GuardRule, GuardSettings

_COMMON = "words"
_LIST = re.compile(r"\{([a-z_]{2,40})\}")
KINDS = ("request", "answer", "document")


def rule_files() -> tuple[str, ...]:
    """Names of the rule files that come with citeleaf, sorted."""
    names = (f.name for f in _folder().iterdir() if f.name.endswith(".toml"))
    return tuple(sorted(name.removesuffix(".toml") for name in names if name != f"{_COMMON}.toml"))


def with_rules(settings: GuardSettings, own: str = "settings") -> GuardSettings:
    """The settings with the rules of their rule files before their own rules, word lists filled in, patterns checked.

    Rules named in `off` are left out of those of the files. `own` names the source of the settings' own rules. Raises
    `ConfigError` for an unknown file, rule or word list, a name that stands twice, and a pattern that is refused.
    """
    common = _file(_COMMON).words
    loaded = [_file(name) for name in settings.rules]
    known = {rule.name for one in loaded for kind in KINDS for rule in getattr(one, kind)}
    if missing := [name for name in settings.off if name not in known]:
        raise ConfigError(
            f"no guard rule `{missing[0]}` to switch off",
            hint=f"take one of {', '.join(sorted(known))}" if known else "name rule files in guard.rules",
            subject=missing[0],
        )
    rules: dict[str, tuple[GuardRule, ...]] = {}
    for kind in KINDS:
        shared = [
            _filled(rule, common | one.words, checked=name.endswith(".toml"))
            for name, one in zip(settings.rules, loaded, strict=True)
            for rule in getattr(one, kind)
            if rule.name not in settings.off
        ]
        mine = [
            _filled(_placed(rule, own, ""), common | settings.words, checked=True) for rule in getattr(settings, kind)
        ]
        rules[kind] = _unique([*shared, *mine], kind)
    return settings.model_copy(update=rules)


@lru_cache(maxsize=64)
def words_of(rules: tuple[GuardRule, ...]) -> frozenset[str]:
    """The words (three letters and more) that the rules' patterns and examples are made of, in small letters."""
    texts = [text for rule in rules for text in (*rule.patterns, *rule.weak)]
    plain = " ".join(re.sub(r"\\[a-zA-Z]|\?", " ", text) + " " + text.replace("?", "") for text in texts)
    examples = " ".join(text for rule in rules for text in rule.trips)
    return frozenset(re.findall(r"[a-z]{3,}", f"{plain} {examples}".lower()))


def _folder() -> Path:
    return Path(str(files("citeleaf") / "profiles" / "rules"))


@lru_cache(maxsize=64)
def _file(name: str) -> GuardSettings:
    path = Path(name) if name.endswith(".toml") else _folder() / f"{name}.toml"
    try:
        text = path.read_text("utf-8")
        found = GuardSettings.model_validate({"rules": (), **tomllib.loads(text)})
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"no rule file `{name}`", hint=f"take of {', '.join(rule_files())}, or a path ending in .toml", subject=name
        ) from error
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigError(f"rule file `{name}`: {error}", hint="mend the file", subject=name) from error
    label = path.name
    return found.model_copy(
        update={kind: tuple(_placed(rule, label, text) for rule in getattr(found, kind)) for kind in KINDS}
    )


def _placed(rule: GuardRule, label: str, text: str) -> GuardRule:
    lines = text.splitlines()
    places = []
    for pattern in (*rule.patterns, *rule.weak):
        at = next((n for n, line in enumerate(lines, 1) if pattern in line), None)
        places.append(f"{label}:{at}" if at else label)
    return rule.model_copy(update={"places": tuple(places)})


def _filled(rule: GuardRule, words: Mapping[str, Sequence[str]], *, checked: bool) -> GuardRule:
    """The rule with its word lists in; a test holds the patterns of our own files to the limits, not every start."""
    filled: dict[str, tuple[str, ...]] = {
        field: tuple(_fill(pattern, words, rule.name) for pattern in getattr(rule, field))
        for field in ("patterns", "weak", "beside", "cues", "unless")
    }
    for pattern in (p for patterns in filled.values() for p in patterns if checked):
        compiled(pattern, rule.name)
    return rule.model_copy(update=filled)


def _fill(pattern: str, words: Mapping[str, Sequence[str]], rule: str) -> str:
    def put(match: re.Match[str]) -> str:
        if match[1] not in words:
            raise ConfigError(f"no word list `{match[1]}` for guard rule `{rule}`", hint="see [words]", subject=rule)
        return f"(?:{'|'.join(words[match[1]])})"

    for _ in range(4):
        if not _LIST.search(pattern):
            break
        pattern = _LIST.sub(put, pattern)
    return pattern


def _unique(rules: list[GuardRule], kind: str) -> tuple[GuardRule, ...]:
    names = [rule.name for rule in rules]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(
            f"guard rule `{twice}` stands twice over the {kind}",
            hint="give yours another name, or switch the other off in guard.off",
            subject=twice,
        )
    return tuple(rules)
