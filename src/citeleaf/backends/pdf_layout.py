"""Reading order: zones from top to bottom, columns from left to right, framed boxes and tables kept whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

from citeleaf.backends.pdf_aligned import Rule, Table, aligned_table
from citeleaf.backends.pdf_lines import Line
from citeleaf.backends.pdf_styles import Box

Interval: TypeAlias = tuple[float, float]

_GUTTER = 0.65
"""The least width of a gutter between columns, in heights of a line of text."""
_SHRINK = 0.2
"""Lines are taken this much lower than they are when bands are formed, so that tight lines stay apart."""


@dataclass(slots=True, eq=False)
class Flow:
    """What is read in one go: the lines of a column, a table, or a framed note with flows of its own."""

    kind: Literal["text", "table", "note"]
    x0: float
    y0: float
    x1: float
    y1: float
    lines: list[Line] = field(default_factory=list)
    table: Table | None = None
    inner: list[Flow] = field(default_factory=list)


Atom: TypeAlias = Line | Flow


def reading_order(atoms: Sequence[Atom], em: float, rules: Sequence[Rule] = (), depth: int = 0) -> list[Flow]:
    """Flows in the order a person reads them. `em` is the height of a usual line, in points; `rules` are
    lines drawn across: height, left, right.

    The page is cut into zones, each a run of bands that share the same gutters. A zone with gutters is a table when its
    rows agree across them, else columns, each read in the same way. Ties go to what stands higher, then left.
    """
    if not atoms:
        return []
    flows: list[Flow] = []
    for zone, gutters in _zones(atoms, em):
        if not gutters or depth > 8:
            flows.extend(_stack(zone))
            continue
        table = _table(zone, gutters, em, rules)
        if table is not None:
            before, flow, after = table
            flows.extend(reading_order(before, em, rules, depth + 1))
            flows.append(flow)
            flows.extend(reading_order(after, em, rules, depth + 1))
            continue
        columns = _columns(zone, gutters)
        if _labels(columns, em):
            flows.extend(_stack(zone))
            continue
        aside = [column for column in columns if _is_side_note(column, columns, em)]
        for column in columns:
            if not any(column is other for other in aside):
                flows.extend(reading_order(column, em, rules, depth + 1))
        for column in aside:
            box = (*_corner(column, min), *_corner(column, max))
            flows.append(note_flow(box, reading_order(column, em, rules, depth + 1)))
    return _merged(flows)


def _table(
    zone: list[Atom], gutters: list[Interval], em: float, rules: Sequence[Rule]
) -> tuple[list[Atom], Flow, list[Atom]] | None:
    """The table in a zone, with what stands above and below it; None when the zone is no table.

    It reaches from the first to the last band that has something on both sides of a gutter; there may be more gutters.
    """
    bands = _bands(zone, em)
    wide = [i for i, band in enumerate(bands) if len(_columns(band, gutters)) > 1]
    if not wide or not all(isinstance(atom, Line) for i in range(wide[0], wide[-1] + 1) for atom in bands[i]):
        return None
    last = wide[-1]
    while last + 1 < len(bands) and _wraps(bands[last], bands[last + 1], gutters[0], em):
        last += 1
    if _goes_down(bands[wide[0] : last + 1], bands[last + 1 :]):
        return None
    core = [atom for i in range(wide[0], last + 1) for atom in bands[i]]
    inner = _zones(core, em)
    if len(inner) != 1:
        return None
    columns = [[a for a in column if isinstance(a, Line)] for column in _columns(core, inner[0][1])]
    found = aligned_table(columns, em, rules)
    if found is None:
        return None
    above = [atom for band in bands[: wide[0]] for atom in band]
    return above, _flow_of_table(found), [atom for band in bands[last + 1 :] for atom in band]


def _goes_down(core: list[list[Atom]], below: list[list[Atom]]) -> bool:
    """Whether lines go on under the first column just as within it: a column longer than the next, and no table."""
    if len(core) < 3 or len(below) < 2:
        return False
    heads = [min(band, key=lambda a: a.x0) for band in [*core[-2:], *below[:2]]]
    steps = [b.y0 - a.y0 for a, b in pairwise(heads)]
    even = max(steps) - min(steps) < 0.15 * max(steps[0], 0.1)
    alone = all(len(band) == 1 for band in below[:2])
    return even and alone and max(a.x0 for a in heads) - min(a.x0 for a in heads) < 1.0


def _wraps(above: list[Atom], band: list[Atom], gutter: Interval, em: float) -> bool:
    """Whether a band is the rest of the cells above it: close below, and nothing in the first column."""
    close = min(a.y0 for a in band) - max(a.y1 for a in above) < 0.5 * em
    return close and all(isinstance(a, Line) and a.x0 >= gutter[1] - 1 for a in band)


def _bands(atoms: Sequence[Atom], em: float) -> list[list[Atom]]:
    """Atoms by overlap in height, from top to bottom."""
    bands: list[list[Atom]] = []
    bottom = float("-inf")
    for atom in sorted(atoms, key=lambda a: (a.y0, a.x0)):
        shrink = _SHRINK * min(atom.y1 - atom.y0, em)
        if atom.y0 + shrink >= bottom or not bands:
            bands.append([])
            bottom = float("-inf")
        bands[-1].append(atom)
        bottom = max(bottom, atom.y1 - shrink)
    return bands


def _free(atoms: Sequence[Atom]) -> list[Interval]:
    """Intervals across that no atom touches, from minus to plus infinity."""
    free: list[Interval] = []
    at = float("-inf")
    for x0, x1 in sorted((a.x0, a.x1) for a in atoms):
        if x0 > at:
            free.append((at, x0))
        at = max(at, x1)
    free.append((at, float("inf")))
    return free


def _meet(a: list[Interval], b: list[Interval], least: float) -> list[Interval]:
    out: list[Interval] = []
    i = j = 0
    while i < len(a) and j < len(b):
        low, high = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if high - low >= least:
            out.append((low, high))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return out


def _inner(free: list[Interval], left: float, right: float) -> list[Interval]:
    """Those between the two edges: with atoms on both sides."""
    return [g for g in free if g[0] >= left - 0.01 and g[1] <= right + 0.01]


def _zones(atoms: Sequence[Atom], em: float) -> list[tuple[list[Atom], list[Interval]]]:
    least = _GUTTER * em
    zones: list[tuple[list[Atom], list[Interval]]] = []
    zone: list[Atom] = []
    free: list[Interval] = []
    gutters: list[Interval] = []
    left = right = bottom = 0.0
    for band in _bands(atoms, em):
        band_free = [g for g in _free(band) if g[1] - g[0] >= least]
        band_left, band_right = min(a.x0 for a in band), max(a.x1 for a in band)
        own = _inner(band_free, band_left, band_right)
        if zone:
            both = _meet(free, band_free, least)
            together = _inner(both, min(left, band_left), max(right, band_right))
            breaks = not together if gutters else bool(own) and not together
            # To the side of a zone without gutters and below it: a date or a name set to the right, no column.
            aside = band_left > right or band_right < left
            apart = not gutters and bool(together) and not own and aside and min(a.y0 for a in band) >= bottom
            if not breaks and not apart:
                zone.extend(band)
                free, gutters = both, together
                left, right = min(left, band_left), max(right, band_right)
                bottom = max(bottom, *(a.y1 for a in band))
                continue
            zones.append((zone, gutters))
        zone, free, gutters, left, right = list(band), band_free, own, band_left, band_right
        bottom = max(a.y1 for a in band)
    if zone:
        zones.append((zone, gutters))
    return zones


def _columns(zone: Sequence[Atom], gutters: list[Interval]) -> list[list[Atom]]:
    columns: list[list[Atom]] = [[] for _ in range(len(gutters) + 1)]
    for atom in zone:
        middle = (atom.x0 + atom.x1) / 2
        columns[sum(middle > (g[0] + g[1]) / 2 for g in gutters)].append(atom)
    return [c for c in columns if c]


def _is_side_note(column: list[Atom], columns: list[list[Atom]], em: float) -> bool:
    """Whether a column is small print in the margin: less than half as wide as the widest, its letters smaller."""
    widths = [max(a.x1 for a in c) - min(a.x0 for a in c) for c in columns]
    width = max(a.x1 for a in column) - min(a.x0 for a in column)
    small = all(isinstance(a, Line) and a.height < 0.93 * em for a in column)
    return small and width < 0.5 * max(widths)


def _corner(column: list[Atom], which: Callable[..., float]) -> tuple[float, float]:
    first = which is min
    return which(a.x0 if first else a.x1 for a in column), which(a.y0 if first else a.y1 for a in column)


def _labels(columns: list[list[Atom]], em: float) -> bool:
    """Whether the columns are only words set apart on one or two lines, such as a name and a date."""
    rows = {round(a.y0 / max(em, 1.0)) for c in columns for a in c}
    return len(rows) <= 1


def _stack(zone: Sequence[Atom]) -> list[Flow]:
    """One column: its lines in order, broken by the boxes and tables between them."""
    flows: list[Flow] = []
    for band in _bands(zone, 1e9):
        for atom in sorted(band, key=lambda a: (a.x0, a.y0)):
            if isinstance(atom, Flow):
                flows.append(atom)
            elif flows and flows[-1].kind == "text":
                last = flows[-1]
                last.lines.append(atom)
                last.x0, last.y0 = min(last.x0, atom.x0), min(last.y0, atom.y0)
                last.x1, last.y1 = max(last.x1, atom.x1), max(last.y1, atom.y1)
            else:
                flows.append(Flow("text", atom.x0, atom.y0, atom.x1, atom.y1, [atom]))
    return flows


def _merged(flows: list[Flow]) -> list[Flow]:
    """Flows of text that stand under each other and share their left edge become one."""
    out: list[Flow] = []
    for flow in flows:
        last = out[-1] if out else None
        if (
            last is not None
            and last.kind == flow.kind == "text"
            and flow.y0 >= last.y1 - 0.5 * (flow.lines[0].height)
            and min(last.x1, flow.x1) - max(last.x0, flow.x0) > 0.3 * min(last.x1 - last.x0, flow.x1 - flow.x0)
        ):
            last.lines.extend(flow.lines)
            last.x0, last.x1, last.y1 = min(last.x0, flow.x0), max(last.x1, flow.x1), max(last.y1, flow.y1)
        else:
            out.append(flow)
    return out


def _flow_of_table(table: Table) -> Flow:
    x0, y0, x1, y1 = table.box
    return Flow("table", x0, y0, x1, y1, table=table)


def table_flow(table: Table) -> Flow:
    """A table as one thing to be read."""
    return _flow_of_table(table)


def note_flow(box: Box, inner: list[Flow]) -> Flow:
    """A framed box with what is read inside it."""
    return Flow("note", *box, inner=inner)
