"""Python's patterns in JavaScript: what is written, what is refused, and that all of ours can be written."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from citeleaf.errors import ConfigError
from citeleaf.layers import load, profiles
from citeleaf.portable.regex import javascript
from citeleaf.portable.tables import patterns, request_rules

NODE = shutil.which("node")
TEXTS = [
    "naïve İstanbul ısı SIX k K ſ",
    "a\u00a0b\u2028c\x1cd\ufeffe",
    "x-1 _y ٣ ² Ⅳ 中文",
    "end\n",
    "\n",
    "aaa.b—c",
    "",
]
PATTERNS = [
    (r"\b\w+\b", 0),
    (r"[^\W\d_]+", 0),
    (r"\bi\w*", re.IGNORECASE),
    (r"[a-k]+", re.IGNORECASE),
    (r"[^a-k]+", re.IGNORECASE),
    (r"\s", 0),
    (r"\S+$", 0),
    (r"^\W*(?P<first>\w).*?(\d|\Z)", 0),
    (r"(?<!\w)a{1,2}(?=a)|(a)", 0),
    (r"((?:[a-z]|\W){1,2})\1{2}", 0),
    (r"[\W\s]", 0),
    (r"[^\S\n]", 0),
    (r"\B.", 0),
    (r"[]^\\-]|[.—]", 0),
]


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_both_find_the_same_words() -> None:
    written = [javascript(re.compile(pattern, flags)) for pattern, flags in PATTERNS]
    script = (
        "const [ps, ts] = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(ps.map(([s, f]) => ts.map((t) => [...t.matchAll(new RegExp(s, 'g' + f))]"
        ".map((m) => m[0])))))"
    )
    done = subprocess.run(
        [str(NODE), "-e", script], input=json.dumps([written, TEXTS]), capture_output=True, text=True, check=True
    )
    wanted = [[[m[0] for m in re.finditer(p, text, flags)] for text in TEXTS] for p, flags in PATTERNS]
    for (pattern, _), want, got in zip(PATTERNS, wanted, json.loads(done.stdout), strict=True):
        assert got == want, pattern


@pytest.mark.parametrize(
    "pattern", ["(?>a)b", "a++", "(a)?(?(1)b|c)", "(?i:a)b", r"(?:(a)|b)\1", r"(a)?\1", "(?s).", "(?m)^a"]
)
def test_what_javascript_has_no_like_of_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="JavaScript"):
        javascript(re.compile(pattern))


@pytest.mark.parametrize("profile", profiles())
def test_every_rule_that_comes_along_can_be_written(profile: str) -> None:
    written = request_rules(load(profile)[0])
    assert written["rules"]


def test_every_pattern_of_the_path_can_be_written() -> None:
    assert {"tokens.word", "gate.code", "ask.asked", "quote.exception"} <= set(patterns())
