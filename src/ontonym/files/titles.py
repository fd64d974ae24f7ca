"""The titles that people put above the header of a table, in any format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

CellsT = TypeVar("CellsT", bound=Sequence[Any])

TITLES = 20
"""How many rows may stand above the header of a table."""

START = 1000
"""Rows at the beginning of a sheet in which its header is looked for, and how wide it is."""


def has_column(cells: Sequence[Any], columns: Collection[str]) -> bool:
    """Whether a row has one of these columns, also in small letters or quotes."""
    names = [str(cell).strip(' "') for cell in cells]
    return any(name in columns or name.lower() in columns for name in names)


def below_titles(records: list[list[str]], is_header: Callable[[list[str]], object]) -> list[list[str]]:
    """The first records of a table from its header on; all of them if none is a header."""
    return records[next((place for place, one in enumerate(records[: TITLES + 1]) if is_header(one)), 0) :]


def rows_below_titles(
    rows: Iterator[tuple[int, CellsT]], columns: Collection[str] = (), *, wanted: bool = False
) -> Iterator[tuple[int, CellsT]]:
    """The numbered rows of a table without its titles: what stands above the first row of several cells, if these are
    texts. Of ``columns``, if any are named, one must be among them, also in small letters: a header may have two rows.
    A first row that is such a name alone is the header of a table of one column, unless that header follows at once.
    ``wanted`` says that the table is of no use without these columns: where no row has one, the first row of several
    texts is taken for the header all the same, so that an error can list its columns.
    """
    start: list[tuple[int, CellsT]] = []
    above: list[CellsT] = []
    for one in islice(rows, TITLES if columns else START):
        start.append(one)
        filled = [cell for cell in one[1] if cell not in ("", None)]
        if len(filled) < 2 or (columns and not has_column(filled, columns)):
            above += [one[1]] if filled else []
            continue
        is_header = bool(columns) or all(isinstance(cell, str) for cell in filled)
        if is_header and not (len(above) > 1 and has_column(above[0], columns)):
            start = [one]
        break
    else:
        if wanted and not any(has_column(one[1], columns) for one in start):
            start = start[next((place for place, one in enumerate(start) if _has_texts(one[1])), 0) :]
    yield from start
    yield from rows


def _has_texts(cells: Sequence[Any]) -> bool:
    filled = [cell for cell in cells if cell not in ("", None)]
    return len(filled) > 1 and all(isinstance(cell, str) for cell in filled)
