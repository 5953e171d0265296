"""Numbers by value and unit, however they are written: digits, words, money, percent, periods, dates; bounds too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import isclose
from typing import Literal, TypeAlias

Bound: TypeAlias = Literal["at least", "at most", ""]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text at [start, end). `value` is in the base of `unit` (minutes, months, dollars, percent ...).

    `unit` is empty for a bare number. `bound`: the words around say that it is a least or a greatest value. A date has
    unit `date` and the value month * 100 + day, with its year in `year` where it is given. A time of day has the unit
    `clock` and the minutes since midnight. `written` is the number as it stands there, scale included.
    """

    start: int
    end: int
    value: float
    unit: str
    bound: Bound = ""
    year: int | None = None
    written: float = 0.0


_WHOLE = r"(?:(?:calendar|consecutive|successive|continuous|clear|full|whole|complete|straight) )?"
_UNITS = {
    r"business days?|working days?|banking days?|bank days?|iş günü\w*": ("business day", 1),
    r"seconds?|secs?|saniye\w*": ("time", 1 / 60),
    rf"{_WHOLE}minutes?|mins?|dakika\w*": ("time", 1),
    rf"{_WHOLE}hours?|hrs?|saat\w*": ("time", 60),
    rf"{_WHOLE}days?|(?:takvim )?gün\w*": ("time", 1440),
    rf"{_WHOLE}weeks?|hafta\w*": ("time", 10080),
    r"fortnights?": ("time", 20160),
    rf"{_WHOLE}months?|ay(?:lık|da|ı|dan|dır|a)?\b": ("month", 1),
    rf"{_WHOLE}years?|yıl\w*": ("month", 12),
    r"%|per ?cent\b|percentage points?": ("%", 1),
    r"dollars?|US\$": ("$", 1),
    r"euros?\b|€": ("EUR", 1),
    r"pounds? sterling|£": ("GBP", 1),
    r"liras?\b|lira\b|TL\b|₺": ("TRY", 1),
    r"USD|AUD|CAD|NZD|EUR|GBP|TRY|CHF|JPY": ("", 1),
    r"°\s?C\b|degrees? C(?:elsius)?\b|derece\w*": ("°C", 1),
    r"°\s?F\b|degrees? F(?:ahrenheit)?\b": ("°F", 1),
    r"°|degrees?\b": ("°", 1),
    r"kilomet(?:re|er)s?|km\b": ("m", 1000),
    r"met(?:re|er)s?\b": ("m", 1),
    r"centimet(?:re|er)s?|cm\b": ("m", 0.01),
    r"millimet(?:re|er)s?|mm\b": ("m", 0.001),
    r"miles?\b": ("m", 1609.344),
    r"kilograms?|kilos?\b|kg\b": ("kg", 1),
    r"tonnes?\b": ("kg", 1000),
    r"milligrams?\b|mg\b": ("kg", 1e-6),
    r"micrograms?\b|[µμ]g\b|mcg\b": ("kg", 1e-9),
    r"grams?\b|g\b": ("kg", 0.001),
    r"lit(?:re|er)s?\b|l\b": ("litre", 1),
    r"millilit(?:re|er)s?\b|ml\b": ("litre", 0.001),
    r"kilowatts?\b|kW\b": ("W", 1000),
    r"megawatts?\b|MW\b": ("W", 1e6),
    r"bars?\b": ("bar", 1),
    r"psi\b": ("psi", 1),
}
_DOLLARS = frozenset(("$", "USD", "AUD", "CAD", "NZD"))
_SCALES = {"thousand": 1e3, "bin": 1e3, "k": 1e3, "million": 1e6, "milyon": 1e6, "mn": 1e6, "m": 1e6}
_SCALES |= {"billion": 1e9, "milyar": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "trilyon": 1e12}
_SIGNS = {"$": "$", "us$": "USD", "a$": "AUD", "€": "EUR", "£": "GBP", "₺": "TRY"}

