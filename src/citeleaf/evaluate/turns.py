"""What an answer turns round beside its reference, where clauses alone do not show it: what it says when, for whom.

Sentences are compared in pairs that share most of their words. Conditions are compared by sign: `A if B`, `not A unless
B` and `A only after B` say one thing, `A unless B` and `A without B` the other, and `even if B` neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from citeleaf.language.clauses import Clause, clause_of, clauses, conflict, shared
from citeleaf.language.quantities import Quantity, same
from citeleaf.sentences import sentences
from citeleaf.types import Quote, Span
from citeleaf.verify.align import Match, Piece, match
from citeleaf.verify.finding import Finding, Sides
from citeleaf.verify.lexicon import NEGATIVE_VERBS
from citeleaf.verify.polarity import denials
from citeleaf.verify.reading import alike
from citeleaf.verify.run import checks, contradictions

_NEAR, _COPY, _MOST, _SAME = 0.5, 0.7, 0.8, 0.85
"""Shares of the words of one sentence that the other holds: of one matter, in nearly the same words, in the same."""
_PART = 0.35
"""Least share of the words of one sentence that the other holds, where all words of that one stand in the first."""
_ALIKE = 0.6
"""Share of the words of two conditions that makes them one."""
_POINTS = ("quantifiers", "modality", "directions", "parties")
"""Checks of the verifier whose contradiction, found from both sides, turns an answer round."""
_CONDITION = re.compile(
    r"\b(?:(?P<even>even (?:if|when|where|with|without|after|before)|whether or not|with or without|regardless of"
    r"|irrespective of)"
    r"|(?P<minus>unless|except(?:ing)?(?: (?:for|if|when|where))?|without|until|till|before|other than|apart from)"
    r"|(?P<plus>(?:only )?(?:if|when|where|once|after|with)|provided(?: that)?|as long as|on condition that))\b",
    re.IGNORECASE,
)
_CONCESSION = re.compile(
    r"\b(?:even (?:if|when|where|with|without|after|before)|whether or not|with or without|regardless|irrespective"
    r"|olsa (?:bile|da))\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:only|if|when|where|unless|until|once|provided|after|before|except|with|eğer|ise|\w{3,}(?:ken|[ıiuü]nc[ae]"
    r"|d[ıiuü]ğ[ıiuü]nda|d[ıiuü]ğ[ıiuü]nde))\b",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:(?:in|under) (?:all|any|every) (?:cases?|circumstances?|events?)|at (?:any|all) times?|anywhere|everywhere"
    r"|(?:for|of) (?:any|every|whatever) (?:cause|reason)|however (?:many|much|often)|without (?:exception|limit)"
    r"|no matter|includ(?:ed|ing)|too|her durumda|her zaman)\b",
    re.IGNORECASE,
)
_UNIVERSAL = re.compile(r"\b(?:any(?! one\b)|all|every|always|each|includ\w+|also|too)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively|alone|nobody but|no one but|sadece|yalnız(?:ca)?)\b", re.IGNORECASE)
_ONLY_IF = re.compile(r"\bonly (?:if|when|where|once|after|with)\b", re.IGNORECASE)
_OR = re.compile(r"\b(\w+)\s+or\s+(?:\w+\s+)?(\w+)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_JOINT = re.compile(r"[,;:]\s+(?:but|and|while|whereas|however)\s|;\s", re.IGNORECASE)
_AND = re.compile(r"\s*[,;]?\s+(?:and|but|while|whereas)\s+", re.IGNORECASE)
_PIVOT = re.compile(r"\b(?:before|after)\b", re.IGNORECASE)
_NOT_THIS = re.compile(r",\s*(?:and |but )?not\s+([^,;.]{3,60})", re.IGNORECASE)
_OFF = re.compile(r"\b(?:off|without|outside)\s+(?:the\s+|an?\s+|any\s+)?(\w+)", re.IGNORECASE)
_ON = re.compile(r"\b(?:on|with|inside|in)\s+(?:the\s+|an?\s+|any\s+)?(\w+)", re.IGNORECASE)
_LAST = r"(?:is|are|was|were|does|do|did|will|would|may|can|must|should|has|have|had)"
_ELLIPSIS = re.compile(
    rf"\b(?:but|and|while|whereas|though|although)\s+((?:[\w'’-]+\s+){{1,12}}?){_LAST}(\s+not|n['’]t)?\s*(?:[.;,]|$)",
    re.IGNORECASE,
)
"""A statement that leaves out its predicate, that of the one before it: `X is covered, but Y is not`."""
_CLEFT = re.compile(r"\bit\s+is\s+((?:[\w'’-]+\s+){1,6}?)(?:that|who|which)\b", re.IGNORECASE)
_ONE = re.compile(
    r"\b(?:any|each|every|per)(?: one)? (?:\w+ )?(?:event|claim|loss|occurrence|incident|accident)\b", re.IGNORECASE
)
_ALTOGETHER = re.compile(
    r"\b(?:whole|entire|aggregate|combined|altogether|however many|in (?:total|all|aggregate)|all (?:\w+ )?"
    r"(?:events|claims|losses|occurrences|incidents|accidents))\b",
    re.IGNORECASE,
)
_ACTOR = re.compile(
    r"\w{3,}(?:er|or|ee|ist|yst|ant|ian|man|dent)s?|bank|council|board|committee|police|settlor|landlord|agent|client"
    r"|guest|staff|owner|court|minister|authority|pilot|nurse|clerk|captain|banka|müşteri"
)
_SAME_ACTOR = tuple(
    frozenset(group.split())
    for group in (
        "customer client policyholder consumer buyer purchaser shopper insured",
        "supplier vendor seller contractor provider dealer",
        "employee worker staff member",
        "tenant lessee renter occupier",
        "landlord lessor owner",
        "lawyer solicitor attorney counsellor",
        "doctor physician practitioner",
        "manager supervisor leader director officer",
        "insurer underwriter carrier",
        "charterer hirer renter",
        "visitor guest",
        "examiner auditor inspector assessor reviewer",
    )
)


@dataclass(frozen=True, slots=True)
class _Condition:
    """What a statement depends on: its content words, those of the statement, and the sign; 0 for `even if`."""

    words: frozenset[str]
    main: frozenset[str]
    sign: int


def turns(text: str, reference: str) -> tuple[str, ...]:
    """What the sentences of an answer turn round beside those of a reference, in their order, each once.

    `condition`, `exclusivity`, `scope`, `parties`, `order`, `quantity`, or the name of a check of the verifier. A
    sentence with words of its own is about something else where a nearer one turns nothing round.
    """
    meant = [_piece(reference[s.start : s.end]) for s in sentences(reference)]
    turned: list[tuple[Match, float, int, tuple[str, ...]]] = []
    for span in sentences(text):
        said = _piece(text[span.start : span.end])
        near = [(match(said.reading, piece), match(piece.reading, said), i) for i, piece in enumerate(meant)]
        near = [one for one in near if _of_one_matter(one[0], one[1])]
        if near:
            there, here, i = max(near, key=lambda one: one[0].coverage + one[1].coverage)
            turned.append((there, there.coverage + here.coverage, i, tuple(_turns(there, here))))
    right = {i: max((n for _, n, at, names in turned if at == i and not names), default=0.0) for _, _, i, _ in turned}
    counted = [names for there, n, i, names in turned if there.coverage >= 1 or n >= right[i]]
    return tuple(dict.fromkeys(name for names in counted for name in names))


def _of_one_matter(there: Match, here: Match) -> bool:
    low, high = sorted((there.coverage, here.coverage))
    return len(there.pairs) >= 2 and (low >= _NEAR or (high >= 1 and low >= _PART))


def _turns(there: Match, here: Match) -> Iterator[str]:
    """`there` matches the answer's sentence with the reference's, `here` the other way round."""
    said, meant = there.claim.text, here.claim.text
    low, high = sorted((there.coverage, here.coverage))
    held = _conditions(meant)
    conceded = _CONCESSION.search(said) and not _CONCESSION.search(meant) and _LIMIT.search(meant)
    if conceded or any(_differs(condition, held) for condition in _conditions(said)):
        yield "condition"
    if high >= _COPY and _exclusive(said, meant, here):
        yield "exclusivity"
    if _EVERYWHERE.search(said) and not _UNIVERSAL.search(meant) and here.coverage < 1:
        yield "scope"
    if (high >= _COPY and _other_actor(there)) or _other_cleft(said, meant):
        yield "parties"
    if low >= _COPY and (_exchanged(said, meant) or _turned_about(said, meant)):
        yield "order"
    if low >= _NEAR and (_tail_lost(said, meant) or _against_ellipsis(said, meant)):
        yield "negation"
    if low >= _COPY and _half_denied(said, meant):
        yield "negation"
    if low >= _COPY and (_left(said, meant) or _left(meant, said)):
        yield "directions"
    if high >= _SAME and low >= _COPY and _weaker(said, meant):
        yield "modality"
    if low >= _NEAR and _demanded(said, meant):
        yield "modality"
    if high >= _COPY and (_basis(said) and _basis(meant) and _basis(said) != _basis(meant)):
        yield "scope"
    if there.coverage >= _SAME and _added(said, meant):
        yield "quantity"
    if low >= _COPY:
        mirrored = {f.name for f in contradictions(checks(Sides(here.claim, (here,))))}
        for finding in contradictions(checks(Sides(there.claim, (there,)))):
            if finding.name == "exceptions" and low >= _MOST and not _agree(said, meant):
                yield "condition"
            elif finding.name in _POINTS and finding.name in mirrored and not _denied(finding, there, here):
                yield finding.name


def _denied(finding: Finding, there: Match, here: Match) -> bool:
    """Whether a negation makes good what is found: one more on one side, or `excluded` for `not covered`.

    So for opposite directions, and for duties beside conditions that agree: `must not run until` is
    `may run only after`. Any one event is each event.
    """
    odd = denials(there.claim) % 2 != denials(here.claim) % 2
    if finding.name == "modality":
        return odd and _agree(there.claim.text, here.claim.text)
    if finding.name == "quantifiers":
        return bool(_ONE.search(there.claim.text) and _ONE.search(here.claim.text))
    if finding.name != "directions" or finding.said is None or finding.found is None:
        return False
    words = there.claim.text[finding.said.start : finding.said.end], finding.found.text
    return odd or any(NEGATIVE_VERBS.fullmatch(word.lower()) for word in words)


def _conditions(text: str) -> tuple[_Condition, ...]:
    """The conditions of a sentence, each up to a comma or its end, with the sign of the rest under it.

    One inside another is part of it.
    """
    out: list[_Condition] = []
    end = 0
    for found in _CONDITION.finditer(text):
        if found.start() < end:
            continue
        end = next((m.start() for m in re.finditer(r"[,;]\s|$", text) if m.start() >= found.end()), len(text))
        inner = clause_of(text[found.end() : end])
        if not inner.size:
            continue
        rest = clause_of(_JOINT.split(text[: found.start()])[-1] + " " + _JOINT.split(text[end:])[0])
        turned = inner.negations + rest.negations + (found["minus"] is not None)
        out.append(_Condition(inner.words, rest.words, 0 if found["even"] else -1 if turned % 2 else 1))
    return tuple(out)


def _differs(said: _Condition, meant: tuple[_Condition, ...]) -> bool:
    """Whether every condition of the reference that is made of these words has another sign."""
    near = [c for c in meant if _alike(said, c)]
    return bool(near) and all(said.sign != c.sign for c in near)


def _agree(said: str, meant: str) -> bool:
    """Whether each condition of the answer is one of the reference."""
    mine, theirs = _conditions(said), _conditions(meant)
    return bool(mine) and all(any(_alike(a, b) and a.sign == b.sign for b in theirs) for a in mine)


def _alike(said: _Condition, meant: _Condition) -> bool:
    """Whether two statements that share a word depend on one thing."""
    return bool(said.main & meant.main) and len(said.words & meant.words) >= max(
        1, _ALIKE * max(len(said.words), len(meant.words))
    )


def _exclusive(said: str, meant: str, here: Match) -> bool:
    """Whether `only` is added that is no `only if`, or an alternative of the reference is dropped beside an `only`."""
    if not _ONLY.search(said) or _ONLY.search(meant):
        return False
    if not _ONLY_IF.search(said):
        return not clause_of(meant).either
    held = {here.claim.content[i].text for i, _ in here.pairs}
    return any((a.lower() in held) != (b.lower() in held) for a, b in _OR.findall(meant))


def _other_actor(there: Match) -> bool:
    """Whether one acting person stands in the place of another, between words that both sentences share."""
    mine, theirs = there.claim.content, there.piece.reading.content
    paired = {
        i: j
        for i, j in there.pairs
        if mine[i].stem == theirs[j].stem
        or bool(_ACTOR.fullmatch(mine[i].text)) == bool(_ACTOR.fullmatch(theirs[j].text))
    }
    taken = set(paired.values())
    for i, word in enumerate(mine):
        if i in paired or not _ACTOR.fullmatch(word.text):
            continue
        after = paired.get(i + 1, len(theirs) if i + 1 == len(mine) else -1)
        before = paired.get(i - 1, -1)
        for j in {after - 1, before + 1} - taken:
            ends = len(mine) - 1 == i or len(theirs) - 1 == j or after < 0
            inside = 0 <= j < len(theirs) and (j == after - 1 or ends)
            if inside and _ACTOR.fullmatch(theirs[j].text) and not _one_actor(word.stem, theirs[j].stem):
                return True
    return False


def _other_cleft(said: str, meant: str) -> bool:
    """Whether both say that `it is X that does so`, with nothing in common between the one X and the other."""
    mine, theirs = _CLEFT.search(said), _CLEFT.search(meant)
    if not mine or not theirs or clause_of(said).negations % 2 != clause_of(meant).negations % 2:
        return False
    one, two = clause_of(mine[1]).words, clause_of(theirs[1]).words
    return bool(one and two) and not one & two and not any(_one_actor(a, b) for a in one for b in two)


def _one_actor(first: str, second: str) -> bool:
    return alike(first, second) or any(first in group and second in group for group in _SAME_ACTOR)


def _exchanged(said: str, meant: str) -> bool:
    """Whether two statements joined by `and` have exchanged what they say: each holds words of both of the other's."""
    first, second = _AND.split(said), _AND.split(meant)
    if len(first) != 2 or len(second) != 2:
        return False
    a, b = (clause_of(part).words for part in second)
    a, b = a - b, b - a
    one, two = (clause_of(part).words for part in first)
    mixed = all(part & a and part & b for part in (one, two))
    return mixed and len((one | two) & (a | b)) >= _SAME * len(a | b) and not one & two & (a | b)


