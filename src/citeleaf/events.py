"""What is told while a question is answered, as it happens; the answer itself is what `ask` gives back.

`kind` is the event's name on every surface. The events of one question come in order, from the thread that asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from citeleaf.types import Check, Evidence, ShownCitation, ShownClaim


@dataclass(frozen=True, slots=True)
class StatusEvent:
    """A stage begins (`seconds` is None) or has ended after so many seconds."""

    kind: ClassVar[str] = "status"
    stage: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class CheckEvent:
    """A rule was looked at; `stage` is `guard`, `gate` or `screen`."""

    kind: ClassVar[str] = "check"
    stage: str
    check: Check


@dataclass(frozen=True, slots=True)
class EvidenceEvent:
    """The passages that were found, best first."""

    kind: ClassVar[str] = "evidence"
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class ClaimEvent:
    """One sentence that was checked and is shown, with its citations, numbered as in the answer.

    A sentence is told as soon as it passed every check, which may be while the next one is still being written. When
    what follows it brings down the whole answer, the answer does not hold it: the answer is what counts.
    """

    kind: ClassVar[str] = "claim"
    claim: ShownClaim
    citations: tuple[ShownCitation, ...]


Event: TypeAlias = StatusEvent | CheckEvent | EvidenceEvent | ClaimEvent
Watch: TypeAlias = Callable[[Event], None]
