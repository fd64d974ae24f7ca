"""What is known of each word of an index's vocabulary: how much it counts, what it tells apart, and its root."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Hashes, Ints
from ontonym.memo import MemoOfMany
from ontonym.store.columns import StringColumn
from ontonym.text.denials import DENIED, DENYING_START, NEGATION_CLASSES, asserted_root, denied_in
from ontonym.text.qualifiers import axes_said, axis_bits
from ontonym.text.strings import hash64
from ontonym.text.wordlists import LIGHT, SMALL
from ontonym.text.wordroots import root

WEIGHT_OF_LIGHT = 0.2
"""What a word of `LIGHT` counts of its rarity where shared words are compared."""

_MOST_ROOTS = 1 << 14
"""Words of which the root is kept."""


class WordFacts:
    """Facts by word number; ``idf`` is the rarity of each word of the ``vocabulary``, ``word_ids`` looks words up."""

    def __init__(
        self,
        vocabulary: StringColumn,
        idf: npt.NDArray[np.float32],
        word_ids: Callable[[Sequence[str]], Sequence[int | None]],
    ) -> None:
        self._vocabulary = vocabulary
        self._idf = idf
        self._word_ids = word_ids
        self._roots = MemoOfMany[int, str](
            lambda some: map(asserted_root, vocabulary.take(np.asarray(some))), _MOST_ROOTS
        )

    @cached_property
    def weights(self) -> npt.NDArray[np.float32]:
        """How much each word counts among shared ones: its rarity, of `LIGHT` words a fifth."""
        found = self._idf.copy()
        found[[number for number in self._word_ids(sorted(LIGHT)) if number is not None]] *= WEIGHT_OF_LIGHT
        return found

    @cached_property
    def axes(self) -> Ints:
        """The values of `ontonym.text.qualifiers.AXES` that each word stands for, as bits."""
        return self._by_word(axis_bits(), np.int64)

    @cached_property
    def axes_said(self) -> Ints:
        """The axes that each word says something of, each as the bit of its first value."""
        return self._by_word(axes_said(), np.int64)

    @cached_property
    def negation(self) -> npt.NDArray[np.uint8]:
        """What each word is in a negation (`ontonym.text.denials.negation_class`)."""
        found = self._by_word(NEGATION_CLASSES, np.uint8)
        rows = self._vocabulary.strings().beginning_with(DENYING_START).tolist()
        found[[number for number in rows if denied_in(self._vocabulary[number])]] = DENIED
        return found

    @cached_property
    def root_hashes(self) -> Hashes:
        """The hash of the root of each word, 0 for a word of `SMALL`."""
        hashes = (0 if word in SMALL else hash64(root(word)) for word in self._vocabulary)
        return np.fromiter(hashes, dtype=np.uint64, count=len(self._vocabulary))

    def roots(self, numbers: Collection[int]) -> dict[int, str]:
        """The root of each word of these numbers (`ontonym.text.denials.asserted_root`)."""
        some = list(numbers)
        return dict(zip(some, self._roots.of(some), strict=True))

    def _by_word(self, values: Mapping[str, int], dtype: type[np.generic]) -> npt.NDArray[Any]:
        found = np.zeros(len(self._idf), dtype=dtype)
        for number, value in zip(self._word_ids(list(values)), values.values(), strict=True):
            if number is not None:
                found[number] = value
        return found
