"""Concepts in columns: what readers of large releases yield instead of records, and what the store writes.

`GROUPS` is the table of everything a concept can have several of; the files of the store follow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, starmap
from math import isnan
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Column, Mask, Offsets, Rows
from ontonym.ragged import boundaries, owners_of, spread
from ontonym.text.strings import Coded, Strings
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Mapping, Property, Relation, Status, Term

BATCH_SIZE = 5_000
"""The number of concepts in a batch for readers that yield records."""


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """The columns of one group: texts, names from a small table (column to table), and numbers (column to type)."""

    texts: tuple[str, ...] = ()
    coded: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, npt.DTypeLike] = field(default_factory=dict)


GROUPS: dict[str, ColumnGroup] = {
    "terms": ColumnGroup(
        ("term_text",),
        {
            "term_kind": "kind",
            "term_scope": "scope",
            "term_status": "status",
            "term_language": "language",
            "term_source": "source",
        },
    ),
    "parents": ColumnGroup(("parents",)),
    "relations": ColumnGroup(("relation_target",), {"relation_predicate": "predicate"}),
    "definitions": ColumnGroup(("definitions",)),
    "tags": ColumnGroup((), {"tag": "tag"}),
    "alternative_ids": ColumnGroup(("alternative_ids",)),
    "replaced_by": ColumnGroup(("replaced_by",)),
    "consider": ColumnGroup(("consider",)),
    "xrefs": ColumnGroup(("xrefs",)),
    "properties": ColumnGroup(("property_value",), {"property_name": "property"}),
    "mappings": ColumnGroup(
        ("mapping_object", "mapping_object_label", "mapping_rule", "mapping_comment"),
        {
            "mapping_predicate": "mapping_predicate",
            "mapping_justification": "justification",
            "mapping_source": "mapping_source",
        },
        {"mapping_confidence": np.float64, "mapping_group": np.uint16, "mapping_priority": np.uint16},
    ),
}
"""The lists of a concept, and the columns of each."""

LARGEST_PLACE = int(np.iinfo(np.uint16).max)
"""The largest group and priority of a mapping."""

CLOSED_TABLES: dict[str, tuple[str, ...]] = {"kind": KINDS, "scope": SCOPES, "status": STATUSES}
"""Tables whose names are given by the data model."""

_RECORDS: dict[str, tuple[type[Any], dict[str, str]]] = {
    "terms": (Term, {name: f"term_{name}" for name in ("text", "kind", "scope", "language", "status", "source")}),
    "relations": (Relation, {"predicate": "relation_predicate", "target": "relation_target"}),
    "properties": (Property, {"name": "property_name", "value": "property_value"}),
    "mappings": (
        Mapping,
        {"predicate_id": "mapping_predicate", "object_id": "mapping_object", "justification": "mapping_justification",
         "confidence": "mapping_confidence", "object_label": "mapping_object_label", "source": "mapping_source",
         "rule": "mapping_rule", "comment": "mapping_comment", "group": "mapping_group",
         "priority": "mapping_priority"},
    ),
}  # fmt: skip
"""Groups of records: their type, and its fields, each with its column. The subject of a mapping is the concept."""

LISTS = tuple(name for name, group in GROUPS.items() if group.texts == (name,))
"""Groups that are plain lists of texts."""


@dataclass(frozen=True, slots=True)
class BatchPart:
    """One group of a batch: how many values each concept has, and all values by column, concept after concept."""

    counts: Offsets
    texts: dict[str, Strings] = field(default_factory=dict)
    coded: dict[str, Coded] = field(default_factory=dict)
    numbers: dict[str, Column] = field(default_factory=dict)

    def owners(self) -> Rows:
        """The row of the concept that each value belongs to: within the batch, or in the terminology."""
        return owners_of(self.counts)

    def only(self, rows: Rows) -> BatchPart:
        """The part with the values at ``rows``, which ascend, and no others."""
        return self.taken(rows, np.bincount(self.owners()[rows], minlength=len(self.counts)))

    def taken(self, rows: Rows, counts: Offsets) -> BatchPart:
        """The values at ``rows``, in this order, of concepts with so many values each."""
        return BatchPart(
            counts,
            {name: column.take(rows) for name, column in self.texts.items()},
            {name: Coded(column.codes[rows], column.names) for name, column in self.coded.items()},
            {name: column[rows] for name, column in self.numbers.items()},
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Some concepts of a release: ids, whether each is retired, and a `BatchPart` for each group in use."""

    ids: Strings
    retired: Mask
    parts: dict[str, BatchPart]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, concepts: Sequence[Concept]) -> Batch:
        """The concepts as columns."""
        parts = {}
        for name, group in GROUPS.items():
            listed = [getattr(concept, name) for concept in concepts]
            flat = list(chain.from_iterable(listed))
            columns: dict[str, Iterable[Any]] = dict.fromkeys((*group.texts, *group.coded), flat)
            if name in _RECORDS:
                columns = {column: map(attrgetter(field), flat) for field, column in _RECORDS[name][1].items()}
            parts[name] = BatchPart(
                np.fromiter(map(len, listed), dtype=np.int64, count=len(listed)),
                {column: Strings.of(list(columns[column])) for column in group.texts},
                {column: Coded.of(columns[column]) for column in group.coded},
                {column: np.array(list(columns[column]), dtype=kind) for column, kind in group.numbers.items()},
            )
        ids = Strings.of([concept.id for concept in concepts])
        return cls(ids, np.array([concept.status == "retired" for concept in concepts], dtype=np.bool_), parts)

    def concepts(self) -> Iterator[Concept]:
        """The concepts as records."""
        values = {}
        for name, part in self.parts.items():
            stream = iter(self._values(name, part))
            values[name] = [tuple(islice(stream, count)) for count in part.counts.tolist()]
        for row, (concept_id, retired) in enumerate(zip(self.ids, self.retired.tolist(), strict=True)):
            status: Status = "retired" if retired else "active"
            yield Concept(
                id=concept_id, status=status, **{"terms": (), **{name: listed[row] for name, listed in values.items()}}
            )

    def _values(self, name: str, part: BatchPart) -> Iterable[Any]:
        """The values of a group as records or texts, concept after concept."""
        if name not in _RECORDS:
            return _column(part, *GROUPS[name].texts, *GROUPS[name].coded)
        kind, stored = _RECORDS[name]
        rows = zip(*(_column(part, column) for column in stored.values()), strict=True)
        if kind is not Mapping:
            return starmap(kind, rows)
        ids = self.ids.tolist()
        subjects = [ids[row] for row in part.owners().tolist()]
        named = (dict(zip(stored, row, strict=True)) for row in rows)
        return [Mapping(subject, **said) for subject, said in zip(subjects, named, strict=True)]


