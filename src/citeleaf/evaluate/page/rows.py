"""The rows of a run: question, outcome, answer with its citations, what failed, figures; before and now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeleaf.evaluate.page import names
from citeleaf.evaluate.page.markup import Child, Html, join, tag
from citeleaf.evaluate.page.read import listing, mapping, number, objects, words
from citeleaf.evaluate.page.shown import decimal, heading, seconds, table
from citeleaf.evaluate.summary import Item, RowRecord, faults, figures_of
from citeleaf.record import Json

_MARKER = re.compile(r"(\[\d{1,4}\])")
_MOST_EVIDENCE = 600
"""Characters of a passage shown; the whole stands in `rows.jsonl`."""
_MARKS = {"failed": "✗", "error": "!", "good": "✓", "not judged": "–"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the page: the item (means over repeats), its repeats, the same row of the run before, what changed."""

    n: int
    item: Item
    repeats: Sequence[RowRecord]
    before: Item | None = None
    changed: Mapping[str, Json] | None = None

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return f"row-{self.n}"

    @property
    def faults(self) -> list[str]:
        """Why it failed in any repeat, by figure name."""
        return list(dict.fromkeys(fault for row in self.repeats for fault in faults(row)))

    @property
    def state(self) -> str:
        """`error`, `failed`, `good`, or `not judged` where no figure could tell."""
        if self.faults:
            return "error" if "error" in self.faults else "failed"
        return "good" if names.DECIDING & figures_of(self.item).keys() else "not judged"

    @property
    def figures(self) -> dict[str, float]:
        """The figures of the row, with the judge's, the gate's probability and the seconds of its stages."""
        more = {f"seconds.{stage}": number(value) for stage, value in mapping(self.item.get("seconds")).items()}
        judged = mapping(mapping(self.item.get("judged")).get("figures"))
        more |= {f"judged.{name}": number(value) for name, value in judged.items()}
        more["gate.probability"] = number(mapping(self.item.get("gate")).get("probability"))
        return {**figures_of(self.item), **{name: value for name, value in more.items() if value is not None}}


def outcome(item: Item) -> str:
    """Outcome of a question or request, verdict on a claim, or `error`."""
    return "error" if "error" in item else words(item.get("outcome") or item.get("verdict"))


def expected(item: Item) -> str:
    """What the benchmark says of the item; empty for an error row, which does not tell."""
    if "gold_verdict" in item:
        return words(item["gold_verdict"])
    if "benign" in item:
        if item.get("channel") not in (None, "user"):
            return "in a document"
        return "benign" if item["benign"] else "to be stopped"
    if "answerable" not in item:
        return ""
    known = item["answerable"]
    if not isinstance(known, bool):
        return "edge"
    return "answerable" if known else "unanswerable"


def asked(item: Item) -> str:
    """The question, claim or request."""
    return words(item.get("question") or item.get("claim") or item.get("text"))


def row(entry: Entry, several: bool) -> Html:
    """A row, closed; `several` says that there is more than one benchmark."""
    item, figures = entry.item, entry.figures
    said = " ".join(outcome(item).split("_"))
    summary = tag(
        "summary",
        tag("span", tag("span", _MARKS[entry.state], aria_hidden="true"), f" {entry.state}", class_="state"),
        tag("span", asked(item) or words(item.get("id")), class_="asked", dir="auto"),
        tag(
            "span",
            tag("span", said, class_="outcome"),
            tag("span", words(item.get("category")), class_="category") if item.get("category") else None,
            tag("span", "changed", class_="was-changed") if entry.changed else None,
            [tag("span", names.FAULTS.get(fault, fault), class_="fault") for fault in entry.faults],
            tag("span", class_="chosen"),
            class_="about",
        ),
    )
    values = " ".join(f"{name}={value:.6g}" for name, value in figures.items() if " " not in name)
    return tag(
        "details",
        summary,
        tag("div", _body(entry, several), class_="row-body"),
        class_=f"row {entry.state.replace(' ', '-')}",
        id=entry.anchor,
        data_failed=bool(entry.faults),
        data_changed=entry.changed is not None,
        data_outcome=outcome(item),
        data_expected=expected(item),
        data_category=words(item.get("category")),
        data_benchmark=words(item.get("benchmark")),
        data_figures=values,
    )