def _turned_about(said: str, meant: str) -> bool:
    """Whether what stands before and after a `before`, or an `after`, has changed places."""
    one, two = _PIVOT.findall(said), _PIVOT.findall(meant)
    if len(one) != 1 or [w.lower() for w in one] != [w.lower() for w in two]:
        return False
    first, second = (clause_of(part).words for part in _PIVOT.split(said))
    a, b = (clause_of(part).words for part in _PIVOT.split(meant))
    a, b = a - b, b - a
    return len(first & b) > len(first & a) and len(second & a) > len(second & b)


def _tail_lost(said: str, meant: str) -> bool:
    """Whether what the reference sets apart by `, not` is said in the answer without a denial."""
    if clause_of(said).negations or re.search(
        r"\b(?:rather|instead|than|except|unless|without)\b", said, re.IGNORECASE
    ):
        return False
    held = clause_of(said).words
    return any((words := clause_of(tail).words) and words <= held for tail in _NOT_THIS.findall(meant))


def _against_ellipsis(said: str, meant: str) -> bool:
    """Whether the answer says of Y what the reference says of X alone: `X is covered, but Y is not`."""
    for found in _ELLIPSIS.finditer(meant):
        base = clauses(meant[: found.start()])
        apart = clause_of(found[1]).words - base[-1].words if base else frozenset()
        if not apart or not base[-1].assertive:
            continue
        odd = bool(found[2]) != bool(base[-1].negations % 2)
        predicate = _predicate(base[-1])
        for clause in clauses(said):
            if apart <= clause.words and predicate & clause.words and bool(clause.negations % 2) != odd:
                return True
    return False


