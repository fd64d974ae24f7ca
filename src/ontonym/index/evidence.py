"""What the signals say of each candidate concept for one query: a small table of features that fusion weighs.

Any signal may bring a candidate, but then all names of the candidate are looked at with all signals, so no concept is
judged by the accident of which list it came from.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.index.char import CharQuery, CharSignal
from ontonym.index.dense import DenseSignal
from ontonym.index.inverted import Postings
from ontonym.index.lexical import LexicalSignal
from ontonym.index.names import Names
from ontonym.strings import spread
from ontonym.text import tokens

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

FEATURES = (
    "dense",  # cosine of the nearest name
    "dense_support",  # mean cosine of the three nearest names
    "dense_concept",  # cosine to the mean vector of the concept's names (Xu section 3.2, representation C)
    "char",  # char similarity of the nearest name
    "words",  # words shared with the best name, weighted by rarity: harmonic mean of the two shares below
    "query_share",  # share of the query's words, by rarity, that the best name has
    "name_share",  # share of the best name's words, by rarity, that the query has
    "spelled",  # a name is equal to the query after text normalization
    "spelled_preferred",  # and that name is the preferred term
    "number_missing",  # the query has a number that the best name lacks
    "number_extra",  # the best name has a number that the query lacks
    "size",  # ln(1 + names of the concept)
    "inexact",  # the best name is a narrow, broad or related synonym
    "abbreviation",  # the best name is one word of up to five letters
    "short_query",  # the query is one word of up to five letters
    "dense_behind",  # this far below the highest "dense" of the candidates, 0 or less
    "concept_behind",  # likewise for "dense_concept"
    "char_behind",  # likewise for "char"
    "words_behind",  # likewise for "words"
)
"""The columns of the evidence, in order."""

SIGNAL_COLUMNS = {"lexical": FEATURES.index("words"), "char": FEATURES.index("char"), "dense": FEATURES.index("dense")}
"""Each signal's similarity among the features; lexical is rarity-weighted word overlap of what BM25 brought."""