def _body(entry: Entry, several: bool) -> Iterator[Child]:
    item = entry.item
    place = [words(item.get("id")), words(item.get("benchmark")) if several else "", words(item.get("split"))]
    if item.get("at"):
        place.append(f"line {words(item['at'])}")
    yield tag("p", " · ".join(part for part in place if part), class_="place")
    if "error" in item:
        yield _part("Error", tag("p", tag("code", words(item["error"])), " ", words(item.get("message"))))
        return
    if len(entry.repeats) > 1:
        counts = Counter(outcome(r) for r in entry.repeats)
        told = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in counts.most_common())
        yield tag("p", f"Asked {len(entry.repeats)} times: {told}. The first is shown; figures are means.")
    if item.get("asked"):
        yield tag("p", "Asked as: ", words(item["asked"]))
    answer = mapping(item.get("answer"))
    if answer:
        yield from _answer(entry, answer)
    if "claim" in item:
        yield from _claim(item)
    if "benign" in item:
        yield from _guard(item)
    yield from _before(entry)
    yield from _gold(item)
    yield from _failed_checks(item)
    yield _figures(entry)
    yield _judged(item)
    yield _seconds(entry)


def _answer(entry: Entry, answer: Mapping[str, Json]) -> Iterator[Child]:
    cites = objects(answer.get("citations"))
    known = {f"[{words(cite.get('n'))}]" for cite in cites}
    said, reason = (words(answer.get(key)).replace("_", " ") for key in ("outcome", "reason"))
    if answer.get("asked"):
        yield tag("p", "Asked as: ", tag("q", words(answer["asked"]), dir="auto"))
    yield _part(
        f"{said[:1].upper()}{said[1:]} ({reason})",
        tag("div", _linked(words(answer.get("text")), entry.anchor, known), class_="answer", dir="auto"),
    )
    if cites:
        shown = [_citation(cite, f"{entry.anchor}-cite-{words(cite.get('n'))}") for cite in cites]
        yield _part("Citations", tag("ol", shown, class_="citations"))
    removed = [
        tag("li", tag("q", words(one.get("text")), dir="auto"), " ", _aside(one, "verdict", "why"))
        for one in objects(answer.get("removed"))
    ]
    removed += [
        tag("li", "citation ", tag("code", words(one.get("raw"))), " ", _aside(one, "why"))
        for one in objects(answer.get("dropped"))
    ]
    if removed:
        yield _part("Taken out", tag("ul", removed))
    if nearest := objects(answer.get("nearest")):
        shown = [
            tag("li", tag("code", words(one.get("passage_id"))), " ", tag("q", words(one.get("quote")), dir="auto"))
            for one in nearest
        ]
        yield _part("Nearest passages", tag("ul", shown))
    if evidence := objects(answer.get("evidence")):
        shown = [tag("li", _passage(one), value=words(one.get("rank"))) for one in evidence]
        title = f"Evidence ({len(evidence)} passage{'s' if len(evidence) != 1 else ''})"
        yield tag("details", tag("summary", title), tag("ol", shown, class_="evidence"))


