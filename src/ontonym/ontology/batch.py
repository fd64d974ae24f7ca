"""Concepts in columns: what readers of full-size releases yield instead of one record each, and what the store writes.

The layout below is the one table of what a concept has any number of; the store's files follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Offsets
from ontonym.text.strings import Coded, Strings, boundaries, spread
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Kind, Mapping, Property, Relation, Scope, Status, Term

BATCH_SIZE = 5_000
"""Concepts packed at once where a reader yields records."""


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
"""What a concept has any number of, and the columns of each."""

CLOSED_TABLES: dict[str, tuple[str, ...]] = {"kind": KINDS, "scope": SCOPES, "status": STATUSES}
"""Tables whose names are given by the data model."""

LISTS = tuple(name for name, group in GROUPS.items() if group.texts == (name,))
"""Groups that are plain lists of texts."""


@dataclass(frozen=True, slots=True)
class BatchPart:
    """One group of a batch: how many values each concept has, and all values by column, concept after concept."""

    counts: Offsets
    texts: dict[str, Strings] = field(default_factory=dict)
    coded: dict[str, Coded] = field(default_factory=dict)
    numbers: dict[str, npt.NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some concepts of a release: ids, whether each is retired, and a `BatchPart` for every group any of them has."""

    ids: Strings
    retired: npt.NDArray[np.bool_]
    parts: dict[str, BatchPart]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, concepts: Sequence[Concept]) -> Batch:
        """The concepts as columns."""
        terms = [concept.terms for concept in concepts]
        flat = list(chain.from_iterable(terms))
        relations = [concept.relations for concept in concepts]
        properties = [concept.properties for concept in concepts]
        parts = {
            "terms": BatchPart(
                _counts(terms),
                {"term_text": Strings.of([term.text for term in flat])},
                {
                    "term_kind": Coded.of(term.kind for term in flat),
                    "term_scope": Coded.of(term.scope for term in flat),
                    "term_status": Coded.of(term.status for term in flat),
                    "term_language": Coded.of(term.language for term in flat),
                    "term_source": Coded.of(term.source for term in flat),
                },
            ),
            "relations": BatchPart(
                _counts(relations),
                {"relation_target": Strings.of([r.target for r in chain.from_iterable(relations)])},
                {"relation_predicate": Coded.of(r.predicate for r in chain.from_iterable(relations))},
            ),
            "tags": _tags([concept.tags for concept in concepts]),
            "properties": BatchPart(
                _counts(properties),
                {"property_value": Strings.of([p.value for p in chain.from_iterable(properties)])},
                {"property_name": Coded.of(p.name for p in chain.from_iterable(properties))},
            ),
            "mappings": _mappings([concept.mappings for concept in concepts]),
        }
        for name in LISTS:
            listed = [getattr(concept, name) for concept in concepts]
            parts[name] = BatchPart(_counts(listed), {name: Strings.of(list(chain.from_iterable(listed)))})
        ids = Strings.of([concept.id for concept in concepts])
        return cls(ids, np.array([concept.status == "retired" for concept in concepts], dtype=np.bool_), parts)

    def concepts(self) -> Iterator[Concept]:
        """The concepts as records."""
        values = {name: _grouped(_VALUES[name](part, self), part.counts) for name, part in self.parts.items()}
        for row, (concept_id, retired) in enumerate(zip(self.ids, self.retired.tolist(), strict=True)):
            status: Status = "retired" if retired else "active"
            yield Concept(
                id=concept_id, status=status, **{"terms": (), **{name: listed[row] for name, listed in values.items()}}
            )


def batches_of(items: Iterable[Concept | Batch]) -> Iterator[Batch]:
    """The concepts in batches; batches that come ready pass as they are, in their place."""
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


def text_part(name: str, counts: Offsets, texts: Strings) -> BatchPart:
    """A group that is a plain list of texts."""
    return BatchPart(counts, {name: texts})


def _counts(listed: Sequence[Sequence[Any]]) -> Offsets:
    return np.fromiter(map(len, listed), dtype=np.int64, count=len(listed))


def _tags(listed: Sequence[tuple[str, ...]]) -> BatchPart:
    return BatchPart(_counts(listed), coded={"tag": Coded.of(chain.from_iterable(listed))})


def _mappings(listed: Sequence[tuple[Mapping, ...]]) -> BatchPart:
    flat = list(chain.from_iterable(listed))
    confidence = [np.nan if m.confidence is None else m.confidence for m in flat]
    return BatchPart(
        _counts(listed),
        {
            "mapping_object": Strings.of([m.object_id for m in flat]),
            "mapping_object_label": Strings.of([m.object_label for m in flat]),
            "mapping_rule": Strings.of([m.rule for m in flat]),
            "mapping_comment": Strings.of([m.comment for m in flat]),
        },
        {
            "mapping_predicate": Coded.of(m.predicate_id for m in flat),
            "mapping_justification": Coded.of(m.justification for m in flat),
            "mapping_source": Coded.of(m.source for m in flat),
        },
        {
            "mapping_confidence": np.array(confidence, dtype=np.float64),
            "mapping_group": np.array([m.group for m in flat], dtype=np.uint16),
            "mapping_priority": np.array([m.priority for m in flat], dtype=np.uint16),
        },
    )


