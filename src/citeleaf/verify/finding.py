"""What one check found: passed, failed or not applicable, in one line, with the words it saw on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from citeleaf.types import Check, Quote, Span
from citeleaf.verify.align import Match, Piece
from citeleaf.verify.reading import Reading, Word

State: TypeAlias = Literal["passed", "failed", "not_applicable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's result. `contradicts`: the passage says otherwise, rather than not saying it.

    `said` is the deciding span of the claim's text; `found` the deciding words of the document.
    """

    name: str
    state: State
    detail: str = ""
    contradicts: bool = False
    said: Span | None = None
    found: Quote | None = None

    def check(self) -> Check:
        """As it stands in a verdict."""
        return Check(self.name, self.state != "failed", self.detail, said=self.said, found=self.found)


@dataclass(frozen=True, slots=True)
class Sides:
    """What a check looks at: the claim and its best pieces of evidence, best first; `rest` are all other pieces."""

    claim: Reading
    matches: tuple[Match, ...]
    rest: tuple[Piece, ...] = ()

    @property
    def best(self) -> Match:
        """The claim beside its best piece."""
        return self.matches[0]

    @property
    def coverage(self) -> float:
        """Share of the claim's content words that one of the best pieces holds, by letters or by sense."""
        size = len(self.claim.content)
        held = {i for m in self.matches for i, _ in m.pairs}
        return len(held) / size if size else 0.0


def passed(name: str, detail: str = "") -> Finding:
    """A check that applied and found nothing wrong."""
    return Finding(name, "passed", detail)


def idle(name: str) -> Finding:
    """A check that had nothing to look at."""
    return Finding(name, "not_applicable")


def failed(
    name: str,
    detail: str,
    *,
    contradicts: bool = False,
    said: Span | None = None,
    piece: Piece | None = None,
    found: Span | None = None,
) -> Finding:
    """A check that failed on the words `said` of the claim and `found` of the piece's text."""
    quote = piece.quote_at(found.start, found.end) if piece is not None and found is not None else None
    return Finding(name, "failed", detail, contradicts, said, quote)


def beside(name: str, detail: str, said: Word, piece: Piece, found: Word, *, contradicts: bool = False) -> Finding:
    """A check that failed on one word of the claim beside one of the piece."""
    at = Span(found.start, found.end)
    return failed(name, detail, contradicts=contradicts, said=Span(said.start, said.end), piece=piece, found=at)


def words_at(text: str, spans: Sequence[Span]) -> str:
    """The words at spans of a text, for a reader."""
    return ", ".join(" ".join(text[s.start : s.end].split()) for s in spans)
