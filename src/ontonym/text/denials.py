"""What names and queries deny: "pneumonia without fever" asserts pneumonia and denies fever.

`signs` says it of the words of all names at once, as arrays; `said_of` and `signs_in` of one name or query. What notes
deny is in `ontonym.text.notes.context`, what a query denies as a whole `ontonym.text.frames.without_negation`. English
only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints, Mask
from ontonym.text.normalization import tokens
from ontonym.text.wordroots import root

NEGATORS = frozenset("without no not non never denies denied deny".split())
"""Words that deny what follows in a name or a query; absence and the like are findings by themselves, which have other
names too. All but *non* are cues of notes too, where phrases deny as well (`ontonym.text.notes.cues`)."""

_CLAUSE_END = re.compile(r"[,;:()]")

PLAIN, NEGATOR, LINK, OR, END, DENIED = range(6)
"""What a word is in a negation: it may be denied, denies, is passed over, goes on, ends it, or denies itself."""

DENYING_START = "non"
"""The beginning of words that deny the rest: *nonvenomous*."""

_SHORTEST_DENIED = 4
"""Letters of the shortest word that such a beginning denies; *nonce* denies nothing."""

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
    """What a normalized word is in a negation: one of `PLAIN`, `NEGATOR`, `LINK`, `OR`, `END` and `DENIED`."""
    return NEGATION_CLASSES.get(word, DENIED if denied_in(word) else PLAIN)


def denied_in(word: str) -> str:
    """What a normalized word denies by its beginning: *venomous* of "nonvenomous"; empty where it denies nothing. Words
    with *un* deny it too, but their rest is not what others say for the opposite ("undescended", "unintentional")."""
    rest = word.removeprefix(DENYING_START)
    return rest if rest != word and len(rest) >= _SHORTEST_DENIED else ""


def asserted_root(word: str) -> str:
    """The root of a normalized word, or of what it denies by its beginning: *nonvenomous* has that of *venomous*."""
    return root(denied_in(word) or word)


def signs(classes: npt.NDArray[np.uint8], places: Ints) -> npt.NDArray[np.int8]:
    """What is said of each word: 1 asserted, -1 denied, 0 unclear; all arrays have shape ``(words,)``, name after name.

    ``classes`` are the `NEGATION_CLASSES` of the words, ``places`` where in its name each word stands, from 0. The
    first word after a negator is denied, and so is what follows it after "or"; of the two words after it that is
    unclear. `DENIED` words are denied. Others that are not `PLAIN` are 0: "seizures without status migrainosus or
    fever" is 1, 0, -1, 0, 0, -1.
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
    found[denied | (classes == DENIED)] = -1
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
        if not denies(words):  # `said_of` says the same, and takes longer
            found.update((word, int(negation_class(word) == PLAIN)) for word in words)
        else:
            found.update(said_of(words))
    return MappingProxyType(found)


def denies(words: Iterable[str]) -> bool:
    """Whether one of some normalized words denies what follows it, or itself."""
    return any(word in NEGATORS or denied_in(word) for word in words)


def _after(mask: Mask, steps: int, within: Mask) -> Mask:
    """Whether the word so many steps before is in ``mask``; ``within`` are the words with so many before them."""
    shifted = np.zeros(len(mask), dtype=np.bool_)
    np.logical_and(mask[:-steps], within[steps:], out=shifted[steps:])
    return shifted
