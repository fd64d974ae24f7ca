"""A normalization as cells: the columns that a table gets beside its own."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from ontonym.errors import InputError
from ontonym.tasks.answer import Normalization

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


def check_read(column: str | None) -> None:
    """InputError for a column of texts that the answers would replace."""
    if column in ANSWER_COLUMNS:
        raise InputError(f"the column {column!r} is read, and the answers would replace it: give it another name")


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


def text_of(value: Any) -> str | None:
    """A cell as text; None for a missing or empty one."""
    if is_missing(value):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (value.decode(errors="replace") if isinstance(value, bytes) else str(value)).strip() or None
