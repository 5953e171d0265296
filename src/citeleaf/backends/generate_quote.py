"""The extractive answerer: an answer in the documents' own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from citeleaf.backends.quote_ask import Asks, holds, read
from citeleaf.protocols import Embedder, Reranker
from citeleaf.quotes import joined, one_line, quotes_of, whole
from citeleaf.retrieve.parts import parts
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.settings import QuoteSettings
from citeleaf.types import Draft, Evidence, Fact, Quotation, Quote, Span, Unit

Frequencies = Callable[[Sequence[str]], tuple[dict[str, int], int]]

_MOST_PAIRS = 24
_MARGIN = 0.55
_LONG = 600
_LEAST_SHARE = 0.3
_REPEATED = 0.8
_COMPANION = 320
_EXCEPTION = re.compile(
    r"^\W*(?:however|but|unless|except|provided|notwithstanding|subject to|only if|this (?:exclusion|limit|cover|section|clause|"
    r"requirement|benefit|condition)s? (?:does|do|will|shall|is|are) not|ancak|fakat)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?][\"”’)\]]*\s*$")
_LEANS_BACK = re.compile(
    r"^\W*(?:this|these|those|such|it|they|he|she|otherwise|in (?:this|that|such|these) (?:case|event|situation)s?|"
    r"if (?:so|not|this)|however|but)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Candidate:
    evidence: Evidence
    place: int
    unit: Unit
    words: str
    held: frozenset[str]
    score: float = 0.0

    @property
    def order(self) -> tuple[int, int]:
        return self.evidence.rank, self.place


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
        self._reranker = reranker
        self._embedder = embedder
        self._frequencies = frequencies
        model = reranker.fingerprint if reranker else embedder.fingerprint if embedder else "none"
        self.fingerprint = f"quote-1 {model} {self._settings.max_quotes} {self._settings.max_characters}"

    def draft(self, question: str, evidence: Sequence[Evidence], facts: Sequence[Fact]) -> Draft:
        """Quotations, best passage first and in reading order within one, each followed by its rank as marker.

        Facts are not quoted. Abstains only when no unit shares a term with the question and no model can compare them.
        """
        candidates = _candidates(evidence, guess_language(question))
        asked = parts(question) or (question,)
        weights = self._weights(question, candidates)
        for candidate in candidates:
            candidate.score = 0.0
        if not any(candidate.held & weights.keys() for candidate in candidates) and not (
            candidates and (self._reranker or self._embedder)
        ):
            return Draft("", "", True, self.name)
        chosen: list[_Candidate] = []
        for part in asked:
            self._score(part, candidates, self._weights(part, candidates), _MOST_PAIRS // len(asked))
            self._choose(read(part), candidates, chosen, share=len(asked))
        return _write(_completed(chosen, candidates, self._settings), self.name)

    def _weights(self, question: str, candidates: Sequence[_Candidate]) -> dict[str, float]:
        """idf of each term of the question, by the store's counts where given, else by the candidates'."""
        wanted = list(dict.fromkeys(terms(question, guess_language(question))))
        if self._frequencies is not None:
            counts, n = self._frequencies(wanted)
        else:
            counts, n = {t: sum(t in c.held for c in candidates) for t in wanted}, len(candidates)
        return {t: log(1 + (n - counts[t] + 0.5) / (counts[t] + 0.5)) for t in wanted}

    def _score(
        self, question: str, candidates: Sequence[_Candidate], weights: dict[str, float], most_pairs: int
    ) -> None:
        total = sum(weights.values()) or 1.0
        asks = read(question)
        for c in candidates:
            covered = sum(w for t, w in weights.items() if t in c.held) / total
            fits = [holds(kind, c.words) for kind in asks.kinds if kind != "list"]
            c.score = covered + 0.25 * (sum(fits) / len(fits) if fits else 0.0) - 0.06 * (c.evidence.rank - 1)
            if asks.term and _defines(c, asks.term):
                c.score += 1.0
        head = sorted(candidates, key=lambda c: (-c.score, c.order))[:most_pairs]
        if not head:
            return
        if self._reranker is not None:
            logits = self._reranker.scores(question, [_heard(c) for c in head])
            for c, logit in zip(head, logits, strict=True):
                c.score += 0.2 * logit
            rest = min(logits)
            for c in candidates:
                if c not in head:
                    c.score += 0.2 * rest - 1.0
        elif self._embedder is not None:
            vectors = self._embedder.passages([_heard(c) for c in head])
            cosines = vectors @ self._embedder.query(question)
            for c, cosine in zip(head, np.asarray(cosines).tolist(), strict=True):
                c.score += 2.0 * cosine

    def _choose(self, asks: Asks, candidates: Sequence[_Candidate], chosen: list[_Candidate], *, share: int) -> None:
        ranked = sorted(candidates, key=lambda c: (-c.score, c.order))
        best = ranked[0]
        most = max(1, self._settings.max_quotes // share)
        budget = self._settings.max_characters // share
        picked: list[_Candidate] = []
        if "list" in asks.kinds and best.unit.lead:
            picked = [c for c in candidates if c.unit.lead == best.unit.lead and _same_document(c, best)]
            budget -= sum(len(c.words) for c in picked)
            most -= 1
        for c in ranked:
            if len(picked) >= most and picked:
                break
            if c in picked or c in chosen:
                continue
            if picked and (c.score < best.score - _MARGIN or len(c.words) > budget or _repeats(c, [*picked, *chosen])):
                continue
            picked.append(c)
            budget -= len(c.words)
        chosen.extend(picked)


def _candidates(evidence: Sequence[Evidence], language: str) -> list[_Candidate]:
    out: list[_Candidate] = []
    for item in evidence:
        units = item.passage.units or (Unit("paragraph", whole(item.passage)),)
        leads = {q.span for u in units for q in u.lead if not _SENTENCE_END.search(q.text)}
        for place, unit in enumerate(units):
            if unit.quote.span in leads or not unit.quote.text.strip():
                continue
            words = one_line(" ".join(q.text for q in quotes_of(unit)))
            out.append(_Candidate(item, place, unit, words, frozenset(terms(words, language))))
    return out


def _heard(candidate: _Candidate) -> str:
    heading = candidate.evidence.passage.heading
    return f"{heading[-1]}: {candidate.words}" if heading else candidate.words


def _defines(candidate: _Candidate, term: str) -> bool:
    wanted = terms(term)
    named = candidate.evidence.passage.term
    if named is not None and terms(named) == wanted:
        return True
    return bool(wanted) and terms(candidate.words)[: len(wanted)] == wanted and holds("definition", candidate.words)


def _same_document(a: _Candidate, b: _Candidate) -> bool:
    return a.evidence.passage.doc_id == b.evidence.passage.doc_id


def _repeats(candidate: _Candidate, picked: Iterable[_Candidate]) -> bool:
    """Whether a chosen unit is the same words again, or nearly."""
    for other in picked:
        if _same_document(candidate, other) and candidate.unit.quote.span == other.unit.quote.span:
            return True
        joint = len(candidate.held & other.held)
        if joint >= _REPEATED * max(len(candidate.held | other.held), 1):
            return True
    return False


def _completed(
    chosen: Sequence[_Candidate], candidates: Sequence[_Candidate], settings: QuoteSettings
) -> list[_Candidate]:
    """The chosen units with the exception that follows and the sentence that a pronoun leans on, as far as they fit."""
    by_order = {c.order: c for c in candidates}
    out = list(chosen)
    left = settings.max_characters - sum(len(c.words) for c in chosen)
    for c in chosen:
        after = by_order.get((c.evidence.rank, c.place + 1))
        before = by_order.get((c.evidence.rank, c.place - 1))
        for companion, wanted in (
            (after, after is not None and bool(_EXCEPTION.match(after.unit.quote.text))),
            (before, bool(_LEANS_BACK.match(c.unit.quote.text))),
        ):
            if companion is None or not wanted or companion in out or companion.unit.kind != c.unit.kind:
                continue
            if len(companion.words) <= min(left, _COMPANION):
                out.append(companion)
                left -= len(companion.words)
    return out


def _write(chosen: Sequence[_Candidate], name: str) -> Draft:
    groups: dict[int, list[_Candidate]] = {}
    for c in sorted(chosen, key=lambda c: -c.score):
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


def _runs(members: Sequence[_Candidate]) -> list[list[_Candidate]]:
    """Items that share a lead are said together, the lead once."""
    out: list[list[_Candidate]] = []
    for c in members:
        if out and c.unit.lead and out[-1][-1].unit.lead == c.unit.lead:
            out[-1].append(c)
        else:
            out.append([c])
    return out


def _spoken(run: Sequence[_Candidate]) -> tuple[str, tuple[Quote, ...]]:
    passage = run[0].evidence.passage
    quotes = joined([*run[0].unit.lead, *(c.unit.quote for c in run)], passage)
    lead = " ".join(one_line(q.text) for q in run[0].unit.lead)
    items = [one_line(c.unit.quote.text) for c in run]
    if not lead:
        return " ".join(items), quotes
    return ("\n".join((lead, *items)) if len(items) > 1 else f"{lead} {items[0]}"), quotes
