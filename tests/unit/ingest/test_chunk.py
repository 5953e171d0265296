"""How the blocks of a section become passages."""

from __future__ import annotations

import itertools

from citeleaf.backends.writer import Writer
from citeleaf.ingest.chunk import chunk
from citeleaf.ingest.structure import build
from citeleaf.settings import ChunkSettings, CorpusSettings
from citeleaf.types import Passage, Span


def passages(writer: Writer, **rules: object) -> tuple[Passage, ...]:
    document = build(writer.finish(title="T"), doc_id="doc", source="x", sha256="0", settings=CorpusSettings())
    return chunk(document, ChunkSettings(**rules))  # type: ignore[arg-type]


def sentence(n: int, length: int = 100) -> str:
    return f"Sentence {n} " + "x" * (length - len(f"Sentence {n} ") - 1) + "."


def test_blocks_are_packed_whole_and_never_across_a_section() -> None:
    writer = Writer()
    writer.heading("1 One", 1)
    for n in range(4):
        writer.block("paragraph", sentence(n, 300))
    writer.heading("2 Two", 1)
    writer.block("paragraph", "Short.")
    writer.heading("3 Heading alone", 1)
    found = passages(writer, size=900)
    assert [(p.id, len(p.text)) for p in found] == [("doc#1-one#c1", 602), ("doc#1-one#c2", 602), ("doc#2-two#c1", 6)]
    assert found[0].heading == ("1 One",)
    assert "1 One" not in found[0].text


def test_a_lead_in_is_never_cut_from_its_first_item() -> None:
    writer = Writer()
    writer.block("paragraph", sentence(1, 250))
    lead = writer.block("paragraph", sentence(2, 200) + " We do not pay for:")
    for n in range(6):
        writer.block("list_item", sentence(n, 120), (lead,) if lead else ())
    found = passages(writer, size=500)
    holder = next(p for p in found if "We do not pay for:" in p.text)
    assert "We do not pay for:\nSentence 0" in holder.text
    later = [p for p in found if p.span.start > holder.span.start]
    assert later and all(p.context == "We do not pay for:" for p in later)
    assert holder.context == ""
    assert all(len(p.text) <= 500 for p in found)


def test_a_list_that_fits_is_kept_whole() -> None:
    writer = Writer()
    writer.block("paragraph", sentence(1, 500))
    lead = writer.block("paragraph", "You must:")
    for n in range(4):
        writer.block("list_item", sentence(n, 120), (lead,) if lead else ())
    found = passages(writer, size=900)
    assert [p.text.startswith("You must:") for p in found] == [False, True]


def test_rows_of_a_cut_table_carry_their_column_headings_in_the_context() -> None:
    writer = Writer()
    heads = {i: [h] for i, h in enumerate(writer.row(["Risk", "Review every"])) if h is not None}
    for n in range(12):
        writer.row([sentence(n, 60), f"{n} months"], heads)
    first, *rest = passages(writer, size=300)
    assert first.text.startswith("Risk\tReview every\n") and first.context == ""
    assert rest and all(p.context == "Risk | Review every" for p in rest)
    assert all("\n" not in unit.quote.text for p in rest for unit in p.units)


def test_a_definition_is_a_passage_of_its_own_with_the_list_it_introduces() -> None:
    writer = Writer()
    writer.block("paragraph", "Some words have a meaning of their own.")
    flood = writer.definition("Flood", "water over land, but not:")
    writer.block("list_item", "tsunami", (flood,) if flood else ())
    writer.definition("Storm", "strong wind")
    writer.block("paragraph", "End.")
    found = passages(writer)
    assert [(p.term, p.text.split("\n")[0]) for p in found] == [
        (None, "Some words have a meaning of their own."),
        ("Flood", "Flood"),
        ("Storm", "Storm"),
        (None, "End."),
    ]
    assert found[1].text.endswith("tsunami")


