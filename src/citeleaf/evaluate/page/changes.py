"""What changed between two runs: paired differences with their intervals, and the rows that moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeleaf.evaluate.page import names
from citeleaf.evaluate.page.charts import difference_bar
from citeleaf.evaluate.page.markup import Child, Html, tag
from citeleaf.evaluate.page.read import interval_of, listing, mapping, number, words
from citeleaf.evaluate.page.rows import Entry, asked, outcome
from citeleaf.evaluate.page.shown import decimal, heading, signed, table, to_rows
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
    found = [(name, mapping(value)) for name, value in figures.items()]
    pairs = [(name, row, ends) for name, row in found if (ends := interval_of(row)) is not None]
    if not pairs:
        return None
    reach = max(0.05, *(abs(end) for _, _, ends in pairs for end in ends))
    order = {name: i for i, name in enumerate(names.NAMES)}
    body = []
    for name, row, ends in sorted(pairs, key=lambda pair: order.get(pair[0], len(order))):
        change = number(row.get("difference")) or 0.0
        told = _told(name, change, bool(row.get("distinguishable")))
        n = f"{words(row.get('n'))} pairs"
        moved = f", {words(row['gained'])} up, {words(row['lost'])} down" if "gained" in row else ""
        p = number(row.get("mcnemar_p"))
        body.append(
            tag(
                "tr",
                heading((names.label(name), tag("code", name))),
                tag("td", f"{decimal(number(row.get('first')))} → {decimal(number(row.get('second')))}"),
                tag(
                    "td",
                    tag("span", signed(change), class_="value"),
                    difference_bar(change, ends, reach, told.replace(" ", "-")),
                    tag("span", f"{signed(ends[0])} to {signed(ends[1])}", class_="of"),
                    class_="figure",
                ),
                tag("td", told, class_=f"told {told.replace(' ', '-')}"),
                tag("td", to_rows(n, figure=" ".join(names.row_figures(name))), moved),
                tag("td", "" if p is None else f"{p:.3f}"),
            )
        )
    head: list[Child] = ["figure", "before → now", "difference, 95 % interval", "told apart?", "rows", "McNemar p"]
    return table("Paired differences, this run less the one before", head, body, "wide")


def _told(name: str, change: float, distinguishable: bool) -> str:
    if not distinguishable:
        return "no clear difference"
    return "better" if (change > 0) == (names.better(name) == "higher") else "worse"


def _moved(entries: Sequence[Entry]) -> Html | None:
    if not entries:
        return None
    body = []
    for entry in entries:
        change = mapping(entry.changed and dict(entry.changed))
        failed = [bool(one) for one in listing(change.get("failed"))]
        verdict = {(True, False): "now good", (False, True): "now failed"}.get(tuple(failed), "")
        before = outcome(entry.before) if entry.before is not None else ""
        now = outcome(entry.item)
        figures = ", ".join(names.label(RATES.get(name, name)) for name in mapping(change.get("figures")))
        link = tag("a", asked(entry.item) or words(entry.item.get("id")), href=f"#{entry.anchor}", dir="auto")
        told = f"{before} → {now}" if before != now else now
        body.append(tag("tr", heading(link), tag("td", told.replace("_", " ")), tag("td", verdict), tag("td", figures)))
    inner = table("Rows that changed", ["row", "outcome", "", "figures that moved"], body, "moved-rows")
    return tag(
        "details", tag("summary", f"The {len(entries)} rows that changed"), inner, class_="list", open=len(body) < 13
    )
