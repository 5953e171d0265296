"""What every `Store` does, whatever holds its rows. Another store joins by a factory in `STORES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from citeleaf.backends.store_sqlite import open_store
from citeleaf.boxes import Boxes
from citeleaf.errors import UnknownId
from citeleaf.protocols import Store
from citeleaf.retrieve.tokens import terms
from citeleaf.types import Place, Ranking, Rect, Span
from support.library import DIM, EMBEDDER, answer_of, parts, vector

STORES: dict[str, Callable[[Path], Store]] = {"sqlite": lambda folder: open_store(folder, embedder=EMBEDDER)}
"""Each makes an empty store for vectors of `EMBEDDER` in a folder; what it makes has a `close`."""

POLICY = (
    "Claims above 25,000 need form AML-204 and a second signature.",
    "Burst pipes are covered when the building is occupied.",
    "Storm damage to fences is not covered.",
)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = STORES[request.param](tmp_path)
    yield made
    made.close()  # type: ignore[attr-defined]


def ids(ranking: Ranking) -> list[str]:
    return [hit.passage_id for hit in ranking.hits]


def searches(store: Store, words: str, doc_ids: Sequence[str] = ()) -> list[Ranking]:
    asked = terms(words)
    return [
        store.lexical(asked, 10, doc_ids),
        store.tfidf(asked, 10, doc_ids),
        store.dense(vector(words), 10, doc_ids),
    ]


def check_order(ranking: Ranking) -> None:
    assert [h.rank for h in ranking.hits] == list(range(1, len(ranking.hits) + 1))
    assert list(ranking.hits) == sorted(ranking.hits, key=lambda h: (-h.score, h.passage_id))


# ---- what goes in comes out


def test_a_document_and_its_passages_come_back_equal(store: Store) -> None:
    document, passages, vectors, boxes = parts("policy", POLICY, terms=(None, "burst pipe"), replaces="older")
    store.put(document, passages, vectors, boxes)
    assert store.document("policy") == document
    assert store.passages([p.id for p in reversed(passages)]) == tuple(reversed(passages))
    assert store.documents() == (replace(document, text="", blocks=()),)


def test_documents_come_by_id(store: Store) -> None:
    for name in ("b", "a-b", "a"):
        store.put(*parts(name, ["one"]))
    assert [d.id for d in store.documents()] == ["a", "a-b", "b"]


def test_a_text_with_any_characters_comes_back(store: Store) -> None:
    text = "İstanbul ığ \x00 NUL 💧 e\u0301 'quote\" \u202e ﬁ"
    document, passages, vectors, boxes = parts("odd", [text])
    store.put(document, passages, vectors, boxes)
    assert store.document("odd").text == text + "\n"
    assert store.passages(["odd#s1#c1"])[0].text == text


def test_putting_again_replaces_the_whole_document(store: Store) -> None:
    store.put(*parts("policy", POLICY))
    store.put(*parts("policy", ["Only hail is covered."]))
    assert ids(store.lexical(terms("burst pipes"), 5)) == []
    assert ids(store.lexical(terms("hail"), 5)) == ["policy#s1#c1"]
    assert store.frequencies(["hail", "pipe"]) == ({"hail": 1, "pipe": 0}, 1)
    with pytest.raises(UnknownId):
        store.passages(["policy#s3#c1"])


@pytest.mark.parametrize("bad", ["nobody", "", "' OR 1=1 --", "%", "pol_cy", "\ud83d", "policy#s1#c1", "x\x00"])
def test_unknown_ids_are_said_to_be_unknown(store: Store, bad: str) -> None:
    store.put(*parts("policy", POLICY))
    for call in (store.document, store.remove, store.answer, store.definitions):
        with pytest.raises(UnknownId):
            call(bad)
    with pytest.raises(UnknownId):
        store.place(bad, Span(0, 1))
    with pytest.raises(UnknownId):
        store.lexical(["claim"], 5, [bad])
    with pytest.raises(UnknownId):
        store.dense(vector("x"), 5, [bad])
    if bad != "policy#s1#c1":
        with pytest.raises(UnknownId):
            store.passages(["policy#s1#c1", bad])
        with pytest.raises(UnknownId):
            store.neighbours(bad)


# ---- searching


def test_each_search_orders_by_score_then_id(store: Store) -> None:
    for name in ("c", "a", "b"):
        store.put(*parts(name, ["Storm damage to roofs.", "Nothing of the kind.", "Storm damage to roofs."]))
    for ranking in searches(store, "storm damage"):
        check_order(ranking)
    same = [f"{d}#s{n}#c1" for d in "abc" for n in (1, 3)]
    assert ids(store.lexical(["storm"], 9)) == same
    assert ids(store.lexical(["storm"], 3)) == same[:3]
    assert ids(store.dense(vector("Storm damage to roofs."), 4)) == same[:4]
    assert len({h.score for h in store.dense(vector("Storm damage to roofs."), 6).hits}) == 1


def test_scorers_name_themselves(store: Store) -> None:
    store.put(*parts("policy", POLICY))
    assert [r.scorer for r in searches(store, "storm")] == ["lexical", "tfidf", "dense"]


def test_lexical_takes_any_of_the_words(store: Store) -> None:
    store.put(*parts("policy", POLICY))
    assert set(ids(store.lexical(terms("burst fences unheard"), 5))) == {"policy#s2#c1", "policy#s3#c1"}


def test_a_code_is_found_whole(store: Store) -> None:
    store.put(*parts("policy", (*POLICY, "Form AML-205 is for small claims.")))
    assert ids(store.lexical(["aml-204"], 5)) == ["policy#s1#c1"]
    assert ids(store.lexical(["25000"], 5)) == ["policy#s1#c1"]


def test_heading_and_context_are_searched_too(store: Store) -> None:
    document, passages, vectors, boxes = parts("policy", POLICY)
    passages = (replace(passages[0], heading=("Zebra",), context="quagga"), *passages[1:])
    store.put(document, passages, vectors, boxes)
    for word in ("zebra", "quagga"):
        assert ids(store.lexical([word], 5)) == ["policy#s1#c1"]


@pytest.mark.parametrize(
    "question",
    [
        "",
        '"',
        "*",
        "a AND",
        "NEAR(",
        "t:x",
        "-",
        "OR NOT",
        "(((",
        "a\x00b",
        "💧",
        "\ud83d",
        "body:x",
        "{a b}",
        "^x",
        "+",
    ],
)
def test_words_are_never_a_query_language(store: Store, question: str) -> None:
    store.put(*parts("policy", POLICY))
    for ranking in (store.lexical([question], 5), store.tfidf([question], 5)):
        assert ranking.hits == ()
    assert store.frequencies([question])[0] == {question: 0}


def test_a_very_long_question_is_answered(store: Store) -> None:
    store.put(*parts("policy", (*POLICY, "The roof is insured.")))
    words = [f"w{n}" for n in range(20_000)] + ["roof"]
    assert ids(store.lexical(words, 5)) == ["policy#s4#c1"]
    assert ids(store.tfidf(words, 5)) == ["policy#s4#c1"]


def test_wording_and_repeats_do_not_change_scores(store: Store) -> None:
    store.put(*parts("policy", POLICY))
    assert store.lexical(["burst", "pipe", "cover"], 5) == store.lexical(["cover", "pipe", "burst", "burst"], 5)


def test_tfidf_is_the_cosine_it_says(store: Store) -> None:
    document, passages, vectors, boxes = parts("d", ["hail hail storm", "storm roof"])
    bare = tuple(replace(p, heading=(), context="") for p in passages)
    store.put(document, bare, vectors, boxes)
    idf = {"hail": np.log(3 / 2) + 1, "storm": np.log(3 / 3) + 1, "roof": np.log(3 / 2) + 1}
    first = np.array([(1 + np.log(2)) * idf["hail"], idf["storm"]])
    asked = np.array([idf["hail"], idf["storm"]])
    second = idf["storm"] ** 2 / (np.hypot(idf["storm"], idf["roof"]) * np.linalg.norm(asked))
    found = store.tfidf(["hail", "storm"], 5)
    assert [h.score for h in found.hits] == pytest.approx(
        [first @ asked / (np.linalg.norm(first) * np.linalg.norm(asked)), second]
    )


def test_dense_is_the_cosine_of_every_passage(store: Store) -> None:
    texts = [f"passage number {n}" for n in range(40)]
    store.put(*parts("d", texts))
    asked = vector("somewhere else")
    found = store.dense(asked, 40)
    exact = {f"d#s{n}#c1": float(vector(t) @ asked) for n, t in enumerate(texts, 1)}
    assert ids(found) == sorted(exact, key=lambda p: (-exact[p], p))
    assert [h.score for h in found.hits] == pytest.approx([exact[p] for p in ids(found)], abs=1e-6)


@pytest.mark.parametrize("k", [0, -1])
def test_no_hits_are_asked_for(store: Store, k: int) -> None:
    store.put(*parts("policy", POLICY))
    assert all(
        r.hits == () for r in (store.lexical(["storm"], k), store.tfidf(["storm"], k), store.dense(vector("x"), k))
    )


def test_an_empty_store_finds_nothing(store: Store) -> None:
    assert all(r.hits == () for r in searches(store, "storm"))
    assert store.frequencies(["storm"]) == ({"storm": 0}, 0)
    assert store.documents() == ()


def test_frequencies_count_passages_not_words(store: Store) -> None:
    store.put(*parts("policy", ["storm storm storm", "storm", "hail"]))
    assert store.frequencies(["storm", "hail", "absent"]) == ({"storm": 2, "hail": 1, "absent": 0}, 3)
    store.put(*parts("other", ["hail", "frost"]))
    assert store.frequencies(["storm", "hail", '"'], ["other"]) == ({"storm": 0, "hail": 1, '"': 0}, 2)


# ---- what is never found


def test_facts_are_never_found(store: Store) -> None:
    store.put(*parts("case", POLICY, role="facts"))
    for doc_ids in ((), ("case",)):
        assert all(r.hits == () for r in searches(store, "burst pipes", doc_ids))


def test_sections_that_are_not_indexed_are_never_found(store: Store) -> None:
    store.put(*parts("policy", POLICY[:1], unindexed=["Burst pipes, page 12"]))
    for doc_ids in ((), ("policy",)):
        for ranking in searches(store, "burst pipes", doc_ids):
            assert "policy#s2#c1" not in ids(ranking)


def test_a_replaced_document_is_found_when_named_only(store: Store) -> None:
    store.put(*parts("old", POLICY))
    store.put(*parts("new", POLICY, replaces="old"))
    for ranking in searches(store, "burst pipes"):
        assert {p.partition("#")[0] for p in ids(ranking)} == {"new"}
    for ranking in searches(store, "burst pipes", ["old"]):
        assert {p.partition("#")[0] for p in ids(ranking)} == {"old"}
    store.remove("new")
    for ranking in searches(store, "burst pipes"):
        assert {p.partition("#")[0] for p in ids(ranking)} == {"old"}


def test_facts_do_not_replace_a_policy(store: Store) -> None:
    store.put(*parts("old", POLICY))
    store.put(*parts("case", POLICY, role="facts", replaces="old"))
    assert ids(store.lexical(["burst"], 5)) == ["old#s2#c1"]


def test_a_search_keeps_to_the_documents_named(store: Store) -> None:
    for name in ("a", "b", "c"):
        store.put(*parts(name, POLICY))
    for ranking in searches(store, "burst pipes", ["c", "a"]):
        assert {p.partition("#")[0] for p in ids(ranking)} == {"a", "c"}


def test_a_removed_document_is_gone_on_every_path(store: Store) -> None:
    document, passages, vectors, boxes = parts("canary", ["The quetzalcoatl clause."], terms=["quetzalcoatl"])
    store.put(*parts("other", POLICY))
    store.put(document, passages, vectors, boxes)
    store.keep(answer_of(passages, "answer-1"))
    assert ids(store.lexical(["quetzalcoatl"], 5)) == ["canary#s1#c1"]
    store.dense(vectors[0], 5)
    store.remove("canary")
    for ranking in searches(store, "The quetzalcoatl clause."):
        assert not [p for p in ids(ranking) if p.startswith("canary")]
    assert store.frequencies(["quetzalcoatl"]) == ({"quetzalcoatl": 0}, 3)
    assert [d.id for d in store.documents()] == ["other"]
    for call in (
        lambda: store.document("canary"),
        lambda: store.passages([passages[0].id]),
        lambda: store.definitions("canary"),
        lambda: store.neighbours(passages[0].id),
        lambda: store.place("canary", Span(0, 3)),
        lambda: store.remove("canary"),
    ):
        with pytest.raises(UnknownId):
            call()
    with pytest.raises(UnknownId, match="source removed"):
        store.answer("answer-1")


# ---- around a passage


def test_definitions_give_each_term_its_first_passage(store: Store) -> None:
    store.put(*parts("policy", POLICY, unindexed=["Index"], terms=("Claim", "Burst Pipe", "Claim", "Hidden")))
    assert store.definitions("policy") == {"Claim": "policy#s1#c1", "Burst Pipe": "policy#s2#c1"}


def test_neighbours_keep_to_the_document_and_to_what_can_be_found(store: Store) -> None:
    store.put(*parts("a", POLICY, unindexed=["Index"]))
    store.put(*parts("b", POLICY))
    assert store.neighbours("a#s1#c1") == (None, "a#s2#c1")
    assert store.neighbours("a#s2#c1") == ("a#s1#c1", "a#s3#c1")
    assert store.neighbours("a#s3#c1") == ("a#s2#c1", None)


def test_a_place_has_page_label_section_and_rectangles(store: Store) -> None:
    document, passages, vectors, boxes = parts("policy", POLICY)
    store.put(document, passages, vectors, boxes)
    found = store.place("policy", passages[1].span)
    assert (found.page, found.page_label, found.quality, found.section) == (2, "p2", "good", ("Policy", "Part 2"))
    assert found.rects == (Rect(2, *(pytest.approx(x) for x in (0.1, 0.2, 0.3, 0.4))),)


def test_a_place_in_a_document_without_pages_has_none(store: Store) -> None:
    document, passages, vectors, _ = parts("policy", POLICY)
    store.put(replace(document, pages=()), passages, vectors, Boxes.empty())
    assert store.place("policy", Span(0, 3)) == Place(None, None, "good", ("Policy", "Part 1"), ())


# ---- answers


def test_an_answer_comes_back_equal(store: Store) -> None:
    store.put(*parts("policy", POLICY))
    _, passages, _, _ = parts("policy", POLICY)
    answer = answer_of(passages, "answer-1")
    store.keep(answer)
    assert store.answer("answer-1") == answer
    changed = replace(answer, text="other words")
    store.keep(changed)
    assert store.answer("answer-1") == changed


def test_an_answer_to_a_question_with_half_a_character_is_kept(store: Store) -> None:
    store.put(*parts("policy", POLICY))
    _, passages, _, _ = parts("policy", POLICY)
    answer = answer_of(passages, "answer-1")
    answer = replace(answer, trace=replace(answer.trace, query=replace(answer.trace.query, text="what \udcff?")))
    store.keep(answer)
    assert store.answer("answer-1") == answer


def test_an_answer_whose_document_went_while_it_was_made_is_not_kept(store: Store) -> None:
    _, passages, _, _ = parts("policy", POLICY)
    store.keep(answer_of(passages, "answer-1"))
    with pytest.raises(UnknownId, match="source removed"):
        store.answer("answer-1")


def test_answers_about_other_documents_stay(store: Store) -> None:
    store.put(*parts("a", POLICY))
    store.put(*parts("b", POLICY))
    answer = answer_of(parts("b", POLICY)[1], "answer-b")
    store.keep(answer)
    store.remove("a")
    assert store.answer("answer-b") == answer


# ---- the order of things


def test_the_order_of_putting_does_not_matter(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    documents = [parts(f"d{n}", [f"storm hail {rng.integers(9)} roof", "storm", POLICY[n % 3]]) for n in range(12)]
    for name, factory in STORES.items():
        results = []
        for n, order in enumerate((documents, documents[::-1], [documents[i] for i in rng.permutation(12)])):
            folder = tmp_path / f"{name}{n}"
            folder.mkdir()
            store = factory(folder)
            for document in order:
                store.put(*document)
            found = [searches(store, words) for words in ("storm", "storm hail roof", "burst pipes", "nothing")]
            results.append((found, store.documents(), store.frequencies(["storm", "hail"])))
            store.close()  # type: ignore[attr-defined]
        assert results[0] == results[1] == results[2]


def test_equal_vectors_get_equal_scores_wherever_they_stand(store: Store) -> None:
    texts = [f"text {n % 7}" for n in range(61)]
    store.put(*parts("d", texts))
    found = store.dense(vector("text 3"), 61)
    by_text: dict[str, set[float]] = {}
    for hit in found.hits:
        by_text.setdefault(texts[int(hit.passage_id.split("#")[1][1:]) - 1], set()).add(hit.score)
    assert [len(scores) for scores in by_text.values()] == [1] * 7
    assert vector("text 3").shape == (DIM,)
