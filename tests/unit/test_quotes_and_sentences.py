from __future__ import annotations

import time

from citeleaf.quotes import cut, folded, joined, one_line, whole
from citeleaf.sentences import sentences
from citeleaf.types import Span
from support.evidence import document, passage, quote

DOC = document("a", "  One rule. Two rules.\n- three; four  ")


def test_neighbours_and_overlaps_become_one_exact_quote() -> None:
    held = passage(DOC)
    one, two, three = quote(DOC, 2, 11), quote(DOC, 12, 22), quote(DOC, 25, 31)
    assert [q.text for q in joined([two, one, three, one], held)] == ["One rule. Two rules.", "three;"]
    assert [q.text for q in joined([quote(DOC, 2, 15), two], held)] == ["One rule. Two rules."]
    assert joined([quote(DOC, 2, 22), quote(DOC, 6, 10)], held) == (quote(DOC, 2, 22),)


def test_quotes_outside_the_passage_stay_apart() -> None:
    held = passage(DOC, 12)
    one, two = quote(DOC, 2, 11), quote(DOC, 12, 22)
    assert joined([two, one], held) == (one, two)


def test_whole_and_cut_are_exact() -> None:
    held = passage(DOC, 12)
    assert whole(held).text == "Two rules.\n- three; four"
    assert DOC.text[whole(held).span.start : whole(held).span.end] == whole(held).text
    assert cut(held, 16, 21) == quote(DOC, 16, 21)


def test_folding_makes_kinds_of_marks_and_spaces_alike() -> None:
    assert folded("The “Insured’s”\n 24‑hour ﬁre\u00ad wall") == folded('the "insured\'s" 24-hour fire wall')
    assert folded("$1,000") != folded("$100")
    assert one_line(" a\n b\t c ") == "a b c"


def test_abbreviations_numbers_and_initials_end_no_sentence() -> None:
    text = 'Pay $5.50, e.g. for theft. See No. 5 of J. Smith. "Is it?" Yes! 1. First item. The U.S. Bank says so.'
    assert [text[s.start : s.end] for s in sentences(text)] == [
        "Pay $5.50, e.g. for theft.",
        "See No. 5 of J. Smith.",
        '"Is it?"',
        "Yes!",
        "1. First item.",
        "The U.S. Bank says so.",
    ]


def test_empty_lines_and_other_stops_end_sentences() -> None:
    text = "No stop here\n\nNext one。第二句。 last"
    assert [text[s.start : s.end] for s in sentences(text)] == ["No stop here", "Next one。", "第二句。", "last"]
    assert sentences(" \n ") == []


def test_long_runs_of_marks_and_blanks_take_no_time() -> None:
    began = time.process_time()
    for text in ("." * 100_000 + "a", "One." + " " * 100_000 + "a", "One. " + "(" * 100_000 + "a"):
        assert sentences(text) == [Span(0, len(text))]
    assert time.process_time() - began < 2
