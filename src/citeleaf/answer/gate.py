"""Is the evidence worth answering from? Looked at before anything is drafted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from citeleaf.answer.suffice import sufficiency
from citeleaf.protocols import Reader, Store
from citeleaf.retrieve.tokens import guess_language, terms
from citeleaf.settings import GateSettings
from citeleaf.types import Check, DocId, Passage, Query, Retrieval
from citeleaf.verify.tongue import tongue

_CODE = re.compile(
    r"(?<![\w$€£.,-])(?=[A-Z0-9./_-]*[A-Z]{2})([A-Z]+[0-9]*(?:[-./_][A-Z0-9]+)*[-./_]?[0-9]+[A-Z0-9]*)(?![\w-])"
)
_SIZE = re.compile(r"(?<![\w$€£.,-])([A-Z])\d{1,4}(?![\w-])")
_CLAUSE = re.compile(
    r"(?:\b(?:section|clause|article|paragraph|para|rule|part|sub-?section|madde|bölüm)\s+|§\s*)(\d{1,3}(?:\.\d{1,3})+)",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\w.$€£])(\d{1,3}(?:\.\d{1,3}){2,})(?![\w.])")
_LETTERS = re.compile(r"[^\W\d_]+")
_RUN = re.compile(r"[^\W\d_]+|\d+")
_SHORT_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")


@dataclass(frozen=True, slots=True)
class Features:
    """What the gate weighs; a feature is None when its scorer did not run.

    `rerank`: best cross-encoder score (raw logit) of all passages reranked. `dense`: best cosine, in [-1, 1].
    `coverage`: idf-weighted share, in [0, 1], of the question's terms in the passage of the evidence that holds the
    most (text, heading and context); a word that no passage holds counts with the greatest idf. `sufficiency`: the
    probability, in (0, 1), that the units read answer the question; only questions in English are read.
    """

    rerank: float | None
    dense: float | None
    coverage: float
    sufficiency: float | None = None

    def probability(self, settings: GateSettings) -> float:
        """Logistic of the weighted features, in (0, 1); a feature that is None counts 0, as does a `rerank` below 0.

        Cross-encoder logits below 0 tell little: questions in a layman's words have them with and without an answer.
        Of `sufficiency`, where it was read, the log-odds are weighed, and a constant of its own is added.
        """
        logit = settings.bias + settings.coverage_weight * self.coverage
        logit += settings.rerank_weight * max(self.rerank or 0.0, 0.0) + settings.dense_weight * (self.dense or 0.0)
        if self.sufficiency is not None and settings.sufficiency_weight:
            odds = log(self.sufficiency / (1 - self.sufficiency))
            logit += settings.sufficiency_bias + settings.sufficiency_weight * odds
        return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))

    def suffice(self, settings: GateSettings) -> bool:
        """Whether every feature that has a weight was measured; `sufficiency` may be missing."""
        return not ((settings.rerank_weight and self.rerank is None) or (settings.dense_weight and self.dense is None))


def gate(
    query: Query, found: Retrieval, store: Store, settings: GateSettings, reader: Reader | None = None
) -> tuple[Check, ...]:
    """Checks `evidence`, `codes`, `rerank`, `dense`, `coverage`, `sufficiency`, `probability`: those that can be made.

    In this order; all must pass. `evidence`: there is any. `codes`: every code or clause number in the question stands
    in the documents, so that `AML-999` is not answered by its neighbours. `rerank`, `dense`, `coverage` and
    `sufficiency` show the features; the first three have a threshold where one is set. `probability`: what the features
    come to (see `Features`), where a least one is set and all that it needs were measured. A scorer that did not run is
    not checked.
    """
    if not found.evidence:
        return (Check("evidence", False, "nothing was found", 0.0, 1.0),)
    checks = [Check("evidence", True, "", float(len(found.evidence)), 1.0)]
    if settings.codes:
        missing = unknown_codes(query.text, [e.passage for e in found.evidence], store, query.doc_ids)
        checks.append(Check("codes", not missing, ", ".join(missing), float(len(missing)), 0.0))
    features = measure(query, found, store, reader if settings.sufficiency_weight else None)
    for name, value, least in (
        ("rerank", features.rerank, settings.min_rerank),
        ("dense", features.dense, settings.min_dense),
        ("coverage", features.coverage, settings.min_coverage),
    ):
        if value is not None:
            checks.append(Check(name, least is None or value >= least, "", value, least))
    if features.sufficiency is not None:
        checks.append(Check("sufficiency", True, "", features.sufficiency))
    if settings.min_probability > 0 and features.suffice(settings):
        value = features.probability(settings)
        enough = value >= settings.min_probability
        detail = "" if enough else "the passages found are not likely to hold an answer"
        checks.append(Check("probability", enough, detail, value, settings.min_probability))
    return tuple(checks)


def strong(checks: Sequence[Check], least: float | None) -> bool:
    """Whether the gate's `probability` was weighed and comes to `least` or more; never without a `least`."""
    value = next((check.value for check in checks if check.name == "probability"), None)
    return least is not None and value is not None and value >= least


