"""A retriever for Haystack (haystack-ai): ``HaystackConcepts(index).run("heart skipping beats")["documents"]``."""

from __future__ import annotations

from haystack import Document as HaystackDocument
from haystack import component

from ontonym.index import Index
from ontonym.serve.shapes import hit_shape
from ontonym.tasks import SearchOptions, search


@component
class HaystackConcepts:
    """Concepts of an open index as documents: preferred terms are the content, hits the meta, scored by confidence."""

    def __init__(self, index: Index, options: SearchOptions = SearchOptions()) -> None:  # noqa: B008
        self.index = index
        self.options = options

    @component.output_types(documents=list[HaystackDocument])
    def run(self, query: str) -> dict[str, list[HaystackDocument]]:
        """The concepts behind words, best first."""
        hits = search(self.index.refreshed(), query, self.options)
        return {
            "documents": [
                HaystackDocument(id=hit.id, content=hit.preferred, meta=hit_shape(hit), score=hit.confidence)
                for hit in hits
            ]
        }
