"""Each retriever against the real package of its framework (`make retrievers`)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from citeleaf import App
from citeleaf.errors import ConfigError, UnknownId

pytestmark = pytest.mark.retrievers
NOTE = """# Keys

Lost keys are reported to the caretaker within two hours.

# Bicycles

Bicycles stand in the yard, never in the hall.
"""
QUESTION = "When are lost keys reported?"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("retrievers")
    (folder / "house.md").write_text(NOTE, "utf-8")
    (folder / "garden.md").write_text("# Garden\n\nThe garden gate key hangs beside the door.\n", "utf-8")
    with App.for_files([folder / "house.md", folder / "garden.md"]) as opened:
        yield opened


def told(app: App) -> list[tuple[str, float]]:
    return [(found.passage.id, found.hit.score) for found in app.search(QUESTION, k=2)]


def test_langchain(app: App) -> None:
    pytest.importorskip("langchain_core", reason="needs langchain-core")
    from citeleaf.surfaces.retrievers.langchain import CiteleafRetriever

    found = CiteleafRetriever(app=app, k=2).invoke(QUESTION)
    assert [(d.id, d.metadata["score"]) for d in found] == told(app)
    assert "two hours" in found[0].page_content
    assert (found[0].metadata["doc_id"], found[0].metadata["section"]) == ("house", ["Keys"])
    assert found == asyncio.run(CiteleafRetriever(app=app, k=2).ainvoke(QUESTION))
    piped = CiteleafRetriever(app=app, k=1) | (lambda documents: documents[0].metadata["title"])
    assert piped.invoke(QUESTION)
    assert {d.metadata["doc_id"] for d in CiteleafRetriever(app=app, doc_ids=("garden",)).invoke(QUESTION)} == {
        "garden"
    }
    with pytest.raises(UnknownId, match="cellar"):
        CiteleafRetriever(app=app, doc_ids=("cellar",)).invoke(QUESTION)


def test_llama_index(app: App) -> None:
    pytest.importorskip("llama_index.core", reason="needs llama-index-core")
    from citeleaf.surfaces.retrievers.llama_index import CiteleafRetriever

    found = CiteleafRetriever(app, k=2).retrieve(QUESTION)
    assert [(n.node.node_id, n.score) for n in found] == told(app)
    assert "two hours" in found[0].node.get_content()
    assert found[0].node.metadata["section"] == ["Keys"]
    again = asyncio.run(CiteleafRetriever(app, k=2).aretrieve(QUESTION))
    assert [n.node.node_id for n in again] == [n.node.node_id for n in found]
    with pytest.raises(ConfigError, match="no scorer"):
        CiteleafRetriever(app, scorer="guess").retrieve(QUESTION)


def test_haystack(app: App) -> None:
    pytest.importorskip("haystack", reason="needs haystack-ai")
    from haystack import Pipeline

    from citeleaf.surfaces.retrievers.haystack import CiteleafRetriever

    pipeline = Pipeline()
    pipeline.add_component("retriever", CiteleafRetriever(app, k=2))
    found = pipeline.run({"retriever": {"query": QUESTION}})["retriever"]["documents"]
    assert [(d.id, d.score) for d in found] == told(app)
    assert "two hours" in found[0].content
    assert found[0].meta["section"] == ["Keys"]
    assert len(CiteleafRetriever(app).run(QUESTION, top_k=1)["documents"]) == 1
    again = asyncio.run(CiteleafRetriever(app, k=2).run_async(QUESTION))["documents"]
    assert [d.id for d in again] == [d.id for d in found]
