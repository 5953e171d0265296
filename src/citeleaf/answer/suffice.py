"""Do the words found answer the question? The likeliest few are read by a model that was trained to tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, prod

from citeleaf.protocols import Reader, Store
from citeleaf.quotes import one_line, quotes_of
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.types import Evidence

MOST_READ = 8
"""Units read for one question."""
_LONGEST = 70
"""Words of a unit that are read."""
_NEARLY = 1e-6
_ENDS = (".", "!", "?")
_PASSAGE = 0.05
"""What a point of the passage's score counts beside the unit's share of the question's terms."""


def sufficiency(question: str, evidence: Sequence[Evidence], store: Store, reader: Reader) -> float:
    """The probability, in (0, 1), that at least one of the units read answers, each taken as independent of the others.

    Read are the `MOST_READ` units with the greatest idf-weighted share of the question's terms + `_PASSAGE` times their
    passage's score; of equals those of better passages, then those that stand before.
    """
    texts = likeliest(question, evidence, store)
    none = prod(1 - p for p in reader.answers(question, texts))
    return min(max(1 - none, _NEARLY), 1 - _NEARLY)


def likeliest(question: str, evidence: Sequence[Evidence], store: Store) -> list[str]:
    """The units to read, each with its lead, likeliest first."""
    language = guess_language(question)
    frequencies, n = store.frequencies(list(dict.fromkeys(terms(question, language))))
    idf = {term: log(1 + (n - df + 0.5) / (df + 0.5)) for term, df in frequencies.items()}
    total = sum(idf.values()) or 1.0
    scored = []
    for words, score in _units(evidence):
        held = set(terms(words, language))
        scored.append((sum(w for t, w in idf.items() if t in held) / total + _PASSAGE * score, words))
    best = sorted(range(len(scored)), key=lambda i: (-scored[i][0], i))[:MOST_READ]
    return [" ".join(scored[i][1].split()[:_LONGEST]) for i in best]


def _units(evidence: Sequence[Evidence]) -> Iterator[tuple[str, float]]:
    """Words and passage's score of every unit; a lead-in is read with its items, and a passage without units whole."""
    for item in evidence:
        score = item.score if item.scorer == "reranked" else 0.0
        leads = {q.span for unit in item.passage.units for q in unit.lead if not q.text.rstrip().endswith(_ENDS)}
        for unit in item.passage.units:
            if unit.quote.span not in leads and any(c.isalnum() for c in unit.quote.text):
                yield one_line(" ".join(q.text for q in quotes_of(unit))), score
        if not item.passage.units:
            yield one_line(item.passage.text), score