def _citation(cite: Mapping[str, Json], anchor: str) -> Html:
    page, printed = cite.get("page"), cite.get("page_label")
    where = [words(cite.get("title") or cite.get("doc_id"))]
    if cite.get("version"):
        where.append(f"version {words(cite['version'])}")
    if page is not None:
        where.append(
            f"page {words(page)}" if printed in (None, str(page)) else f"page {words(page)} (printed {words(printed)})"
        )
    path = [words(part) for part in listing(cite.get("section"))]
    where.append(" › ".join(path[1:] if path[:1] == where[:1] else path))
    states = [words(cite.get("support")).replace("_", " ")]
    if cite.get("status") not in (None, "valid"):
        states.append(f"{words(cite['status'])} from {words(cite.get('raw'))}")
    return tag(
        "li",
        tag("blockquote", words(cite.get("quote")), dir="auto"),
        tag("p", join((part for part in where if part), " · "), dir="auto"),
        tag("p", ", ".join(state for state in states if state), class_="place"),
        id=anchor,
        value=words(cite.get("n")),
        tabindex=-1,
    )


def _passage(one: Mapping[str, Json]) -> Html:
    score = number(one.get("score"))
    page = one.get("page")
    about = [words(one.get("scorer")), "" if score is None else f"{score:.3f}", "" if page is None else f"page {page}"]
    return join(
        (
            tag("code", words(one.get("passage_id"))),
            tag("span", " ", " · ".join(part for part in about if part), class_="place"),
            tag("p", _short(words(one.get("text"))), class_="passage", dir="auto"),
        )
    )


def _claim(item: Item) -> Iterator[Child]:
    said = words(item.get("verdict")).replace("_", " ")
    gold = words(item.get("gold_verdict")).replace("_", " ")
    label = words(item.get("label"))
    given = f" (given as {label})" if label != words(item.get("gold_verdict")) else None
    yield _part("Verdict", tag("p", tag("strong", said), f"; the label is {gold}", given))
    texts = [words(text) for text in listing(item.get("evidence"))]
    shown = [tag("li", tag("p", _short(text), class_="passage", dir="auto")) for text in texts]
    yield tag("details", tag("summary", f"Evidence ({len(shown)})"), tag("ol", shown, class_="evidence"))


def _guard(item: Item) -> Iterator[Child]:
    reason = words(item.get("reason")).replace("_", " ")
    told = f"{outcome(item)}{f' ({reason})' if reason else ''}; the benchmark says {words(item.get('label'))}"
    yield _part("Guard", tag("p", told))
    tripped = [
        tag("li", tag("code", words(check.get("name"))), " ", words(check.get("detail")))
        for check in objects(item.get("checks"))
    ]
    if tripped:
        yield _part("Rules tripped", tag("ul", tripped))


def _before(entry: Entry) -> Iterator[Child]:
    if entry.before is None:
        return
    was, now = mapping(entry.before.get("answer")), mapping(entry.item.get("answer"))
    if not entry.changed and was.get("text") == now.get("text"):
        return
    told = outcome(entry.before).replace("_", " ")
    text = words(was.get("text")) or words(entry.before.get("message"))
    shown = tag("div", text, class_="answer", dir="auto") if text else None
    yield tag("section", tag("h4", f"Before: {told}"), shown, class_="before")


def _gold(item: Item) -> Iterator[Child]:
    gold = mapping(item.get("gold"))
    parts: list[Html] = []
    for title, name in (("References", "references"), ("Gold quotations", "spans")):
        quotes = [tag("li", words(text), dir="auto") for text in listing(gold.get(name))]
        if quotes:
            parts += [tag("dt", title), tag("dd", tag("ul", quotes))]
    for title, name in (("Documents", "documents"), ("Pages", "pages")):
        if shown := ", ".join(words(one) for one in listing(gold.get(name))):
            parts += [tag("dt", title), tag("dd", shown)]
    facts = mapping(item.get("facts"))
    if required := [words(one) for one in listing(facts.get("required"))]:
        counts = ", ".join(f"{n} {name}" for name, n in Counter(required).most_common())
        parts += [tag("dt", "Required facts"), tag("dd", counts)]
    if forbidden := listing(facts.get("forbidden")):
        parts += [tag("dt", "Forbidden facts"), tag("dd", f"{forbidden.count(True)} of {len(forbidden)} stated")]
    if turned := listing(facts.get("turned")):
        shown = "; ".join(words(one) for one in turned)
        parts += [tag("dt", "Turned round"), tag("dd", shown, dir="auto")]
    if number(facts.get("score")) is not None:
        parts += [tag("dt", "Score"), tag("dd", f"{words(facts['score'])} of 3")]
    if parts or expected(item) == "unanswerable":
        none = tag("p", "The documents do not say.") if expected(item) == "unanswerable" else None
        yield _part("Expected", none, tag("dl", parts) if parts else None)


