"""Answers with labels, written before the scorer was: right, half right, wrong (reversed or contradicted).

Each group has a question, a reference, required and forbidden facts; each answer its label.
"""

from __future__ import annotations

from dataclasses import dataclass

RIGHT, HALF, WRONG = "right", "half", "wrong"


@dataclass(frozen=True)
class Group:
    question: str
    reference: str
    required: tuple[tuple[str, ...], ...]
    forbidden: tuple[tuple[str, ...], ...]
    answers: tuple[tuple[str, str], ...]


GROUPS = (
    Group(
        "How long may the office stand empty before cover stops?",
        "Cover stops once the building has been unoccupied for more than 60 consecutive days.",
        (("60 consecutive days", "60 days"),),
        (("90 days",),),
        (
            ("After more than 60 consecutive days unoccupied there is no cover.", RIGHT),
            ("Once it has stood empty for over sixty days, the insurance no longer applies.", RIGHT),
            ("Cover continues after the building has been unoccupied for more than 60 consecutive days.", WRONG),
            ("Cover stops once the building has been unoccupied for less than 60 consecutive days.", WRONG),
            ("Cover stops after 2 months.", WRONG),
            ("Cover stops once the building has been unoccupied for more than 90 days.", WRONG),
            ("Cover does not stop after 60 days.", WRONG),
        ),
    ),
    Group(
        "Who approves a delay in verification, and how long may it take?",
        "A KYC Operations Team Leader approves the delay in writing, and verification must be completed within 10 "
        "business days of opening.",
        (("KYC Operations Team Leader", "team leader"), ("10 business days", "ten business days"), ("in writing",)),
        (("20 business days",),),
        (
            (
                "The delay is approved in writing by a KYC Operations Team Leader; verification has to be done within "
                "ten working days of opening.",
                RIGHT,
            ),
            ("A team leader must give written approval, and the check is to be finished in 10 business days.", RIGHT),
            ("Verification must be completed within 10 business days.", HALF),
            ("A KYC Operations Team Leader approves it.", HALF),
            ("Verification must be completed within 10 days, and a team leader approves the delay in writing.", RIGHT),
            (
                "A KYC Operations Team Leader approves the delay in writing, and verification need not be completed "
                "within 10 business days of opening.",
                WRONG,
            ),
            ("A KYC Operations Team Leader cannot approve the delay in writing.", WRONG),
        ),
    ),
    Group(
        "Must a politically exposed person's source of wealth be established?",
        "Yes. The source of wealth must be established and corroborated before the relationship is approved.",
        (("source of wealth",), ("before the relationship is approved", "before approval")),
        (("after approval", "after the relationship is approved"),),
        (
            ("Yes, the source of wealth must be established and corroborated before approval.", RIGHT),
            ("The source of wealth shall be established before the relationship is approved.", RIGHT),
            ("No, the source of wealth need not be established before the relationship is approved.", WRONG),
            ("The source of wealth may be established before the relationship is approved.", WRONG),
            ("The source of wealth must be established after the relationship is approved.", WRONG),
            ("The source of wealth must be established.", HALF),
        ),
    ),
    Group(
        "Is theft by an employee covered?",
        "No. Theft by an employee is not covered, unless the optional fidelity section has been taken out.",
        (("not covered", "excluded", "no cover"), ("fidelity",)),
        (("is covered in every case",),),
        (
            ("No. Theft by employees is excluded unless you have taken the fidelity section.", RIGHT),
            ("It is not covered, except where the fidelity option was chosen.", RIGHT),
            ("There is no cover for theft by an employee unless the optional fidelity section applies.", RIGHT),
            ("Yes. Theft by an employee is covered.", WRONG),
            ("Theft by an employee is covered unless the optional fidelity section has been taken out.", WRONG),
            ("Theft by an employee is not covered.", HALF),
            ("Theft by an employee is not excluded, and no fidelity section is needed.", WRONG),
        ),
    ),
    Group(
        "What excess applies to a burst pipe?",
        "An excess of $500 applies to each claim.",
        (("$500",),),
        (("$1,000",), ("no excess",)),
        (
            ("You pay the first 500 dollars of each claim.", RIGHT),
            ("The excess is five hundred dollars a claim.", RIGHT),
            ("AUD 500 for each claim", RIGHT),
            ("The excess is $5,000 a claim.", WRONG),
            ("The excess is $50.", WRONG),
            ("No excess applies; the $500 is for theft only.", WRONG),
            ("The excess is $500, not $1,000.", RIGHT),
        ),
    ),
    Group(
        "Who may release a blocked payment?",
        "Only the Money Laundering Reporting Officer may release a blocked payment.",
        (("Money Laundering Reporting Officer", "MLRO"),),
        (("any team leader",),),
        (
            ("Only the MLRO may release it.", RIGHT),
            ("A blocked payment can be released by nobody but the Money Laundering Reporting Officer.", RIGHT),
            ("Anyone may release a blocked payment, not only the Money Laundering Reporting Officer.", WRONG),
            ("The Money Laundering Reporting Officer must not release a blocked payment.", WRONG),
            ("The Money Laundering Reporting Officer or any team leader may release a blocked payment.", WRONG),
        ),
    ),
    Group(
        "How warm may the medicines room get?",
        "The medicines room must be kept between 2 °C and 8 °C.",
        (("2 °C",), ("8 °C",)),
        (),
        (
            ("Between 2 and 8 degrees Celsius.", RIGHT),
            ("It has to stay at 2–8 °C.", RIGHT),
            ("At most 8 °C.", HALF),
            ("Between 2 °C and 18 °C.", HALF),
            ("It must not be kept between 2 °C and 8 °C.", WRONG),
        ),
    ),
    Group(
        "How many days of notice are needed for a week's leave?",
        "Leave of 3 days or more must be entered at least 15 working days ahead.",
        (("15 working days", "15 business days"),),
        (("5 working days",),),
        (
            ("At least fifteen business days ahead.", RIGHT),
            ("At most 15 working days ahead.", WRONG),
            ("No more than 15 working days ahead.", WRONG),
            ("You need to enter it no less than 15 working days before.", RIGHT),
            ("At least 5 working days ahead.", WRONG),
            ("Three weeks ahead.", WRONG),
        ),
    ),
    Group(
        "What share of a company makes somebody a beneficial owner?",
        "Anyone who holds 25 percent or more of the shares is a beneficial owner.",
        (("25 percent", "25%"),),
        (),
        (
            ("A holding of at least 25 % counts.", RIGHT),
            ("Twenty-five per cent or more of the shares.", RIGHT),
            ("A quarter of the shares, or more.", RIGHT),
            ("Anyone who holds less than 25 percent of the shares is a beneficial owner.", WRONG),
            ("Anyone who holds 2.5 percent or more.", WRONG),
            ("Anyone who holds 25 percent or more of the shares is not a beneficial owner.", WRONG),
        ),
    ),
    Group(
        "When did the alarm go off, and how high did the reading rise?",
        "On 14 July at 03:45 the reading rose to 11.6 °C.",
        (("14 July",), ("11.6",)),
        (("13.1",),),
        (
            ("The reading rose to 11.6 °C on July 14th, at 03:45.", RIGHT),
            ("11.6 degrees on 14 July.", RIGHT),
            ("On 14 July the reading fell to 11.6 °C.", WRONG),
            ("On 14 June the reading rose to 11.6 °C.", HALF),
            ("It rose to 13.1 °C on 14 July.", WRONG),
        ),
    ),
    Group(
        "What was revenue in 2019?",
        "Revenue was $1,577 million in 2019.",
        (("$1,577 million",),),
        (),
        (
            ("$1.577 billion", RIGHT),
            ("Revenue came to 1,577,000,000 dollars.", RIGHT),
            ("USD 1,577m", RIGHT),
            ("$1,577", WRONG),
            ("$1,577 thousand", WRONG),
            ("Revenue was EUR 1,577 million.", WRONG),
        ),
    ),
    Group(
        "Parolayı ne kadar sürede değiştirmek gerekir?",
        "Parola en geç 30 gün içinde değiştirilmelidir.",
        (("30 gün",),),
        (("60 gün",),),
        (
            ("Parola otuz gün içinde değiştirilmelidir.", RIGHT),
            ("En geç 30 gün içinde değiştirilmesi gerekir.", RIGHT),
            ("Parolanın 30 gün içinde değiştirilmesi gerekmez.", WRONG),
            ("Parola 60 gün içinde değiştirilmelidir.", WRONG),
            ("Parola 1 ay içinde değiştirilmelidir.", WRONG),
        ),
    ),
    Group(
        "May staff accept gifts?",
        "Staff must not accept gifts above EUR 50; smaller gifts may be accepted and are entered in the register.",
        (("EUR 50",), ("register",)),
        (("gifts above EUR 50 may be accepted",),),
        (
            (
                "Gifts worth more than 50 euros are prohibited; smaller ones may be taken and go into the register.",
                RIGHT,
            ),
            ("Staff may accept gifts above EUR 50 and enter them in the register.", WRONG),
            ("Gifts above €50 are not allowed.", HALF),
            ("Staff must accept gifts above EUR 50.", WRONG),
            ("Staff cannot accept gifts over fifty euro; anything smaller is recorded in the register.", RIGHT),
        ),
    ),
    Group(
        "What is the limit for tools in a locked vehicle?",
        "Up to $2,500 for tools in a locked vehicle.",
        (("$2,500",),),
        (("$5,000",),),
        (
            ("Tools kept in a locked vehicle are covered up to two thousand five hundred dollars.", RIGHT),
            ("The most we pay is $2,500 if the vehicle is locked.", RIGHT),
            ("At least $2,500 is paid.", WRONG),
            ("Tools in a locked vehicle are not covered up to $2,500.", WRONG),
            ("Up to $25,000 for tools in a locked vehicle.", WRONG),
        ),
    ),
    Group(
        "How soon must a suspicion be reported?",
        "An internal report must be made on the same business day, and in any case within 24 hours.",
        (
            ("24 hours",),
            (
                "same business day",
                "same day",
            ),
        ),
        (("48 hours",),),
        (
            ("On the same day, and never later than 24 hours.", RIGHT),
            ("You have to report it the same business day, at the latest within twenty-four hours.", RIGHT),
            ("Within 24 hours.", HALF),
            ("Within 48 hours.", WRONG),
            ("An internal report need not be made on the same business day or within 24 hours.", WRONG),
            ("There is no need to report it within 24 hours.", WRONG),
        ),
    ),
    Group(
        "Is flood damage covered?",
        "Yes, flood damage is covered if the flood section is shown in the schedule.",
        (
            ("schedule",),
            (
                "flood section",
                "covered",
            ),
        ),
        (("never covered",),),
        (
            ("Yes, as long as the schedule shows the flood section.", RIGHT),
            ("Flood damage is covered only if the schedule shows that section.", RIGHT),
            ("No, flood damage is excluded.", WRONG),
            ("Flood damage is covered unless the flood section is shown in the schedule.", WRONG),
            ("Yes, it is covered.", HALF),
        ),
    ),
    Group(
        "May a relationship manager see the report?",
        "No. The relationship manager must not be told about the report.",
        (
            (
                "must not",
                "may not",
                "cannot",
            ),
        ),
        (("should be told",),),
        (
            ("No, the relationship manager may not be told about it.", RIGHT),
            ("The relationship manager cannot be informed.", RIGHT),
            ("Yes, the relationship manager must be told about the report.", WRONG),
            ("The relationship manager may be told about the report.", WRONG),
        ),
    ),
    Group(
        "How long are records kept?",
        "Records are kept for at least five years after the account is closed.",
        (
            (
                "five years",
                "5 years",
            ),
            (
                "after the account is closed",
                "account closes",
            ),
        ),
        (("ten years",),),
        (
            ("They are kept at least 5 years once the account closes.", RIGHT),
            ("A minimum of 60 months after the account is closed.", RIGHT),
            ("At least five years after the account is opened.", WRONG),
            ("At most five years after the account is closed.", WRONG),
            ("For five years.", HALF),
            ("Records are destroyed five years before the account is closed.", WRONG),
        ),
    ),
    Group(
        "Who pays for the second opinion?",
        "The insurer pays for the second opinion, not the customer.",
        (("insurer",),),
        (("customer pays",),),
        (
            ("The insurer bears the cost.", RIGHT),
            ("It is paid by the insurer and not by the customer.", RIGHT),
            ("The customer pays for the second opinion.", WRONG),
            ("The insurer does not pay for the second opinion.", WRONG),
        ),
    ),
    Group(
        "What was the lowest reading in September?",
        "The lowest reading in September was 1.2 °C.",
        (("1.2",),),
        (("2.6",),),
        (
            ("1.2 °C", RIGHT),
            ("It went down to 1.2 degrees in September.", RIGHT),
            ("The lowest was 2.6 °C.", WRONG),
            ("The highest reading in September was 1.2 °C.", WRONG),
            ("The lowest reading was 12 °C.", WRONG),
        ),
    ),
    Group(
        "Kaç gün evden çalışabilirim?",
        "Haftada en fazla 2 gün evden çalışılabilir.",
        (
            (
                "2 gün",
                "iki gün",
            ),
        ),
        (("3 gün",),),
        (
            ("Haftada iki gün evden çalışabilirsin.", RIGHT),
            ("En fazla 2 gün.", RIGHT),
            ("Haftada en az 2 gün evden çalışılır.", WRONG),
            ("Haftada 3 gün evden çalışılabilir.", WRONG),
            ("Evden çalışılamaz.", WRONG),
        ),
    ),
)