def _predicate(clause: Clause) -> frozenset[str]:
    """Content words from the first verb of a clause on, of negative sense too: `excluded`."""
    parts = re.split(rf"\b{_LAST}\b", clause.text, maxsplit=1, flags=re.IGNORECASE)
    return clause_of(parts[1]).words if len(parts) > 1 else frozenset()


def _half_denied(said: str, meant: str) -> bool:
    """Whether of two statements joined by `and` both are turned round, so that the denials of the whole are even."""
    first, second = _AND.split(said), _AND.split(meant)
    if len(first) != 2 or len(second) != 2:
        return False
    halves = [(clause_of(a), clause_of(b)) for a, b in zip(first, second, strict=True)]
    return all(shared(a, b) >= 2 and conflict(b, a) == "negation" for a, b in halves)


def _demanded(said: str, meant: str) -> bool:
    """Whether the answer makes a duty of what the reference makes a condition: `only if We agree`, `We must agree`."""
    for condition in _conditions(meant):
        if condition.sign != 1 or not condition.words:
            continue
        for piece in re.split(r"[,;]\s", said):
            clause = clause_of(piece)
            asked = (
                "duty" in clause.modality and not _CONDITION.search(piece) and "duty" not in clause_of(meant).modality
            )
            if asked and condition.words <= clause.words and len(clause.words) <= 2 * len(condition.words) + 1:
                return True
    return False


