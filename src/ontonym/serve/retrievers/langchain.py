"""A retriever for LangChain (langchain-core): ``ConceptRetriever(index=index).invoke("heart skipping beats")``."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document as LangChainDocument
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from ontonym.index import Index
from ontonym.serve.shapes import hit_shape
from ontonym.tasks import SearchOptions, search


class ConceptRetriever(BaseRetriever):
    """Concepts of an open index as documents: the preferred term is the content, the hit the metadata."""

    index: Any
    options: Any = SearchOptions()

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[LangChainDocument]:
        index: Index = self.index.refreshed()
        return [
            LangChainDocument(page_content=hit.preferred, metadata=hit_shape(hit), id=hit.id)
            for hit in search(index, query, self.options)
        ]
