"""What is wrong with a reply, told by its structure: repetition, letters, overlap with what was sent."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from citeleaf.answer.prompts import language_of
from citeleaf.retrieve.tokens import ENGLISH_STOP_WORDS, TURKISH_STOP_WORDS, terms
from citeleaf.sentences import sentences

_WORD = re.compile(r"[^\W_]+")
_PERIOD = re.compile(r"(\S.{1,60}?)\1{5,}", re.DOTALL)
_NEGATION = re.compile(
    r"\b(?:not|no|nor|none|never|nothing|without|cannot|insufficient|unable|yok\w*|değil\w*|yetersiz\w*)\b|n['’]t\b"
    r"|\w+m[ıiuü]yor\w*|\w+m[ae]z\b|\w+(?:ma|me)m[ıi]ş\w*",
    re.IGNORECASE,
)
_GRAM = 6
_LONGEST_RUN = 5
"""So many overlapping grams in a row are ten words of the instructions."""
_ECHO_SHARE = 0.25
_FEWEST_WORDS = 24
_LEAST_DISTINCT = 0.5
_SAME_SENTENCE = 3
_FOREIGN_SHARE = 0.2
_LONGEST_EMPTY = 60


def is_garbled(text: str) -> str:
    """Why the text is no prose (too few letters, replacement characters, endless words), or nothing."""
    visible = [c for c in text if not c.isspace()]
    if not visible:
        return ""
    letters = sum(c.isalnum() for c in visible)
    if letters < 0.5 * len(visible):
        return f"only {letters} of {len(visible)} characters are letters or digits"
    odd = sum(c == "\ufffd" or unicodedata.category(c) in ("Cc", "Co", "Cn", "Cs") for c in visible)
    if odd > max(2, 0.02 * len(visible)):
        return f"{odd} characters cannot be read"
    words = text.split()
    if len(visible) > 40 * len(words) and not any(unicodedata.category(c) == "Lo" for c in visible):
        return "its words have no end"
    return ""


def is_looping(text: str) -> str:
    """Which words come again and again, or nothing: a sentence three times, or few distinct runs of four words."""
    said = Counter(" ".join(_words(text[s.start : s.end])) for s in sentences(text))
    again = next((s for s, n in said.most_common(1) if n >= _SAME_SENTENCE and len(s.split()) > 2), "")
    if again:
        return again[:80]
    words = _words(text)
    grams = [" ".join(words[i : i + 4]) for i in range(len(words) - 3)]
    if len(words) >= _FEWEST_WORDS and len(set(grams)) < _LEAST_DISTINCT * len(grams):
        return Counter(grams).most_common(1)[0][0]
    period = _PERIOD.search(text[-1_000:])
    return period[1][:80] if period and any(c.isalnum() for c in period[1]) else ""


def is_echo(text: str, instructions: str, data: Iterable[str]) -> str:
    """Words of the instructions that the text repeats, or nothing; words that the data hold too do not count.

    An echo is ten words in a row, or a quarter of the text's runs of six words.
    """
    lines = [line for line in text.split("\n") if re.match(r"\s*[|~] ", line) and not line.rstrip().endswith("|")]
    if len(lines) > 1:
        return lines[0].strip()[:80]
    words = _words(text)
    told = _grams(_words(instructions)) - {g for d in data for g in _grams(_words(d))}
    hits = [" ".join(words[i : i + _GRAM]) in told for i in range(len(words) - _GRAM + 1)]
    run = longest = end = 0
    for i, hit in enumerate(hits):
        run = run + 1 if hit else 0
        if run > longest:
            longest, end = run, i
    if longest >= _LONGEST_RUN or (longest and sum(hits) >= _ECHO_SHARE * len(hits)):
        return " ".join(words[end - longest + 1 : end + _GRAM])[:80]
    return ""


def is_foreign(text: str, question: str, data: Iterable[str]) -> str:
    """Why the text is not in the question's language, or nothing.

    Either a fifth of its letters are of a script that neither the question nor the data have, or, for an English or a
    Turkish question, the common words of the other language are at least three and twice as many as its own.
    """
    known = {_script(c) for source in (question, *data) for c in source if c.isalpha()}
    letters = [c for c in text if c.isalpha()]
    foreign = Counter(s for c in letters if (s := _script(c)) not in known)
    if foreign and sum(foreign.values()) > _FOREIGN_SHARE * len(letters):
        return f"it is written in {foreign.most_common(1)[0][0].title()} letters"
    wanted = language_of(question)
    votes = {"en": 0.0, "tr": 0.0}
    for word in _words(text):
        votes["en"] += word in ENGLISH_STOP_WORDS
        votes["tr"] += (word in TURKISH_STOP_WORDS) + any(c in "ışğ" for c in word)
    other = {"en": "tr", "tr": "en"}.get(wanted)
    if other and votes[other] >= 3 and votes[other] >= 2 * votes[wanted]:
        return {"en": "it is written in English", "tr": "it is written in Turkish"}[other]
    return ""


def says_nothing(text: str, question: str, instructions: str, data: Iterable[str]) -> bool:
    """Whether a text without citations only declines: it negates, is short, and brings nothing of its own.

    What it brings is any number, and two terms or more that the data hold; question and instructions do not count.
    """
    if len(text.split()) > _LONGEST_EMPTY or not _NEGATION.search(text):
        return False
    language = language_of(question) or "en"
    known = set(terms(question, language)) | set(terms(instructions, language))
    held = {t for d in data for t in terms(d, language)}
    brought = {t for t in terms(text, language) if t not in known}
    return len(brought & held) <= 1 and not any(c.isdigit() for t in brought for c in t)


def _words(text: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(text)]


def _grams(words: list[str]) -> set[str]:
    return {" ".join(words[i : i + _GRAM]) for i in range(len(words) - _GRAM + 1)}


def _script(character: str) -> str:
    return unicodedata.name(character, "UNKNOWN").split()[0]
