"""Numbers, links and labels as every part of the page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from citeleaf.evaluate.page.charts import interval_bar
from citeleaf.evaluate.page.markup import Child, Html, clean, tag
from citeleaf.evaluate.page.names import row_figures
from citeleaf.evaluate.page.read import interval_of, number, words
from citeleaf.record import Json

MINUS = "−"
UNSCORED = "not scored"


def decimal(value: float | None) -> str:
    """Three decimals; `not scored` for None."""
    return UNSCORED if value is None else f"{value:.3f}"


def probability(value: float) -> str:
    """Three decimals of a p-value; one that would be shown as 0 is said to be less."""
    return f"{value:.3f}" if value >= 0.0005 else "< 0.001"


def signed(value: float) -> str:
    """Three decimals with a sign; none where they are all zero."""
    shown = f"{value:+.3f}"
    return shown[1:] if shown[1:] == "0.000" else shown.replace("-", MINUS)


def seconds(value: float) -> str:
    """Seconds, or whole milliseconds below one second."""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{1000 * value:.0f} ms" if value >= 0.001 else "< 1 ms"


def megabytes(n_bytes: float) -> str:
    """Bytes as MB of 10^6."""
    return f"{n_bytes / 1e6:.0f} MB"


def to_rows(shown: Child, **wanted: str | None) -> Html:
    """A link that shows the rows behind a number: by `figure`, `category`, `outcome`, `expected`, `benchmark`, ..."""
    query = urlencode({name: clean(value) for name, value in wanted.items() if value is not None})
    return tag("a", shown, href="#rows", data_show=query)


def n_rows(figure: Mapping[str, Json], name: str, **wanted: str | None) -> Html:
    """The count of a figure, linked to its rows."""
    n = words(figure.get("n"))
    return to_rows(f"{n} row" if n == "1" else f"{n} rows", figure=" ".join(row_figures(name)), **wanted)


def interval(figure: Mapping[str, Json]) -> str:
    """The interval in words; empty where there is none."""
    ends = interval_of(figure)
    return "" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"


def cell(figure: Mapping[str, Json] | None, name: str, **wanted: str | None) -> Html:
    """A table cell with value, bar, interval and count; says so when there is nothing."""
    if figure is None:
        return tag("td", tag("span", UNSCORED, class_="unscored"), class_="figure")
    return tag(
        "td",
        tag("span", decimal(number(figure.get("value"))), class_="value"),
        interval_bar(figure),
        tag("span", interval(figure), " · " if interval(figure) else None, n_rows(figure, name, **wanted), class_="of"),
        class_="figure",
    )


def table(caption: str, head: list[Child], body: list[Html], class_: str = "") -> Html:
    """A table that scrolls sideways in its own box where the screen is narrow."""
    cells = [tag("th", column, scope="col") for column in head]
    inner = tag("table", tag("caption", caption), tag("thead", tag("tr", cells)), tag("tbody", body), class_=class_)
    return tag("div", inner, class_="scroll", tabindex=0, role="region", aria_label=caption)


def heading(name: Child) -> Html:
    """The cell that names a table's row."""
    return tag("th", name, scope="row")
