"""Columns of text: many texts as one array of UTF-8 bytes and the offset of each.

All operations are vectorized: a million names take tens of milliseconds, not seconds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from operator import mul
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Bytes, Hashes, Mask, Offsets
from ontonym.ragged import boundaries, runs

HASH_BLOCK = 1 << 17
"""Bytes hashed at once: few, so that temporary arrays stay in the cache; a longer text is hashed piece by piece."""

_GATHERED = 8192
"""Texts that are copied or compared together, where they have no more than `_GATHERED_BYTES`."""
_GATHERED_BYTES = 1 << 20
_LONG = 256
"""Bytes: texts that are longer on average are copied one by one."""
_BASE = 0x9E3779B97F4A7C15
_MODULUS = 1 << 64
_INVERSE = pow(_BASE, -1, _MODULUS)
_OFFSET = 0x632BE59BD9B4E019
_FACTORS = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
"""Those of the finalizer of MurmurHash3."""


def _mix(value: int) -> int:
    """The finalizer of MurmurHash3: every bit of the value affects every bit of the result."""
    for factor in _FACTORS:
        value = (value ^ (value >> 33)) * factor % _MODULUS
    return value ^ (value >> 33)


_BYTES = [_mix((_OFFSET + byte * _BASE) % _MODULUS) | 1 for byte in range(256)]
_POWERS = [pow(_BASE, place, _MODULUS) for place in range(256)]
_BYTE: Hashes = np.array(_BYTES, dtype=np.uint64)


def encodable(text: str) -> str:
    """The text with a question mark for each lone surrogate, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode(errors="replace").decode()


