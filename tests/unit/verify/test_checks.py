"""Each check on pairs of a claim and a passage: what it must catch, and true wordings that it must leave alone."""

from __future__ import annotations

import time

import pytest

from citeleaf.types import Span
from citeleaf.verify.align import match, pieces, prefer
from citeleaf.verify.finding import Finding, Sides
from citeleaf.verify.reading import read
from citeleaf.verify.run import NAMES, checks, contradictions
from support.evidence import document, passage


def findings(claim: str, text: str) -> dict[str, Finding]:
    """All findings by name."""
    found = pieces(passage(document("doc", text)))
    said = read(claim)
    order = prefer(said, found)
    sides = Sides(said, tuple(match(said, found[i]) for i in order[:3]), tuple(found[i] for i in order[3:]))
    return {f.name: f for f in checks(sides)}


CAUGHT = [
    ("numbers", "The hire charge is 40 dollars a day.", "The hire charge is $35 a day."),
    ("numbers", "Members keep sixty percent of the proceeds.", "Members keep 55% of the proceeds."),
    ("numbers", "The museum closes at 18:00.", "The museum closes at 17:00."),
    ("numbers", "The museum opens before 9:30 a.m.", "The museum opens before 9:30 p.m."),
    ("numbers", "A ticket costs EUR 14.30.", "A ticket costs EUR 14.20."),
    ("numbers", "The parcel weighs 1.54 kg.", "The parcel weighs 1.45 kg."),
    ("units", "The dose is 5 g a day.", "The dose is 5 mg a day."),
    ("units", "The pump delivers 3.5 ml/min.", "The pump delivers 3.5 l/min."),
    ("periods", "Tenants give notice within 21 days of leaving.", "Tenants give notice within two weeks of leaving."),
    ("periods", "The deposit is returned within 30 days.", "The deposit is returned within one month."),
    ("dates", "The scheme closes on 4 May 2021.", "The scheme closes on 5 May 2021."),
    ("units", "The tank holds 30 litres of fuel.", "The tank holds 30 kg of fuel."),
    ("comparators", "Crews rest at most nine hours between shifts.", "Crews rest at least nine hours between shifts."),
    ("comparators", "A parcel is inspected after 30 days.", "A parcel is inspected within 30 days."),
    ("negation", "The library does not lend maps to visitors.", "The library lends maps to visitors."),
    ("negation", "Visitors can enter the archive.", "Visitors cannot enter the archive."),
    ("negation", "We will pay for damage to fences.", "We will not pay for:\n- damage to fences;\n- damage to gates."),
    ("negation", "A fee is due if the book is not returned on time.", "A fee is due if the book is returned on time."),
    ("exceptions", "Boats are admitted even if they lack a permit.", "Boats are admitted only if they hold a permit."),
    ("exceptions", "Ferries run without hand luggage checks.", "Ferries do not run without hand luggage checks."),
    ("modality", "The warden may lock the gate at dusk.", "The warden must lock the gate at dusk."),
    ("modality", "Locking the gate at dusk is optional.", "Locking the gate at dusk is mandatory."),
    ("modality", "Pilots must file a plan before departure.", "Pilots should file a plan before departure."),
    ("parties", "You will tell Us about the transfer.", "We will tell You about the transfer."),
    ("parties", "The tenant repairs the roof.", "The landlord repairs the roof."),
    ("parties", "The lease ends at Your option.", "The lease ends at Our option."),
    ("directions", "Cover stops at the opening of the season.", "Cover stops at the closing of the season."),
    ("directions", "Sales must be reported before the audit.", "Sales must be reported after the audit."),
    ("directions", "The claim is settled before the survey.", "The survey is settled before the claim."),
    ("quantifiers", "All branches open on Sunday.", "Some branches open on Sunday."),
    ("names", "Form CT-104 is sent to the registrar.", "Form CT-401 is sent to the registrar."),
    ("names", "The permit is issued by the mayor of Elverum.", "The permit is issued by the mayor of Hamar."),
    ("quoted", "The notice says “keep clear of the slipway”.", "The notice says keep away from the slipway."),
    ("units", "The file is kept for 90 calendar weeks.", "The file is kept for 90 calendar days."),
    ("wording", "The gate is locked and the alarm set.", "The gate is locked or the alarm set."),
    ("wording", "Sales rose from 15 tons to 12 tons.", "Sales rose from 12 tons to 15 tons."),
    ("wording", "The auditor is informed by the board of losses.", "The auditor informs the board of losses."),
    ("wording", "Clerks must be notified by their manager.", "Clerks must notify their manager."),
    ("wording", "Bring in the nets before dusk.", "If a storm is forecast, bring in the nets before dusk."),
    ("additions", "The shed is closed on Sundays and on holidays.", "The shed is closed on Sundays."),
    ("additions", "The deposit is returned by registered post.", "The deposit is returned within a week."),
    ("words", "Anglers pay a surcharge for night fishing.", "Anglers need a licence for night fishing."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "claim", "text"), CAUGHT, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(CAUGHT)])
