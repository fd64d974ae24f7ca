"""Files that Usagi saves (https://github.com/OHDSI/Usagi, ReadCodeMappingsFromFile and WriteCodeMappingsToFile): the
words of the format, and its rows as mappings.

A code has a row for each of its targets, the concepts of OMOP. What a mapping has no column for is kept in ``other``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ontonym.files.source import Source
from ontonym.ontology.omop.words import NO_CONCEPT, PREFIX
from ontonym.ontology.release import ReleaseLog
from ontonym.store.mappings.rows import EXACT, FREQUENCY, JUSTIFICATIONS, NO_TERM, OPEN_STATUS, Row
from ontonym.store.mappings.sssom import header_of, table_records
from ontonym.text.numbers import whole_number

COLUMNS = (
    "sourceCode", "sourceName", "sourceFrequency", "sourceAutoAssignedConceptIds", "matchScore", "mappingStatus",
    "equivalence", "statusSetBy", "statusSetOn", "conceptId", "conceptName", "domainId", "mappingType", "comment",
    "createdBy", "createdOn", "assignedReviewer",
)  # fmt: skip
"""The columns in order; those of the user (`ADDED`) come after the ids that were assigned automatically."""

ADDED = "ADD_INFO:"
"""What the names of a user's own columns begin with."""

APPROVED, IGNORED, UNCHECKED = "APPROVED", "IGNORED", "UNCHECKED"
STATUSES = (APPROVED, UNCHECKED, "AUTO_MAPPED", "AUTO_MAPPED_TO_1", "INVALID_TARGET", "FLAGGED", IGNORED)
"""What a code's status can be. A person has decided on those that are approved, or ignored, which older files have."""

UNREVIEWED, UNMATCHED = "UNREVIEWED", "UNMATCHED"
PREDICATES: Mapping[str, str] = MappingProxyType(
    {
        "EQUAL": EXACT,
        "EQUIVALENT": "skos:closeMatch",
        "WIDER": "skos:broadMatch",
        "NARROWER": "skos:narrowMatch",
        "INEXACT": "skos:relatedMatch",
        UNREVIEWED: "skos:closeMatch",
        UNMATCHED: EXACT,
    }
)
"""What the target is to the code, as a predicate (Usagi's Equivalence). Where nobody said it, and in files of before
Usagi 1.4, it may be equal or broader, as everywhere in OMOP."""

_EQUIVALENCES = {predicate: word for word, predicate in PREDICATES.items() if word not in (UNREVIEWED, UNMATCHED)} | {
    "owl:equivalentClass": "EQUAL"
}

MAPS_TO = "MAPS_TO"
MATCH_SCORE = "matchScore of Usagi"
"""The ``similarity_measure`` of Usagi's own scores."""

_KEPT = ("statusSetOn", "domainId", "createdOn", "assignedReviewer", "sourceAutoAssignedConceptIds")
"""Columns that go to ``other`` wherever they say something."""
_NOTHING = frozenset(("", "0"))
_EXTRA = re.compile(rf"(?:^|; )(?=(?:{'|'.join(COLUMNS)}|{ADDED}[^=]*)=)")


def is_usagi(head: str) -> bool:
    """Whether the beginning of a file is one that Usagi saved."""
    return {"sourceCode", "mappingStatus", "conceptId"} <= header_of(head)


def read_usagi(source: Source, log: ReleaseLog) -> Iterator[Row]:
    """The mappings of a file that Usagi saved: what is approved as decided by a person, all else as still open."""
    for line, cells in table_records(source, log):
        problem = _problem(cells)
        if problem:
            log.malformed(source, line, problem, ",".join(cells.values()))
            continue
        log.counts.keep()
        yield {column: value for column, value in _row(cells).items() if value}