def _basis(text: str) -> str:
    """Whether a limit is for each event or for all of them; empty where the text says neither, or both."""
    one, altogether = bool(_ONE.search(text)), bool(_ALTOGETHER.search(text))
    return "" if one == altogether else "each" if one else "all"


def _left(said: str, meant: str) -> bool:
    """Whether the one is off, without or outside what the other is on, with or in; a denial on either side aside."""
    if clause_of(said).negations or clause_of(meant).negations:
        return False
    away = {w.lower() for w in _OFF.findall(said)}
    return bool(away & {w.lower() for w in _ON.findall(meant)} - {w.lower() for w in _OFF.findall(meant)})


def _weaker(said: str, meant: str) -> bool:
    """Whether a plain statement has become what may be."""
    mine, theirs = clause_of(said), clause_of(meant)
    return "permitted" in mine.modality and not theirs.modality and not mine.only and not theirs.only


def _added(said: str, meant: str) -> bool:
    """Whether the answer has a quantity that the reference has not, with a number of its own, nothing rejecting it."""
    held, numbers = clause_of(meant).quantities, set(_NUMBER.findall(meant))
    return any(
        not any(same(q, other) for other in held)
        and numbers.isdisjoint(_NUMBER.findall(said[q.start : q.end]))
        and not _rejected(said, q)
        for q in clause_of(said).quantities
    )


def _rejected(text: str, amount: Quantity) -> bool:
    return bool(re.search(r"\b(?:not|never|than|of)\W+(?:\w+\W+){0,2}$", text[: amount.start], re.IGNORECASE))


@lru_cache(maxsize=1024)
def _piece(text: str) -> Piece:
    return Piece("", (Quote(Span(0, len(text)), text),), text)
