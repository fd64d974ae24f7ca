"""The interfaces of encoders and rerankers: all that index and tasks know about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from ontonym.arrays import AnyInts, Doubles, Floats
from ontonym.errors import WrongTypeError

Vectors: TypeAlias = Floats
"""One row of unit length per text, shape ``(texts, dim)``."""

AliasPair: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The aliases of a query and those of a candidate, the preferred name first."""

Scores: TypeAlias = Doubles
"""One number in (0, 1) for each pair, higher is better, shape ``(pairs,)``."""


_TEXTS = "a list of texts"


class Encoder(Protocol):
    """Turns texts into vectors whose dot product is the cosine similarity in [-1, 1], higher is closer.

    Any object with these members is one.
    """

    @property
    def dim(self) -> int:
        """The length of a vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """A value that changes whenever the encoder could give another vector for some text."""
        ...

    @property
    def is_steady(self) -> bool:
        """Whether a text's vector, except for rounding, does not depend on the texts that are encoded with it."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Rows of unit length, shape ``(len(texts), dim)``; a text without a word gets a row of zeros."""
        ...

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        """As `encode`, but texts of equal `tokens` get equal rows: used for an index's names and for queries."""
        ...


def shown(encoder: Encoder) -> str:
    """An encoder in a line, for people: its kind, the length of its vectors and its fingerprint."""
    return f"<{type(encoder).__name__}: {encoder.dim} dimensions, fingerprint {encoder.fingerprint[:12]}>"


def listed_texts(texts: Sequence[str]) -> list[str]:
    """The texts as a list. Raises WrongTypeError for one text in the place of several, each of whose letters would be
    encoded, for a stream, and for anything among them that is no text: there is no vector for what is missing.
    """
    if isinstance(texts, str | bytes) or not hasattr(texts, "__len__"):
        raise WrongTypeError(texts, _TEXTS)
    listed = texts if isinstance(texts, list) else list(texts)
    for place, text in enumerate(listed):
        if not isinstance(text, str):
            raise WrongTypeError(text, _TEXTS, place)
    return listed


def unit_rows(vectors: Vectors) -> Vectors:
    """Vectors scaled to unit length, same shape; a row of zeros is unchanged."""
    norms = np.sqrt(np.add.reduce(vectors * vectors, axis=1, keepdims=True))  # as `np.linalg.norm`, with fewer calls
    scaled: Vectors = np.divide(vectors, norms, out=np.zeros(vectors.shape, dtype=np.float32), where=norms > 0)
    return scaled


@runtime_checkable
class WordEncoder(Encoder, Protocol):
    """An encoder that reads nothing of a name but its normalized words, and takes them as they are."""

    def encode_words(self, vocabulary: Sequence[str], words: AnyInts, lengths: AnyInts) -> Vectors:
        """The rows that `encode_names` gives for names of these words, shape ``(len(lengths), dim)``.

        ``words`` are those of all names end to end, as places in ``vocabulary``; ``lengths`` is how many each name has.
        """
        ...


class Reranker(Protocol):
    """Reads a query and a candidate together and scores how likely they mean the same."""

    @property
    def fingerprint(self) -> str:
        """A value that changes whenever the reranker could give another score for some pair."""
        ...

    @property
    def weight(self) -> float:
        """The weight of its scores relative to the confidences of search, for `ontonym.encoder.mixing.mixed`."""
        ...

    def score(self, pairs: Sequence[AliasPair]) -> Scores:
        """The probability that each candidate is what its query names; raises InputError if a side has no alias."""
        ...
