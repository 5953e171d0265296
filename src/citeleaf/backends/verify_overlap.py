"""The verifier without a model: exact quotations are supported, near ones by word overlap with guards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from citeleaf.quotes import folded
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.types import Check, Claim, Evidence, Passage, PassageId, Verdict
from citeleaf.verify.verbatim import verbatim

_LEAST_OVERLAP = 0.85
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred".split()
_WORDS = {word: str(n) for n, word in enumerate(_SMALL, 2)} | {word: str(10 * n) for n, word in enumerate(_TENS, 2)}
_WORD = re.compile(r"[^\W\d_]+(?:'t)?")
_NEGATIONS = frozenset("not no never none nor neither".split())
_EXCEPTION = re.compile(r"\b(?:except|unless|exclud(?:e[sd]?|ing)|without|only if|provided that)\b")
_MODAL = {
    "must": "must", "shall": "must", "required": "must", "requires": "must", "mandatory": "must",
    "may": "may", "can": "may", "might": "may", "could": "may", "optional": "may",
    "should": "should", "recommended": "should",
}  # fmt: skip
_CONDITIONS = frozenset("if provided however only when where until".split())


class OverlapVerifier:
    """Conservative: says `supported` or `not_enough_info`, never `refuted`."""

    name = "overlap"
    fingerprint = "overlap-3"

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Verdict]:
        """One verdict a claim, in order.

        `cited`: it has a citation that resolved. `quoted`: folded, the sign of what was left out aside, it is one cited
        quotation after another, or what they say when each cell of a table row is said under its headings, or one or
        two units of a cited passage side by side, with their leads: supported, 1.0. Else supported only when all hold:
        `overlap`, the share of its terms in the cited quotes, is at least 0.85; `words`, each of its terms is in a
        cited passage; `numbers`, `polarity` (the set of plain negations) and `modality` are those of the quotes;
        `conditions`, exceptions are those of the quotes and no condition of theirs is left out. The score is then
        0.9 * overlap, else at most 0.49.
        """
        passages = {e.passage.id: e.passage for e in evidence}
        return [_judge(claim, passages) for claim in claims]


def _judge(claim: Claim, passages: Mapping[PassageId, Passage]) -> Verdict:
    cites = [c for c in claim.cites if c.status != "dropped" and c.passage_id in passages]
    ids = tuple(dict.fromkeys(c.passage_id for c in cites if c.passage_id is not None))
    if not cites:
        return Verdict(claim.n, "not_enough_info", 0.0, (), (Check("cited", False, "no citation that resolves"),))
    cited = [passages[i] for i in ids]
    if verbatim(claim.text, cites, cited) is not None:
        return Verdict(claim.n, "supported", 1.0, ids, (Check("quoted", True, "the documents' own words"),))
    around = " ".join(" ".join((*p.heading, p.context, p.text)) for p in cited)
    checks = _compare(claim.text, " ".join(q.text for c in cites for q in c.quotes), around)
    overlap = checks[0].value or 0.0
    if all(check.passed for check in checks):
        return Verdict(claim.n, "supported", 0.9 * overlap, ids, checks)
    return Verdict(claim.n, "not_enough_info", min(0.49, 0.5 * overlap), ids, checks)


def _compare(claim: str, words: str, around: str) -> tuple[Check, ...]:
    """The checks of a claim that is not a quotation, overlap first; `around` is all of the cited passages."""
    language = guess_language(words)
    claim, words, around = _in_digits(claim), _in_digits(words), _in_digits(around)
    wanted, held = set(terms(claim, language)), set(terms(words, language))
    foreign = sorted(wanted - held - set(terms(around, language)))
    overlap = len(wanted & held) / len(wanted) if wanted else 0.0
    strange = sorted(_numbers(claim) - _numbers(words))
    said, meant = _signs(claim), _signs(words)
    same_sense = said & _NEGATIONS == meant & _NEGATIONS
    modal, their_modal = ({_MODAL[w] for w in signs if w in _MODAL} for signs in (said, meant))
    left_out = sorted(((meant & _CONDITIONS) - said) | (_exceptions(words) - _exceptions(claim)))
    added = sorted(_exceptions(claim) - _exceptions(words))
    conditions = [f"{what}: {', '.join(which)}" for what, which in (("leaves out", left_out), ("adds", added)) if which]
    return (
        Check("overlap", overlap >= _LEAST_OVERLAP, f"{overlap:.0%} of its words are cited", overlap, _LEAST_OVERLAP),
        Check("words", not foreign, "not in the cited passages: " + ", ".join(foreign) if foreign else ""),
        Check("numbers", not strange, "not in the cited words: " + ", ".join(strange) if strange else ""),
        Check("polarity", same_sense, "" if same_sense else "negation differs from the cited words"),
        Check("modality", modal == their_modal, "" if modal == their_modal else "duty or permission differs"),
        Check("conditions", not conditions, "; ".join(conditions)),
    )


def _in_digits(text: str) -> str:
    return _WORD.sub(lambda m: _WORDS.get(m[0], m[0]), folded(text))


def _numbers(text: str) -> set[str]:
    return {m[0].replace(",", "") for m in _NUMBER.finditer(text)}


def _signs(text: str) -> set[str]:
    return {"not" if w.endswith("n't") or w == "cannot" else w for w in _WORD.findall(text)}


def _exceptions(text: str) -> set[str]:
    """The words that except something, the forms of `exclude` as one."""
    return {"exclude" if m[0].startswith("exclud") else m[0] for m in _EXCEPTION.finditer(text)}
