"""The char signal: TF-IDF over character n-grams within word boundaries, in compact postings of our own.

The similarity is the cosine in [0, 1] of the TF-IDF vectors of query and name (term frequency as it is, smoothed
inverse name frequency, unit length), as scikit-learn's ``TfidfVectorizer(analyzer="char_wb")`` has it for normalized
words. N-grams are hashed to buckets, so there is no vocabulary to keep; weights
are kept in 1/255.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.index.names import CHUNK, Names
from ontonym.index.protocol import Nearest, nearest_of
from ontonym.store.columns import load_numbers, save_numbers
from ontonym.strings import boundaries, spread

SIZES = (3, 4)
BUCKETS = 1 << 19
_MOST_POSTINGS = 100_000


def ngrams(word: str) -> list[int]:
    """The buckets of a word's character n-grams, the word padded with a space on either side."""
    padded = f" {word} "
    return [
        zlib.crc32(padded[start : start + size].encode()) % BUCKETS
        for size in SIZES
        for start in range(len(padded) - size + 1)
    ]


def write_char(folder: Path, names: Names, progress: Callable[[int], None] | None = None) -> None:
    """Writes the postings of all names; ``progress`` counts names.

    Two passes over the names in chunks: the first counts the names of each bucket, the second puts every posting in
    its place, so memory does not grow with the terminology beyond the postings file itself.
    """
    grams = [ngrams(word) for word in names.vocabulary]
    lengths = np.fromiter(map(len, grams), dtype=np.int64, count=len(grams))
    starts = boundaries(lengths)
    flat = np.fromiter(chain.from_iterable(grams), dtype=np.int32, count=int(starts[-1]))
    del grams
    counts = np.zeros(BUCKETS, dtype=np.int64)
    for start in range(0, len(names), CHUNK):
        buckets = _postings(names, start, flat, starts)[1]
        counts += np.bincount(buckets, minlength=BUCKETS)
    idf = (np.log((1 + len(names)) / (1 + counts)) + 1).astype(np.float32)
    bounds = boundaries(counts)
    rows = np.lib.format.open_memmap(folder / "char_row.npy", "w+", np.uint32, (int(bounds[-1]),))
    weights = np.lib.format.open_memmap(folder / "char_weight.npy", "w+", np.uint8, (int(bounds[-1]),))
    cursor = bounds[:-1].copy()
    for start in range(0, len(names), CHUNK):
        holders, buckets, times = _postings(names, start, flat, starts)
        weight = times * idf[buckets]
        norms = np.sqrt(np.bincount(holders, weights=weight.astype(np.float64) ** 2))
        weight = weight / norms[holders]
        order = np.argsort(buckets, kind="stable")
        held, here = np.unique(buckets, return_counts=True)
        places = spread(cursor[held], here)
        rows[places] = holders[order] + start
        weights[places] = np.rint(weight[order] * 255)
        cursor[held] += here
        if progress:
            progress(min(CHUNK, len(names) - start))
    rows.flush()
    weights.flush()
    save_numbers(folder, "char_posting.rows", bounds)


def _postings(
    names: Names, start: int, flat: npt.NDArray[np.int32], starts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """For names from ``start``: name (from 0), bucket and how often the name has it, ordered by name and bucket."""
    stop = min(start + CHUNK, len(names))
    bounds = names.word_bounds[start : stop + 1]
    words = names.words[bounds[0] : bounds[-1]].astype(np.int64)
    lengths = starts[words + 1] - starts[words]
    holders = np.repeat(np.repeat(np.arange(stop - start, dtype=np.int64), np.diff(bounds)), lengths)
    buckets = flat[spread(starts[words], lengths)].astype(np.int64)
    keys, times = np.unique(holders * BUCKETS + buckets, return_counts=True)
    return keys // BUCKETS, keys % BUCKETS, times.astype(np.float32)


class CharSignal:
    """Searches the postings; one process maps them, all share them."""

    def __init__(self, folder: Path, names: int) -> None:
        self._rows = load_numbers(folder, "char_row")
        self._weights = load_numbers(folder, "char_weight")
        self._bounds = load_numbers(folder, "char_posting.rows")
        self._names = names

    def similarities(self, words: Iterable[str]) -> npt.NDArray[np.float32]:
        """The similarity of the query's words to every name, in [0, 1], shape ``(names,)``.

        Of a query with more than 100,000 postings the commonest n-grams are left out, so that a search takes the same
        time in every index: the similarity is then a lower bound, for all names alike.
        """
        counts = Counter(chain.from_iterable(map(ngrams, words)))
        buckets = np.fromiter(counts, dtype=np.int64, count=len(counts))
        times = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
        starts = self._bounds[buckets]
        lengths = self._bounds[buckets + 1] - starts
        weights = times * (np.log((1 + self._names) / (1 + lengths)) + 1)
        weights /= max(float(np.sqrt((weights**2).sum())), 1e-12)
        order = np.argsort(lengths, kind="stable")
        order = order[np.cumsum(lengths[order]) <= _MOST_POSTINGS] if lengths.sum() > _MOST_POSTINGS else order
        if not lengths[order].any():
            return np.zeros(self._names, dtype=np.float32)
        places = [slice(int(starts[i]), int(starts[i] + lengths[i])) for i in order]
        rows = np.concatenate([self._rows[place] for place in places])
        parts = np.concatenate([self._weights[place] for place in places]) * np.repeat(
            weights[order] / 255, lengths[order]
        )
        return np.bincount(rows, weights=parts, minlength=self._names).astype(np.float32)

    @staticmethod
    def nearest(similarities: npt.NDArray[np.float32], k: int) -> Nearest:
        """The ``k`` names of highest similarity, of those above 0.05."""
        (rows,) = np.nonzero(similarities > 0.05)
        return nearest_of(rows, similarities[rows], k)
