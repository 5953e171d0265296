"""What kind of answer a question asks for, and whether some words hold one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["amount", "period", "number", "who", "where", "definition", "list", "yes_no"]

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "amount",
            r"\bhow much\b|\b(?:limit|maximum|minimum|sub-?limit|excess|amount|cost|fee|fees|price|sum|cap|threshold|penalty|"
            r"fine|payout)\b|\bthe most\b|\bup to what\b|\bne kadar\b|\bkaç (?:tl|lira|dolar|euro)\b",
        ),
        (
            "period",
            r"\bhow (?:long|soon|often|quickly|frequently|recent|old)\b|\bhow many (?:\w+ )?(?:seconds|minutes|hours|days|weeks|"
            r"months|years)\b|\bwhen\b|\bby what date\b|\bdeadline\b|\btime limit\b|\bwhat (?:period|time|age|date|year)\b|"
            r"\bne zaman\b|\bkaç (?:gün|hafta|ay|yıl|saat|dakika)\b",
        ),
        (
            "number",
            r"\bhow many\b|\bwhat (?:percentage|percent|share|number|temperature|rate|proportion)\b|\bwhat % |\bhow (?:far|"
            r"high|low|cold|hot|warm|large|big)\b|\bkaç\b|\byüzde kaç\b",
        ),
        ("who", r"\bwho(?:m|se)?\b|\bwhich (?:person|party|body|authority|officer|department|role)\b|\bkim\w*\b"),
        ("where", r"\bwhere\b|\bwhich (?:country|countries|place|address)\b|\bnere\w+\b"),
        (
            "definition",
            r"\bwhat (?:does|do|did) .{1,80}\b(?:mean|stand for)\b|\bwhat is (?:meant|understood) by\b|\bwhat counts as\b|"
            r"\bdefin(?:e|ed|ition)\b|\bmeaning of\b|\bmean by\b|^\W*what (?:is|are) (?:an? |the )?[\w-]+(?: [\w-]+)?\W*$|\bne demek\b|\bnedir\b",
        ),
        (
            "list",
            r"\bwhat (?:is|are) (?:not |also |generally )?(?:excluded|covered|included|insured|required|needed|exempt|exempted|the )?"
            r"(?:exclusions|documents|conditions|requirements|steps|types|kinds|items|events|reasons|factors|circumstances|"
            r"excluded|included|required)\b|\b(?:which|what) (?:documents|conditions|requirements|steps|types|kinds|items|"
            r"events|reasons|factors|circumstances|information|losses|things|records|checks|costs|perils|products|customers|"
            r"details|elements|pillars|signs|red flags|procedures|measures)\b|\blist (?:the|all|of)\b|\bname the\b|\bhangileri\w*\b|\bhangi \w+l[ae]r\b",
        ),
        (
            "yes_no",
            r"(?:^|[,.;:?!]\s+|\band\s+)(?:is|are|am|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had)\b|"
            r"\b(?:mi|mı|mu|mü)(?:y\w+|d\w+)?\b",
        ),
    )
)

_MONEY = re.compile(
    r"[$€£₺]\s?\d|\d\s?(?:%|percent|per cent|usd|eur|gbp|aud|tl|dollars|euros?|pounds|lira)|\bsum insured\b", re.I
)
_PERIOD = re.compile(
    r"(?:\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|thirty|sixty|ninety)\b\)?)[\s)-]*(?:\(\w+\)\s*)?"
    r"(?:business |working |calendar |consecutive |full )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|gün|ay|yıl|hafta|saat)\b|"
    r"\b(?:annually|daily|weekly|monthly|quarterly|yearly|immediately|promptly|anniversary|expiry|midnight|p\.?m\.?|a\.?m\.?)\b|"
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december|19\d\d|20\d\d)\b",
    re.I,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twice|half|third|quarter)\b", re.I
)
_PERSON = re.compile(
    r"\b(?:officers?|managers?|directors?|boards?|committee|authority|agents?|team|department|staff|employees?|persons?|banks?|"
    r"brokers?|coordinators?|customers?|insured|provider|we|you)\b",
    re.I,
)
_PLACE = re.compile(
    r"\b(?:at|in|within|anywhere|worldwide|world|territory|street|room|country|premises|situation|address)\b", re.I
)
_DEFINES = re.compile(
    r"\bmeans?\b|\bis defined as\b|\brefers? to\b|\bis an?\b|\bare\b.{0,20}\bthat\b|\bdenotes\b|\bdemektir\b", re.I
)
_RULES = re.compile(
    r"\b(?:must|may|shall|will|can|cannot|not|only|unless|except|provided|cover(?:s|ed)?|pay|required|allowed|permitted|prohibited|"
    r"excluded?|applies|apply|should)\b",
    re.I,
)
_HELD = {
    "amount": _MONEY,
    "period": _PERIOD,
    "number": _NUMBER,
    "who": _PERSON,
    "where": _PLACE,
    "definition": _DEFINES,
    "yes_no": _RULES,
}
_TERM_ASKED = re.compile(
    r"\bwhat (?:does|do) (?:the \w+ mean by |(?:the (?:term|word) )?)?[\"“'‘]?(.{2,60}?)[\"”'’]? (?:mean|stand for)\b"
    r"|\bmean(?:t)? by (?:the (?:term|word) )?[\"“'‘]?(.{2,60}?)[\"”'’]?(?:\?|$| under\b| in\b| for\b)"
    r"|\bwhat counts as (?:an? |the )?[\"“'‘]?(.{2,60}?)[\"”'’]?(?:\?|$| under\b| in\b| for\b)"
    r"|\bhow (?:is|are|does|do) (?:an? |the )?[\"“'‘]?(.{2,60}?)[\"”'’]? (?:\w+ )?defined?\b"
    r"|\b(?:definition|meaning) of (?:an? |the )?[\"“'‘]?(.{2,60}?)[\"”'’]?(?:\?|$| under\b| in\b| for\b)"
    r"|^\W*what (?:is|are) (?:an? |the )?([\w-]+(?: [\w-]+)?)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asks:
    """The kinds of answer a question asks for, and the term whose meaning it asks for, if it does."""

    kinds: frozenset[Kind]
    term: str | None = None


def read(question: str) -> Asks:
    """Reads English and some Turkish question words; a question in other words has no kinds."""
    kinds = frozenset(kind for kind, pattern in _KINDS if pattern.search(question))
    match = _TERM_ASKED.search(question) if "definition" in kinds else None
    return Asks(kinds, next((g for g in match.groups() if g), None) if match else None)


def holds(kind: Kind, words: str) -> bool:
    """Whether some words have the form of an answer of this kind; a list has none that words could show."""
    pattern = _HELD.get(kind)
    return pattern is not None and pattern.search(words) is not None
