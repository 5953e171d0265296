"""The extractive answerer: an answer in the documents' own words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import exp

from citeleaf.backends.quote_ask import Asks, Kind, holds, read
from citeleaf.backends.quote_lists import (
    Places,
    asked_list,
    less_to_the_point,
    lines_of,
    list_of,
    must_be_whole,
    numbers_said,
    places_of,
    pointed,
    same_document,
)
from citeleaf.backends.quote_score import MOST_PAIRS, Candidate, Frequencies, Scorer, candidates_of, covered
from citeleaf.protocols import Embedder, Reranker
from citeleaf.quotes import OMITTED, introduction, joined, quotes_of
from citeleaf.retrieve.parts import parts
from citeleaf.retrieve.tokens import guess_language
from citeleaf.settings import QuoteSettings
from citeleaf.types import Draft, Evidence, Fact, Quotation, Span, Unit

_LEAST_SHARE = 0.06
"""A further unit of 150 characters is quoted when it has at least this share of the odds; a longer one needs more."""
_USUAL = 150
_MOST_BEHIND = 3.0
"""and is at most this much less likely (log odds) than the best."""
_REPEATED = 0.8
"""Share of joint terms that makes two units the same words again."""
_GAP = 2
"""Most characters between two sentences that follow each other."""
_COMPANION = 320
"""Most characters of a unit that is brought along."""
_LIST_SHARE = 2
"""A list that is asked for may take this many times the usual characters."""
_FIGURES: tuple[Kind, ...] = ("amount", "period", "number")
_EXCEPTION = re.compile(
    r"^\W*(?:however|but|unless|except|provided|notwithstanding|subject to|only if|ancak|fakat|this (?:exclusion|limit|"
    r"cover|section|clause|requirement|benefit|condition)s? (?:does|do|will|shall|is|are) not)\b",
    re.IGNORECASE,
)
_LEANS_BACK = re.compile(
    r"^\W*(?:this|these|those|such|it|they|he|she|otherwise|in (?:this|that|such|these) (?:case|event|situation)s?|"
    r"in addition|if (?:so|not|this|it|they|these)|however|but|also|(?:for|as an) example|similarly|likewise|neither|"
    r"both|the (?:same|above|latter|former|foregoing))\b",
    re.IGNORECASE,
)
_RUNS_ON = re.compile(r"^[a-z]{2,} ")
_ADDS = re.compile(r"\b(?:also|in addition|additionally|as well|ayrıca)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:[:;,]|\b(?:and|or|ve|veya))$", re.IGNORECASE)
_MARK = re.compile(r"[*†‡§]+")

Scored = Mapping[Candidate, float]


class QuoteGenerator:
    """Answers with whole sentences, list items with their lead-in, rows with their headings; adds no word."""

    name = "quote"

    def __init__(
        self,
        settings: QuoteSettings | None = None,
        *,
        reranker: Reranker | None = None,
        embedder: Embedder | None = None,
        frequencies: Frequencies | None = None,
    ) -> None:
        """`reranker` reads at most 24 short pairs a question; `embedder` stands in where there is none."""
        self._settings = settings or QuoteSettings()
        self._scorer = Scorer(reranker, embedder, frequencies)
        model = reranker.fingerprint if reranker else embedder.fingerprint if embedder else "none"
        self.fingerprint = f"quote-2 {model} {self._settings.max_quotes} {self._settings.max_characters}"

    def draft(self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact]) -> Draft:
        """Quotations, best passage first and in reading order within one, each followed by its rank as marker.

        Each part of a question gets its best unit; the next likeliest follow while they add something and fit. Facts
        are not quoted. Abstains only when no unit shares a term with the question and no model can compare them.
        """
        candidates = candidates_of(evidence, guess_language(question))
        known = covered(candidates, self._scorer.idf(question, candidates))
        if not candidates or not (known or self._scorer.has_model):
            return Draft("", "", True, self.name)
        asked = parts(question) or (question,)
        chosen: dict[Candidate, float] = {}
        for part in asked:
            asks = read(part)
            scores = self._scorer.scores(part, asks, candidates, MOST_PAIRS // len(asked))
            self._choose(part, dict(zip(candidates, scores, strict=True)), chosen, len(asked))
        self._complete(chosen, candidates, lists=any("list" in read(part).kinds for part in asked))
        return _write(chosen, places_of(candidates), self.name)

    def _choose(self, part: str, scored: Scored, chosen: dict[Candidate, float], share: int) -> None:
        """Adds the units of one part of the question to those chosen, within the part's share of the budget.

        A list that is asked for may take twice the share: whole where that is enough, else its best item and as many
        from its beginning as fit; a table, only where it fits whole into the share.
        """
        asks = read(part)
        ranked = pointed(sorted(scored, key=lambda c: (-scored[c], c.order)), part)
        best = ranked[0]
        odds = {c: exp(scored[c] - scored[best]) for c in ranked}
        least = _LEAST_SHARE * sum(odds.values()) / _USUAL
        most = max(1, self._settings.max_quotes // share)
        budget = self._settings.max_characters // share
        picked: dict[Candidate, float] = {}
        if "list" in asks.kinds:
            items = asked_list(best, scored, part)
            picked = dict.fromkeys(_fitting(best, items, budget), scored[best])
            budget -= _length(picked)
            most -= bool(picked)
        for c in ranked:
            if picked and len(picked) >= most:
                break
            length = _added(c, picked)
            too_weak = odds[c] < max(least * length, exp(-_MOST_BEHIND))
            if c in picked or c in chosen or (picked and (too_weak or length > budget)):
                continue
            if not (_repeats(c, [*picked, *chosen]) or less_to_the_point(c, picked, part)):
                picked[c] = scored[c]
                budget -= length
        figure = _missing_figure(asks, ranked, [*picked, *chosen])
        if figure is not None and not less_to_the_point(figure, picked, part):
            picked[figure] = scored[figure]
        chosen.update(picked)

    def _complete(self, chosen: dict[Candidate, float], candidates: Sequence[Candidate], *, lists: bool) -> None:
        """Adds what a chosen unit makes no sense without, as far as it fits.

        That are the exception that follows it, the sentence that it leans back on, what goes on after its colon, the
        note that its mark stands for, and the other items of a list that holds together, or of any list where the
        question asks for one: these may take twice the characters.
        """
        passages: dict[int, list[Candidate]] = {}
        for c in candidates:
            passages.setdefault(c.evidence.rank, []).append(c)
        left = self._settings.max_characters - sum(len(c.words) for c in chosen)
        for c, score in list(chosen.items()):
            led = [o for o in candidates if c.unit.quote in o.unit.lead]
            beside = _beside(c, passages[c.evidence.rank])
            room = left + (_LIST_SHARE - 1) * self._settings.max_characters if lists else left
            rest = _rest_of_list(c, chosen, candidates, room, whole=lists)
            for companion in (*led, *beside, *rest):
                if companion in chosen or _repeats(companion, chosen):
                    continue
                length = _added(companion, chosen)
                if length <= min(left, _COMPANION) or companion in rest:
                    chosen[companion] = score
                    left -= length


def _beside(c: Candidate, passage: Sequence[Candidate]) -> list[Candidate]:
    """What belongs to a unit among those of its passage, which stand in reading order."""
    i = passage.index(c)
    out = []
    if i and passage[i - 1].place == c.place - 1 and passage[i - 1].unit.kind == c.unit.kind and _leans_back(c.unit):
        out.append(passage[i - 1])
    out += _before_lead(c, passage)
    end = next((k for k, o in enumerate(passage[i:], i) if o.unit.lead[:1] != c.unit.lead[:1]), len(passage))
    for k, opening in ((i + 1, _ADDS if c.unit.lead else _EXCEPTION), (i + 1, _EXCEPTION), (end, _EXCEPTION)):
        out += _opened(c, passage[k:], opening)
    if c.unit.quote.text.rstrip().endswith(":"):
        for after in passage[i + 1 :]:
            out.append(after)
            if not _GOES_ON.search(after.unit.quote.text.rstrip()):
                break
    if c.unit.kind == "table_row":
        marks = set(_MARK.findall(c.own))
        notes = [o for o in passage[i + 1 :] if o.unit.kind != "table_row"]
        out += [o for o in notes if (m := _MARK.match(o.own)) and m[0] in marks]
    return out


def _opened(c: Candidate, following: Sequence[Candidate], opening: re.Pattern[str]) -> list[Candidate]:
    """The unit that follows, or the list that does, if it opens in this way."""
    if not following:
        return []
    after = following[0]
    new = [quote for quote in introduction(after.unit) if quote not in (*c.unit.lead, c.unit.quote)]
    if new:
        return [o for o in following if o.unit.lead == after.unit.lead] if opening.search(new[0].text) else []
    alike = after.unit.kind == c.unit.kind or (c.unit.kind == "list_item" and after.unit.kind == "paragraph")
    return [after] if alike and opening is _EXCEPTION and _EXCEPTION.match(after.unit.quote.text) else []


def _leans_back(unit: Unit) -> bool:
    """Whether a unit makes no sense without the one before it."""
    words = unit.quote.text
    return _LEANS_BACK.match(words) is not None or (unit.kind == "paragraph" and _RUNS_ON.match(words) is not None)


def _before_lead(c: Candidate, passage: Sequence[Candidate]) -> list[Candidate]:
    """The sentence just before a lead that makes no sense without it: the rule to `However, we will pay for:`."""
    for lead in c.unit.lead:
        if _LEANS_BACK.match(lead.text):
            before = [o for o in passage if 0 <= lead.span.start - o.unit.quote.span.end <= _GAP]
            return [o for o in before if o.unit.kind == "paragraph"]
    return []


def _rest_of_list(
    c: Candidate, chosen: Collection[Candidate], candidates: Sequence[Candidate], room: int, *, whole: bool
) -> list[Candidate]:
    """The other items of a unit's list, when they hold together, or are wanted whole, and all fit."""
    mine = list_of(c.evidence.passage.doc_id, c.unit)
    if mine is None or c.unit.kind != "list_item":
        return []
    items = [o for o in candidates if list_of(o.evidence.passage.doc_id, o.unit) == mine]
    more = [o for o in items if o not in chosen]
    return more if (whole or must_be_whole(items)) and sum(len(o.own) for o in more) <= room else []


