"""How an answer shows itself where a program prints it, or a notebook draws it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Spoken:
    """`str()` is the text with the numbers of its citations; a notebook draws it by `citeleaf.surfaces.notebook`."""

    __slots__ = ()
    id: str
    text: str
    decision: Any
    citations: tuple[Any, ...]

    def __str__(self) -> str:
        """The text that is shown."""
        return self.text

    def __repr__(self) -> str:
        """Its id, outcome, reason and text, on one line; the trace is left out."""
        said = self.decision
        return f"Answer({self.id!r}, {said.outcome!r}, {said.reason!r}, {self.text!r}, {len(self.citations)} citations)"

    def _repr_html_(self) -> str:
        # By name: the types know of no surface, and a program without a notebook loads none.
        drawn: str = import_module("citeleaf.surfaces.notebook").draw(self)
        return drawn
