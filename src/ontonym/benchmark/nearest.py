"""Finds the nearest texts of a text by Levenshtein distance, exactly, among hundreds of thousands.

A text is skipped only if a lower bound of its distance is too high: from its length, its characters, or its pairs of
neighbouring characters. The bounds are computed from bits in a few words per text. The first limit to compare them with
comes from the text's neighbours in four sorted lists; it is often the final one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from ontonym.arrays import Bytes, Hashes, Ints16, Ints32, Rows, Rows32
from ontonym.errors import needing
from ontonym.ragged import boundaries, owners_of
from ontonym.types import Advance

_Codes = npt.NDArray[np.uint16] | Ints32

_CLASSES = 32
_COPIES = 4
_PAIR_BITS = 256
_BESIDE = 6
"""How many neighbours in a sorted list are used for a first limit."""

_BLOCK = 1 << 15
"""Texts whose bits are computed at once."""

_PIECE = 256
"""Queries that a thread answers before progress is reported."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The nearest texts of some queries.

    Those of query ``i`` are ``rows[bounds[i]:bounds[i + 1]]`` with their ``distances``, ascending, ties by row.
    """

    bounds: Rows
    rows: Rows
    distances: Rows

    def of(self, query: int) -> tuple[Rows, Rows]:
        """The rows and distances of one query's nearest texts."""
        own = slice(self.bounds[query], self.bounds[query + 1])
        return self.rows[own], self.distances[own]