def _fitting(best: Candidate, items: Sequence[Candidate], budget: int) -> list[Candidate]:
    """What of a list that is asked for is quoted; nothing of a table that does not fit whole."""
    whole = _length(items)
    if best.unit.kind == "table_row" or len(items) < 2:
        return list(items) if whole <= budget and len(items) > 1 else []
    out = [best]
    for c in sorted(items, key=lambda c: (c.unit.position or (0, 0), c.order)):
        if c is not best and _length([*out, c]) <= _LIST_SHARE * budget:
            out.append(c)
    return out


def _length(units: Iterable[Candidate]) -> int:
    """Characters of units that are said together, each lead once."""
    said: list[Candidate] = []
    length = 0
    for c in units:
        length += _added(c, said)
        said.append(c)
    return length


def _added(candidate: Candidate, picked: Iterable[Candidate]) -> int:
    """Characters that quoting a unit adds: its lead counts only the first time."""
    lead = introduction(candidate.unit)
    shared = any(introduction(c.unit) == lead and c.evidence.rank == candidate.evidence.rank for c in picked)
    return len(candidate.own if lead and shared else candidate.words)


def _missing_figure(asks: Asks, ranked: Sequence[Candidate], picked: Sequence[Candidate]) -> Candidate | None:
    """The likeliest unit with the figure asked for, of the best unit's passage, when none picked holds one."""
    for kind in _FIGURES:
        if kind in asks.kinds and not any(holds(kind, c.words) for c in picked):
            near = (c for c in ranked if c.evidence.rank == ranked[0].evidence.rank and len(c.words) <= _COMPANION)
            found = next((c for c in near if holds(kind, c.words)), None)
            if found is not None:
                return found
    return None


