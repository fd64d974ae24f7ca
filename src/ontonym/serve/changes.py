"""The TSV and JSON that ``ontonym diff`` writes, one change at a time. Names here are stable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ontonym.files.output import tsv_line
from ontonym.serve.shapes import to_json
from ontonym.store.affected import Affected, Checked
from ontonym.store.describing import Change
from ontonym.store.diff import Difference
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link
from ontonym.types import Advance

CHANGE_COLUMNS = (
    "change", "id", "preferred", "old", "new", "replaced_by", "consider", "names", "language", "note",
)  # fmt: skip
"""The columns of the changes as TSV. Several ids are parted by ``|``; of a move ``old`` and ``new`` are the parents
lost and gained. ``names`` are the preferred terms of the ids in the columns before it, as ``ID=TERM``.
"""

AFFECTED_COLUMNS = (
    "file", "line", "column", "written", "why", "since", "id", "preferred", "replaced_by", "consider", "names", "note",
    "text",
)  # fmt: skip
"""The columns of what points at concepts no longer active, as TSV; ``since`` is ``this release`` or ``before``."""


@dataclass(frozen=True, slots=True)
class Report:
    """A difference, and where the files that were checked point at concepts that are no longer active."""

    difference: Difference
    checks: Sequence[Checked] = ()
    affected: Sequence[Affected] = field(default_factory=list)


def change_row(change: Change) -> list[str]:
    """A change as one row of ``CHANGE_COLUMNS``."""
    groups = (change.parents_lost, change.parents_gained, change.replaced_by, change.consider)
    lost, gained, replaced_by, consider = (_ids(links) for links in groups)
    return [
        change.kind, change.id, change.preferred, change.old or lost, change.new or gained, replaced_by, consider,
        _names(link for links in groups for link in links), change.language, change.note,
    ]  # fmt: skip


def affected_row(affected: Affected) -> list[str]:
    """One row of ``AFFECTED_COLUMNS``."""
    outcome = affected.outcome
    line = "" if affected.line is None else str(affected.line)
    return [
        affected.file, line, affected.column, affected.written, outcome.why, since(affected), outcome.id,
        outcome.preferred, _ids(outcome.replaced_by), _ids(outcome.consider),
        _names((*outcome.replaced_by, *outcome.consider)), outcome.note, affected.text,
    ]  # fmt: skip


def since(affected: Affected) -> str:
    """Whether it was this release that took the concept away."""
    return "this release" if affected.outcome.recent else "before"


def _ids(links: Iterable[Link]) -> str:
    return "|".join(link.id for link in links)


def _names(links: Iterable[Link]) -> str:
    return "|".join(dict.fromkeys(f"{link.id}={link.preferred}" for link in links if link.preferred))


def change_shape(change: Change) -> dict[str, Any]:
    """A change as JSON; every key is always there."""
    return {"change": change.kind, **{name: value for name, value in asdict(change).items() if name != "kind"}}


def affected_shape(affected: Affected) -> dict[str, Any]:
    """One place that points at a concept that is no longer active, as JSON."""
    outcome = asdict(affected.outcome)
    outcome["since"] = since(affected)
    del outcome["recent"]
    place = {name: getattr(affected, name) for name in ("file", "line", "column", "written", "text")}
    return {**place, **outcome}


def terminology_shape(terminology: Terminology) -> dict[str, Any]:
    """What a compared terminology is."""
    return {
        "path": str(terminology.path),
        "name": terminology.name,
        "version": terminology.version,
        "fingerprint": terminology.fingerprint,
        "active_concepts": terminology.statistics.get("active_concepts", 0),
        "retired_concepts": terminology.statistics.get("retired_concepts", 0),
    }


def tsv_lines(report: Report, progress: Advance) -> Iterator[str]:
    """The changes as TSV."""
    yield tsv_line(CHANGE_COLUMNS)
    for number, change in enumerate(report.difference.changes(), start=1):
        yield tsv_line(change_row(change))
        progress(number)


def affected_lines(affected: Iterable[Affected]) -> Iterator[str]:
    """What points at concepts that are no longer active, as TSV."""
    yield tsv_line(AFFECTED_COLUMNS)
    for each in affected:
        yield tsv_line(affected_row(each))


def json_lines(report: Report, progress: Advance) -> Iterator[str]:
    """The whole report as one JSON object, a line for each change, so that none of it is held."""
    difference = report.difference
    head = {
        "old": terminology_shape(difference.old),
        "new": terminology_shape(difference.new),
        "compared": difference.compared,
        "unchanged": difference.unchanged,
        "cautions": list(difference.cautions),
        "counts": difference.counts(),
        "checks": [asdict(checked) for checked in report.checks],
    }
    yield to_json(head)[:-1] + ',"affected":['
    yield from _parted(affected_shape(each) for each in report.affected)
    yield '],"changes":['
    yield from _parted(_reported(map(change_shape, difference.changes()), progress))
    yield "]}"


def _parted(shapes: Iterable[dict[str, Any]]) -> Iterator[str]:
    """One line of JSON for each, with a comma before all but the first."""
    for number, shape in enumerate(shapes):
        yield ("," if number else "") + to_json(shape)


def _reported(shapes: Iterable[dict[str, Any]], progress: Advance) -> Iterator[dict[str, Any]]:
    for number, shape in enumerate(shapes, start=1):
        yield shape
        progress(number)
