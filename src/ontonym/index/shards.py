"""The large files of an index in several shards, by the hash of each name's concept: vectors, inverted lists, forms.

Each shard gives the nearest of its own names, and the nearest of these are the answer: the very one of an index that is
not sharded, since all statistics (rarity, mean length, n-grams) and all row numbers are those of the whole index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Doubles, Floats, Hashes, Ints, Mask, Rows32
from ontonym.encoder.protocol import Vectors
from ontonym.index.dense import Arrays, DenseSignal, EarlierVectors, Encoded
from ontonym.index.inverted import NAME_WORTH, Postings
from ontonym.index.names import Forms
from ontonym.index.part import IndexPart
from ontonym.index.query import Query
from ontonym.index.signcodes import SignCodes, candidates_for
from ontonym.store import Terminology
from ontonym.store.columns import load_numbers
from ontonym.store.lookup import HashLookup

FOLDER = "shards"
"""The folder of the shards inside an index; each has its number as its name."""

MOST = 256
"""The most shards of an index."""

ROWS = "rows"
"""The file of a shard with the rows of its names in the whole index, ascending."""


def shard_folder(index: Path, number: int) -> Path:
    """The folder of a shard of an index."""
    return index / FOLDER / str(number)


def shards_of(terminologies: Sequence[Terminology], count: int) -> npt.NDArray[np.uint8]:
    """The shard of each concept, numbered through all terminologies: the hash of its id, modulo their number."""
    found = [(one.ids().strings().hashes() % np.uint64(count)).astype(np.uint8) for one in terminologies]
    return np.concatenate(found)


def encoded_in(folder: Path, shards: int) -> EarlierVectors:
    """The vectors of the index in a folder, of so many shards."""
    return Encoded.open(folder) if shards == 1 else Shards(folder, shards).encoded()


class Shards:
    """A `ontonym.index.part.Backend` over the shards in an index's folder, all files memory-mapped."""

    def __init__(self, folder: Path, count: int) -> None:
        self._folders = [shard_folder(folder, number) for number in range(count)]
        self._rows: list[Rows32] = [load_numbers(folder, ROWS, np.uint32) for folder in self._folders]

    def forms(self, folder: Path, names: int) -> ShardedForms:
        """See `Backend`."""
        if sum(map(len, self._rows)) != names:
            raise ValueError(f"the shards have {sum(map(len, self._rows))} names, not {names}")
        if any(len(rows) and int(rows[-1]) >= names for rows in self._rows):  # they ascend
            raise ValueError(f"a shard has a name beyond the {names}")
        return ShardedForms([HashLookup.open(one, "form", len(rows)) for one, rows in self._pairs()])

    def postings(self, folder: Path, words: int, names: int) -> ShardedPostings:
        """See `Backend`."""
        most = load_numbers(folder, NAME_WORTH, np.float32, count=names)
        return ShardedPostings([Postings.open(one, words, len(rows)) for one, rows in self._pairs()], most)

    def dense(self, folder: Path, names: int) -> ShardedDense:
        """See `Backend`."""
        return ShardedDense(self.encoded())

    def encoded(self) -> ShardedEncoded:
        """The vectors of all shards."""
        return ShardedEncoded([Encoded.open(one, len(rows)) for one, rows in self._pairs()], self._rows)

    def _pairs(self) -> Iterator[tuple[Path, Rows32]]:
        return zip(self._folders, self._rows, strict=True)

    def prepare(self, queries: Sequence[Query], signals: Collection[str], k: int, wanted: Mask | None) -> None:
        """See `Backend`: nothing is read in advance."""

    def close(self) -> None:
        """See `Backend`: maps are closed when nothing refers to them."""


class ShardedForms(Forms):
    """Finds name rows by the hash of their words in all shards; see `ontonym.index.names.Forms`."""

    def __init__(self, lookups: Sequence[HashLookup]) -> None:
        self._lookups = lookups

    def rows_of(self, wanted: np.uint64) -> Rows32:
        """See `Forms`."""
        return np.sort(np.concatenate([one.rows_of(wanted) for one in self._lookups]))

    def first(self, hashes: Hashes) -> Ints:
        """See `Forms`."""
        found = np.array([one.first(hashes) for one in self._lookups])
        first: Ints = np.where(found < 0, np.iinfo(np.int64).max, found).min(axis=0)
        return np.where((found < 0).all(axis=0), -1, first)


