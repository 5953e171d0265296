"""Duty, advice, permission, prohibition: what must be done is not what may be done."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from citeleaf.types import Span
from citeleaf.verify.align import Match
from citeleaf.verify.finding import Finding, Sides, failed, idle, passed
from citeleaf.verify.reading import Reading

Kind: TypeAlias = Literal["no duty", "prohibited", "duty", "advice", "permitted"]

_N = r"(?:\s+not|n't|\s+never)"
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "no duty",
        re.compile(
            rf"\b(?:do|does|did|is|are|was|were|be|will|would|shall){_N}\s+(?:\w+\s+){{0,2}}?(?:have to"
            rf"|need(?:ed)?(?: to)?|require[ds]?"
            r"|necessary|mandatory|oblig\w+|compulsory|expected|bound)\b|\bneed(?:s?n't|s? not)\b"
            r"|\b(?:not|never)\s+(?:\w+\s+)?(?:required|necessary|needed|mandatory|obliged|obligatory|compulsory"
            r"|expected)\b"
            r"|\bno\s+(?:need|duty|obligation|requirement|longer (?:required|necessary))\b"
            r"|\b(?:optional|voluntary|discretionary)\b|\b(?:left to|up to|a matter for|at) (?:the |their |its "
            r"|his |her |your |our |an? )?(?:\w+(?:'s)? ){0,2}(?:discretion|choice|judg\w+|option)\b"
            r"|\bleft to (?:the|its|their|each|your|our)\b|\bfree (?:to|not to)\b|\bexempt(?:ed)? from\b"
            r"|\bgerekmez\b|\bgerek(?:mez|miyor\w*| yok\w*)|\b(?:zorunda|zorunlu|şart|gerekli) değil\w*"
            r"|\bisteğe bağlı\w*",
            re.I,
        ),
    ),
    (
        "prohibited",
        re.compile(
            r"\b(?:must|shall|may|can|could|should)(?:\s+(?:not|never)|n't)\b|\bcan(?:not|'t)\b|\bmay (?:under )?no\b"
            rf"|\b(?:is|are|be|was|were){_N}\s+(?:\w+\s+)?(?:allowed|permitted|entitled|able)\b|\bnot (?:allowed"
            rf"|permitted|entitled)\b"
            r"|\b(?:prohibit(?:ed|s)?|forbidden|forbids?|banned|barred|disallowed|yasak\w*)\b"
            r"|\b\w{2,}[ae]m[ae]z(?:lar|ler)?\b|\bno \w+ may\b",
            re.I,
        ),
    ),
    (
        "duty",
        re.compile(
            r"\b(?:must|shall|requires?|required|(?:has|have|had) to|needs? to|mandatory|obliged|compulsory"
            r"|obligatory|obligation"
            r"|duty|is bound to|are bound to|mandates?|mandated|gerekir|gerekli\w*|zorunlu\w*|zorunda\w*|şart\w*"
            r"|\w{2,}m[ae]l[ıi](?:d[ıi]r|y[ıi]z)?)\b",
            re.I,
        ),
    ),
    (
        "advice",
        re.compile(
            r"\b(?:should|ought to|recommend(?:s|ed)?|advis(?:es|ed|able)|encouraged?|expected to|tavsiye\w*)\b", re.I
        ),
    ),
    (
        "permitted",
        re.compile(
            r"\b(?:may|might|can|could|allow(?:s|ed)|permit(?:s|ted)|entitled|free to|authori[sz]ed to"
            r"|has the right|have the right"
            r"|has the option|have the option|\w{2,}[ae]bilir\w*)\b",
            re.I,
        ),
    ),
)
_OPPOSED: frozenset[frozenset[Kind]] = frozenset(
    frozenset(pair)
    for pair in (
        ("duty", "permitted"),
        ("duty", "no duty"),
        ("duty", "prohibited"),
        ("duty", "advice"),
        ("advice", "permitted"),
        ("advice", "prohibited"),
        ("advice", "no duty"),
        ("permitted", "prohibited"),
        ("prohibited", "no duty"),
    )
)
_GATE = 0.6


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that lay down a duty or a permission, where they stand, and the clause."""

    kind: Kind
    span: Span
    clause: int
    part: str


def modality(sides: Sides) -> Finding:
    """The check `modality`: what the main statement of the claim lays down, beside the clause that it repeats."""
    mine = [c for c in cues(sides.claim) if c.part == "main"] or cues(sides.claim)
    if not mine:
        return idle("modality")
    gated = [m for m in sides.matches if m.coverage >= _GATE]
    verdicts = [(m, _theirs(m)) for m in gated]
    known = [(m, found) for m, found in verdicts if found]
    if not known:
        added = next((c for c in mine if c.kind == "duty"), None)
        if added is None or any(cues(m.piece.reading) for m in sides.matches):
            return idle("modality")
        return failed("modality", f"{_at(sides.claim.text, added.span)} is not in the passage", said=added.span)
    kinds = {c.kind for c in mine}
    if any(kinds & {c.kind for c in found} for _, found in known):
        return passed("modality", f"{mine[0].kind} on both sides")
    match, found = known[0]
    for cue in mine:
        for other in found:
            if frozenset((cue.kind, other.kind)) in _OPPOSED:
                here, there = _at(sides.claim.text, cue.span), _at(match.piece.text, other.span)
                return failed(
                    "modality",
                    f"the claim says {here} ({cue.kind}), the passage {there} ({other.kind})",
                    contradicts=match.coverage >= _GATE,
                    said=cue.span,
                    piece=match.piece,
                    found=other.span,
                )
    return passed("modality", "no opposite duty")


def cues(reading: Reading) -> list[Cue]:
    """The cues of a text in order; of overlapping ones the first kind of the list counts."""
    text = reading.text[: reading.words[-1].end if reading.words else 0].lower()
    found: list[Cue] = []
    taken: list[tuple[int, int]] = []
    for kind, pattern in _KINDS:
        for m in pattern.finditer(text):
            if any(m.start() < b and a < m.end() for a, b in taken):
                continue
            taken.append(m.span())
            word = next((w for w in reading.words if w.end > m.start()), None)
            if word is not None:
                found.append(Cue(kind, Span(m.start(), m.end()), word.clause, word.part))
    return sorted(found, key=lambda c: c.span.start)


def _theirs(match: Match) -> list[Cue]:
    """The cues of the piece in the clause that holds most of the claim's words; of its main part where it has one."""
    theirs = match.piece.reading
    clauses = [theirs.content[j].clause for _, j in match.pairs]
    if not clauses:
        return []
    most = max(sorted(set(clauses)), key=clauses.count)
    found = [c for c in cues(theirs) if c.clause == most]
    return [c for c in found if c.part == "main"] or found


def _at(text: str, span: Span) -> str:
    return "“" + " ".join(text[span.start : span.end].split()) + "”"
