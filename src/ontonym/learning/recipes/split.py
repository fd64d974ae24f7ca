"""Splits into train, dev and test: whole concepts, so that nothing leaks, or examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from ontonym.arrays import Bytes, Ints32
from ontonym.errors import InputError
from ontonym.text.strings import Strings, mixed

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")

SplitBy = Literal["concept", "example"]
"""What is split: concepts, each with all that is made of it, so that nothing leaks, or examples, as the papers do."""

OUT = 255
"""The split of a text that no split may use."""


def parse_shares(given: str | Sequence[float]) -> tuple[float, float, float]:
    """``90/5/5``, or three numbers, as shares of train, dev and test that sum to 1; InputError for anything else."""
    try:
        parts = [float(part) for part in (given.split("/") if isinstance(given, str) else given)]
    except (TypeError, ValueError):
        parts = []
    if len(parts) != len(SPLITS) or not all(0 <= part < math.inf for part in parts) or parts[0] == 0:
        raise InputError(
            f"`shares={given}`: give three numbers such as 90/5/5 for train, dev and test, the first above 0"
        )
    train, dev, test = (part / sum(parts) for part in parts)
    return train, dev, test


def split_concepts(ids: Strings, meanings: Ints32, shares: tuple[float, float, float], seed: int) -> Bytes:
    """The split of each concept, shape ``(concepts,)``: a function of its id, so that it is the same in the next
    release.

    Concepts of one meaning are in one split, by the smallest hash among their ids. ``shares`` of train, dev and test
    sum to 1.
    """
    count = len(meanings)
    drawn = mixed(ids.hashes(), np.full(count, seed, dtype=np.int64))
    smallest = np.full(int(meanings.max(initial=-1)) + 1, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(smallest, meanings, drawn)
    # hashed again: the smallest of several is small, and would put nearly all linked concepts into train
    place = mixed(smallest)[meanings].astype(np.float64) / 2.0**64
    splits: Bytes = np.searchsorted(np.cumsum(shares)[:-1], place, side="right").astype(np.uint8)
    return splits


def split_examples(examples: Ints32, shares: tuple[float, float, float], seed: int) -> dict[Split, Ints32]:
    """The examples of each split, drawn at random; the shares of train, dev and test sum to 1.

    None is lost, but names and concepts of dev and test are in training too.
    """
    drawn = np.random.default_rng((seed, len(examples))).permutation(len(examples))
    ends = np.rint(np.cumsum(shares) * len(examples)).astype(np.int64)
    parts = np.split(drawn, ends[:-1])
    return {split: examples[np.sort(part)] for split, part in zip(SPLITS, parts, strict=True)}


def split_texts(of_concepts: Bytes, concepts: Ints32, spellings: Ints32) -> Bytes:
    """The split of each text, shape ``(texts,)``: that of its concept, or `OUT` if a later split has the same spelling.

    A text of a training concept that some dev or test concept has too is `OUT`, and so is one of a dev concept that a
    test concept has: texts for evaluation are never seen in training.
    """
    own = of_concepts[concepts]
    last = np.zeros(int(spellings.max(initial=-1)) + 1, dtype=np.uint8)
    np.maximum.at(last, spellings, own)
    return np.where(last[spellings] == own, own, OUT).astype(np.uint8)
