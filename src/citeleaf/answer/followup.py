"""A follow-up -> a question that stands alone: by rules, or by a chat model whose rewriting is checked by rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from citeleaf.retrieve.tokens import guess_language, terms

_WORD = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*")
_PRONOUNS = {
    "en": frozenset("it its they them their theirs he him his she her hers there ones former latter same".split()),
    "tr": frozenset(
        "bunu buna bunun bunlar bunları bunların onu ona onun onlar onları onların orada burada aynı".split()
    ),
}
"""Words that stand for something said before."""
_DEMONSTRATIVES = {"en": frozenset("this that these those".split()), "tr": frozenset("bu şu o".split())}
"""Words that do, unless what follows them was named in the question itself."""
_NO_REFERENCE = re.compile(
    r"\b(?:is|are|was|were|be|if)\s+there\b|\bthere\s+(?:is|are|was|were|be|any)\b"
    r"|\b(?:is|was|make|makes|made)\s+it\s+\w+\s+(?:that|to|for|if|when)\b|\bit\s+(?:is|was|takes?|costs?)\s+(?:\w+\s+)?to\b"
    r"|\b(?:so|such|now|provided|given|ensures?|requires?|means?|says?|states?|know|sure|told|think)\s+that\b"
    r"|\bthat\s+(?:the|an?|i|we|you|my|our|your|is|are|was|were|has|have|had|can|will|may|must|does|do)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:?!]|\b(?:and|or|but|before|after|when|if|while|until|because|unless|once|whether|ve|veya|eğer|ise|ki)\b",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"^\W*(?:and|or|but|so|then|also|plus|ok(?:ay)?|what about|how about|what if|why not|even|if not|else|any other|"
    r"what else|(?:any|some|what|which|are there|is there) other|peki|ya|ve|veya|ama|fakat|ayrıca|hani|başka)\b",
    re.IGNORECASE,
)
_OF_WHAT = re.compile(
    r"^\W*(?:what|who)(?:['’]s|\s+(?:is|are|was|were|does))\b|\b(?:nedir|kimdir|ne demek)\b", re.IGNORECASE
)
_VERBS = "is|are|was|were|do|does|did|can|could|should|will|would|has|have|had|may|must"
_ASKING = re.compile(
    r"^\W*(?:(?:please|and|or|but|so|then|also|ok(?:ay)?|thanks?|sorry|hi|hello)\b[\s,.!]*)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|explain|show|give|describe|help)(?: me| us)?(?: about)?\b"
    r"|(?:tell|explain|show|give|describe|list|name)(?: me| us)?(?: about)?\b"
    r"|i (?:want|need|would like|wish) to (?:know|ask|understand)(?: about| if| whether)?\b"
    r"|(?:what|who|which|where|when|why|whose|how)(?:['’]s)?"
    rf"(?:\s+(?:{_VERBS}|much|many|long|often|far|about|if|happens|kind of|type of)\b)*"
    rf"|(?:{_VERBS})\b(?:\s+there\b)?)"
    r"(?:\s+(?:i|we|you|one|it|they)\b)?\s*",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\s*\(([^()]*)\)\s*$")
_FEWEST_TERMS = 2
_LONGEST_TOPIC = 14
_KEPT_TURNS = 3

Rewriter = Callable[[str, "Sequence[Turn]"], str | None]
How = Literal["alone", "rules", "model"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of the talk as it was asked of the documents (self-standing), and the answer's text."""

    asked: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The question to ask, and how it came: left `alone`, put together by `rules`, or by the `model`."""

    question: str
    how: How


def rewrite(question: str, turns: Sequence[Turn], rewriter: Rewriter | None = None) -> Rewritten:
    """A question that stands alone. One that does already, or the first of a talk, is given back as it is.

    A question leans on the talk when a word in it stands for something said before, when it opens as a follow-up does
    ("and", "what about", "peki"), or when it has fewer than two terms and does not ask what one is. The rules put what
    the talk is about behind it, in brackets. `rewriter` is asked first; its question is taken when all its terms stand
    in the talk, at least half of the question's terms stand in it, and it no longer leans.
    """
    if not turns or not leans(question):
        return Rewritten(question, "alone")
    if rewriter is not None:
        made = rewriter(question, turns[-_KEPT_TURNS:])
        if made and _is_faithful(made, question, turns):
            return Rewritten(made, "model")
    topic = _topic(turns, question)
    if not topic:
        return Rewritten(question, "alone")
    return Rewritten(f"{question.strip()} ({topic})", "rules")


def leans(question: str) -> bool:
    """Whether a question cannot be understood without what was said before."""
    language = guess_language(question)
    if _OPENS.match(question):
        return True
    text = _NO_REFERENCE.sub(lambda m: " " * len(m[0]), question)
    if any(_refers_back(text, match, language) for match in _WORD.finditer(text)):
        return True
    held = set(terms(question, language))
    return len(held) < (1 if _OF_WHAT.search(question) else _FEWEST_TERMS)


def _refers_back(text: str, word: re.Match[str], language: str) -> bool:
    """Whether a word stands for something that the question itself does not name before it."""
    before = text[: word.start()]
    if word[0].casefold() in _DEMONSTRATIVES[language]:
        following = _WORD.search(text, word.end())
        named = set(terms(before, language))
        return following is None or not named or not set(terms(following[0], language)) & named
    if word[0].casefold() not in _PRONOUNS[language]:
        return False
    first = next((m.end() for m in _WORD.finditer(before) if terms(m[0], language)), None)
    # "When a customer moves, must they ...": named in a clause before.
    if first is None or len(set(terms(before, language))) < _FEWEST_TERMS:
        return True
    return _CLAUSE.search(before, first) is None


def _topic(turns: Sequence[Turn], question: str) -> str:
    """What the talk is about: the topic put behind the last question, else that question without its asking words."""
    known = set(terms(question, guess_language(question)))
    for turn in reversed(turns):
        held = _TOPIC.search(turn.asked)
        phrase = held[1] if held else _phrase(turn.asked)
        language = guess_language(turn.asked)
        if set(terms(phrase, language)) - known:
            return phrase
    return ""


def _phrase(question: str) -> str:
    text = " ".join(question.split()).strip(" ?!.")
    short = _ASKING.sub("", text, count=1) or text
    words = short.split()
    return " ".join(words[:_LONGEST_TOPIC]).strip(" ,;:?!.()")


def _is_faithful(made: str, question: str, turns: Sequence[Turn]) -> bool:
    language = guess_language(question)
    told = {t for turn in turns for t in (*terms(turn.asked, language), *terms(turn.answer, language))}
    own = set(terms(question, language))
    new = set(terms(made, language))
    if "\n" in made.strip() or len(made) > 400 or not new:
        return False
    return new <= told | own and len(own & new) >= len(own) / 2 and not leans(made)
