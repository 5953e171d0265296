"""The page of a run: every number has its rows, nothing unscored is a number, no text becomes markup, no request."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeleaf.evaluate.benchmark import load
from citeleaf.evaluate.page.markup import Html, join, tag, text
from citeleaf.evaluate.page.names import NAMES, better, row_figures
from citeleaf.evaluate.page.shell import POLICY
from citeleaf.evaluate.page.shown import seconds, signed
from citeleaf.evaluate.report import write_reports
from citeleaf.evaluate.report_html import Earlier, page
from citeleaf.evaluate.run import read_rows, run
from citeleaf.evaluate.summary import summarise
from citeleaf.record import Json
from support.html_page import Page
from support.packs import make, open_small

HOSTILE = (
    "<script>document.title='taken'</script>",
    '"><img src=x onerror="document.title=\'taken\'">',
    "</script></style></title></details><svg onload=document.title='taken'>",
    "' autofocus onfocus='document.title=1",
    "<!-- <a href=\"javascript:document.title='taken'\">x</a>",
    "&lt;b&gt; {{7*7}} \u202e\u0000\x1b[2J \ud800",
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def question(n: int, **over: Json) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": f"q{n}",
        "benchmark": "small",
        "repeat": 1,
        "kind": "question",
        "category": "keys",
        "question": f"What is {n}?",
        "answerable": True,
        "outcome": "answered",
        "reason": "supported",
        "figures": {"answer.task_success": float(n % 2), "refusal.false_refusal": 0.0},
        "answer": {
            "outcome": "answered",
            "reason": "supported",
            "text": f"It is {n}. [1]",
            "citations": [
                {
                    "n": 1,
                    "title": "Policy",
                    "page": 19,
                    "page_label": "17",
                    "section": ["Policy", "Keys"],
                    "quote": f"It is {n}.",
                    "status": "repaired",
                    "raw": "[4]",
                    "support": "supported",
                }
            ],
            "trace": {"gate": [{"name": "coverage", "passed": False, "detail": "low", "value": 0.1, "threshold": 0.2}]},
        },
        "gate": {"probability": 0.25},
        "seconds": {"retrieve": 0.012, "total": 1.5},
    }
    return row | over


def shown(rows: list[dict[str, Json]], earlier: Earlier | None = None) -> Page:
    return Page(page("run", summarise(rows), rows, {}, earlier))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("page") / "run"
    pack = make(tmp_path_factory.mktemp("small") / "pack")
    with open_small(out) as app:
        run([load(pack)], app, out)
    return out


@pytest.fixture(scope="module")
def parsed(finished: Path) -> Page:
    return Page((finished / "report.html").read_text("utf-8"))


def test_a_run_writes_a_well_formed_page_that_asks_for_nothing(finished: Path, parsed: Page) -> None:
    assert not parsed.unclosed
    assert not parsed.open
    (policy,) = [a["content"] for a in parsed.attributes("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == POLICY
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:")
    names = {name for name, _ in parsed.elements}
    assert not names & {"link", "img", "iframe", "object", "embed", "base", "use", "image"}
    source = (finished / "report.html").read_text("utf-8")
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttpRequest|sendBeacon|innerHTML|eval\(", source)
    assert all((a.get("href") or "#").startswith("#") for _, a in parsed.elements)


def test_ids_are_unique_and_links_inside_the_page_have_a_target(parsed: Page) -> None:
    ids = [a["id"] for _, a in parsed.elements if a.get("id")]
    assert len(ids) == len(set(ids))
    targets = {a["href"] for a in parsed.attributes("a")}
    assert targets <= {f"#{one}" for one in ids}
    labels = {a["aria-labelledby"] for _, a in parsed.elements if "aria-labelledby" in a}
    assert labels <= set(ids)


def test_every_number_leads_to_as_many_rows_as_it_says(parsed: Page) -> None:
    counted = 0
    for said, wanted in parsed.links:
        if number := re.match(r"(\d+)(?: rows?| items?| failed| changed| of them by an error|$)", said):
            assert parsed.matching(wanted) == int(number[1]), (said, wanted)
            counted += 1
    assert counted > 30


def test_the_figures_shown_are_those_of_the_summary(finished: Path, parsed: Page) -> None:
    summary = json.loads((finished / "summary.json").read_text("utf-8"))
    figure = summary["refusal"]["false_answer_rate"]
    low, high = figure["ci95"]
    assert f"{figure['value']:.3f}" in parsed.text
    assert f"{low:.3f} to {high:.3f} · {figure['n']} row" in parsed.text


def test_the_same_run_gives_the_same_bytes(finished: Path) -> None:
    before = (finished / "report.html").read_bytes()
    write_reports(finished)
    assert (finished / "report.html").read_bytes() == before


def test_what_was_not_scored_is_said_and_has_no_number() -> None:
    found = shown([question(1, figures={"answer.token_f1": 0.5}, seconds={}, gate=None)])
    assert "Not scored: no guard items in this run." in found.text
    assert "Not scored, for want of required facts: Required facts stated." in found.text
    assert "nothing was timed" in found.text
    assert "Not scored in this run: " in found.text
    assert "0.000" not in found.text
    assert found.rows[0]["class"] == "row not-judged"
    assert "data-failed" not in found.rows[0]


def test_a_row_shows_answer_citation_page_section_quote_and_what_failed() -> None:
    found = shown([question(2)])
    for words in (
        "Answered (supported)",
        "It is 2.",
        "Policy · page 19 (printed 17) · Keys",
        "repaired from [4]",
        "gate: coverage (0.1 against 0.2) low",
        "answer not right",
        "retrieve 12 ms, total 1.50 s",
    ):
        assert words in found.text, words
    assert {"href": "#row-1-cite-1", "class": "marker"} in found.attributes("a")
    assert "data-failed" in found.rows[0]


def test_a_document_without_pages_has_no_page() -> None:
    row = question(1)
    answer = row["answer"]
    assert isinstance(answer, dict)
    cites = answer["citations"]
    assert isinstance(cites, list)
    assert isinstance(cites[0], dict)
    cites[0] |= {"page": None, "page_label": None}
    assert "Policy · Keys" in shown([row]).text


def test_an_error_row_is_one_and_counts_as_failed() -> None:
    bad: dict[str, Json] = {
        "id": "q9",
        "benchmark": "small",
        "repeat": 1,
        "kind": "question",
        "set": "s",
        "split": None,
    }
    found = shown([question(1), bad | {"error": "model", "message": "the model is gone"}])
    assert "2 items: 1 good, 1 failed, 1 of them by an error" in found.text
    assert "the model is gone" in found.text
    assert found.rows[1]["data-outcome"] == "error"


def test_a_row_asked_several_times_stands_once() -> None:
    rows = [question(1), question(1, repeat=2, outcome="abstained", figures={"answer.task_success": 0.0})]
    found = shown(rows)
    assert len(found.rows) == 1
    assert "Asked 2 times: answered 1, abstained 1" in found.text
    assert "Spread of each figure's mean over 2 repeats" in found.text
    assert found.rows[0]["data-figures"] is not None
    assert "answer.task_success=0.5" in found.rows[0]["data-figures"]


def test_two_runs_show_differences_with_intervals_and_the_rows_that_changed(finished: Path, tmp_path: Path) -> None:
    other = tmp_path / "later"
    shutil.copytree(finished, other, ignore=shutil.ignore_patterns("library"))
    rows = read_rows(other)
    rows[0] |= {"outcome": "abstained", "figures": {**rows[0]["figures"], "answer.task_success": 0.0}}  # type: ignore[dict-item]
    (other / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    write_reports(other, finished)
    found = Page((other / "report.html").read_text("utf-8"))
    assert f"{len(rows)} rows are in both runs; 1 changed." in found.text
    assert found.matching({"changed": ["1"]}) == 1
    assert "answered → abstained" in found.text
    assert "now failed" in found.text
    assert "−0." in found.text
    assert "McNemar p" in found.text
    assert "Before: answered" in found.text
    assert "The same in every row: " in found.text
    assert "What changed" not in (finished / "report.html").read_text("utf-8")


def test_runs_without_a_common_row_are_not_compared() -> None:
    assert "Not compared: the two runs have no row in common." in shown([question(1)], Earlier("other")).text


def _poisoned(value: Json, poison: str) -> Json:
    if isinstance(value, str):
        return poison
    if isinstance(value, list):
        return [_poisoned(one, poison) for one in value]
    return {k: _poisoned(v, poison) for k, v in value.items()} if isinstance(value, dict) else value


def _hostile_page(poison: str) -> str:
    kept = ("benchmark", "kind", "repeat", "figures", "answerable", "benign", "gate", "seconds")
    claim: dict[str, Json] = {
        "claim": "c",
        "verdict": "v",
        "gold_verdict": "supported",
        "label": "l",
        "evidence": ["e"],
    }
    guarded: dict[str, Json] = {"text": "t", "benign": True, "channel": "user", "label": "l", "reason": "r"}
    gold: Json = {"documents": ["d"], "spans": ["s"], "references": ["r"], "pages": []}
    rows = [
        question(1, gold=gold),
        question(2, answer=None, error="e", message="m"),
        {"id": "a", "benchmark": "b", "repeat": 1, "kind": "claim", "category": "k", "figures": {}, **claim},
        {"id": "b", "benchmark": "b", "repeat": 1, "kind": "guard", "category": "k", "figures": {}, **guarded},
    ]
    bad = [{k: v if k in kept else _poisoned(v, poison) for k, v in row.items()} for row in rows]
    bad = [row | {"id": f"{poison}{i}", "benchmark": poison if i > 1 else "b"} for i, row in enumerate(bad)]
    summary = summarise(rows) | {poison: {poison: {"value": 0.5, "n": 2}}, "benchmarks": {poison: {}, "b": {}}}
    made: dict[str, Json] = {
        "benchmarks": [{"name": poison, "items": 2, "scope": poison, "files": {poison: poison}}],
        "documents": [{"source": poison, "sha256": poison}],
        "models": {poison: poison},
        "versions": {poison: poison},
        "started": poison,
    }
    compared: dict[str, Json] = {
        "first": {"run": poison},
        "figures": {poison: {"first": 0.0, "second": 1.0, "difference": 1.0, "ci95": [0.5, 1.0], "n": 2}},
        "changed": [{"benchmark": bad[0]["benchmark"], "id": bad[0]["id"], "figures": {poison: [0.0, 1.0]}}],
    }
    return page(poison, summary, bad, made, Earlier(poison, bad, compared))


@pytest.mark.parametrize("poison", HOSTILE)
def test_text_of_others_stays_text(poison: str) -> None:
    calm, hostile = Page(_hostile_page("word")), Page(_hostile_page(poison))
    assert [name for name, _ in hostile.elements] == [name for name, _ in calm.elements]
    assert [set(a) for _, a in hostile.elements] == [set(a) for _, a in calm.elements]
    assert not hostile.unclosed
    visible = re.sub("[\x00\x1b\ud800]", "\ufffd", poison)
    assert hostile.text.count(visible) > 50
    _hostile_page(poison).encode("utf-8")


@given(st.text())
def test_any_text_comes_back_as_it_was_but_for_control_characters(value: str) -> None:
    inside = Page(tag("p", value, title=value))
    expected = "".join(c if c in "\t\n" or not (ord(c) < 32 or 0x7F <= ord(c) < 0xA0) else "\ufffd" for c in value)
    assert inside.text == expected
    assert inside.elements == [("p", {"title": expected})]


def test_markup_joined_to_plain_text_is_plain_text_again() -> None:
    bold = tag("b", "x")
    assert join([bold]) == "<b>x</b>"
    assert join([bold + "<i>"]) == "&lt;b&gt;x&lt;/b&gt;&lt;i&gt;"
    assert join([f"{bold}"]) == "&lt;b&gt;x&lt;/b&gt;"
    assert isinstance(text("a"), Html)


@pytest.mark.parametrize("target", ["https://example.org", "javascript:alert(1)", "//example.org", "data:text/html,x"])
def test_a_link_out_of_the_page_cannot_be_made(target: str) -> None:
    with pytest.raises(ValueError, match="starts with #"):
        tag("a", "x", href=target)


def test_numbers_as_they_are_shown() -> None:
    assert [seconds(x) for x in (2.5, 0.0124, 0.0000004)] == ["2.50 s", "12 ms", "< 1 ms"]
    assert [signed(x) for x in (0.25, -0.25, -0.0000001)] == ["+0.250", "−0.250", "0.000"]
    assert better("refusal.false_answer") == better("refusal.false_answer_rate") == better("seconds.total") == "lower"
    assert better("guard.safe_rate") == better("answer.task_success") == "higher"
    assert row_figures("guard.safe_rate") == ("guard.safe",)
    assert all(name.needs and name.what for name in NAMES.values())


def _luminance(colour: str) -> float:
    full = colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])
    parts = [int(full[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_words_stand_out_by_aa_on_every_ground_in_light_dark_and_print() -> None:
    css = files("citeleaf.evaluate.page").joinpath("page.css").read_text("utf-8")
    themes = [
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", block)) for block in re.findall(r":root \{(.*?)\}", css, re.S)
    ]
    assert len(themes) == 3
    light = themes[0]
    for theme in (light, light | themes[1], light | themes[2]):
        for words in ("ink", "quiet", "leaf", "good", "bad", "warn"):
            for ground in ("ground", "sheet", "faint", "quote"):
                high, low = sorted((_luminance(theme[words]), _luminance(theme[ground])), reverse=True)
                assert (high + 0.05) / (low + 0.05) >= 4.5, (words, ground, theme)
        high, low = sorted((_luminance(theme["focus"]), _luminance(theme["ground"])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 3


def _in_browser(file: Path, place: Path, fragment: str = "") -> str:
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={place}", "--dump-dom"]
    done = subprocess.run([*command, file.as_uri() + fragment], capture_output=True, timeout=100, check=True)
    return done.stdout.decode("utf-8")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_in_a_browser_the_rows_behind_a_number_are_shown_and_no_text_runs(finished: Path, tmp_path: Path) -> None:
    found = Page(_in_browser(finished / "report.html", tmp_path / "a", "#rows?figure=refusal.false_answer"))
    visible = [row for row in found.rows if "hidden" not in row]
    assert visible
    assert len(visible) == found.matching({"figure": ["refusal.false_answer"]}) < len(found.rows)
    assert f"{len(visible)} of {len(found.rows)} rows" in found.text
    for i, poison in enumerate(HOSTILE[:5]):
        (tmp_path / "bad.html").write_text(_hostile_page(poison), "utf-8")
        dom = Page(_in_browser(tmp_path / "bad.html", tmp_path / f"b{i}"))
        assert ("title", {}) in dom.elements
        assert dom.text.lstrip().startswith(f"{poison} · citeleaf evaluation")
        assert len(dom.attributes("script")) == 1
