"""Answers on invented documents that drop, add or turn a condition, an exception, a duty or a party, with their labels.

They were written before the scorer knew these turns. `SEEN` was looked at while it learnt them, `ASIDE` at the end.
"""

from __future__ import annotations

from support.labelled_answers import HALF, RIGHT, WRONG, Group

SEEN = (
    Group(
        "May a visitor enter the cold store?",
        "A visitor may enter the cold store only with an escort from the shift office.",
        (),
        (),
        (
            ("Visitors may only enter the cold store if the shift office escorts them.", RIGHT),
            ("Yes, but only with an escort from the shift office may a visitor enter the cold store.", RIGHT),
            ("A visitor may enter the cold store without an escort from the shift office.", WRONG),
            ("A visitor may enter the cold store, with or without an escort from the shift office.", WRONG),
            ("A visitor must enter the cold store with an escort from the shift office every day.", WRONG),
            ("A visitor may not enter the cold store, even with an escort from the shift office.", WRONG),
            ("A visitor may enter the cold store at any time.", WRONG),
        ),
    ),
    Group(
        "Who pays for the return of a faulty boat?",
        "The charterer pays for the return of a faulty boat, unless the fault was there at handover.",
        (),
        (),
        (
            ("Unless the fault was already there at handover, the charterer pays for the return of the boat.", RIGHT),
            ("The charterer pays for the return of a faulty boat, except when the fault was there at handover.", RIGHT),
            ("The owner pays for the return of a faulty boat, unless the fault was there at handover.", WRONG),
            ("The charterer pays for the return of a faulty boat, even if the fault was there at handover.", WRONG),
            ("The charterer pays for the return of a faulty boat only if the fault was there at handover.", WRONG),
            ("The charterer pays for the return of a faulty boat in all cases.", WRONG),
            ("The charterer may pay for the return of a faulty boat, unless the fault was there at handover.", WRONG),
        ),
    ),
    Group(
        "In which order is a sample handled?",
        "The sample is weighed before it is dried, and every sample is logged by the analyst on the same day.",
        (),
        (),
        (
            ("Before it is dried the sample is weighed, and the analyst logs every sample on the same day.", RIGHT),
            ("Each sample is weighed before it is dried and is logged by the analyst on the same day.", RIGHT),
            (
                "The sample is dried before it is weighed, and every sample is logged by the analyst on the same day.",
                WRONG,
            ),
            (
                "The sample is weighed after it is dried, and every sample is logged by the analyst on the same day.",
                WRONG,
            ),
            (
                "The sample is weighed before it is dried, and some samples are logged by the analyst on the same day.",
                WRONG,
            ),
            (
                "The sample is weighed before it is dried, and every sample is logged by the courier on the same day.",
                WRONG,
            ),
            ("The sample is weighed before it is dried.", HALF),
        ),
    ),
)

ASIDE = (
    Group(
        "Is a deposit refunded?",
        "The deposit is refunded when the tenant leaves the flat clean and returns both keys.",
        (),
        (),
        (
            ("If the tenant leaves the flat clean and returns both keys, the deposit is refunded.", RIGHT),
            ("The deposit is refunded once the tenant has left the flat clean and returned both keys.", RIGHT),
            ("The deposit is refunded even when the tenant does not leave the flat clean or return both keys.", WRONG),
            ("The deposit is refunded whether or not the tenant leaves the flat clean and returns both keys.", WRONG),
            ("The deposit is never refunded when the tenant leaves the flat clean and returns both keys.", WRONG),
            ("The deposit is refunded when the landlord leaves the flat clean and returns both keys.", WRONG),
            ("The deposit may be refunded when the tenant leaves the flat clean and returns either key.", WRONG),
        ),
    ),
    Group(
        "Which hives are inspected?",
        "All hives except the quarantined ones are inspected by the keeper in May.",
        (),
        (),
        (
            ("In May the keeper inspects all hives except the quarantined ones.", RIGHT),
            ("Every hive other than the quarantined ones is inspected by the keeper in May.", RIGHT),
            ("All hives including the quarantined ones are inspected by the keeper in May.", WRONG),
            ("Only the quarantined hives are inspected by the keeper in May.", WRONG),
            ("All hives, quarantined ones too, are inspected by the keeper in May.", WRONG),
            ("Some hives except the quarantined ones are inspected by the keeper in May.", WRONG),
            ("All hives except the quarantined ones are inspected by the council in May.", WRONG),
        ),
    ),
    Group(
        "May a trainee operate the crane?",
        "A trainee must not operate the crane until the supervisor has signed the training record.",
        (),
        (),
        (
            ("Until the supervisor has signed the training record, a trainee must not operate the crane.", RIGHT),
            ("A trainee may operate the crane only after the supervisor has signed the training record.", RIGHT),
            ("A trainee may operate the crane before the supervisor has signed the training record.", WRONG),
            ("A trainee must not operate the crane, even after the supervisor has signed the training record.", WRONG),
            ("A supervisor must not operate the crane until the trainee has signed the training record.", WRONG),
            ("A trainee should not operate the crane until the supervisor has signed the training record.", WRONG),
            (
                "A trainee need not wait to operate the crane until the supervisor has signed the training record.",
                WRONG,
            ),
        ),
    ),
)