def _names(part: BatchPart, column: str) -> list[str]:
    names, codes = part.coded[column].names, part.coded[column].codes
    return [names[code] for code in codes.tolist()]


def _terms_of(part: BatchPart, batch: Batch) -> list[Term]:
    columns = zip(
        part.texts["term_text"],
        _names(part, "term_kind"),
        _names(part, "term_scope"),
        _names(part, "term_language"),
        _names(part, "term_status"),
        _names(part, "term_source"),
        strict=True,
    )
    return [
        Term(text, cast(Kind, kind), cast(Scope, scope), language, cast(Status, status), source)
        for text, kind, scope, language, status, source in columns
    ]


def _relations_of(part: BatchPart, batch: Batch) -> list[Relation]:
    pairs = zip(_names(part, "relation_predicate"), part.texts["relation_target"], strict=True)
    return [Relation(predicate, target) for predicate, target in pairs]


def _properties_of(part: BatchPart, batch: Batch) -> list[Property]:
    pairs = zip(_names(part, "property_name"), part.texts["property_value"], strict=True)
    return [Property(name, value) for name, value in pairs]


def _mappings_of(part: BatchPart, batch: Batch) -> list[Mapping]:
    ids = batch.ids.tolist()
    subjects = [ids[row] for row in np.repeat(np.arange(len(batch)), part.counts).tolist()]
    columns = zip(
        subjects,
        _names(part, "mapping_predicate"),
        part.texts["mapping_object"],
        _names(part, "mapping_justification"),
        part.numbers["mapping_confidence"].tolist(),
        part.texts["mapping_object_label"],
        _names(part, "mapping_source"),
        part.texts["mapping_rule"],
        part.texts["mapping_comment"],
        part.numbers["mapping_group"].tolist(),
        part.numbers["mapping_priority"].tolist(),
        strict=True,
    )
    return [
        Mapping(
            subject, predicate, object_id, justification, None if np.isnan(confidence) else confidence,
            object_label=label, source=source, rule=rule, comment=comment, group=group, priority=priority,
        )
        for subject, predicate, object_id, justification, confidence, label, source, rule, comment, group, priority
        in columns
    ]  # fmt: skip


_VALUES: dict[str, Callable[[BatchPart, Batch], list[Any]]] = {
    "terms": _terms_of,
    "relations": _relations_of,
    "tags": lambda part, batch: _names(part, "tag"),
    "properties": _properties_of,
    "mappings": _mappings_of,
    **{name: lambda part, batch, name=name: part.texts[name].tolist() for name in LISTS},  # type: ignore[misc]
}


def _grouped(values: list[Any], counts: Offsets) -> list[tuple[Any, ...]]:
    stream = iter(values)
    return [tuple(islice(stream, count)) for count in counts.tolist()]


def concept_rows(part: BatchPart) -> Offsets:
    """The row of the concept, within the batch, that each value of a part belongs to."""
    return np.repeat(np.arange(len(part.counts)), part.counts)


@dataclass(frozen=True, slots=True)
class _Values:
    """Values of one group in the order of their owners; ``bounds`` says where each owner's begin."""

    bounds: npt.NDArray[np.int64]
    texts: dict[str, Strings]
    coded: dict[str, Coded]
    numbers: dict[str, npt.NDArray[np.float64]]


@dataclass(slots=True)
class BatchBuilder:
    """The values of all groups of ``count`` concepts, each added with the places of its owners."""

    count: int
    _values: dict[str, list[_Values]] = field(default_factory=dict)

    def add(
        self,
        group: str,
        owners: AnyInts,
        texts: dict[str, Strings] | None = None,
        coded: dict[str, Coded] | None = None,
        numbers: dict[str, npt.NDArray[np.float64]] | None = None,
    ) -> None:
        """Adds values to a group; those of one owner keep their order, after what was added before."""
        ordered = bool((owners[1:] >= owners[:-1]).all())
        order = None if ordered else np.argsort(owners, kind="stable")
        counts = np.bincount(owners, minlength=self.count)
        self._values.setdefault(group, []).append(
            _Values(
                boundaries(counts),
                {name: column if order is None else column.take(order) for name, column in (texts or {}).items()},
                {
                    name: column if order is None else Coded(column.codes[order], column.names)
                    for name, column in (coded or {}).items()
                },
                {name: column if order is None else column[order] for name, column in (numbers or {}).items()},
            )
        )

    def parts(self, rows: npt.NDArray[np.int64]) -> dict[str, BatchPart]:
        """The groups of the concepts in these rows."""
        return {group: _joined([_part(values, rows) for values in added]) for group, added in self._values.items()}


def _part(values: _Values, rows: npt.NDArray[np.int64]) -> BatchPart:
    starts = values.bounds[rows]
    counts = values.bounds[rows + 1] - starts
    places = spread(starts, counts)
    return BatchPart(
        counts,
        {name: column.take(places) for name, column in values.texts.items()},
        {name: Coded(column.codes[places], column.names) for name, column in values.coded.items()},
        {name: column[places] for name, column in values.numbers.items()},
    )


def _joined(parts: list[BatchPart]) -> BatchPart:
    """Several parts of one group as one, each concept's values in the order of the parts."""
    if len(parts) == 1:
        return parts[0]
    owners = np.concatenate([np.repeat(np.arange(len(part.counts)), part.counts) for part in parts])
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
