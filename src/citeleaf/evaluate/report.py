"""Reports of a run, made from its rows, summary and manifest alone: HTML, Markdown, JUnit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from citeleaf.errors import BenchmarkError
from citeleaf.evaluate import manifest
from citeleaf.evaluate.report_html import Earlier, page
from citeleaf.evaluate.summary import faults
from citeleaf.record import Json

_BLOCKS = ("retrieval", "answer", "citation", "refusal", "guard", "claims", "judged")
_MOST_FAILED = 50


def write_reports(out: Path, before: Path | None = None) -> None:
    """Writes `report.html`, `report.md` and `junit.xml` beside the summary of a run.

    With `before`, the page also shows what changed since that run. Raises `BenchmarkError` where a run is missing.
    """
    summary, rows = read_summary(out), _rows(out)
    earlier = None if before is None else _earlier(before, out)
    (out / "report.html").write_text(page(out.name, summary, rows, manifest.read(out), earlier), "utf-8")
    (out / "report.md").write_text(markdown(out.name, summary, rows), "utf-8")
    (out / "junit.xml").write_bytes(junit(rows))


def read_summary(out: Path) -> dict[str, Json]:
    """The summary of a run. Raises `BenchmarkError`."""
    try:
        found = json.loads((out / "summary.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BenchmarkError(
            f"`{out}` holds no finished run", hint="make one with citeleaf evaluate", subject=str(out)
        ) from error
    if not isinstance(found, dict):
        raise BenchmarkError(f"`{out}` holds no summary", hint="run it anew", subject=str(out))
    return found


def figures(tree: Mapping[str, Json], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The figures of a summary by dotted name, in its order; a figure is an object with a value."""
    for name, value in tree.items():
        if isinstance(value, dict):
            if "value" in value and "n" in value:
                yield f"{prefix}{name}", value
            elif name not in ("by_category", "by_kind", "benchmarks", "repeats"):
                yield from figures(value, f"{prefix}{name}.")


def show(figure: Mapping[str, Json]) -> str:
    """A figure as a reader wants it: `0.912 (0.871 to 0.950), n 120`."""
    value, interval = figure["value"], figure.get("ci95")
    text = f"{value:.3f}"
    if isinstance(interval, list):
        low, high = (float(str(x)) for x in interval)
        text += f" ({low:.3f} to {high:.3f})"
    return f"{text}, n {figure['n']}"


def markdown(name: str, summary: Mapping[str, Json], rows: Sequence[Mapping[str, Json]]) -> str:
    """The report for a reader: figures with intervals, outcomes, categories, seconds, the rows that failed."""
    lines = [f"# {_cell(name)}", ""]
    counts = summary.get("rows")
    if isinstance(counts, dict):
        lines += [f"{counts['n']} items, {counts['failed']} failed, {counts['errors']} of them by an error.", ""]
    for block in _BLOCKS:
        tree = summary.get(block)
        if isinstance(tree, dict) and (found := list(figures(tree))):
            lines += [f"## {block.capitalize()}", "", "| figure | value | 95 % interval | n |", "|---|---|---|---|"]
            lines += [_line(label, figure) for label, figure in found]
            lines.append("")
    lines += _confusion(summary) + _categories(summary) + _seconds(summary) + _failed(rows)
    return "\n".join(lines)


def junit(rows: Sequence[Mapping[str, Json]]) -> bytes:
    """One test case a row: failures with their reasons, errors with their message."""
    suites = ElementTree.Element("testsuites")
    for benchmark in sorted({str(row["benchmark"]) for row in rows}):
        own = [row for row in rows if row["benchmark"] == benchmark]
        errors = sum("error" in row for row in own)
        failures = sum(bool(faults(row)) for row in own) - errors
        suite = ElementTree.SubElement(
            suites, "testsuite", name=_xml(benchmark), tests=str(len(own)), failures=str(failures), errors=str(errors)
        )
        for row in own:
            seconds = row.get("seconds")
            total = seconds.get("total") if isinstance(seconds, dict) else None
            case = ElementTree.SubElement(
                suite, "testcase", name=_xml(str(row["id"])), classname=_xml(benchmark), time=f"{total or 0:.3f}"
            )
            if "error" in row:
                ElementTree.SubElement(case, "error", type=str(row["error"]), message=_xml(str(row["message"])))
            elif why := faults(row):
                ElementTree.SubElement(case, "failure", message=", ".join(why)).text = _xml(_shown(row))
    return bytes(ElementTree.tostring(suites, "utf-8", xml_declaration=True))


