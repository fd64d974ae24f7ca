"""The static encoder: a name's vector is the sum of its words' vectors, a word's vector comes from hashed pieces.

Numpy only. A word has one row of its own and one per character n-gram (3 to 5, with word boundaries), all in one hashed
table of int8 rows, so unknown and misspelled words get a vector near similar ones. ``learning/encoders/trainable.py``
trains the weights.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Floats, Ints32, Offsets, distinct
from ontonym.artifact import open_artifact, write_artifact
from ontonym.encoder.modelfolder import write_modules
from ontonym.encoder.protocol import Vectors, listed_texts, shown, unit_rows
from ontonym.errors import ArtifactError
from ontonym.manifest import Manifest
from ontonym.ragged import boundaries
from ontonym.store.columns import load_numbers
from ontonym.text import normalization

_CHUNK = 32_768
"""Texts that are encoded together."""
_KEPT = 16_384  # vectors of words: at 1 kB, 16 MB
_FEW_TEXTS = 8  # each is summed by itself: a query, or its readings

LONGEST_NGRAM = 32
"""Letters of the longest n-gram that a static encoder may have."""


@dataclass(frozen=True, slots=True)
class StaticShape:
    """The shape of a static encoder: ``dim`` columns, ``word_rows`` + ``ngram_rows`` hashed rows."""

    dim: int = 256
    word_rows: int = 32_768
    ngram_rows: int = 32_768
    shortest: int = 3
    longest: int = 5

    @property
    def rows(self) -> int:
        """The number of rows of the table."""
        return self.word_rows + self.ngram_rows


def check_shape(shape: StaticShape) -> None:
    """Raises ValueError for a shape that no static encoder has: its numbers bound the work for each word."""
    if not all(type(number) is int for number in astuple(shape)):
        raise ValueError(f"{shape} is not of whole numbers")
    if not (shape.dim > 0 and shape.word_rows > 0 and shape.ngram_rows > 0 and 0 < shape.shortest <= shape.longest):
        raise ValueError(f"{shape} is not a shape")
    if shape.longest > LONGEST_NGRAM:
        raise ValueError(f"n-grams of {shape.longest} letters, where {LONGEST_NGRAM} are the longest")


def pieces(word: str, shape: StaticShape) -> tuple[list[int], float]:
    """The table rows of one normalized word, the word's own first, and the weight of each n-gram row (the word's is 1).

    The weights ``1 / sqrt(number of n-grams)`` keep long words from outweighing short ones.
    """
    rows = [zlib.crc32(word.encode()) % shape.word_rows]
    if word.isdigit():
        return rows, 0.0
    marked = f"<{word}>"
    text = marked.encode() if marked.isascii() else marked  # the letters of ASCII are its bytes
    sizes = range(shape.shortest, shape.longest + 1)
    found = [text[start : start + size] for size in sizes for start in range(len(marked) - size + 1)]
    first, count, crc32 = shape.word_rows, shape.ngram_rows, zlib.crc32
    rows += [first + crc32(piece if isinstance(piece, bytes) else piece.encode(), 1) % count for piece in found]
    return rows, (len(rows) - 1) ** -0.5 if len(rows) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Bags:
    """Texts as bags of table rows: ``rows`` and ``weights`` of all texts, concatenated; ``starts`` is where each
    begins.
    """

    rows: Ints32
    weights: Floats
    starts: Offsets


def bags(texts: Sequence[str], shape: StaticShape) -> Bags:
    """The bag of table rows of each text; ``starts`` has one more entry than there are texts."""
    known: dict[str, tuple[list[int], list[float]]] = {}
    rows: list[int] = []
    weights: list[float] = []
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    for number, text in enumerate(texts):
        for word in normalization.tokens(text):
            found = known.get(word)
            if found is None:
                ids, weight = pieces(word, shape)
                found = known[word] = (ids, [1.0] + [weight] * (len(ids) - 1))
            rows += found[0]
            weights += found[1]
        starts[number + 1] = len(rows)
    return Bags(np.asarray(rows, dtype=np.int32), np.asarray(weights, dtype=np.float32), starts)


class StaticEncoder:
    """An ``Encoder`` whose weights are an int8 table with one scale per row, memory-mapped."""

    def __init__(
        self,
        table: npt.NDArray[np.int8],
        scales: Floats,
        shape: StaticShape,
        fingerprint: str,
    ) -> None:
        if table.shape != (shape.rows, shape.dim) or scales.shape != (shape.rows,):
            raise ArtifactError(f"static encoder: table {table.shape} does not fit {shape}")
        self.shape = shape
        self.table = table
        self.scales = scales
        self._fingerprint = fingerprint
        self._known: dict[str, Vectors] = {}

    def __repr__(self) -> str:
        return shown(self)

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self.shape.dim

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the weights and the shape."""
        return self._fingerprint

    @property
    def is_steady(self) -> bool:
        """True: a text's vector is a sum over its own words only."""
        return True

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros."""
        texts = listed_texts(texts)
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), _CHUNK):
            vectors[start : start + _CHUNK] = unit_rows(self.sums(texts[start : start + _CHUNK]))
        return vectors

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """The same as `encode`, which uses only the normalized words."""
        return self.encode(texts)

    def encode_words(self, vocabulary: Sequence[str], words: AnyInts, lengths: AnyInts) -> Vectors:
        """See `ontonym.encoder.protocol.WordEncoder`."""
        return unit_rows(self._sums(vocabulary, words, lengths))

    def sums(self, texts: Sequence[str]) -> Vectors:
        """The sums of the texts' word vectors, not of unit length, shape ``(len(texts), dim)``."""
        numbers: dict[str, int] = {}
        words = [[numbers.setdefault(word, len(numbers)) for word in normalization.tokens(text)] for text in texts]
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        flat = np.fromiter(chain.from_iterable(words), dtype=np.int64, count=int(lengths.sum()))
        return self._sums(list(numbers), flat, lengths)

    def _sums(self, vocabulary: Sequence[str], words: AnyInts, lengths: AnyInts) -> Vectors:
        table = self._word_vectors(vocabulary)
        vectors, bounds = np.zeros((len(lengths), self.dim), dtype=np.float32), boundaries(lengths)
        if len(lengths) <= _FEW_TEXTS:
            for total, (start, stop) in zip(vectors, pairwise(bounds.tolist()), strict=True):
                np.add.reduce(table[words[start:stop]], axis=0, out=total)
            return vectors
        starts = bounds[:-1]
        # Texts of equal length together: one gather and one sum per length instead of one per text.
        for length in distinct(lengths).tolist():
            (members,) = np.nonzero(lengths == length)
            for column in range(length):
                vectors[members] += table[words[starts[members] + column]]
        return vectors

    def _word_vectors(self, words: Sequence[str]) -> Vectors:
        """The vector of each word: its own entry and those of its pieces, weighted."""
        vectors = np.empty((len(words), self.dim), dtype=np.float32)
        table, scales = np.asarray(self.table), np.asarray(self.scales)  # a memmap is slower to index
        is_kept = len(words) <= _KEPT // 2  # words of queries or new names, which come again, not those of all
        known = self._known
        if len(known) > _KEPT:
            known.clear()
        for number, word in enumerate(words):
            found = known.get(word)
            if found is not None:
                vectors[number] = found
                continue
            listed, weight = pieces(word, self.shape)
            rows = np.array(listed)
            factors = scales[rows]
            factors[1:] *= weight
            np.matmul(factors, table.take(rows, axis=0).astype(np.float32), out=vectors[number])
            if is_kept:
                known[word] = vectors[number].copy()
        return vectors


