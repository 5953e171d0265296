"""The extractive answerer: an answer in the documents' own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import exp

from citeleaf.backends.quote_ask import Asks, Kind, holds, read
from citeleaf.backends.quote_score import MOST_PAIRS, Candidate, Frequencies, Scorer, candidates_of, covered
from citeleaf.protocols import Embedder, Reranker
from citeleaf.quotes import joined, one_line, quotes_of
from citeleaf.retrieve.parts import parts
from citeleaf.retrieve.tokens import guess_language
from citeleaf.settings import QuoteSettings
from citeleaf.types import Draft, Evidence, Fact, Quotation, Quote, Span

_LEAST_SHARE = 0.06
"""A further unit of 150 characters is quoted when it has at least this share of the odds; a longer one needs more."""
_USUAL = 150
_MOST_BEHIND = 3.0
"""and is at most this much less likely (log odds) than the best."""
_REPEATED = 0.8
"""Share of joint terms that makes two units the same words again."""
_COMPANION = 320
"""Most characters of a unit that is brought along."""
_FIGURES: tuple[Kind, ...] = ("amount", "period", "number")
_EXCEPTION = re.compile(
    r"^\W*(?:however|but|unless|except|provided|notwithstanding|subject to|only if|ancak|fakat|this (?:exclusion|limit|"
    r"cover|section|clause|requirement|benefit|condition)s? (?:does|do|will|shall|is|are) not)\b",
    re.IGNORECASE,
)
_LEANS_BACK = re.compile(
    r"^\W*(?:this|these|those|such|it|they|he|she|otherwise|in (?:this|that|such|these) (?:case|event|situation)s?|"
    r"if (?:so|not|this)|however|but)\b",
    re.IGNORECASE,
)

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
        self.fingerprint = f"quote-1 {model} {self._settings.max_quotes} {self._settings.max_characters}"

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
            self._choose(asks, dict(zip(candidates, scores, strict=True)), chosen, len(asked))
        self._complete(chosen, candidates)
        return _write(chosen, self.name)

    def _choose(self, asks: Asks, scored: Scored, chosen: dict[Candidate, float], share: int) -> None:
        """Adds the units of one part of the question to those chosen, within the part's share of the budget."""
        ranked = sorted(scored, key=lambda c: (-scored[c], c.order))
        best = ranked[0]
        odds = {c: exp(scored[c] - scored[best]) for c in ranked}
        least = _LEAST_SHARE * sum(odds.values()) / _USUAL
        most = max(1, self._settings.max_quotes // share)
        budget = self._settings.max_characters // share
        picked: dict[Candidate, float] = {}
        if "list" in asks.kinds and best.unit.lead:
            items = [c for c in ranked if c.unit.lead == best.unit.lead and _same_document(c, best)]
            picked = dict.fromkeys(items, scored[best])
            budget -= sum(len(c.unit.quote.text) for c in items)
            most -= 1
        for c in ranked:
            if picked and len(picked) >= most:
                break
            length = _added(c, picked)
            too_weak = odds[c] < max(least * length, exp(-_MOST_BEHIND))
            if c in picked or c in chosen or (picked and (too_weak or length > budget)):
                continue
            if not _repeats(c, [*picked, *chosen]):
                picked[c] = scored[c]
                budget -= length
        figure = _missing_figure(asks, ranked, [*picked, *chosen])
        if figure is not None:
            picked[figure] = scored[figure]
        chosen.update(picked)

    def _complete(self, chosen: dict[Candidate, float], candidates: Sequence[Candidate]) -> None:
        """Adds the exception that follows a chosen unit and the sentence that it leans back on, as far as they fit."""
        by_order = {c.order: c for c in candidates}
        left = self._settings.max_characters - sum(len(c.words) for c in chosen)
        for c, score in list(chosen.items()):
            after = by_order.get((c.evidence.rank, c.place + 1))
            before = by_order.get((c.evidence.rank, c.place - 1))
            wanted = [after] if after is not None and _EXCEPTION.match(after.unit.quote.text) else []
            wanted += [before] if before is not None and _LEANS_BACK.match(c.unit.quote.text) else []
            for companion in wanted:
                if companion in chosen or companion.unit.kind != c.unit.kind or _repeats(companion, chosen):
                    continue
                if len(companion.words) <= min(left, _COMPANION):
                    chosen[companion] = score
                    left -= len(companion.words)


def _added(candidate: Candidate, picked: Iterable[Candidate]) -> int:
    """Characters that quoting a unit adds: its lead counts only the first time."""
    lead = candidate.unit.lead
    shared = lead and any(c.unit.lead == lead and c.evidence.rank == candidate.evidence.rank for c in picked)
    return len(candidate.unit.quote.text if shared else candidate.words)


def _missing_figure(asks: Asks, ranked: Sequence[Candidate], picked: Sequence[Candidate]) -> Candidate | None:
    """The likeliest unit with the figure asked for, of the best unit's passage, when none picked holds one."""
    for kind in _FIGURES:
        if kind in asks.kinds and not any(holds(kind, c.words) for c in picked):
            near = (c for c in ranked if c.evidence.rank == ranked[0].evidence.rank and len(c.words) <= _COMPANION)
            found = next((c for c in near if holds(kind, c.words)), None)
            if found is not None:
                return found
    return None


def _same_document(a: Candidate, b: Candidate) -> bool:
    return a.evidence.passage.doc_id == b.evidence.passage.doc_id


def _repeats(candidate: Candidate, others: Iterable[Candidate]) -> bool:
    """Whether one of the others is the same place or nearly the same words."""
    for other in others:
        if _same_document(candidate, other) and candidate.unit.quote.span == other.unit.quote.span:
            return True
        if candidate.unit.lead == other.unit.lead and candidate.unit.lead:
            continue
        if len(candidate.held & other.held) >= _REPEATED * max(len(candidate.held | other.held), 1):
            return True
    return False


def _write(chosen: Scored, name: str) -> Draft:
    groups: dict[int, list[Candidate]] = {}
    for c in sorted(chosen, key=lambda c: (-chosen[c], c.order)):
        groups.setdefault(c.evidence.rank, []).append(c)
    text = ""
    quotations: list[Quotation] = []
    for rank, members in groups.items():
        text += "\n\n" if text else ""
        for i, run in enumerate(_runs(sorted(members, key=lambda c: c.place))):
            text += " " if i else ""
            words, quotes = _spoken(run)
            start = len(text)
            text += words
            quotations.append(Quotation(Span(start, len(text)), run[0].evidence.passage.id, quotes))
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


def _spoken(run: Sequence[Candidate]) -> tuple[str, tuple[Quote, ...]]:
    """Leads and items in reading order, a line each where there are several items."""
    said = list(dict.fromkeys(quote for c in run for quote in quotes_of(c.unit)))
    words = [one_line(quote.text) for quote in said]
    return ("\n" if len(run) > 1 else " ").join(words), joined(said, run[0].evidence.passage)
