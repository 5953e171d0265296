"""The tokenizer that index, query and browser share: folded, stemmed, stop-worded terms."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache

import Stemmer

_TURKISH = str.maketrans({"İ": "i", "I": "ı"})
_DOTLESS = str.maketrans({"ı": "i"})
_WORD = re.compile(r"[^\W_]+(?:[-./_&'’][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"['’]s?$|['’](?=\w)")
_DIGIT = re.compile(r"\d")
_STEMMING = threading.Lock()

ENGLISH_STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each else ever few for from further get gets got had has have
    having he her here hers him his how i if in into is it its itself just let lets many may me might more most
    much must my myself no nor not now of off on once one only or other our ours out over own per please same
    shall she should so some such tell than that the their theirs them themselves then there these they this
    those through to too under until up upon us very was we were what when where whether which while who whom
    whose why will with within without would you your yours
    """.split()
)
TURKISH_STOP_WORDS = frozenset(
    """
    acaba ama ancak bana bazı belki ben beni bir biri birkaç biz bize bizim bu buna bunu bunun da daha de defa
    değil diye en gibi hangi hangisi hem hep hepsi her hiç ile ise için kadar kaç ki kim kimse mi mu mü mı nasıl
    ne neden nedir nerede nereye niye niçin o olan olarak oldu olur on ona onlar onu onun sen siz size tüm var
    ve veya ya yani yok çok çünkü şey şu
    """.split()
)


def terms(text: str, language: str = "en") -> list[str]:
    """Index terms of a text in order, repeats kept: lower case, no accents, stemmed, stop words out.

    A code (a word with a digit and an inner `-`, `.`, `/`, `_` or `&`, such as `AML-204` or `4.2.1`) gives itself and
    its parts; an ordinary hyphenated word gives its parts. Thousands separators go: `25,000` is `25000`. `language` is
    `en` or `tr`; any other is read as `en`, as a question in it is. For Turkish, dotted and dotless i are kept apart
    while stemming and folded together afterwards. Terms hold letters and digits, and `-./_&` inside codes only.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if language == "tr":
        text = text.translate(_TURKISH)
    out: list[str] = []
    for match in _WORD.finditer(_THOUSANDS.sub("", text.lower())):
        word = match[0]
        if word.isalnum():
            _add(out, word, language)
            continue
        word = _POSSESSIVE.sub("", word)
        pieces = _PIECE.findall(word)
        if len(pieces) > 1 and _DIGIT.search(word):
            out.append(fold(word))
        for piece in pieces:
            _add(out, piece, language)
    return out


def fold(word: str) -> str:
    """Accents off, dotless i to i, compatibility forms joined; lower case is expected."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFKD", word.translate(_DOTLESS))
    return "".join(c for c in decomposed if not unicodedata.combining(c) and c != "'")


def is_code(term: str) -> bool:
    """Whether a term names something exactly: it holds a digit and is no short plain number."""
    return bool(_DIGIT.search(term)) and (not term.isdigit() or len(term) >= 4)


def guess_language(text: str) -> str:
    """`tr` when Turkish function words or letters outnumber English ones, else `en`."""
    lower = text.translate(_TURKISH).lower() if any(c in text for c in "İışğ") else text.lower()
    words = _PIECE.findall(lower)
    turkish = sum(w in TURKISH_STOP_WORDS for w in words) + sum(c in "ışğ" for c in lower) / 3
    english = sum(w in ENGLISH_STOP_WORDS for w in words)
    return "tr" if turkish > english else "en"


def _add(out: list[str], word: str, language: str) -> None:
    term = _term(word, language)
    if term:
        out.append(term)


@lru_cache(maxsize=200_000)
def _term(word: str, language: str) -> str:
    if language != "tr":
        if word in ENGLISH_STOP_WORDS or (len(word) == 1 and not word.isdigit()):
            return ""
        return fold(_stem("english", word))
    return "" if word in TURKISH_STOP_WORDS else fold(_stem("turkish", word))


def _stem(name: str, word: str) -> str:
    # A stemmer keeps the word it works on in itself, so one may not serve two threads at once.
    with _STEMMING:
        stem: str = _stemmer(name).stemWord(word)
    return stem


@lru_cache(maxsize=4)
def _stemmer(name: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(name)
