"""Encoders over word vectors, the baselines of Ngo and Schulz: a text's vector is the mean of its words' (numpy only).

A word is looked up as written, then in lower case, then as `normalization.words` writes it; unknown words are left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from ontonym.arrays import Doubles
from ontonym.artifact import write_artifact
from ontonym.encoder.modelfolder import write_modules
from ontonym.encoder.protocol import Vectors, listed_texts, shown, unit_rows
from ontonym.encoder.wordfiles import WordFile
from ontonym.errors import ArtifactError, UnknownNameError, needing
from ontonym.manifest import Manifest
from ontonym.store.columns import StringColumn, StringWriter
from ontonym.store.lookup import HashLookup
from ontonym.text import normalization
from ontonym.text.strings import Strings, encodable, hash_order

Measure = Literal["cosine", "pearson", "spearman", "kendall"]
Overlap = Literal["fuzzy jaccard", "max jaccard"]
Aggregation = Literal["average", "pairwise"]

MEASURES: tuple[Measure, ...] = ("cosine", "pearson", "spearman", "kendall")
OVERLAPS: tuple[Overlap, ...] = ("fuzzy jaccard", "max jaccard")
AGGREGATIONS: tuple[Aggregation, ...] = ("average", "pairwise")

_TABLE = "vectors.f32"
_WORDS = "word"
_WORD = re.compile(r"\w+(?:[-'’./+]+\w+)*")
_CELLS = 1 << 21
"""The limit on numbers of transformed vectors that are in memory at once."""


class VectorsEncoder:
    """An ``Encoder`` over a table of word vectors, shape ``(words, dim)``; memory-mapped after `import_vectors`."""

    def __init__(self, words: StringColumn, lookup: HashLookup, table: Vectors, fingerprint: str) -> None:
        self._words = words
        self._lookup = lookup
        self._table = np.asarray(table)
        self._fingerprint = fingerprint
        self._rows_of = lru_cache(maxsize=1 << 16)(self._find)

    def __repr__(self) -> str:
        return shown(self)

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return int(self._table.shape[1])

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the words and their vectors."""
        return self._fingerprint

    def __len__(self) -> int:
        """The number of words that have a vector."""
        return len(self._words)

    @property
    def is_steady(self) -> bool:
        """True: a text's vector is a mean over its own words only."""
        return True

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a known word gets a row of zeros."""
        texts = listed_texts(texts)
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for place, text in enumerate(texts):
            if rows := self.rows(text):
                vectors[place] = self._table[rows].mean(axis=0)
        return unit_rows(vectors)

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """The rows of the texts after text normalization."""
        return self.encode([normalization.canonical(text) for text in listed_texts(texts)])

    def rows(self, text: str) -> list[int]:
        """The rows of the text's known words in the table, in the order of the text."""
        return [row for word in _WORD.findall(text) for row in self._rows_of(word)]

    def knows(self, text: str) -> bool:
        """Whether every word of the text has a vector, and there is one."""
        words = _WORD.findall(text)
        return bool(words) and all(map(self._rows_of, words))

    def vectors(self, rows: Sequence[int]) -> Vectors:
        """The vectors of some words as in the file, shape ``(len(rows), dim)``."""
        found: Vectors = self._table[np.asarray(rows, dtype=np.int64)]
        return found

    def _find(self, word: str) -> tuple[int, ...]:
        for written in dict.fromkeys((word, word.lower())):
            row = self._row(written)
            if row is not None:
                return (row,)
        found = (self._row(token) for token in normalization.words(word))
        return tuple(row for row in found if row is not None)

    def _row(self, word: str) -> int | None:
        word = encodable(word)
        for row in self._lookup.candidates(word).tolist():
            if self._words[row] == word:
                return int(row)
        return None


def read_vectors(path: Path | str, *, limit: int = 0) -> VectorsEncoder:
    """The encoder over a file of word vectors, read into memory; with ``limit``, over its first words only.

    Raises FormatError, with the line of a text file, if the file is damaged or of another format.
    """
    file = WordFile(path, limit=limit)
    words: list[str] = []
    tables: list[Vectors] = []
    for some, vectors in file.blocks():
        words += some
        tables.append(vectors)
    column = Strings.of(words)
    hashes = column.hashes()
    order = hash_order(hashes)
    table = np.concatenate(tables)
    digest = hashlib.sha256(b"\n".join(word.encode(errors="replace") for word in words))
    digest.update(table.tobytes())
    lookup = HashLookup(hashes[order], order.astype(np.uint32))
    return VectorsEncoder(StringColumn(column.data.tobytes(), column.offsets), lookup, table, digest.hexdigest())


def import_vectors(path: Path | str, output: Path | str, *, limit: int = 0) -> Manifest:
    """Writes a file of word vectors as an ENCODER folder, which opens at once and is shared by processes.

    Raises FormatError as `read_vectors` does; an existing encoder at ``output`` is then unchanged.
    """
    with write_artifact(output, "encoder") as writer:
        file = WordFile(path, limit=limit)
        texts: list[Strings] = []
        with StringWriter(writer.folder, _WORDS) as column, (writer.folder / _TABLE).open("wb") as stream:
            for words, vectors in file.blocks():
                texts.append(Strings.of(words))
                column.extend(texts[-1])
                stream.write(np.ascontiguousarray(vectors, dtype="<f4").data)
        hashes = np.concatenate([part.hashes() for part in texts])
        HashLookup.build(writer.folder, _WORDS, hashes, np.arange(len(hashes)))
        write_modules(writer.folder)
        counts = file.counts
        writer.content.update(
            {
                "identity": {"encoder": "vectors", "dim": file.shape.dim, "words": counts.kept},
                "imported": {"file": file.source.name, "sha256": file.source.sha256, "limit": limit},
                "statistics": {
                    "read": counts.read, "kept": counts.kept,
                    "repeated": counts.repeated, "unreadable": counts.unreadable,
                },
            }
        )  # fmt: skip
    return writer.manifest


