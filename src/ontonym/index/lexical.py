"""The lexical signal: BM25 over the normalized words of names, in a tantivy index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tantivy

from ontonym.index.names import CHUNK, Names
from ontonym.index.protocol import Nearest, nearest_of
from ontonym.strings import spread

_HEAP = 64 << 20
_FEW = 0.1
_K1, _B = 1.2, 0.75  # tantivy's own


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

    def __init__(self, folder: Path, names: Names) -> None:
        self._index = tantivy.Index.open(str(folder / "lexical"))
        self._schema = self._index.schema
        self._searcher = self._index.searcher()
        self._names = names

    def nearest(self, words: Sequence[str], k: int, wanted: npt.NDArray[np.bool_] | None = None) -> Nearest:
        """The ``k`` names with the highest BM25 similarity (0 upward, unbounded) to the words, ties by lower row.

        ``wanted`` is a bitmap over names that the search keeps to. Where it holds few, those alone are scored; else the
        postings are asked deeper until enough of them are found.
        """
        if not words:
            return Nearest(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
        if wanted is None:
            return nearest_of(*self._asked(words, k), k)
        if np.count_nonzero(wanted) >= _FEW * len(self._names):
            for limit in (k, 8 * k, 64 * k):
                rows, similarities = self._asked(words, limit)
                kept = wanted[rows]
                if kept.sum() >= k or len(rows) < limit:
                    return nearest_of(rows[kept], similarities[kept], k)
        return self._nearest_among(words, k, np.flatnonzero(wanted))

    def _asked(self, words: Sequence[str], limit: int) -> Nearest:
        """The answer of the postings."""
        terms = [tantivy.Query.term_query(self._schema, "words", word, index_option="freq") for word in words]
        query = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        hits = self._searcher.search(query, limit, count=False).hits
        rows = np.asarray(self._searcher.fast_field_values("row", [place for _, place in hits]), dtype=np.int64)
        return Nearest(rows, np.asarray([score for score, _ in hits], dtype=np.float32))

    def _nearest_among(self, words: Sequence[str], k: int, rows: npt.NDArray[np.int64]) -> Nearest:
        """BM25 over some rows, by the whole index's rarities and mean length, from the columns instead of postings."""
        names = self._names
        counts = Counter(number for number in names.word_ids(words) if number is not None)
        weights = np.zeros(len(names.idf), dtype=np.float32)
        for number, count in counts.items():
            weights[number] = names.idf[number] * count
        lengths = names.word_bounds[rows + 1] - names.word_bounds[rows]
        theirs = names.words[spread(names.word_bounds[rows], lengths)].astype(np.int64)
        (shared,) = np.nonzero(weights[theirs])
        holders = np.repeat(np.arange(len(rows)), lengths)[shared]
        pairs, times = np.unique(holders * len(weights) + theirs[shared], return_counts=True)
        holders, numbers = pairs // len(weights), pairs % len(weights)
        share = _K1 * (1 - _B + _B * lengths[holders] * len(names) / len(names.words))
        parts = weights[numbers] * times * (_K1 + 1) / (times + share)
        similarities = np.bincount(holders, weights=parts, minlength=len(rows)).astype(np.float32)
        (held,) = np.nonzero(similarities)
        return nearest_of(rows[held], similarities[held], k)