def test_a_change_of_meaning_is_caught_and_explained(name: str, claim: str, text: str) -> None:
    found = findings(claim, text)[name]
    assert found.state == "failed"
    assert found.detail and "\n" not in found.detail
    if found.contradicts:
        assert found.said is not None and claim[found.said.start : found.said.end].strip()
        assert found.found is not None and found.found.text in text


TRUE = [
    ("The hire charge is thirty-five dollars a day.", "The hire charge is $35 a day."),
    ("Tenants must give notice within 14 days of leaving.", "Tenants must give notice within two weeks of leaving."),
    ("The museum closes at 5 pm.", "The museum closes at 17:00."),
    ("The museum closes at 5.30 pm.", "The museum closes at 17:30."),
    ("The dose is 0.5 g a day.", "The dose is 500 mg a day."),
    ("Half of the fee is returned.", "50% of the fee is returned."),
    ("No more than nine hours may pass between shifts.", "At most nine hours may pass between shifts."),
    ("Boats are admitted unless they lack a permit.", "Boats are admitted if they hold a permit."),
    ("Ferries run only with hand luggage checks.", "Ferries do not run without hand luggage checks."),
    ("We will not pay for damage to gates.", "We will not pay for:\n- damage to fences;\n- damage to gates."),
    ("The gate has to be locked by the warden at dusk.", "The warden must lock the gate at dusk."),
    ("The roof is repaired by the landlord.", "The landlord repairs the roof."),
    ("The survey follows after the claim.", "The claim comes before the survey."),
    ("Visitors are not able to enter the archive.", "Visitors cannot enter the archive."),
    ("Not only members but also guests pay the entry fee.", "Members and guests pay the entry fee."),
]


@pytest.mark.parametrize(("claim", "text"), TRUE)
def test_true_wordings_are_not_contradicted(claim: str, text: str) -> None:
    assert contradictions(tuple(findings(claim, text).values())) == ()


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The board is informed by the auditor.", "The auditor informs the board."),
        ("The board is informed by the auditor.", "The board is informed of it by the auditor."),
        ("Losses are reported by Friday.", "Report losses by Friday."),
        ("Bring in the nets when a storm is forecast.", "If a storm is forecast, bring in the nets."),
        ("Sales rose from 12 tons to 15 tons.", "From 12 tons to 15 tons, sales rose."),
    ],
)
def test_other_voices_orders_and_conditions_that_agree_are_told_apart(claim: str, text: str) -> None:
    detail = findings(claim, text)["wording"].detail
    assert "another place" not in detail and "leaves out" not in detail


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "The shed is closed on Sundays and the yard in winter.",
            "In winter the yard, and on Sundays the shed, is closed.",
        ),
        ("Visitors sign the book before entering.", "Visitors must sign the book before they enter the yard."),
        ("Guests depart.", "Guests leave at noon."),
    ],
)
def test_what_the_passage_knows_is_no_addition(claim: str, text: str) -> None:
    assert findings(claim, text)["additions"].state == "passed"


@pytest.mark.parametrize(
    ("name", "claim", "text"),
    [
        ("periods", "Başvuru 30 gün içinde yapılır.", "Başvuru 15 gün içinde yapılır."),
        ("negation", "Şubeler için bu ücret geri ödenmez.", "Şubeler için bu ücret geri ödenir."),
        ("modality", "Kapı akşamları kilitlenmelidir.", "Kapı akşamları kilitlenebilir."),
    ],
)
def test_turkish_numbers_negation_and_duty(name: str, claim: str, text: str) -> None:
    assert findings(claim, text)[name].state == "failed"


def test_one_finding_a_check_in_a_fixed_order() -> None:
    assert tuple(findings("Anything goes.", "Nothing matters here.")) == NAMES


def test_the_words_are_those_of_the_document() -> None:
    text = "Notes. The warden must lock the gate at dusk."
    found = findings("The warden may lock the gate at dusk.", text)["modality"]
    assert found.said == Span(11, 14)
    assert found.found is not None
    assert text[found.found.span.start : found.found.span.end] == found.found.text == "must"


def test_time_is_linear_in_the_length_of_a_claim() -> None:
    def seconds(n: int) -> float:
        claim = "The warden may not lock gate 7 unless 30 days pass, " * n
        start = time.perf_counter()
        findings(claim, "The warden must lock the gate at dusk. " * 20)
        return time.perf_counter() - start

    seconds(1)
    assert seconds(400) < 2.0
