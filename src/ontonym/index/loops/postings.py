"""Passes over the inverted lists, compiled: each gives to the bit what numpy does where it is not used."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints, Mask, Rows32
from ontonym.compiling import loop

_AHEAD = 256
"""Names of which the words are looked up together."""


@loop("found", "sums", "block", "places")
def gathered(
    found: Ints,
    sums: Doubles,
    block: Doubles,
    places: Ints,
    ends: Ints,
    weights: Doubles,
    rows: Rows32,
    worths: Floats,
    names: int,
    wanted: Mask,
    held: Ints,
    scores: Doubles,
) -> int:
    """The names in ``held``, and all others that words have, in ``found`` and with their scores in ``sums``; how many.

    The postings of word ``n`` lie from ``places[n]`` to ``ends[n]``. Names are taken in blocks, whose scores stay in
    the cache; ``held`` are in their order, and so is what is found. ``block`` is zeros, and is again after. ``found``
    has room for one more. Returns -1 where postings do not ascend below ``names``. ``wanted`` is a bitmap, or empty.
    """
    count, next_held = 0, 0
    for base in range(0, names, len(block)):
        first, top = count, min(base + len(block), names)
        while next_held < len(held) and held[next_held] < top:
            found[count] = held[next_held]
            block[held[next_held] - base] = scores[next_held]
            count, next_held = count + 1, next_held + 1
        for word in range(len(ends)):
            place = places[word]
            while place < ends[word] and rows[place] < top:
                row = np.int64(rows[place])
                if row < base:
                    return -1
                if not len(wanted) or wanted[row]:
                    before = block[row - base]
                    block[row - base] = before + weights[word] * worths[place]
                    found[count] = row
                    count += before == 0  # no branch: the next names are read meanwhile
                place += 1
            places[word] = place
        for at in range(first, count):
            sums[at] = block[found[at] - base]
            block[found[at] - base] = 0.0
    for word in range(len(ends)):
        if places[word] < ends[word]:
            return -1
    return count


@loop("rows", "scores")
def reaching(rows: Ints, scores: Doubles, most: Floats, left: float, low: float, least: float) -> int:
    """Keeps names that can still reach ``least``, with their scores, and returns how many.

    ``left`` times a name's ``most`` is what more words can add to its score, which has to be ``low`` for it.
    """
    likely, count, more = 0, 0, np.float32(left)
    for place in range(len(rows)):  # no branches here: many names are then read at once
        row, score = rows[place], scores[place]
        rows[likely], scores[likely] = row, score
        likely += score >= low
    for place in range(likely):
        row, score = rows[place], scores[place]
        rows[count], scores[count] = row, score
        count += score + more * most[row] >= least
    return count


@loop("scores")
def completed(
    scores: Doubles,
    rows: Ints,
    numbers: Ints,
    weights: Doubles,
    words: Rows32,
    bounds: Ints,
    norms: Doubles,
    ceiling: float,
) -> bool:
    """Adds to the scores of names what some words contribute, by the names' own words; False for words that are not
    there.

    ``norms`` are the two numbers of `ontonym.index.inverted.norm_line`, and ``ceiling`` is what term weights approach.
    """
    more = np.float32(ceiling)
    firsts, heads = np.empty(_AHEAD, dtype=np.int64), np.empty(_AHEAD, dtype=np.uint32)
    for start in range(0, len(rows), _AHEAD):
        some = min(_AHEAD, len(rows) - start)
        for one in range(some):  # loops of their own, so that many names are read at once
            firsts[one] = bounds[rows[start + one]]
        for one in range(some):
            if firsts[one] < 0 or firsts[one] >= len(words):
                return False
            heads[one] = words[firsts[one]]
        for one in range(some):
            place, first = start + one, firsts[one]
            last = bounds[rows[place] + 1]
            if last <= first or last > len(words):
                return False
            norm = np.float32(norms[0] + norms[1] * (last - first))
            for number in range(len(numbers)):
                times = np.float32(heads[one] == numbers[number])
                for at in range(first + 1, last):
                    times += np.float32(words[at] == numbers[number])
                if times:
                    scores[place] += weights[number] * (times * more / (times + norm))
    return True