def reads(settings: GateSettings, models: Mapping[str, object | None]) -> bool:
    """Whether a reader counts beside the models at hand (`embedder`, `reranker`): all that is weighed must be there."""
    weighed = (("embedder", settings.dense_weight), ("reranker", settings.rerank_weight))
    joined = all(models[name] is not None for name, weight in weighed if weight)
    return bool(settings.sufficiency_weight and settings.min_probability > 0 and joined)


def foreign(settings: GateSettings, embedder: str | None, reranker: str | None, reader: str | None = None) -> list[str]:
    """The models at hand whose scores the gate would weigh with numbers that belong to others, by name.

    None where `calibrated_for` is empty, and none for a check that is not made: one without a threshold, or with a
    model that is missing.
    """
    weighed = [(embedder, settings.dense_weight), (reranker, settings.rerank_weight)]
    joined = settings.min_probability > 0 and all(name for name, weight in weighed if weight)
    used = [
        name
        for (name, weight), least in zip(weighed, (settings.min_dense, settings.min_rerank), strict=True)
        if name and ((joined and weight) or least is not None)
    ]
    if reader and joined and settings.sufficiency_weight:
        used.append(reader)
    return [name for name in used if settings.calibrated_for and name not in settings.calibrated_for]


def measure(query: Query, found: Retrieval, store: Store, reader: Reader | None = None) -> Features:
    """The features of one retrieval that has evidence; `sufficiency` where there is a reader for it."""
    best = {ranking.scorer: ranking.hits[0].score for ranking in reversed(found.rankings) if ranking.hits}
    passages = [e.passage for e in found.evidence]
    covered = coverage(query.text, passages, store)
    read = None
    if reader is not None and tongue(query.text, covered) == "en":
        read = sufficiency(query.text, found.evidence, store, reader)
    return Features(best.get("reranked"), best.get("dense"), covered, read)


def coverage(question: str, passages: Iterable[Passage], store: Store) -> float:
    """The greatest idf-weighted share, in [0, 1], of the question's terms that one passage holds; no terms: 0.

    idf = log(1 + (n - df + 0.5) / (df + 0.5)), as in BM25, over the store's n passages.
    """
    language = guess_language(question)
    wanted = list(dict.fromkeys(terms(question, language)))
    weights = _idf(*store.frequencies(wanted))
    total = sum(weights.values())
    if not total:
        return 0.0
    shares = [sum(w for t, w in weights.items() if t in _held(p, language)) / total for p in passages]
    return max(shares, default=0.0)


def unknown_codes(question: str, passages: Iterable[Passage], store: Store, doc_ids: Sequence[DocId] = ()) -> list[str]:
    """The codes in a question that neither the index (of `doc_ids`) nor the given passages hold, as written.

    A code is capitals joined to digits (`AML-999`, `ISO27001`), a number with two dots or more (`4.2.1`), or a number
    with a dot after `section`, `clause` and the like. In the passages other separators count as the same. A code of at
    most two digits whose letters are unknown too (`COVID-19`, where no document speaks of it) is taken for a word. One
    letter with digits (`M16`) is a code where the passages hold others of that letter (`M10`).
    """
    codes = [m[1] for pattern in (_CODE, _CLAUSE, _DOTTED) for m in pattern.finditer(question)]
    texts = ["\n".join((*p.heading, p.text)) for p in passages] if codes or _SIZE.search(question) else []
    missing: list[str] = []
    for code in dict.fromkeys(codes):
        run = r"[\W_]?".join(_RUN.findall(code))
        written = re.compile(rf"(?<!\w){run}(?!\w)", re.IGNORECASE)
        frequencies, _ = store.frequencies(terms(code)[:1], doc_ids)
        if any(frequencies.values()) or any(written.search(text) for text in texts):
            continue
        known, _ = store.frequencies([t for word in _LETTERS.findall(code) for t in terms(word)], doc_ids)
        if known and _SHORT_NUMBER.search(code) and not any(known.values()):
            continue
        missing.append(code)
    return missing + _unknown_sizes(question, texts, store, doc_ids)


def _unknown_sizes(question: str, texts: Sequence[str], store: Store, doc_ids: Sequence[DocId]) -> list[str]:
    """Codes of one letter (`M16`, `V7`) that stand nowhere where others of that letter stand in the passages."""
    missing = []
    for match in dict.fromkeys(m.group() for m in _SIZE.finditer(question)):
        frequencies, _ = store.frequencies(terms(match)[:1], doc_ids)
        alike = re.compile(rf"(?<!\w){match[0]}[- ]?[0-9]{{1,4}}(?!\w)")
        spelt = re.compile(rf"(?<!\w){match[0]}[- ]?{match[1:]}(?!\w)")
        stands = any(frequencies.values()) or any(spelt.search(text) for text in texts)
        if not stands and any(alike.search(text) for text in texts):
            missing.append(match)
    return missing


def _idf(frequencies: Mapping[str, int], n: int) -> dict[str, float]:
    return {term: log(1 + (n - df + 0.5) / (df + 0.5)) for term, df in frequencies.items()}


def _held(passage: Passage, language: str) -> set[str]:
    return set(terms("\n".join((*passage.heading, passage.context, passage.text)), language))
