"""Whether a word is English at all: what a terminology does not know is then no misspelling of what it knows.

The words of WordNet by their roots, kept as hashes (``benchmarks/lexicon/english.py``).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
import numpy.typing as npt

from ontonym.text.strings import hash64
from ontonym.text.wordroots import stem

SHORTEST = 6
"""Letters of the shortest word that is kept."""


def is_english(word: str) -> bool:
    """Whether English has a normalized word of at least `SHORTEST` letters, in any form; of two million others, one is
    held for English too."""
    hashes = _hashes()
    place = int(np.searchsorted(hashes, stem_hash(word)))
    return place < len(hashes) and int(hashes[place]) == int(stem_hash(word))


def stem_hash(word: str) -> np.uint32:
    """The hash of the root of a word, as it is kept."""
    return np.uint32(hash64(stem(word)) & 0xFFFFFFFF)


@cache
def _hashes() -> npt.NDArray[np.uint32]:
    with np.load(BytesIO(files("ontonym.text").joinpath("english.npz").read_bytes()), allow_pickle=False) as kept:
        found: npt.NDArray[np.uint32] = kept["roots"]
    return found
