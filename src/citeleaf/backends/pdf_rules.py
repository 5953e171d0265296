"""The rules that tables and frames are drawn with: which touch each other, and where they put edges."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from citeleaf.backends.pdf_aligned import Rule
from citeleaf.backends.pdf_chars import RawPage
from citeleaf.backends.pdf_graphics import Graphics
from citeleaf.backends.pdf_styles import Box

TOUCH = 3.0
"""Rules this near to each other, in points, meet; two at one height are one."""
_MAX_RULES = 1500


@dataclass(slots=True)
class Rules:
    """Lines across and lines down, edges of painted areas among them."""

    across: list[tuple[float, float, float]] = field(default_factory=list)
    """y, x0, x1"""
    down: list[tuple[float, float, float]] = field(default_factory=list)
    """x, y0, y1"""


def collect(page: RawPage, graphics: Graphics) -> Rules:
    """All rules of a page; white areas and the page's own background draw none."""
    rules = Rules()
    for x0, y0, x1, y1 in graphics.across:
        rules.across.append(((y0 + y1) / 2, x0, x1))
    for x0, y0, x1, y1 in graphics.down:
        rules.down.append(((x0 + x1) / 2, y0, y1))
    for area in graphics.areas:
        if area.image or not area.exact or (area.filled and min(area.colour) > 250):
            continue
        x0, y0, x1, y1 = area.box
        if (x1 - x0) * (y1 - y0) > 0.9 * page.width * page.height:
            continue
        rules.across += [(y0, x0, x1), (y1, x0, x1)]
        rules.down += [(x0, y0, y1), (x1, y0, y1)]
    return rules


def groups(rules: Rules) -> list[Rules]:
    """Rules that touch each other, group by group, from top to bottom."""
    n, m = len(rules.across), len(rules.down)
    if not n or not m or n + m > _MAX_RULES:
        return []
    boxes = np.array([(x0, y, x1, y) for y, x0, x1 in rules.across] + [(x, y0, x, y1) for x, y0, y1 in rules.down])
    x0, y0, x1, y1 = boxes.T
    touch = (
        (x0[:, None] <= x1 + TOUCH)
        & (x0 <= x1[:, None] + TOUCH)
        & (y0[:, None] <= y1 + TOUCH)
        & (y0 <= y1[:, None] + TOUCH)
    )
    label = np.full(n + m, -1)
    groups: list[Rules] = []
    for start in np.argsort(y0, kind="stable").tolist():
        if label[start] >= 0:
            continue
        members = np.zeros(n + m, bool)
        members[start] = True
        while True:
            grown = touch[members].any(axis=0)
            if (grown == members).all():
                break
            members = grown
        label[members] = len(groups)
        which = np.flatnonzero(members).tolist()
        groups.append(Rules([rules.across[i] for i in which if i < n], [rules.down[i - n] for i in which if i >= n]))
    return groups


def stacks(rules: Rules) -> list[tuple[Box, list[float]]]:
    """Three and more lines across, from the same left to the same right edge, with their heights.

    Edges of cells painted side by side are one line.
    """
    lines = _end_to_end(rules.across)
    lefts, rights = positions([x0 for _, x0, _ in lines]), positions([x1 for _, _, x1 in lines])
    found: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    for line in lines:
        found.setdefault((_nearest(lefts, line[1]), _nearest(rights, line[2])), []).append(line)
    out: list[tuple[Box, list[float]]] = []
    for members in found.values():
        ys = positions([y for y, _, _ in members])
        if len(ys) >= 3:
            out.append(((min(m[1] for m in members), ys[0], max(m[2] for m in members), ys[-1]), ys))
    return sorted(out)


def _end_to_end(lines: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    heights = positions([y for y, _, _ in lines])
    found: dict[int, list[tuple[float, float]]] = {}
    for y, x0, x1 in lines:
        found.setdefault(_nearest(heights, y), []).append((x0, x1))
    out: list[tuple[float, float, float]] = []
    for k, pieces in found.items():
        joined: list[tuple[float, float]] = []
        for x0, x1 in sorted(pieces):
            if joined and abs(x0 - joined[-1][0]) <= TOUCH and abs(x1 - joined[-1][1]) <= TOUCH:
                continue  # the lower edge of one cell and the upper edge of the next
            if joined and abs(x0 - joined[-1][1]) <= TOUCH:
                joined[-1] = (joined[-1][0], x1)
            else:
                joined.append((x0, x1))
        out += [(heights[k], x0, x1) for x0, x1 in joined]
    return out


def _nearest(values: Sequence[float], to: float) -> int:
    """Index of the nearest of some ascending values."""
    k = bisect_left(values, to)
    return k if k == 0 or (k < len(values) and values[k] - to < to - values[k - 1]) else k - 1


def positions(values: Sequence[float]) -> list[float]:
    """Values that lie within a touch of each other, as one."""
    out: list[list[float]] = []
    for value in sorted(values):
        if out and value - out[-1][-1] <= TOUCH:
            out[-1].append(value)
        else:
            out.append([value])
    return [sum(group) / len(group) for group in out]


def edges_of(group: Rules) -> tuple[list[float], list[float]]:
    """Column and row edges; where the outer rules are not drawn, the ends of those that cross them."""
    xs = positions([v[0] for v in group.down])
    ys = positions([h[0] for h in group.across])
    if len(ys) >= 2 and len(xs) >= 1:
        left, right = min(h[1] for h in group.across), max(h[2] for h in group.across)
        xs = [left] * int(left < xs[0] - 10) + xs + [right] * int(right > xs[-1] + 10)
    if len(xs) >= 2 and len(ys) >= 1:
        top, bottom = min(v[1] for v in group.down), max(v[2] for v in group.down)
        ys = [top] * int(top < ys[0] - 5) + ys + [bottom] * int(bottom > ys[-1] + 5)
    return xs, ys


def is_framed(box: Box, group: Rules) -> bool:
    """Whether rules run all around the box."""
    x0, y0, x1, y1 = box
    return (
        has_rule(group.down, x0, y0, y1)
        and has_rule(group.down, x1, y0, y1)
        and has_rule(group.across, y0, x0, x1)
        and has_rule(group.across, y1, x0, x1)
    )


def index_of(edges: list[float], at: float) -> int:
    """Which of the stretches between the edges a place lies in; the nearest for one outside."""
    return max(0, min(len(edges) - 2, sum(edge <= at for edge in edges) - 1))


def has_rule(rules: list[tuple[float, float, float]], at: float, low: float, high: float) -> bool:
    """Whether rules at this place cover most of the stretch."""
    covered = sum(max(0.0, min(b, high) - max(a, low)) for where, a, b in rules if abs(where - at) <= 2 * TOUCH)
    return covered >= 0.6 * (high - low)


def drawn_across(graphics: Graphics) -> list[Rule]:
    """Lines across the page, and upper and lower edges of painted areas."""
    rules = [((y0 + y1) / 2, x0, x1) for x0, y0, x1, y1 in graphics.across]
    for area in graphics.areas:
        if area.exact and not area.image:
            x0, y0, x1, y1 = area.box
            rules += [(y0, x0, x1), (y1, x0, x1)]
    return rules
