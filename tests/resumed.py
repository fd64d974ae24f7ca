"""Builds of an index that count what they encode, and kill their process there: run in processes of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from ontonym.arrays import AnyInts
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.encoder.static import StaticEncoder
from ontonym.index import IndexOptions, build_index, dense
from ontonym.store import Terminology, open_terminology


class Counting:
    """A static encoder that counts names, and kills its process where it would encode more than ``most``."""

    def __init__(self, encoder: Encoder, most: int | None = None) -> None:
        assert isinstance(encoder, StaticEncoder)
        self._encoder, self._most, self.count = encoder, most, 0
        self.dim, self.fingerprint, self.is_steady = encoder.dim, encoder.fingerprint, True

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._encoder.encode(texts)

    def encode_names(self, texts: Sequence[str]) -> Vectors:
        return self._encoder.encode_names(texts)

    def encode_words(self, vocabulary: Sequence[str], words: AnyInts, lengths: AnyInts) -> Vectors:
        self.count += len(lengths)
        if self._most is not None and self.count > self._most:
            os.kill(os.getpid(), signal.SIGKILL)
        return self._encoder.encode_words(vocabulary, words, lengths)


def small_steps(noted: int = 8) -> None:
    dense._CHUNK = dense._WORDED = dense._BLOCK = dense._NOTED = noted


def built(terminology: Terminology, folder: Path, shards: int, most: int | None = None) -> Counting:
    made: list[Counting] = []

    def wrap(encoder: Encoder) -> Encoder:
        made.append(Counting(encoder, most))
        return made[0]

    options = IndexOptions(everyday=False, shards=shards)
    build_index([terminology], folder / "a.index", encoder=folder / "a.encoder", options=options, wrap=wrap)
    return made[0]


def killed(folder: Path, shards: int, most: int) -> None:
    small_steps()
    with open_terminology(folder / "t.terminology") as terminology:
        built(terminology, folder, shards, most)
