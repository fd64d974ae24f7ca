"""The words of an index on disk: their texts, and what is looked up of all of them at once.

``word_order`` has the numbers of the words in alphabetical order, by bytes; ``word_letters`` the letters of each word
that may be corrected to, as bits (0 for the others), and ``word_size`` how many letters it has.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Hashes, Ints, Mask
from ontonym.store.columns import StringWriter, save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.text.strings import Strings, gathered

SHORTEST_CORRECTED = 4
"""Letters of the shortest word that is corrected."""

_SHORT = 5
"""Letters of the longest word that may be an abbreviation."""
_PREFIX = 16
"""Bytes of words that are compared as two numbers; only words that begin with the same are compared one by one."""
_BLOCK = 1 << 18
"""Words that are read together."""


def write_vocabulary(folder: Path, vocabulary: Strings, hashes: Hashes) -> None:
    """Writes the words of an index by number, with their hashes."""
    writer = StringWriter(folder, "word")
    writer.extend(vocabulary)
    writer.close()
    starts, data = vocabulary.offsets[:-1], vocabulary.data[: vocabulary.offsets[-1]]
    sizes = np.add.reduceat((data & 0xC0) != 0x80, starts, dtype=np.int64)  # the bytes that begin a letter in UTF-8
    first = data[starts]
    is_number = (first >= ord("0")) & (first <= ord("9"))
    for row in np.flatnonzero(first >= 0x80).tolist():  # other scripts have digits too
        is_number[row] = vocabulary[row][0].isdigit()
    save_numbers(folder, "word_short", sizes <= _SHORT)
    save_numbers(folder, "word_number", is_number)
    save_numbers(folder, "word_size", np.minimum(sizes, 0xFFFF).astype(np.uint16))
    save_numbers(folder, "word_letters", _letters(vocabulary, sizes))
    save_numbers(folder, "word_order", alphabetical(vocabulary).astype(np.uint32))
    HashLookup.build(folder, "word", hashes, np.arange(len(vocabulary)))


def letter_bits(word: str) -> int:
    """Which letters a word has, as bits; different letters may share a bit."""
    return reduce(or_, {1 << (ord(letter) & 63) for letter in word}, 0)


def is_correctable(word: str) -> bool:
    """Whether a word may be corrected, or be what another is corrected to: letters only, and not too few."""
    return len(word) >= SHORTEST_CORRECTED and word.isalpha()


def _letters(vocabulary: Strings, sizes: Ints) -> Hashes:
    """The letters of each word as bits, 0 for one that is not corrected to."""
    found = np.zeros(len(vocabulary), dtype=np.uint64)
    for start in range(0, len(vocabulary), _BLOCK):
        stop = min(start + _BLOCK, len(vocabulary))
        offsets = vocabulary.offsets[start : stop + 1]
        data = vocabulary.data[offsets[0] : offsets[-1]]
        edges = offsets[:-1] - offsets[0]
        bits = np.bitwise_or.reduceat(np.left_shift(np.uint64(1), (data & 63).astype(np.uint64)), edges)
        folded = data | 0x20
        plain: Mask = np.logical_and.reduceat((folded >= ord("a")) & (folded <= ord("z")), edges)
        found[start:stop] = np.where(plain & (sizes[start:stop] >= SHORTEST_CORRECTED), bits, 0)
        for row in np.flatnonzero(np.logical_or.reduceat(data >= 0x80, edges)).tolist():
            word = vocabulary[start + row]
            found[start + row] = letter_bits(word) if is_correctable(word) else 0
    return found


def alphabetical(texts: Strings) -> Ints:
    """The places of different texts in the order of their bytes."""
    starts, lengths = texts.offsets[:-1], texts.lengths
    head = np.zeros((len(texts), _PREFIX), dtype=np.uint8)
    for start in range(0, len(texts), _BLOCK):
        some = slice(start, start + _BLOCK)
        sizes = np.minimum(lengths[some], _PREFIX)
        head[some][np.arange(_PREFIX) < sizes[:, None]] = gathered(texts.data, starts[some], sizes).data
    keys: npt.NDArray[np.uint64] = head.view(">u8").astype(np.uint64)
    order: Ints = np.lexsort((lengths, keys[:, 1], keys[:, 0]))
    keys = keys[order]
    again = np.flatnonzero((keys[1:] == keys[:-1]).all(axis=1))  # such as begin with the same 16 bytes
    for run in np.split(again, np.flatnonzero(np.diff(again) > 1) + 1) if len(again) else ():
        here = slice(int(run[0]), int(run[-1]) + 2)
        order[here] = sorted(order[here].tolist(), key=lambda place: _bytes(texts, place))
    return order


def _bytes(texts: Strings, place: int) -> bytes:
    return texts.data[texts.offsets[place] : texts.offsets[place + 1]].tobytes()
