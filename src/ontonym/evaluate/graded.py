"""Readers of graded similarity sets: pairs of terms with a score given by people."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ontonym.arrays import Doubles
from ontonym.benchmark.sets import both_among
from ontonym.errors import FormatError
from ontonym.evaluate.texts import file_text
from ontonym.files.csvtext import csv_rows

_TERMS = (
    ("term1", "term2"), ("term_1", "term_2"), ("snomed_label_1", "snomed_label_2"), ("label1", "label2"),
    ("label_1", "label_2"), ("word1", "word2"), ("first", "second"),
)  # fmt: skip
"""Headers of the two terms: UMNSRS, MayoSRS and MiniMayoSRS; EHR-RelB; and others."""

_SCORES = (
    ("mean",), ("mean_rating",), ("physicians", "coders"), ("human",), ("score",), ("similarity",), ("rating",),
)  # fmt: skip
"""Headers of scores, which are averaged: MiniMayoSRS has those of physicians and of coders (Schulz, "MM-av")."""

_DELIMITERS = ("\t", ";", "|", ",", "<>")
_UNDERSCORES = re.compile(r"(?<=\w)_+(?=\w)")


@dataclass(frozen=True, slots=True, eq=False)
class GradedSet:
    """Pairs of terms with people's ``scores`` of their similarity, shape ``(pairs,)``; higher is closer."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: Doubles

    def __len__(self) -> int:
        return len(self.first)

    def restricted(self, names: Collection[str]) -> GradedSet:
        """The pairs with both terms among ``names``, compared after `ontonym.text.normalization.normalize`."""
        rows = both_among(self.first, self.second, names)
        first, second = (tuple(side[row] for row in rows) for side in (self.first, self.second))
        return GradedSet(self.name, first, second, self.scores[rows])


def read_graded(path: Path | str) -> GradedSet:
    """The pairs of a file: UMNSRS, MayoSRS, MiniMayoSRS, Hliaoutakis, Bio-SimLex, Bio-SimVerb and EHR-RelB layouts.

    The layout is detected from the content. With a header, the columns of terms and scores are found by name; without
    one, a row has two terms and one number, in any order. Columns are separated by tabs, commas, semicolons, bars or
    ``<>``; underscores that join words in terms become spaces.

    Raises FormatError, with the line, for a row without two terms and a score; InputError for an unreadable file.
    """
    path = Path(path)
    rows = _rows(path, file_text(path))
    if not rows:
        raise FormatError(path, "no pair of terms", hint="A row has two terms and a score")
    columns = _header(rows[0][1])
    body = rows if columns is None else rows[1:]
    pairs = [_pair(path, number, row, columns) for number, row in body]
    if not pairs:
        raise FormatError(path, "no pair of terms below its header")
    first, second, scores = zip(*pairs, strict=True)
    return GradedSet(path.stem, first, second, np.array(scores, dtype=np.float64))


def _rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """The non-empty rows with line numbers, split at the delimiter that occurs most in the first one."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=head.count)
    if delimiter == "<>":
        text, delimiter = text.replace("<>", "\t"), "\t"
    rows = [(number, [cell.strip() for cell in row]) for number, row in csv_rows(path, text, delimiter)]
    return [(number, row) for number, row in rows if any(row)]


@dataclass(frozen=True, slots=True)
class _Columns:
    terms: tuple[int, int]
    scores: tuple[int, ...]


def _header(row: Sequence[str]) -> _Columns | None:
    """The columns of terms and scores by a header; None if the row is not a header."""
    names = [re.sub(r"\s+", "", cell).casefold() for cell in row]
    for one, other in _TERMS:
        if one in names and other in names:
            for scores in _SCORES:
                found = tuple(names.index(name) for name in scores if name in names)
                if found:
                    return _Columns((names.index(one), names.index(other)), found)
    return None


def _pair(path: Path, number: int, row: Sequence[str], columns: _Columns | None) -> tuple[str, str, float]:
    """The terms of a row, and the mean of its scores."""
    try:
        if columns is None:
            scores = [cell for cell in row if _number(cell) is not None]
            terms = [cell for cell in row if cell and _number(cell) is None]
        else:
            scores, terms = [row[place] for place in columns.scores], [row[place] for place in columns.terms]
        values = [value for cell in scores if (value := _number(cell)) is not None]
        if (
            len(terms) != 2
            or not all(terms)
            or len(values) != max(len(scores), 1)
            or (columns is None and len(values) > 1)
        ):
            raise ValueError
    except (IndexError, ValueError):
        raise FormatError(
            path, f"expected two terms and a score, and found {' | '.join(row)}", line=number,
            hint="Fix the row, or name the columns term1, term2 and score in a header",
        ) from None  # fmt: skip
    return _UNDERSCORES.sub(" ", terms[0]), _UNDERSCORES.sub(" ", terms[1]), sum(values) / len(values)


def _number(cell: str) -> float | None:
    """The number of a cell, whose decimal mark may be a comma, as spreadsheets write it in many countries."""
    try:
        value = float(re.sub(r"(?<=\d),(?=\d+$)", ".", cell))
    except ValueError:
        return None
    return value if np.isfinite(value) else None
