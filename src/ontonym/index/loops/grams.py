"""The n-gram signal, compiled: each loop gives to the bit what numpy does in `ontonym.index.char` where it is not used.

A loop that meets what should not be there, as in a damaged file, returns False or -1, and numpy says what it is.
"""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints, Mask, Rows32
from ontonym.compiling import loop
from ontonym.index.inverted import Times
from ontonym.index.loops.sums import MOST, paired


@loop("sums")
def shared(
    sums: Doubles, bases: Ints, starts: Ints, sizes: Ints, weights: Doubles, times: Times, words: Rows32, most: int
) -> bool:
    """Adds to the words of each n-gram its weight, as often as they have it: the shares of `CharSignal.queries`.

    ``bases`` are where the ``most`` words of each n-gram's query begin in ``sums``.
    """
    for gram in range(len(starts)):
        base, weight = bases[gram], weights[gram]
        for place in range(starts[gram], starts[gram] + sizes[gram]):
            word = words[place]
            if word >= most:
                return False
            sums[base + word] += weight * times[place]
    return True


@loop("words")
def sharing(words: Ints, shares: Doubles, counts: Ints, least: float, budget: int) -> tuple[int, bool]:
    """The words that bring names, ascending, in ``words``; how many, and whether there are more than are looked at.

    They are those that share anything, if their names are within the budget, else those that share more than ``least``
    of what the best one does: what `CharSignal` chooses from. ``words`` has room for one more.
    """
    count, best, every = 0, 0.0, 0
    for word in range(len(shares)):
        words[count] = word
        count += shares[word] > 0
    for place in range(count):
        best = max(best, shares[words[place]])
        every += counts[words[place]]
    if every <= budget:
        return count, False
    edge, above = least * best, 0
    for place in range(count):
        word = words[place]
        words[above] = word
        above += shares[word] > edge
    return above, True


@loop("sums", "found", "near")
def brought(
    sums: Doubles,
    found: Ints,
    near: Floats,
    rows: Rows32,
    starts: Ints,
    sizes: Ints,
    parts: Doubles,
    lengths: Floats,
    wanted: Mask,
) -> int:
    """The names of words in ``found``, and in ``near`` what the words add to each over its length; returns how many.

    ``sums`` are zeros for all names, and are again after. ``wanted`` is a bitmap of names, or empty. ``found`` has room
    for one more.
    """
    count = 0
    for word in range(len(starts)):
        for place in range(starts[word], starts[word] + sizes[word]):
            row = rows[place]
            if row >= len(sums):
                return -1
            if len(wanted) and not wanted[row]:
                continue
            before = sums[row]
            sums[row] = before + parts[word]
            found[count] = row
            count += before == 0  # no branch: the next names are read meanwhile
    for place in range(count):
        row = found[place]
        near[place] = np.float32(sums[row] / lengths[row])
        sums[row] = 0.0
    return count


@loop("near")
def similar(
    near: Floats,
    shares: Doubles,
    vocabulary: int,
    rows: Ints,
    edges: Ints,
    words: Rows32,
    bounds: Ints,
    lengths: Floats,
) -> bool:
    """The similarity of names to their queries: what all words of each share, over its length, and at most 1.

    The names in ``rows`` of query ``n`` begin at ``edges[n]``, and its shares at ``n * vocabulary``.
    """
    values = np.empty(MOST + 1)
    for query in range(len(edges) - 1):
        base = query * vocabulary
        for place in range(edges[query], edges[query + 1]):
            row = rows[place]
            first = bounds[row]
            size = bounds[row + 1] - first
            if size < 1 or size > len(values) or first < 0 or first + size > len(words):
                return False
            for at in range(size):
                word = words[first + at]
                if word >= vocabulary:
                    return False
                values[at] = shares[base + word]
            near[place] = np.float32(min((values[0] + paired(values, 1, size - 1)) / lengths[row], 1.0))
    return True
