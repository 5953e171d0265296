"""First-stage lists -> fuse -> rerank -> evidence."""

from __future__ import annotations

from collections.abc import Sequence

from citeleaf.protocols import Embedder, Reranker, Store
from citeleaf.retrieve.expand import definitions
from citeleaf.retrieve.fuse import min_max, normalised_sum, ranked, reciprocal_rank_fusion
from citeleaf.retrieve.parts import parts
from citeleaf.retrieve.reading import reading
from citeleaf.retrieve.tokens import guess_language, is_code, terms
from citeleaf.settings import RetrieveSettings
from citeleaf.types import DocId, Evidence, Passage, PassageId, Query, Ranking, Retrieval

_RARE_SHARE = 0.01
"""A term in at most this share of the passages (and in at least one) is rare."""
_LEAST_RARE = 2


def retrieve(
    query: Query, store: Store, embedder: Embedder | None, reranker: Reranker | None, settings: RetrieveSettings
) -> Retrieval:
    """The evidence for a question, best first, and every list that led to it.

    The whole question is searched, then each of its parts; a part's best passage is moved into the evidence when it is
    not there. Definitions come last. Without an embedder or a reranker their lists are left out.
    """
    seen: dict[PassageId, Passage] = {}
    rankings: list[Ranking] = []
    main = _search(query.text, query, store, embedder, reranker, settings, rankings, seen)
    chosen: dict[PassageId, str] = {h.passage_id: "found" for h in main.hits[: settings.top_k]}
    scores = {h.passage_id: h.score for h in main.hits}
    pieces = parts(query.text) if settings.parts else ()
    for piece in pieces:
        best = _search(piece, query, store, embedder, reranker, settings, [], seen).hits[:2]
        for hit in best:
            scores.setdefault(hit.passage_id, hit.score)
        if best and best[0].passage_id in chosen:
            chosen[best[0].passage_id] = "part"
        elif best:
            if len(chosen) >= settings.top_k:
                last = next((p for p in reversed(chosen) if chosen[p] == "found"), None)
                if last is not None:
                    del chosen[last]
            chosen[best[0].passage_id] = "part"
    _load(seen, list(chosen), store)
    for passage_id in definitions(query.text, [seen[p] for p in chosen], store, settings.definitions):
        chosen[passage_id] = "definition"
        scores.setdefault(passage_id, min(scores.values()))
    _load(seen, list(chosen), store)
    evidence = tuple(
        Evidence(seen[pid], rank, scores[pid], main.scorer, why) for rank, (pid, why) in enumerate(chosen.items(), 1)
    )
    return Retrieval(evidence, tuple(rankings), pieces)


def first_stage(
    text: str, query: Query, store: Store, embedder: Embedder | None, settings: RetrieveSettings
) -> list[tuple[Ranking, float]]:
    """Each switched-on signal's list with its weight: `lexical`, `tfidf`, `dense`, `entity`."""
    words = terms(text, guess_language(text))
    lists: list[tuple[Ranking, float]] = []
    if settings.lexical:
        lists.append((store.lexical(words, settings.depth, query.doc_ids), settings.lexical))
    if settings.tfidf:
        lists.append((store.tfidf(words, settings.depth, query.doc_ids), settings.tfidf))
    if settings.dense and embedder is not None:
        lists.append((store.dense(embedder.query(text), settings.depth, query.doc_ids), settings.dense))
    if settings.entity:
        rare = rare_terms(words, store, query.doc_ids)
        if rare:
            found = store.lexical(rare, settings.depth, query.doc_ids)
            lists.append((Ranking("entity", found.hits), settings.entity))
    return lists


def rare_terms(words: Sequence[str], store: Store, doc_ids: Sequence[DocId] = ()) -> list[str]:
    """The codes and rare words among the terms that the passages (of `doc_ids`) hold, in order, once each."""
    frequencies, n = store.frequencies(list(dict.fromkeys(words)), doc_ids)
    most = max(_LEAST_RARE, int(n * _RARE_SHARE))
    return [w for w, df in frequencies.items() if 0 < df <= most or (is_code(w) and 0 < df <= 5 * most)]


def _search(
    text: str,
    query: Query,
    store: Store,
    embedder: Embedder | None,
    reranker: Reranker | None,
    settings: RetrieveSettings,
    rankings: list[Ranking],
    seen: dict[PassageId, Passage],
) -> Ranking:
    lists = first_stage(text, query, store, embedder, settings)
    if settings.fuse == "rrf":
        fused = reciprocal_rank_fusion(lists, k=settings.rrf_k, depth=settings.depth)
    else:
        fused = normalised_sum(lists, depth=settings.depth)
    rankings.extend([ranking for ranking, _ in lists])
    rankings.append(fused)
    if reranker is None or not settings.rerank or not fused.hits:
        return fused
    head = [h.passage_id for h in fused.hits[: settings.rerank_depth]]
    _load(seen, head, store)
    logits = reranker.scores(text, [reading(seen[p]) for p in head])
    reranked = ranked("reranked", dict(zip(head, logits, strict=True)))
    rankings.append(reranked)
    order = blend(fused, reranked, settings.rerank)
    rankings.append(order)
    raw = dict(zip(head, logits, strict=True))
    return Ranking("reranked", tuple(type(h)(h.passage_id, h.rank, raw[h.passage_id]) for h in order.hits))


def blend(fused: Ranking, reranked: Ranking, weight: float) -> Ranking:
    """Order of the reranked hits by min-max fused score + weight * min-max cross-encoder score, as list `blended`."""
    first = min_max(Ranking("", tuple(h for h in fused.hits if h.rank <= len(reranked.hits))))
    second = min_max(reranked)
    return ranked("blended", {pid: first[pid] + weight * value for pid, value in second.items()})


def _load(seen: dict[PassageId, Passage], ids: Sequence[PassageId], store: Store) -> None:
    missing = [i for i in ids if i not in seen]
    if missing:
        seen.update(zip(missing, store.passages(missing), strict=True))


def single(
    query: Query,
    scorer: str,
    k: int,
    store: Store,
    embedder: Embedder | None,
    reranker: Reranker | None,
    settings: RetrieveSettings,
) -> Ranking:
    """The first `k` hits by one scorer: `lexical`, `tfidf`, `dense`, `fused` or `reranked`.

    A scorer whose model is switched off gives no hits for `dense`; `reranked` is then the fused list.
    """
    if scorer in ("fused", "reranked"):
        deep = {"depth": max(settings.depth, k), "rerank_depth": max(settings.rerank_depth, k)}
        depths = settings.model_copy(update=deep)
        model = reranker if scorer == "reranked" else None
        found = _search(query.text, query, store, embedder, model, depths, [], {})
        return Ranking(found.scorer, found.hits[:k])
    words = terms(query.text, guess_language(query.text))
    if scorer == "lexical":
        return store.lexical(words, k, query.doc_ids)
    if scorer == "tfidf":
        return store.tfidf(words, k, query.doc_ids)
    if embedder is None:
        return Ranking("dense", ())
    return store.dense(embedder.query(query.text), k, query.doc_ids)
