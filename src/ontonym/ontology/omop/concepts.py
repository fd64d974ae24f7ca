"""The concepts themselves in columns, by ascending id: what the other tables are joined to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ontonym.ontology.batch import Coded
from ontonym.ontology.delimited import Block, Table, coded_texts
from ontonym.ontology.omop.files import Files
from ontonym.ontology.omop.rows import EMPTY, Column, Mask, keep, skip, sound
from ontonym.ontology.omop.words import NO_CONCEPT, PREFIX
from ontonym.ontology.release import OTHER_SOURCE, Reading
from ontonym.strings import Strings

NOT_TAGGED = "concept of none of the domains, classes or vocabularies asked for"
NOTHING = "concept 0, which stands for no concept"
AGAIN = "concept that another file has too"
NAMED_ASIDE = ("Unit", "Language")
"""Domains whose concepts other tables refer to; their names are kept also where their concepts are not."""

_COLUMNS = ("concept_id", "concept_name", "domain_id", "vocabulary_id", "concept_class_id", "concept_code")


@dataclass(slots=True)
class Codes:
    """The small tables that the coded columns of concepts point into."""

    vocabularies: dict[bytes, int] = field(default_factory=dict)
    domains: dict[bytes, int] = field(default_factory=dict)
    classes: dict[bytes, int] = field(default_factory=dict)
    standards: dict[bytes, int] = field(default_factory=dict)
    reasons: dict[bytes, int] = field(default_factory=dict)
    ends: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Concepts:
    """All concepts that are taken, by ascending id; ``aside`` names units (by their code) and languages by id."""

    ids: Column
    columns: dict[str, Column]
    name: Strings
    code: Strings
    codes: Codes
    aside: dict[int, str]

    def __len__(self) -> int:
        return len(self.ids)

    def coded(self, column: str, rows: slice) -> Coded:
        """A column of some concepts as numbers and the names they stand for; no value is an empty name."""
        coded = coded_texts(self.columns[column][rows], getattr(self.codes, column))
        return Coded(coded.codes, ["" if name.encode() in EMPTY else name for name in coded.names])

    def retired(self, rows: slice) -> Mask:
        """Whether each concept has a reason for being invalid: deleted, replaced, or its code used again."""
        valid = [number for reason, number in self.codes.reasons.items() if reason in EMPTY]
        return ~np.isin(self.columns["reasons"][rows], valid)

    def names_of(self, ids: Column) -> Strings:
        """The name of each of some concepts, or its id where the release does not have it."""
        distinct, inverse = np.unique(ids, return_inverse=True)
        place = np.minimum(np.searchsorted(self.ids, distinct), max(len(self.ids) - 1, 0))
        known = self.ids[place] == distinct if len(self.ids) else np.zeros(len(distinct), dtype=np.bool_)
        texts = [
            self.name[row] if there else self.aside.get(concept_id, f"{PREFIX}{concept_id}")
            for row, there, concept_id in zip(place.tolist(), known.tolist(), distinct.tolist(), strict=True)
        ]
        return Strings.of(texts).take(inverse)

    def units_of(self, ids: Column) -> Strings:
        """The code of each unit, or its name."""
        distinct, inverse = np.unique(ids, return_inverse=True)
        found = [self.aside.get(concept_id, "") if concept_id > 0 else "" for concept_id in distinct.tolist()]
        return Strings.of(found).take(inverse)


@dataclass(frozen=True, slots=True)
class _Part:
    """The concepts of one block; ``file`` and ``line`` say where each stands."""

    ids: Column
    columns: dict[str, Column]
    name: Strings
    code: Strings
    file: Column
    line: Column


def concepts_of(files: Files, reading: Reading) -> Concepts:
    """The concepts that the options take."""
    codes, aside = Codes(), dict[int, str]()
    parts = []
    tables = files.open("concept", reading)
    for number, table in enumerate(tables):
        parts += [_taken(block, table, number, codes, aside, reading) for block in table.blocks()]
    ids = np.concatenate([*(part.ids for part in parts), np.zeros(0, dtype=np.int64)])
    name, code = Strings.joined([part.name for part in parts]), Strings.joined([part.code for part in parts])
    columns = {
        column: np.concatenate([*(part.columns[column] for part in parts), np.zeros(0, dtype=np.int64)])
        for column in _tables(codes)
    }
    order = _each_once(ids, name, parts, files, reading)
    return Concepts(
        ids[order],
        {column: values[order].astype(np.uint32) for column, values in columns.items()},
        name.take(order),
        code.take(order),
        codes,
        aside,
    )


def _tables(codes: Codes) -> dict[str, dict[bytes, int]]:
    return {name: getattr(codes, name) for name in Codes.__slots__}


def _taken(block: Block, table: Table, number: int, codes: Codes, aside: dict[int, str], reading: Reading) -> _Part:
    """The concepts of a block that the options take; the other rows are counted."""
    identifier, name, domain, vocabulary, concept_class, code = table.columns(*_COLUMNS)
    ids = block.numbers(identifier)
    block, ids = sound(block, ids >= 0, "concept_id is not a number up to 4,294,967,295", reading, ids)
    columns = {
        "vocabularies": block.coded(vocabulary, codes.vocabularies),
        "domains": block.coded(domain, codes.domains),
        "classes": block.coded(concept_class, codes.classes),
    }
    for column, header in (
        ("standards", "standard_concept"),
        ("reasons", "invalid_reason"),
        ("ends", "valid_end_date"),
    ):
        known: dict[bytes, int] = getattr(codes, column)
        known.setdefault(b"", 0)
        there = table.has_column(header)
        columns[column] = (
            block.coded(table.columns(header)[0], known) if there else np.zeros(len(block), dtype=np.int64)
        )
    _keep_names(block, ids, (name, code), columns, codes, aside)
    taken = ids != NO_CONCEPT
    skip(reading, NOTHING, ~taken)
    options = reading.options
    if options.sources:
        asked = _listed(codes.vocabularies, options.sources)[columns["vocabularies"]]
        skip(reading, OTHER_SOURCE, taken & ~asked)
        taken &= asked
    if options.tags:
        tagged = np.zeros(len(block), dtype=np.bool_)
        for column in ("vocabularies", "domains", "classes"):
            tagged |= _listed(getattr(codes, column), options.tags)[columns[column]]
        skip(reading, NOT_TAGGED, taken & ~tagged)
        taken &= tagged
    keep(reading, taken)
    block = block.only(taken)
    columns = {column: values[taken].astype(np.uint32) for column, values in columns.items()}
    where = np.full(len(block), number, dtype=np.int32)
    return _Part(ids[taken], columns, block.texts(name), block.texts(code), where, block.lines.astype(np.int32))


def _keep_names(
    block: Block, ids: Column, fields: tuple[int, int], columns: dict[str, Column], codes: Codes, aside: dict[int, str]
) -> None:
    """Notes what units and languages are called; a unit of UCUM by its code, such as ``mg``."""
    numbers = {name: codes.domains.get(name.encode(), -1) for name in NAMED_ASIDE}
    ucum = codes.vocabularies.get(b"UCUM", -1)
    for row in np.flatnonzero(np.isin(columns["domains"], list(numbers.values()))).tolist():
        is_unit = columns["domains"][row] == numbers["Unit"] and columns["vocabularies"][row] == ucum
        place = fields[1] if is_unit else fields[0]
        text = block.data[block.starts[row, place] : block.ends[row, place]].tobytes().decode(errors="replace")
        aside.setdefault(int(ids[row]), text)


def _each_once(ids: Column, name: Strings, parts: Sequence[_Part], files: Files, reading: Reading) -> Column:
    """The rows by ascending id; of an id that comes again the first row that has a name, the others are counted."""
    order = np.lexsort((name.lengths == 0, ids))
    ordered = ids[order]
    again = np.zeros(len(ids), dtype=np.bool_)
    again[1:] = ordered[1:] == ordered[:-1]
    if not again.any():
        return order
    file = np.concatenate([part.file for part in parts])
    line = np.concatenate([part.line for part in parts])
    sources = files.kinds["concept"]
    for place in np.flatnonzero(again).tolist():
        row, first = int(order[place]), int(order[np.searchsorted(ordered, ordered[place])])
        reading.counts.kept -= 1
        if file[row] != file[first]:
            reading.counts.skipped[AGAIN] += 1
        else:
            reading.counts.rows -= 1
            reading.malformed(sources[int(file[row])], int(line[row]), f"duplicate concept_id {ids[row]}")
    return order[~again]


def _listed(table: dict[bytes, int], wanted: tuple[str, ...]) -> Mask:
    asked = {name.casefold() for name in wanted}
    return np.array([value.decode(errors="replace").casefold() in asked for value in table], dtype=np.bool_)
