"""`ontonym.text.normalization.normalize` for a whole column, as hashes: each distinct word is normalized once."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Hashes, Mask, Offsets
from ontonym.ragged import boundaries
from ontonym.text.folding import folded
from ontonym.text.normalization import normalize
from ontonym.text.strings import Strings, mixed

_SPACE = 32
_BLOCK = 1 << 17
"""Texts that are normalized together."""
_REMARKS = ("nos", "included")
"""Last words that may be a coding remark: whether they are is decided from the letters of the whole name."""
_NUMERALS = ("i", "v", "x")
"""Words that are numerals only after certain other words."""

_UPPER = np.zeros(256, dtype=np.bool_)
_UPPER[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")] = True
_CAPITAL = _UPPER.copy()
_CAPITAL[list(b"0123456789")] = True
_NOT_CAPITAL = np.zeros(256, dtype=np.bool_)
_NOT_CAPITAL[list(b"abcdefghijklmnopqrstuvwxyz")] = True
_NOT_CAPITAL[128:] = True


def normalized_hashes(texts: Strings) -> Hashes:
    """A 64-bit hash for each text, equal for two texts where `normalization.normalize` gives them the same form."""
    known: dict[str, str] = {}
    starts = range(0, len(texts), _BLOCK)
    blocks = (Strings(texts.data, texts.offsets[start : start + _BLOCK + 1]) for start in starts)
    return np.concatenate([np.zeros(0, dtype=np.uint64), *(_hashes(block, known) for block in blocks)])


def _hashes(texts: Strings, known: dict[str, str]) -> Hashes:
    words, bounds = _words(folded(texts))
    _, first, place = np.unique(words.hashes(), return_index=True, return_inverse=True)
    distinct = words.take(first).tolist()
    for word in distinct:
        if word not in known:
            known[word] = normalize(word)
    forms = [known[word] for word in distinct]
    parted = np.array([len(form.split()) != 1 for form in forms], dtype=np.bool_)[place]
    changed = np.array([form != word for form, word in zip(forms, distinct, strict=True)], dtype=np.bool_)[place]
    remark = np.array([word in _REMARKS for word in distinct], dtype=np.bool_)[place]
    numeral = np.array([word in _NUMERALS for word in distinct], dtype=np.bool_)[place]
    opening = np.zeros(len(words), dtype=np.bool_)
    opening[bounds[:-1][bounds[:-1] < bounds[1:]]] = True
    closing = np.zeros(len(words), dtype=np.bool_)
    closing[bounds[1:][bounds[:-1] < bounds[1:]] - 1] = True
    # where the form of a word depends on its neighbours or on the letters of the text, the text is normalized by itself
    alone = parted | (remark & closing) | (numeral & ~opening)
    single = _any(alone, bounds) | (_any(changed, bounds) & _may_have_acronyms(texts))
    sums = np.zeros(len(words) + 1, dtype=np.uint64)
    np.cumsum(_word_hashes(forms)[place], out=sums[1:])
    hashes: Hashes = sums[bounds[1:]] - sums[bounds[:-1]]
    rows = np.flatnonzero(single)
    hashes[rows] = _sums([normalize(text).split() for text in texts.take(rows)])
    return hashes


def _sums(names: list[list[str]]) -> Hashes:
    """The sum of the hashes of each name's words."""
    bounds = boundaries(np.fromiter(map(len, names), dtype=np.int64, count=len(names)))
    sums = np.zeros(int(bounds[-1]) + 1, dtype=np.uint64)
    np.cumsum(_word_hashes([word for name in names for word in name]), out=sums[1:])
    totals: Hashes = sums[bounds[1:]] - sums[bounds[:-1]]
    return totals


def _words(names: Strings) -> tuple[Strings, Offsets]:
    """The words of folded names, end to end, and the bounds of each name among them."""
    data = names.data[names.offsets[0] : names.offsets[-1]]
    bounds = names.offsets - names.offsets[0]
    letter = data != _SPACE
    opens = letter.copy()
    opens[1:] &= ~letter[:-1]
    begins = bounds[:-1][bounds[:-1] < bounds[1:]]
    opens[begins] = letter[begins]
    letters = boundaries(letter)
    starts = letters[:-1][opens]
    words = Strings(data[letter], np.concatenate([starts, letters[-1:]]))
    return words, boundaries(opens)[bounds]


def _word_hashes(words: list[str]) -> Hashes:
    """A hash of each word, mixed again so that equal sums of several are not likely by chance."""
    return mixed(Strings.of(words).hashes()) if words else np.zeros(0, dtype=np.uint64)


def _any(marked: Mask, bounds: Offsets) -> Mask:
    counts = boundaries(marked)
    found: Mask = counts[bounds[1:]] > counts[bounds[:-1]]
    return found


def _may_have_acronyms(texts: Strings) -> Mask:
    """Texts with two capitals in a row that are not written in capitals as a whole."""
    first = int(texts.offsets[0])
    data, bounds = texts.data[first : int(texts.offsets[-1])], texts.offsets - first
    run = np.zeros(len(data), dtype=np.bool_)
    run[:-1] = _UPPER[data[:-1]] & _CAPITAL[data[1:]]
    filled = np.flatnonzero(bounds[:-1] < bounds[1:])
    outer = np.zeros(len(texts), dtype=np.bool_)
    outer[filled] = (data[bounds[:-1][filled]] > _SPACE) & (data[bounds[1:][filled] - 1] > _SPACE)
    whole = outer & _any(data == _SPACE, bounds) & ~_any(_NOT_CAPITAL[data], bounds)
    return _any(run, bounds) & ~whole
