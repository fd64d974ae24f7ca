"""What changed between releases as TSV, JSON and a page, one change at a time. The names of columns are stable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ontonym.errors import InputError
from ontonym.files.output import check_folder, tsv_line, write_lines
from ontonym.files.source import open_source
from ontonym.serve.show import to_json
from ontonym.store.affected import Affected, Checked, Judge, check
from ontonym.store.changepage import PAGE_ROWS, change_page
from ontonym.store.describing import Change
from ontonym.store.diff import Difference
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link
from ontonym.types import Advance, Progress, staged

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


_STEP = 1000
"""Changes between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Report:
    """A difference, and where the files that were checked point at concepts that are no longer active.

    ``elsewhere`` says where all changes, and all that is affected, are found: for a page, which shows only some.
    ``raw``: cells of TSV are not guarded from spreadsheets.
    """

    difference: Difference
    checks: Sequence[Checked] = ()
    affected: Sequence[Affected] = field(default_factory=list)
    elsewhere: tuple[str, str] = ("", "")
    raw: bool = False

    @property
    def recent(self) -> int:
        """How many ids in the files that were checked are of concepts that this release took away."""
        return sum(checks.recent for checks in self.checks)


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The files that are ``checked``, with their columns of ids, and those that are written, by their endings.

    ``outputs`` get all changes, ``affected`` gets what points at concepts that are no longer active, as TSV. With
    ``raw`` the cells of TSV are not guarded from spreadsheets.
    """

    outputs: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    id_columns: tuple[str, ...] = ()
    affected: str | None = None
    raw: bool = False

    @property
    def written(self) -> tuple[str, ...]:
        """All files that are written."""
        return self.outputs if self.affected is None else (*self.outputs, self.affected)

    def refuse_bad(self) -> None:
        """Raises InputError for a file that cannot be read or written; best called before the comparison."""
        for path in self.outputs:
            _writer(path)
        for path in self.checked:
            if not Path(path).is_dir():
                open_source(path)
        for path in self.written:
            check_folder(path)


def checked_report(
    difference: Difference, files: ReportFiles, progress: Progress, elsewhere: tuple[str, str] = ("", "")
) -> Report:
    """The difference, with what it affects in the files that are to be checked; raises as `check` does."""
    checks: list[Checked] = []
    affected: list[Affected] = []
    judge = Judge(difference)
    for path in files.checked:
        checked, found = check(path, difference, id_columns=files.id_columns, judge=judge)
        for number, each in enumerate(found):
            affected.append(each)
            if number % _STEP == 0:
                progress(f"checking {Path(path).name}", checked.rows, None)
        checks.append(checked)
    return Report(difference, checks, affected, elsewhere, files.raw)


def write_report(report: Report, files: ReportFiles, progress: Progress) -> None:
    """Writes the changes, and what they affect, to all files; each is replaced when it is whole."""
    for path in files.outputs:
        write_lines(path, _writer(path)(report, progress_of(report, f"writing {Path(path).name}", progress)))
    if files.affected is not None:
        write_lines(files.affected, affected_lines(report.affected, raw=report.raw))


def progress_of(report: Report, stage: str, progress: Progress) -> Advance:
    """Counts the changes of a report that are done, and tells of them now and then."""
    advance, waiting = staged(progress, stage, sum(report.difference.counts().values())), 0

    def advance_now_and_then(more: int) -> None:
        nonlocal waiting
        waiting += more
        if waiting >= _STEP:
            advance(waiting)
            waiting = 0

    return advance_now_and_then


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
        **terminology.release,
        "active_concepts": terminology.statistics.get("active_concepts", 0),
        "retired_concepts": terminology.statistics.get("retired_concepts", 0),
    }


def tsv_lines(report: Report, progress: Advance) -> Iterator[str]:
    """The changes as TSV."""
    yield tsv_line(CHANGE_COLUMNS)
    for change in report.difference.changes():
        yield tsv_line(change_row(change), raw=report.raw)
        progress(1)


def affected_lines(affected: Iterable[Affected], *, raw: bool = False) -> Iterator[str]:
    """What points at concepts that are no longer active, as TSV."""
    yield tsv_line(AFFECTED_COLUMNS)
    for each in affected:
        yield tsv_line(affected_row(each), raw=raw)


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
    for shape in shapes:
        yield shape
        progress(1)


def page_lines(report: Report, progress: Advance, rows: int = PAGE_ROWS) -> Iterator[str]:
    """The page of a report; of every kind of change the first ``rows``."""
    return change_page(
        report.difference, report.checks, report.affected, rows=rows, elsewhere=report.elsewhere, progress=progress
    )


WRITERS: MappingProxyType[str, Callable[[Report, Advance], Iterator[str]]] = MappingProxyType(
    {".tsv": tsv_lines, ".json": json_lines, ".html": page_lines, ".htm": page_lines}
)
"""The endings of a file and what is written for each; ``.gz`` after it compresses."""


def _writer(path: str) -> Callable[[Report, Advance], Iterator[str]]:
    name = Path(path).name.lower().removesuffix(".gz")
    writer = next((writer for ending, writer in WRITERS.items() if name.endswith(ending)), None)
    if writer is None:
        raise InputError(f"{path}: the ending of the name does not tell what to write. Endings known: .tsv .json .html")
    return writer