def _problem(cells: Mapping[str, str]) -> str:
    """What is wrong with a row; empty for nothing."""
    status, said = cells.get("mappingStatus", UNCHECKED), cells.get("equivalence", UNREVIEWED)
    if "sourceCode" not in cells and "sourceName" not in cells:
        return "no sourceCode"
    if status not in STATUSES:
        return f"unknown mappingStatus {status!r} (known: {', '.join(STATUSES)})"
    if said not in PREDICATES:
        return f"unknown equivalence {said!r} (known: {', '.join(PREDICATES)})"
    concept = whole_number(cells.get("conceptId", str(NO_CONCEPT)))
    if concept is None:
        return f"the conceptId {cells['conceptId']!r} is not a number"
    if concept != NO_CONCEPT and status == APPROVED and said == UNMATCHED:
        return f"{UNMATCHED}, but with the concept {concept}"
    return ""


def _row(cells: Mapping[str, str]) -> dict[str, str]:
    status, said = cells.get("mappingStatus", UNCHECKED), cells.get("equivalence", UNREVIEWED)
    concept = whole_number(cells.get("conceptId", str(NO_CONCEPT)))
    nothing, decided = concept == NO_CONCEPT or status == IGNORED, status in (APPROVED, IGNORED)
    by, score = cells.get("statusSetBy", ""), cells.get("matchScore", "")
    is_value = cells.get("mappingType", MAPS_TO) != MAPS_TO
    predicate = EXACT if nothing else "skos:relatedMatch" if is_value else PREDICATES[said]
    changed = {
        "mappingStatus": "" if status == APPROVED else status,
        "statusSetBy": "" if decided else by,
        "equivalence": "" if said == equivalence(predicate, decided=decided, nothing=nothing) else said,
        "mappingType": cells["mappingType"] if is_value else "",
        "createdBy": cells.get("createdBy", "") if cells.get("createdBy") != by else "",
    }
    more = {name: cells.get(name, "") for name in (*_KEPT, *filter(_is_added, cells))} | changed
    kept = [f"{name}={value}" for name, value in more.items() if value not in _NOTHING]
    often = whole_number(cells.get("sourceFrequency", ""))
    return {
        "subject_id": cells.get("sourceCode", ""),
        "subject_label": cells.get("sourceName", ""),
        "predicate_id": predicate,
        "object_id": NO_TERM if nothing else f"{PREFIX}{concept}",
        "object_label": "" if nothing else cells.get("conceptName", ""),
        "mapping_justification": JUSTIFICATIONS["manual" if decided else "unspecified"],
        "author_label": by if decided else "",
        "mapping_date": _day(cells.get("statusSetOn", "")) if decided else "",
        **({"similarity_score": score, "similarity_measure": MATCH_SCORE} if _is_share(score) else {}),
        "other": "; ".join(([] if decided else [f"{OPEN_STATUS}undecided"]) + kept),
        "comment": cells.get("comment", ""),
        FREQUENCY: "" if often is None else str(often),
    }


def equivalence(predicate: str, *, decided: bool, nothing: bool) -> str:
    """What the target of a mapping is to the code, in Usagi's word; nobody has said it of one that is open."""
    if not decided:
        return UNREVIEWED
    return UNMATCHED if nothing else _EQUIVALENCES.get(predicate, UNREVIEWED)


def _is_added(column: str) -> bool:
    return column.startswith(ADDED)


def _is_share(text: str) -> bool:
    try:
        return 0 < float(text) <= 1
    except ValueError:
        return False


def _day(milliseconds: str) -> str:
    """The day of a time in milliseconds since 1970, UTC; empty for none."""
    number = whole_number(milliseconds)
    try:
        return datetime.datetime.fromtimestamp((number or 0) / 1000, datetime.UTC).date().isoformat() if number else ""
    except (OverflowError, OSError, ValueError):
        return ""


def milliseconds_of(day: str) -> int:
    """The beginning of a day (ISO 8601) in milliseconds since 1970, UTC; 0 for anything else."""
    try:
        moment = datetime.datetime.combine(datetime.date.fromisoformat(day), datetime.time(), datetime.UTC)
    except ValueError:
        return 0
    return int(moment.timestamp()) * 1000


def kept_cells(row: Row) -> dict[str, str]:
    """The cells of a row of Usagi's that ``other`` keeps, by column."""
    parts = (part.partition("=") for part in _EXTRA.split(row.get("other", "")) if "=" in part)
    return {name: value for name, _, value in parts if name in COLUMNS or _is_added(name)}