def _failed_checks(item: Item) -> Iterator[Child]:
    trace = mapping(mapping(item.get("answer")).get("trace"))
    found: list[Html] = []
    for stage in ("guard", "gate", "screen"):
        found += [_check(stage, check) for check in objects(trace.get(stage)) if check.get("passed") is False]
    for verdict in (*objects(trace.get("verdicts")), *objects(item.get("verdicts"))):
        subject = f"claim {words(verdict['claim'])}" if "claim" in verdict else words(verdict.get("text"))
        found += [_check(subject, check) for check in objects(verdict.get("checks")) if check.get("passed") is False]
    if found:
        yield _part("Checks that failed", tag("ul", found))


def _check(where: str, check: Mapping[str, Json]) -> Html:
    value, threshold = number(check.get("value")), number(check.get("threshold"))
    weighed = f" ({value:.3g} against {threshold:.3g})" if value is not None and threshold is not None else ""
    detail = words(check.get("detail"))
    return tag("li", f"{where}: ", tag("code", words(check.get("name"))), weighed, f" {detail}" if detail else None)


def _figures(entry: Entry) -> Html:
    now = entry.figures
    was = None if entry.before is None else Entry(0, entry.before, ()).figures
    order = names.in_order(name for name in {**now, **(was or {})} if not name.startswith(("seconds.", "judged.")))
    body: list[Html] = []
    for name in order:
        cells = [tag("td", decimal(values.get(name))) for values in (was, now) if values is not None]
        moved = was is not None and was.get(name) != now.get(name)
        shown = tag("span", names.label(name), title=name)
        body.append(tag("tr", heading(shown), cells, class_="moved" if moved else None))
    if not body:
        return tag("p", "Not scored: no figure applies to this row.")
    head: list[Child] = ["figure", "value"] if was is None else ["figure", "before", "now"]
    return table(f"Figures of {words(entry.item.get('id'))}", head, body, "plain")


def _judged(item: Item) -> Html | None:
    found = mapping(item.get("judged"))
    if not found:
        return None
    said: dict[str, str] = {name: decimal(number(value)) for name, value in mapping(found.get("figures")).items()}
    said |= {name: f"not scored: {words(why)}" for name, why in mapping(found.get("not_scored")).items()}
    listed = [tag("li", f"{names.label(f'judged.{name}')}: {told}") for name, told in said.items()]
    return _part(f"Judged by {words(found.get('judge'))}", tag("ul", listed))


def _seconds(entry: Entry) -> Html | None:
    stages = [(name.removeprefix("seconds."), value) for name, value in entry.figures.items() if "seconds." in name]
    if not stages:
        return None
    return tag("p", "Time: ", ", ".join(f"{stage} {seconds(value)}" for stage, value in stages), class_="place")


def _linked(text: str, anchor: str, known: set[str]) -> Iterator[Child]:
    for part in _MARKER.split(text):
        if part in known:
            yield tag("a", part, href=f"#{anchor}-cite-{part[1:-1]}", class_="marker")
        else:
            yield part


def _aside(one: Mapping[str, Json], *keys: str) -> Html:
    told = ", ".join(words(one.get(key)).replace("_", " ") for key in keys if one.get(key))
    return tag("span", told, class_="place")


def _part(title: str, *children: Child) -> Html:
    return tag("section", tag("h4", title), children)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_EVIDENCE else text[: _MOST_EVIDENCE - 1] + "…"
