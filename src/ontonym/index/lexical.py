"""The lexical signal: BM25 over the normalized words of names, in a tantivy index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tantivy

from ontonym.index.names import CHUNK, Names
from ontonym.index.protocol import Nearest, nearest_of

_HEAP = 64 << 20


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="freq")
    builder.add_integer_field("row", fast=True)
    return builder.build()


def write_lexical(folder: Path, names: Names, progress: Callable[[int], None] | None = None) -> None:
    """Writes the tantivy index of all names into ``folder / "lexical"``; ``progress`` counts names."""
    place = folder / "lexical"
    place.mkdir()
    index = tantivy.Index(_schema(), path=str(place))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    words = list(names.vocabulary)
    bounds = names.word_bounds.tolist()
    numbers = names.words
    for row, (start, stop) in enumerate(pairwise(bounds)):
        text = " ".join([words[number] for number in numbers[start:stop].tolist()])
        writer.add_document(tantivy.Document(words=text, row=row))
        if progress and (row + 1) % CHUNK == 0:
            progress(CHUNK)
    if progress:
        progress(len(names) % CHUNK)
    writer.commit()
    writer.wait_merging_threads()


class LexicalSignal:
    """Searches names by their words."""

    def __init__(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder / "lexical"))
        self._schema = self._index.schema
        self._searcher = self._index.searcher()

    def nearest(self, words: Sequence[str], k: int, wanted: npt.NDArray[np.bool_] | None = None) -> Nearest:
        """The ``k`` names with the highest BM25 similarity (0 upward, unbounded) to the words, ties by lower row.

        ``wanted`` is a bitmap over names that the search keeps to.
        """
        terms = [tantivy.Query.term_query(self._schema, "words", word, index_option="freq") for word in words]
        if not terms:
            return Nearest(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        limit = k
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            places = [place for _, place in hits]
            rows = np.asarray(self._searcher.fast_field_values("row", places), dtype=np.int64)
            similarities = np.asarray([score for score, _ in hits], dtype=np.float32)
            if wanted is not None:
                kept = wanted[rows]
                rows, similarities = rows[kept], similarities[kept]
            if wanted is None or len(rows) >= k or len(hits) < limit:
                return nearest_of(rows, similarities, k)
            limit *= 8  # the filter left too few: ask deeper, so that it acts as if inside the scan
