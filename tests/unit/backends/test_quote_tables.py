"""Answers from tables: a row is said with the headings of its cells, and with what introduces the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import split_claims
from citeleaf.backends.verify_overlap import OverlapVerifier
from support.written import answer, as_evidence, markdown, page, taken_in

LOANS = """# Loans

How long things are lent depends on the kind of member:

| Member | Books | Films | Fine |
|---|---|---|---|
| Child | 4 weeks | 1 week | |
| Student | 6 weeks | 2 weeks | 0.20 |
| Guest | 2 weeks | none | 0.50 |

A loan may be renewed twice.
"""
STORE = """<h1>Storage</h1><p>Chemicals are stored as follows:</p>
<table><tr><th rowspan=2>Class</th><th colspan=2>Amount</th><th rowspan=2>Place</th></tr>
<tr><th>Bench</th><th>Cabinet</th></tr>
<tr><td rowspan=2>Acids</td><td>2 litres</td><td>10 litres</td><td>Vented cabinet</td></tr>
<tr><td>half a litre of nitric acid</td><td>4 litres</td><td>Separate tray</td></tr>
<tr><td colspan=4>Flammable goods</td></tr>
<tr><td>Solvents</td><td>1 litre</td><td>25 litres</td><td>Fire cabinet</td></tr></table>"""


def test_a_row_is_said_with_its_headings_under_the_sentence_before_the_table(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, LOANS))
    draft = answer("How long may a student keep films?", found)
    assert draft.text == (
        "How long things are lent depends on the kind of member:\n[…]\n"
        "Member: Student; Books: 6 weeks; Films: 2 weeks; Fine: 0.20\n[…] [1]"
    )
    assert [q.text for q in draft.quotations[0].quotes] == [
        "How long things are lent depends on the kind of member:\n\nMember\tBooks\tFilms\tFine",
        "Student\t6 weeks\t2 weeks\t0.20",
    ]


def test_an_empty_cell_is_not_said_and_does_not_shift_the_others(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, LOANS.replace("| 4 weeks | 1 week | |", "| | 1 week | none |")))
    assert "Member: Child; Films: 1 week; Fine: none" in answer("What may a child borrow?", found).text


def test_every_quotation_is_exact_and_the_answer_counts_as_quoted(tmp_path: Path) -> None:
    document, found = taken_in(page(tmp_path, STORE))
    evidence = as_evidence(found)
    for question in ("How much nitric acid is stored?", "Where are solvents stored?", "What is stored at the bench?"):
        draft = answer(question, found)
        for quote in (quote for quotation in draft.quotations for quote in quotation.quotes):
            assert document.text[quote.span.start : quote.span.end] == quote.text
        verdicts = OverlapVerifier().verify(split_claims(draft, resolve(draft, evidence)), evidence)
        assert verdicts and all(v.score == 1.0 for v in verdicts), question


def test_a_cell_under_another_heading_does_not_count_as_quoted(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, LOANS))
    evidence = as_evidence(found)
    draft = answer("How long may a student keep films?", found)
    (claim,) = split_claims(draft, resolve(draft, evidence))
    swapped = claim.text.replace("Books: 6 weeks; Films: 2 weeks", "Books: 2 weeks; Films: 6 weeks")
    assert swapped != claim.text
    (verdict,) = OverlapVerifier().verify([replace(claim, text=swapped)], evidence)
    assert verdict.score < 1.0


def test_cells_that_reach_down_and_headings_over_several_columns_are_read_with_the_row(tmp_path: Path) -> None:
    _, found = taken_in(page(tmp_path, STORE))
    said = "Class: Acids; Amount, Bench: half a litre of nitric acid; Amount, Cabinet: 4 litres; Place: Separate tray"
    assert said in answer("How much nitric acid is stored?", found).text


def test_a_row_over_the_whole_width_names_the_rows_under_it(tmp_path: Path) -> None:
    _, found = taken_in(page(tmp_path, STORE))
    text = answer("Where are solvents stored?", found).text
    assert "Flammable goods; Class: Solvents; Amount, Bench: 1 litre; Amount, Cabinet: 25 litres" in text
    assert "Acids" not in text


@pytest.mark.parametrize("question", ["What is the fine?", "What do members pay as a fine?"])
def test_column_headings_are_never_quoted_alone(tmp_path: Path, question: str) -> None:
    _, found = taken_in(markdown(tmp_path, LOANS))
    text = answer(question, found).text
    assert "Fine: 0.50" in text or "Fine: 0.20" in text


def test_two_cells_without_headings_are_a_name_and_its_value(tmp_path: Path) -> None:
    rows = "<tr><td>Policy no.</td><td>HB-2231</td></tr><tr><td>Premium:</td><td>$4,310 a year</td></tr>"
    _, found = taken_in(page(tmp_path, f"<h1>Schedule</h1><table>{rows}</table>"))
    assert answer("What is the premium?", found).text == "Premium: $4,310 a year [1]"


def test_a_row_without_introduction_stands_for_itself(tmp_path: Path) -> None:
    alone = LOANS.replace("How long things are lent depends on the kind of member:", "")
    _, found = taken_in(markdown(tmp_path, alone))
    assert answer("How long may a student keep films?", found).text == (
        "Member: Student; Books: 6 weeks; Films: 2 weeks; Fine: 0.20 [1]"
    )


def test_a_whole_table_is_quoted_when_all_of_it_is_asked_for_and_fits(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, LOANS))
    text = answer("Which conditions are there for each member?", found).text
    assert [line.split(";")[0] for line in text.split("\n")[1:4]] == [
        "Member: Child",
        "Member: Student",
        "Member: Guest",
    ]
    assert "[…]" not in text.split(" [1]")[0]


def test_headings_and_introduction_go_with_the_rows_of_a_cut_table(tmp_path: Path) -> None:
    rows = "".join(f"| P-{n} | Scan of the joint number {n} | ${120 + n} |\n" for n in range(40))
    text = f"# Fees\n\nWe charge these fees:\n\n| Code | Procedure | Fee |\n|---|---|---|\n{rows}"
    document, found = taken_in(markdown(tmp_path, text), size=500)
    assert len(found) > 2 and all(document.text[p.span.start : p.span.end] == p.text for p in found)
    assert all(p.context == "We charge these fees:\nCode | Procedure | Fee" for p in found[1:])
    said = "We charge these fees:\n[…]\nCode: P-33; Procedure: Scan of the joint number 33; Fee: $153\n[…]"
    assert said in answer("What is the fee for scan P-33?", found).text


def test_a_marked_figure_brings_the_note_for_its_mark(tmp_path: Path) -> None:
    table = "| Item | Limit |\n|---|---|\n| Cash in a till | $500 * |\n| Cash in a safe | $9,000 |\n"
    text = f"# Limits\n\n{table}\n\\* Nothing is paid outside business hours.\n"
    _, found = taken_in(markdown(tmp_path, text))
    said = answer("What is the limit for cash in a till?", found).text
    assert "Item: Cash in a till; Limit: $500 *" in said and "* Nothing is paid outside business hours." in said
