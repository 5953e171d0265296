"""The quick look over a document loses no line in which a rule finds something, and is quick."""

from __future__ import annotations

import base64
import codecs
import html
import time
from collections.abc import Callable
from urllib.parse import quote

import pytest

from citeleaf.guard.documents import marks
from citeleaf.guard.look import guard
from citeleaf.guard.suspects import suspects
from citeleaf.layers import load

GUARD = load("insurance", environment={})[0].guard
RULES = GUARD.document
FEES = "A late payment costs 25 dollars, and the Café of 3.2.1 is not insured: see “Limits” at 9.5."
LOOK_ALIKES = str.maketrans("aeopcxi", "аеорсхі")
DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "rot13": lambda t: codecs.encode(t, "rot13"),
    "backwards": lambda t: t[::-1],
    "base64": lambda t: base64.b64encode(t.encode()).decode(),
    "hex": lambda t: t.encode().hex(" "),
    "binary": lambda t: " ".join(f"{b:08b}" for b in t.encode()),
    "spaced": lambda t: "  ".join(" ".join(w) for w in t.split()),
    "digits": lambda t: t.translate(str.maketrans("aeio", "4310")),
    "look-alikes": lambda t: t.translate(LOOK_ALIKES),
    "wide": lambda t: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in t),
    "invisible": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "tags": lambda t: "".join(chr(0xE0000 + ord(c)) if " " <= c <= "~" else c for c in t),
    "circles": lambda t: "".join(chr(0x1F150 + ord(c) - 97) if "a" <= c <= "z" else c for c in t.lower()),
    "accents": lambda t: "".join(c + "\u0301" if c in "aeiou" else c for c in t),
    "entities": lambda t: "".join(f"&#{ord(c)};" for c in t),
    "named entities": lambda t: html.escape(t.replace(" ", "&nbsp;")).replace("&amp;nbsp;", "&nbsp;"),
    "percent": lambda t: quote(t.replace("i", "\u0131")),
    "markup": lambda t: t.replace(" ", " *_"),
    "wide blanks": lambda t: t.replace(" ", "\u2003\t "),
}


@pytest.mark.parametrize("how", DISGUISES)
@pytest.mark.parametrize("kind", ["document", "request"])
def test_a_line_that_trips_a_rule_is_always_looked_at(how: str, kind: str) -> None:
    rules = getattr(GUARD, kind)
    trips = [trip for rule in rules for trip in rule.trips]
    hidden = [" ".join(DISGUISES[how](trip).splitlines()) for trip in trips]
    lines = [line for text in hidden for line in (FEES, f"{FEES} {text}")]
    found = suspects("\n".join(lines), rules)
    lost = [lines[n] for n in range(len(lines)) if n not in found and not all(c.passed for c in guard(lines[n], rules))]
    assert not lost


def test_what_is_found_is_what_a_look_at_every_line_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = [how(trip) for how in DISGUISES.values() for rule in RULES for trip in rule.trips[:2]]
    text = "\n\n".join(f"{FEES}\n{FEES} {order}\n{FEES}" for order in orders)
    quick = marks(text, RULES)
    monkeypatch.setattr("citeleaf.guard.documents.suspects", lambda t, _: frozenset(range(t.count("\n") + 1)))
    assert quick == marks(text, RULES) and len(quick) > len(DISGUISES)


def test_plain_prose_is_not_looked_at() -> None:
    assert not suspects(f"{FEES}\nPayments are due on the first day of a month.\n\n", RULES)


def test_a_pattern_that_needs_no_word_makes_every_line_worth_a_look() -> None:
    (rule,) = (r for r in RULES if r.name == "fake_citation")
    free = rule.model_copy(update={"patterns": (r"\d{3,9}",)})
    assert suspects("a\nb", (free,)) == {0, 1}


def test_a_hundred_pages_take_a_moment() -> None:
    text = "\n".join(
        f"{n} {FEES} We pay for water damage of the {n}th kind after you have told us." for n in range(3000)
    )
    suspects(text, RULES)
    begun = time.process_time()
    assert marks(text, RULES) == ()
    assert time.process_time() - begun < 1.0
