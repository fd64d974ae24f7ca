"""Asks each document of a corpus as if its own mentions had never been added to the index as terms.

A mention that is a term already is found for sure, so that a corpus whose mentions were added says nothing of other
texts unless each document is asked with the terms of the other documents only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ontonym.evaluate.corpora import GoldDocument, GoldMention
from ontonym.index import Index
from ontonym.tasks import Normalization, NormalizeOptions, normalize
from ontonym.tasks.search import Experiment
from ontonym.text.normalization import tokens
from ontonym.types import Mention


class LeftOut:
    """The added terms of an index that only one document of a corpus brought, and the answers without them."""

    def __init__(self, index: Index, documents: Iterable[GoldDocument]) -> None:
        self._index = index
        self._hidden: dict[str, tuple[int, ...]] = {}
        for document in documents if index.signals.added is not None else ():
            if rows := self._rows_of(document.mentions):
                self._hidden[document.id] = rows

    def __len__(self) -> int:
        """How many documents brought terms."""
        return len(self._hidden)

    def answers(self, mentions: Iterable[Mention], options: NormalizeOptions) -> Iterator[Normalization]:
        """The answers of mentions in order, each without the terms that its document alone brought."""
        for hidden, some in groupby(mentions, lambda mention: self._hidden.get(mention.document, ())):
            search = Experiment.of(options.search, hidden=hidden)
            yield from normalize(self._index, some, replace(options, search=search))

    def _rows_of(self, mentions: Sequence[GoldMention]) -> tuple[int, ...]:
        """The rows of the added terms that were added no more often than these mentions have them."""
        said = Counter(
            (concept, tuple(sorted(tokens(gold.mention.text))))
            for gold in mentions
            if not (gold.composite or gold.joined)
            for id_ in gold.ids
            if (concept := self._index.find(id_)) is not None
        )
        ((first, part),) = self._index.signals.parts("D")
        rows = (
            first + row
            for (concept, form), times in said.items()
            for row in part.names.spelled(form).tolist()
            if part.names.concepts[row] == concept and part.counts is not None and part.counts[row] <= times
        )
        return tuple(sorted(rows))
