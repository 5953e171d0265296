"""What kind of answer a question asks for, and whether some words hold one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["amount", "period", "number", "who", "where", "definition", "list", "yes_no"]


def _any(*alternatives: str, start: str = r"\b", end: str = r"(?!\w)") -> re.Pattern[str]:
    return re.compile(f"{start}(?:{'|'.join(alternatives)}){end}", re.IGNORECASE)


_THINGS = (
    "documents?|conditions?|requirements|steps|types?|kinds?|items|events|reasons|factors|circumstances|information|"
    "losses|things|records|checks|costs|perils|products|customers|details|elements|pillars|signs|red flags|procedures|"
    "measures|exclusions|situations|causes|expenses|duties|vaccines|tasks|people"
)
_UNITS = "seconds?|minutes?|hours?|days?|weeks?|months?|years?"

_ASKED: dict[Kind, re.Pattern[str]] = {
    "amount": _any(
        "how much",
        "(?:sub-?)?limits?",
        "maximum|minimum|excess|amount|costs?|fees?|price|sum|cap|capped|threshold|penalty|fine|payout",
        "the most",
        "ne kadar",
        "kaç (?:tl|lira|dolar|euro)",
    ),
    "period": _any(
        "how (?:long|soon|often|quickly|frequently|recent|old)",
        rf"how many (?:\w+ )?(?:{_UNITS})",
        "when|by what date|deadline|time limit",
        "what (?:period|time|age|date|year|deadline)",
        "ne zaman",
        "kaç (?:gün|hafta|ay|yıl|saat|dakika)",
    ),
    "number": _any(
        "how many|how far|how (?:high|low|cold|hot|warm|large|big)",
        "what (?:percentage|percent|share|number|temperatures?|rate|proportion|range)",
        "kaç|yüzde kaç",
    ),
    "who": _any("who|whom|whose", "which (?:person|party|body|authority|officer|department|role|team)", r"kim\w*"),
    "where": _any("where", "which (?:country|countries|places?|address)", r"nere\w+"),
    "definition": _any(
        "what (?:does|do|did) .{1,80} (?:mean|stand for)",
        "what is (?:meant|understood) by|what counts as|mean by|meaning of",
        "define|defines|defined|definition",
        "ne demek|nedir",
    ),
    "list": _any(
        rf"(?:which|what) (?:\w+ )?(?:{_THINGS})",
        rf"what are (?:the |all )*(?:\w+ )?(?:{_THINGS})",
        "what (?:is|are) (?:not |also |generally )?(?:excluded|covered|included|insured|required|needed|exempt)$",
        "list (?:the|all|of)|name the",
        r"hangileri\w*|hangi \w+l[ae]r",
    ),
    "yes_no": _any(
        "is|are|am|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had",
        start=r"(?:^|[,.;:?!]\s+|\band\s+)",
    ),
}
_HELD: dict[Kind, re.Pattern[str]] = {
    "amount": _any(
        r"[$€£₺]\s?\d[\d.,]*",
        r"\b\d[\d.,]*\s?(?:%|percent|per cent|usd|eur|gbp|aud|tl|dollars|euros?|pounds|lira)",
        r"\bsums? insured",
        start="",
    ),
    "period": _any(
        rf"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty|sixty|ninety)[\s)-]*(?:\(\w+\)\s*)?"
        rf"(?:(?:business|working|calendar|consecutive|full)\s)?(?:{_UNITS}|gün|ay|yıl|hafta|saat)",
        "annually|daily|weekly|monthly|quarterly|yearly|immediately|promptly|anniversary|expiry|midnight",
        "january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\\d\\d",
    ),
    "number": _any(r"\d", "one|two|three|four|five|six|seven|eight|nine|ten|twelve|twice|half|third|quarter", end=""),
    "who": _any(
        "officers?|managers?|directors?|board|committee|authority|agents?|team|department|staff|employees?|persons?",
        "banks?|brokers?|coordinators?|customers?|insured|providers?|we|you",
    ),
    "where": _any("at|in|within|anywhere|worldwide|territory|street|room|country|premises|situation|address"),
    "definition": _any("means?", "(?:is|are) defined as", "refers? to", "is an?", "denotes", "demektir"),
    "yes_no": _any(
        "must|may|shall|will|can|cannot|not|only|unless|except|provided|covers?|covered|pay|required|allowed|permitted",
        "prohibited|excludes?|excluded|applies|apply|should",
    ),
}
_QUOTE = "[\"“'‘]?"
_TERM = rf"{_QUOTE}(.{{2,60}}?)[\"”'’]?"
_AFTER = r"(?:\W*$| (?:under|in|for|within|according)\b)"
_TERM_ASKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bmean(?:t)? by (?:the (?:term|word) )?{_TERM}{_AFTER}",
        rf"\bwhat do(?:es)? (?:the (?:term|word) )?{_TERM} (?:mean|stand for)\b",
        rf"\bwhat counts as (?:an? |the )?{_TERM}{_AFTER}",
        rf"\bhow (?:is|are|do|does) (?:an? |the )?{_TERM} (?:\w+ )?define[ds]?\b",
        rf"\b(?:definition|meaning) of (?:an? |the )?(?:(?:term|word) )?{_TERM}{_AFTER}",
    )
)
_WHAT_IS = re.compile(
    rf"^\W*what (?:is|are) (?:an? |the )?((?!.*\b(?:covered|excluded|insured|included|required|needed)\b)"
    rf"[\w'’-]+(?: [\w'’-]+){{0,3}}?){_AFTER}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asks:
    """The kinds of answer a question asks for, and the term whose meaning it asks for, if it does."""

    kinds: frozenset[Kind]
    term: str | None = None


def read(question: str) -> Asks:
    """Reads English and some Turkish question words; a question in other words has no kinds."""
    kinds = frozenset(kind for kind, pattern in _ASKED.items() if pattern.search(question))
    if "definition" in kinds:
        found = (match for pattern in _TERM_ASKED if (match := pattern.search(question)))
        first = next(found, None)
        return Asks(kinds, first[1] if first else None)
    if not kinds and (match := _WHAT_IS.search(question)):
        return Asks(frozenset({"definition"}), match[1])
    return Asks(kinds)


def holds(kind: Kind, words: str) -> bool:
    """Whether some words have the form of an answer of this kind; a list has none that words could show."""
    pattern = _HELD.get(kind)
    return pattern is not None and pattern.search(words) is not None