def batches_of(items: Iterable[Concept | Batch]) -> Iterator[Batch]:
    """The concepts in batches; items that are batches already are passed on unchanged, in order."""
    stream = iter(items)
    pending: list[Concept] = []
    for item in stream:
        if isinstance(item, Concept):
            pending.append(item)
            if len(pending) == BATCH_SIZE:
                yield Batch.of(pending)
                pending = []
            continue
        if pending:
            yield Batch.of(pending)
            pending = []
        yield item
    if pending:
        yield Batch.of(pending)


def _column(part: BatchPart, column: str) -> Iterable[Any]:
    """The values of a column; a missing number is None."""
    if column in part.texts:
        return part.texts[column]
    if column in part.coded:
        names = part.coded[column].names
        return [names[code] for code in part.coded[column].codes.tolist()]
    return [None if isnan(number) else number for number in part.numbers[column].tolist()]


@dataclass(slots=True)
class BatchBuilder:
    """The values of all groups of ``count`` concepts, added together with the rows of their owners."""

    count: int
    _added: dict[str, list[tuple[BatchPart, Offsets]]] = field(default_factory=dict)
    """By group what was added, each with the bounds of its owners."""

    def add(
        self,
        group: str,
        owners: Column,
        texts: dict[str, Strings] | None = None,
        coded: dict[str, Coded] | None = None,
        numbers: dict[str, Column] | None = None,
    ) -> None:
        """Adds values to a group; an owner's values keep their order, after those added before."""
        counts = np.bincount(owners, minlength=self.count)
        part = BatchPart(counts, texts or {}, coded or {}, numbers or {})
        if (owners[1:] < owners[:-1]).any():
            part = part.taken(np.argsort(owners, kind="stable"), counts)
        self._added.setdefault(group, []).append((part, boundaries(counts)))

    def add_mappings(
        self,
        owners: Column,
        objects: Strings,
        predicates: Coded,
        justification: str,
        sources: Coded,
        *,
        notes: tuple[Strings, Strings] | None = None,
        places: tuple[Column, Column] | None = None,
    ) -> None:
        """Adds mappings; ``notes`` are their rules and comments, ``places`` their groups and priorities."""
        empty, zeros = Strings.of([""] * len(owners)), np.zeros(len(owners), dtype=np.int64)
        rule, comment = notes or (empty, empty)
        group, priority = places or (zeros, zeros)
        self.add(
            "mappings",
            owners,
            {
                "mapping_object": objects,
                "mapping_object_label": empty,
                "mapping_rule": rule,
                "mapping_comment": comment,
            },
            {
                "mapping_predicate": predicates,
                "mapping_justification": Coded.same(justification, len(owners)),
                "mapping_source": sources,
            },
            {
                "mapping_confidence": np.full(len(owners), np.nan),
                "mapping_group": group,
                "mapping_priority": priority,
            },
        )

    def parts(self, rows: Rows) -> dict[str, BatchPart]:
        """The groups of the concepts in these rows."""
        return {
            group: _joined([_of(part, bounds, rows) for part, bounds in added]) for group, added in self._added.items()
        }


def _of(part: BatchPart, bounds: Offsets, rows: Rows) -> BatchPart:
    """The values of the concepts in these rows."""
    starts = bounds[rows]
    counts = bounds[rows + 1] - starts
    return part.taken(spread(starts, counts), counts)


def _joined(parts: list[BatchPart]) -> BatchPart:
    """Joins several parts of one group, each concept's values in the order of the parts."""
    if len(parts) == 1:
        return parts[0]
    owners = np.concatenate([part.owners() for part in parts])
    order = np.argsort(owners, kind="stable")
    texts = {name: Strings.joined([part.texts[name] for part in parts]).take(order) for name in parts[0].texts}
    coded = {}
    for name in parts[0].coded:
        table: dict[str, int] = {}
        codes = []
        for part in parts:
            column = part.coded[name]
            translated = np.array([table.setdefault(value, len(table)) for value in column.names], dtype=np.uint32)
            codes.append(translated[column.codes] if len(translated) else np.zeros(0, dtype=np.uint32))
        coded[name] = Coded(np.concatenate(codes)[order], tuple(table))
    numbers = {name: np.concatenate([part.numbers[name] for part in parts])[order] for name in parts[0].numbers}
    return BatchPart(np.sum([part.counts for part in parts], axis=0), texts, coded, numbers)
