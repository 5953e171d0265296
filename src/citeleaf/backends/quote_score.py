"""How likely each unit of the evidence answers a question: few features, weighted by a fit on development questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeAlias

from citeleaf.backends.quote_ask import Asks, holds
from citeleaf.protocols import Embedder, Reranker
from citeleaf.quotes import introduction, one_line, spoken, whole, words_of
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.types import DocId, Evidence, Span, Unit

Frequencies: TypeAlias = Callable[[Sequence[str]], tuple[dict[str, int], int]]

MOST_PAIRS = 24
"""Most pairs of question and unit that a model reads for one question."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A unit that could be quoted: its passage's evidence, its place in the passage, and the words it is read with."""

    evidence: Evidence
    place: int
    unit: Unit
    words: str
    own: str
    """Its words without what introduces it."""
    held: frozenset[str]
    """Terms of the words and of the section's titles."""

    @property
    def order(self) -> tuple[int, int]:
        """Rank of the passage, then place: reading order, best passage first."""
        return self.evidence.rank, self.place


@dataclass(frozen=True, slots=True)
class Weights:
    """Of a sum that orders units: conditional logit, fitted over the development questions' units.

    `coverage` in [0, 1]: idf-weighted share of the question's terms held. `fit` in [0, 1]: share of the kinds of answer
    asked for that the words have the form of. `defines`: defines the term asked about. `passage`: cross-encoder logit
    of the whole passage, where it ordered the evidence. `pair`: cross-encoder logit of the unit. `cosine`: of the unit,
    in [-1, 1].
    """

    coverage: float
    fit: float
    defines: float
    passage: float
    pair: float = 0.0
    cosine: float = 0.0


WITH_RERANKER = Weights(coverage=3.0, fit=0.9, defines=3.0, passage=0.2, pair=0.4)
WITH_EMBEDDER = Weights(coverage=5.0, fit=1.2, defines=4.0, passage=0.25, cosine=8.0)
ALONE = Weights(coverage=8.0, fit=1.7, defines=4.0, passage=0.35)
_SLIGHT = 2.0
"""What is taken off a unit that says next to nothing by itself."""
_FEWEST_LETTERS = 30
_REFERENCE = re.compile(r"^\W*\d*\W*(?:see|refer to|cf|ibid|source)\b", re.IGNORECASE)
_STEP = 0.3
"""Where no cross-encoder ordered the evidence, each rank down counts like this many of its logits."""
_READ = 300
"""Characters of a unit and its lead that a model reads: long leads blur the score, and cost time."""


class Scorer:
    """Scores units against questions; the same question and units give the same scores."""

    def __init__(
        self, reranker: Reranker | None = None, embedder: Embedder | None = None, frequencies: Frequencies | None = None
    ) -> None:
        """The embedder is used only where there is no reranker."""
        self._reranker = reranker
        self._embedder = embedder
        self._frequencies = frequencies

    @property
    def has_model(self) -> bool:
        """Whether words that share no term can be compared."""
        return self._reranker is not None or self._embedder is not None

    def scores(self, question: str, asks: Asks, candidates: Sequence[Candidate], most_pairs: int) -> list[float]:
        """One score a candidate, in order: differences are log odds of being the better answer.

        A model reads the `most_pairs` best by the other features; the rest count as far off as the worst of those.
        """
        weights = WITH_RERANKER if self._reranker else WITH_EMBEDDER if self._embedder else ALONE
        idf = self.idf(question, candidates)
        total = sum(idf.values()) or 1.0
        scores = [weights.coverage * sum(w for t, w in idf.items() if t in c.held) / total for c in candidates]
        for i, c in enumerate(candidates):
            kinds = [kind for kind in sorted(asks.kinds) if kind != "list"]
            fits = sum(holds(kind, c.words) for kind in kinds) / len(kinds) if kinds else 0.5
            scores[i] += weights.fit * fits + weights.passage * _passage_score(c.evidence)
            scores[i] += weights.defines * bool(asks.term and defines(c, asks.term))
            scores[i] -= _SLIGHT * slight(c)
        head = sorted(range(len(candidates)), key=lambda i: (-scores[i], candidates[i].order))[:most_pairs]
        read = self._model_scores(question, [_heard(candidates[i]) for i in head], weights)
        worst = min(read, default=0.0)
        gains = dict(zip(head, read, strict=True))
        return [score + gains.get(i, worst) for i, score in enumerate(scores)]

    def idf(self, question: str, candidates: Sequence[Candidate]) -> dict[str, float]:
        """log(1 + (n - df + 0.5) / (df + 0.5)) of each term, over the store's passages where known, else the units."""
        wanted = list(dict.fromkeys(terms(question, guess_language(question))))
        if self._frequencies is not None:
            counts, n = self._frequencies(wanted)
        else:
            counts, n = {t: sum(t in c.held for c in candidates) for t in wanted}, len(candidates)
        return {t: log(1 + (n - counts[t] + 0.5) / (counts[t] + 0.5)) for t in wanted}

    def _model_scores(self, question: str, words: Sequence[str], weights: Weights) -> list[float]:
        if not words:
            return []
        if self._reranker is not None:
            return [weights.pair * logit for logit in self._reranker.scores(question, words)]
        if self._embedder is not None:
            cosines = self._embedder.passages(words) @ self._embedder.query(question)
            return [weights.cosine * float(cosine) for cosine in cosines]
        return [0.0] * len(words)


