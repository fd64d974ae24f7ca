"""What names say of queries and candidates of both, in one pass each, to the bit what `ontonym.index.nametable` and
`ontonym.index.evidence` find by many.

All return -1 for what is better left to those: a number that leads out of its table, or more words or names than are
added in one row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontonym.arrays import Bytes, Doubles, Floats, Ints, Mask, Rows32
from ontonym.compiling import compiled, loop


@compiled
def summed(values: Any, start: int, stop: int) -> Any:
    """The sum as numpy's ``add.reduceat`` has it, for 1 to 129 values: the first, and the others eight by eight."""
    first, at, count = values[start], start + 1, stop - start - 1
    if count == 0:
        return first
    if count < 8:
        rest = values[at]
        for place in range(at + 1, stop):
            rest += values[place]
        return first + rest
    r0, r1, r2, r3 = values[at], values[at + 1], values[at + 2], values[at + 3]
    r4, r5, r6, r7 = values[at + 4], values[at + 5], values[at + 6], values[at + 7]
    last = at + count - count % 8
    for place in range(at + 8, last, 8):
        r0 += values[place]
        r1 += values[place + 1]
        r2 += values[place + 2]
        r3 += values[place + 3]
        r4 += values[place + 4]
        r5 += values[place + 5]
        r6 += values[place + 6]
        r7 += values[place + 7]
    rest = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for place in range(last, stop):
        rest += values[place]
    return first + rest


@compiled
def _bits(value: Any) -> int:
    count = 0
    while value:
        value &= value - 1
        count += 1
    return count


@compiled
def _axes(bits: Any, shifted: Any, first_values: int) -> Any:
    """See `ontonym.index.namewords.axes_of`."""
    found = bits
    for step in range(len(shifted)):
        found |= (bits & shifted[step]) >> (step + 1)
    return found & first_values


@compiled
def _has(words: Any, first: int, numbers: Any) -> bool:
    """Whether a name has all the words of some numbers."""
    for number in numbers:
        found = False
        for word in words:
            found |= np.int64(word) + first == number
        if not found:
            return False
    return True


@loop("facts", "at", "negating", "cursors")
def said(
    facts: Floats,
    columns: Ints,
    at: Ints,
    negating: Mask,
    cursors: Ints,
    owners: Ints,
    queries: Ints,
    rows: Ints,
    dense: Floats,
    word_bounds: Ints,
    words: Rows32,
    kinds: Bytes,
    scopes: Bytes,
    lengths: Floats,
    shares: Doubles,
    asked: Mask,
    weights: Floats,
    axes: Ints,
    axes_said: Ints,
    negation: Bytes,
    is_number: Mask,
    is_short: Mask,
    first: int,
    totals: Floats,
    numbers: Ints,
    number_bounds: Ints,
    ours: Ints,
    meant: Ints,
    others: Ints,
    shifted: Ints,
    first_values: int,
    negator: int,
) -> int:
    """Fills ``facts`` with those of the names of one part, each in the next place of its pair (``cursors``, ``at``).

    ``columns`` are where the rows of the facts begin, in the order of `ontonym.index.looped`. By query: ``totals``,
    ``ours`` and ``meant`` (its values of axes and its axes, as bits), ``others`` (the word that makes a name residual,
    or -1), and the ``numbers`` that a name should have from ``number_bounds``. ``negating`` are names with a negator.
    """
    known = len(weights)
    vocabulary = len(shares) // len(totals)
    parts, rarity, common = np.empty(130), np.empty(130, np.float32), np.empty(130, np.float32)
    for number in range(len(rows)):
        row, pair = rows[number], owners[number]
        query = queries[pair]
        start, stop = word_bounds[row], word_bounds[row + 1]
        count = stop - start
        if start < 0 or stop > len(words) or count < 1 or count > 129:
            return -1
        bits = says = 0
        is_negating = is_residual = is_extra = False
        for place in range(count):
            own = np.int64(words[start + place])
            word = own + first
            if own >= vocabulary or word >= known:
                return -1
            shared = asked[query * known + word]
            parts[place] = shares[query * vocabulary + own]
            rarity[place] = weights[word]
            common[place] = weights[word] if shared else np.float32(0)
            bits |= axes[word]
            says |= axes_said[word]
            is_negating |= negation[word] == negator
            is_residual |= word == others[query]
            is_extra |= is_number[word] and not shared
        lacks = not _has(words[start:stop], first, numbers[number_bounds[query] : number_bounds[query + 1]])
        both = _axes(bits & ours[query], shifted, first_values)
        here, one = cursors[pair], np.float32(1)
        cursors[pair] = here + 1
        at[number] = here
        negating[number] = is_negating
        total, whole, same = totals[query], summed(rarity, 0, count), summed(common, 0, count)
        near, is_preferred = dense[number], kinds[row] == 0
        facts[columns[0] + here] = near
        facts[columns[1] + here] = min(summed(parts, 0, count) / np.float64(lengths[number]), 1.0)
        facts[columns[2] + here] = min(np.float32(2) * same / (total + whole), one)
        facts[columns[3] + here] = near if is_preferred else -one
        facts[columns[4] + here] = is_preferred
        facts[columns[5] + here] = min(same / total, one)
        facts[columns[6] + here] = same / max(whole, np.float32(1e-6))
        facts[columns[7] + here] = lacks
        facts[columns[8] + here] = is_extra
        facts[columns[9] + here] = (says & meant[query] & ~both) != 0
        facts[columns[10] + here] = _bits(meant[query] & ~says)
        facts[columns[11] + here] = _bits(says & ~meant[query])
        facts[columns[12] + here] = is_residual
        facts[columns[13] + here] = scopes[row] > 0
        facts[columns[14] + here] = count == 1 and is_short[np.int64(words[start]) + first]
    return 0


