"""What names and queries deny: "pneumonia without fever" asserts pneumonia and denies fever.

Of names, all at once as arrays; what running text denies is in `ontonym.text.notes.context`. English only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints, Mask
from ontonym.text.normalization import tokens

NEGATORS = frozenset("without no not non never denies denied deny".split())
"""Words that deny what follows in a name or a query; absence and the like are findings by themselves, which have other
names too. All but *non* are cues of notes too, where phrases deny as well (`ontonym.text.notes.cues`)."""

_CLAUSE_END = re.compile(r"[,;:()]")

PLAIN, NEGATOR, LINK, OR, END = range(5)
"""What a word is in a negation: it may be denied, denies, is passed over, goes on, or ends it."""

NEGATION_CLASSES = MappingProxyType(
    {
        **dict.fromkeys(NEGATORS, NEGATOR),
        **dict.fromkeys("of the a an any evidence sign for from due to by caused related".split(), LINK),
        **dict.fromkeys("or nor".split(), OR),
        **dict.fromkeys("with and but in on".split(), END),
    }
)
"""The words that are not `PLAIN`, each with what it is."""


def negation_class(word: str) -> int:
    """What a normalized word is in a negation: one of `PLAIN`, `NEGATOR`, `LINK`, `OR` and `END`."""
    return NEGATION_CLASSES.get(word, PLAIN)


def signs(classes: npt.NDArray[np.uint8], places: Ints) -> npt.NDArray[np.int8]:
    """What is said of each word: 1 asserted, -1 denied, 0 unclear; all arrays have shape ``(words,)``, name after name.

    ``classes`` are the `NEGATION_CLASSES` of the words, ``places`` where in its name each word stands, from 0. The
    first word after a negator is denied, and so is what follows it after "or"; of the two words after it that is
    unclear. Words that are not `PLAIN` are 0: "seizures without status migrainosus or fever" is 1, 0, -1, 0, 0, -1.
    """
    negator, link, either, plain = (classes == kind for kind in (NEGATOR, LINK, OR, PLAIN))
    second, third = places >= 1, places >= 2  # those that have so many words before them
    reach = negator.copy()
    for _ in range(3 if link.any() else 0):  # a word farther each time: "no evidence of any fever"
        reach |= link & _after(reach, 1, second)
    denied = plain & _after(reach, 1, second)
    unclear = np.zeros(len(classes), dtype=np.bool_)
    is_choice = plain & _after(either, 1, second) if either.any() else None
    for _ in range(2):
        near = denied | unclear
        beside = _after(denied, 1, second) | _after(denied, 2, third)
        unclear |= plain & ~denied & _after(near, 1, second) & beside
        if is_choice is not None:
            denied |= is_choice & _after(near, 2, third)
    found: npt.NDArray[np.int8] = (plain & ~unclear).astype(np.int8)
    found[denied] = -1
    return found


def said_of(words: Sequence[str]) -> dict[str, int]:
    """Each of the normalized words of a name with what is said of it, as by `signs`."""
    classes = np.asarray([negation_class(word) for word in words], dtype=np.uint8)
    return dict(zip(words, signs(classes, np.arange(len(words))).tolist(), strict=True))


@lru_cache(maxsize=1 << 8)  # each part of an index asks for those of the same query
def signs_in(text: str) -> Mapping[str, int]:
    """Each normalized word of a text with what is said of it, as by `signs`; a clause ends at a comma or the like."""
    found: dict[str, int] = {}
    for clause in _CLAUSE_END.split(text):
        words = tokens(clause)
        if NEGATORS.isdisjoint(words):  # `said_of` says the same, and takes longer
            found.update((word, int(negation_class(word) == PLAIN)) for word in words)
        else:
            found.update(said_of(words))
    return MappingProxyType(found)


def _after(mask: Mask, steps: int, within: Mask) -> Mask:
    """Whether the word so many steps before is in ``mask``; ``within`` are the words with so many before them."""
    shifted = np.zeros(len(mask), dtype=np.bool_)
    np.logical_and(mask[:-steps], within[steps:], out=shifted[steps:])
    return shifted
