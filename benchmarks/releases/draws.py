"""Random draws that depend on nothing but the seed, a purpose and the number of what they are for.

So every block of a release can be written alone, and a later release repeats all draws of the earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Column = Bytes | bytes
Key = npt.NDArray[Any] | int

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = (np.uint64(shift) for shift in (30, 27, 31, 32))


@dataclass(frozen=True, slots=True)
class Draws:
    """Draws of one seed. ``keys`` are integers or arrays of them that broadcast; equal keys draw equally."""

    seed: int

    def bits(self, purpose: str, *keys: Key) -> Words:
        """64 random bits for each key (splitmix64's finalizer over purpose and keys)."""
        digest = blake2b(f"{self.seed}:{purpose}".encode(), digest_size=8).digest()
        state: Words = np.array(int.from_bytes(digest, "little"), dtype=np.uint64)
        with np.errstate(over="ignore"):
            for key in keys:
                state = _mix(state ^ (np.asarray(key).astype(np.uint64) + np.uint64(1)) * _GOLDEN)
        return state

    def below(self, purpose: str, limit: Key, *keys: Key) -> Ints:
        """Integers in [0, limit); ``limit`` is at most 2**31, and 0 counts as 1."""
        top = self.bits(purpose, *keys) >> _S32
        limits = np.maximum(np.asarray(limit), 1).astype(np.uint64)
        scaled: Words = (top * limits) >> _S32
        return scaled.astype(np.int64)

    def happens(self, share: float, purpose: str, *keys: Key) -> Bools:
        """True for about ``share`` (in [0, 1]) of the keys."""
        return (self.bits(purpose, *keys) >> _S32) < np.uint64(round(share * 2**32))


def _mix(state: Words) -> Words:
    state = (state ^ (state >> _S30)) * _FIRST
    state = (state ^ (state >> _S27)) * _SECOND
    return state ^ (state >> _S31)
