"""The compiled part of the search for nearest texts: bounds, and Levenshtein distances of many texts at once.

Numba compiles it at first use and caches it beside this file or in numba's cache folder.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.extending import intrinsic

from ontonym.arrays import Hashes, Ints, Ints16, Ints32

_Codes = npt.NDArray[np.uint16] | Ints32

LANES = 16
"""The number of texts of one length whose distances are computed in parallel."""

BATCH = 8 * LANES
"""The number of texts that are gathered before their distances are computed and the limit is updated."""

_ZERO, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_WORD = 64
_LOOK = 4
"""The number of characters after which a batch is dropped if no text in it can still be near enough."""


@intrinsic  # type: ignore[untyped-decorator]
def _bits(typing: Any, word: Any) -> Any:
    """The number of bits set in a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def search(
    places: Ints,
    wanted: Ints,
    limits: Ints,
    groups: Ints,
    rows: Ints,
    codes: _Codes,
    starts: Ints,
    first_of: Ints,
    alphabet: int,
    characters: Hashes,
    pairs: Hashes,
    character_counts: Ints16,
    pair_counts: Ints16,
    ends: Ints,
    found_rows: Ints,
    found_distances: Ints,
) -> None:
    """Writes the nearest texts of some queries to ``found_rows`` and ``found_distances``.

    Texts are in the order of their length; ``first_of[n]`` is where those of length ``n`` begin. ``codes`` are their
    characters as numbers below ``alphabet``; ``starts`` is where each text's begin, with the end. ``characters`` and
    ``pairs`` have the bits from which bounds are counted, shape ``(texts, 2)`` and ``(texts, 4)``, and the counts are
    the numbers of set bits. The nearest texts of query ``i`` are written from ``ends[i]``; if there are fewer than
    wanted, the rest is left as it was. ``limits[i]`` is a distance within which that many texts are known to lie. Texts
    of lengths near the query's come first, so that the limit falls early.
    """
    longest = len(first_of) - 2
    equal = np.zeros((alphabet, longest // _WORD + 1), dtype=np.uint64)
    batch = np.empty(BATCH, dtype=np.int64)
    for number in range(len(places)):
        place = places[number]
        begin, end = ends[number], ends[number] + wanted[number]
        if begin == end:
            continue
        length = starts[place + 1] - starts[place]
        limit, filled = limits[number], begin
        for at in range(length):
            equal[codes[starts[place] + at], at // _WORD] |= _ONE << np.uint64(at % _WORD)
        step = 0
        while step <= limit and (length - step >= 0 or length + step <= longest):
            for side in range(1 if step == 0 else 2):
                other = length + step if side else length - step
                if other < 0 or other > longest:
                    continue
                near, last = first_of[other], first_of[other + 1]
                while near < last:
                    near, waiting = _gathered(
                        batch, place, near, last, limit, groups, characters, pairs, character_counts, pair_counts
                    )
                    if waiting:
                        filled, limit = _taken(
                            equal, length, codes, starts, other, batch[:waiting], rows, begin, filled, end, limit,
                            found_rows, found_distances,
                        )  # fmt: skip
            step += 1
        for at in range(length):
            equal[codes[starts[place] + at], at // _WORD] = _ZERO


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _gathered(
    batch: Ints,
    place: int,
    near: int,
    last: int,
    limit: int,
    groups: Ints,
    characters: Hashes,
    pairs: Hashes,
    character_counts: Ints16,
    pair_counts: Ints16,
) -> tuple[int, int]:
    """Fills a batch with the next texts that the bounds leave within the limit; returns where to go on, and how many.

    A text of the query's own group is left out. An edit changes at most one character and two pairs of them.
    """
    own_group = groups[place]
    characters_0, characters_1 = characters[place, 0], characters[place, 1]
    pairs_0, pairs_1, pairs_2, pairs_3 = pairs[place, 0], pairs[place, 1], pairs[place, 2], pairs[place, 3]
    own_characters, own_pairs = np.int64(character_counts[place]), np.int64(pair_counts[place])
    waiting = 0
    while near < last and waiting < len(batch):
        common = np.int64(_bits(characters[near, 0] & characters_0) + _bits(characters[near, 1] & characters_1))
        if max(np.int64(character_counts[near]), own_characters) - common <= limit:
            common = np.int64(
                _bits(pairs[near, 0] & pairs_0)
                + _bits(pairs[near, 1] & pairs_1)
                + _bits(pairs[near, 2] & pairs_2)
                + _bits(pairs[near, 3] & pairs_3)
            )
            if max(np.int64(pair_counts[near]), own_pairs) - common <= 2 * limit and groups[near] != own_group:
                batch[waiting] = near
                waiting += 1
        near += 1
    return near, waiting


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _taken(
    equal: Hashes,
    length: int,
    codes: _Codes,
    starts: Ints,
    other: int,
    batch: Ints,
    rows: Ints,
    begin: int,
    filled: int,
    end: int,
    limit: int,
    found_rows: Ints,
    found_distances: Ints,
) -> tuple[int, int]:
    """Inserts the near texts of a batch into the sorted list of the nearest; returns its new end and the new limit."""
    distances = np.empty(len(batch) + LANES, dtype=np.int64)
    if length <= _WORD:
        _distances(equal, length, codes, starts, other, batch, limit, distances)
    else:
        for place in range(len(batch)):
            distances[place] = _long_distance(equal, length, codes, starts[batch[place]], other, limit)
    for place in range(len(batch)):
        distance, row = distances[place], rows[batch[place]]
        if distance > limit:
            continue
        if filled == end:
            last = end - 1
            if distance == found_distances[last] and row > found_rows[last]:
                continue
        else:
            last = filled
            filled += 1
        while last > begin and (
            found_distances[last - 1] > distance
            or (found_distances[last - 1] == distance and found_rows[last - 1] > row)
        ):
            found_rows[last], found_distances[last] = found_rows[last - 1], found_distances[last - 1]
            last -= 1
        found_rows[last], found_distances[last] = row, distance
        if filled == end:
            limit = found_distances[end - 1]
    return filled, limit


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _distances(
    equal: Hashes, length: int, codes: _Codes, starts: Ints, other: int, batch: Ints, limit: int, distances: Ints
) -> None:
    """Levenshtein distances of a text of at most 64 characters to those of a batch, by bit vectors (Hyyrö 2003).

    A distance within the limit is exact; any other is some number above the limit. ``distances`` has room for `LANES`
    more.
    """
    down = np.empty(LANES, dtype=np.uint64)
    up = np.empty(LANES, dtype=np.uint64)
    same = np.empty(LANES, dtype=np.uint64)
    score = np.empty(LANES, dtype=np.uint64)
    begins = np.empty(LANES, dtype=np.int64)
    shift = np.uint64(length - 1) if length else _ZERO
    for group in range(0, len(batch), LANES):
        for lane in range(LANES):
            down[lane], up[lane], score[lane] = _ALL, _ZERO, np.uint64(length)
            begins[lane] = starts[batch[min(group + lane, len(batch) - 1)]]
        for at in range(other):
            for lane in range(LANES):
                same[lane] = equal[codes[begins[lane] + at], 0]
            for lane in range(LANES):  # separate from the loads above, so that it compiles to vector instructions
                low, high, match = down[lane], up[lane], same[lane]
                diagonal = (((match & low) + low) ^ low) | match | high
                right = high | ~(diagonal | low)
                left = diagonal & low
                score[lane] += ((right >> shift) & _ONE) - ((left >> shift) & _ONE)
                right = (right << _ONE) | _ONE
                down[lane] = (left << _ONE) | ~(diagonal | right)
                up[lane] = right & diagonal
            if at % _LOOK == _LOOK - 1:
                least = score[0]
                for lane in range(1, LANES):
                    least = min(least, score[lane])
                if np.int64(least) - (other - 1 - at) > limit:
                    break
        for lane in range(LANES):
            distances[group + lane] = np.int64(score[lane]) if length else other


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _long_distance(equal: Hashes, length: int, codes: _Codes, start: int, other: int, limit: int) -> int:
    """The same for a text of more than 64 characters, word by word with the carry between them."""
    words = (length - 1) // _WORD + 1
    down = np.full(words, _ALL, dtype=np.uint64)
    up = np.zeros(words, dtype=np.uint64)
    score = length
    last = np.uint64((length - 1) % _WORD)
    for at in range(other):
        code = codes[start + at]
        carry_right, carry_left = _ONE, _ZERO
        for word in range(words):
            same = equal[code, word]
            seen = same | carry_left
            diagonal = (((seen & down[word]) + down[word]) ^ down[word]) | seen | up[word]
            right = up[word] | ~(diagonal | down[word])
            left = diagonal & down[word]
            if word == words - 1:
                score += np.int64((right >> last) & _ONE) - np.int64((left >> last) & _ONE)  # type: ignore[assignment]
            carried_right, carried_left = right >> np.uint64(63), left >> np.uint64(63)
            right = (right << _ONE) | carry_right
            left = (left << _ONE) | carry_left
            down[word] = left | ~(diagonal | right)
            up[word] = right & diagonal
            carry_right, carry_left = carried_right, carried_left
        if score - (other - 1 - at) > limit:
            break
    return score
