"""The page of a library's weeks: a picture for each figure, and all of them as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeleaf.evaluate.page.charts import interval_bar, trend
from citeleaf.evaluate.page.markup import Html, tag
from citeleaf.evaluate.page.read import interval_of, mapping, number, objects, words
from citeleaf.evaluate.page.shell import shell
from citeleaf.evaluate.page.shown import UNSCORED, decimal, heading, interval, table
from citeleaf.record import Json

LABELS = {
    "gate": ("Probability of the gate", "mean of what the gate gave"),
    "refusal_rate": ("Refused", "answers that a rule refused"),
    "abstention_rate": ("Abstained", "answers that the documents do not say"),
    "escalation_rate": ("Escalated", "answers left to a person"),
    "citation_failure_rate": ("Citations failed", "of answers with markers, those with one that names no passage"),
    "removed_claim_rate": ("Claims removed", "of answers with claims, those with one taken out"),
}


def label(name: str) -> tuple[str, str]:
    """A figure's name and what it counts, in words."""
    scorer = name.removeprefix("retrieval.")
    return LABELS.get(name, (f"Score of the best passage, {scorer}", "mean over answers with evidence"))


def page(title: str, found: Mapping[str, Json], names: Sequence[str]) -> str:
    """The page of `drift`'s weeks; the same bytes for the same weeks."""
    weeks = objects(found.get("weeks"))
    pictures = [_picture(name, weeks) for name in names]
    head = tag("header", tag("p", "citeleaf · drift", class_="kicker"), tag("h1", title), tag("p", _span(weeks, found)))
    none = tag("p", "No answer is kept in this library.", class_="unscored") if not weeks else None
    listed = table("Figures by week", ["week", "answers", *(label(n)[0] for n in names)], _rows(weeks, names), "broad")
    drawn = tag("section", pictures, class_="trends") if pictures else None
    body = tag("main", none, drawn, tag("section", tag("h2", "By week"), listed) if weeks else None)
    return shell(f"{title} · citeleaf drift", head, body)


def _span(weeks: Sequence[Mapping[str, Json]], found: Mapping[str, Json]) -> str:
    if not weeks:
        return "No weeks."
    return f"{words(found.get('n'))} answers, {words(weeks[0].get('week'))} to {words(weeks[-1].get('week'))}"


def _picture(name: str, weeks: Sequence[Mapping[str, Json]]) -> Html:
    shown, what = label(name)
    figures = [mapping(mapping(week.get("figures")).get(name)) for week in weeks]
    points = [
        None if (value := number(figure.get("value"))) is None else (value, *(interval_of(figure) or (value, value)))
        for figure in figures
    ]
    drawn = trend(shown, [words(week.get("week")) for week in weeks], points, rate=name.endswith("_rate"))
    told = tag("p", f"{what[0].upper()}{what[1:]}, with 95 % intervals.", class_="what")
    return tag("div", tag("h2", shown), told, tag("figure", drawn))


def _rows(weeks: Sequence[Mapping[str, Json]], names: Sequence[str]) -> list[Html]:
    return [
        tag(
            "tr",
            heading((words(week.get("week")), tag("span", f" from {words(week.get('from'))}", class_="place"))),
            tag("td", words(week.get("n"))),
            [_cell(mapping(mapping(week.get("figures")).get(name))) for name in names],
        )
        for week in weeks
    ]


def _cell(figure: Mapping[str, Json]) -> Html:
    value = number(figure.get("value"))
    if value is None:
        return tag("td", tag("span", UNSCORED, class_="unscored"), class_="figure")
    told = tag("span", f"{interval(figure)} · n {words(figure.get('n'))}", class_="of")
    return tag("td", tag("span", decimal(value), class_="value"), interval_bar(figure), told, class_="figure")
