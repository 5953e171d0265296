"""What changed between two runs: paired differences with their intervals, and the rows that moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeleaf.evaluate.page import names
from citeleaf.evaluate.page.charts import difference_bar
from citeleaf.evaluate.page.markup import Child, Html, tag
from citeleaf.evaluate.page.read import interval_of, listing, mapping, number, words
from citeleaf.evaluate.page.rows import Entry, asked, outcome
from citeleaf.evaluate.page.shown import decimal, heading, probability, signed, table, to_rows
from citeleaf.evaluate.summary import RATES
from citeleaf.record import Json


def changes(comparison: Mapping[str, Json], entries: Sequence[Entry]) -> Html:
    """The section of a comparison as `compare` gives it; `entries` are the rows of the second run."""
    first, rows = mapping(comparison.get("first")), mapping(comparison.get("rows"))
    moved = [entry for entry in entries if entry.changed]
    said: list[Child] = [f"{words(rows.get('paired'))} rows are in both runs; "]
    said.append(to_rows(f"{len(moved)} changed", changed="1") if moved else "none changed")
    only = [(rows.get("only_first"), "the run before"), (rows.get("only_second"), "this run")]
    said += [f"; {words(n)} only in {where}" for n, where in only if n]
    return tag(
        "section",
        tag("h2", "What changed since ", tag("code", words(first.get("run"))), id="changes-title"),
        tag("p", said, "."),
        _differences(mapping(comparison.get("figures"))),
        _moved(moved),
        id="changes",
        aria_labelledby="changes-title",
    )


def nothing_shared(run: str) -> Html:
    """The section where two runs have no row in common."""
    return tag(
        "section",
        tag("h2", "What changed since ", tag("code", run), id="changes-title"),
        tag("p", "Not compared: the two runs have no row in common.", class_="unscored"),
        id="changes",
        aria_labelledby="changes-title",
    )


def _differences(figures: Mapping[str, Json]) -> Html | None:
    found = {name: mapping(figures[name]) for name in names.in_order(figures)}
    pairs = [(name, row, ends) for name, row in found.items() if (ends := interval_of(row)) is not None]
    still = [name for name, row, ends in pairs if not row.get("difference") and ends == (0.0, 0.0)]
    pairs = [pair for pair in pairs if pair[0] not in still]
    told_still = (
        tag("p", "The same in every row: ", ", ".join(names.label(name) for name in still), ".") if still else None
    )
    if not pairs:
        return told_still
    reach = max(0.05, *(abs(end) for _, _, ends in pairs for end in ends))
    body = []
    for name, row, ends in pairs:
        change = number(row.get("difference")) or 0.0
        told = _told(name, change, bool(row.get("distinguishable")))
        n = f"{words(row.get('n'))} pairs"
        moved = f", {words(row['gained'])} up, {words(row['lost'])} down" if "gained" in row else ""
        p = number(row.get("mcnemar_p"))
        body.append(
            tag(
                "tr",
                heading((names.label(name), tag("code", name))),
                tag("td", f"{decimal(number(row.get('first')))} → {decimal(number(row.get('second')))}", class_="pair"),
                tag(
                    "td",
                    tag("span", signed(change), class_="value"),
                    difference_bar(change, ends, reach, told.replace(" ", "-")),
                    tag("span", f"{signed(ends[0])} to {signed(ends[1])}", class_="of"),
                    class_="figure",
                ),
                tag("td", told, class_=f"told {told.replace(' ', '-')}"),
                tag("td", to_rows(n, figure=" ".join(names.row_figures(name))), moved),
                tag("td", "" if p is None else probability(p)),
            )
        )
    head: list[Child] = ["figure", "before → now", "difference, 95 % interval", "better or worse", "rows", "McNemar p"]
    return tag("div", table("Paired differences, this run less the one before", head, body, "broad"), told_still)


def _told(name: str, change: float, distinguishable: bool) -> str:
    if not distinguishable:
        return "no clear difference"
    return "better" if (change > 0) == (names.better(name) == "higher") else "worse"


def _moved(entries: Sequence[Entry]) -> Html | None:
    if not entries:
        return None
    body = []
    for entry in entries:
        change = entry.changed or {}
        match listing(change.get("failed")):
            case [True, False]:
                verdict = "now good"
            case [False, True]:
                verdict = "now failed"
            case _:
                verdict = ""
        before = outcome(entry.before) if entry.before is not None else ""
        now = outcome(entry.item)
        figures = ", ".join(names.label(RATES.get(name, name)) for name in mapping(change.get("figures")))
        link = tag("a", asked(entry.item) or words(entry.item.get("id")), href=f"#{entry.anchor}", dir="auto")
        told = f"{before} → {now}" if before != now else now
        body.append(tag("tr", heading(link), tag("td", told.replace("_", " ")), tag("td", verdict), tag("td", figures)))
    listed = table("Rows that changed", ["row", "outcome", "", "figures that moved"], body, "broad")
    return tag("details", tag("summary", f"The {len(entries)} rows that changed"), listed, open=len(body) < 13)