def nearest_texts(
    texts: Sequence[str],
    queries: Rows,
    wanted: Rows,
    groups: Rows,
    *,
    threads: int = 1,
    progress: Advance | None = None,
) -> Neighbours:
    """The ``wanted`` nearest texts of each query by Levenshtein distance, among the texts of other groups.

    ``texts`` are distinct strings, compared as they are; ``queries`` are rows of them, ``wanted`` a number for each
    query, ``groups`` a number for each text. The result is exact, as if every text were compared, ties by row; it has
    fewer than wanted if other groups have no more. ``progress`` gets the number of queries done since its last call.
    Memory is about 150 bytes per text, beside the texts.

    Schulz, section 3.2: "the term with closest Levenshtein distance that is not (directly or indirectly) specified to
    be similar". Raises MissingExtraError without numba.
    """
    with needing("numba", "eval", "finding the closest names"):
        from ontonym.benchmark import edits
    if not len(queries):
        return Neighbours(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    searched = _Searched.of(texts, groups)
    places = searched.places[queries]
    ends = boundaries(wanted)
    nearby = np.argsort(places, kind="stable")  # queries of one length share their candidates, which stay cached
    rows = np.full(int(ends[-1]), -1, dtype=np.int64)
    distances = np.zeros(len(rows), dtype=np.int64)

    def answered(piece: slice) -> int:
        asked = nearby[piece]
        limits = searched.limits(places[asked], wanted[asked])
        edits.search(
            places[asked], wanted[asked], limits, searched.groups, searched.order, searched.codes, searched.starts,
            searched.first_of, searched.alphabet, searched.characters, searched.pairs, searched.character_counts,
            searched.pair_counts, ends[asked],
            rows, distances,
        )  # fmt: skip
        return len(limits)

    for done in _in_threads(answered, len(queries), threads):
        if progress is not None:
            progress(done)
    there = rows >= 0
    return Neighbours(boundaries(there)[ends], rows[there], distances[there])


def _in_threads(work: Callable[[slice], int], size: int, threads: int) -> Iterator[int]:
    pieces = [slice(start, min(start + _PIECE, size)) for start in range(0, size, _PIECE)]
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[int]] = deque(pool.submit(work, piece) for piece in pieces)
        try:
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Searched:
    """Texts sorted by length (``order`` has their rows, ``places`` the position of each row).

    ``characters``: each text's characters in 32 classes, the first 4 of each class. One edit lowers one of these counts
    and raises another, so what one text has and the other lacks is a lower bound of the distance. ``pairs``: which of
    256 hashed pairs of neighbouring characters a text has, its ends padded. One edit removes at most two (Ukkonen 1992,
    section 3).
    """

    texts: npt.NDArray[np.object_]
    order: Rows
    places: Rows
    groups: Rows
    codes: _Codes
    alphabet: int
    starts: Rows
    first_of: Rows
    characters: Hashes
    pairs: Hashes
    character_counts: Ints16
    pair_counts: Ints16
    lists: tuple[tuple[Rows, Rows], ...]

    @classmethod
    def of(cls, texts: Sequence[str], groups: Rows) -> _Searched:
        """The texts sorted by length, with the bits that bounds of distances are computed from."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        order = np.argsort(lengths, kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(len(texts))
        lengths = lengths[order]
        ordered = np.array(texts, dtype=object)[order]
        points = np.frombuffer("".join(ordered).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        codes, alphabet = _numbered(points)
        characters = _words(_character_bits, _CLASSES * _COPIES, lengths, codes % _CLASSES)
        pairs = _words(_pair_bits, _PAIR_BITS, lengths, codes)
        return cls(
            ordered,
            order,
            places,
            groups[order],
            codes.astype(np.uint16) if alphabet <= 1 << 16 else codes,
            alphabet,
            boundaries(lengths),
            boundaries(np.bincount(lengths)),
            characters,
            pairs,
            np.bitwise_count(characters).sum(axis=1, dtype=np.int16),
            np.bitwise_count(pairs).sum(axis=1, dtype=np.int16),
            tuple(_ranked(keys) for keys in _keys(ordered.tolist())),
        )

    def limits(self, places: Rows, wanted: Rows) -> Rows:
        """For each query a distance within which the wanted number of texts of other groups lies, from neighbours in
        the lists.
        """
        steps = np.concatenate([np.arange(-_BESIDE, 0), np.arange(1, _BESIDE + 1)])
        found = []
        for ordered, ranks in self.lists:
            beside = ranks[places][:, None] + steps
            inside = (beside >= 0) & (beside < len(ordered))
            found.append(np.where(inside, ordered.take(beside, mode="clip"), places[:, None]))
        candidates = np.sort(np.concatenate(found, axis=1), axis=1)
        fit = self.groups[candidates] != self.groups[places][:, None]
        fit[:, 1:] &= candidates[:, 1:] != candidates[:, :-1]
        far = len(self.first_of)
        distances: Rows = np.full(candidates.shape, far, dtype=np.int64)
        mine = np.repeat(places, fit.sum(axis=1))
        distances[fit] = cpdist(
            self.texts[mine].tolist(), self.texts[candidates[fit]].tolist(), scorer=Levenshtein.distance, dtype=np.int64
        )
        distances.sort(axis=1)
        most = candidates.shape[1]
        limits: Rows = np.where(wanted <= most, distances[np.arange(len(places)), np.clip(wanted, 1, most) - 1], far)
        return limits


def _numbered(points: Rows32) -> tuple[Ints32, int]:
    """The characters as numbers, the most common one 0, and the number of distinct ones."""
    different, numbers, times = np.unique(points, return_inverse=True, return_counts=True)
    ranks = np.empty(len(different), dtype=np.int32)
    ranks[np.argsort(-times, kind="stable")] = np.arange(len(different), dtype=np.int32)
    return ranks[numbers], len(different)


def _words(
    make: Callable[[Ints32, Rows], Bytes],
    bits: int,
    lengths: Rows,
    codes: Ints32,
) -> Hashes:
    """The bits of all texts, shape ``(texts, bits // 64)``, computed block by block."""
    ends = boundaries(lengths)
    blocks = [np.zeros((0, bits // 8), dtype=np.uint8)]
    for start in range(0, len(lengths), _BLOCK):
        stop = min(start + _BLOCK, len(lengths))
        blocks.append(make(codes[ends[start] : ends[stop]], lengths[start:stop]))
    return np.concatenate(blocks).view(np.uint64)


def _character_bits(classes: Ints32, lengths: Rows) -> Bytes:
    keys = owners_of(lengths) * _CLASSES + classes
    counts = np.minimum(np.bincount(keys, minlength=len(lengths) * _CLASSES), _COPIES)
    ones = ((1 << counts) - 1).astype(np.uint8).reshape(len(lengths), _CLASSES)
    packed: Bytes = ones[:, ::2] | ones[:, 1::2] << np.uint8(_COPIES)
    return packed


def _pair_bits(codes: Ints32, lengths: Rows) -> Bytes:
    padded = np.zeros(len(codes) + len(lengths) + 1, dtype=np.uint64)  # one zero before each text, one at the end
    owners = owners_of(lengths)
    padded[np.arange(len(codes)) + owners + 1] = codes.astype(np.uint64) + np.uint64(1)
    hashed = (padded[:-1] * np.uint64(0x100000001B3) ^ padded[1:]) * np.uint64(0x9E3779B97F4A7C15)
    keys = (hashed >> np.uint64(56)).astype(np.int64)
    flags = np.zeros(len(lengths) * _PAIR_BITS, dtype=np.bool_)
    flags[owners_of(lengths + 1) * _PAIR_BITS + keys] = True
    return np.packbits(flags).reshape(len(lengths), _PAIR_BITS // 8)


def _keys(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The sort keys of the texts: their beginning, end, second half, and their words in alphabetical order."""
    yield texts
    yield [text[::-1] for text in texts]
    yield [text[len(text) // 2 :] + text for text in texts]
    yield [" ".join(sorted(text.split())) for text in texts]


def _ranked(keys: Sequence[str]) -> tuple[Rows, Rows]:
    """The positions in the order of their keys, and the rank of each position."""
    ordered = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    ranks = np.empty_like(ordered)
    ranks[ordered] = np.arange(len(keys))
    return ordered, ranks
