"""Sentences, list items, table rows and definitions: the smallest pieces that can be quoted and checked.

A sentence ends at a stop that is followed by white space and by something that can begin a sentence. Stops of
abbreviations, initials, numbers, enumerators and of sentences inside brackets do not end one. All functions run in time
linear in the text and give exact slices without white space at their ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from citeleaf.types import Block, Quote, Span, Unit

WHOLE_ITEM = 300
"""A list item up to this many characters is one unit; a longer one is its sentences."""
WHOLE_DEFINITION = 600
"""The same for a definition."""
_BRACKET_REACH = 400
"""A bracket that closes within this many characters keeps its sentences together."""

_STOP = re.compile(
    r"""(?<![.!?…])[.!?…]++["'”’»)\]]*+(?=\s|$)
      | [。！？؟۔।]++["'”’»」』)\]]*+
      | \n[ \t]*+\n
      | \n(?=[ \t]*+(?:[•●▪◦‣·–—*-]|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).])[ \t])""",
    re.VERBOSE,
)
_NOT_SPACE = re.compile(r"\S")
_LETTERLIKE = re.compile(r"[^\s\"'“”‘’«»(\[{•●▪◦‣·–—*-]")
_BULLET = re.compile(r"[•●▪◦‣·–—*\uf0b7-]\s+")
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlcIVXLC]{1,6})[)\]]?\.?")
_OPENING = "([{\"'“‘«-–—/"
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_NUMBER_OR_ROMAN = re.compile(r"[#(]?(?:\d|[IVXLC]+\b|[A-Z]\b|\(?[a-z]\))")
_TURKISH_DIVISION = re.compile(r"(?:madde|fıkra|bölüm|kısım|bent|ek|sınıf|yüzyıl)\w*", re.IGNORECASE)
_LIST_GOES_ON = re.compile(r"(?:[;:.,]|\b(?:and|or|ve|veya|ya da))$", re.IGNORECASE)
_SOFT_CUT = (re.compile(r"[;:]\s"), re.compile(r"[,)]\s"), re.compile(r"\s"))

_NEVER_LAST = frozenset(
    """mr mrs ms dr prof rev hon gen col capt lt sgt messrs mt e.g i.e eg ie cf viz v approx esp incl excl dept govt
    doç av yrd öğr gör bkz örn alb sn hz mah cad sok apt jan feb mar apr jun jul aug sep sept oct nov dec""".split()
)
"""Abbreviations that always have something after them."""
_BEFORE_NUMBER = frozenset(
    """no nos nr art arts s ss sec secs cl cls para paras ch fig figs p pp pt pts sch reg regs r rr vol vols eq tab ann
    app ed ex md mad say sh b f ş sy cilt""".split()
)
"""Abbreviations only when a number, a letter or a bracket follows."""
_MAYBE_LAST = frozenset(
    """etc ltd inc co corp pty plc llc llp bros jr sr al ave st rd blvd est a.m p.m am pm vb vs a.ş aş şti tic san
    t.c tel ibid op cit ca dist""".split()
)
"""Abbreviations that can also stand last: what follows decides."""
_STARTERS = frozenset(
    """the a an this these that those we you he she it they i if in on at for from to by when where while who what which
    however where such any all no not our your their his her its each every there here as after before unless until
    under with without please see subject bu bir şu o biz siz ancak eğer ve her tüm bunun""".split()
)
"""Words that often begin a sentence and seldom follow an abbreviation with a capital."""


def sentences(text: str, span: Span, *, language: str = "en", limit: int | None = None) -> tuple[Span, ...]:
    """The sentences of a span in reading order, disjoint, together holding all its characters but white space.

    `language` is a two-letter code; only `tr` changes anything. A sentence of more than `limit` characters is cut at
    a semicolon, a comma or white space near the limit, else at the limit.
    """
    out: list[Span] = []
    for start, end in _split(text, span.start, span.end, language):
        whole = trim(text, start, end)
        if whole is None:
            continue
        if limit is None or whole.end - whole.start <= limit:
            out.append(whole)
        else:
            out.extend(_cut(text, whole, limit))
    return tuple(out)


def units(text: str, block: Block, *, language: str = "en", limit: int | None = None) -> tuple[Unit, ...]:
    """The quotable units of one block in reading order, none longer than `limit`.

    A bullet sign at the start of a list item is left out. Every unit carries the block's `lead`, column headings that
    stand side by side as one quote; the later units of a long definition also lean on its first, which holds the term.
    """
    leads = (quote_of(text, span.start, span.end) for span in _whole_rows(text, block.lead))
    lead = tuple(quote for quote in leads if quote is not None)
    body = _body(text, block)
    if body is None:
        return ()
    length = body.end - body.start
    whole = {"table_row": length, "list_item": WHOLE_ITEM, "definition": WHOLE_DEFINITION}.get(block.kind, 0)
    if length <= whole:
        spans = (body,) if limit is None or length <= limit else tuple(_cut(text, body, limit))
    else:
        spans = sentences(text, body, language=language, limit=limit)
    quotes = [Quote(span, text[span.start : span.end]) for span in spans]
    if block.kind == "definition":
        return tuple(Unit("definition", q, lead if i == 0 else (*lead, quotes[0])) for i, q in enumerate(quotes))
    return tuple(Unit(block.kind, q, lead, block.columns if len(quotes) == 1 else ()) for q in quotes)


def _whole_rows(text: str, leads: tuple[Span, ...]) -> list[Span]:
    """The leads, those with only tabs between them as one: the column headings of one row."""
    out: list[Span] = []
    for lead in leads:
        last = out[-1] if out else None
        if last is not None and last.end < lead.start and not text[last.end : lead.start].strip("\t"):
            out[-1] = Span(last.start, lead.end)
        else:
            out.append(lead)
    return out


def quote_of(text: str, start: int, end: int) -> Quote | None:
    """The exact words of a range without white space at their ends; None where there are none."""
    span = trim(text, start, end)
    return None if span is None else Quote(span, text[span.start : span.end])


def trim(text: str, start: int, end: int) -> Span | None:
    """The range without white space at its ends; None where nothing is left."""
    first = _NOT_SPACE.search(text, start, end)
    if first is None:
        return None
    return Span(first.start(), start + len(text[start:end].rstrip()))


def without_bullet(text: str, span: Span) -> Span:
    """The span from behind the bullet sign it begins with, or the span itself."""
    bullet = _BULLET.match(text, span.start, span.end)
    return span if bullet is None else Span(bullet.end(), span.end)


def _body(text: str, block: Block) -> Span | None:
    body = trim(text, block.span.start, block.span.end)
    return without_bullet(text, body) if body is not None and block.kind == "list_item" else body


def _split(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    brackets = _brackets(text, start, end)
    opened = next(brackets, None)
    begin = start
    for stop in _STOP.finditer(text, start, end):
        while opened is not None and opened[1] < stop.start():
            opened = next(brackets, None)
        inside = opened is not None and opened[0] < stop.start() and stop.end() <= opened[1]
        if not inside and _ends(text, begin, stop, end, language):
            yield begin, stop.end()
            begin = stop.end()
    yield begin, end


def _brackets(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Outermost pairs of round brackets that close within reach, ascending."""
    opened: int | None = None
    depth = 0
    for found in re.finditer(r"[()]", text[start:end]):
        at = start + found.start()
        if opened is not None and at - opened > _BRACKET_REACH:
            opened, depth = None, 0
        if found.group() == "(":
            opened = at if opened is None else opened
            depth += 1
        elif opened is not None:
            depth -= 1
            if depth == 0:
                yield opened, at
                opened = None


