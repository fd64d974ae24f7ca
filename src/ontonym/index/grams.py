"""The n-grams of words as hashes: of a long text at once, and of the words of queries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain

import numpy as np

from ontonym.arrays import Ints, Rows32
from ontonym.memo import Memo
from ontonym.ragged import spread

SIZES = (3, 4)
"""The default n-gram lengths by which names are searched."""

_MOST_KEPT = 1 << 14
"""Words whose n-grams are kept: at 200 bytes, 3 MB."""

_NO_GRAMS = np.empty(0, dtype=np.uint32)
_WHOLE = (1 << 64) - 1
_SPACE = 32
_FACTORS = (
    0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD,
)  # fmt: skip


def ngrams(text: str, of: Sequence[int] = SIZES) -> tuple[Rows32, Rows32]:
    """The hashed n-grams of the words of a text, and for each n-gram the number of its word.

    The text must begin and end with a space and have single spaces between words; a space counts with its word. ``of``
    are the n-gram lengths, each from 1 to 5.
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    gaps = np.flatnonzero(codes == _SPACE)
    lengths = np.diff(gaps) + 1
    hashes, holders = [], []
    for size in of:
        counts = np.maximum(lengths - size + 1, 0)  # skip windows that cross a space
        values = np.full(max(len(codes) - size + 1, 0), size, dtype=np.uint64)
        for place in range(size):
            values = (values ^ codes[place : place + len(values)]) * np.uint64(_FACTORS[place])
            values ^= values >> np.uint64(29)
        hashes.append((values >> np.uint64(16)).astype(np.uint32)[spread(gaps[:-1], counts)])
        holders.append(np.repeat(np.arange(len(counts), dtype=np.uint32), counts))
    return np.concatenate(hashes), np.concatenate(holders)


@cache
def _ngrams_of(sizes: tuple[int, ...]) -> Memo[str, Rows32]:
    """The hashed n-grams of a word, kept for when it comes again."""
    return Memo(lambda word: _ngrams_in(word, sizes), _MOST_KEPT)


def _ngrams_in(word: str, sizes: Sequence[int]) -> Rows32:
    """The hashed n-grams of a word, those of `ngrams`: for one word Python integers are faster than arrays."""
    framed = f" {word} "
    grams = (framed[start : start + size] for size in sizes for start in range(len(framed) - size + 1))
    return np.fromiter(map(_hashed, grams), dtype=np.uint32)


@lru_cache(maxsize=1 << 15)  # the words of queries share most of theirs
def _hashed(gram: str) -> int:
    """The hash of one n-gram, that of `ngrams`."""
    value = len(gram)
    for letter, factor in zip(gram, _FACTORS, strict=False):
        value = (value ^ ord(letter)) * factor & _WHOLE
        value ^= value >> 29
    return value >> 16 & 0xFFFFFFFF


@lru_cache(maxsize=4)  # each part of an index asks for those of the same queries
def counted_ngrams(asked: tuple[tuple[str, ...], ...], sizes: tuple[int, ...]) -> tuple[Ints, Rows32, Ints]:
    """The different hashed n-grams of the words of each query: the query's number, the hash, and how often it has it.

    By query, then by hash.
    """
    by_word = _ngrams_of(sizes)
    each = [[by_word[word] for word in words] for words in asked]
    hashes = np.concatenate([_NO_GRAMS, *chain.from_iterable(each)])
    numbers = np.arange(len(asked), dtype=np.uint64).repeat([sum(map(len, own)) for own in each])
    keys = (numbers << np.uint64(32)) | hashes
    keys.sort()  # and so on: half the time of `np.unique`
    (first,) = np.append(True, keys[1:] != keys[:-1])[: len(keys)].nonzero()
    times = np.append(first[1:], len(keys)) - first if len(keys) else first
    keys = keys.take(first)
    return (keys >> np.uint64(32)).astype(np.int64), keys.astype(np.uint32), times
