"""Names as people write them: with an extra word, in another word order, with a missing letter; drawn at random."""

from __future__ import annotations

import numpy as np

from ontonym.index.names import Names


def with_another_word(name: str, names: Names, rng: np.random.Generator) -> str:
    """A name with a word of any other name before it, or less often after it."""
    others = names.words_of(int(rng.integers(len(names))))
    other = others[int(rng.integers(len(others)))]
    return f"{other} {name}" if rng.random() < 0.7 else f"{name} {other}"


def in_another_order(name: str, rng: np.random.Generator) -> str:
    """The words of a name in any order."""
    words = name.split()
    return " ".join(words[place] for place in rng.permutation(len(words)))


def without_a_letter(name: str, rng: np.random.Generator) -> str:
    """A name without one of its characters."""
    gone = int(rng.integers(len(name)))
    return name[:gone] + name[gone + 1 :]
