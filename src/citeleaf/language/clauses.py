"""What a text says, clause by clause: its words, quantities, negation, duty or permission, and direction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from citeleaf.language.quantities import Quantity, opposed, quantities, same
from citeleaf.quotes import folded
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.sentences import sentences

Modality: TypeAlias = Literal["duty", "no duty", "permitted", "prohibited"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence that makes one statement.

    `words` are its content stems; `negations` counts its negations, words of negative sense and, for what follows
    `unless`, those of the statement it excepts from; `sides` are the directions it names, as (pair, side). `either`:
    `only if` makes a statement and its opposite at once. `parties` are first and second persons and `order` all content
    words and quantities, as they come. `assertive`: it has a verb, a negation or a modality. `rejected`: it names what
    is not meant (`not 30 days`, `rather than 30 days`).
    """

    text: str
    words: frozenset[str]
    quantities: tuple[Quantity, ...]
    negations: int
    modality: frozenset[Modality]
    sides: frozenset[tuple[int, int]]
    only: bool
    anybody: bool
    regardless: bool
    either: bool
    parties: tuple[str, ...]
    order: tuple[str, ...]
    assertive: bool
    rejected: bool = False

    @property
    def size(self) -> int:
        """Content words and quantities."""
        return len(self.words) + len(self.quantities)