def test_a_long_definition_is_cut_and_its_later_passages_name_its_opening() -> None:
    writer = Writer()
    writer.definition("Flood", "Water over land. " + " ".join(sentence(n) for n in range(20)))
    first, *rest = passages(writer, size=900)
    assert first.term == "Flood" and first.context == ""
    assert rest and all(p.term is None and p.context == "Flood Water over land." for p in rest)


def test_a_long_block_is_cut_at_sentence_ends_with_whole_sentences_shared() -> None:
    writer = Writer()
    writer.block("paragraph", " ".join(sentence(n) for n in range(20)))
    found = passages(writer, size=900, overlap=150)
    assert all(p.text.startswith("Sentence") and p.text.endswith(".") for p in found)
    shared = [Span(b.span.start, a.span.end) for a, b in itertools.pairwise(found)]
    assert shared and all(s.end - s.start == 100 for s in shared)
    apart = passages(writer, size=900, overlap=99)
    assert all(a.span.end < b.span.start for a, b in itertools.pairwise(apart))


def test_a_small_block_goes_with_the_long_one_that_follows() -> None:
    writer = Writer()
    writer.block("paragraph", "Note.")
    writer.block("paragraph", " ".join(sentence(n) for n in range(20)))
    found = passages(writer, size=900)
    assert found[0].text.startswith("Note.\n\nSentence 0")


def test_a_short_last_passage_is_evened_out() -> None:
    writer = Writer()
    for n in range(4):
        writer.block("paragraph", sentence(n, 220))
    writer.block("paragraph", sentence(5, 100))
    assert [len(p.text) for p in passages(writer, size=900)] == [664, 322]


def test_words_are_windows_of_words() -> None:
    writer = Writer()
    writer.block("paragraph", " ".join(f"w{n}" for n in range(500)))
    found = passages(writer, kind="words", size=200, overlap=30)
    assert [len(p.text.split()) for p in found] == [200, 200, 160]
    assert found[0].text.split()[-30:] == found[1].text.split()[:30]


def test_paragraphs_are_merged_when_short_and_cut_when_long() -> None:
    writer = Writer()
    for length in (100, 300, 700, 1700, 40):
        writer.block("paragraph", " ".join(sentence(n) for n in range(length // 100)) or "x" * length)
    found = passages(writer, kind="paragraphs", size=800, overlap=100, merge_below=150)
    assert [len(p.text) for p in found][:2] == [404, 706]
    assert all(len(p.text) <= 800 for p in found)
    assert found[-1].text.endswith("x" * 40)


def test_pages_are_those_the_slice_touches() -> None:
    writer = Writer()
    for number in (1, 2, 3):
        writer.page(number)
        writer.block("paragraph", sentence(number))
    (whole,) = passages(writer, size=900)
    assert whole.pages == (1, 2, 3)
    assert [p.pages for p in passages(writer, size=120)] == [(1,), (2,), (3,)]


def test_a_document_of_headings_alone_gives_no_passage() -> None:
    writer = Writer()
    writer.heading("One", 1)
    writer.heading("Two", 2)
    assert passages(writer) == ()


def test_what_follows_a_definition_among_definitions_belongs_to_it() -> None:
    writer = Writer()
    writer.heading("Definitions", 1)
    writer.block("paragraph", "Some words have a meaning of their own.")
    writer.block("paragraph", "Stock means goods for sale.")
    writer.block("paragraph", "Stock does not include tobacco.")
    writer.block("paragraph", "Storm means strong wind.")
    found = [(p.term, p.text) for p in passages(writer)]
    assert found == [
        (None, "Some words have a meaning of their own."),
        ("Stock", "Stock means goods for sale.\n\nStock does not include tobacco."),
        ("Storm", "Storm means strong wind."),
    ]


def test_the_sentence_above_a_sub_section_is_in_its_context() -> None:
    writer = Writer()
    writer.heading("Exclusions", 1)
    writer.block("paragraph", "We do not cover loss caused by:")
    writer.heading("War", 2)
    writer.block("paragraph", "any war;")
    _, war = passages(writer)
    assert war.context == "We do not cover loss caused by:"
    assert [lead.text for lead in war.units[0].lead] == ["We do not cover loss caused by:"]