@dataclass(frozen=True, slots=True)
class Strings:
    """Texts end to end in UTF-8: text i is ``data[offsets[i]:offsets[i + 1]]``; the first offset need not be 0."""

    data: Bytes
    offsets: Offsets

    @classmethod
    def of(cls, texts: Sequence[str]) -> Strings:
        """The texts as columns; a lone surrogate, which UTF-8 cannot carry, becomes a question mark."""
        encoded = [text.encode(errors="replace") for text in texts]
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), boundaries(lengths))

    @classmethod
    def joined(cls, parts: Sequence[Strings]) -> Strings:
        """The texts of all parts, one after another."""
        if not parts:
            return cls.of(())
        lengths = np.concatenate([part.lengths for part in parts])
        return cls(
            np.concatenate([part.data[part.offsets[0] : part.offsets[-1]] for part in parts]), boundaries(lengths)
        )

    @classmethod
    def decimal(cls, numbers: AnyInts, prefix: str = "", width: int = 1) -> Strings:
        """Whole numbers from 0 in decimal, each after ``prefix``, with zeros before it to at least ``width`` digits."""
        values = np.asarray(numbers, dtype=np.int64)
        if not len(values):
            return cls.of(())
        most = max(len(str(int(values.max()))), width)
        digits = np.empty((len(values), most), dtype=np.uint8)
        rest = values.copy()
        for place in range(most - 1, -1, -1):
            rest, digits[:, place] = np.divmod(rest, 10)
        begins = (digits != 0).argmax(axis=1)
        begins[values == 0] = most - 1
        begins = np.minimum(begins, most - width)
        digits += 48
        kept = np.arange(most) >= begins[:, None]
        plain = cls(digits[kept], boundaries(most - begins))
        return plain.prefixed(prefix) if prefix else plain

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> str:
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes().decode(errors="replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    @property
    def lengths(self) -> Offsets:
        """The length of each text in bytes."""
        return np.diff(self.offsets)

    def tolist(self) -> list[str]:
        """The texts as Python strings."""
        first = int(self.offsets[0])
        data = self.data[first : self.offsets[-1]].tobytes()
        return [data[a - first : b - first].decode(errors="replace") for a, b in pairwise(self.offsets.tolist())]

    def take(self, rows: AnyInts) -> Strings:
        """The texts of these rows, in their order."""
        if len(rows) and int(rows[-1]) - int(rows[0]) == len(rows) - 1 and bool((rows[1:] == rows[:-1] + 1).all()):
            return Strings(self.data, self.offsets[int(rows[0]) : int(rows[-1]) + 2])
        starts = self.offsets[:-1][rows]
        return gathered(self.data, starts, self.offsets[1:][rows] - starts)

    def last(self, byte: int) -> Offsets:
        """Where in ``data`` the last such byte of each text is, or -1."""
        first = int(self.offsets[0])
        places = np.flatnonzero(self.data[first : self.offsets[-1]] == byte) + first
        before = np.searchsorted(places, self.offsets[1:]) - 1
        found = np.where(before >= 0, places[np.maximum(before, 0)], -1) if len(places) else np.full(len(self), -1)
        return np.where(found >= self.offsets[:-1], found, -1)

    def beginning_with(self, start: str) -> Offsets:
        """The rows of the texts that begin with ``start``, ascending."""
        sought = np.frombuffer(start.encode(), dtype=np.uint8)
        (rows,) = (self.lengths >= len(sought)).nonzero()
        for place, byte in enumerate(sought):
            rows = rows[self.data.take(self.offsets.take(rows) + place) == byte]
        return rows

    def prefixed(self, prefix: str) -> Strings:
        """Each text after the same prefix."""
        head = np.frombuffer(prefix.encode(), dtype=np.uint8)
        lengths = self.lengths
        bounds = boundaries(lengths + len(head))
        data = np.empty(int(bounds[-1]), dtype=np.uint8)
        body = np.ones(len(data), dtype=np.bool_)
        if len(head) > len(self):
            for start in bounds[:-1].tolist():
                data[start : start + len(head)] = head
                body[start : start + len(head)] = False
        else:
            for place, byte in enumerate(head):
                data[bounds[:-1] + place] = byte
                body[bounds[:-1] + place] = False
        data[body] = self.data[self.offsets[0] : self.offsets[-1]]
        return Strings(data, bounds)

    def equal(self, other: Strings) -> npt.NDArray[np.bool_]:
        """Whether the texts at the same place are the same; as many booleans as texts."""
        lengths = self.lengths
        same: npt.NDArray[np.bool_] = lengths == other.lengths
        (rows,) = np.nonzero(same & (lengths > 0))
        for first in range(0, len(rows), _GATHERED):
            block = rows[first : first + _GATHERED]
            here = gathered(self.data, self.offsets[:-1][block], lengths[block])
            there = gathered(other.data, other.offsets[:-1][block], lengths[block])
            same[block] = np.logical_and.reduceat(here.data == there.data, here.offsets[:-1])
        return same

    def blocks(self, rows: int, size: int) -> Iterator[slice]:
        """The rows in blocks of at most ``rows`` texts and ``size`` bytes; a longer text is a block of its own."""
        start = 0
        while start < len(self):
            stop = int(np.searchsorted(self.offsets, self.offsets[start] + size, side="right")) - 1
            stop = min(max(stop, start + 1), start + rows, len(self))
            yield slice(start, stop)
            start = stop

    def hashes(self) -> Hashes:
        """A 64-bit hash of each text, the same in every process and release; equal to `hash64` of the text."""
        lengths = self.lengths
        hashes = np.zeros(len(self), dtype=np.uint64)
        for block in self.blocks(max(len(self), 1), HASH_BLOCK):
            first, last = int(self.offsets[block.start]), int(self.offsets[block.stop])
            if last - first > HASH_BLOCK:
                hashes[block.start] = _long_sum(self.data[first:last])
                continue
            bounds = self.offsets[block.start : block.stop + 1] - first
            ends = _sums_before(self.data[first:last], bounds)
            _, back = _powers(last - first)
            hashes[block] = (ends[1:] - ends[:-1]) * back[bounds[:-1]]
        return _mixed(hashes, lengths)


@cache
def _pairs() -> Hashes:
    """The polynomial of every two bytes, by the number that they are: the first is the low byte."""
    found: Hashes = (_BYTE[:, None] * np.uint64(_BASE) + _BYTE).ravel()
    return found


def _sums_before(data: Bytes, places: Offsets) -> Hashes:
    """The polynomial of all bytes before each place. Bytes are taken two by two, in half the time."""
    forward, _ = _powers(len(data))
    count = len(data) // 2
    codes = _pairs().take(data[: 2 * count].view("<u2"))
    codes *= forward[: 2 * count : 2]
    sums = np.zeros(count + 1, dtype=np.uint64)
    codes.cumsum(out=sums[1:])
    found: Hashes = sums[places >> 1]
    odd = np.flatnonzero(places & 1)
    last = places[odd] - 1
    found[odd] += _BYTE[data[last]] * forward[last]
    return found


def _long_sum(data: Bytes) -> int:
    """The polynomial of one text of more than a block, a block after the other."""
    forward, _ = _powers(HASH_BLOCK)
    total, power, step = 0, 1, pow(_BASE, HASH_BLOCK, _MODULUS)
    for start in range(0, len(data), HASH_BLOCK):
        codes = _BYTE[data[start : start + HASH_BLOCK]]
        total += int((codes * forward[: len(codes)]).sum()) * power
        power = power * step % _MODULUS
    return total % _MODULUS


@lru_cache(maxsize=1 << 14)  # the words of a query are looked up in every part of an index
def hash64(text: str) -> int:
    """A 64-bit hash of the text that is the same in every process and release: a polynomial over its UTF-8 bytes."""
    data = text.encode(errors="replace")
    # for one text Python integers are ten times faster than arrays, and four times without a loop over its bytes
    value = sum(map(mul, map(_BYTES.__getitem__, data), _POWERS))
    if len(data) > len(_POWERS):
        power = _POWERS[-1]
        for byte in data[len(_POWERS) :]:
            power = power * _BASE % _MODULUS
            value += _BYTES[byte] * power
    return _mix((value * _BASE + len(data) + _OFFSET) % _MODULUS)


def gathered(data: Bytes, starts: Offsets, lengths: Offsets) -> Strings:
    """The texts that begin at ``starts`` in ``data``, end to end; those that follow each other there are copied as one.

    Copied in blocks, which stay in the cache; long texts one by one, since a place costs eight bytes for every byte.
    """
    bounds = boundaries(lengths)
    gathered = np.empty(int(bounds[-1]), dtype=np.uint8)
    begins, sizes = runs(starts, lengths)
    edges = boundaries(sizes)
    for first in range(0, len(begins), _GATHERED):
        ends = edges[first : first + _GATHERED + 1]
        if ends[-1] - ends[0] > min(_GATHERED_BYTES, _LONG * (len(ends) - 1)):
            spans = pairwise(ends.tolist())
            for start, (begin, end) in zip(begins[first : first + _GATHERED].tolist(), spans, strict=True):
                gathered[begin:end] = data[start : start + end - begin]
            continue
        places = np.arange(ends[-1] - ends[0])
        places += np.repeat(begins[first : first + _GATHERED] - (ends[:-1] - ends[0]), np.diff(ends))
        gathered[ends[0] : ends[-1]] = data[places]
    return Strings(gathered, bounds)


def concatenated(*columns: Strings) -> Strings:
    """The texts at the same place of all columns, one after another."""
    count = len(columns[0])
    order = np.arange(count)[:, None] + count * np.arange(len(columns))
    laid = Strings.joined(columns).take(order.ravel())
    return Strings(laid.data, laid.offsets[:: len(columns)])


def hash_order(hashes: Hashes) -> Offsets:
    """The order that sorts hashes, stable for equal ones; several times as fast as a stable ``argsort``."""
    bits = max(len(hashes) - 1, 1).bit_length()
    low = np.uint64((1 << bits) - 1)
    keys = (hashes & ~low) | np.arange(len(hashes), dtype=np.uint64)  # the low bits seldom matter
    keys.sort()
    order = (keys & low).astype(np.int64)
    ordered = hashes[order]
    return np.argsort(hashes, kind="stable") if (ordered[1:] < ordered[:-1]).any() else order


def mixed64(*numbers: int) -> int:
    """The `mixed` hash of a single row: Python integers are ten times faster for it than arrays."""
    value = 0
    for number in numbers:
        value = _mix((value * _BASE + number + _OFFSET) % _MODULUS)
    return value


def mixed(*columns: AnyInts) -> Hashes:
    """One 64-bit hash of the numbers at the same place of every column."""
    hashes = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        hashes = _mixed(hashes, column)
    return hashes


def _mixed(hashes: Hashes, numbers: AnyInts) -> Hashes:
    """`_mix` of every hash with the number at its place."""
    value = hashes * np.uint64(_BASE) + numbers.astype(np.uint64) + np.uint64(_OFFSET)
    for factor in _FACTORS:
        value = (value ^ (value >> np.uint64(33))) * np.uint64(factor)
    return value ^ (value >> np.uint64(33))


_known_powers: tuple[Hashes, Hashes] = (np.ones(1, dtype=np.uint64), np.ones(1, dtype=np.uint64))


def _powers(size: int) -> tuple[Hashes, Hashes]:
    """The powers 0 to ``size`` of the polynomial's base and of its inverse, modulo 2 to the 64."""
    global _known_powers  # noqa: PLW0603 - the same for every text, and slow to compute
    if len(_known_powers[0]) <= size:
        length = max(size + 1, 1 << 8)
        length = 1 << (length - 1).bit_length()
        _known_powers = (_geometric(_BASE, length), _geometric(_INVERSE, length))
    return _known_powers


def _geometric(base: int, length: int) -> Hashes:
    powers = np.ones(length, dtype=np.uint64)
    done = 1
    while done < length:  # the second half is the first times one power
        more = min(done, length - done)
        powers[done : done + more] = powers[:more] * np.uint64(pow(base, done, _MODULUS))
        done += more
    return powers


class Coded(NamedTuple):
    """A column of small numbers and the names they stand for: the name of row i is ``names[codes[i]]``."""

    codes: npt.NDArray[Any]
    names: Sequence[str]

    @classmethod
    def of(cls, values: Iterable[str]) -> Coded:
        """The names as numbers, in the order in which they first come."""
        table: dict[str, int] = {}
        codes = [table.setdefault(value, len(table)) for value in values]
        return cls(np.array(codes, dtype=np.uint32), tuple(table))

    def among(self, names: Container[str]) -> Mask:
        """A bitmap of the rows whose name is one of ``names``."""
        found: Mask = np.isin(self.codes, [code for code, name in enumerate(self.names) if name in names])
        return found

    def strings(self) -> Strings:
        """The name of every row."""
        return Strings.of(self.names).take(self.codes)

    @classmethod
    def same(cls, name: str, count: int) -> Coded:
        """One name ``count`` times."""
        return cls(np.zeros(count, dtype=np.uint8), (name,))
