"""An answer as it is written into files: what every form of file says, in English or Turkish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from citeleaf.types import Answer, Place, ShownCitation, ShownClaim

Language: TypeAlias = Literal["en", "tr"]


class Words(NamedTuple):
    """The words around an answer in one language."""

    language: Language
    asked: str
    outcome: dict[str, str]
    verified: str
    unverified: str
    sources: str
    nearest: str
    stopped: str
    cited: str
    uncited: str
    found: str
    repaired: str
    not_located: str
    label: dict[str, str]
    page: str
    printed: str
    version: str
    removed: str
    value: str
    threshold: str
    made: str


ENGLISH = Words(
    language="en",
    asked="Asked of the documents as",
    outcome={
        "answered": "Answered",
        "abstained": "The documents do not say",
        "refused": "Refused",
        "escalated": "For a person to decide",
    },
    verified="Verified",
    unverified="Not verified",
    sources="Sources",
    nearest="Nearest passages",
    stopped="Checks that stopped it",
    cited="cited",
    uncited="no citation",
    found="words found",
    repaired="words found, mark repaired",
    not_located="words found, not located on the page",
    label={"supported": "supported", "refuted": "contradicted", "not_enough_info": "not supported"},
    page="PDF page {}",
    printed="printed {}",
    version="version {}",
    removed="taken out",
    value="value {}",
    threshold="threshold {}",
    made="citeleaf, answer {id}, fingerprint {fingerprint}",
)
TURKISH = Words(
    language="tr",
    asked="Belgelere şöyle soruldu",
    outcome={
        "answered": "Yanıtlandı",
        "abstained": "Belgelerde yok",
        "refused": "Reddedildi",
        "escalated": "Kararı bir insan vermeli",
    },
    verified="Doğrulanan",
    unverified="Doğrulanmayan",
    sources="Kaynaklar",
    nearest="En yakın pasajlar",
    stopped="Durduran denetimler",
    cited="kaynak gösterilmiş",
    uncited="kaynak yok",
    found="sözler bulundu",
    repaired="sözler bulundu, işaret onarıldı",
    not_located="sözler bulundu, sayfadaki yeri belirlenemedi",
    label={"supported": "destekleniyor", "refuted": "çelişiyor", "not_enough_info": "desteklenmiyor"},
    page="PDF sayfası {}",
    printed="basılı {}",
    version="sürüm {}",
    removed="çıkarıldı",
    value="değer {}",
    threshold="eşik {}",
    made="citeleaf, yanıt {id}, parmak izi {fingerprint}",
)
WORDS: dict[Language, Words] = {"en": ENGLISH, "tr": TURKISH}


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, the numbers of its sources, and what was found about it."""

    text: str
    cites: tuple[int, ...]
    state: str


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source: where the words stand, and the words."""

    n: int
    title: str
    where: str
    quote: str
    note: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that a file says of an answer, in order; empty parts are left out."""

    words: Words
    question: str
    asked: str
    outcome: str
    reply: str
    verified: tuple[Said, ...]
    unverified: tuple[Said, ...]
    stopped: tuple[str, ...]
    sources: tuple[Source, ...]
    nearest: tuple[Source, ...]
    made: str


def sheet(answer: Answer, language: Language = "en") -> Sheet:
    """What the files say. A sentence counts as verified when it cites, its words were found, and they support it."""
    words = WORDS[language]
    query, decision = answer.trace.query, answer.decision
    sound = [c for c in answer.claims if c.verdict == "supported" and c.citations]
    taken_out = (
        Said(r.text, (), ", ".join(part for part in (words.removed, words.label[r.verdict], r.why) if part))
        for r in answer.removed
    )
    looked_at = (answer.trace.guard, answer.trace.gate or (), answer.trace.screen or ())
    failed = [check for checks in looked_at for check in checks if not check.passed]
    answered = decision.outcome == "answered"
    return Sheet(
        words=words,
        question=query.text if query.asked is None else query.asked,
        asked="" if query.asked is None else query.text,
        outcome=f"{words.outcome[decision.outcome]} ({decision.reason})",
        reply="" if answer.claims else answer.text,
        verified=tuple(_said(c, answer, words) for c in sound),
        unverified=(*(_said(c, answer, words) for c in answer.claims if c not in sound), *taken_out),
        stopped=() if answered else tuple(_check(c.name, c.detail, c.value, c.threshold, words) for c in failed),
        sources=tuple(_source(c, words) for c in answer.citations),
        nearest=tuple(
            Source(i, n.passage_id, "" if n.page is None else words.page.format(n.page), n.quote, "")
            for i, n in enumerate(answer.nearest, 1)
        ),
        made=words.made.format(id=answer.id, fingerprint=answer.trace.fingerprint),
    )


def where(place: Place, words: Words) -> str:
    """Page of the file, number printed on it, section."""
    parts = [] if place.page is None else [words.page.format(place.page)]
    parts += [words.printed.format(place.page_label)] if place.page_label is not None else []
    return " · ".join([*parts, *place.section[-1:]])


def _said(claim: ShownClaim, answer: Answer, words: Words) -> Said:
    cited = [c for c in answer.citations if c.n in claim.citations]
    states = [words.cited if cited else words.uncited]
    if cited:
        states.append(_found(cited, words))
    return Said(claim.text, claim.citations, ", ".join([*states, words.label[claim.verdict]]))


def _found(cited: list[ShownCitation], words: Words) -> str:
    if any(c.place.page is not None and not c.place.rects for c in cited):
        return words.not_located
    return words.repaired if any(c.status == "repaired" for c in cited) else words.found


def _source(citation: ShownCitation, words: Words) -> Source:
    version = "" if citation.version is None else ", " + words.version.format(citation.version)
    lost = citation.place.page is not None and not citation.place.rects
    return Source(
        citation.n,
        citation.title + version,
        where(citation.place, words),
        citation.quote.text,
        words.not_located if lost else "",
    )


def _check(name: str, detail: str, value: float | None, threshold: float | None, words: Words) -> str:
    figures = [words.value.format(f"{value:g}")] if value is not None else []
    figures += [words.threshold.format(f"{threshold:g}")] if threshold is not None else []
    return ": ".join(filter(None, (name, ", ".join(filter(None, (*figures, detail))))))
