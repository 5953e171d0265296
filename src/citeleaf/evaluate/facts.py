"""Does an answer state what is required, assert what is forbidden, or turn the reference round?

No model and no overlap score decides here: a fact counts as stated when one of its wordings stands in a clause, numbers
by value and unit, and that clause agrees with the reference in negation, duty or permission, and direction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from citeleaf.evaluate.coverage import fold
from citeleaf.evaluate.forms import Row
from citeleaf.evaluate.metrics.answers import SUCCESS, facts_stated, rubric
from citeleaf.evaluate.turns import turns
from citeleaf.language.clauses import Clause, clause_of, clauses, conflict, shared
from citeleaf.language.quantities import Quantity, opposed, quantities, same
from citeleaf.record import Json
from citeleaf.sentences import sentences

State: TypeAlias = Literal["stated", "missing", "reversed"]
Sign: TypeAlias = str | Quantity
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_DENIALS = frozenset(("not", "no", "never", "nor", "without", "cannot", "değil"))
_GAP = 2
"""Words that may stand between two words of a forbidden wording."""
_CONCLUSION = re.compile(r"\W*(yes|no|evet|hayır)\b(?=\s*(?:[.,;:!–-]|$))\W*", re.IGNORECASE)
_ALIGNED, _COMMON = 0.6, 0.4
"""Least shares of the smaller and of the larger clause's content that two clauses of one matter have in common."""
_SURE = 0.8
"""The first of the two where the answer states all that is required, so that little else may speak against it."""
_SHORT = 4
"""Content words up to which a reference is a fact of its own."""
_HALVED = 0.6
"""What a short reference that is there in part counts, so that it is never a success."""
_WHOLE, _MOST = 0.8, 0.55
"""Shares of a long reference's content that make an answer complete, or complete but for details."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict on one answer: the state of each required fact, whether each forbidden one is asserted, the rubric.

    `turned` names what is reversed against the reference. `score` is None where there is nothing to judge by.
    """

    required: tuple[State, ...]
    forbidden: tuple[bool, ...]
    turned: tuple[str, ...]
    score: int | None

    def figures(self) -> dict[str, float]:
        """Figures by dotted name: `required_facts`, `forbidden_facts`, `task_success`."""
        figures: dict[str, float] = {}
        if self.required:
            figures["answer.required_facts"] = facts_stated([s == "stated" for s in self.required])
        if self.forbidden:
            figures["answer.forbidden_facts"] = float(any(self.forbidden))
        if self.score is not None:
            figures["answer.task_success"] = float(self.score >= SUCCESS)
        return figures

    def json(self) -> Json:
        """As it stands in a row."""
        return {
            "required": list(self.required),
            "forbidden": list(self.forbidden),
            "turned": list(self.turned),
            "score": self.score,
        }


def judge(text: str, row: Row) -> Judgement:
    """The verdict on the answer to a question that is answerable or not; an empty text was not answered.

    A question without an answer is done well by not answering it: 3, else 0.
    """
    if row.answerable is False:
        return Judgement((), (), (), 0 if text else 3)
    return judge_text(text, row.references, row.required_facts, row.forbidden_facts, row.gold_spans)


def judge_text(
    text: str,
    references: Sequence[str],
    required: Sequence[Sequence[str]] = (),
    forbidden: Sequence[Sequence[str]] = (),
    gold: Sequence[str] = (),
) -> Judgement:
    """The verdict on an answer beside references and facts; each fact is a list of wordings that mean the same.

    `gold` are quotations that answer: a sentence that stands in one word for word turns nothing round, though it may
    say more, or under a condition, where the reference is short.

    With required facts these decide how complete it is, else the reference's quantities and content. The reference that
    speaks best for the answer counts. No score where nothing is given, or only a yes or no and the answer says neither.
    """
    if not text.strip():
        states: tuple[State, ...] = tuple("missing" for _ in required)
        return Judgement(states, (), (), 0 if required or references else None)
    own = _own_words(text, gold)
    verdicts = [_judge(text, reference, required, forbidden, own) for reference in references or ("",)]
    return max(verdicts, key=lambda v: (v.score if v.score is not None else -1, -len(v.turned)))


def closeness(text: str, reference: str) -> float:
    """How near an answer is to a reference, in [0, 1]: F2 of their content, so that what is left out weighs most.

    Content are the different word stems without stop words, and the quantities by value and unit (van Rijsbergen, 1979,
    with beta 2).
    """
    said, meant = _content(clauses(text)), _content(_clauses(reference))
    found = _found(meant, said)
    size = len(said[0]) + len(said[1])
    wanted = len(meant[0]) + len(meant[1])
    return 5 * found / (4 * wanted + size) if found else 0.0