@compiled
def _support(values: Any, start: int, stop: int) -> Any:
    """The mean of the three highest values, of fewer with the lowest repeated."""
    first = second = third = np.float32(-np.inf)
    for place in range(start, stop):
        value = values[place]
        if value > first:
            first, second, third = value, first, second
        elif value > second:
            second, third = value, second
        elif value > third:
            third = value
    second = second if stop - start > 1 else first
    third = third if stop - start > 2 else second
    return (first + second + third) / np.float32(3)


@compiled
def _compare(features: Any, columns: Any, width: int, edges: Any) -> None:
    """Fills features that are the difference of another one to the highest among the pairs of the query."""
    for query in range(len(edges) - 1):
        for number in range(0, len(columns), 2):
            own, behind = columns[number], columns[number + 1]
            most = np.float32(-np.inf)
            for pair in range(edges[query], edges[query + 1]):
                most = max(most, features[pair * width + own])
            for pair in range(edges[query], edges[query + 1]):
                features[pair * width + behind] = features[pair * width + own] - most


@loop("features", "best", "means", "nearness", "times")
def summarized(
    features: Floats,
    best: Ints,
    means: Floats,
    nearness: Floats,
    times: Ints,
    facts: Floats,
    named: Ints,
    highest: Ints,
    of_best: Ints,
    further: Ints,
    width: int,
    starts: Ints,
    edges: Ints,
    similarities: Floats,
    given: Ints,
) -> int:
    """Fills the ``features`` of pairs, ``width`` of each, from the facts of their names from ``starts`` on.

    ``highest`` and ``of_best`` are where rows of facts begin, each with the feature that it becomes; ``named`` and
    ``further`` are rows and features in the order of `ontonym.index.looped`. ``edges`` part the pairs of the queries.
    The other results are as in `Evidence`.
    """
    lowest = np.float32(-np.inf)
    dense, char, words, spelled = named[0], named[1], named[2], named[3]
    to_preferred, preferred, contradicted = named[4], named[5], named[6]
    for pair in range(len(starts) - 1):
        start, stop, at = starts[pair], starts[pair + 1], pair * width
        if stop <= start or stop - start > 129:
            return -1
        nearest = lowest
        most, chosen, called, count = -np.inf, start, lowest, 0
        for name in range(start, stop):
            is_spelled, is_preferred = facts[spelled + name], facts[preferred + name]
            near = facts[dense + name] + facts[char + name] + facts[words + name]
            like = np.float64(near) + 2.0 * np.float64(is_spelled) + np.float64(np.float32(0.01) * is_preferred)
            if like > most:
                most, chosen = like, name
            called = max(called, facts[contradicted + name] * is_preferred)
            nearest = max(nearest, facts[to_preferred + name])
            if is_spelled > 0:
                count += given[name]
        best[pair], times[pair], nearness[pair] = chosen, count, nearest
        for number in range(0, len(highest), 2):
            value = lowest
            for name in range(start, stop):
                value = max(value, facts[highest[number] + name])
            features[at + highest[number + 1]] = value
        for number in range(0, len(of_best), 2):
            features[at + of_best[number + 1]] = facts[of_best[number] + chosen]
        if features[at + further[0]] == 0:  # no name equals the query
            features[at + further[1]] = max(features[at + further[1]], called)
        features[at + further[2]] = _support(facts, dense + start, dense + stop)
        features[at + further[3]] = similarities[pair]
        means[2 * pair] = summed(facts, char + start, char + stop) / np.float64(stop - start)
        means[2 * pair + 1] = summed(facts, words + start, words + stop) / np.float64(stop - start)
    _compare(features, further[4:], width, edges)
    return 0


@loop("raised")
def raised_by(
    raised: Doubles,
    features: Floats,
    width: int,
    columns: Ints,
    signs: Floats,
    best: Ints,
    scores: Doubles,
    equal: float,
) -> None:
    """For each candidate the highest of the ``scores`` of the ``best`` that it dominates (`ontonym.index.fuse`)."""
    for candidate in range(len(raised)):
        for other in best:
            if scores[other] <= raised[candidate]:
                continue
            is_above = True
            for number in range(len(columns)):
                own = features[candidate * width + columns[number]] * signs[number]
                theirs = features[other * width + columns[number]] * signs[number]
                is_above &= own >= theirs - np.float32(equal)
            if is_above:
                raised[candidate] = scores[other]
