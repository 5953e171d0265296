"""The default verifier: alignment, deterministic checks, and a small logistic layer over them and other signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from citeleaf.ids import fingerprint
from citeleaf.protocols import Reranker, Signal
from citeleaf.types import Check, Claim, Evidence, Passage, PassageId, Quote, Verdict
from citeleaf.verify.align import BEST, Match, Piece, match, pieces, prefer
from citeleaf.verify.finding import Finding, Sides
from citeleaf.verify.parts import parts
from citeleaf.verify.reading import read
from citeleaf.verify.run import checks, contradictions
from citeleaf.verify.tongue import tongue
from citeleaf.verify.verbatim import verbatim
from citeleaf.verify.weigh import FILE, RERANKED, Weights, features, label, weights

LONGEST_CLAIM = 2_000
"""Characters of a claim; a longer one is not judged."""
_READ = 4
"""Pieces that the cross-encoder reads for one claim."""
_KEPT_SCORES = 20_000
_FOUND = 0.6
"""Share of a claim's words in one piece from which the words alone say which piece is meant."""
_TOGETHER = 0.75
"""Least share of a claim's words that one piece must hold, so that no claim is pieced together from several."""
_HOPELESS, _CERTAIN = 0.1, 0.95
"""Probabilities between which further opinions are asked for."""
_LANGUAGES = {"tr": "Turkish", "other": "a language"}


class ChecksVerifier:
    """Says `supported`, `refuted` or `not_enough_info`, the words that decided, and what each check saw."""

    name = "checks"

    def __init__(self, reranker: Reranker | None = None, signals: Sequence[Signal] = ()) -> None:
        """`reranker` aligns claims with evidence where there is one; `signals` are further opinions, each weighed."""
        self._reranker = reranker
        self._signals = tuple(signals)
        names = [RERANKED] if reranker is not None else []
        self._weights = weights(tuple(names))
        made_of = (FILE.read_text("utf-8"), reranker.fingerprint if reranker else "", *(s.fingerprint for s in signals))
        self.fingerprint = f"checks-1 {fingerprint(*made_of)}"
        self._score = lru_cache(maxsize=_KEPT_SCORES)(self._one_score)

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Verdict]:
        """One verdict a claim, in order.

        `cited`: it has a citation that resolved, else 0. `quoted`: it is the documents' own words: supported, 1.0.
        Else its three nearest pieces of the cited passages are looked at by the checks of `citeleaf.verify.run`, for
        the whole claim and for each of its parts. One by which the passage says otherwise makes it `refuted`, whatever
        the signals say. Else the score is the probability that it is supported, and it is `supported` from the
        threshold `sure` on, where one piece holds most of its words (`one place`); with weights that are not `gated`,
        neither a doubt nor `one place` stands in the way. Between the thresholds the check
        `check the source` failed. A claim in a language that the
        rules were not made for is never supported unless it is a quotation.
        """
        passages = {e.passage.id: e.passage for e in evidence}
        return [self._judge(claim, passages) for claim in claims]

    def _judge(self, claim: Claim, passages: Mapping[PassageId, Passage]) -> Verdict:
        cites = [c for c in claim.cites if c.status != "dropped" and c.passage_id in passages]
        ids = tuple(dict.fromkeys(c.passage_id for c in cites if c.passage_id is not None))
        if not cites:
            return _unjudged(claim, (), Check("cited", False, "no citation that resolves"))
        if not any(c.isalnum() for c in claim.text):
            return _unjudged(claim, ids, Check("words", False, "no word to look for"))
        if len(claim.text) > LONGEST_CLAIM:
            return _unjudged(claim, ids, Check("length", False, f"longer than {LONGEST_CLAIM} characters"))
        cited = [passages[i] for i in ids]
        own = verbatim(claim.text, cites, cited)
        if own is not None:
            check = Check("quoted", True, "the documents' own words", found=own)
            return Verdict(claim.n, "supported", 1.0, _first(ids, cited, own), (check,), own)
        found = [piece for passage in cited for piece in pieces(passage)]
        if not found:
            return _unjudged(claim, ids, Check("words", False, "the passage holds no words"))
        return self._weigh(claim, ids, found)

    def _weigh(self, claim: Claim, ids: Sequence[PassageId], found: Sequence[Piece]) -> Verdict:
        sides, score = self.align(claim.text, found)
        parted = self.parted(claim.text, sides)
        findings = _joined(checks(sides), parted)
        signals = {RERANKED: score} if score is not None else {}
        best = sides.best.piece
        known, values, extra = self._asked(claim, sides, parted, findings, signals)
        p = known.probability(values)
        said, shown = label(p, findings, values, known)
        spoken = tongue(claim.text, sides.coverage)
        if said == "supported" and spoken != "en":
            said = "not_enough_info"
            extra.append(Check("language", False, f"in {_LANGUAGES[spoken]} that only quotations are confirmed in"))
        elif said == "supported" and known.gated and not all(_together(each) for each in parted or (sides,)):
            said = "not_enough_info"
            extra.append(Check("one place", False, "its words stand in several places, not in one"))
        elif said == "not_enough_info" and p >= known.unsure:
            extra.append(Check("check the source", False, "near the passage, not sure enough", round(p, 3), known.sure))
        deciding = next(iter(contradictions(findings)), None)
        quote = deciding.found if deciding is not None and deciding.found is not None else best.own
        shown_checks = (*(f.check() for f in findings if f.state != "not_applicable"), *extra)
        passage = next((m.piece.passage_id for m in sides.matches if _holds(m.piece, quote)), best.passage_id)
        order = (passage, *(i for i in ids if i != passage))
        words = _around(sides.matches, quote)
        return Verdict(claim.n, said, shown, order, shown_checks, words)

    def _asked(
        self,
        claim: Claim,
        sides: Sides,
        parted: tuple[Sides, ...],
        findings: tuple[Finding, ...],
        signals: dict[str, float],
    ) -> tuple[Weights, dict[str, float], list[Check]]:
        """The weights and features with the opinions of those signals that were asked, and a check for each of them.

        They are asked in turn while the claim is open: nothing contradicts it, and neither is its probability below
        `_HOPELESS` nor is it `supported` beyond doubt (`_CERTAIN`). One without an opinion changes nothing.
        """
        text = " ".join(dict.fromkeys(m.piece.text for m in sides.matches))
        told: list[Check] = []
        known, values = self._weights, features(sides, findings, parted, signals)
        for signal in self._signals:
            if contradictions(findings) or not _HOPELESS <= known.probability(values) <= _CERTAIN:
                break
            (odds,) = signal.odds([(claim.text, text)])
            if isinstance(odds, str):
                told.append(Check(signal.name, True, odds))
                continue
            signals[signal.name] = odds
            told.append(Check(signal.name, odds >= 0, "log-odds that the words support it", round(odds, 3), 0.0))
            known, values = weights(self._names(signals)), features(sides, findings, parted, signals)
        return known, values, told

    def _names(self, signals: Mapping[str, float]) -> tuple[str, ...]:
        """The signals at hand: those given, and the cross-encoder even where it need not be asked."""
        return tuple(sorted({*signals, *([RERANKED] if self._reranker is not None else [])}))

    def align(self, text: str, found: Sequence[Piece]) -> tuple[Sides, float | None]:
        """The claim beside its best pieces, and the best cross-encoder score where that had to be asked.

        It is where no piece holds three fifths of the claim's words; it finds the right one of a claim in other words,
        and costs ten times what everything else does.
        """
        claim = read(text)
        order = prefer(claim, found)
        scores: dict[int, float] = {}
        if self._reranker is not None and match(claim, found[order[0]]).coverage < _FOUND:
            head = order[:_READ]
            scores = dict(zip(head, self._score(text, tuple(found[i].text for i in head)), strict=True))
            order = [*prefer_among(text, head, found, scores), *order[_READ:]]
        matches = tuple(match(claim, found[i]) for i in order[:BEST])
        return Sides(claim, matches, tuple(found[i] for i in order[BEST:])), max(scores.values(), default=None)

    def parted(self, text: str, sides: Sides) -> tuple[Sides, ...]:
        """The parts of a compound claim, each beside the pieces of the whole, the best for it first; else none."""
        cuts = parts(text)
        if len(cuts) < 2:
            return ()
        held = [m.piece for m in sides.matches]
        out = []
        for span in cuts:
            claim = read(text[span.start : span.end])
            matches = tuple(match(claim, held[i]) for i in prefer(claim, held))
            out.append(Sides(claim, matches, sides.rest))
        return tuple(out)

    def _one_score(self, text: str, found: tuple[str, ...]) -> tuple[float, ...]:
        if self._reranker is None:
            return ()
        return tuple(self._reranker.scores(text, found))