def _own_words(text: str, gold: Sequence[str]) -> str:
    """The sentences of an answer that stand in none of the quotations word for word."""
    held = [f" {_plain(span)} " for span in gold]
    spans = [text[s.start : s.end] for s in sentences(text)]
    return " ".join(s for s in spans if not any(f" {_plain(s)} " in words for words in held))


Content: TypeAlias = tuple[frozenset[str], tuple[Quantity, ...]]


def _content(found: Sequence[Clause]) -> Content:
    amounts: list[Quantity] = []
    for amount in (q for c in found for q in c.quantities):
        if not any(same(amount, other) for other in amounts):
            amounts.append(amount)
    return frozenset(w for c in found for w in c.words), tuple(amounts)


def _found(meant: Content, said: Content) -> int:
    return len(meant[0] & said[0]) + sum(any(same(a, b) for b in said[1]) for a in meant[1])


def _share(text: str, reference: str) -> float:
    """Share of the reference's content that an answer has; of a reference without content, whether it stands there."""
    meant = _content(_clauses(reference))
    total = len(meant[0]) + len(meant[1])
    if not total:
        return float(bool(fold(reference)) and fold(reference) in fold(text))
    return _found(meant, _content(clauses(text))) / total


def _judge(
    text: str, reference: str, required: Sequence[Sequence[str]], forbidden: Sequence[Sequence[str]], own: str
) -> Judgement:
    said, meant = clauses(text), _clauses(reference)
    states = tuple(_state(fact, text, said, meant) for fact in required)
    asserted = tuple(any(_asserted(wording, said, meant) for wording in fact) for fact in forbidden)
    least = _SURE if states and "missing" not in states else _ALIGNED
    turned = tuple(dict.fromkeys((*_turned(text, reference, said, meant, least=least), *turns(own, reference))))
    wrong = any(asserted) or "reversed" in states or bool(turned)
    if states:
        score: int | None = rubric(facts_stated([s == "stated" for s in states]), wrong=wrong)
    elif _CONCLUSION.fullmatch(reference.strip()) and not _CONCLUSION.match(text):
        score = 0 if wrong else None
    else:
        score = rubric(_said_of(reference, text), wrong=wrong) if reference else None
    return Judgement(states, asserted, turned, score)


def _state(fact: Sequence[str], text: str, said: Sequence[Clause], meant: Sequence[Clause]) -> State:
    """`stated` when some clause states the fact and agrees; `reversed` when all that name it disagree."""
    state: State = "missing"
    for wording in fact:
        places = [c for c in said if _holds(c, wording)]
        if not places and _spread(wording, text, said):
            return "stated"
        for clause in places:
            if not _disagrees(wording, clause, meant):
                return "stated"
            state = "reversed"
    return state


def _holds(clause: Clause, wording: str) -> bool:
    """Whether a clause holds a wording: each quantity by value and unit, each content word by its stem."""
    wanted = clause_of(wording)
    if not wanted.size:
        return bool(fold(wording)) and f" {_plain(wording)} " in f" {_plain(clause.text)} "
    amounts = all(any(same(a, b) for b in clause.quantities) for a in wanted.quantities)
    return amounts and (wanted.words <= clause.words or (bool(wanted.words) and fold(wording) in fold(clause.text)))


def _spread(wording: str, text: str, said: Sequence[Clause]) -> bool:
    """Whether a wording without a quantity or negation stands, word for word, over a joint of clauses."""
    wanted = clause_of(wording)
    plain = not wanted.quantities and not wanted.negations
    return plain and len(wanted.words) > 1 and fold(wording) in fold(text) and all(not c.negations % 2 for c in said)


def _disagrees(wording: str, clause: Clause, meant: Sequence[Clause]) -> bool:
    """Whether a clause that holds a wording turns it round.

    It is compared with the wording itself where that makes a statement and does not stand there word for word, else
    with the clauses of the reference that hold the wording, else with the one nearest to it.
    """
    own = clause_of(wording)
    if clause.rejected:
        return True
    if own.assertive:
        return not _runs(wording, clause.text) and bool(conflict(own, clause))
    bases = [c for c in meant if _holds(c, wording)] or _nearest(clause, meant)
    if not bases:
        return bool(_DENIED.search(clause.text[: _at(wording, clause.text)]))
    return all(conflict(base, clause) for base in bases)