@dataclass(frozen=True, slots=True)
class ShardedPostings:
    """The `ontonym.index.inverted.InvertedLists` of several shards, whose rows are those of the whole index."""

    shards: Sequence[Postings]
    most: npt.NDArray[np.float32]

    @property
    def words(self) -> int:
        """See `InvertedLists`."""
        return self.shards[0].words

    def counts(self, words: AnyInts) -> Ints:
        """See `InvertedLists`."""
        found: Ints = np.sum([one.counts(words) for one in self.shards], axis=0, dtype=np.int64)
        return found

    def read_ahead(self, words: AnyInts) -> None:
        """See `InvertedLists`: maps need nothing."""

    def rows_of(self, words: AnyInts) -> Rows32:
        """See `InvertedLists`."""
        rows = np.concatenate([one.rows_of(words) for one in self.shards])
        places = np.concatenate([np.repeat(np.arange(len(words)), one.counts(words)) for one in self.shards])
        return rows[np.lexsort((rows, places))]

    def valued(self, words: AnyInts, values: Doubles) -> tuple[Rows32, Doubles]:
        """See `InvertedLists`."""
        return _joined([one.valued(words, values) for one in self.shards])

    def weighted(self, words: AnyInts, weights: Doubles) -> tuple[Rows32, Doubles]:
        """See `InvertedLists`."""
        return _joined([one.weighted(words, weights) for one in self.shards])

    def highest(self, word: int) -> float:
        """See `InvertedLists`."""
        held = np.array([word])
        return max(one.highest(word) for one in self.shards if one.counts(held)[0])

    def worths_in(self, word: int, rows: Ints) -> Doubles:
        """See `InvertedLists`."""
        found: Doubles = np.sum([one.worths_in(word, rows) for one in self.shards], axis=0)  # one has it, or none
        return found


def _joined(pairs: Sequence[tuple[Rows32, Doubles]]) -> tuple[Rows32, Doubles]:
    return np.concatenate([rows for rows, _ in pairs]), np.concatenate([values for _, values in pairs])


@dataclass(frozen=True, slots=True)
class ShardedEncoded:
    """The vectors of all shards as an index stores them, by the name row of the whole index."""

    shards: Sequence[Encoded]
    rows: Sequence[Rows32]

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self.shards[0].dim

    def take(self, rows: Ints) -> Arrays:
        """See `Encoded.take`."""
        places = [np.searchsorted(held, rows) for held in self.rows]
        first = self.shards[0].arrays
        found = tuple(np.empty((len(rows), *array.shape[1:]), dtype=array.dtype) for array in first)
        left = len(rows)
        for shard, held, place in zip(self.shards, self.rows, places, strict=True):
            if not len(held):
                continue
            here = held[np.minimum(place, len(held) - 1)] == rows
            for array, own in zip(found, shard.take(place[here]), strict=True):
                array[here] = own
            left -= int(np.count_nonzero(here))
        if left:
            raise ValueError(f"{left} of {len(rows)} names are in no shard, or in several")
        return found


class ShardedDense(DenseSignal):
    """Searches the vectors of all shards."""

    def __init__(self, encoded: ShardedEncoded) -> None:
        self._encoded = encoded
        self.dim = encoded.dim
        self._names = sum(map(len, encoded.rows))
        self._shard_codes = [SignCodes(shard.arrays[0]) for shard in encoded.shards]

    def vectors(self, rows: Ints | slice) -> Vectors:
        """See `DenseSignal`."""
        listed = np.arange(*rows.indices(self._names)) if isinstance(rows, slice) else rows
        _, ints, scales = self._encoded.take(listed)
        vectors: Vectors = ints.astype(np.float32) * scales[:, None]
        return vectors

    def cosines(self, rows: Ints, query: Vectors) -> Floats:
        """See `DenseSignal`."""
        _, ints, scales = self._encoded.take(rows)
        found: Floats = (ints.astype(np.float32) @ query) * scales
        return found

    def _by_codes(self, queries: Vectors, k: int, wanted: Mask | None) -> list[Ints]:
        by_shard: list[list[tuple[Ints, Ints]]] = []
        for codes, rows in zip(self._shard_codes, self._encoded.rows, strict=True):
            own = codes.nearest_to_each(queries, k, None if wanted is None else wanted[rows])
            by_shard.append([(distances, rows[local].astype(np.int64)) for distances, local in own])
        found = []
        for pairs in zip(*by_shard, strict=True):
            distances, nearest = (np.concatenate([pair[column] for pair in pairs]) for column in (0, 1))
            found.append(nearest[np.lexsort((nearest, distances))[: candidates_for(k)]])
        return found


def whole_part(folder: Path, shards: int) -> IndexPart:
    """The part of an index with the terminologies' own names, its large files in so many shards."""
    return IndexPart(folder) if shards == 1 else IndexPart(folder, backend=Shards(folder, shards))