_ONES = dict(zip("zero one two three four five six seven eight nine ten eleven twelve".split(), range(13), strict=True))
_ONES |= dict(zip("thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), range(13, 20), strict=True))
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_TURKISH = dict(zip("bir iki üç dört beş altı yedi sekiz dokuz".split(), range(1, 10), strict=True))
_TURKISH |= dict(zip("on yirmi otuz kırk elli altmış yetmiş seksen doksan".split(), range(10, 100, 10), strict=True))
_SHARES = {"half": 50.0, "a quarter": 25.0, "one quarter": 25.0, "three quarters": 75.0}
_SHARES |= {"a third": 100 / 3, "one third": 100 / 3, "two thirds": 200 / 3, "a fifth": 20.0, "one fifth": 20.0}
_SHARES |= {"a tenth": 10.0, "one tenth": 10.0}
_MONTHS = {
    name: n
    for n, names in enumerate(
        (
            "january jan ocak",
            "february feb şubat",
            "march mar mart",
            "april apr nisan",
            "may mayıs",
            "june jun haziran",
            "july jul temmuz",
            "august aug ağustos",
            "september sep sept eylül",
            "october oct ekim",
            "november nov kasım",
            "december dec aralık",
        ),
        1,
    )
    for name in names.split()
}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\b\.?(?:,? (?P<y1>\d{{4}})\b)?"
    rf"|\b(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y2>\d{{4}})\b)?"
    r"|\b(?P<y3>\d{4})-(?P<m3>\d{2})-(?P<d3>\d{2})\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-4])(?:(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![:\d]))(?:\s?(?P<half>[ap]\.?m\b\.?))?"
    r"|(?:\.(?P<minute2>[0-5]\d))?\s?(?P<half2>[ap]\.?m\b\.?))",
    re.IGNORECASE,
)
_THOUSANDS = {"thousand": 1000, "million": 10**6, "billion": 10**9}
_SPELT = "|".join(sorted((*_ONES, *_TENS, "hundred", *_THOUSANDS), key=len, reverse=True))
_SPELT_TR = "|".join(sorted(_TURKISH, key=len, reverse=True))
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_UNIT = "|".join(f"(?:{pattern})" for pattern in _UNITS)
_NUMBER = re.compile(
    r"(?P<sign>US\$|A\$|[$€£₺]|\b(?:USD|AUD|CAD|NZD|EUR|GBP|TRY|CHF|JPY)\s|%|\byüzde\s)?\s?"
    r"(?P<minus>(?<![\w)])[-−])?"
    r"(?:(?P<digits>(?<![\w.,])(?:\d{1,3}(?:[, ' ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?![.,]?\d))"
    rf"|(?P<words>\b(?:{_SPELT})(?:(?:[ -]|(?:(?<=hundred)|(?<=thousand)|(?<=million)) and )(?:{_SPELT}))*\b)"
    rf"|(?P<turkish>\b(?:{_SPELT_TR})(?: (?:{_SPELT_TR}))*\b(?=\s+(?:{_UNIT}|kişi|kez|adet))))"
    rf"(?:\s?(?P<scale>{_SCALE})\b)?"
    rf"(?:[\s-]?(?P<unit>{_UNIT}))?",
    re.IGNORECASE,
)
_CODE = re.compile(r"[^\W\d_][-/]$")
"""What stands before the number of a code such as `CT-104`, which is a name and no quantity."""
_SHARE = re.compile(rf"\b(?P<share>{'|'.join(_SHARES).replace(' ', '[ -]')})(?=\s+(?:of|the)\b)", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:°\s?C?\s*)?(?:–|-|—|to|and|ile|ila)\s*", re.IGNORECASE)

_LESS = r"(?:less|fewer|lower|smaller|under|below|sooner|earlier)"
_MORE = r"(?:more|greater|higher|larger|over|above|longer|later)"
_NOT = r"(?:no|not|n't|never)\s+(?:\w+\s+){0,2}?"
_NOT_LESS = r"(?:less|fewer|sooner|earlier|lower|smaller)"
_NOT_MORE = r"(?:more|greater|longer|later|higher|larger)"
_LEAD: tuple[tuple[Bound, str], ...] = (
    ("at least", rf"{_NOT}{_NOT_LESS}(?:\s+than)?"),
    ("at most", rf"{_NOT}(?:{_NOT_MORE}(?:\s+than)?|exceed(?:s|ing)?)"),
    ("at most", r"\b(?:up to|at (?:the )?most|within|maximum|max\.?|en fazla|en geç|en çok|not to exceed)"),
    ("at most", rf"\b(?:{_LESS}(?:\s+than)?|before|by)"),
    ("at least", r"\b(?:at (?:the )?least|minimum|min\.?|en az)"),
    ("at least", rf"\b(?:{_MORE}(?:\s+than)?|exceed(?:s|ed|ing)?|after|from|beyond)"),
)
_BEFORE = [(b, re.compile(rf"(?:{p})\s*(?:a |an |of |the |about )?\s*$", re.IGNORECASE)) for b, p in _LEAD]
_AFTER: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    (
        "at least",
        re.compile(r"\s*(?:of [\w ]{1,20})?,? ?(?:or|and) (?:more|above|over|longer|greater|higher|later)\b", re.I),
    ),
    (
        "at most",
        re.compile(r"\s*(?:of [\w ]{1,20})?,? ?(?:or|and) (?:less|fewer|below|under|shorter|lower|sooner)\b", re.I),
    ),
    ("at least", re.compile(r"\s*(?:veya|ya da) (?:daha )?(?:fazla|uzun)|\w* (?:aşan|fazla)\b", re.I)),
)


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in order; ranges give both ends, the first with the unit of the second.

    >>> [(q.value, q.unit, q.bound) for q in quantities("within thirty days, at least $1.5 million, 2 to 8 °C")]
    [(43200.0, 'time', 'at most'), (1500000.0, '$', 'at least'), (2.0, '°C', 'at least'), (8.0, '°C', 'at most')]
    """
    found = sorted((*_dates(text), *_shares(text), *_clocks(text)), key=lambda q: q.start)
    taken = [(q.start, q.end) for q in found]
    plain = [q for q in _numbers(text) if not any(q.start < end and start < q.end for start, end in taken)]
    found = sorted((*found, *_joined_ranges(plain, text)), key=lambda q: q.start)
    return tuple(_bounded(q, text) for q in found)


def same(wanted: Quantity, found: Quantity) -> bool:
    """Whether two quantities are equal by value and unit; a bare number equals any unit of its written value.

    30 days are thirty days and not one month; two weeks are 14 days; a working day is no day; any dollar is a dollar.
    """
    if "date" in (wanted.unit, found.unit):
        years = {wanted.year, found.year} - {None}
        return wanted.unit == found.unit and wanted.value == found.value and len(years) < 2
    units = {wanted.unit, found.unit}
    if "" in units:
        return isclose(wanted.written, found.written, rel_tol=1e-9, abs_tol=1e-9)
    alike = len(units) == 1 or (units <= _DOLLARS and "$" in units) or ("°" in units and units <= {"°", "°C", "°F"})
    return alike and isclose(wanted.value, found.value, rel_tol=1e-9, abs_tol=1e-9)


def opposed(first: Quantity, second: Quantity) -> bool:
    """Whether one is a least value and the other a greatest."""
    return {first.bound, second.bound} == {"at least", "at most"}


def _dates(text: str) -> Iterator[Quantity]:
    for match in _DATE.finditer(text):
        part = {k: v for k, v in match.groupdict().items() if v is not None}
        day = int(part.get("d1") or part.get("d2") or part["d3"])
        name = part.get("m1") or part.get("m2")
        month = _MONTHS[name.casefold()] if name else int(part["m3"])
        year = part.get("y1") or part.get("y2") or part.get("y3")
        yield Quantity(match.start(), match.end(), month * 100 + day, "date", "", int(year) if year else None)


def _shares(text: str) -> Iterator[Quantity]:
    for match in _SHARE.finditer(text):
        value = _SHARES[match["share"].casefold().replace("-", " ")]
        yield Quantity(match.start(), match.end(), value, "%", written=value)


def _clocks(text: str) -> Iterator[Quantity]:
    for match in _CLOCK.finditer(text):
        hour, minute = int(match["hour"]), int(match["minute"] or match["minute2"] or 0)
        half = (match["half"] or match["half2"] or "").casefold()
        written = hour + minute / 100
        if half and hour <= 12:
            hour = hour % 12 + (12 if half.startswith("p") else 0)
        yield Quantity(match.start(), match.end(), hour * 60 + minute, "clock", written=written)


def _numbers(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        if match["digits"] and _CODE.search(text, max(0, match.start("digits") - 2), match.start("digits")):
            continue
        value = _value(match)
        unit, factor = _unit(match["unit"])
        sign = (match["sign"] or "").strip()
        if sign:
            unit = "%" if sign in ("%", "yüzde") else _SIGNS.get(sign.casefold(), sign.upper())
        if value is None or (match["words"] and match["words"].casefold() == "one" and not unit):
            continue
        if match["scale"]:
            scale = match["scale"].casefold()
            if len(scale) == 1 and not (sign or match["digits"]):
                continue
            value *= _SCALES[scale]
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        value = -value if match["minus"] else value
        yield Quantity(start, match.end(), value * factor, unit, written=value)


def _unit(raw: str | None) -> tuple[str, float]:
    if not raw:
        return "", 1.0
    for pattern, (unit, factor) in _UNITS.items():
        if re.fullmatch(pattern, raw, re.IGNORECASE):
            return (unit or raw.upper()), factor
    return "", 1.0


def _value(match: re.Match[str]) -> float | None:
    if match["digits"]:
        raw = match["digits"]
        grouped = re.fullmatch(r"\d{1,3}(?:[, ' ]\d{3})+(?:\.\d+)?", raw)
        return float(re.sub(r"[, ' ]", "", raw)) if grouped else float(raw.replace(",", "."))
    if match["turkish"]:
        return float(sum(_TURKISH[word] for word in match["turkish"].casefold().split()))
    return _spelt(re.split(r"[ -]+", match["words"].casefold()))


def _spelt(words: list[str]) -> float | None:
    if words[0] in _THOUSANDS:
        return None
    total = part = 0
    for word in words:
        if word in _THOUSANDS:
            total, part = total + (part or 1) * _THOUSANDS[word], 0
        elif word == "hundred":
            part = (part or 1) * 100
        elif word != "and":
            part += _ONES.get(word, _TENS.get(word, 0))
    return float(total + part)


def _joined_ranges(found: list[Quantity], text: str) -> list[Quantity]:
    """Two ends of a range: `2-8 °C`, `between 2 and 8 °C`, `2 °C to 8 °C`."""
    out = list(found)
    for i, (low, high) in enumerate(pairwise(found)):
        between = text[low.end : high.start]
        word = re.search(r"\b(between|from)\s+$", text[max(0, low.start - 20) : low.start], re.IGNORECASE)
        joined = _RANGE.fullmatch(between)
        plain = joined is not None and (between.strip().casefold() != "and" or word is not None)
        if plain and low.unit in ("", high.unit) and low.value < high.value and high.unit:
            factor = high.value / high.written if not low.unit else 1.0
            out[i] = replace(low, value=low.value * factor, unit=high.unit, bound="at least")
            out[i + 1] = replace(high, bound="at most")
    return out


def _bounded(quantity: Quantity, text: str) -> Quantity:
    if quantity.bound:
        return quantity
    before, after = text[max(0, quantity.start - 40) : quantity.start], text[quantity.end : quantity.end + 40]
    bound: Bound = next((b for b, pattern in _AFTER if pattern.match(after)), "")
    bound = bound or next((b for b, pattern in _BEFORE if pattern.search(before)), "")
    return replace(quantity, bound=bound)
