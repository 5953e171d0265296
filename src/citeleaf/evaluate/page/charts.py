"""Charts as inline SVG: interval bars, differences, the gate's curve, bars of seconds. Numbers stand beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeleaf.evaluate.page.markup import Html, tag
from citeleaf.evaluate.page.read import interval_of, number
from citeleaf.record import Json

_LEFT, _TOP, _WIDTH, _HEIGHT = 66, 12, 400, 208
"""The plot of a curve inside its picture, in its units."""
_MOST_LABELS = 6
Point = tuple[float, float, float]
"""Threshold, coverage, risk."""


def interval_bar(figure: Mapping[str, Json]) -> Html | None:
    """A figure on a line from 0 to 1 with its interval; None for one outside of these."""
    value, ends = number(figure.get("value")), interval_of(figure)
    if value is None or not 0 <= value <= 1:
        return None
    low, high = ends or (value, value)
    return _bar(
        tag("rect", class_="track", x=0, y=5, width=100, height=2),
        tag("rect", class_="band", x=_round(100 * low), y=2, width=_round(100 * (high - low)), height=8),
        tag("rect", class_="tick", x=_round(min(98.6, max(0.0, 100 * value - 0.7))), y=0, width=1.4, height=12),
    )


def difference_bar(difference: float, ends: tuple[float, float], reach: float, kind: str) -> Html:
    """A difference with its interval on a line from -`reach` to `reach`; `kind` is its class."""
    low, middle, high = (50 + 50 * x / reach for x in (ends[0], difference, ends[1]))
    return _bar(
        tag("rect", class_="track", x=0, y=5, width=100, height=2),
        tag("rect", class_="zero", x=49.7, y=0, width=0.6, height=12),
        tag("rect", class_=f"band {kind}", x=_round(low), y=2, width=_round(max(0.6, high - low)), height=8),
        tag("rect", class_=f"tick {kind}", x=_round(min(98.6, max(0.0, middle - 0.7))), y=0, width=1.4, height=12),
    )


def seconds_bar(p50: float, p95: float, longest: float) -> Html:
    """Median and 95th percentile on a line from 0 to `longest`."""
    scale = 100 / longest if longest > 0 else 0.0
    return _bar(
        tag("rect", class_="track", x=0, y=5, width=100, height=2),
        tag("rect", class_="band", x=0, y=2, width=_round(max(0.4, scale * p95)), height=8),
        tag("rect", class_="tick", x=0, y=2, width=_round(max(0.4, scale * p50)), height=8),
    )


def risk_curve(points: Sequence[Point], marked: Point | None) -> Html:
    """Risk over coverage, with the point at which the run stood, if any."""
    top = next(t for t in (0.1, 0.2, 0.5, 1.0) if t >= max(risk for _, _, risk in points))
    base = _TOP + _HEIGHT
    grid: list[Html] = []
    for part in range(5):
        x, y = _LEFT + _WIDTH * part / 4, base - _HEIGHT * part / 4
        grid += [
            tag("line", class_="grid", x1=_LEFT, x2=_LEFT + _WIDTH, y1=y, y2=y),
            tag("text", f"{top * part / 4:.3g}", x=_LEFT - 8, y=y + 4, text_anchor="end"),
            tag("text", f"{part / 4:g}", x=x, y=base + 18, text_anchor="middle"),
        ]
    places = [_place(point, top) for point in points]
    shapes = [tag("polyline", class_="curve", points=" ".join(f"{x},{y}" for x, y in places))]
    if len(places) == 1:
        shapes = [tag("circle", class_="mark", cx=places[0][0], cy=places[0][1], r=4)]
    if marked is not None:
        x, y = _place(marked, top)
        shapes += [
            tag("line", class_="mark", x1=x, x2=x, y1=base, y2=y),
            tag("circle", class_="mark", cx=x, cy=y, r=5),
        ]
    middle = _TOP + _HEIGHT / 2
    return tag(
        "svg",
        tag("title", "Risk over coverage of the gate"),
        grid,
        shapes,
        tag("text", "coverage: questions let through", x=_LEFT + _WIDTH / 2, y=base + 38, text_anchor="middle"),
        tag("text", "risk", x=12, y=middle, text_anchor="middle", transform=f"rotate(-90 12 {middle:g})"),
        class_="curve-chart",
        viewBox=f"0 0 {_LEFT + _WIDTH + 16} {base + 46}",
        role="img",
    )


def trend(title: str, weeks: Sequence[str], points: Sequence[tuple[float, float, float] | None], *, rate: bool) -> Html:
    """A figure over weeks: value and interval of each, None where there is nothing to draw. `rate`: from 0 to 1."""
    ends = [end for point in points if point is not None for end in point]
    low, high = (0.0, 1.0) if rate else (min(ends), max(ends))
    reach = high - low or 1.0
    base, step = _TOP + _HEIGHT, _WIDTH / max(1, len(points))
    shapes: list[Html] = []
    for part in range(5):
        y = base - _HEIGHT * part / 4
        shapes += [
            tag("line", class_="grid", x1=_LEFT, x2=_LEFT + _WIDTH, y1=y, y2=y),
            tag("text", f"{low + reach * part / 4:.3g}", x=_LEFT - 8, y=y + 4, text_anchor="end"),
        ]
    every = -(-len(weeks) // _MOST_LABELS)
    for n, (week, point) in enumerate(zip(weeks, points, strict=True)):
        x = _round(_LEFT + step * (n + 0.5))
        if n % every == 0:
            shapes.append(tag("text", week, x=x, y=base + 18, text_anchor="middle"))
        if point is not None:
            y, bottom, top = (_round(base - _HEIGHT * (v - low) / reach) for v in point)
            shapes.append(tag("line", class_="whisker", x1=x, x2=x, y1=bottom, y2=top))
            shapes.append(tag("circle", class_="dot", cx=x, cy=y, r=4))
    box = f"0 0 {_LEFT + _WIDTH + 16} {base + 26}"
    return tag("svg", tag("title", f"{title} by week"), shapes, class_="curve-chart", viewBox=box, role="img")


def _place(point: Point, top: float) -> tuple[float, float]:
    _, coverage, risk = point
    return _round(_LEFT + _WIDTH * coverage), _round(_TOP + _HEIGHT * (1 - risk / top))


def _bar(*shapes: Html) -> Html:
    return tag("svg", shapes, class_="bar", viewBox="0 0 100 12", preserveAspectRatio="none", aria_hidden="true")


def _round(x: float) -> float:
    return round(x, 2)
