"""Who does what to whom: the parties of a text, by the verbs they act in and the things that are theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeleaf.types import Span
from citeleaf.verify.align import Match
from citeleaf.verify.finding import Finding, Sides, failed, idle, passed
from citeleaf.verify.lexicon import PARTIES
from citeleaf.verify.reading import Reading, Word

_GATE = 0.55
_PREPOSITIONS = frozenset("by to from of against for with on upon through under at behalf".split())
_BY = 8
"""Words after a verb within which `by` names who acts."""
_ARTICLES = frozenset(("the", "an", "any", "each", "every"))
_PRONOUNS = frozenset(("we", "us", "you"))
_POSSESSIVES = {"our": "insurer", "your": "insured"}


@dataclass(frozen=True, slots=True)
class Act:
    """A content word with who acts in it, or whose it is, and the span of that party."""

    word: Word
    who: str
    at: Span
    owns: bool = False


def parties(sides: Sides) -> Finding:
    """The check `parties`: a verb that both sides have is done by the same party, a thing of both is the same one's."""
    mine = acts(sides.claim)
    if not mine:
        return idle("parties")
    swapped: Finding | None = None
    for match in sides.matches:
        if match.coverage < _GATE or len(match.pairs) < 2:
            continue
        theirs = acts(match.piece.reading)
        shared = _shared(match, mine, theirs)
        if not shared:
            continue
        owned = [pair for pair in shared if pair[0].owns and pair[1].owns]
        acted = [pair for pair in shared if pair not in owned]
        apart = [pair for pair in acted if not pair[2]]
        wrong = [pair for pair in owned if not pair[2]] if match.near else []
        turned = wrong if wrong and len(wrong) == len(owned) else apart if len(apart) == len(acted) else []
        if not turned:
            return passed("parties", "who acts agrees")
        if swapped is None:
            here, there, _ = turned[0]
            swapped = failed(
                "parties",
                f"“{here.word.text}”: {_named(sides.claim.text, here)} in the claim, "
                f"{_named(match.piece.text, there)} in the passage",
                contradicts=_both(match, here, there),
                said=here.at,
                piece=match.piece,
                found=there.at,
            )
    return swapped or idle("parties")


def _shared(match: Match, mine: list[Act], theirs: list[Act]) -> list[tuple[Act, Act, bool]]:
    """Acts in words that both sides share, with whether the party is the same; the first of each word counts."""
    content, other = match.claim.content, match.piece.reading.content
    out = []
    by_word = {id(a.word): a for a in reversed(mine)}
    by_other = {id(a.word): a for a in reversed(theirs)}
    for i, j in match.pairs:
        a, b = by_word.get(id(content[i])), by_other.get(id(other[j]))
        if a is not None and b is not None:
            out.append((a, b, a.who == b.who))
    return out


def _both(match: Match, here: Act, there: Act) -> bool:
    """Whether both parties stand on at least one side, so that one took the other's place rather than its name."""
    mine, theirs = match.claim.words, match.piece.reading.words
    names = {role_of(mine, i) for i in range(len(mine))}, {role_of(theirs, i) for i in range(len(theirs))}
    return here.who in names[1] or there.who in names[0] or {here.who, there.who} == {"insurer", "insured"}


def acts(reading: Reading) -> list[Act]:
    """Who acts in each content word: the party before it in its clause, or the one that `by` names after it."""
    words = reading.words
    content = {id(w): w for w in reading.content}
    subject: tuple[str, Span] | None = None
    clause = -1
    out: list[Act] = []
    for i, word in enumerate(words):
        if word.clause != clause:
            subject, clause = None, word.clause
        role = role_of(words, i)
        owns = reading.text[word.end : word.end + 1] in ("'", "’")
        if role and not owns and word.text not in _POSSESSIVES:
            if (i == 0 or words[i - 1].text not in _PREPOSITIONS) and not _modifies(reading, i):
                subject = (role, Span(word.start, word.end))
            continue
        if id(word) not in content:
            continue
        owner = _owner(reading, i)
        agent = owner or _agent(reading, i) or subject
        if agent is not None:
            out.append(Act(word, agent[0], agent[1], owner is not None))
    return out


def role_of(words: Sequence[Word], i: int) -> str | None:
    """The role of the party that a word names; `insured` names one only behind an article: sums are insured too."""
    word = words[i].text
    if word == "insured" and (i == 0 or words[i - 1].text not in _ARTICLES):
        return None
    return PARTIES.get(word)


def _modifies(reading: Reading, i: int) -> bool:
    """Whether a party is the first part of a compound noun, such as `customer` in `customer information`."""
    words = reading.words
    if words[i].text in _PRONOUNS or i + 1 >= len(words) or not words[i + 1].stem:
        return False
    return reading.text[words[i].end : words[i + 1].start] == " " and not words[i + 1].text.endswith(("s", "ed"))


def _owner(reading: Reading, i: int) -> tuple[str, Span] | None:
    if i == 0:
        return None
    before = reading.words[i - 1]
    if before.text in _POSSESSIVES:
        return _POSSESSIVES[before.text], Span(before.start, before.end)
    return None


def _agent(reading: Reading, i: int) -> tuple[str, Span] | None:
    words = reading.words
    for k in range(i + 1, min(len(words), i + 1 + _BY)):
        if words[k].clause != words[i].clause:
            return None
        if words[k].text == "by":
            for n in range(k + 1, min(len(words), k + 4)):
                role = role_of(words, n)
                if role and words[n].text not in _POSSESSIVES:
                    return role, Span(words[n].start, words[n].end)
            return None
    return None


def _named(text: str, act: Act) -> str:
    return "“" + text[act.at.start : act.at.end] + "”"
