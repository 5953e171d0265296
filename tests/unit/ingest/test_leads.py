"""Which sentence introduces which table, and how far a sentence above a heading reaches."""

from __future__ import annotations

import pytest

from citeleaf.backends.writer import Writer
from citeleaf.ingest.structure import build
from citeleaf.settings import CorpusSettings
from citeleaf.types import Document

HEADS, ROW = "Event\tExcess", "Theft\t$500"


def table(writer: Writer, *, heads: str = HEADS, row: str = ROW) -> None:
    """A row of headings and a row."""
    places = writer.row(heads.split("\t"))
    writer.row(row.split("\t"), {i: [place] for i, place in enumerate(places) if place is not None})


def leads(writer: Writer) -> dict[str, list[str]]:
    """The leads of each block, by its words."""
    document = built(writer)
    words = document.text
    return {words[b.span.start : b.span.end]: [words[s.start : s.end] for s in b.lead] for b in document.blocks}


def built(writer: Writer) -> Document:
    parsed = writer.finish(title="T")
    return build(parsed, doc_id="doc", source="x", sha256="0", settings=CorpusSettings())


@pytest.mark.parametrize(
    ("before", "intro"),
    [
        ("Read this. The excess for one event is:", ["The excess for one event is:"]),
        ("The excess is shown in the table below.", ["The excess is shown in the table below."]),
        ("We hope that you like it.", []),
    ],
)
def test_the_sentence_before_a_table_introduces_its_rows(before: str, intro: list[str]) -> None:
    writer = Writer()
    writer.block("paragraph", before)
    writer.block("caption", "Table 3")
    table(writer)
    found = leads(writer)
    assert found[HEADS] == intro and found[ROW] == [*intro, "Event", "Excess"]


def test_a_table_under_a_title_of_its_own_takes_the_sentence_that_ends_the_clause_and_what_follows_does_not() -> None:
    writer = Writer()
    writer.heading("20.3 Excesses", 2)
    writer.block("list_item", "20.3.1 The excess for one event is:")
    writer.heading("Excess by event", 3)
    table(writer)
    writer.block("paragraph", "You bear it once.")
    writer.block("list_item", "20.3.2 Added to these are:")
    found = leads(writer)
    assert found[ROW] == ["20.3.1 The excess for one event is:", "Event", "Excess"]
    assert found["You bear it once."] == found["20.3.2 Added to these are:"] == []


def test_that_holds_for_a_title_beside_the_clause_too_but_not_for_a_numbered_one() -> None:
    for title, intro in (("Excess by event", ["The excess is:"]), ("4 Other tables", [])):
        writer = Writer()
        writer.heading("3 Excesses", 2)
        writer.block("paragraph", "The excess is:")
        writer.heading(title, 2)
        table(writer)
        assert leads(writer)[ROW] == [*intro, "Event", "Excess"], title


def test_a_clause_with_the_next_number_ends_what_an_earlier_one_introduces() -> None:
    writer = Writer()
    writer.heading("5 Cover", 1)
    writer.block("paragraph", "5.1 We do not pay for:")
    writer.heading("At sea", 2)
    writer.block("paragraph", "boats that sink.")
    writer.block("paragraph", "5.2 We pay within 30 days.")
    writer.block("paragraph", "The bank pays on our behalf.")
    found = leads(writer)
    assert found["boats that sink."] == ["5.1 We do not pay for:"]
    assert found["5.2 We pay within 30 days."] == found["The bank pays on our behalf."] == []


def test_a_second_table_behind_a_caption_is_not_introduced_by_the_first_ones_sentence() -> None:
    writer = Writer()
    writer.block("paragraph", "The excess is:")
    table(writer)
    writer.block("caption", "Table 2: Offices")
    table(writer, heads="Town\tStreet", row="Ashby\tMill Lane")
    found = leads(writer)
    assert found[ROW][0] == "The excess is:"
    assert found["Ashby\tMill Lane"] == ["Town", "Street"]