def candidates_of(evidence: Sequence[Evidence], language: str) -> list[Candidate]:
    """All units of the evidence that can stand as an answer, best passage first, each passage in reading order.

    A lead-in or a row of column headings is none by itself: it is read with its items. A sentence that ends in a colon
    and a passage is none either, nor is a caption that is no sentence, unless there is nothing else. A passage without
    units is one unit.
    """
    out: list[Candidate] = []
    leads, headings = _leads(evidence)
    for item in evidence:
        passage = item.passage
        units = passage.units or (Unit("paragraph", whole(passage)),)
        titles = terms(" ".join(passage.heading), language)
        for place, unit in enumerate(units):
            own = words_of(unit)
            heads_others = any((passage.doc_id, s) in headings for s in _cells(unit))
            here = any(unit.quote in other.lead for other in units)
            introduces = (passage.doc_id, unit.quote.span) in leads and (here or not unit.lead)
            if introduces or heads_others or not any(c.isalnum() for c in own):
                continue
            words = " ".join(said for _, said in spoken([unit]))
            out.append(Candidate(item, place, unit, words, own, frozenset((*terms(words, language), *titles))))
    return [c for c in out if not _is_bare(c)] or out


def _leads(evidence: Sequence[Evidence]) -> tuple[set[tuple[DocId, Span]], set[tuple[DocId, Span]]]:
    """Where what only introduces other units stands, and where column headings do."""
    leads: set[tuple[DocId, Span]] = set()
    headings: set[tuple[DocId, Span]] = set()
    for passage in (item.passage for item in evidence):
        for unit in passage.units:
            leads.update((passage.doc_id, quote.span) for quote in unit.lead if not ends_sentence(quote.text))
            headings.update((passage.doc_id, span) for column in unit.columns for span in column[1:])
    return leads, headings


def _cells(unit: Unit) -> list[Span]:
    """The places of a table row's cells, as far as they are told apart by tabs."""
    if unit.kind != "table_row":
        return []
    out: list[Span] = []
    at = unit.quote.span.start
    for cell in unit.quote.text.split("\t"):
        out.append(Span(at, at + len(cell)))
        at += len(cell) + 1
    return out


def _is_bare(candidate: Candidate) -> bool:
    """Whether a unit is a caption, or introduces something that does not follow in its passage."""
    unit = candidate.unit
    last = candidate.place == len(candidate.evidence.passage.units) - 1
    if unit.kind == "caption":
        return not ends_sentence(unit.quote.text)
    return last and not unit.lead and unit.quote.text.rstrip().endswith(":")


def defines(candidate: Candidate, term: str) -> bool:
    """Whether the unit says what a term means: it is the term's definition, or opens with it and a verb of defining."""
    wanted = terms(term)
    named = candidate.evidence.passage.term
    if named is not None and terms(named) == wanted:
        return True
    return bool(wanted) and terms(candidate.words)[: len(wanted)] == wanted and holds("definition", candidate.words)


def slight(candidate: Candidate) -> bool:
    """Whether a unit is a bare reference, a lead-in whose items stand elsewhere, or too short to say anything."""
    text = candidate.unit.quote.text.strip()
    if text.endswith(":") or (_REFERENCE.match(text) and len(text) < 4 * _FEWEST_LETTERS):
        return True
    alone = not candidate.unit.lead and candidate.unit.kind in ("paragraph", "table_row")
    return alone and len(text) < _FEWEST_LETTERS and not any(c.isdigit() for c in text)


def ends_sentence(text: str) -> bool:
    """Whether some words end with a full stop or the like, closing marks aside."""
    return text.rstrip().rstrip("\"'”’)]").endswith((".", "!", "?"))


def _heard(candidate: Candidate) -> str:
    """What a model reads of a unit: its beginning, and before that as much of the lead's end as there is room for."""
    words = candidate.words
    if len(words) <= _READ:
        return words
    own = candidate.own[:_READ]
    lead = one_line(" ".join(q.text for q in introduction(candidate.unit)))
    room = _READ - len(own) - 1
    return f"{lead[-room:]} {own}" if lead and room > 0 else own


def _passage_score(evidence: Evidence) -> float:
    return evidence.score if evidence.scorer == "reranked" else -_STEP * evidence.rank


def covered(candidates: Sequence[Candidate], idf: Mapping[str, float]) -> bool:
    """Whether any candidate holds a term of the question."""
    return any(t in c.held for c in candidates for t in idf)
