from __future__ import annotations

import time

import pytest

from citeleaf.answer.cite import resolve
from citeleaf.answer.claims import skipped, split_claims
from citeleaf.types import Claim, Draft, Quotation, Span
from support.evidence import document, evidence, passage

FOUND = evidence(*(passage(document(d, "Cash is counted daily. Keys are kept in the safe.")) for d in "ab"))


def claims(text: str, *quotations: Quotation) -> tuple[Claim, ...]:
    draft = Draft(text, text, False, "fake", None, quotations)
    return split_claims(draft, resolve(draft, FOUND))


def told(text: str) -> list[tuple[str, list[str]]]:
    return [(c.text, [x.marker for x in c.cites]) for c in claims(text)]


def test_a_marker_belongs_to_its_sentence_before_or_after_the_stop() -> None:
    assert told("Cash is counted daily [1]. Keys are in the safe. [2] Done at 5 p.m. daily.") == [
        ("Cash is counted daily.", ["[1]"]),
        ("Keys are in the safe.", ["[2]"]),
        ("Done at 5 p.m. daily.", []),
    ]


def test_two_markers_in_one_sentence_are_both_its_own() -> None:
    assert told("Cash is counted daily [1] and keys are kept [2].") == [
        ("Cash is counted daily and keys are kept.", ["[1]", "[2]"])
    ]


def test_bullets_are_claims_without_their_bullet() -> None:
    assert told("The rules:\n- cash is counted [1]\n- keys are kept [2]\n2. doors are shut") == [
        ("The rules:", []),
        ("cash is counted", ["[1]"]),
        ("keys are kept", ["[2]"]),
        ("doors are shut", []),
    ]


def test_spans_point_into_the_draft_and_numbers_count_from_one() -> None:
    text = "Cash is counted daily [1]. Keys are in the safe [2]."
    found = claims(text)
    assert [c.n for c in found] == [1, 2]
    assert text[found[1].at.start : found[1].at.end] == "Keys are in the safe [2]."


def test_a_quotation_is_one_claim_whatever_is_in_it() -> None:
    text = "Cash. Keys [1]. Doors? [2]"
    quotation = Quotation(Span(0, text.index("?") + 1), FOUND[1].passage.id, (FOUND[1].passage.units[0].quote,))
    (claim,) = claims(text, quotation)
    assert claim.text == "Cash. Keys [1]. Doors?"
    assert [c.marker for c in claim.cites] == ["[2]"]


def test_pieces_without_letters_and_abstaining_drafts_have_no_claims() -> None:
    assert claims("* * * [1]\n\n—") == ()
    assert split_claims(Draft("", "The documents do not say.", True, "fake"), ()) == ()


def test_a_claim_that_points_back_is_searched_with_what_it_points_to() -> None:
    from citeleaf.answer.claims import standing

    draft = Draft(
        "The gate is locked. It opens at six. Dogs bark.", "The gate is locked. It opens at six. Dogs bark.", False, "x"
    )
    claims = split_claims(draft, ())
    assert standing(claims) == ("The gate is locked.", "The gate is locked. It opens at six.", "Dogs bark.")
    assert standing(claims[1:], "When does the gate open?")[0] == "When does the gate open? It opens at six."
    assert all(draft.text[c.at.start : c.at.end] == c.text for c in claims)


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_headings_and_code_are_pieces_of_their_own_and_hide_no_sentence(fence: str) -> None:
    text = f"# Gates\nThe gate is locked.\n{fence}py\nx = 1\n\ny = 2\n{fence}\nDogs bark.\n\n#2 is a tie."
    found = split_claims(Draft(text, text, False, "given"), ())
    stated = [c.text for c in found if skipped(c, text) is None]
    assert stated == ["The gate is locked.", "Dogs bark.", "#2 is a tie."]
    assert {skipped(c, text) for c in found} == {None, "heading", "code"}


def test_a_long_run_of_blanks_takes_no_time() -> None:
    began = time.process_time()
    assert told("Cash is counted" + " " * 60_000 + "daily .") == [("Cash is counted daily.", [])]
    assert time.process_time() - began < 2
