"""A normalization as cells: the columns that a table gets beside its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any

from ontonym.errors import InputError, UnknownNameError, WrongTypeError
from ontonym.tasks.answer import Normalization
from ontonym.text.counting import count, first_few
from ontonym.types import LONGEST_TEXT

ANSWER_COLUMNS = MappingProxyType(
    {
        "ontonym_id": "the concept's id; of a mention of several parts, the ids joined by |; empty where none fits",
        "ontonym_name": "the preferred term of each",
        "ontonym_confidence": "from 0 to 1: how probable it is that the concept is right",
        "ontonym_certainty": "sure, doubtful or none",
        "ontonym_negated": "yes where the text denies the concept (no fever); of several parts, yes or no for each",
        "ontonym_matched": "the name that matched",
        "ontonym_terminology": "the terminology of the concept",
        "ontonym_equivalents": "further ids of the same answer in other terminologies, joined by |",
        "ontonym_nearest": "where no concept fits, the nearest candidate: id and preferred term",
    }
)
"""The columns that answers add to a table, and what each holds."""

NUMBERS = frozenset({"ontonym_confidence"})
"""Those that hold numbers; the others hold text."""

_NAMED = 5  # rows


def check_read(column: str | None) -> None:
    """InputError for a column of texts that the answers would replace."""
    if column in ANSWER_COLUMNS:
        raise InputError(f"the column {column!r} is read, and the answers would replace it: give it another name")


def check_column(column: str, columns: Sequence[str]) -> None:
    """Raises UnknownNameError for a column that is not among those of a table, InputError for one that is there twice
    or that the answers would replace.
    """
    if column not in columns:
        raise UnknownNameError("column", column, columns)
    if columns.count(column) > 1:
        raise InputError(f"{columns.count(column)} columns are called {column!r}: give them different names")
    check_read(column)


def replaced_note(columns: Iterable[str], answers: Iterable[str] = ANSWER_COLUMNS) -> str:
    """What to say of a table that has columns of the names of the ``answers``, which take their place; empty if none.

    They are those of an earlier run, as a rule, and new answers beside old ones would mislead; a person may have
    corrected them, though.
    """
    taken = set(answers)
    old = [name for name in columns if name in taken]
    if not old:
        return ""
    listed = f"{count(len(old), 'column')} of earlier answers ({first_few(old)})"
    return f"{listed} replaced by the new ones: what is to be kept needs other names"


def answer_cells(answer: Normalization | None) -> tuple[str | float | None, ...]:
    """The cells of `ANSWER_COLUMNS`; all None for a row without a mention."""
    if answer is None:
        return (None,) * len(ANSWER_COLUMNS)
    parts = [part for part in answer.parts if part.id is not None] or [answer]
    hits = [hit for part in parts for hit in part.candidates if part.id is not None and hit.id == part.id]
    nearest = next((f"{hit.id} {hit.preferred}" for hit in answer.candidates), "") if not hits else ""
    denied = ["yes" if part.negated else "no" for part in parts]
    return (
        "|".join(hit.id for hit in hits) or None,
        "|".join(hit.preferred for hit in hits) or None,
        round(answer.confidence, 4),
        answer.certainty,
        "|".join(denied) if "yes" in denied else None,
        "|".join(hit.matched for hit in hits) or None,
        "|".join(dict.fromkeys(hit.terminology for hit in hits)) or None,
        "|".join(dict.fromkeys(id for part in parts for id in part.equivalents)) or None,
        nearest or None,
    )


def answer_columns(answers: Iterable[Normalization | None]) -> dict[str, list[Any]]:
    """The columns that answers add to a table; None for a row without a mention."""
    rows = [answer_cells(one) for one in answers]
    return {name: [row[place] for row in rows] for place, name in enumerate(ANSWER_COLUMNS)}


def is_missing(value: Any) -> bool:
    """Whether a cell is missing: None, or in pandas one that is not equal to itself, or ``NA``."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return not hasattr(value, "__len__") and bool(value != value)  # noqa: PLR0124 (an array is compared value by value)


def short_enough(texts: Sequence[str | None], where: str = "") -> list[str | None]:
    """The texts, with None for those that are too long to be looked up; a warning says how many, and where."""
    long = [place for place, text in enumerate(texts) if text is not None and len(text) > LONGEST_TEXT]
    if long:
        rows = first_few(map(str, long), _NAMED)
        what = f"{count(len(long), 'text')} {where} with more than {LONGEST_TEXT:,} characters"
        warnings.warn(f"no answer for {what} (row {rows}, counted from 0): `annotate()` reads notes", stacklevel=4)
    return [None if text is None or len(text) > LONGEST_TEXT else text for text in texts]


def is_several(value: Any) -> bool:
    """Whether a cell holds several values: a list, an array or an object, as nested columns have them."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def text_of(value: Any) -> str | None:
    """A cell as text; None for a missing or empty one. Raises WrongTypeError for a cell of several values."""
    if is_missing(value):
        return None
    if is_several(value):
        raise WrongTypeError(value, "a column of texts, one in each row")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (value.decode(errors="replace") if isinstance(value, bytes) else str(value)).strip() or None
