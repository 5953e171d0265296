"""All checks of a claim against its best pieces, in a fixed order."""

from __future__ import annotations

from citeleaf.verify.amounts import amounts
from citeleaf.verify.finding import Finding, Sides
from citeleaf.verify.modality import modality
from citeleaf.verify.parties import parties
from citeleaf.verify.polarity import polarity
from citeleaf.verify.strict import additions, wording
from citeleaf.verify.wording import directions, names, quantifiers, quoted, unsaid

NAMES = (
    "numbers", "periods", "dates", "units", "comparators", "negation", "exceptions", "modality", "parties",
    "directions", "quantifiers", "names", "quoted", "additions", "wording",
    "words",
)  # fmt: skip


def checks(sides: Sides) -> tuple[Finding, ...]:
    """One finding a check, in the order of `NAMES`."""
    return (
        *amounts(sides),
        *polarity(sides),
        modality(sides),
        parties(sides),
        directions(sides),
        quantifiers(sides),
        names(sides),
        quoted(sides),
        additions(sides),
        wording(sides),
        unsaid(sides),
    )


def contradictions(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Those by which the passage says otherwise."""
    return tuple(f for f in findings if f.state == "failed" and f.contradicts)
