"""A sentence as the checks read it: words with their stems, what is denied of them, and what stands in a condition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from citeleaf.language.quantities import Quantity, quantities
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.verify.lexicon import (
    CONDITIONS,
    EXCEPTING,
    GROUPS,
    LEMMAS,
    NEGATIONS,
    NEGATIVE_VERBS,
    NOT_ONLY,
    TURKISH_NEGATION,
    group_words,
)

Part: TypeAlias = Literal["main", "condition", "exception", "relative"]
MOST_WORDS = 400
"""Words of one sentence that are read; what follows is left out, so that time stays linear."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BROKEN = re.compile(r"(?:fi|fl|ffi|ffl)$")
_BROKEN_FF = re.compile(r"(?:[ae]ff|diff|suff|coeff|ineff|inaff)$")
_OFF_ENDS = re.compile(r"(?:er(?:s|ed|ing|ings)?|ices?|icers?|icial(?:s|ly)?|ences?|ensive|set)$")
_COMPARED = re.compile(
    r"\b(?:no|not|never|n't)\s+(?:\w+\s+){0,2}?(?:less|fewer|more|later|earlier|sooner|longer|greater|exceed\w*|beyond)\b"
)
_OR_NOT = re.compile(r"\bor not\b")
_MARK = re.compile(r"(^|[:;,]\s+(?:and |or )?)(\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)])(?=\s)", re.IGNORECASE)
"""The mark of a list's item, which ends no sentence."""
_STOP = re.compile(r"[.;!?\n]")
_PAUSE = re.compile(r"[,()–—]|\s-\s")
_CONTRAST = frozenset("but whereas however although though ama ancak fakat".split())
_STARTS = frozenset(
    "the we you it they he she this these those there no a an any all each every our your its their".split()
)
_SUBJECTS = frozenset("we you it they he she there i".split())
_VERBS = frozenset("is are was were has have had does do did can may must will would should shall could".split())
_FUNCTION = NEGATIONS | {
    "unless",
    "except",
    "excepting",
    "excluding",
    "without",
    "provided",
    "alone",
    "also",
    "must",
    "shall",
}
_ANYWAY = frozenset(("tell", "get", "same", "own", "further", "let", "above", "below", "once", "same"))
"""Words that search leaves out and that carry sense all the same."""
_CUES = sorted(((tuple(cue.split()), cue) for cue in (*EXCEPTING, *CONDITIONS)), key=lambda c: -len(c[0]))


