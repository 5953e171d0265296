"""What turns an answer round beside its reference, and what says the same in other words."""

from __future__ import annotations

import pytest

from citeleaf.evaluate.facts import judge_text
from citeleaf.evaluate.turns import turns


@pytest.mark.parametrize(
    ("reference", "answer", "found"),
    [
        ("The gate opens if the lamp is green.", "The gate opens unless the lamp is green.", "condition"),
        ("The gate opens if the lamp is green.", "The gate opens even if the lamp is green.", "condition"),
        ("The gate opens only if the lamp is green.", "The gate opens whether or not the lamp is green.", "condition"),
        ("The barge may leave in fog.", "The barge may leave only in fog.", "exclusivity"),
        ("Goods sent to Malta are insured.", "Goods sent anywhere are insured.", "scope"),
        ("The captain signs the cargo list.", "The owner signs the cargo list.", "parties"),
        ("The captain signs the cargo list.", "The captain may sign the cargo list.", "modality"),
        (
            "The first page names the ship and the last page lists the crew.",
            "The first page lists the crew and the last page names the ship.",
            "order",
        ),
        ("The crew pays the fee exceeding the limit.", "The crew pays the fee exceeding 20% of the limit.", "quantity"),
        ("Leaks are reported on the next working day.", "Leaks are reported within four working days.", "quantity"),
        ("Red buoys are inspected, but green buoys are not.", "Green buoys are inspected.", "negation"),
        ("Red buoys are excluded, but green buoys are not.", "Green buoys are excluded like red ones.", "negation"),
        (
            "The rules do not set a form and skippers should have freedom to design it.",
            "The rules set a form and leave skippers no freedom to design it.",
            "negation",
        ),
        ("It is the pilot who closes the gate.", "It is harbour control that closes the gate.", "parties"),
        (
            "The owner of the barge held in trust is the trustee.",
            "The owner of the barge held in trust is the settlor.",
            "parties",
        ),
        ("The berth is let again only if the council agrees.", "The council must agree to let the berth.", "modality"),
        ("The limit is $900 for any one loss.", "The limit is $900 for the whole year, however many losses.", "scope"),
    ],
)
def test_a_turn_is_named(reference: str, answer: str, found: str) -> None:
    assert found in turns(answer, reference)
    assert turns(reference, reference) == ()


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("The gate stays shut unless the lamp is green.", "Unless the lamp is green, the gate stays shut."),
        ("The pump must not run until the valve is open.", "The pump may run only after the valve is open."),
        ("The fee is not due if the boat is late.", "The fee is due unless the boat is late."),
        ("The customer signs the cargo list.", "The client signs the cargo list."),
        ("Theft is not covered.", "Theft is excluded."),
        ("Only if the lamp was lit.", "We will not pay for the pump, unless the lamp was lit."),
        (
            "A red buoy stays out for at least 24 months.",
            "A red buoy stays out for at least 24 months. A green or yellow buoy stays out for at least 12 months.",
        ),
        ("The captain signs the cargo list.", "The cargo list is signed by the captain."),
        ("Red buoys are excluded, but green buoys are not.", "Green buoys are not excluded."),
        ("Red buoys are inspected, but green buoys are not.", "Red buoys are inspected."),
        ("It is the pilot who closes the gate.", "It is the pilot that closes the gate."),
        ("The berth is let again only if the council agrees.", "The berth may be let again if the council agrees."),
        ("The limit is $900 for any one loss.", "The limit is $900 for each loss."),
    ],
)
def test_the_same_in_other_words_turns_nothing(reference: str, answer: str) -> None:
    assert turns(answer, reference) == ()


def test_a_turn_beside_the_right_sentence_is_still_a_turn() -> None:
    right, wrong = "The gate opens if the lamp is green.", "The gate opens unless the lamp is green."
    assert turns(f"{right} {wrong}", right) == ("condition",)


@pytest.mark.parametrize("answer", ["Rain is covered whether or not it was forecast.", "Rain is covered either way."])
def test_whether_or_not_denies_nothing(answer: str) -> None:
    assert judge_text(answer, ["Rain is covered even if it was forecast."]).turned == ()
    assert judge_text("Rain is not covered whether or not it was forecast.", [answer]).turned
