"""Files that Usagi opens: a row for each target of a code, with who decided on it and when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import BinaryIO

from ontonym.ontology.omop.words import NO_CONCEPT, PREFIX
from ontonym.store.export.fhirproperties import code_of
from ontonym.store.export.formats import csv_rows
from ontonym.store.export.mappingfacts import MappingExport, MappingFacts
from ontonym.store.export.sourcemap import OmopTargets
from ontonym.store.mappings.rows import FREQUENCY, Row, denied, is_by_person, left_open
from ontonym.store.mappings.usagi import (
    ADDED,
    APPROVED,
    COLUMNS,
    MAPS_TO,
    MATCH_SCORE,
    UNCHECKED,
    UNREVIEWED,
    equivalence,
    kept_cells,
    milliseconds_of,
)

_UNDECIDED: Mapping[str, object] = MappingProxyType(
    {
        "matchScore": 0, "mappingStatus": UNCHECKED, "equivalence": UNREVIEWED, "statusSetOn": 0,
        "conceptId": NO_CONCEPT, "mappingType": MAPS_TO, "createdOn": 0,
    }
)  # fmt: skip
"""The cells of a code on which nobody has decided: Usagi reads none of them empty."""
_NUMBER = re.compile(r"\d{1,15}(?:\.\d+)?")

UNKNOWN_FREQUENCY = -1
"""What Usagi writes for a code whose frequency nobody gave; the cell must be a whole number."""
_AFTER = "sourceAutoAssignedConceptIds"
"""The column that those of the user come after."""


def write_usagi(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO) -> MappingExport:
    """Writes mappings to OMOP's concepts; every code has a row, be it to concept 0, which is none.

    Usagi takes the status of a code from its first row, and rows that stand together for one code: so of a code on
    which somebody decided, what is still open is left out. Raises InputError if target codes cannot become concept ids.
    """
    left_out: Counter[str] = Counter()
    targets = OmopTargets(facts, rows)
    kept = [kept_cells(row) for row in rows]
    added = list(dict.fromkeys(name for cells in kept for name in cells if name.startswith(ADDED)))
    at = COLUMNS.index(_AFTER) + 1
    columns = [*COLUMNS[:at], *added, *COLUMNS[at:]]
    written = 0
    with csv_rows(out, "\r\n") as write:
        write(columns)
        for some in _by_code(rows, left_out):
            found = [(row, targets.of(row, left_out)) for row in some if not denied(row)]
            written += sum(bool(concepts) for _, concepts in found)
            made = [_target(row, one, targets) for row, concepts in found for one in concepts]
            for cells in made or [{**_UNDECIDED, **_named(some[0])}]:
                write([cells.get(column, "") for column in columns])
    return MappingExport(written, left_out)


def _target(row: Row, concept: int, targets: OmopTargets) -> dict[str, object]:
    """The cells of a code with one of its targets."""
    decided, nothing = _is_decided(row), concept == NO_CONCEPT
    label = row.get("object_label", "") if row["object_id"] == f"{PREFIX}{concept}" else targets.preferred(concept)
    author, moment = row.get("author_label") or row.get("author_id", ""), milliseconds_of(row.get("mapping_date", ""))
    return {
        **_UNDECIDED,
        "matchScore": row.get("similarity_score" if row.get("similarity_measure") == MATCH_SCORE else "confidence", 0),
        "mappingStatus": APPROVED if decided else UNCHECKED,
        "equivalence": equivalence(row["predicate_id"], decided=decided, nothing=nothing),
        "statusSetBy": author if decided else "",
        "statusSetOn": moment if decided else 0,
        "conceptId": concept,
        "conceptName": "" if nothing else label,
        "comment": row.get("comment", ""),
        **({} if nothing else {"createdBy": author, "createdOn": moment}),
        **kept_cells(row),
        **_named(row),
    }


def _named(row: Row) -> dict[str, object]:
    """The cells of a code itself."""
    often = row.get(FREQUENCY, "")
    return {
        "sourceCode": code_of(row["subject_id"]),
        "sourceName": row.get("subject_label", ""),
        "sourceFrequency": round(float(often)) if _NUMBER.fullmatch(often) else UNKNOWN_FREQUENCY,
    }


def _by_code(rows: Sequence[Row], left_out: Counter[str]) -> Iterator[list[Row]]:
    """The rows of each code that are written: what holds and is decided, or else what is open, or else what is denied,
    for the code alone.
    """
    codes: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("subject_id"):
            codes.setdefault(row["subject_id"], []).append(row)
        else:
            left_out["sources without a code"] += 1
    for some in codes.values():
        holding = [row for row in some if not denied(row)]
        left_out["mappings that are denied"] += len(some) - len(holding)
        decided = [row for row in holding if _is_decided(row)]
        if decided:
            left_out["what is open of codes on which somebody decided"] += len(holding) - len(decided)
        yield decided or holding or some[:1]


def _is_decided(row: Row) -> bool:
    return is_by_person(row) and not left_open(row)
