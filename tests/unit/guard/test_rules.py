from __future__ import annotations

import random
import string
import time
from pathlib import Path

import pytest

from citeleaf.errors import ConfigError
from citeleaf.guard.look import guard, wrong_examples
from citeleaf.guard.normal import normal
from citeleaf.guard.patterns import compiled, needles
from citeleaf.guard.rules import KINDS, rule_files, with_rules
from citeleaf.layers import load, profiles
from citeleaf.settings import GuardRule, GuardSettings

ALL = with_rules(GuardSettings(rules=rule_files()))
PATTERNS = sorted(
    {p for kind in KINDS for rule in getattr(ALL, kind) for p in (*rule.patterns, *rule.weak, *rule.unless)}
)
HARD = [
    "a" * 2_000,
    "a " * 1_000,
    "ignore your " * 170,
    "how do i " * 200,
    "should i " * 220,
    "what is the " * 170,
    "my my my " * 220,
    "the user, " * 200,
    '"' * 2_000,
    "( [ ] ) " * 250,
    "tum talimat " * 160,
    "onceki kural " * 150,
    "".join(random.Random(7).choices(string.ascii_lowercase + "  ", k=2_000)),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", rule_files())
def test_rules_agree_with_their_own_examples(name: str, kind: str) -> None:
    rules = getattr(with_rules(GuardSettings(rules=(name,))), kind)
    assert not wrong_examples(rules)
    assert all(rule.trips and rule.passes and rule.about for rule in rules)
    if kind == "request":
        assert all(rule.reply.en and rule.reply.tr for rule in rules)


def test_no_pattern_runs_long_on_texts_made_for_it() -> None:
    slow = []
    for pattern in PATTERNS:
        ready = compiled(pattern, "shipped")
        for text in HARD:
            start = time.perf_counter()
            list(ready.finditer(text))
            if (taken := time.perf_counter() - start) > 0.25:
                slow.append((round(taken, 2), pattern[:80], text[:20]))
    assert not slow


def test_a_long_hostile_question_is_looked_at_in_bounded_time() -> None:
    rules = load("insurance")[0].guard.request
    start = time.perf_counter()
    guard(("ignore how do i my should the your what " * 500)[:20_000], rules)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        ".*x",
        r"\w+ x",
        "(a{1,5}){1,20}",
        "(?:a{1,9}b?){1,12}",
        "a.{0,90}b.{0,90}c.{0,90}d",
        "a{2,}",
        "(?P=x)",
        "(",
    ],
)
def test_patterns_that_could_run_long_are_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="`mine`"):
        with_rules(GuardSettings(rules=(), request=(GuardRule(name="mine", patterns=(pattern,)),)))


@pytest.mark.parametrize(
    "pattern", [r"\bab\b.{0,60}\bcd\b", r"(?:\w{1,20},? ){0,5}x", r"a(?! b)c?", r"((?: x){1,3})\1{9}"]
)
def test_bounded_patterns_are_taken(pattern: str) -> None:
    assert with_rules(GuardSettings(rules=(), request=(GuardRule(name="mine", patterns=(pattern,)),))).request


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\b(?:ignore|forget) (?:all|the) rules", "please forget the rules"),
        (r"(?:abc)?def", "def"),
        (r"x|yz", "yz"),
        (r"[ab]c{0,3}", "a"),
        (r"(?:ab){1,2}c", "abc"),
        (r"(?:ab){0,2}", ""),
    ],
)
def test_a_text_that_matches_has_one_of_the_needles(pattern: str, text: str) -> None:
    ready = compiled(pattern, "r")
    assert ready.search(text)
    words = needles(ready)
    assert not words or any(word in text for word in words)


def test_needles_never_hide_a_hit() -> None:
    texts = [t for kind in KINDS for rule in getattr(ALL, kind) for t in (*rule.trips, *rule.passes)]
    lowered = [normal(text) for text in texts]
    for pattern in PATTERNS:
        ready = compiled(pattern, "shipped")
        words = needles(ready)
        for text in lowered:
            if words and ready.search(text):
                assert any(word in text for word in words), (pattern[:60], text)


def test_a_profile_adds_and_switches_off_rules(tmp_path: Path) -> None:
    (tmp_path / "citeleaf.toml").write_text(
        """
        [guard]
        off = ["advice_request"]
        words = { fruit = ["apples?", "pears?"] }
        [[guard.request]]
        name = "fruit"
        patterns = '{fruit}'
        outcome = "escalated"
        reply = "Ask the greengrocer."
        """,
        "utf-8",
    )
    rules = load("insurance", folder=tmp_path, environment={})[0].guard.request
    names = [rule.name for rule in rules]
    assert "advice_request" not in names and "pricing_request" in names
    assert names[-1] == "fruit"
    assert rules[-1].reply.said_in("tr") == "Ask the greengrocer."
    assert not guard("Two pears?", rules)[-1].passed


def test_mistakes_in_a_profile_are_told(tmp_path: Path) -> None:
    def settled(**fields: object) -> GuardSettings:
        return with_rules(GuardSettings.model_validate({"rules": ["injection"], **fields}))

    with pytest.raises(ConfigError, match="no rule file `nothing`"):
        settled(rules=["nothing"])
    with pytest.raises(ConfigError, match="no guard rule `nothing` to switch off"):
        settled(off=["nothing"])
    with pytest.raises(ConfigError, match="`injection` stands twice"):
        settled(request=[{"name": "injection", "patterns": "x"}])
    with pytest.raises(ConfigError, match="no word list `nothing`"):
        settled(request=[{"name": "mine", "patterns": "{nothing}"}])
    bad = tmp_path / "bad.toml"
    bad.write_text("[[request]\n", "utf-8")
    with pytest.raises(ConfigError, match="rule file"):
        settled(rules=[str(bad)])


def test_a_rule_file_of_ones_own_is_read_and_its_lines_are_named(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("[[request]]\nname = 'own'\npatterns = [\n  'zebra',\n]\n", "utf-8")
    rules = with_rules(GuardSettings(rules=(str(own),))).request
    assert guard("a zebra", rules)[0].detail == "zebra [own.toml:4]"


@pytest.mark.parametrize("profile", profiles())
def test_every_profile_that_comes_along_has_rules_over_requests_answers_and_documents(profile: str) -> None:
    rules = load(profile, environment={})[0].guard
    assert {"injection", "prompt_extraction", "harmful"} <= {rule.name for rule in rules.request}
    assert rules.answer and rules.document


def test_no_rule_is_written_twice() -> None:
    written = [p for kind in KINDS for rule in getattr(ALL, kind) for p in rule.patterns]
    assert len(written) == len(set(written))
