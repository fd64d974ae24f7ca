"""The rows of RF2 files as columns; of each component or member the latest row (RF2 specification, "versioning")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ontonym.arrays import Column, Mask, begins
from ontonym.files.delimited import Block, BlockTable
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.rf2.files import File
from ontonym.text.strings import Strings

OLDER = "older version of a row"
LATER = "version after the day asked for"

UNPUBLISHED = 99_999_999
"""The time of rows without one, which are not published yet: later than any day."""

BASE = ("id", "effectiveTime", "active", "moduleId")


@dataclass(frozen=True, slots=True)
class Rf2Rows:
    """Rows of one kind: numbers by column name, and texts by column name; ``active`` and ``time`` are always there."""

    numbers: dict[str, Column] = field(default_factory=dict)
    texts: dict[str, Strings] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers["active"])

    def __getitem__(self, name: str) -> Column:
        return self.numbers[name]

    def only(self, rows: Column) -> Rf2Rows:
        """The rows marked True, or those listed."""
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Rf2Rows(
            {name: column[places] for name, column in self.numbers.items()},
            {name: column.take(places) for name, column in self.texts.items()},
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which columns of a table are read: ``numbers`` (SCTIDs and the like) and ``texts``."""

    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class Loader:
    """Reads the tables of several files together."""

    def __init__(self, files: Sequence[File], log: ReleaseLog) -> None:
        self._files = files
        self._log = log
        self._at = int(log.options.at) if log.options.at else 0
        snapshots = {file.group for file in files} == {files[0].group} and files[0].view == "Snapshot"
        self._versioned = not snapshots

    def load(self, table: str, wanted: Wanted) -> Rf2Rows:
        """The latest row of every component of a table."""
        files = [file for file in self._files if file.table == table]
        rows = _joined([part for file in files for part in self._read(file, wanted)], wanted)
        return self._latest(rows) if self._versioned else rows

    def _read(self, file: File, wanted: Wanted) -> Iterator[Rf2Rows]:
        """The wanted columns of one file, a part for each block."""
        table = BlockTable(file.source, self._log, delimiter=b"\t")
        base = table.columns(*BASE)
        numbers = dict(zip(wanted.numbers, table.columns(*wanted.numbers), strict=True))
        texts = dict(zip(wanted.texts, table.columns(*wanted.texts), strict=True))
        is_member = file.table not in ("concept", "description", "relationship", "concrete")
        for block in table.blocks():
            columns: dict[str, Column] = {name: block.numbers(place) for name, place in numbers.items()}
            columns["time"] = np.where(block.has(base[1], b""), UNPUBLISHED, block.numbers(base[1]))
            columns["active"] = block.has(base[2], b"1")
            columns["module"] = block.numbers(base[3])
            if not is_member:
                columns["id"] = block.numbers(base[0])
            elif self._versioned:  # member ids are UUIDs; only telling versions apart needs them
                columns["id"] = block.texts(base[0]).hashes().view(np.int64)
            rows = Rf2Rows(columns, {name: block.texts(place) for name, place in texts.items()})
            yield self._sound(block, rows, numbers, is_member=is_member)

    def _sound(self, block: Block, rows: Rf2Rows, numbers: dict[str, int], *, is_member: bool) -> Rf2Rows:
        """The rows whose ids and dates are numbers; the others are malformed."""
        checked = [*numbers, "time", "module", *([] if is_member else ["id"])]
        good = np.logical_and.reduce([rows[name] >= 0 for name in checked])
        for row in np.flatnonzero(~good).tolist():
            column = next(name for name in checked if rows[name][row] < 0)
            name = {"time": "effectiveTime", "module": "moduleId"}.get(column, column)
            block.report([row], f"{name} is not a number", self._log)
        if self._at:
            late = good & (rows["time"] > self._at)
            self._log.skip(LATER, late)
            good &= ~late
        self._log.keep(good)
        return rows if good.all() else rows.only(good)

    def _latest(self, rows: Rf2Rows) -> Rf2Rows:
        if not len(rows):
            return rows
        order = np.lexsort((rows["time"], rows["id"]))
        is_last = np.roll(begins(rows["id"][order]), -1)
        chosen = np.sort(order[is_last])
        self._log.counts.skipped[OLDER] += 0  # a manifest of several versions names the rule also where none was older
        self._log.counts.drop(OLDER, len(rows) - len(chosen))
        return rows.only(chosen) if len(chosen) < len(rows) else rows

    def drop(self, rows: Rf2Rows, bad: Mask, rule: str) -> Rf2Rows:
        """The rows that are not bad; those were counted as kept, and are now counted under the rule."""
        count = int(np.count_nonzero(bad))
        if not count:
            return rows
        self._log.counts.drop(rule, count)
        return rows.only(~bad)


def _joined(parts: Sequence[Rf2Rows], wanted: Wanted) -> Rf2Rows:
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        names = (*wanted.numbers, "time", "module", "id")
        numbers = {"active": empty.astype(np.bool_), **dict.fromkeys(names, empty)}
        return Rf2Rows(numbers, {name: Strings.of(()) for name in wanted.texts})
    return Rf2Rows(
        {name: np.concatenate([part[name] for part in parts]) for name in parts[0].numbers},
        {name: Strings.joined([part.texts[name] for part in parts]) for name in wanted.texts},
    )


def codes_of(texts: Strings) -> tuple[Column, tuple[str, ...]]:
    """A text column of few distinct values as numbers and the names they stand for."""
    _, first, inverse = np.unique(texts.hashes(), return_index=True, return_inverse=True)
    return inverse.astype(np.uint32), tuple(texts[row] for row in first.tolist())
