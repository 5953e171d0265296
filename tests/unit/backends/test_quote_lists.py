"""Answers from lists: whole where they are asked for and fit, else with a sign where items are left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeleaf.settings import QuoteSettings
from support.written import answer, markdown, page, taken_in

OR = """# Losses

We do not pay for:

- rust and rot;
- loss at sea;
- theft by a guest; or
- damage by vermin.

But this does not apply to:

- bees; or
- wasps.
"""
AND = """# Claims

After a loss you must:

- ring the claims line;
- keep the damaged goods; and
- send us the receipts.
"""
NESTED = """<h1>Closing</h1><p>Before leaving the laboratory you must:</p><ol><li>close the gas valves;</li>
<li>switch off:<ol type="a"><li>the ovens;</li><li>the stirrers; and</li><li>the plates;</li></ol></li>
<li>lock the cabinet; or</li><li>call the porter.</li></ol>"""


def test_a_list_that_is_asked_for_is_whole_and_has_no_sign(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, OR))
    text = answer("Which losses do you not pay for?", found).text
    said = "We do not pay for:\nrust and rot;\nloss at sea;\ntheft by a guest; or\ndamage by vermin."
    assert text.startswith(f"{said} [1]")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is rust and rot paid?", "We do not pay for:\nrust and rot;\n[…]"),
        ("Is theft by a guest paid?", "We do not pay for:\n[…]\ntheft by a guest; or\n[…]"),
        ("Is damage by vermin paid?", "We do not pay for:\n[…]\ndamage by vermin."),
    ],
)
def test_items_that_are_left_out_before_between_and_after_show(tmp_path: Path, question: str, said: str) -> None:
    _, found = taken_in(markdown(tmp_path, OR))
    assert answer(question, found).text.startswith(said)


def test_the_exception_that_follows_a_list_comes_with_its_items(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, OR))
    assert "But this does not apply to:\nbees; or\nwasps. [1]" in answer("Is loss at sea paid?", found).text


def test_a_list_that_holds_together_is_whole_even_when_one_item_is_asked_for(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, AND))
    assert answer("Do I have to keep the damaged goods?", found).text == (
        "After a loss you must:\nring the claims line;\nkeep the damaged goods; and\nsend us the receipts. [1]"
    )


def test_a_list_that_holds_together_and_does_not_fit_shows_its_gaps(tmp_path: Path) -> None:
    _, found = taken_in(markdown(tmp_path, AND))
    text = answer("Do I have to keep the damaged goods?", found, QuoteSettings(max_characters=60)).text
    assert text == "After a loss you must:\n[…]\nkeep the damaged goods; and\n[…] [1]"


def test_a_list_longer_than_twice_the_budget_is_cut_with_a_sign(tmp_path: Path) -> None:
    items = "".join(f"- the machine number {n} in the great hall;\n" for n in range(1, 60))
    _, found = taken_in(markdown(tmp_path, f"# Machines\n\nWe insure these machines:\n\n{items}- all others.\n"))
    text = answer("Which items of machines do you insure?", found).text
    assert text.startswith("We insure these machines:\n")
    assert "the machine number 1 in the great hall;" in text
    assert "[…]" in text and len(text) < 2 * QuoteSettings().max_characters + 100


def test_a_list_quoted_beside_a_sentence_is_whole_where_the_question_asks_for_a_list(tmp_path: Path) -> None:
    text = (
        "# Reviews\n\nA review begins within five days of an event that triggers a review of a customer.\n\n"
        "Events that trigger it are:\n\n- a new owner of a customer;\n- a move abroad;\n- bad news.\n"
    )
    _, found = taken_in(markdown(tmp_path, text))
    said = answer("Which events trigger a review of a customer?", found).text
    assert said.startswith("A review begins within five days")
    assert said.endswith("Events that trigger it are:\na new owner of a customer;\na move abroad;\nbad news. [1]")


def test_a_list_inside_an_item_stands_in_its_place(tmp_path: Path) -> None:
    _, found = taken_in(page(tmp_path, NESTED))
    whole = answer("What steps must you take before leaving the laboratory?", found).text
    assert whole == (
        "Before leaving the laboratory you must:\n1. close the gas valves;\n2. switch off:\na. the ovens;\n"
        "b. the stirrers; and\nc. the plates;\n3. lock the cabinet; or\n4. call the porter. [1]"
    )
    inner = answer("Are the stirrers switched off?", found).text
    assert inner == (
        "Before leaving the laboratory you must:\n[…]\n2. switch off:\na. the ovens;\nb. the stirrers; and\n"
        "c. the plates;\n[…] [1]"
    )


def test_a_second_list_that_adds_to_the_first_comes_along(tmp_path: Path) -> None:
    text = (
        "# Joining\n\nTo join you need one of these documents:\n\n- a passport; or\n- a card.\n\n"
        "You also need both of these:\n\n- a photograph; and\n- the fee.\n"
    )
    _, found = taken_in(markdown(tmp_path, text))
    assert answer("Which documents do I need to join?", found).text == (
        "To join you need one of these documents:\na passport; or\na card. [1] "
        "You also need both of these:\na photograph; and\nthe fee. [1]"
    )


def test_items_in_two_passages_show_no_gap_where_they_go_on(tmp_path: Path) -> None:
    items = "".join(f"- the costly machine number {n} in the great hall of the works;\n" for n in range(1, 11))
    _, found = taken_in(markdown(tmp_path, f"# Machines\n\nWe insure:\n\n{items}- the yard.\n"), size=300)
    assert len(found) > 1
    text = answer("Which items of machines do you insure?", found).text
    assert all(f"number {n} " in text for n in range(1, 11)) and "the yard." in text
    assert "[…]" not in text


def test_a_sentence_that_ends_in_a_colon_is_never_quoted_alone(tmp_path: Path) -> None:
    text = "# Limits\n\nThe limit for tents is:\n\n## Elsewhere\n\nTents are dried before they are stored.\n"
    _, found = taken_in(markdown(tmp_path, text))
    assert "is: [1]" not in answer("What is the limit for tents?", found).text


def test_the_rule_before_a_lead_that_is_its_exception_comes_with_the_items(tmp_path: Path) -> None:
    rule = "We do not pay if the vehicle is unregistered."
    lead = "However, we pay your liability for an unregistered vehicle, provided:"
    _, found = taken_in(markdown(tmp_path, f"# Vehicles\n\n{rule} {lead}\n\n- you hold a permit; or\n- it is towed.\n"))
    text = answer("Is liability for an unregistered vehicle that is towed paid?", found).text
    assert text.index(rule) < text.index(lead) < text.index("it is towed.")
