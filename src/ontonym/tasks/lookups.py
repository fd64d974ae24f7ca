"""What a normalization looks up: the hits of each text by itself, found once, and those of many texts together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ontonym.index import Index
from ontonym.tasks.document import CONSIDERED
from ontonym.tasks.hits import AnyHit
from ontonym.tasks.nil import answered_by_nil
from ontonym.tasks.rerank import Reranking, pending_many
from ontonym.tasks.search import Experiment, SearchOptions, settled
from ontonym.types import Hit

_FEWEST = 5


class AskedText(NamedTuple):
    """A text that is looked up, and whether with as many hits as a document may choose from."""

    text: str
    is_wide: bool


class Lookups:
    """The hits of texts by themselves, each found once until all are forgotten."""

    def __init__(self, index: Index, search: SearchOptions, reranking: Reranking | None) -> None:
        self._index, self._search, self._reranking = index, search, reranking
        self._hits: dict[AskedText, tuple[AnyHit, ...]] = {}
        self._settled: dict[AskedText, list[Hit]] = {}
        self._nil_texts: set[str] = set()

    def __len__(self) -> int:
        return len(self._hits)

    def hits(self, asked: AskedText) -> tuple[AnyHit, ...]:
        """The hits, best first, with the confidences that `ontonym.tasks.search.settled` takes."""
        if asked not in self._hits:
            self._find([asked.text], is_wide=asked.is_wide)
        return self._hits[asked]

    def settled(self, asked: AskedText) -> list[Hit]:
        """The hits with their final confidences."""
        found = self._settled.get(asked)
        if found is None:
            found = self._settled[asked] = settled(self._index, self.hits(asked), self._search)
        return found

    def is_nil(self, text: str) -> bool:
        """Whether the texts of NIL answer a text that was looked up."""
        return text in self._nil_texts

    def find_together(self, asked: Iterable[AskedText]) -> None:
        """Finds what is not known yet in one batch, which is faster than one by one."""
        fresh = dict.fromkeys(one for one in asked if one not in self._hits)
        for is_wide in (False, True):
            if texts := [one.text for one in fresh if one.is_wide == is_wide]:
                self._find(texts, is_wide=is_wide)

    def forget(self) -> None:
        """Forgets all that was found."""
        self._hits.clear()
        self._settled.clear()
        self._nil_texts.clear()

    def _find(self, texts: Sequence[str], *, is_wide: bool) -> None:
        k = max(self._search.k, _FEWEST)  # duplicates beyond the first k have a share too
        if is_wide or len(self._index.terminologies) > 1:  # and so have rivals
            k = max(k, CONSIDERED)
        raw = Experiment.unsettled(self._search, k)
        found = pending_many(self._index, texts, raw, self._reranking)
        self._nil_texts |= answered_by_nil(self._index, texts, found, raw)
        self._hits.update((AskedText(text, is_wide), tuple(hits)) for text, hits in zip(texts, found, strict=True))
