"""The parts of the page above its rows: headline figures, a section a layer, categories, seconds, how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TypeAlias

from citeleaf.evaluate.page import names
from citeleaf.evaluate.page.charts import Point, interval_bar, risk_curve, seconds_bar
from citeleaf.evaluate.page.markup import Child, Html, join, tag
from citeleaf.evaluate.page.read import figure_at, figures_under, listing, mapping, number, objects, words
from citeleaf.evaluate.page.rows import Entry
from citeleaf.evaluate.page.shown import (
    UNSCORED,
    cell,
    decimal,
    heading,
    interval,
    megabytes,
    n_rows,
    seconds,
    table,
    to_rows,
)
from citeleaf.record import Json

Summary: TypeAlias = Mapping[str, Json]
Wrong: TypeAlias = Callable[[str, str], bool]
_APART = frozenset(("schema", "rows", "operations", "by_category", "benchmarks", "repeats"))
_CURVE_ROWS = 11
_MOST_DOCUMENTS = 200


def tally(entries: Sequence[Entry]) -> Html:
    """How many rows did well, failed, or could not be judged: in words and as one bar."""
    counted = Counter(entry.state for entry in entries)
    states = {state: counted[state] for state in ("good", "failed", "error", "not judged")}
    said: list[Child] = [to_rows(f"{len(entries)} item{'s' if len(entries) != 1 else ''}"), ": "]
    said.append(f"{states['good']} good, ")
    wrong = states["failed"] + states["error"]
    said.append(to_rows(f"{wrong} failed", failed="1") if wrong else "none failed")
    if states["error"]:
        said += [", ", to_rows(f"{states['error']} of them by an error", outcome="error")]
    if states["not judged"]:
        said.append(f", {states['not judged']} not judged")
    bars, x = [], 0.0
    for state, n in states.items():
        width = 100 * n / max(1, len(entries))
        bars.append(tag("rect", class_=state.replace(" ", "-"), x=round(x, 2), y=0, width=round(width, 2), height=10))
        x += width
    bar = tag("svg", bars, class_="tally", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")
    return tag("div", tag("p", said, "."), bar)


def headlines(summary: Summary) -> Html:
    """A card for each headline figure; those that were not scored are named."""
    cards, absent = [], []
    for choices in names.HEADLINES:
        name = next((name for name in choices if figure_at(summary, name)), None)
        figure = figure_at(summary, name) if name else None
        if name is None or figure is None:
            absent.append(f"{names.label(choices[0])} ({choices[0].partition('.')[0]})")
            continue
        wish = "less is better" if names.better(name) == "lower" else "more is better"
        cards.append(
            tag(
                "li",
                tag("h3", names.label(name)),
                tag("p", names.NAMES[name].what, class_="what"),
                tag("p", decimal(number(figure.get("value"))), class_="big"),
                interval_bar(figure),
                tag("p", f"95 % interval {interval(figure)}" if interval(figure) else "no interval"),
                tag("p", n_rows(figure, name), f" · {wish}", class_="of"),
            )
        )
    told = tag("p", "Not scored in this run: ", ", ".join(absent), ".", class_="unscored") if absent else None
    return tag("div", tag("ul", cards, class_="cards") if cards else None, told)


def layers(summary: Summary, gate: float | None) -> Iterator[Html]:
    """A section for each layer; figures that the summary adds stand under their own names. `gate`: its threshold."""
    for block, (title, question) in names.BLOCKS.items():
        tree = mapping(summary.get(block))
        if tree:
            yield _layer(block, title, question, block, tree, gate)
        else:
            told = tag("p", f"Not scored: {names.ABSENT[block]} in this run.", class_="unscored")
            yield _section(block, title, told)
    others = (name for name in summary if name not in names.BLOCKS and name not in _APART)
    for n, block in enumerate(others, 1):
        tree = mapping(summary[block])
        if block == "judged":
            by = words(tree.get("judge"))
            about = f"What the language model {by} says as a judge, apart from all other figures."
            yield _layer("judged", "Judged", about, block, tree, gate)
        elif figures_under(tree, block):
            yield _layer(f"layer-{n}", block.replace("_", " "), None, block, tree, gate)


def categories(summary: Summary) -> Html | None:
    """Figures of questions by category."""
    tree = mapping(summary.get("by_category"))
    order = names.in_order({name for found in tree.values() for name in mapping(found)})
    columns = {name: {c: mapping(mapping(found).get(name)) for c, found in tree.items()} for name in order}
    if not columns:
        return None
    return _section("categories", "By category", _by("Figures by category of question", columns))


def benchmarks(summary: Summary) -> Html | None:
    """The headline figures of each benchmark, where there are several."""
    tree = mapping(summary.get("benchmarks"))
    if len(tree) < 2:
        return None
    chosen = [name for choices in names.HEADLINES for name in choices]
    chosen = [name for name in chosen if any(figure_at(mapping(one), name) for one in tree.values())]
    body = []
    for benchmark, one in tree.items():
        cells = [cell(figure_at(mapping(one), name), name, benchmark=benchmark) for name in chosen]
        body.append(tag("tr", heading(to_rows(benchmark, benchmark=benchmark)), cells))
    head: list[Child] = ["benchmark", *(names.label(name) for name in chosen)]
    return _section("benchmarks", "By benchmark", table("Headline figures by benchmark", head, body))


def repeats(summary: Summary) -> Html | None:
    """The spread of figures between repeats."""
    found = mapping(summary.get("repeats"))
    body = []
    for name, value in mapping(found.get("figures")).items():
        spread = mapping(value)
        cells = [tag("td", decimal(number(spread.get(key)))) for key in ("mean", "sd", "min", "max")]
        body.append(tag("tr", heading(names.label(name)), cells))
    if not body:
        return None
    caption = f"Spread of each figure's mean over {words(found.get('n'))} repeats"
    return _section(
        "repeats", "Repeats", table(caption, ["figure", "mean", "standard deviation", "least", "most"], body, "plain")
    )


def operations(summary: Summary) -> Html:
    """Seconds a stage with bars, cold start, memory and what else was counted."""
    tree = mapping(summary.get("operations"))
    stages = [(stage, mapping(value)) for stage, value in mapping(tree.get("seconds")).items()]
    timed = [
        (s, p50, p95, f)
        for s, f in stages
        if (p50 := number(f.get("p50"))) is not None and (p95 := number(f.get("p95"))) is not None
    ]
    longest = max((p95 for _, _, p95, _ in timed), default=0.0)
    body = [
        tag(
            "tr",
            heading(stage),
            tag(
                "td",
                tag("span", seconds(p50), class_="value"),
                seconds_bar(p50, p95, longest),
                tag("span", f"95th percentile {seconds(p95)} · ", n_rows(figure, f"seconds.{stage}"), class_="of"),
                class_="figure",
            ),
        )
        for stage, p50, p95, figure in sorted(timed, key=lambda t: (t[0] == "total", -t[1]))
    ]
    facts = [
        (title, show(value))
        for title, key, show in (("Cold start", "cold_start", seconds), ("Peak memory", "peak_memory", megabytes))
        if (value := number(tree.get(key))) is not None
    ]
    facts += [
        (key.replace("_", " ").capitalize(), words(value))
        for key, value in tree.items()
        if key not in ("seconds", "cold_start", "peak_memory") and number(value) is not None
    ]
    if not body and not facts:
        return _section("operations", "Operations", tag("p", "Not scored: nothing was timed.", class_="unscored"))
    head: list[Child] = ["stage", "median, 95th percentile, rows slowest first"]
    return _section(
        "operations",
        "Operations",
        tag(
            "p",
            "What each stage takes: the dark bar ends at the median, the light one at the 95th percentile.",
        ),
        table("Time by stage", head, body, "stages") if body else None,
        tag("dl", [(tag("dt", title), tag("dd", value)) for title, value in facts], class_="facts") if facts else None,
    )


def made(manifest: Summary) -> Html:
    """What the run was made of, so that it can be made again."""
    models = ", ".join(f"{k} {words(v) or 'none'}" for k, v in mapping(manifest.get("models")).items())
    versions = ", ".join(f"{k} {words(v)}" for k, v in mapping(manifest.get("versions")).items())
    files = [tag("li", _benchmark(one)) for one in objects(manifest.get("benchmarks"))]
    held = objects(manifest.get("documents"))
    documents = [tag("li", _hashed(one.get("source"), one.get("sha256"))) for one in held[:_MOST_DOCUMENTS]]
    if len(held) > _MOST_DOCUMENTS:
        documents.append(tag("li", f"{len(held) - _MOST_DOCUMENTS} more in manifest.json"))
    facts: list[tuple[str, Child]] = [
        ("Started", words(manifest.get("started"))),
        ("Fingerprint", tag("code", words(manifest.get("fingerprint")))),
        ("Models", models),
        ("Versions", versions),
        (
            "Items",
            f"{words(manifest.get('selection')) or 'all'}"
            + (f", at most {words(manifest['limit'])} of each benchmark" if manifest.get("limit") else ""),
        ),
        ("Intervals", f"95 %, {words(manifest.get('resamples'))} resamples, seed {words(manifest.get('seed'))}"),
    ]
    return _section(
        "made",
        "How it was made",
        tag("dl", [(tag("dt", title), tag("dd", value)) for title, value in facts], class_="facts"),
        tag("h3", "Benchmarks") if files else None,
        tag("ul", files) if files else None,
        tag("details", tag("summary", f"Documents ({len(held)})"), tag("ul", documents)) if held else None,
    )


def _layer(anchor: str, title: str, question: str | None, block: str, tree: Summary, gate: float | None) -> Html:
    scored = figures_under(tree, block)
    body = [_figure(name, scored[name]) for name in names.in_order(scored)]
    judge = words(tree.get("verifier"))
    return _section(
        anchor,
        title,
        tag("p", question, f" Support is judged by the verifier {judge}." if judge else None),
        table(f"{title}: figures", ["figure", "value, 95 % interval, rows"], body, "figures") if body else None,
        *_unscored(block, scored),
        *_more(block, tree, gate),
    )


def _benchmark(one: Summary) -> Iterator[Child]:
    yield f"{words(one.get('name'))}: {words(one.get('items'))} items, asked of the {words(one.get('scope'))}; "
    yield join((_hashed(name, sha) for name, sha in mapping(one.get("files")).items()), ", ")


def _hashed(name: Json, sha256: Json) -> Html:
    return tag("span", words(name), " ", tag("small", words(sha256)[:12]))


def _figure(name: str, figure: Summary) -> Html:
    known = names.NAMES.get(name)
    what = f"{known.what}; {'less' if names.better(name) == 'lower' else 'more'} is better" if known else None
    shown = names.label(name), tag("span", what, class_="what") if what else None, tag("code", name)
    return tag("tr", heading(shown), cell(figure, name))


def _unscored(block: str, scored: Container[str]) -> Iterator[Html]:
    """What the layer could have and has not, by what it needs."""
    needs: dict[str, list[str]] = {}
    for name in names.EXPECTED:
        if name.startswith(f"{block}.") and name not in scored:
            needs.setdefault(names.NAMES[name].needs, []).append(names.label(name))
    for need, labels in needs.items():
        yield tag("p", f"{UNSCORED.capitalize()}, for want of {need}: {', '.join(labels)}.", class_="unscored")


def _more(block: str, tree: Summary, gate: float | None) -> Iterator[Child]:
    if block == "refusal":
        yield _confusion(
            tree,
            "Outcomes by kind of question",
            "question",
            lambda kind, said: (kind == "answerable") != (said == "answered") and kind != "edge",
        )
        yield _gate(mapping(tree.get("gate")), gate)
    if block == "claims":
        yield _confusion(tree, "Verdicts by label", "label", lambda gold, said: gold != said)
        yield _by("Accuracy by kind of claim", {"claims.accuracy": _figures(tree.get("by_kind"))})
    if block == "judged":
        for name, reasons in mapping(tree.get("not_scored")).items():
            said = ", ".join(f"{why} ({words(n)})" for why, n in mapping(reasons).items())
            label = names.label(f"judged.{name}")
            yield tag("p", f"{label}, rows {UNSCORED}: {said}.", class_="unscored")
    if block == "guard":
        found = mapping(tree.get("by_category"))
        yield _by("By category of request", {f"guard.{name}": _figures(value) for name, value in found.items()})
        if apart := number(tree.get("not_requests")):
            yield tag("p", f"{apart:.0f} items would come in a document, not as a request: they have no figure here.")


def _confusion(tree: Summary, caption: str, what: str, wrong: Wrong) -> Html | None:
    found = mapping(tree.get("confusion"))
    columns = list(dict.fromkeys(name for counts in found.values() for name in mapping(counts)))
    if not columns:
        return None
    body = []
    for kind, counts in found.items():
        cells = []
        for said in columns:
            n = words(mapping(counts).get(said))
            bad = n != "0" and wrong(kind, said)
            link = to_rows(n, outcome=said, expected=kind) if n != "0" else n
            note = tag("span", " wrong", class_="note") if bad else None
            cells.append(tag("td", link, note, class_="wrong" if bad else None))
        body.append(tag("tr", heading(kind.replace("_", " ")), cells))
    head: list[Child] = [what, *(name.replace("_", " ") for name in columns)]
    return table(caption, head, body, "plain")


def _gate(tree: Summary, threshold: float | None) -> Html | None:
    points: list[Point] = []
    for value in listing(tree.get("curve")):
        numbers = [number(x) for x in listing(value)]
        if len(numbers) == 3 and all(x is not None for x in numbers):
            points.append((numbers[0] or 0.0, numbers[1] or 0.0, numbers[2] or 0.0))
    if not points:
        return None
    passed = [point for point in points if threshold is not None and point[0] >= threshold]
    marked = passed[-1] if passed and threshold else None
    if threshold is None:
        told = "The threshold of this run is not known."
    elif threshold == 0:
        told = "This run set no threshold on the probability."
    elif marked is None:
        told = f"At the threshold of this run, {threshold:.3f}, the gate let no question through."
    else:
        told = (
            f"At the threshold of this run, {threshold:.3f}, the gate let {100 * marked[1]:.0f} % of the questions "
            f"through; {100 * marked[2]:.0f} % of these have no answer in the documents."
        )
    picks = sorted({round(i * (len(points) - 1) / (_CURVE_ROWS - 1)) for i in range(_CURVE_ROWS)})
    body = [tag("tr", [tag("td", decimal(x)) for x in points[i]]) for i in picks]
    listed = table("Points of the curve", ["threshold", "coverage", "risk"], body, "plain")
    link = to_rows("the questions, least probable first", figure="gate.probability")
    return tag(
        "div",
        tag("h3", "The gate: what it lets through, and how much of that in vain"),
        tag("p", told, " See ", link, "."),
        tag("figure", risk_curve(points, marked)),
        tag("details", tag("summary", "The curve in numbers"), listed),
    )


def _by(caption: str, columns: Mapping[str, Mapping[str, Summary]]) -> Html | None:
    """A table of figures: a row a category, a column a figure."""
    kinds = sorted({kind for column in columns.values() for kind in column})
    if not kinds:
        return None
    body = [
        tag(
            "tr",
            heading(to_rows(kind, category=kind)),
            [cell(column.get(kind) or None, name, category=kind) for name, column in columns.items()],
        )
        for kind in kinds
    ]
    return table(caption, ["category", *(names.label(name) for name in columns)], body)


def _figures(value: Json) -> dict[str, Summary]:
    return {kind: mapping(found) for kind, found in mapping(value).items()}


def _section(anchor: str, title: str, *children: Child) -> Html:
    named = f"{anchor}-title"
    return tag("section", tag("h2", title, id=named), children, id=anchor, aria_labelledby=named)
