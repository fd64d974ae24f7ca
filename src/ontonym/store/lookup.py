"""Finding rows by text: sorted 64-bit hashes, searched by halving on the mapped file, every find checked on the text.

Two lookups share the form: ids (own and alternative) to concept rows, and folded names to term rows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Hashes, Ints, Rows32
from ontonym.ragged import spread
from ontonym.store.columns import CHUNK, ListColumn, StringColumn, load_numbers, save_numbers
from ontonym.text.strings import Strings, gathered, hash64, hash_order

_MANY = 1 << 10

AN_ID = 'the id of a concept as text, such as "HP:0001250"'


class HashLookup:
    """Rows by hash: two arrays of equal length, hashes ascending, rows of equal hashes in the order they were given."""

    __slots__ = ("_hashes", "_rows", "_view")

    def __init__(self, hashes: Hashes, rows: Rows32) -> None:
        self._hashes = hashes
        self._view = hashes.data  # one hash is found in a third of the time
        self._rows = rows

    @classmethod
    def build(cls, folder: Path, name: str, hashes: Hashes, rows: AnyInts) -> HashLookup:
        """Sorts, saves as ``name_hash.npy`` and ``name_row.npy``, and opens."""
        order = hash_order(hashes)
        save_numbers(folder, f"{name}_hash", hashes[order])
        save_numbers(folder, f"{name}_row", rows[order].astype(np.uint32))
        return cls.open(folder, name)

    @classmethod
    def open(cls, folder: Path, name: str, count: int | None = None) -> HashLookup:
        """The lookup that `build` saved under this name, of ``count`` rows (None: any number)."""
        hashes = load_numbers(folder, f"{name}_hash", np.uint64, count=count)
        return cls(hashes, load_numbers(folder, f"{name}_row", np.uint32, count=len(hashes)))

    def candidates(self, text: str) -> Rows32:
        """The rows with this text's hash; nearly always those of the text itself, which the caller checks."""
        return self.rows_of(np.uint64(hash64(text)))

    def rows_of(self, wanted: np.uint64) -> Rows32:
        """The rows with this hash."""
        hashes, sought = self._view, int(wanted)
        start = stop = bisect_left(hashes, sought)
        while stop < len(hashes) and hashes[stop] == sought:
            stop += 1
        return self._rows[start:stop]

    def by_row(self) -> Hashes:
        """The hash of each row, where rows are numbered from 0 without gaps."""
        hashes = np.empty(len(self._rows), dtype=np.uint64)
        hashes[self._rows] = self._hashes
        return hashes

    def each(self, hashes: Hashes) -> tuple[Rows32, Ints]:
        """The rows with each hash, end to end, and how many each has."""
        starts = self._places(hashes)
        counts = self._places(hashes, "right") - starts
        return self._rows[spread(starts, counts)], counts

    def first(self, hashes: Hashes) -> Ints:
        """For each hash the first row with it, or -1."""
        if len(self._hashes) == 0:
            return np.full(len(hashes), -1, dtype=np.int64)
        place = np.minimum(self._places(hashes), len(self._hashes) - 1)
        return np.where(self._hashes[place] == hashes, self._rows[place].astype(np.int64), -1)

    def _places(self, hashes: Hashes, side: Literal["left", "right"] = "left") -> Ints:
        """Where these hashes are, or would be; many are looked up in their order, in a tenth of the time."""
        if len(hashes) < _MANY:
            return self._hashes.searchsorted(hashes, side)
        order = hashes.argsort()
        places = np.empty(len(hashes), dtype=np.int64)
        places[order] = self._hashes.searchsorted(hashes[order], side)
        return places


class IdLookup:
    """Concept rows by id: a concept's own id goes before another's alternative id, then the lower row."""

    __slots__ = ("_alternatives", "_ids", "_lookup")

    def __init__(self, lookup: HashLookup, ids: StringColumn, alternatives: ListColumn) -> None:
        self._lookup = lookup
        self._ids = ids
        self._alternatives = alternatives

    def find(self, concept_id: str) -> int | None:
        """The row of this id, or None."""
        rows = self._lookup.candidates(concept_id).tolist()
        for row in rows:
            if self._ids[row] == concept_id:
                return int(row)
        return min((row for row in rows if concept_id in self._alternatives[row]), default=None)

    def holders(self, concept_id: str) -> list[int]:
        """The rows that have this as an alternative id, ascending."""
        rows = sorted(set(self._lookup.candidates(concept_id).tolist()))
        return [row for row in rows if concept_id in self._alternatives[row]]

    def find_all(self, ids: Strings) -> Ints:
        """The row of each id, or -1: all at once for own ids, one by one for alternative ids."""
        found = np.full(len(ids), -1, dtype=np.int64)
        for start in range(0, len(ids), CHUNK):
            texts = Strings(ids.data, ids.offsets[start : start + CHUNK + 1])
            rows = self._lookup.first(texts.hashes())
            hits = np.flatnonzero(rows >= 0)
            same = self._ids.strings().take(rows[hits]).equal(texts.take(hits))
            for place in hits[~same].tolist():  # an alternative id, or another text with the same hash
                better = self.find(texts[place])
                rows[place] = -1 if better is None else better
            found[start : start + len(texts)] = rows
        return found