def _rows(out: Path) -> list[dict[str, Json]]:
    from citeleaf.evaluate.run import read_rows

    return read_rows(out)


def _earlier(before: Path, out: Path) -> Earlier:
    """The run before, compared where the two have rows in common."""
    from citeleaf.evaluate.compare import compare
    from citeleaf.evaluate.run import read_rows

    rows = read_rows(before)
    try:
        return Earlier(before.name, rows, compare(before, out))
    except BenchmarkError:
        return Earlier(before.name)


def _line(label: str, figure: Mapping[str, Json]) -> str:
    interval = figure.get("ci95")
    shown = " to ".join(f"{float(str(x)):.3f}" for x in interval) if isinstance(interval, list) else ""
    return f"| {_cell(label)} | {figure['value']:.3f} | {shown} | {figure['n']} |"


def _confusion(summary: Mapping[str, Json]) -> list[str]:
    refusal = summary.get("refusal")
    table = refusal.get("confusion") if isinstance(refusal, dict) else None
    if not isinstance(table, dict):
        return []
    lines = ["## Outcomes", "", "| question | answered | abstained | refused | escalated |", "|---|---|---|---|---|"]
    for kind, counts in table.items():
        if isinstance(counts, dict):
            lines.append(f"| {kind} | " + " | ".join(str(n) for n in counts.values()) + " |")
    return [*lines, ""]


def _categories(summary: Mapping[str, Json]) -> list[str]:
    tree = summary.get("by_category")
    if not isinstance(tree, dict):
        return []
    columns = sorted({name for found in tree.values() if isinstance(found, dict) for name in found})
    lines = ["## By category", "", "| category | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for category, found in tree.items():
        cells = [found.get(name) if isinstance(found, dict) else None for name in columns]
        shown = [show(cell) if isinstance(cell, dict) else "" for cell in cells]
        lines.append(f"| {_cell(category)} | " + " | ".join(shown) + " |")
    return [*lines, ""]


def _seconds(summary: Mapping[str, Json]) -> list[str]:
    operations = summary.get("operations")
    stages = operations.get("seconds") if isinstance(operations, dict) else None
    if not isinstance(stages, dict):
        return []
    lines = ["## Seconds", "", "| stage | p50 | p95 |", "|---|---|---|"]
    for stage, found in stages.items():
        if isinstance(found, dict):
            lines.append(f"| {stage} | {found['p50']:.3f} | {found['p95']:.3f} |")
    return [*lines, ""]


def _failed(rows: Sequence[Mapping[str, Json]]) -> list[str]:
    failed = [(row, why) for row in rows if (why := faults(row))]
    if not failed:
        return []
    lines = ["## Failed rows", "", "| row | asked | outcome | why |", "|---|---|---|---|"]
    for row, why in failed[:_MOST_FAILED]:
        asked = row.get("question") or row.get("claim") or row.get("text") or ""
        outcome = row.get("outcome") or row.get("verdict") or row.get("error") or ""
        lines.append(f"| {_cell(row['id'])} | {_cell(asked)} | {_cell(outcome)} | {', '.join(why)} |")
    if len(failed) > _MOST_FAILED:
        lines.append(f"| | {len(failed) - _MOST_FAILED} more in `rows.jsonl` | | |")
    return [*lines, ""]


def _shown(row: Mapping[str, Json]) -> str:
    answer = row.get("answer")
    text = answer.get("text") if isinstance(answer, dict) else row.get("outcome") or row.get("verdict")
    return f"{row.get('question') or row.get('claim') or row.get('text')}\n\n{text}"


def _cell(value: Json) -> str:
    """Text inside a Markdown table: one line, at most 120 characters, nothing that would be read as markup."""
    text = " ".join(_xml(str(value)).split())
    text = text if len(text) <= 120 else text[:119] + "…"
    return "".join(f"\\{c}" if c in "\\|`*_<>[]#" else c for c in text)


def _xml(text: str) -> str:
    """Without the characters that XML 1.0 does not allow."""
    return "".join(c for c in text if c in "\t\n" or _allowed(ord(c)))


def _allowed(code: int) -> bool:
    return 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF
