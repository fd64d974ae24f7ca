"""The similarity of two terms by an encoder, by word vectors or by spelling: every measure of Schulz, section 4.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from ontonym.arrays import Doubles, Ints
from ontonym.encoder import open_encoder
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.encoder.vectors import (
    Aggregation,
    Measure,
    Overlap,
    VectorsEncoder,
    correlated,
    word_overlaps,
    word_similarities,
)
from ontonym.errors import InputError, UnknownNameError, needing
from ontonym.ragged import owners_of
from ontonym.text.normalization import tokens

Alike = Mapping[str, Doubles]
"""By measure the similarity of each pair, higher is closer, NaN if a term cannot be represented."""

MEASURES_BY_NAME: Mapping[str, Measure] = MappingProxyType(
    {"cos": "cosine", "r": "pearson", "rho": "spearman", "tau": "kendall"}
)
"""The names, in tables, of the measures between two vectors."""

_AGGREGATED: Mapping[str, Aggregation] = MappingProxyType({"avg": "average", "pair": "pairwise"})
_OVERLAPS: Mapping[str, Overlap] = MappingProxyType({"fJ": "fuzzy jaccard", "mJ": "max jaccard"})
MEASURE_NAMES = (
    *MEASURES_BY_NAME, *(f"{way}_{short}" for way in _AGGREGATED for short in MEASURES_BY_NAME), *_OVERLAPS,
)  # fmt: skip
"""The names of all measures that some encoder has."""
_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's k1 and b."""


def check_measure(name: str, valid: Sequence[str] = MEASURE_NAMES) -> str:
    """The name, if it is a valid one; UnknownNameError else."""
    if name not in valid:
        raise UnknownNameError("measure", name, valid)
    return name


def measures_of(encoder: Encoder) -> tuple[str, ...]:
    """The measures that an encoder supports, the usual one first.

    ``cos``, ``r``, ``rho`` and ``tau`` compare the vectors of two terms. Word vectors have these four with ``avg_`` for
    the mean vectors and with ``pair_`` for all pairs of words, and ``fJ`` and ``mJ`` (fuzzy and max Jaccard).
    """
    if not isinstance(encoder, VectorsEncoder):
        return tuple(MEASURES_BY_NAME)
    return (*(f"{aggregated}_{short}" for aggregated in _AGGREGATED for short in MEASURES_BY_NAME), *_OVERLAPS)


def alike_by_encoder(
    encoder: Encoder, first: Sequence[str], second: Sequence[str], measures: Sequence[str], *, any_word: bool = False
) -> Alike:
    """Some of an encoder's measures for each pair of terms. The rank correlations need scipy.

    Word vectors represent a term if they have every word of it (Schulz, section 5), with ``any_word`` if they have one.
    Raises UnknownNameError for a measure that the encoder does not have.
    """
    for measure in measures:
        check_measure(measure, measures_of(encoder))
    if isinstance(encoder, VectorsEncoder):
        found = {measure: _by_words(encoder, first, second, measure) for measure in measures}
        if not any_word:
            unknown = [not all(map(encoder.knows, pair)) for pair in zip(first, second, strict=True)]
            for values in found.values():
                values[unknown] = np.nan
        return found
    left, right = encoder.encode(first), encoder.encode(second)
    known = np.flatnonzero((np.abs(left).max(axis=1, initial=0) > 0) & (np.abs(right).max(axis=1, initial=0) > 0))
    found = {measure: np.full(len(first), np.nan) for measure in measures}
    for measure in measures:
        found[measure][known] = correlated(left[known], right[known], MEASURES_BY_NAME[measure])
    return found


def _by_words(encoder: VectorsEncoder, first: Sequence[str], second: Sequence[str], measure: str) -> Doubles:
    if measure in _OVERLAPS:
        return word_overlaps(encoder, first, second, measure=_OVERLAPS[measure])
    aggregated, _, short = measure.partition("_")
    return word_similarities(
        encoder, first, second, measure=MEASURES_BY_NAME[short], aggregation=_AGGREGATED[aggregated]
    )


class Remembered:
    """An encoder that encodes each text once and keeps its vector in memory."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._rows: dict[str, int] = {}
        self._vectors = np.zeros((0, encoder.dim), dtype=np.float32)
        self.dim, self.fingerprint, self.is_steady = encoder.dim, encoder.fingerprint, encoder.is_steady

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The encoder's rows."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if new:
            self._rows |= {text: len(self._rows) + number for number, text in enumerate(new)}
            self._vectors = np.concatenate([self._vectors, self._encoder.encode(new)])
        return self._vectors[[self._rows[text] for text in texts]]

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """The encoder's rows, not cached."""
        return self._encoder.encode_names(texts)


# Spelling alone ----------------------------------------------------------------------------------------------------


def _edit(first: Sequence[str], second: Sequence[str]) -> Doubles:
    """1 minus the Levenshtein distance in lower case, as a share of the longer term."""
    one, other = [term.lower() for term in first], [term.lower() for term in second]
    found: Doubles = cpdist(one, other, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
    return found


def _char(first: Sequence[str], second: Sequence[str]) -> Doubles:
    """The cosine of TF-IDF weights of 1 to 5 characters within words; the terms themselves are the collection."""
    with needing("scikit-learn", "eval", "the similarity of characters"):
        from sklearn.feature_extraction.text import TfidfVectorizer
    weights = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), dtype=np.float64)
    weights.fit(sorted({*first, *second}))
    both: Doubles = np.asarray(weights.transform(first).multiply(weights.transform(second)).sum(axis=1)).ravel()
    return both


def _bm25(first: Sequence[str], second: Sequence[str]) -> Doubles:
    """BM25 of one term as query and the other as document, divided by BM25 of the document with itself.

    The terms themselves are the collection. The mean of both directions, so that it is symmetric.
    """
    with needing("scikit-learn", "eval", "BM25 between terms"):
        from sklearn.feature_extraction.text import CountVectorizer
    counter = CountVectorizer(analyzer=tokens, dtype=np.float64)
    terms = sorted({*first, *second})
    counts = counter.fit_transform(terms).tocsr()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log1p((len(terms) - having + 0.5) / (having + 0.5))
    owners = owners_of(np.diff(counts.indptr))
    penalty = _SATURATION * (1 - _LENGTH + _LENGTH * lengths / max(lengths.mean(), 1e-12))
    weighed = counts.copy()
    weighed.data = rarity[counts.indices] * counts.data * (_SATURATION + 1) / (counts.data + penalty[owners])
    asked = counts.copy()
    asked.data = np.ones_like(asked.data)
    numbers = {term: number for number, term in enumerate(terms)}
    left = np.array([numbers[term] for term in first], dtype=np.int64)
    right = np.array([numbers[term] for term in second], dtype=np.int64)
    itself = np.asarray(weighed.sum(axis=1)).ravel()

    def one_way(query: Ints, document: Ints) -> Doubles:
        found = np.asarray(asked[query].multiply(weighed[document]).sum(axis=1)).ravel()
        scaled: Doubles = np.divide(
            found, itself[document], out=np.full(len(found), np.nan), where=itself[document] > 0
        )
        return scaled

    return (one_way(left, right) + one_way(right, left)) / 2


SPELLINGS: Mapping[str, Callable[[Sequence[str], Sequence[str]], Doubles]] = MappingProxyType(
    {"edit": _edit, "char": _char, "bm25": _bm25}
)
"""Baselines by spelling only, by name."""


# Methods by name ---------------------------------------------------------------------------------------------------


def labelled(names: Sequence[str]) -> dict[str, str]:
    """Methods by the last part of their names, or by the whole name if that is not unique."""
    different = list(dict.fromkeys(names))
    short = [name if name in SPELLINGS else Path(name).name for name in different]
    return dict(zip(short if len(set(short)) == len(short) else different, different, strict=True))


def methods_of(
    names: Sequence[str], measure: str, *, every: bool, any_word: bool
) -> dict[str, Callable[[Sequence[str], Sequence[str]], Alike]]:
    """Functions for the similarities of pairs, each by a method of `SPELLINGS` or by an encoder; keys as in `labelled`.

    ``measure`` comes first; empty means the first of `measures_of`. With ``every`` all others follow. ``any_word`` is
    as in `alike_by_encoder`, and an InputError where no method is a file of word vectors.
    """
    opened = {label: None if name in SPELLINGS else open_encoder(name) for label, name in labelled(names).items()}
    if any_word and not any(isinstance(encoder, VectorsEncoder) for encoder in opened.values()):
        raise InputError("`any_word=` is for files of word vectors, and no encoder is one: leave it out")
    return {
        label: _by_spelling(label) if encoder is None else _by_encoder(encoder, measure, every=every, any_word=any_word)
        for label, encoder in opened.items()
    }


def _by_spelling(name: str) -> Callable[[Sequence[str], Sequence[str]], Alike]:
    return lambda first, second: {name: SPELLINGS[name](first, second)}


def _by_encoder(
    encoder: Encoder, measure: str, *, every: bool, any_word: bool
) -> Callable[[Sequence[str], Sequence[str]], Alike]:
    asked = encoder if isinstance(encoder, VectorsEncoder) else Remembered(encoder)
    chosen = measure or measures_of(asked)[0]
    measures = tuple(dict.fromkeys((chosen, *(measures_of(asked) if every else ()))))
    return lambda first, second: alike_by_encoder(asked, first, second, measures, any_word=any_word)
