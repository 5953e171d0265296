"""Where sentences end and what the units of a block are."""

from __future__ import annotations

import time

import pytest

from citeleaf.ingest.units import sentences, units
from citeleaf.types import Block, Span


def split(text: str, language: str = "en", limit: int | None = None) -> list[str]:
    return [text[s.start : s.end] for s in sentences(text, Span(0, len(text)), language=language, limit=limit)]


@pytest.mark.parametrize(
    "text",
    [
        "Cover applies to tools, e.g. drills and saws.",
        "Cover applies to tools, e.g. Bosch drills, i.e. Power tools.",
        "See Art. 5 and s. 12(3), ss. 14 to 16 and cl. 3.2 of the Act.",
        "The limit under No. 5 is USD 1,000.50 per event.",
        "Mr. Smith of Acme Ltd. Board fame met Dr. Jones at St. John Street.",
        "Rules of the U.S. Treasury apply to J. P. Smith.",
        "3.2 Section 4.1. of the schedule applies.",
        "1. The insurer pays.",
        "(a) The insurer pays.",
        "iv. The insurer pays.",
        "A claim (see Annex A. It is long.) is paid.",
        "The loss is 3.5 % of 1.000,00 in total.",
        "You must (a) tell us; (b) keep receipts; and (c) wait.",
        "He said “why?” and left.",
        "Well … that depends.",
        "The insurer etc. and others pay.",
        "See Fig. 3, p. 12 and Vol. II for details.",
        "Open from 9 a.m. to 5 p.m. daily.",
        "It cites Brown et al. 2019 throughout.",
        "As set out in “2. Claims expenses” and (3. Limits) below.",
    ],
)
def test_one_sentence_stays_one(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("We pay. You wait.", ["We pay.", "You wait."]),
        ("We pay! Do you? 12 months pass.", ["We pay!", "Do you?", "12 months pass."]),
        ("He said “we pay.” Then he left.", ["He said “we pay.”", "Then he left."]),
        ("It is covered. (Not at sea.) It is paid.", ["It is covered.", "(Not at sea.)", "It is paid."]),
        ("We insure ABC Pty Ltd. The sum is 5.", ["We insure ABC Pty Ltd.", "The sum is 5."]),
        ("We act in the U.S. The law is federal.", ["We act in the U.S.", "The law is federal."]),
        ("Tools, cars etc. We pay for them.", ["Tools, cars etc.", "We pay for them."]),
        ("Is it covered? No. You must ask first.", ["Is it covered?", "No.", "You must ask first."]),
        ("It ended in 2020. The rest is history.", ["It ended in 2020.", "The rest is history."]),
        ("Wait... The insurer pays.", ["Wait...", "The insurer pays."]),
        ("Closes at 5 p.m. The door is locked.", ["Closes at 5 p.m.", "The door is locked."]),
        ("First line\n\nsecond part", ["First line", "second part"]),
        ("You must:\n(a) call us;\n(b) wait.", ["You must:", "(a) call us;", "(b) wait."]),
        ("Under section\n(a) of the Act it is so.", ["Under section\n(a) of the Act it is so."]),
        ("保険金を払う。支払わない場合もある。", ["保険金を払う。", "支払わない場合もある。"]),
    ],
)
def test_sentences_end_where_they_should(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Av. Yılmaz, Dr. Kaya vb. kişiler bkz. Ek 3.", ["Av. Yılmaz, Dr. Kaya vb. kişiler bkz. Ek 3."]),
        ("5. Madde uyarınca 3. fıkra geçerlidir.", ["5. Madde uyarınca 3. fıkra geçerlidir."]),
        ("Müşteri beyanı T.C. Merkez Bankası için alınır.", ["Müşteri beyanı T.C. Merkez Bankası için alınır."]),
        ("Elma, armut vb. Bu liste uzar.", ["Elma, armut vb.", "Bu liste uzar."]),
        ("Banka A.Ş. olarak çalışır. Şube açılır.", ["Banka A.Ş. olarak çalışır.", "Şube açılır."]),
    ],
)
def test_turkish(text: str, parts: list[str]) -> None:
    assert split(text, "tr") == parts


def test_a_sentence_over_the_limit_is_cut_at_the_best_place() -> None:
    text = "one two three; four five six, seven eight nine ten eleven twelve"
    assert split(text, limit=30) == ["one two three; four five six,", "seven eight nine ten eleven", "twelve"]
    assert split("a" * 25, limit=10) == ["a" * 10, "a" * 10, "a" * 5]


@pytest.mark.parametrize("unit", ["a", ".", " ", "a ", "(", '."', "No. ", "\n", "...x", "e.g."])
def test_a_megabyte_without_a_sentence_takes_a_moment(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    begin = time.process_time()
    sentences(text, Span(0, len(text)), limit=900)
    assert time.process_time() - begin < 5


def test_units_of_a_list_item_leave_out_the_bullet_and_carry_the_lead() -> None:
    text = "You must:\n• call us"
    (unit,) = units(text, Block("list_item", Span(10, 19), (Span(0, 9),)))
    assert (unit.kind, unit.quote.text, unit.quote.span) == ("list_item", "call us", Span(12, 19))
    assert [quote.text for quote in unit.lead] == ["You must:"]


def test_a_short_item_is_one_unit_and_a_long_one_its_sentences() -> None:
    short = "We pay. You wait."
    assert len(units(short, Block("list_item", Span(0, len(short))))) == 1
    long = "We pay for all of it at once. " * 12
    assert len(units(long, Block("list_item", Span(0, len(long))))) == 12
    assert len(units(short, Block("paragraph", Span(0, len(short))))) == 2


def test_a_table_row_is_one_unit_led_by_its_column_headings() -> None:
    text = "Risk\tReview\nHigh\tYearly. Or sooner."
    (unit,) = units(text, Block("table_row", Span(12, len(text)), (Span(0, 4), Span(5, 11))))
    assert unit.quote.text == "High\tYearly. Or sooner."
    assert [quote.text for quote in unit.lead] == ["Risk\tReview"]


def test_the_later_sentences_of_a_long_definition_lean_on_the_first() -> None:
    text = "“Flood” means water over land. " + "It covers much of what people call by this name. " * 13
    first, *rest = units(text, Block("definition", Span(0, len(text)), cells=(Span(1, 6),)))
    assert first.quote.text == "“Flood” means water over land." and first.lead == ()
    assert len(rest) == 13 and all(unit.lead == (first.quote,) for unit in rest)
    short = text[:100]
    assert len(units(short, Block("definition", Span(0, 100), cells=(Span(1, 6),)))) == 1


def test_an_empty_block_has_no_unit() -> None:
    assert units("   ", Block("paragraph", Span(0, 3))) == ()