def quantize(weights: Vectors) -> tuple[npt.NDArray[np.int8], Floats]:
    """An int8 table and one scale per row with ``weights ≈ table * scales[:, None]``."""
    scales = np.maximum(np.abs(weights).max(axis=1), 1e-12).astype(np.float32) / 127
    return np.rint(weights / scales[:, None]).astype(np.int8), scales


def save_static(path: Path, weights: Vectors, shape: StaticShape, content: dict[str, object]) -> StaticEncoder:
    """Writes float weights of shape ``(rows, dim)`` as a static encoder folder and opens it.

    ``content`` is added to the manifest beside the shape: recipe, sources, seed, figures.
    """
    table, scales = quantize(weights)
    with write_artifact(path, "encoder") as writer:
        np.save(writer.folder / "table.npy", table, allow_pickle=False)
        np.save(writer.folder / "scales.npy", scales, allow_pickle=False)
        write_modules(writer.folder)
        writer.content.update({"identity": {"encoder": "static", "shape": asdict(shape)}, **content})
    return open_static(path)


def open_static(path: Path) -> StaticEncoder:
    """Opens a static encoder folder, memory-mapped; raises ArtifactError if it is damaged or of another kind."""
    return open_artifact(path, "encoder", load_static)


def load_static(path: Path, manifest: Manifest) -> StaticEncoder:
    """The static encoder in a folder with this manifest; raises ArtifactError."""
    identity = manifest.content["identity"]
    if identity["encoder"] != "static":
        raise ArtifactError(f"{path}: holds an encoder of kind {identity['encoder']!r}, not 'static'")
    try:
        shape = StaticShape(**identity["shape"])
        check_shape(shape)
        table = load_numbers(path, "table", np.int8, shape.dim, count=shape.rows)
        scales = load_numbers(path, "scales", np.float32, count=shape.rows)
    except (ValueError, TypeError) as error:
        raise ArtifactError(f"{path}: damaged: {error}; train it again with `train()`") from error
    return StaticEncoder(table, scales, shape, manifest.fingerprint)