def _repeats(candidate: Candidate, others: Iterable[Candidate]) -> bool:
    """Whether one of the others is the same place or nearly the same words."""
    for other in others:
        if same_document(candidate, other) and candidate.unit.quote.span == other.unit.quote.span:
            return True
        if candidate.unit.lead == other.unit.lead and candidate.unit.lead:
            continue
        if len(candidate.held & other.held) >= _REPEATED * max(len(candidate.held | other.held), 1):
            return True
    return False


def _write(chosen: Scored, places: Places, name: str) -> Draft:
    groups: dict[int, list[Candidate]] = {}
    for c in sorted(chosen, key=lambda c: (-chosen[c], c.order)):
        groups.setdefault(c.evidence.rank, []).append(c)
    numbers = numbers_said(chosen, places)
    text = ""
    quotations: list[Quotation] = []
    for rank, members in groups.items():
        text += "\n\n" if text else ""
        for i, run in enumerate(_runs(sorted(members, key=lambda c: c.place))):
            text += " " if i else ""
            start = len(text)
            lines = lines_of(run, places, numbers)
            text += ("\n" if len(run) > 1 or OMITTED in lines else " ").join(lines)
            passage = run[0].evidence.passage
            quotes = joined((quote for c in run for quote in quotes_of(c.unit)), passage)
            quotations.append(Quotation(Span(start, len(text)), passage.id, quotes))
            text += f" [{rank}]"
    return Draft(text, text, False, name, None, tuple(quotations))


def _runs(members: Sequence[Candidate]) -> list[list[Candidate]]:
    """Items under the same outermost lead are said together, each lead once."""
    out: list[list[Candidate]] = []
    for c in members:
        if out and c.unit.lead and out[-1][-1].unit.lead[:1] == c.unit.lead[:1]:
            out[-1].append(c)
        else:
            out.append([c])
    return out