_MOST_NAMES = 64
_RIVALS = ("dense", "dense_concept", "char", "words")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of one query.

    ``concepts`` are concept numbers, shape ``(n,)``, ascending; ``features`` has shape ``(n, len(FEATURES))``; ``best``
    is the name row of each that matched best.
    """

    concepts: Ints
    features: Floats
    best: Ints

    def column(self, name: str) -> Floats:
        """One feature of all candidates."""
        return self.features[:, FEATURES.index(name)]


class Signals:
    """The three signals over one set of names, and the evidence they give together."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        self.names = Names(folder)
        self.encoder = encoder
        postings = Postings.open(folder)
        self.lexical = LexicalSignal(self.names, postings)
        self.char = CharSignal(folder, self.names, postings)
        self.dense = DenseSignal(folder)

    def evidence(
        self,
        text: str,
        *,
        signals: Collection[str] = tuple(SIGNAL_COLUMNS),
        k: int = 50,
        allowed: Mask | None = None,
        hidden: Ints | None = None,
        also: int | None = None,
    ) -> Evidence:
        """The candidates that ``signals`` bring for a text, each signal its ``k`` nearest names.

        ``allowed`` is a bitmap over concepts that the scan keeps to. ``hidden`` are name rows treated as if they were
        not in the index (how fusion learns from the names themselves). ``also`` is a concept judged in any case.
        """
        words = tokens(text)
        vector = self.encoder.encode_names([text])[0]
        by_char = self.char.query(words)
        rows = self._candidates(words, vector, by_char, signals, k, allowed, hidden)
        concepts = np.unique(self.names.concepts[rows]).astype(np.int64)
        if also is not None and self.names.bounds[also] < self.names.bounds[also + 1]:
            concepts = np.union1d(concepts, [also])
        if not len(concepts):
            return Evidence(concepts, np.empty((0, len(FEATURES)), dtype=np.float32), concepts)
        return self._judge(words, vector, by_char, concepts, rows, hidden)

    def _candidates(
        self,
        words: Sequence[str],
        vector: Vectors,
        by_char: CharQuery,
        signals: Collection[str],
        k: int,
        allowed: Mask | None,
        hidden: Ints | None,
    ) -> Ints:
        more = k if hidden is None else k + len(hidden)
        rows = [self.names.spelled(words).astype(np.int64)]
        wanted = None if allowed is None else allowed[self.names.concepts]
        if "dense" in signals:
            rows.append(self.dense.nearest(vector, more, wanted).rows)
        if "char" in signals:
            rows.append(self.char.nearest(by_char, more, wanted).rows)
        if "lexical" in signals:
            rows.append(self.lexical.nearest(words, more, wanted).rows)
        found = np.concatenate(rows)
        if wanted is not None:
            found = found[wanted[found]]
        return found if hidden is None else found[~np.isin(found, hidden)]

    def _judge(
        self,
        words: Sequence[str],
        vector: Vectors,
        by_char: CharQuery,
        concepts: Ints,
        found: Ints,
        hidden: Ints | None,
    ) -> Evidence:
        """The evidence on ``concepts`` from their first ``_MOST_NAMES`` names and all that the signals ``found``."""
        names = self.names
        sizes = names.bounds[concepts + 1] - names.bounds[concepts]
        rows = spread(names.bounds[concepts], np.minimum(sizes, _MOST_NAMES))
        if sizes.max() > _MOST_NAMES:
            rows = np.union1d(rows, found)
        owners = np.searchsorted(concepts, names.concepts[rows])
        counts = np.bincount(owners, minlength=len(concepts))
        if hidden is not None:
            sizes = sizes - (concepts[:, None] == names.concepts[hidden]).sum(axis=1)
            seen = ~np.isin(rows, hidden)
            rows, owners = rows[seen], owners[seen]
            counts = np.bincount(owners, minlength=len(concepts))
        starts = np.cumsum(counts) - counts
        vectors = self.dense.vectors(rows)
        dense = vectors @ vector
        char = self.char.similarities(by_char, rows)
        overlap = self._overlap(words, rows)
        spelled = np.isin(rows, names.spelled(words))
        preferred = names.kinds[rows] == 0
        match = dense + char + overlap.both + 2 * spelled + 0.01 * preferred
        best = np.lexsort((-match, owners))[starts]
        nearest = np.lexsort((-dense, owners))
        thirds = np.minimum(counts[:, None] - 1, np.arange(3)[None]) + starts[:, None]
        means = np.add.reduceat(vectors, starts, axis=0)
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        table = {
            "dense": np.maximum.reduceat(dense, starts),
            "dense_support": dense[nearest][thirds].mean(axis=1),
            "dense_concept": means @ vector,
            "char": np.maximum.reduceat(char, starts),
            "words": np.maximum.reduceat(overlap.both, starts),
            "query_share": overlap.query[best],
            "name_share": overlap.name[best],
            "spelled": np.maximum.reduceat(spelled, starts),
            "spelled_preferred": np.maximum.reduceat(spelled & preferred, starts),
            "number_missing": overlap.number_missing[best],
            "number_extra": overlap.number_extra[best],
            "size": np.log1p(sizes),
            "inexact": names.scopes[rows[best]] > 0,
            "abbreviation": self._is_short(rows[best]),
            "short_query": np.full(len(concepts), len(words) == 1 and len(words[0]) <= 5),
        }
        rivals = [table[name] - table[name].max() for name in _RIVALS]
        features = np.column_stack([*table.values(), *rivals]).astype(np.float32)
        return Evidence(concepts, features, rows[best])

    def _is_short(self, rows: Ints) -> Mask:
        first = self.names.word_bounds[rows]
        single = self.names.word_bounds[rows + 1] - first == 1
        short: Mask = single & self.names.is_short[self.names.words[first]]
        return short

    def _overlap(self, words: Sequence[str], rows: Ints) -> _Overlap:
        """How the words of the query and of the names in ``rows`` overlap, weighted by rarity."""
        names = self.names
        numbers = names.word_ids(words)
        weights = np.asarray([names.unseen_idf if number is None else names.idf[number] for number in numbers])
        known = np.asarray([number for number in numbers if number is not None], dtype=np.int64)
        lengths = names.word_bounds[rows + 1] - names.word_bounds[rows]
        starts = np.cumsum(lengths) - lengths
        theirs = names.words[spread(names.word_bounds[rows], lengths)].astype(np.int64)
        rarity = names.idf[theirs]
        shared = np.isin(theirs, known)
        common = np.add.reduceat(rarity * shared, starts)
        name_total = np.add.reduceat(rarity, starts)
        query_total = max(float(weights.sum()), 1e-6)
        missing = np.zeros(len(rows), dtype=np.bool_)
        for word, number in zip(words, numbers, strict=True):
            if word[:1].isdigit():
                missing |= number is None or np.add.reduceat(theirs == number, starts) == 0
        return _Overlap(
            both=np.minimum(2 * common / (query_total + name_total), 1),
            query=np.minimum(common / query_total, 1),
            name=np.asarray(common / np.maximum(name_total, 1e-6)),
            number_missing=missing,
            number_extra=np.add.reduceat(names.is_number[theirs] & ~shared, starts) > 0,
        )


@dataclass(frozen=True, slots=True)
class _Overlap:
    both: Floats
    query: Floats
    name: Floats
    number_missing: Mask
    number_extra: Mask
