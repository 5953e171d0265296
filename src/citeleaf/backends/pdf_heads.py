"""Which column headings stand over which columns, where one heading stands over several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from citeleaf.backends.pdf_aligned import Cell

_LEFT = 2.0
"""Two left edges this many points apart are one."""
_CENTRE = (0.1, 4.0)
"""Two middles are one when they are no further apart than this part of a column's width, or this many points."""
_PADDING = 4.0
"""Points that are usually left free at the left of a cell."""


def headings_over(rows: Sequence[Sequence[Cell]], right: float) -> list[Mapping[int, int]] | None:
    """For each row of headings, outermost first: which of its cells stands over each column.

    A heading over several columns stands over their first, or over their middle, as its neighbours do. None where that
    cannot be told: a cell under a wrong heading would be worse than one under none. `right` is the table's edge.
    """
    out: list[Mapping[int, int]] = []
    for i, row in enumerate(rows):
        filled = [c for c, cell in enumerate(row) if cell]
        below = [c for c, cell in enumerate(rows[i + 1]) if cell] if i + 1 < len(rows) else []
        wide = [c for c in filled if c in below]
        groups = _groups(row, rows[i + 1], wide, below, right) if wide else []
        if groups is None:
            return None
        over = {c: c for c in filled if c not in below}
        out.append(over | {c: head for head, group in zip(wide, groups, strict=True) for c in group})
    return out


def _groups(
    row: Sequence[Cell], under: Sequence[Cell], wide: list[int], below: list[int], right: float
) -> list[list[int]] | None:
    """The columns under each of these headings, or None where that cannot be told."""
    if len(wide) == len(below):
        return [[c] for c in wide]
    if all(abs(_x0(row[c]) - _x0(under[c])) < _LEFT for c in wide):
        ends = [*wide[1:], below[-1] + 1]
        groups = [[b for b in below if c <= b < end] for c, end in zip(wide, ends, strict=True)]
        others = max((len(group) for group in groups[:-1]), default=0)
        if wide[0] == below[0] or len(groups[-1]) <= others:
            return groups
        return None
    pitch = (_x1(under[below[-1]]) - _x0(under[below[0]])) / len(below)
    slack = max(_CENTRE[0] * pitch, _CENTRE[1])
    lefts = {b: _x0(under[after]) - _PADDING for b, after in pairwise(below)} | {below[-1]: right}
    spans = {b: (_x0(under[b]), _x1(under[b]), lefts[b]) for b in below}
    middles = [(c, (_x0(row[c]) + _x1(row[c])) / 2) for c in wide]
    found = [tiling for first in range(len(below)) for tiling in _tilings(middles, spans, below[first:], slack)]
    even = [tiling for tiling in found if len(tiling[0]) > 1 and len({len(group) for group in tiling}) == 1]
    return even[0] if len(even) == 1 else found[0] if len(found) == 1 else None


def _tilings(
    middles: Sequence[tuple[int, float]],
    spans: Mapping[int, tuple[float, float, float]],
    below: list[int],
    slack: float,
) -> Iterator[list[list[int]]]:
    """Ways to give each heading the next columns so that it stands over the middle of their words or of their cells."""
    if not middles:
        yield []
        return
    middle = middles[0][1]
    for size in range(1, len(below) - len(middles) + 2):
        first, last = spans[below[0]], spans[below[size - 1]]
        of_words, of_cells = (first[0] + last[1]) / 2, (first[0] - _PADDING + last[2]) / 2
        if min(abs(of_words - middle), abs(of_cells - middle)) <= slack:
            for rest in _tilings(middles[1:], spans, below[size:], slack):
                yield [below[:size], *rest]


def _x0(cell: Cell) -> float:
    return min(line.x0 for line in cell)


def _x1(cell: Cell) -> float:
    return max(line.x1 for line in cell)