def _ends(text: str, begin: int, stop: re.Match[str], end: int, language: str) -> bool:
    mark = stop.group()
    if mark.startswith("\n"):
        blank_line = len(mark) > 1
        return blank_line or _LIST_GOES_ON.search(text[max(begin, stop.start() - 12) : stop.start()]) is not None
    if mark[0] in "。！？؟۔।":
        return True
    follows = _LETTERLIKE.search(text, stop.end(), min(end, stop.end() + 200))
    if follows is None:
        return True
    if follows.group().islower():
        return False
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    return _full_stop_ends(text, begin, stop.start(), follows.start(), language)


def _full_stop_ends(text: str, begin: int, at: int, follows: int, language: str) -> bool:
    """Whether a single full stop at `at` ends a sentence, when what follows is no lower-case letter."""
    if at - begin <= 12 and _ENUMERATOR.fullmatch(text[begin:at].strip()):
        return False
    printed = (text[max(begin, at - 40) : at].split() or [""])[-1]
    token = printed.lstrip(_OPENING)
    if token != printed and _ENUMERATOR.fullmatch(token):
        return False  # a quoted number: see “2. Claims”
    folded = token.casefold()
    after = text[follows : follows + 24]
    if folded in _NEVER_LAST:
        return False
    if folded in _MAYBE_LAST or (_INITIALS.fullmatch(token) and token[0].isupper()):
        return _first_word(after) in _STARTERS
    if folded in _BEFORE_NUMBER:
        return _NUMBER_OR_ROMAN.match(after) is None or _first_word(after) in _STARTERS - {"a", "i", "o"}
    turkish_ordinal = language == "tr" and token.isdigit() and len(token) <= 3
    return not (turkish_ordinal and _TURKISH_DIVISION.match(after))


def _first_word(text: str) -> str:
    found = re.match(r"[^\W\d_]+", text)
    return found.group().casefold() if found else ""


def _cut(text: str, span: Span, limit: int) -> Iterator[Span]:
    start = span.start
    while span.end - start > limit:
        window = text[start : start + limit + 1]
        at = limit
        for pattern in _SOFT_CUT:
            ends = [m.end() for m in pattern.finditer(window, limit // 2) if m.end() <= limit]
            if ends:
                at = ends[-1]
                break
        if (piece := trim(text, start, start + at)) is not None:
            yield piece
        start += at
    if (rest := trim(text, start, span.end)) is not None:
        yield rest
