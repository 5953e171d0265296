"""Personal data in a text: found by form and check digits, and masked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from citeleaf.types import Answer, Evidence, Nearest, Place, Quote, Ranking, Span

_EMAIL = re.compile(r"[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,24}\b", re.IGNORECASE)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_DIGITS = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){10,18}(?![\w-])(?![.,]\d)")
_PHONE = re.compile(
    r"(?<![\w.,/-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,5}\)[ .-]?)?\d{2,5}(?:[ .-]\d{2,5}){1,4}(?![\w/-])(?![.,]\d)"
)
_PASSPORT = re.compile(r"\b(?:[A-Z]{1,2}\d{6,8}|\d{9}[A-Z]?)\b")
_DATE = re.compile(
    r"\b(?:\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d{2}|(?:19|20)\d{2}-\d{2}-\d{2}|\d{1,2}\.? [^\W\d_]{3,9},? (?:19|20)\d{2}"
    r"|[^\W\d_]{3,9} \d{1,2},? (?:19|20)\d{2})\b"
)
_ABOUT_PHONE = re.compile(r"\b(?:tel|phone|mobile|cell|call|fax|whatsapp|telefon|cep|gsm|ara)\w{0,4}\b", re.IGNORECASE)
_ABOUT_PASSPORT = re.compile(r"\b(?:passport|pasaport|travel document|seri no)\w{0,6}\b", re.IGNORECASE)
_ABOUT_BIRTH = re.compile(r"\b(?:born|birth|birthday|dob|d\.o\.b|do[ğg]um|do[ğg]du)\w{0,6}\b", re.IGNORECASE)
_NEAR = 40
_LONGEST = 200_000
_OF_DOCUMENTS = (Evidence, Nearest, Place, Quote, Ranking)
_NAMES = frozenset("id doc_id doc_ids passage_id passage_ids title version fingerprint".split())
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Personal:
    """A piece of personal data: `kind` is email, iban, card, national_id, phone, passport or birth_date."""

    kind: str
    span: Span


def personal(text: str) -> tuple[Personal, ...]:
    """Personal data in reading order, overlaps left out; the first 200,000 characters are looked at.

    E-mail addresses by form; IBANs by ISO 13616 check digits; payment cards of 13 to 19 digits by the Luhn check of
    ISO/IEC 7812; Turkish identity numbers by their two check digits; telephone numbers by a plus sign or a word such as
    `tel` before them; passport numbers and dates of birth by a word before them.
    """
    found: list[Personal] = []
    for item in _candidates(text[:_LONGEST]):
        if all(item.span.end <= other.span.start or other.span.end <= item.span.start for other in found):
            found.append(item)
    return tuple(sorted(found, key=lambda p: p.span.start))


def masked(text: str) -> str:
    """The text with each piece of personal data replaced by its kind in brackets, such as `[email]`.

    >>> masked("Write to ann@example.org about 4111 1111 1111 1111")
    'Write to [email] about [card]'
    """
    for item in reversed(personal(text)):
        text = f"{text[: item.span.start]}[{item.kind}]{text[item.span.end :]}"
    return text


def masked_answer(answer: Answer) -> Answer:
    """The answer as it is kept: personal data that the question and its facts brought are masked wherever they stand.

    That is in the query, what the checks tell, the draft, its claims and what is shown, in any case and spacing; spans
    of the draft move along. What documents say stays, since an answer must be checkable against them.
    """
    query = answer.trace.query
    texts = (query.text, query.asked or "", *(fact.text for fact in query.facts))
    brought = {text[p.span.start : p.span.end]: p.kind for text in texts for p in personal(text)}
    if not brought:
        return answer
    hide = _hider(brought)
    guarded = tuple(replace(check, detail=masked(check.detail)) for check in answer.trace.guard)
    trace = replace(answer.trace, guard=guarded)
    return _hidden(replace(answer, trace=trace), hide, trace.draft.text if trace.draft else "")


def _hider(brought: Mapping[str, str]) -> Callable[[str], str]:
    """Masks these words: the longest first, case and the blanks and dashes inside numbers left aside."""
    words = sorted(brought, key=lambda word: (-len(word), word))
    known = re.compile("|".join(f"({_any_spacing(word)})" for word in words), re.IGNORECASE)
    kinds = [brought[word] for word in words]
    return lambda text: known.sub(lambda m: f"[{kinds[(m.lastindex or 1) - 1]}]", text)


def _any_spacing(word: str) -> str:
    letters = word if "@" in word else re.sub(r"[\s-]", "", word)
    return r"(?<!\w)" + ("" if "@" in word else r"[\s-]?").join(map(re.escape, letters)) + r"(?!\w)"


def _hidden(value: _T, hide: Callable[[str], str], draft: str) -> _T:
    """The value with its words masked, document words and ids left as they are, spans of the draft moved."""
    new: Any = value
    if isinstance(value, str):
        new = hide(value)
    elif isinstance(value, Span):
        new = Span(len(hide(draft[: value.start])), len(hide(draft[: value.end])))
    elif isinstance(value, tuple):
        new = tuple(_hidden(item, hide, draft) for item in value)
    elif is_dataclass(value) and not isinstance(value, (type, *_OF_DOCUMENTS)):
        held = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in _NAMES}
        new = replace(value, **{name: _hidden(item, hide, draft) for name, item in held.items()})
    return cast("_T", new)


def _candidates(text: str) -> Iterator[Personal]:
    for match in _EMAIL.finditer(text):
        yield Personal("email", Span(*match.span()))
    for match in _IBAN.finditer(text):
        if _is_iban(match[0].replace(" ", "")):
            yield Personal("iban", Span(*match.span()))
    for match in _DIGITS.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) == 11 and _is_turkish_id(digits):
            yield Personal("national_id", Span(*match.span()))
        elif len(digits) >= 13 and _is_card(digits):
            yield Personal("card", Span(*match.span()))
    for kind, pattern, word in (
        ("phone", _PHONE, _ABOUT_PHONE),
        ("passport", _PASSPORT, _ABOUT_PASSPORT),
        ("birth_date", _DATE, _ABOUT_BIRTH),
    ):
        for match in pattern.finditer(text):
            sure = kind == "phone" and match[0].startswith("+") and 8 <= sum(c.isdigit() for c in match[0]) <= 15
            enough = kind != "phone" or 7 <= sum(c.isdigit() for c in match[0]) <= 15
            if sure or (enough and word.search(text, max(0, match.start() - _NEAR), match.start())):
                yield Personal(kind, Span(*match.span()))


def _is_iban(code: str) -> bool:
    if not 15 <= len(code) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in code[4:] + code[:4])) % 97 == 1


def _is_card(digits: str) -> bool:
    if digits[0] not in "23456" or len(set(digits)) < 2:
        return False
    doubled = [int(d) * 2 if i % 2 else int(d) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _is_turkish_id(digits: str) -> bool:
    d = [int(c) for c in digits]
    if not d[0]:
        return False
    return d[9] == (7 * sum(d[0:9:2]) - sum(d[1:8:2])) % 10 and d[10] == sum(d[:10]) % 10