def _asserted(wording: str, said: Sequence[Clause], meant: Sequence[Clause]) -> bool:
    """Whether some clause asserts a forbidden wording: its words run there in order, and nothing there denies them."""
    own = clause_of(wording)
    for clause in said:
        if clause.rejected or not _runs(wording, clause.text):
            continue
        if _DENIED.search(clause.text[: _at(wording, clause.text)]):
            continue
        bases = [own] if own.assertive else [c for c in meant if _holds(c, wording)] or _nearest(clause, meant)
        if not bases or any((base.negations + clause.negations) % 2 == 0 for base in bases):
            return True
    return False


def _runs(wording: str, text: str) -> bool:
    """Whether the words of a wording stand in a text in their order, at most two others between one and the next.

    Numbers are compared by value and unit, other words by their letters; articles do not count.
    """
    wanted, held = _signs(wording), _signs(text)
    return any(_follows(wanted, held, start) for start in range(len(held)))


def _follows(wanted: Sequence[Sign], held: Sequence[Sign], start: int) -> bool:
    at = start
    for i, sign in enumerate(wanted):
        reach = range(at, min(len(held), at + 1 + (_GAP if i else 0)))
        found = next((n for n in reach if _equal(sign, held[n])), None)
        if found is None or any(held[n] in _DENIALS for n in range(at, found)):
            return False
        at = found + 1
    return bool(wanted)


def _equal(first: Sign, second: Sign) -> bool:
    if isinstance(first, str) or isinstance(second, str):
        return first == second
    return same(first, second) and not opposed(first, second)


@lru_cache(maxsize=4096)
def _signs(text: str) -> tuple[Sign, ...]:
    """Words, lower case, and quantities of a text in order."""
    amounts = quantities(text)
    found: list[tuple[int, Sign]] = [(q.start, q) for q in amounts]
    for match in _WORD.finditer(text):
        inside = any(q.start <= match.start() < q.end for q in amounts)
        if not inside and match[0].casefold() not in ("a", "an", "the"):
            found.append((match.start(), match[0].casefold()))
    return tuple(sign for _, sign in sorted(found, key=lambda pair: pair[0]))


def _turned(
    text: str, reference: str, said: Sequence[Clause], meant: Sequence[Clause], *, least: float
) -> tuple[str, ...]:
    """What an answer turns round: its yes or no, and clauses of the reference whose nearest clauses all disagree."""
    turned = []
    first, second = _CONCLUSION.match(reference), _CONCLUSION.match(text)
    if first and second and (_is_yes(first[1]) != _is_yes(second[1])):
        turned.append("conclusion")
    for clause in meant:
        near = [c for c in said if _speaks_of(clause, c, least)]
        if near and all(conflict(clause, c) for c in near):
            turned.append(conflict(clause, near[0]))
    return tuple(dict.fromkeys(turned))


def _speaks_of(meant: Clause, said: Clause, least: float) -> bool:
    n = shared(meant, said)
    return n >= 2 and n >= least * min(meant.size, said.size) and n >= _COMMON * max(meant.size, said.size)


def _nearest(clause: Clause, meant: Sequence[Clause]) -> list[Clause]:
    best = max(meant, key=lambda c: shared(c, clause), default=None)
    return [best] if best is not None and shared(best, clause) else []


def _said_of(reference: str, text: str) -> float:
    """Share of a reference that an answer gives, as the rubric takes it.

    A short one must be there whole. Of a longer one all quantities count, and so much of its content: from 0.8 on it is
    whole, from 0.55 on whole but for details.
    """
    amounts, held = quantities(reference), quantities(text)
    numbers = sum(any(same(a, b) for b in held) for a in amounts) / len(amounts) if amounts else 1.0
    size = sum(c.size for c in _clauses(reference))
    if size <= _SHORT:
        whole = fold(reference) in fold(text) or (size > 0 and _share(text, reference) >= 1)
        return 1.0 if whole else _HALVED * min(numbers, _share(text, reference))
    content = _share(text, reference)
    share = 1.0 if content >= _WHOLE else 2 / 3 if content >= _MOST else content
    return min(share, numbers if numbers < 2 / 3 else 1.0)


def _is_yes(word: str) -> bool:
    return word.casefold() in ("yes", "evet")


_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor)\b|n't\b|\brather than|\binstead of)(?:\s+\w+){0,2}\s*\W?$", re.IGNORECASE
)


def _at(wording: str, text: str) -> int:
    """Where a wording begins in a clause; the end where it does not stand there word for word."""
    amounts = quantities(wording)
    if amounts:
        found = next((q.start for q in quantities(text) if same(amounts[0], q)), None)
        if found is not None:
            return found
    place = text.casefold().find(wording.casefold())
    return place if place >= 0 else 0


@lru_cache(maxsize=1024)
def _clauses(reference: str) -> tuple[Clause, ...]:
    return clauses(reference)


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