def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text, in order.

    >>> [(sorted(c.words), c.negations % 2) for c in clauses("Theft is not covered, unless staff did it.")]
    [(['cover', 'theft'], 1), (['staff'], 0)]
    """
    found: list[Clause] = []
    for span in sentences(text):
        main: Clause | None = None
        for joint, piece in _pieces(text[span.start : span.end]):
            clause = clause_of(piece)
            if main is not None and joint in _EXCEPTIONS:
                clause = replace(clause, negations=clause.negations + main.negations + 1)
            elif main is not None and joint in _REJECTIONS:
                clause = replace(clause, negations=main.negations + 1, rejected=True)
            elif main is not None and joint in ("and", "or", "nor") and not clause.assertive:
                clause = replace(clause, negations=main.negations, modality=main.modality)
            else:
                main = clause
            if clause.size:
                found.append(clause)
    return tuple(found)


@lru_cache(maxsize=4096)
def clause_of(text: str) -> Clause:
    """One piece of text as a clause."""
    language = guess_language(text)
    text = _CONCLUSION.sub("", text)
    amounts = quantities(text)
    rest = folded(_without(text, amounts))
    bare = _COMPARED.sub(" ", rest)
    anybody, regardless = bool(_ANYBODY.search(bare)), bool(_REGARDLESS.search(bare))
    parties = tuple("we" if m[0][0] in "wuo" else "you" for m in _PARTY.finditer(bare))
    only = bool(_ONLY.search(bare)) and not _NOT_ONLY.search(bare)
    either = bool(_ONLY_IF.search(bare))
    bare = _NOT_ONLY.sub(" ", _NOBODY_BUT.sub(" only ", bare))
    modality: set[Modality] = set()
    negations = 0
    for kind, pattern, negative in _MODALITIES:
        bare, n = pattern.subn(" ", bare)
        if n:
            modality.add(kind)
            negations += n * negative
    bare, n = _NEGATION.subn(" ", bare)
    negations += n + len(_NEGATIVE.findall(bare))
    sides = frozenset((i, side) for i, pair in enumerate(_OPPOSITES) for side in (0, 1) if pair[side].search(bare))
    order = tuple(_LEMMAS.get(w, w) for w in terms(bare, language))
    return Clause(
        text=text,
        words=frozenset(order),
        quantities=amounts,
        negations=negations,
        modality=frozenset(modality),
        sides=sides,
        only=only,
        anybody=anybody,
        regardless=regardless,
        either=either,
        parties=parties,
        order=order,
        assertive=bool(negations or modality or _VERB.search(rest)),
    )


def shared(first: Clause, second: Clause) -> int:
    """Content words and quantities that two clauses have in common."""
    amounts = sum(any(same(a, b) for b in second.quantities) for a in first.quantities)
    return len(first.words & second.words) + amounts


def conflict(meant: Clause, said: Clause) -> str:
    """Why `said` turns `meant` round, or an empty text: `negation`, `modality`, `exclusivity`, `roles`.

    An odd number of turns counts: negations on either side, opposite directions, a least value for a greatest.

    >>> conflict(clause_of("Cover stops after 60 days"), clause_of("Cover does not stop after 60 days"))
    'negation'
    >>> conflict(clause_of("The file must be kept"), clause_of("The file may be kept"))
    'modality'
    """
    turns = meant.negations + said.negations + _opposite(meant, said)
    turns += any(_bounds_differ(a, said) for a in meant.quantities)
    if turns % 2 and not (meant.either or said.either):
        return "negation"
    if meant.modality and said.modality and meant.modality.isdisjoint(said.modality):
        pair = meant.modality | said.modality
        if pair in ({"duty", "permitted"}, {"prohibited", "no duty"}, {"duty", "no duty"}):
            return "modality"
    if (meant.only and (said.anybody or said.regardless) and not said.only) or (meant.regardless and said.only):
        return "exclusivity"
    return "roles" if _exchanged(meant, said) else ""


def _bounds_differ(amount: Quantity, said: Clause) -> bool:
    """Whether all equal quantities of the other clause are bounded from the other side."""
    found = [b for b in said.quantities if same(amount, b)]
    return bool(found) and all(opposed(amount, b) for b in found)


def _exchanged(meant: Clause, said: Clause) -> bool:
    """Whether two clauses of like content have their parties, or two of their words, exchanged."""
    if len(meant.words & said.words) < _COPY * max(len(meant.words), len(said.words), 2):
        return False
    if meant.parties and len(meant.parties) == len(said.parties) and meant.parties != said.parties:
        return True
    if len(meant.order) != len(said.order) or " by " in f" {meant.text} " or " by " in f" {said.text} ":
        return False
    apart = [i for i, (a, b) in enumerate(zip(meant.order, said.order, strict=True)) if a != b]
    if len(apart) != 2 or apart[1] - apart[0] < 2:
        return False
    first, second = apart
    return (meant.order[first], meant.order[second]) == (said.order[second], said.order[first])


def _opposite(meant: Clause, said: Clause) -> int:
    """How many directions of the one are the opposite of the other's, such as before and after."""
    pairs = {i for i, _ in meant.sides} & {i for i, _ in said.sides}
    return sum({s for i, s in meant.sides if i == p}.isdisjoint({s for i, s in said.sides if i == p}) for p in pairs)


_COPY = 0.7
"""Least share of their words that two clauses of like content have in common."""
_CONCLUSION = re.compile(r"^\W*(?:yes|no|evet|hayır)\b(?=\s*[.,;:!–-])", re.IGNORECASE)
_PARTY = re.compile(r"\b(?:we|us|our|ours|you|your|yours)\b")
_REGARDLESS = re.compile(r"\b(?:even (?:if|when|where)|whether or not|regardless|irrespective|olsa bile)\b")
_EXCEPTIONS = frozenset("unless except excepting apart other save".split())
_REJECTIONS = frozenset("not rather instead opposed".split())
_JOINT = re.compile(
    r"[;:!?]\s|\n"
    r"|[(),]\s?(?=(?:and|or|no|nor|but|while|whereas|however|though|although|so|not|rather|instead|except|unless"
    r"|other than|apart from|save (?:for|where|if)|ama|ancak|fakat|ve)\b)"
    r"|\s(?=and (?:not|there|it|he|she|they|we|you|no|the|its)\b)"
    r"|\s(?=(?:but|unless|except|excepting|whereas|rather than|instead of|as opposed to|other than|apart from"
    r"|save (?:for|where|if)|however|ancak|fakat)\b)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\W*(?:as (?=opposed))?(\w+)", re.IGNORECASE)
