"""Columns of a file as bytes: numbers, SNOMED CT ids, UUIDs and texts, each a matrix padded with NUL bytes.

The matrices are laid side by side, and deleting the NULs leaves the lines: no Python object is made for a row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .draws import Bytes, Draws, Ints, Key

LONGEST_ITEM = 99_999_999
"""The largest item number of a long-format id (8 digits)."""

_VERHOEFF_D = (
    "0123456789 1234067895 2340178956 3401289567 4012395678 5987604321 6598710432 7659821043 8765932104 9876543210"
)
_VERHOEFF_F = "0123456789 1576283094 5803796142 8916043527 9453126870 4286573901 2793806415 7046913258"
_INVERSE = np.array([0, 4, 3, 2, 1, 5, 6, 7, 8, 9])

_DIHEDRAL = np.array([[int(digit) for digit in row] for row in _VERHOEFF_D.split()])
_PERMUTED = np.array([[int(digit) for digit in row] for row in _VERHOEFF_F.split()])


def _four_digits(*, leading: bool) -> Ints:
    """Verhoeff's products of four digits, at the places 1-4 or 5-8 from the right; ``leading`` zeros do not count."""
    numbers = np.arange(10000)
    tables = []
    for first in (1, 5):
        product = np.zeros(10000, dtype=np.int64)
        for place in range(4):
            further = _DIHEDRAL[product, _PERMUTED[(first + place) % 8, numbers // 10**place % 10]]
            product = np.where(numbers >= 10**place, further, product) if leading else further
        tables.append(product)
    return np.array(tables)


_WITHIN, _LEADING = _four_digits(leading=False), _four_digits(leading=True)
_DECIMALS = np.array([f"{number:04d}".encode() for number in range(10000)]).view(np.uint8).reshape(10000, 4)
_HEX = np.array([f"{number:04x}".encode() for number in range(65536)]).view(np.uint8).reshape(65536, 4)


def check_digits(numbers: Ints) -> Ints:
    """The Verhoeff check digit of each number (SNOMED CT Release File Specification, appendix "Check-digit")."""
    product = np.zeros(numbers.shape, dtype=np.int64)
    rest = numbers
    for chunk in range(5):
        rest, low = np.divmod(rest, 10000)
        product = _DIHEDRAL[product, np.where(rest > 0, _WITHIN[chunk % 2][low], _LEADING[chunk % 2][low])]
    return _INVERSE[product]


def sctids(items: Ints, namespace: int, partition: int) -> Ints:
    """SNOMED CT ids of the long format: item number (from 0), namespace, partition (10, 11 or 12), check digit.

    Where the items of one namespace are used up, the next namespace goes on.
    """
    body = (items % LONGEST_ITEM + 1) * 10**9 + (namespace + items // LONGEST_ITEM) * 100 + partition
    return body * 10 + check_digits(body)


def decimal(numbers: Ints, width: int = 0) -> Bytes:
    """The numbers in decimal digits: ``width`` of them with leading zeros, or as many as are needed where it is 0."""
    most = width or len(str(int(numbers.max(initial=0))))
    chunks = -(-most // 4)
    cells = np.empty((len(numbers), chunks, 4), dtype=np.uint8)
    rest = numbers
    for chunk in range(chunks - 1, -1, -1):
        rest, low = np.divmod(rest, 10000)
        cells[:, chunk] = _DECIMALS[low]
    flat = cells.reshape(len(numbers), chunks * 4)[:, chunks * 4 - most :]
    if not width:
        limits = 10 ** np.arange(most - 1, 0, -1)
        flat[:, :-1][numbers[:, None] < limits[None, :]] = 0
    return flat


def uuids(draws: Draws, purpose: str, *keys: Key) -> Bytes:
    """A UUID (RFC 9562, version 8) for each key."""
    high, low = draws.bits(f"{purpose}.high", *keys), draws.bits(f"{purpose}.low", *keys)
    cells = np.full((len(high), 36), ord("-"), dtype=np.uint8)
    for half, starts in ((high, (0, 4, 9, 14)), (low, (19, 24, 28, 32))):
        for number, start in enumerate(starts):
            cells[:, start : start + 4] = _HEX[(half >> np.uint64(16 * number)) & np.uint64(0xFFFF)]
    cells[:, 14] = ord("8")
    cells[:, 19] = np.frombuffer(b"89ab", dtype=np.uint8)[cells[:, 19] & 3]
    return cells


def table(entries: Sequence[str]) -> Bytes:
    """The entries as rows of one matrix, in UTF-8; choose from it with ``table[numbers]``."""
    packed = np.array([entry.encode() for entry in entries] or [b""])
    return packed.view(np.uint8).reshape(len(packed), -1) if packed.itemsize else np.zeros((len(packed), 1), np.uint8)


def lines(columns: Sequence[Bytes | bytes], *, between: bytes, end: bytes) -> Bytes:
    """The rows with their separators, padded with NUL; a column that is plain ``bytes`` is the same in all rows."""
    count = next(len(column) for column in columns if not isinstance(column, bytes))
    pieces: list[Bytes | bytes] = []
    constant = b""
    for number, column in enumerate(columns):
        separator = end if number == len(columns) - 1 else between
        if isinstance(column, bytes):
            constant += column + separator
            continue
        pieces += [constant, column] if constant else [column]
        constant = separator
    pieces.append(constant)
    cells = np.empty((count, sum(_width(piece) for piece in pieces)), dtype=np.uint8)
    start = 0
    for piece in pieces:
        stop = start + _width(piece)
        cells[:, start:stop] = np.frombuffer(piece, dtype=np.uint8) if isinstance(piece, bytes) else piece
        start = stop
    return cells


def text(cells: Bytes) -> bytes:
    """The rows without their padding."""
    return cells.tobytes().translate(None, b"\0")


def _width(piece: Bytes | bytes) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.shape[1]