@dataclass(frozen=True, slots=True)
class Word:
    """One word: lower case, its content stem (empty for function words), its place, and what the sentence says of it.

    `denied` is whether an odd number of negations applies to it; `relaxed` is the same when `not ... unless` and its
    kind are read as `only if`. `part` is the kind of clause it stands in and `clause` that clause's number.
    """

    text: str
    stem: str
    start: int
    end: int
    denied: bool
    relaxed: bool
    part: Part
    clause: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A text with its words and quantities; `content` are the words that carry sense, quantities and repeats aside."""

    text: str
    language: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    quantities: tuple[Quantity, ...]
    stems: frozenset[str]


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    """The reading of a text; time is linear in its length, and words past the first 400 are left out.

    >>> [(w.text, w.denied) for w in read("Theft is not covered unless doors were locked").content]
    [('theft', True), ('covered', True), ('doors', False), ('locked', False)]
    """
    language = guess_language(text)
    amounts = quantities(text)
    plain = _MARK.sub(lambda m: m[1] + " " * len(m[2]), text)
    raw = _tokens(plain)
    words = tuple(_judged(raw, plain, language))
    taken = [(q.start, q.end) for q in amounts]
    content: list[Word] = []
    for word in words:
        if word.stem and not any(a <= word.start < b for a, b in taken):
            content.append(word)
    return Reading(text, language, words, tuple(content), amounts, frozenset(w.stem for w in content))


def alike(first: str, second: str) -> bool:
    """Whether two stems are of one sense: equal, of one group of like words, or of one long root.

    >>> alike("insur", "cover"), alike("cancel", "cancellat"), alike("cover", "theft")
    (True, True, False)
    """
    if first == second:
        return True
    if _groups().get(first, frozenset()) & _groups().get(second, frozenset()):
        return True
    short, long = sorted((first, second), key=len)
    return len(short) >= 5 and long.startswith(short[: max(5, len(short) - 1)]) and len(long) - len(short) <= 5


@lru_cache(maxsize=65536)
def stem(word: str, language: str) -> str:
    """The stem of one word, lower case, irregular forms by their base; empty for a function word."""
    base = LEMMAS.get(word, word)
    if base in _ANYWAY:
        return base
    found = terms(base, language)
    return LEMMAS.get(found[0], found[0]) if found else ""


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[int]]:
    if not GROUPS:
        found: dict[str, set[int]] = {}
        for n, words in group_words():
            for word in words:
                found.setdefault(stem(word, "en") or word, set()).add(n)
        GROUPS.update({word: frozenset(groups) for word, groups in found.items()})
    return GROUPS


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """Words with their places; those that a text layer broke behind `fi` or `ff` are joined, `n't` becomes `not`."""
    out: list[tuple[str, int, int]] = []
    for match in _WORD.finditer(text):
        word, start, end = match[0].lower().replace("’", "'"), match.start(), match.end()
        if len(out) >= MOST_WORDS:
            break
        if out and start == out[-1][2] + 1 and text[start - 1] == " " and _broken(out[-1][0], word):
            before, begin, _ = out[-1]
            out[-1] = (before + word, begin, end)
        elif word.endswith("n't"):
            stem_end = end - 3
            if stem_end > start and word != "can't":
                out.append((word[:-3], start, stem_end))
            out.append(("not" if word != "can't" else "cannot", stem_end if word != "can't" else start, end))
        elif "-" in word and word.split("-")[0] != "non":
            at = start
            for piece in word.split("-"):
                out.append((piece, at, at + len(piece)))
                at += len(piece) + 1
        else:
            out.append((word.removesuffix("'s").removesuffix("'"), start, end))
    return out


def _broken(before: str, word: str) -> bool:
    if len(word) > 8 or word in _VERBS or word in NEGATIONS:
        return False
    if _BROKEN.search(before):
        return not before.startswith("wi")
    return bool(_BROKEN_FF.search(before) and word.isalpha()) or (before == "off" and bool(_OFF_ENDS.match(word)))


def _cue(words: Sequence[tuple[str, int, int]], at: int) -> tuple[str, int]:
    """The cue that begins at a word, with its number of words; an empty cue and 1 where there is none."""
    for parts, cue in _CUES:
        if words[at][0] == parts[0] and tuple(w for w, _, _ in words[at : at + len(parts)]) == parts:
            return cue, len(parts)
    return "", 1


def _judged(raw: Sequence[tuple[str, int, int]], text: str, language: str) -> list[Word]:
    """The words with what is denied: negations count in their own clause, exceptions turn round what they except."""
    spared = [m.span() for pattern in (_COMPARED, NOT_ONLY, _OR_NOT) for m in pattern.finditer(text.lower())]
    parts: list[tuple[Part, int, str]] = [("main", 0, "")]  # kind, clause, cue
    owner: list[int] = []
    negations = [0]
    mains = [0]  # the main part of each clause
    current, held_main, until = 0, False, 0
    for i, (word, start, _) in enumerate(raw):
        gap = text[raw[i - 1][2] : start] if i else ""
        kind, clause, _ = parts[current]
        following = raw[i + 1][0] if i + 1 < len(raw) else ""
        fresh = bool(_STOP.search(gap)) or word in _CONTRAST or (word in ("and", "or") and following in _SUBJECTS)
        fresh = fresh or (word == "nor" and "neither" not in (w for w, _, _ in raw[max(0, i - 25) : i]))
        if fresh and i:
            parts.append(("main", clause + 1, ""))
            negations.append(0)
            mains.append(len(parts) - 1)
            current, held_main = len(parts) - 1, False
        elif kind != "main" and _PAUSE.search(gap) and (kind == "relative" or not held_main) and i >= until:
            if kind == "relative" or word in _STARTS or word in _SUBJECTS:
                current, held_main = mains[clause], True
        elif kind != "main" and _PAUSE.search(gap) and word in _VERBS:
            current = mains[clause]
        cue, size = _cue(raw, i)
        if cue and text[raw[i + size - 1][2] :].lstrip()[:1] == ":":
            cue = ""  # what follows is a list of statements, not a condition
        relative = word in ("which", "who", "whose") or (word == "that" and following in _VERBS and i > 0)
        if cue and i >= until:
            new: Part = "exception" if cue in EXCEPTING and cue != "until" else "condition"
            held_main = held_main or (parts[current][0] == "main" and current in owner)
            parts.append((new, parts[current][1], EXCEPTING.get(cue, cue)))
            negations.append(0)
            current, until = len(parts) - 1, i + size
        elif relative and i >= until and parts[current][0] == "main":
            parts.append(("relative", parts[current][1], ""))
            negations.append(0)
            current = len(parts) - 1
        elif parts[current][0] == "main":
            held_main = True
        owner.append(current)
        negations[current] += _is_negation(word, start, raw, i, language, spared, cue)
    return _words(raw, language, parts, owner, negations, mains)


def _is_negation(
    word: str,
    start: int,
    raw: Sequence[tuple[str, int, int]],
    i: int,
    language: str,
    spared: Sequence[tuple[int, int]],
    cue: str,
) -> bool:
    if cue or any(a <= start < b for a, b in spared):
        return False
    if word == "nor" and any(w == "neither" for w, _, _ in raw[max(0, i - 25) : i]):
        return False
    if word in NEGATIONS or NEGATIVE_VERBS.fullmatch(word):
        return True
    return language == "tr" and bool(TURKISH_NEGATION.fullmatch(word))


def _words(
    raw: Sequence[tuple[str, int, int]],
    language: str,
    parts: Sequence[tuple[Part, int, str]],
    owner: Sequence[int],
    negations: Sequence[int],
    mains: Sequence[int],
) -> list[Word]:
    softened = {
        clause for kind, clause, cue in parts if cue in ("unless", "without", "until") and negations[mains[clause]] % 2
    }
    out = []
    for (word, start, end), part in zip(raw, owner, strict=True):
        kind, clause, cue = parts[part]
        main = negations[mains[clause]] if clause < len(mains) else 0
        count = negations[part] + (main + 1 if kind == "exception" else main if kind == "relative" else 0)
        eased = clause in softened and (kind == "main" or cue in ("unless", "without", "until"))
        relaxed = (count - main if kind == "main" else negations[part]) if eased else count
        held = "" if word in _FUNCTION else stem(word, language)
        out.append(Word(word, held, start, end, count % 2 == 1, relaxed % 2 == 1, kind, clause))
    return out