_LEADING = re.compile(
    r"\W*(?:(?:and|but) not|and|or|nor|but|while|whereas|however|not|rather than|instead of|as opposed to|unless"
    r"|except(?:ing)?(?: for)?|other than|apart from|save for|ama|ancak|fakat|ve)\b",
    re.IGNORECASE,
)


def _pieces(sentence: str) -> Iterator[tuple[str, str]]:
    """Pieces of a sentence with the word that joins each to what stands before, itself left out."""
    start = 0
    for end in (*(m.end() for m in _JOINT.finditer(sentence)), len(sentence)):
        piece = sentence[start:end]
        first = _FIRST.match(piece)
        leading = _LEADING.match(piece) if start else None
        joint = first[1].casefold() if first and leading else ""
        joint = "not" if leading and leading[0].casefold().endswith(" not") else joint
        yield joint, piece[leading.end() if leading else 0 :]
        start = end


def _without(text: str, amounts: tuple[Quantity, ...]) -> str:
    for amount in amounts:
        text = text[: amount.start] + " " * (amount.end - amount.start - 1) + "#" * 1 + text[amount.end :]
    return text


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b")


_COMPARED = re.compile(
    r"\b(?:no|not|never)\s+(?:\w+\s+){0,2}?(?:less|fewer|more|later|earlier|longer|greater|exceed\w*)\b(?:\s+than)?"
    r"(?=[^#]{0,12}#)|\bat (?:the )?(?:most|least)\b"
    r"|\b(?:less|fewer|more|greater|before|after|within|over|under|above|below)(?:\s+than)?(?=\s*#)"
    r"|(?<=#)[ ,]*or (?:more|less|over|above|below|under)\b"
)
_NOBODY_BUT = re.compile(r"\b(?:nobody|no one|none|nothing|no other than|no person) (?:but|other than|except)\b")
_NOT_ONLY = re.compile(r"\b(?:not (?:only|just|merely|limited to)|sadece değil)\b")
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|alone|sadece|yalnız(?:ca)?)\b|nobody but|no one but|none but|nothing but"
)
_ONLY_IF = re.compile(r"\bonly (?:if|when|where|once|after|with)\b")
_ANYBODY = re.compile(r"\b(?:any(?:one|body)?|everyone|everybody|all staff|not only|not just|herkes)\b")
_N = r"(?:\s+not\b|n't\b|not\b)"
_BE = r"(?:is|are|was|were|be|been|do|does|did)"
_MODALITIES: tuple[tuple[Modality, re.Pattern[str], bool], ...] = (
    (
        "no duty",
        re.compile(
            rf"\b{_BE}{_N} (?:\w+ )?"
            r"(?:have to|need(?:ed)?(?: to)?|require[ds]?|necessary|mandatory|obliged|compulsory)\b"
            r"|\bneed(?:s|n't| not)? not\b|\bneed(?:n't| not)\b|\bnot (?:required|necessary|needed|mandatory|obliged)\b"
            r"|\bno (?:need|duty|obligation|requirement)\b|\b(?:is|are|be|remains?) optional\b"
            r"|\bno (?:\w+ ){1,3}(?:is|are|needs? to be) (?:needed|required|necessary)\b"
            r"|\bgerekmez\b|\bgerekmiyor\w*|\b(?:zorunda|zorunlu|şart|gerekli) değil\w*|\bgerek(?:mez| yok\w*)"
        ),
        True,
    ),
    ("no duty", re.compile(r"\b(?:left to|discretion\w*|voluntary|own choice|recommended but)\b"), False),
    (
        "prohibited",
        re.compile(
            r"\b(?:must|shall|may|can|could|should)(?:\s+(?:not|never)|n't)\b|\b(?:cannot|can't)"
            r"|\b(?:must|may|can) under no\b"
            rf"|\b{_BE}{_N} (?:\w+ )?(?:allowed|permitted|entitled|able)\b|\bnot (?:allowed|permitted|entitled|able)\b"
            r"|\b(?:prohibit(?:ed|s)?|forbidden|forbids?|banned|barred|yasak\w*)\b|\b\w+[ae]m[ae]z(?:lar|ler)?\b"
        ),
        True,
    ),
    (
        "duty",
        re.compile(
            r"\b(?:must|shall|(?<!may )(?<!can )(?<!might )require|requires|required|needs?|needed"
            r"|(?:has|have|had) to|mandatory|obliged|compulsory|obligatory|necessary"
            r"|(?:is|are) to be|gerekir|gerekli\w*|gerekiyor\w*|zorunlu\w*|zorunda\w*|şart\w*"
            r"|\w+m[ae]l[ıi]\w*)\b"
        ),
        False,
    ),
    (
        "permitted",
        re.compile(r"\b(?:may|can|might|allowed|permitted|entitled|free to|able to|\w+[ae]bilir\w*)\b"),
        False,
    ),
)
_NEGATION = re.compile(
    r"\b(?:(?<!whether or )not|no|never|none|nobody|nothing|neither|nor|without|hardly|değil\w*|yok\w*|hariç)\b|n't\b"
    r"|\b\w{2,}m[ae]z(?:lar|ler|sa|se)?\b|\b\w{2,}m[ıiuü]yor\w*|\b\w{2,}m[ae]d[ıi]\w*|\b\w{2,}m[ae]y[ae]c[ae]\w*"
)
_NEGATIVE = re.compile(
    r"\b(?:exclud\w+|exclusions?|uninsured|refus\w+|reject\w*|den(?:y|ies|ied)|discourag\w+|stop(?:s|ped|ping)?|ceas\w+"
    r"|laps\w+|void|invalid|ineligible|unacceptable|incorrect|untrue|false)\b"
)
_OPPOSITES = (
    (
        _any(r"ris\w+", "rose", r"increas\w+", r"gr[eo]w\w*", r"climb\w*"),
        _any(r"f[ae]ll?\w*", r"decreas\w+", r"dropp?\w*"),
    ),
    (_any("before", "prior to", r"önce\w*"), _any("after", "following", r"sonra\w*")),
    (_any("higher", "greater", "above", "exceeds?"), _any("lower", "less", "below", "fewer")),
    (_any("maximum", "most", "highest", "greatest"), _any("minimum", "least", "lowest", "smallest")),
    (_any("earlier", "earliest"), _any("later", "latest")),
    (_any("always", "every case"), _any("sometimes", "rarely")),
    (_any("any one of", "one of", "either of"), _any("all of", "both of", "every one of")),
    (_any(r"open(?:s|ed|ing)?", r"start\w*", r"beg[iu]n\w*"), _any(r"clos(?:e|es|ed|ing)", r"end(?:s|ed|ing)?")),
    (_any(r"keeps?", r"retains?"), _any(r"waiv\w+", r"gives? up")),
)
_VERB = _any(
    "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "will", "would", "should",
    "applies", "apply", "pays?", "covers?", "gives?", "takes?",
)  # fmt: skip
_LEMMAS = {
    "written": "write", "wrote": "write", "writ": "write", "risen": "rise", "rose": "rise", "fell": "fall",
    "fallen": "fall", "paid": "pay", "held": "hold", "kept": "keep", "sold": "sell", "bought": "buy", "taken": "take",
    "took": "take", "given": "give", "gave": "give", "made": "make", "found": "find", "left": "leave", "sent": "send",
    "told": "tell", "said": "say", "stood": "stand", "went": "go", "gone": "go", "came": "come", "knew": "know",
}  # fmt: skip
