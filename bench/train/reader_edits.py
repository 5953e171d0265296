"""Edits of one sentence that keep its meaning, change it, or add to it: claims whose label is known by construction.

All take a `random.Random` and a sentence, and give None where they do not apply.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Edit = Callable[[random.Random, str], "str | None"]

SAME = {
    "must": ("has to", "is obliged to", "needs to"),
    "shall": ("must", "will have to", "is bound to"),
    "may": ("can", "is free to", "has the right to"),
    "may not": ("must not", "is not permitted to"),
    "cannot": ("is unable to", "is not able to"),
    "at least": ("no fewer than", "a minimum of"),
    "at most": ("no more than", "a maximum of"),
    "up to": ("at most", "as much as"),
    "more than": ("over", "in excess of"),
    "less than": ("under", "below"),
    "before": ("ahead of", "earlier than"),
    "prior to": ("before",),
    "after": ("once there has been", "subsequent to"),
    "within": ("in no more than", "inside"),
    "during": ("in the course of", "throughout"),
    "unless": ("except where", "save where"),
    "except": ("other than", "leaving aside"),
    "if": ("provided", "in case", "where"),
    "because": ("since", "as"),
    "only": ("solely", "exclusively"),
    "all": ("every one of the", "the whole of the"),
    "each": ("every",),
    "annual": ("yearly",),
    "monthly": ("once-a-month",),
    "terminate": ("end", "put an end to"),
    "obtain": ("get", "acquire"),
    "provide": ("supply", "give"),
    "provides": ("supplies", "gives"),
    "purchase": ("buy", "acquire"),
    "pay": ("hand over", "settle"),
    "receive": ("be given", "get"),
    "require": ("call for", "demand"),
    "requires": ("calls for", "demands"),
    "agreement": ("contract", "deal"),
    "information": ("details", "data"),
    "written": ("in writing", "put down on paper"),
    "employees": ("staff", "workers"),
    "customer": ("client",),
    "customers": ("clients",),
    "fee": ("charge",),
    "fees": ("charges",),
    "responsible": ("answerable", "in charge"),
    "immediately": ("straight away", "at once"),
    "large": ("big", "sizeable"),
    "many": ("a great number of", "numerous"),
    "began": ("started",),
    "begin": ("start",),
    "ended": ("came to an end",),
    "located": ("situated", "to be found"),
    "known as": ("called", "named"),
    "built": ("erected", "put up"),
    "approximately": ("about", "roughly"),
    "primarily": ("mainly", "for the most part"),
    "due to": ("because of", "owing to"),
    "however": ("yet", "but"),
    "also": ("too", "likewise"),
    "use": ("make use of", "employ"),
    "increased": ("rose", "went up"),
    "decreased": ("fell", "went down"),
    "significant": ("considerable", "notable"),
}
OPPOSITE = [
    ("must", "may"), ("shall", "may"), ("is required to", "is free to"), ("may", "must"), ("will", "will not"),
    ("before", "after"), ("after", "before"), ("more than", "less than"), ("less than", "more than"),
    ("at least", "at most"), ("at most", "at least"), ("up to", "at least"), ("all", "some"), ("any", "no"),
    ("every", "not every"), ("both", "neither"), ("first", "last"), ("last", "first"), ("increased", "decreased"),
    ("decreased", "increased"), ("higher", "lower"), ("lower", "higher"), ("above", "below"), ("below", "above"),
    ("with", "without"), ("without", "with"), ("including", "excluding"), ("excluding", "including"),
    ("always", "never"), ("never", "always"), ("north", "south"), ("south", "north"), ("east", "west"),
    ("minimum", "maximum"), ("maximum", "minimum"), ("daily", "weekly"), ("weekly", "monthly"),
    ("monthly", "yearly"), ("annual", "monthly"), ("days", "weeks"), ("months", "years"), ("hours", "days"),
    ("million", "billion"), ("billion", "million"), ("include", "exclude"), ("includes", "excludes"),
    ("allowed", "forbidden"), ("exclusive", "non-exclusive"), ("non-exclusive", "exclusive"), ("or", "and"),
    ("only if", "even if"), ("unless", "even if"), ("if", "even if"), ("largest", "smallest"), ("early", "late"),
    ("seller", "buyer"), ("buyer", "seller"), ("licensor", "licensee"), ("licensee", "licensor"),
    ("distributor", "company"), ("supplier", "customer"), ("customer", "supplier"), ("employee", "employer"),
    ("we", "you"), ("you", "we"), ("our", "your"), ("your", "our"), ("internal", "external"), ("public", "private"),
    ("men", "women"), ("paid", "unpaid"), ("direct", "indirect"), ("written", "oral"), ("old", "new"),
]  # fmt: skip
ADDED = [
    "in writing", "at no charge", "within ten days", "by a person over 21", "on working days only", "up to $1,000",
    "with the approval of a director", "free of tax", "for the first year only", "by registered post", "twice a year",
    "after a check by the auditor", "and a fee of 2 percent is charged for it", "and a copy is kept for six years",
    "and this was confirmed by a later review", "for reasons of cost", "and the other side is told by e-mail",
    "because of a change in the law", "which was a record at the time", "against the advice of experts",
    "and it can be renewed once", "with two weeks' warning", "and the result is published online",
    "to the surprise of many", "under the eyes of a supervisor", "and a form must be signed for it",
]  # fmt: skip
FRAMES = [
    "According to the document, {}", "It says that {}", "The text states that {}", "In short, {}",
    "As set out there, {}",
]  # fmt: skip
WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(?![\w]|[.,]\d)")
_WORD_NUMBER = re.compile(r"\b(" + "|".join(WORDS[2:]) + r")\b", re.IGNORECASE)
_HELP = r"(is|are|was|were|will|shall|must|can|should|has|have|does|do|did)"
_CONDITION = re.compile(r"^(.{25,160}?),? (if|unless|when|where|except|provided that|after|before) ([^,;:]{8,120})\.$")
_OPENING = re.compile(r"^(If|When|Where|Unless|After|Before|In|During|For|Under|At|On) ([^,;:]{6,90}), ([^;:]{15,})\.$")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*")


def low(text: str) -> str:
    first = text.split(" ", 1)[0]
    return (
        text if first.isupper() or any(c.isupper() for c in first[1:]) or first == "I" else text[0].lower() + text[1:]
    )


def cap(text: str) -> str:
    return text[:1].upper() + text[1:]


def swap(rng: random.Random, text: str, old: str, new: str) -> str | None:
    """One occurrence of `old`, as whole words, becomes `new`; its capital is kept."""
    found = list(re.finditer(rf"\b{re.escape(old)}\b", text, re.IGNORECASE))
    found = [m for m in found if not m[0].isupper() or len(old) < 3]
    if not found:
        return None
    at = rng.choice(found)
    return text[: at.start()] + (cap(new) if at[0][0].isupper() else new) + text[at.end() :]


def synonym(rng: random.Random, text: str) -> str | None:
    held = [old for old in SAME if re.search(rf"\b{old}\b", text, re.IGNORECASE)]
    if not held:
        return None
    old = rng.choice(held)
    if old in ("may", "can", "must", "shall") and re.search(rf"\b{old} (not|only|also)\b|\bMay\b", text):
        return None
    return swap(rng, text, old, rng.choice(SAME[old]))


def same_number(rng: random.Random, text: str) -> str | None:
    """The same number in another form: digits and words, with and without the comma of thousands."""

    def written(m: re.Match[str]) -> str:
        n = int(m[1].replace(",", ""))
        if n < len(WORDS):
            return WORDS[n]
        return f"{n:,}" if "," not in m[1] and n >= 10_000 else m[1].replace(",", "")

    if _WORD_NUMBER.search(text) and rng.random() < 0.5:
        return _WORD_NUMBER.sub(lambda m: str(WORDS.index(m[1].lower())), text, count=1)
    changed = _NUMBER.sub(written, text, count=1)
    return changed if changed != text else None


def reorder(rng: random.Random, text: str) -> str | None:
    """A condition or a setting goes from the front to the end, or the other way round."""
    if m := _OPENING.match(text):
        return f"{cap(m[3])} {low(m[1])} {m[2]}."
    if (m := _CONDITION.match(text)) and not re.search(r"\b(only|even|and|or)$", m[1]):
        return f"{cap(m[2])} {m[3]}, {low(m[1])}."
    return None


def shorten(rng: random.Random, text: str) -> str | None:
    """An aside goes: brackets, a relative clause, examples. What remains is still said."""
    for pattern in (r"\s*\([^()]{3,90}\)", r", (?:which|who|such as|including|for example) [^,;.]{6,90}(?=[,.])"):
        changed = re.sub(pattern, "", text, count=1)
        if changed != text and len(changed) > 25:
            return changed
    m = re.match(r"^(.{30,}?), (?:and|but|while|although) [^;]{12,}\.$", text)
    if m and not re.search(r"\b(if|unless|except|either|both|between|neither)\b", m[1], re.IGNORECASE):
        return m[1] + "."
    return None


def framed(rng: random.Random, text: str) -> str | None:
    return rng.choice(FRAMES).format(low(text))


def number(rng: random.Random, text: str) -> str | None:
    """Another number of the same kind of size."""
    found = list(_NUMBER.finditer(text))
    if not found:
        m = _WORD_NUMBER.search(text)
        if not m:
            return None
        other = rng.choice([w for w in WORDS[2:] if w != m[1].lower()])
        return text[: m.start()] + (cap(other) if m[1][0].isupper() else other) + text[m.end() :]
    at = rng.choice(found)
    n = int(at[1].replace(",", ""))
    near = [n + 1, n - 1, n * 2, n + 5, n + 10, n // 2, n * 3, n * 10]
    if 1500 < n < 2100:
        near = [n + d for d in (-20, -10, -4, -2, -1, 1, 2, 3, 6, 10)]
    other_number = rng.choice([x for x in near if x > 0 and x != n])
    return text[: at.start()] + (f"{other_number:,}" if "," in at[1] else str(other_number)) + text[at.end() :]


def negation(rng: random.Random, text: str) -> str | None:
    if m := re.search(rf"\b{_HELP} not\b", text):
        return text[: m.start()] + m[1] + text[m.end() :]
    m = re.search(rf"\b{_HELP} (?=[a-z])", text)
    return text[: m.end()] + "not " + text[m.end() :] if m else None


def opposite(rng: random.Random, text: str) -> str | None:
    held = [pair for pair in OPPOSITE if re.search(rf"\b{pair[0]}\b", text, re.IGNORECASE)]
    return swap(rng, text, *rng.choice(held)) if held else None


def names_crossed(rng: random.Random, text: str) -> str | None:
    """Two names of the sentence change places."""
    found = list(_NAME.finditer(text))
    if len(found) < 2:
        return None
    a, b = sorted(rng.sample(found, 2), key=lambda m: m.start())
    if a[0] in b[0] or b[0] in a[0]:
        return None
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


def widened(rng: random.Random, text: str) -> str | None:
    """What holds under a condition is said to hold in any case."""
    m = _CONDITION.match(text)
    if m and m[2] in ("if", "unless", "except", "provided that", "where"):
        return rng.choice(["{} in every case.", "{} whatever the circumstances.", "{} without any exception."]).format(
            m[1]
        )
    return None


def other_name(names: Sequence[str]) -> Edit:
    def edit(rng: random.Random, text: str) -> str | None:
        """A name becomes another name of the same document."""
        found = list(_NAME.finditer(text))
        others = [n for n in names if n not in text]
        if not found or not others:
            return None
        at = rng.choice(found)
        return text[: at.start()] + rng.choice(others) + text[at.end() :]

    return edit


def added(rng: random.Random, text: str) -> str | None:
    """A detail that nothing bears out."""
    return text.rstrip(".") + ", " * (rng.random() < 0.2) + " " * 1 + rng.choice(ADDED) + "."


KEEPING: tuple[Edit, ...] = (synonym, synonym, same_number, reorder, shorten, framed)


def keep(rng: random.Random, text: str, most: int) -> str:
    """The sentence after up to `most` edits that keep its meaning."""
    for _ in range(most):
        text = rng.choice(KEEPING)(rng, text) or text
    return text


def change(rng: random.Random, text: str, names: Sequence[str]) -> str | None:
    """The sentence with one change of meaning."""
    edits = [number, number, negation, opposite, opposite, names_crossed, widened, widened, other_name(names)]
    rng.shuffle(edits)
    return next((changed for edit in edits if (changed := edit(rng, text)) and changed != text), None)
