"""Word lists of the checks: general English and, where said, Turkish. None comes from a benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterable

NEGATIONS = frozenset(
    "not no never none nobody nothing neither nor nowhere cannot hardly değil yok hiç hiçbir asla".split()
)
"""Words that turn a statement round."""
NEGATIVE_VERBS = re.compile(
    r"exclud(?:e[sd]?|ing)|refus(?:e[sd]?|al)|reject(?:s|ed)?|den(?:y|ies|ied)|prohibit(?:s|ed)?|forbid(?:s|den)?"
    r"|fail(?:s|ed)?"
    r"|decline[sd]?|ineligible|void|invalid|lacks?|lacked|bar(?:red|s)|ban(?:ned|s)|disallow(?:s|ed)?|omit(?:s|ted)?"
)
"""Words of negative sense that count as one negation of what they say."""
TURKISH_NEGATION = re.compile(
    r"\w{2,}m[ae]z(?:lar|ler|sa|se|s[ıi]n)?|\w{2,}m[ıiuü]yor\w*|\w{2,}m[ae]d[ıi]\w*|\w{2,}m[ae]y[ae]c[ae]\w*"
    r"|\w{2,}m[ae]m(?:[ae]l[ıi]\w*|[ıi]ş\w*)"
    r"|\w{2,}m[ae]d[ae]n|(?:hariç|dışında)"
)

EXCEPTING = {
    "unless": "unless",
    "except": "except",
    "excepting": "except",
    "excluding": "except",
    "other than": "except",
    "apart from": "except",
    "aside from": "except",
    "save for": "except",
    "save where": "except",
    "save that": "except",
    "with the exception of": "except",
    "but not": "except",
    "rather than": "except",
    "instead of": "except",
    "without": "without",
    "until": "until",
}
"""What opens words that a statement does not hold for."""
CONDITIONS = (
    "only if|only when|only where|only once|only after|provided that|provided|on condition that|as long as|so long as"
    "|subject to|in the event that|in case|if|when|where|whenever|once|while|whilst|because|after|before|eğer"
    "|şartıyla|koşuluyla"
).split("|")
"""What opens a condition or another clause whose negation is its own."""
REGARDLESS = re.compile(
    r"\b(?:even (?:if|when|where|after|without)|whether or not|regardless(?: of)?|irrespective(?: of)?|no matter"
    r"|without (?:any )?(?:exceptions?|limits?|conditions?|restrictions?|qualification)|unconditionally|in (?:all"
    r"|any|every) (?:cases?|circumstances?|events?)"
    r"|under (?:all|any) circumstances|at all times|for any (?:reason|purpose|cause)|in every way|unlimited|anywhere"
    r"|always|automatically|invariably)\b"
    r"|\b(?:olsa (?:bile|da|dahi)|ne olursa olsun|her (?:durumda|koşulda|zaman)|koşulsuz|istisnasız)\b",
    re.IGNORECASE,
)
"""Words that take all conditions away."""
CONDITIONAL = re.compile(
    r"\b(?:unless|except(?:ing)?|other than|apart from|only|provided|if|when|where|until|subject to|as long as"
    r"|so long as"
    r"|limited to|excluding|however|but|in accordance with|in the event|up to|maximum|at (?:our|your|its"
    r"|their) (?:option|discretion)"
    r"|as soon as|reasonabl[ey]|material(?:ly)?)\b"
    r"|\b(?:ancak|sadece|yalnız(?:ca)?|hariç|dışında|şartıyla|koşuluyla|eğer)\b",
    re.IGNORECASE,
)
ONLY = re.compile(r"\b(?:only|solely|exclusively|sole|ancak|sadece|yalnız(?:ca)?)\b", re.IGNORECASE)
NOT_ONLY = re.compile(r"\bnot (?:only|just|merely|solely|limited to|necessarily)\b", re.IGNORECASE)

_OPPOSITES = """
before prior earlier preceding | after following later subsequent
first opening begin begins beginning start starts commencement initial | last final closing end ends ending expiry \
close closes
more greater higher larger above over exceed exceeds exceeding longer | less fewer lower smaller below under shorter
maximum most highest | minimum least lowest
increase increases increased increasing rise rises rose raise raises raised grow grew | decrease decreases \
decreased decreasing reduce reduces reduced fall falls fell drop drops dropped decline
all every each whole entire always both | some certain partly sometimes either occasionally
include includes included including cover covers covered insured | exclude excludes excluded excluding uninsured
accept accepts accepted approve approves approved allow allows allowed permit permits permitted grant granted | \
reject rejects rejected refuse refuses refused deny denies denied prohibit prohibits prohibited forbid forbidden
mandatory compulsory obligatory required | optional voluntary discretionary
written writing | oral orally verbal verbally
buyer purchaser buy buys purchase | seller vendor sell sells sale
lender creditor | borrower debtor
landlord lessor | tenant lessee
employer | employee employees
licensor | licensee
internal internally domestic | external externally foreign
public | private
new | old existing former used
open opens opened | shut shuts closed
permanent permanently | temporary temporarily
direct directly | indirect indirectly
full fully complete completely | partial partially
income revenue profit gain | expense cost loss
inside within | outside
inbound incoming receive receives received | outbound outgoing send sends sent
credit credits credited deposit | debit debits debited withdrawal
upward upwards up | downward downwards down
active | inactive dormant
occupied | unoccupied vacant empty
positive | negative
success succeed succeeds succeeded win won wins | failure fail fails failed lose lost loses
true correct | false incorrect wrong
high | low
long | short
keep keeps kept retain retains retained | waive waives waived discard destroy destroyed
agree agrees agreed support supports supported | disagree disagrees disagreed oppose opposes opposed
male man men | female woman women
north northern | south southern
east eastern | west western
önce | sonra
fazla üzerinde | az altında
artar artış | azalır azalış
""".strip()


def _sides(lines: Iterable[str]) -> dict[str, frozenset[tuple[int, int]]]:
    found: dict[str, set[tuple[int, int]]] = {}
    for pair, line in enumerate(lines):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                found.setdefault(word, set()).add((pair, side))
    return {word: frozenset(sides) for word, sides in found.items()}


SIDES = _sides(_OPPOSITES.split("\n"))
"""Word to the directions it names, as (pair, side)."""


def opposite(first: str, second: str) -> bool:
    """Whether two words, lower case, name opposite directions of one pair, or differ by `un-`, `in-`, `non-` alone.

    >>> opposite("before", "after"), opposite("paid", "unpaid"), opposite("before", "paid")
    (True, True, False)
    """
    if first == second:
        return False
    sides = {(pair, 1 - side) for pair, side in SIDES.get(first, ())}
    if sides & SIDES.get(second, frozenset()):
        return True
    short, long = sorted((first, second), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in ("un", "in", "im", "ir", "non", "dis", "non-"))


_ALIKE = """
pay payment remunerate reimburse compensate indemnify meet
cover insure protect coverage
document record written evidence paperwork
keep retain store maintain preserve
car vehicle automobile motor
client customer
tell inform notify notice advise report communicate
limit cap maximum ceiling most
give provide supply furnish grant offer
end cease terminate finish stop expire close lapse
start commence begin inception open onset
buy purchase acquire obtain
staff employee worker personnel
house home dwelling building premise
check verify review assess examine inspect evaluate
money cash currency banknote fund
empty vacant unoccupied
theft steal stolen burglary robbery
help assist aid support
choose select opt pick decide option election
change modify alter amend vary update adjust
allow permit authorise authorize entitle let
cost expense charge fee price outlay
need require necessary must obligatory mandatory
part portion proportion share fraction
yearly annual year annually
show demonstrate indicate reveal state
make create produce
big large great substantial
more further additional extra
use employ utilise utilize
fix repair mend restore reinstate
hurt injure injury harm damage
send dispatch forward transmit deliver submit
get receive obtain
buyer purchaser
agreement contract policy
fast quick prompt immediate immediately straightaway
ask request demand enquire inquire
answer reply respond response
job work employment occupation
child minor
think believe consider deem
mean signify denote
name call title
rule regulation requirement
law legislation statute legal
firm company business organisation organization enterprise
reduce lower decrease diminish cut
raise increase rise grow
look see view
happen occur take place arise
destroy wreck
flat apartment
doctor physician
film movie
author writer
country nation
war conflict
kill slay
""".strip()
GROUPS: dict[str, frozenset[int]] = {}
"""Word to the numbers of the groups of words of like sense that it is in; filled by `group_words`."""


def group_words() -> Iterable[tuple[int, tuple[str, ...]]]:
    """The groups of words of like sense, numbered."""
    return ((n, tuple(line.split())) for n, line in enumerate(_ALIKE.split("\n")))


LEMMAS = {
    "written": "write", "wrote": "write", "writ": "write", "risen": "rise", "rose": "rise", "fell": "fall",
    "fallen": "fall", "paid": "pay", "held": "hold", "kept": "keep", "sold": "sell", "bought": "buy", "taken": "take",
    "took": "take", "given": "give", "gave": "give", "made": "make", "found": "find", "left": "leave", "sent": "send",
    "told": "tell", "said": "say", "stood": "stand", "went": "go", "gone": "go", "came": "come", "knew": "know",
    "known": "know", "met": "meet", "won": "win", "lost": "lose", "led": "lead", "began": "begin", "begun": "begin",
    "became": "become", "spent": "spend", "built": "build", "brought": "bring", "broke": "break", "broken": "break",
    "chose": "choose", "chosen": "choose", "grew": "grow", "grown": "grow", "shown": "show", "stolen": "steal",
    "stole": "steal", "drawn": "draw", "drew": "draw", "driven": "drive", "drove": "drive", "born": "bear",
    "died": "die", "dead": "die",
}  # fmt: skip

PARTIES = {
    "we": "insurer", "us": "insurer", "our": "insurer", "ours": "insurer", "insurer": "insurer", "insurers": "insurer",
    "underwriter": "insurer", "you": "insured", "your": "insured", "yours": "insured", "insured": "insured",
    "policyholder": "insured", "policyholders": "insured", "bank": "bank", "banks": "bank", "lender": "lender",
    "borrower": "borrower", "customer": "customer", "customers": "customer", "client": "customer",
    "employer": "employer", "employee": "employee", "employees": "employee", "supplier": "supplier",
    "suppliers": "supplier", "buyer": "buyer", "seller": "seller", "landlord": "landlord", "tenant": "tenant",
    "lessor": "landlord", "lessee": "tenant", "licensor": "licensor", "licensee": "licensee", "manager": "manager",
    "managers": "manager", "board": "board", "regulator": "regulator", "auditor": "auditor", "auditors": "auditor",
    "patient": "patient", "provider": "provider", "providers": "provider", "contractor": "contractor",
    "owner": "owner", "user": "user", "users": "user", "investigator": "investigator", "analyst": "analyst",
    "examiner": "examiner", "examiners": "examiner", "officer": "officer", "company": "company",
    "sigortacı": "insurer", "sigortalı": "insured", "banka": "bank", "müşteri": "customer",
}  # fmt: skip
"""Words for the parties of a text, each with the role it stands for."""
POSSESSIVE = {"our": "insurer", "your": "insured", "its": "it", "their": "they"}
