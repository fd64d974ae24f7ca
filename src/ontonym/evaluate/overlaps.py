"""How much categories overlap by a measure of similarity (Schulz, section 5.3): exact, over all triples of names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ontonym.arrays import Doubles, Floats, Ints
from ontonym.encoder.vectors import Measure, VectorsEncoder, formed
from ontonym.errors import InputError
from ontonym.ragged import boundaries

Similarities = Iterator[tuple[Doubles, Doubles]]
"""For each name of the first category its similarities to those of the second and of the third."""

_BLOCK = 1 << 23
"""The number of similarities in memory at once."""

_DECIMALS = 12
"""Products that are equal to so many decimals are equal: the last bits depend on the processor."""

MOST_NUMBERS = 1 << 29
"""The limit on transformed numbers of all names, above which rank correlations by pairs of dimensions need too much
memory.
"""


def overlap(near: Doubles, other: Doubles, far: Doubles) -> Doubles:
    """For each of the first vectors the share of pairs of the others in which the far one is at least as similar.

    Vectors are compared by their dot products; shapes ``(a, dim)``, ``(b, dim)`` and ``(c, dim)``. Returns shape
    ``(a,)``, whose mean is the relative overlap O, in [0, 1].
    """
    return overlap_of(_products(near, other, far))


def _products(near: Doubles, other: Doubles, far: Doubles) -> Similarities:
    step = max(1, _BLOCK // (len(other) + len(far)))
    for start in range(0, len(near), step):
        some = near[start : start + step]
        yield from zip(np.round(some @ other.T, _DECIMALS), np.round(some @ far.T, _DECIMALS), strict=True)


def overlap_of(similarities: Similarities) -> Doubles:
    """The same as `overlap` for similarities of any kind.

    Instead of summing over all triples, a name's similarities to the far category are sorted, and those to the other
    near one looked up in them.
    """
    shares = []
    for to_other, to_far in similarities:
        below = np.searchsorted(np.sort(to_far), np.sort(to_other), side="left")
        shares.append((len(to_far) - below).sum(dtype=np.float64) / (len(to_other) * len(to_far)))
    return np.array(shares, dtype=np.float64)


def vector_forms(encode: Callable[[Sequence[str]], Floats], names: Sequence[str], measure: Measure) -> Doubles:
    """A vector of each name that can be represented, whose dot products are the measure; a row of zeros cannot.

    Raises InputError if they would not fit in memory.
    """
    vectors = np.asarray(encode(names))
    vectors = vectors[np.abs(vectors).max(axis=1, initial=0) > 0]
    _check_size(len(vectors), vectors.shape[1], measure)
    return formed(vectors, measure)


def word_forms(encoder: VectorsEncoder, names: Sequence[str], measure: Measure, *, pairwise: bool) -> Doubles:
    """The same for word vectors: of the mean vector of each name, or ``pairwise``, the mean over its words.

    The mean of a measure over all pairs of words is the dot product of such means. Names must be representable.
    """
    sides = [encoder.vectors(encoder.rows(name)) for name in names]
    _check_size(len(sides), encoder.dim, measure)
    if not pairwise:
        return formed(np.stack([side.mean(axis=0) for side in sides]), measure)
    return np.stack([formed(side, measure).mean(axis=0) for side in sides])


def _check_size(names: int, dim: int, measure: Measure) -> None:
    width = dim * (dim - 1) // 2 if measure == "kendall" else dim
    if names * width > MOST_NUMBERS:
        raise InputError(f"tau of {names:,} names of {dim} numbers takes too much memory: lower `most=`")


def max_jaccard(encoder: VectorsEncoder, sides: Sequence[Sequence[str]]) -> Similarities:
    """Max Jaccard of each name of the first side and all of the two others; see `ontonym.encoder.vectors`."""
    near, *others = (
        np.stack([np.maximum(encoder.vectors(encoder.rows(name)).max(axis=0), 0) for name in side]).astype(np.float64)
        for side in sides
    )
    for one in near:
        first, second = (
            _ratio(np.minimum(one, other).sum(axis=1), np.maximum(one, other).sum(axis=1)) for other in others
        )
        yield first, second


def fuzzy_jaccard(encoder: VectorsEncoder, sides: Sequence[Sequence[str]]) -> Similarities:
    """Fuzzy Jaccard of each name of the first side and all of the two others; see `ontonym.encoder.vectors`."""
    others = [_WordLists(encoder, side) for side in sides[1:]]
    for name in sides[0]:
        words = encoder.vectors(encoder.rows(name)).astype(np.float64)
        first, second = (other.fuzzy_jaccard(words) for other in others)
        yield first, second


class _WordLists:
    """The words of many names, one name after another, and how near each is to the words of its own name."""

    def __init__(self, encoder: VectorsEncoder, names: Sequence[str]) -> None:
        rows = [encoder.rows(name) for name in names]
        self._starts: Ints = boundaries(np.array([*map(len, rows)], dtype=np.int64))
        self._words = encoder.vectors([row for own in rows for row in own]).astype(np.float64)
        lists = [self._words[start:stop] for start, stop in zip(self._starts[:-1], self._starts[1:], strict=True)]
        self._own = np.concatenate([np.maximum((words @ words.T).max(axis=0), 0) for words in lists])

    def fuzzy_jaccard(self, words: Doubles) -> Doubles:
        """The similarity of a name with these word vectors to each of the names, shape ``(names,)``."""
        products = words @ self._words.T
        starts = self._starts[:-1]
        of_words = np.maximum(products.max(axis=0), 0)  # how much each word of the others belongs to this name
        of_others = np.maximum(np.maximum.reduceat(products, starts, axis=1), 0)  # and each of its own to the others
        own = np.maximum((words @ words.T).max(axis=0), 0)[:, None]
        both = np.add.reduceat(np.minimum(of_words, self._own), starts) + np.minimum(of_others, own).sum(axis=0)
        either = np.add.reduceat(np.maximum(of_words, self._own), starts) + np.maximum(of_others, own).sum(axis=0)
        return _ratio(both, either)


def _ratio(part: Doubles, whole: Doubles) -> Doubles:
    found: Doubles = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return found