def prefer_among(text: str, head: Sequence[int], found: Sequence[Piece], scores: Mapping[int, float]) -> list[int]:
    """The indices of `head` by overlap and cross-encoder score."""
    some = [found[i] for i in head]
    return [head[k] for k in prefer(read(text), some, {k: scores[i] for k, i in enumerate(head)})]


def _joined(whole: tuple[Finding, ...], parted: Sequence[Sides]) -> tuple[Finding, ...]:
    """The findings of the whole, those of a part in their place where the part alone is contradicted.

    Spans of a part's own text are left out, since they are not the claim's.
    """
    out = list(whole)
    for sides in parted:
        for i, finding in enumerate(checks(sides)):
            if finding.state == "failed" and finding.contradicts and not out[i].contradicts:
                out[i] = replace(finding, said=None)
    return tuple(out)


def _together(sides: Sides) -> bool:
    return max(m.coverage for m in sides.matches) >= _TOGETHER


def _unjudged(claim: Claim, ids: tuple[PassageId, ...], check: Check) -> Verdict:
    return Verdict(claim.n, "not_enough_info", 0.0, ids, (check,))


def _first(ids: tuple[PassageId, ...], cited: Sequence[Passage], own: Quote) -> tuple[PassageId, ...]:
    """The ids, that of the passage which holds the quotation first."""
    home = next((p.id for p in cited if p.span.start <= own.span.start and own.span.end <= p.span.end), ids[0])
    return (home, *(i for i in ids if i != home))


def _holds(piece: Piece, quote: Quote) -> bool:
    return any(q.span.start <= quote.span.start and quote.span.end <= q.span.end for q in piece.quotes)


def _around(matches: Sequence[Match], quote: Quote) -> Quote:
    """The whole quotation that the deciding words stand in."""
    for m in matches:
        for whole in m.piece.quotes:
            if whole.span.start <= quote.span.start and quote.span.end <= whole.span.end:
                return whole
    return quote


def open_verifier(reranker: Reranker | None = None, signals: Sequence[Signal] = ()) -> ChecksVerifier:
    """The verifier with the models at hand."""
    return ChecksVerifier(reranker, signals)
