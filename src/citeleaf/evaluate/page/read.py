"""Reading rows and summaries that any version wrote: what is missing is empty, never guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeleaf.record import Json


def mapping(value: Json) -> Mapping[str, Json]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: Json) -> Sequence[Json]:
    """The array, or an empty one."""
    return value if isinstance(value, list) else ()


def objects(value: Json) -> list[Mapping[str, Json]]:
    """The objects of an array."""
    return [item for item in listing(value) if isinstance(item, dict)]


def number(value: Json) -> float | None:
    """The number, or None; true and false are not numbers."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def words(value: Json) -> str:
    """The text, or an empty one; numbers as they are written."""
    return "" if value is None else str(value)


def at(tree: Mapping[str, Json], dotted: str) -> Json:
    """The value at a dotted path, or None."""
    here: Json = dict(tree)
    for part in dotted.split("."):
        here = mapping(here).get(part)
    return here


def figure_at(tree: Mapping[str, Json], dotted: str) -> Mapping[str, Json] | None:
    """The figure at a dotted path; None when it was not scored."""
    found = mapping(at(tree, dotted))
    return found if number(found.get("value")) is not None else None


def figures_under(tree: Mapping[str, Json], prefix: str) -> dict[str, Mapping[str, Json]]:
    """The figures under a block by dotted name, in its order; those by category, kind or benchmark are left out."""
    found: dict[str, Mapping[str, Json]] = {}
    for name, value in tree.items():
        if number(mapping(value).get("value")) is not None:
            found[f"{prefix}.{name}"] = mapping(value)
        elif not name.startswith("by_"):
            found |= figures_under(mapping(value), f"{prefix}.{name}")
    return found


def interval_of(figure: Mapping[str, Json]) -> tuple[float, float] | None:
    """The 95 % interval of a figure, or None."""
    ends = [number(end) for end in listing(figure.get("ci95"))]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return ends[0], ends[1]