def load_vectors(path: Path, manifest: Manifest) -> VectorsEncoder:
    """The encoder in a folder of `import_vectors`, memory-mapped; raises ArtifactError if it is damaged."""
    identity = manifest.content["identity"]
    try:
        words, lookup = StringColumn.open(path, _WORDS), HashLookup.open(path, _WORDS)
        shape = (int(identity["words"]), int(identity["dim"]))
        if min(shape) < 1 or (path / _TABLE).stat().st_size != 4 * shape[0] * shape[1]:
            raise ValueError(f"{_TABLE} is not of {shape[0]} vectors of {shape[1]} numbers")
        table = np.memmap(path / _TABLE, dtype="<f4", mode="r", shape=shape)
        if len(words) != shape[0]:
            raise ValueError(f"{len(words)} words for {shape[0]} vectors")
    except (ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"{path}: damaged: {error}; import the word vectors again") from error
    return VectorsEncoder(words, lookup, table, manifest.fingerprint)


# Similarity of texts without a vector of the text (Schulz) -----------------------------------------------------------


def word_similarities(
    encoder: VectorsEncoder,
    left: Sequence[str],
    right: Sequence[str],
    *,
    measure: Measure = "cosine",
    aggregation: Aggregation = "pairwise",
) -> Doubles:
    """The similarity in [-1, 1] of each text with its counterpart, shape ``(len(left),)``; higher is closer.

    As in Schulz 4.2: ``average`` compares the mean word vectors, ``pairwise`` is the mean over all pairs of a word of
    each text. NaN if either has no known word. The rank correlations need scipy.
    """
    if measure not in MEASURES:
        raise UnknownNameError("measure", measure, MEASURES)
    if aggregation not in AGGREGATIONS:
        raise UnknownNameError("aggregation", aggregation, AGGREGATIONS)
    found = np.full(len(left), np.nan)
    for place, (one, other) in enumerate(zip(left, right, strict=True)):
        sides = [encoder.vectors(rows) for rows in (encoder.rows(one), encoder.rows(other)) if rows]
        if len(sides) == 2:
            if aggregation == "average":
                sides = [side.mean(axis=0, keepdims=True) for side in sides]
            # Every measure is a cosine of transformed vectors, so a mean over pairs is a product of means.
            first, second = (formed(side, measure).mean(axis=0) for side in sides)
            found[place] = first @ second
    return found


def word_overlaps(encoder: VectorsEncoder, left: Sequence[str], right: Sequence[str], *, measure: Overlap) -> Doubles:
    """The Jaccard similarity in [0, 1] of fuzzy sets of words, shape ``(len(left),)``; higher is closer.

    As in Schulz 4.2, whose text leaves the formulas to the work it cites (Zhelezniak et al. 2019, "Don't settle for
    average, go for the max"). The membership of a text in each element of a universe is the largest dot product of a
    word of it with that element, at least 0; the similarity is the sum of the smaller memberships of both texts over
    that of the larger. ``max jaccard``: the universe is the axes, so that memberships are max-pooled vectors.
    ``fuzzy jaccard``: it is the words of both texts. NaN where either has no known word, or no membership at all.
    """
    if measure not in OVERLAPS:
        raise UnknownNameError("measure", measure, OVERLAPS)
    found = np.full(len(left), np.nan)
    for place, (one, other) in enumerate(zip(left, right, strict=True)):
        sides = [encoder.vectors(rows).astype(np.float64) for rows in (encoder.rows(one), encoder.rows(other)) if rows]
        if len(sides) == 2:
            if measure == "fuzzy jaccard":
                universe = np.concatenate(sides)
                sides = [side @ universe.T for side in sides]
            first, second = (np.maximum(side.max(axis=0), 0) for side in sides)
            union = np.maximum(first, second).sum()
            found[place] = np.minimum(first, second).sum() / union if union > 0 else np.nan
    return found


def correlated(left: Vectors, right: Vectors, measure: Measure) -> Doubles:
    """A measure between corresponding rows, in [-1, 1], shape ``(len(left),)``; 0 if undefined."""
    found = np.zeros(len(left))
    width = left.shape[1] * (left.shape[1] - 1) // 2 if measure == "kendall" else left.shape[1]
    step = max(1, _CELLS // max(width, 1))
    for start in range(0, len(left), step):
        rows = slice(start, start + step)
        found[rows] = np.einsum("ij,ij->i", formed(left[rows], measure), formed(right[rows], measure))
    return found


def formed(vectors: Vectors, measure: Measure) -> Doubles:
    """Transformed vectors whose dot product is the measure: float64, shape ``(len(vectors), n)``.

    ``n`` is the dimension, or for ``kendall`` the number of pairs of dimensions.
    """
    exact = vectors.astype(np.float64)
    if measure in ("spearman", "kendall"):
        exact = _ranks(exact)
    if measure == "kendall":  # tau-b: the cosine of the signs of all differences within a vector
        above = np.triu_indices(exact.shape[1], 1)
        exact = np.sign(exact[:, above[0]] - exact[:, above[1]])
    elif measure != "cosine":
        exact = exact - exact.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(exact, axis=1, keepdims=True)
    scaled: Doubles = np.divide(exact, norms, out=np.zeros_like(exact), where=norms > 0)
    return scaled


def _ranks(vectors: Doubles) -> Doubles:
    with needing("scipy", "eval", "a rank correlation of word vectors"):
        from scipy.stats import rankdata
    ranks: Doubles = rankdata(vectors, axis=1)
    return ranks