def distinct_prefixes(ids: Strings) -> tuple[list[str], Ints]:
    """The different prefixes of ids, up to their last colon and empty without one, and how many ids have each."""
    starts = ids.offsets[:-1]
    prefixes = gathered(ids.data, starts, np.maximum(ids.last(ord(":")) - starts, 0))
    _, first, times = np.unique(prefixes.hashes(), return_index=True, return_counts=True)
    return prefixes.take(first).tolist(), times


_PREFIXED = re.compile(r"^([A-Za-z]+)[_ -]")
_BARE_CODE = re.compile(r"(?=.*\d)[^\W_][\w./\-]{2,31}")
_LONGEST_CODE = 60
_UNDOTTED = re.compile(r"[A-Za-z]\d[0-9A-Za-z]{2,5}")  # ICD


def near_ids(concept_id: str, prefixes: Iterable[str]) -> Iterator[str]:
    """Ids that a person may have meant: another writing of the prefix, one digit off, two digits swapped.

    Nearest first, each once; no look at the terminology, so that it costs the same for any size. Of what is longer than
    any code, as where a text was given, only other writings: every letter off would take seconds.
    """
    seen = {concept_id}
    for variant in _variants(concept_id.strip(), tuple(prefixes)):
        if variant not in seen:
            seen.add(variant)
            yield variant


def _variants(concept_id: str, prefixes: tuple[str, ...]) -> Iterator[str]:
    prefix, local = _parted(concept_id)
    likely = [p for p in prefixes if p.casefold() == prefix.casefold()] or list(prefixes)
    yield from _writings(concept_id, local, likely, zeros=True)
    for name in likely[:3] if len(local) <= _LONGEST_CODE else ():
        start = f"{name}:" if name else ""
        yield from (start + edited for edited in _one_off(local))


def same_ids(code: str, prefixes: Iterable[str]) -> Iterator[str]:
    """The ids that a code may be, as it is written or otherwise: other capitals, without its prefix, without its dot.

    ``E11.9``, ``E119`` and ``icd10cm:e11.9`` may all be ``ICD10CM:E11.9``. A code with a prefix that is none of
    ``prefixes`` is taken as it is. Without a prefix it needs a digit, and five of them where it has nothing else, so
    that words and plain numbers are no codes.
    """
    code = code.strip()
    prefix, local = _parted(code)
    likely = [name for name in prefixes if name.casefold() == prefix.casefold()] if prefix else list(prefixes)
    is_bare_code = bool(_BARE_CODE.fullmatch(local)) and (not local.isdigit() or len(local) >= 5)
    if prefix or is_bare_code:
        yield from dict.fromkeys(_writings(code, local, likely, zeros=bool(prefix)))


def _parted(code: str) -> tuple[str, str]:
    prefix, _, local = _PREFIXED.sub(r"\1:", code).rpartition(":")
    return prefix, local


def _writings(code: str, local: str, prefixes: Iterable[str], *, zeros: bool) -> Iterator[str]:
    yield code
    yield code.upper()
    for name in prefixes:
        start = f"{name}:" if name else ""
        yield from (start + local, start + local.upper())
        if _UNDOTTED.fullmatch(local):
            yield start + f"{local[:3]}.{local[3:]}".upper()
        if zeros and local.isdigit():
            yield from (start + local.zfill(width) for width in range(len(local) + 1, 11))


def _one_off(local: str) -> Iterator[str]:
    for i in range(len(local) - 1):
        yield local[:i] + local[i + 1] + local[i] + local[i + 2 :]
    for i in range(len(local)):
        yield local[:i] + local[i + 1 :]
        yield from (local[:i] + digit + local[i + 1 :] for digit in "0123456789")
    for i in range(len(local) + 1):
        yield from (local[:i] + digit + local[i:] for digit in "0123456789")


def same_texts(column: StringColumn, hashes: Hashes) -> Ints:
    """For each row the first row with the same text (itself where the text is new)."""
    first: npt.NDArray[Any] = np.arange(len(column), dtype=np.int64)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    repeats = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
    seen: dict[str, int] = {}
    for place in repeats.tolist():
        if place < 2 or ordered[place - 1] != ordered[place - 2]:  # a new run of equal hashes
            row = int(order[place - 1])
            seen = {column[row]: row}
        row = int(order[place])
        first[row] = seen.setdefault(column[row], row)
    return first
