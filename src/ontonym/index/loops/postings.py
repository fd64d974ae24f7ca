"""Passes over the inverted lists, compiled: each gives to the bit what numpy does where it is not used."""

from __future__ import annotations

from ontonym.arrays import Doubles, Floats, Ints, Mask, Rows32
from ontonym.compiling import loop


@loop("scores", "fresh")
def added(
    scores: Doubles, fresh: Ints, rows: Rows32, worths: Floats, spans: Ints, weights: Doubles, wanted: Mask
) -> int:
    """Adds what words contribute to the scores of names; returns how many had none, whose rows are in ``fresh``.

    Word ``n`` has the postings from ``spans[2 * n]`` to ``spans[2 * n + 1]``. ``wanted`` is a bitmap of names, or
    empty. Returns -1 for a name that is not there. Equals `ontonym.index.lexical.LexicalSignal` word by word.
    """
    count = 0
    for word in range(len(weights)):
        for place in range(spans[2 * word], spans[2 * word + 1]):
            row = rows[place]
            if row >= len(scores):
                return -1
            if len(wanted) and not wanted[row]:
                continue
            before = scores[row]
            scores[row] = before + weights[word] * worths[place]
            if before == 0:
                fresh[count] = row
                count += 1
    return count
