"""Dates as documents write them."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = {
    name: n
    for n, names in enumerate(
        (
            "january jan ocak", "february feb şubat", "march mar mart", "april apr nisan", "may mayıs",
            "june jun haziran", "july jul temmuz", "august aug ağustos", "september sept sep eylül", "october oct ekim",
            "november nov kasım", "december dec aralık",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_NUMBERS = re.compile(r"\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b")
_DAY_MONTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?([^\W\d_]+)\.?,?\s+(\d{4})\b")
_MONTH_DAY = re.compile(r"\b([^\W\d_]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")


def iso_date(text: str) -> str | None:
    """The first date in the text as `YYYY-MM-DD`; None where there is none or its day and month can be told apart
    neither by size nor by a dot (`1.7.2024` is day first, `1/7/2024` could be either).
    """
    if m := _ISO.search(text):
        return _made(int(m[1]), int(m[2]), int(m[3]))
    if m := _DAY_MONTH.search(text):
        return _made(int(m[3]), _MONTHS.get(m[2].casefold(), 0), int(m[1]))
    if m := _MONTH_DAY.search(text):
        return _made(int(m[3]), _MONTHS.get(m[1].casefold(), 0), int(m[2]))
    if m := _NUMBERS.search(text):
        first, second, year = int(m[1]), int(m[2]), int(m[3])
        if first > 12 or first == second or "." in m.group():
            return _made(year, second, first)
        if second > 12:
            return _made(year, first, second)
    return None


def _made(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
