"""Retrievers for LangChain and Haystack, by the installed libraries."""

from __future__ import annotations

import pytest

from ontonym.index import open_index
from ontonym.tasks import SearchOptions


@pytest.mark.slow
def test_langchain_gets_concepts_as_documents(built):
    pytest.importorskip("langchain_core", reason="needs langchain-core: pip install langchain-core")
    from ontonym.serve.retrievers.langchain import ConceptRetriever

    with open_index(built / "tiny/tiny.index") as index:
        (document,) = ConceptRetriever(index=index, options=SearchOptions(k=1)).invoke("heart attack")
    assert (document.id, document.page_content, document.metadata["matched"]) == (
        "T:3", "Myocardial infarction", "Heart attack",
    )  # fmt: skip


@pytest.mark.slow
def test_haystack_gets_concepts_as_documents(built):
    haystack = pytest.importorskip("haystack", reason="needs haystack-ai: pip install haystack-ai")
    from ontonym.serve.retrievers.haystack import HaystackConcepts

    with open_index(built / "tiny/tiny.index") as index:
        pipeline = haystack.Pipeline()
        pipeline.add_component("concepts", HaystackConcepts(index, SearchOptions(k=1)))
        (document,) = pipeline.run({"concepts": {"query": "heart attack"}})["concepts"]["documents"]
    assert (document.id, document.content, document.meta["matched"]) == (
        "T:3", "Myocardial infarction", "Heart attack",
    )  # fmt: skip
    assert round(document.score, 4) == document.meta["confidence"]
