"""The concepts themselves in columns, by ascending id; the other tables are joined to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Column, Mask, begins, joined, places_in
from ontonym.files.delimited import Block, BlockTable
from ontonym.ontology.omop.files import EMPTY, Distinct, OmopFiles, sound
from ontonym.ontology.omop.words import NO_CONCEPT, PREFIX
from ontonym.ontology.options import OTHER_SOURCE, among
from ontonym.ontology.release import ReleaseLog
from ontonym.text.strings import Coded, Strings

NOT_TAGGED = "concept of none of the domains, classes or vocabularies asked for"
NOTHING = "concept 0, which stands for no concept"
AGAIN = "concept that another file has too"
NAMED_ASIDE = ("Unit", "Language")
"""Domains whose concepts other tables refer to; their names are kept even if their concepts are not."""
_LONGEST_ASIDE = 1_000  # bytes: one that is longer is no unit, and would come again with every row that refers to it

_CODED = {"vocabularies": "vocabulary_id", "domains": "domain_id", "classes": "concept_class_id"}
_OPTIONAL = {"standards": "standard_concept", "reasons": "invalid_reason", "ends": "valid_end_date"}
"""The columns of few distinct values, by what they are called here; a table may lack the optional ones."""


@dataclass(frozen=True, slots=True)
class Concepts:
    """All concepts that are taken, by ascending id.

    ``columns`` point into ``values`` of the same name. Names and codes lie in the order of the files: those of the
    concept in place i are in row ``order[i]``. ``aside`` names units (by their code) and languages by id.
    """

    ids: Column
    order: Column
    columns: dict[str, Column]
    values: dict[str, Distinct]
    name: Strings
    code: Strings
    aside: dict[int, str]

    def __len__(self) -> int:
        return len(self.ids)

    def coded(self, column: str, rows: slice) -> Coded:
        """A column of some concepts as numbers and the names they stand for; no value is an empty name."""
        names = ["" if name.encode() in EMPTY else name for name in self.values[column].names]
        return Coded(self.columns[column][rows], names)

    def retired(self, rows: slice) -> Mask:
        """Whether each concept has a reason for being invalid: deleted, replaced, or its code used again."""
        reasons = self.coded("reasons", rows)
        is_reason = np.array([bool(name) for name in reasons.names], dtype=np.bool_)
        retired: Mask = is_reason[reasons.codes]
        return retired

    def names_of(self, ids: Column) -> Strings:
        """The name of each of some concepts, or its id where the release does not have it."""
        distinct, inverse = np.unique(ids, return_inverse=True)
        places = places_in(self.ids, distinct)
        texts = [
            self.name[self.order[place]] if place >= 0 else self.aside.get(concept_id, f"{PREFIX}{concept_id}")
            for place, concept_id in zip(places.tolist(), distinct.tolist(), strict=True)
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


def concepts_of(files: OmopFiles, log: ReleaseLog) -> Concepts:
    """The concepts that the options take."""
    values = {column: Distinct("") for column in (*_CODED, *_OPTIONAL)}
    aside: dict[int, str] = {}
    parts = []
    for number, table in enumerate(files.open("concept", log)):
        parts += [_taken(block, table, number, values, aside, log) for block in table.blocks()]
    ids = joined(part.ids for part in parts)
    name, code = Strings.joined([part.name for part in parts]), Strings.joined([part.code for part in parts])
    order = _each_once(ids, name, parts, files, log)
    columns = {column: joined((part.columns[column] for part in parts), np.uint32)[order] for column in values}
    return Concepts(ids[order], order, columns, values, name, code, aside)


def _taken(
    block: Block, table: BlockTable, number: int, values: dict[str, Distinct], aside: dict[int, str], log: ReleaseLog
) -> _Part:
    """The concepts of a block that the options take; the other rows are counted."""
    identifier, name, code = table.columns("concept_id", "concept_name", "concept_code")
    ids = block.numbers(identifier)
    block, ids = sound(block, ids >= 0, "concept_id is not a number up to 4,294,967,295", log, ids)
    columns = {}
    for column, header in (_CODED | _OPTIONAL).items():
        if column in _CODED or table.has_column(header):
            columns[column] = values[column].of(block.texts(table.columns(header)[0]))
        else:
            columns[column] = np.zeros(len(block), dtype=np.int64)
    _keep_names(block, ids, (name, code), columns, values, aside)
    taken = ids != NO_CONCEPT
    log.skip(NOTHING, ~taken)
    options = log.options
    if options.sources:
        asked = np.array(among(values["vocabularies"].names, options.sources))[columns["vocabularies"]]
        log.skip(OTHER_SOURCE, taken & ~asked)
        taken &= asked
    if options.tags:
        tagged = np.zeros(len(block), dtype=np.bool_)
        for column in _CODED:
            tagged |= np.array(among(values[column].names, options.tags))[columns[column]]
        log.skip(NOT_TAGGED, taken & ~tagged)
        taken &= tagged
    log.keep(taken)
    block = block.only(taken)
    columns = {column: places[taken].astype(np.uint32) for column, places in columns.items()}
    where = np.full(len(block), number, dtype=np.int32)
    return _Part(ids[taken], columns, block.texts(name), block.texts(code), where, block.lines.astype(np.int32))


def _keep_names(
    block: Block,
    ids: Column,
    fields: tuple[int, int],
    columns: dict[str, Column],
    values: dict[str, Distinct],
    aside: dict[int, str],
) -> None:
    """Notes what units and languages are called; a unit of UCUM by its code, such as ``mg``."""
    numbers = {name: values["domains"].number(name) for name in NAMED_ASIDE}
    ucum = values["vocabularies"].number("UCUM")
    for row in np.flatnonzero(np.isin(columns["domains"], list(numbers.values()))).tolist():
        is_unit = columns["domains"][row] == numbers["Unit"] and columns["vocabularies"][row] == ucum
        place = fields[1] if is_unit else fields[0]
        text = block.field(row, place)
        if len(text) <= _LONGEST_ASIDE:
            aside.setdefault(int(ids[row]), text.decode(errors="replace"))


def _each_once(ids: Column, name: Strings, parts: Sequence[_Part], files: OmopFiles, log: ReleaseLog) -> Column:
    """The rows by ascending id; of an id that comes again the first row that has a name, the others are counted."""
    order = np.lexsort((name.lengths == 0, ids))
    ordered = ids[order]
    again = ~begins(ordered)
    if not again.any():
        return order
    file = np.concatenate([part.file for part in parts])
    line = np.concatenate([part.line for part in parts])
    sources = files.kinds["concept"]
    for place in np.flatnonzero(again).tolist():
        row, first = int(order[place]), int(order[np.searchsorted(ordered, ordered[place])])
        log.counts.kept -= 1
        if file[row] != file[first]:
            log.counts.skipped[AGAIN] += 1
        else:
            log.counts.rows -= 1
            log.malformed(sources[int(file[row])], int(line[row]), f"duplicate concept_id {ids[row]}")
    return order[~again]
