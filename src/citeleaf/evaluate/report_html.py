"""`report.html`: one run, or one run beside the one before, as a single page that asks for nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeleaf.evaluate.page import names, sections
from citeleaf.evaluate.page.changes import changes, nothing_shared
from citeleaf.evaluate.page.markup import Child, Html, tag
from citeleaf.evaluate.page.read import at, mapping, number, objects, words
from citeleaf.evaluate.page.rows import Entry, expected, outcome, row
from citeleaf.evaluate.page.shell import shell
from citeleaf.evaluate.summary import Item, RowRecord, items
from citeleaf.record import Json

_BOTH = set(names.row_figures("refusal.no_answer_f1"))


@dataclass(frozen=True, slots=True)
class Earlier:
    """The run that a page compares with: its name, its rows, and what `compare` says of the two.

    `comparison` is None where the two have no row in common.
    """

    name: str
    rows: Sequence[RowRecord] = ()
    comparison: Mapping[str, Json] | None = None


def page(
    name: str,
    summary: Mapping[str, Json],
    rows: Sequence[RowRecord],
    manifest: Mapping[str, Json],
    earlier: Earlier | None = None,
) -> str:
    """The page of a run: the same bytes for the same run.

    A row asked several times stands once. Text of documents, questions and models is text in the page and never markup.
    What was not scored is said and never 0.
    """
    entries = _entries(rows, earlier)
    threshold = number(at(manifest, "settings.gate.min_probability"))
    parts = [
        _compared(earlier, entries),
        *sections.layers(summary, threshold),
        sections.categories(summary),
        sections.benchmarks(summary),
        sections.repeats(summary),
        sections.operations(summary),
        sections.made(manifest),
    ]
    body = (
        tag("a", "Skip to the rows", href="#rows", class_="skip"),
        tag(
            "header",
            tag("p", "citeleaf · evaluation", class_="kicker"),
            tag("h1", name),
            tag("p", _about(manifest), class_="lead"),
            _nav(summary, earlier),
        ),
        tag(
            "main",
            tag(
                "section",
                tag("h2", "At a glance", id="glance-title"),
                sections.tally(entries),
                sections.headlines(summary),
                id="glance",
                aria_labelledby="glance-title",
            ),
            parts,
            _rows(entries),
        ),
        tag("footer", tag("p", "Made by citeleaf from rows.jsonl and summary.json of this run.")),
    )
    return shell(f"{name} · citeleaf evaluation", body, script="page.js")


def _entries(rows: Sequence[RowRecord], earlier: Earlier | None) -> list[Entry]:
    """The rows in the order of the run."""
    repeats: dict[tuple[str, str], list[RowRecord]] = defaultdict(list)
    for record in rows:
        repeats[_key(record)].append(record)
    whole = {_key(item): item for item in items(rows)}
    before: dict[tuple[str, str], Item] = {}
    changed: dict[tuple[str, str], Mapping[str, Json]] = {}
    if earlier is not None and earlier.comparison is not None:
        before = {_key(item): item for item in items(earlier.rows)}
        changed = {_key(change): change for change in objects(earlier.comparison.get("changed"))}
    numbered = enumerate(repeats.items(), 1)
    return [Entry(n, whole[key], found, before.get(key), changed.get(key)) for n, (key, found) in numbered]


def _key(record: Mapping[str, Json]) -> tuple[str, str]:
    return words(record.get("benchmark")), words(record.get("id"))


def _compared(earlier: Earlier | None, entries: Sequence[Entry]) -> Html | None:
    if earlier is None:
        return None
    return nothing_shared(earlier.name) if earlier.comparison is None else changes(earlier.comparison, entries)


def _about(manifest: Mapping[str, Json]) -> str:
    models = mapping(manifest.get("models"))
    named = ", ".join(words(one.get("name")) for one in objects(manifest.get("benchmarks")))
    parts = [
        f"Benchmark {named}" if named else "",
        f"answers by {words(models.get('generator'))}" if models.get("generator") else "",
        words(manifest.get("started")).replace("T", " ").partition("+")[0],
    ]
    return " · ".join(part for part in parts if part)


def _nav(summary: Mapping[str, Json], earlier: Earlier | None) -> Html:
    links = [("changes", "What changed")] if earlier is not None else []
    links += [(block, title) for block, (title, _) in names.BLOCKS.items()]
    links += [("judged", "Judged")] if mapping(summary.get("judged")) else []
    links += [("categories", "By category")] if mapping(summary.get("by_category")) else []
    links += [("operations", "Operations"), ("made", "How it was made"), ("rows", "Rows")]
    shown = [tag("li", tag("a", title, href=f"#{anchor}")) for anchor, title in links]
    return tag("nav", tag("ul", shown), aria_label="Page")


def _rows(entries: Sequence[Entry]) -> Html:
    several = len({entry.item.get("benchmark") for entry in entries}) > 1
    shown = [row(entry, several) for entry in entries]
    return tag(
        "section",
        tag("h2", "Rows", id="rows-title", tabindex=-1),
        tag("form", _filters(entries, several), id="filters", role="search", aria_label="Filter the rows"),
        tag("p", f"{len(entries)} rows", id="count", role="status"),
        tag("div", shown, id="list"),
        tag("p", "No row is like this.", id="none", hidden=True),
        id="rows",
        aria_labelledby="rows-title",
    )


def _filters(entries: Sequence[Entry], several: bool) -> Iterator[Child]:
    search = tag("input", type_="search", name_="q", autocomplete="off", spellcheck="false", placeholder="any words")
    yield tag("label", tag("span", "Search"), search)
    yield _select("outcome", "Outcome", sorted({outcome(entry.item) for entry in entries}))
    yield _select("expected", "Expected", sorted({expected(entry.item) for entry in entries} - {""}))
    categories = sorted({words(entry.item.get("category")) for entry in entries} - {""})
    yield _select("category", "Category", categories)
    if several:
        yield _select("benchmark", "Benchmark", sorted({words(entry.item.get("benchmark")) for entry in entries}))
    yield _by_figure(entries)
    yield _tick("failed", "failed only")
    if any(entry.changed for entry in entries):
        yield _tick("changed", "changed only")
    yield tag("button", "Clear", type_="reset")
    yield tag("button", "Open all shown", type_="button", id="open-all")
    keys = [(tag("kbd", key), f" {what} ") for key, what in (("/", "search"), ("j", "next"), ("k", "previous row"))]
    yield tag("span", keys, class_="keys")


def _by_figure(entries: Sequence[Entry]) -> Html:
    found = {figure for entry in entries for figure in entry.figures if " " not in figure}
    choices = {figure: names.label(figure) for figure in names.in_order(found)}
    if found >= _BOTH:
        choices[" ".join(names.row_figures("refusal.no_answer_f1"))] = "False answers and refusals"
    options = [
        tag("option", shown, value=value, data_worst="high" if names.better(value.split(" ")[0]) == "lower" else "low")
        for value, shown in choices.items()
    ]
    return tag("label", tag("span", "Figure, worst first"), tag("select", _any(), options, name_="figure"))


def _select(name: str, shown: str, values: Sequence[str]) -> Html | None:
    if not values:
        return None
    options = [tag("option", value.replace("_", " "), value=value) for value in values]
    return tag("label", tag("span", shown), tag("select", _any(), options, name_=name))


def _any() -> Html:
    return tag("option", "any", value="")


def _tick(name: str, shown: str) -> Html:
    box = tag("input", type_="checkbox", name_=name, value="1")
    return tag("label", box, " ", shown, class_="tick")
