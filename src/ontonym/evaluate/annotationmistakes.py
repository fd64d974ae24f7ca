"""What went wrong where mentions of texts were to be found, one row for each mention."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from ontonym.evaluate.annotation import JudgedDocument, Placed, agree
from ontonym.files.output import tsv_line, write_lines
from ontonym.index import Index

MISTAKE_COLUMNS = ("kind", "document", "start", "end", "text", "gold", "gold name", "found", "found name", "context")
"""``kind`` is *missed*, *not in gold*, or *other concept* where an overlapping mention has another concept."""

_AROUND = 40
"""Characters of context before and after a mention."""


def mistake_rows(documents: Sequence[JudgedDocument], index: Index) -> Iterator[tuple[str, ...]]:
    """The rows of a mistakes file (`MISTAKE_COLUMNS`), by document."""
    for one in documents:
        for gold in one.gold:
            near = [found for found in one.found if found.meets(gold)]
            if not any(agree(found, gold) for found in near):
                yield _row("other concept" if near else "missed", one, gold, gold.ids, ids_of(near), index)
        for found in one.found:
            if not any(found.meets(gold) for gold in one.gold):
                yield _row("not in gold", one, found, frozenset(), found.ids, index)


def ids_of(places: Sequence[Placed]) -> frozenset[str]:
    """The ids of some mentions."""
    return frozenset().union(*(one.ids for one in places))


def _row(
    kind: str, document: JudgedDocument, place: Placed, gold: Collection[str], found: Collection[str], index: Index
) -> tuple[str, ...]:
    around = document.text[max(place.start - _AROUND, 0) : place.end + _AROUND]
    return (
        kind, document.id, str(place.start), str(place.end), document.text[place.start : place.end],
        "|".join(sorted(gold)), names_of(gold, index), "|".join(sorted(found)), names_of(found, index),
        " ".join(around.split()),
    )  # fmt: skip


def names_of(ids: Collection[str], index: Index) -> str:
    """The preferred terms of some ids, without those that the index lacks, with bars between."""
    numbers = map(index.find, sorted(ids))
    return "|".join(index.preferred(number) for number in numbers if number is not None)


def write_mistakes(path: Path | str, documents: Sequence[JudgedDocument], index: Index) -> int:
    """Writes what went wrong as TSV, and says how many rows there are.

    Tabs and line breaks in texts become spaces. Raises InputError if the file cannot be written.
    """
    rows = list(mistake_rows(documents, index))
    write_lines(path, map(tsv_line, [MISTAKE_COLUMNS, *rows]))
    return len(rows)
