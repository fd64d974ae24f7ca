"""The facts about concepts in the other tables: synonyms, relationships, ancestors, and the strength of drugs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Column, Mask, distinct, joined
from ontonym.files.delimited import Block, BlockTable
from ontonym.ontology.languages import UNKNOWN
from ontonym.ontology.omop.concepts import Concepts
from ontonym.ontology.omop.files import EMPTY, Distinct, IdSet, OmopFiles, sound, still_valid
from ontonym.ontology.omop.words import (
    INVERSES,
    IS_A,
    LANGUAGES,
    MAPS_TO,
    MAPS_TO_VALUE,
    REPLACING,
    SUGGESTING,
    named_language,
)
from ontonym.ontology.options import OTHER_LANGUAGE
from ontonym.ontology.release import ReleaseLog
from ontonym.ragged import spread
from ontonym.text.strings import Strings, concatenated

OTHER_CONCEPT = "row of a concept that is not taken"
INVALID = "row that is no longer valid"
INVERSE = "inverse of a relationship that is read"
ITSELF = "relationship of a concept with itself"
DISTANT = "ancestor that is not a parent"
KNOWN_PARENT = "ancestor of a concept whose parents the relationships tell"

_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Linked:
    """Pairs of concept and target, ascending; ``codes`` are the kinds of the pairs, as positions in ``names``."""

    pairs: Column
    codes: Column
    names: Sequence[str]

    def of(self, ids: Column) -> tuple[Column, Column]:
        """How many pairs each concept of ascending ids has, and where they all are."""
        return _places(self.pairs, ids.astype(np.uint64) << _HALF, (ids.astype(np.uint64) + np.uint64(1)) << _HALF)

    def targets(self, places: Column) -> Column:
        """The ids of the targets in these places."""
        return (self.pairs[places] & _LOWER).astype(np.int64)


@dataclass(frozen=True, slots=True)
class ConceptTexts:
    """Texts by concept: that of ``owners[i]`` is the one in row ``order[i]``, with a number that goes with it."""

    owners: Column
    order: Column
    texts: Strings
    numbers: Column

    @classmethod
    def by_owner(cls, owners: Column, texts: Strings, numbers: Column) -> ConceptTexts:
        """The texts, each with the concept at the same place."""
        order = np.argsort(owners, kind="stable")
        return cls(owners[order], order, texts, numbers)

    def of(self, ids: Column) -> tuple[Column, Column]:
        """How many texts each concept of ascending ids has, and the rows they are in."""
        counts, places = _places(self.owners, ids, ids + 1)
        return counts, self.order[places]


def _places(keys: Column, begin: Column, end: Column) -> tuple[Column, Column]:
    """How many ascending keys are from each ``begin`` up to its ``end``, and where they all are."""
    starts = np.searchsorted(keys, begin)
    counts = np.searchsorted(keys, end) - starts
    return counts, spread(starts, counts)


@dataclass(frozen=True, slots=True)
class OmopLinks:
    """The links of concepts to others."""

    parents: Linked
    relations: Linked
    mappings: Linked
    replaced_by: Linked
    consider: Linked


def synonyms(files: OmopFiles, known: IdSet, concepts: Concepts, log: ReleaseLog) -> tuple[ConceptTexts, Sequence[str]]:
    """The synonyms of the concepts in the languages asked for, each with a place in the language tags given."""
    tags: dict[str, int] = {}
    owners, texts, languages = [], [], []
    for table in files.open("synonym", log):
        identifier, name = table.columns("concept_id", "concept_synonym_name")
        language = table.columns("language_concept_id")[0] if table.has_column("language_concept_id") else None
        for block in table.blocks():
            ids = block.numbers(identifier)
            rows, ids = sound(block, ids >= 0, "concept_id is not a number", log, ids)
            spoken = _languages(rows, language, tags, concepts)
            taken = known.has(ids)
            log.skip(OTHER_CONCEPT, ~taken)
            wanted = np.array([log.options.takes_language(tag) for tag in tags], dtype=np.bool_)[spoken]
            log.skip(OTHER_LANGUAGE, taken & ~wanted)
            taken &= wanted
            log.keep(taken)
            owners.append(ids[taken])
            languages.append(spoken[taken].astype(np.uint16))
            texts.append(rows.only(taken).texts(name))
    return ConceptTexts.by_owner(joined(owners), Strings.joined(texts), joined(languages, np.uint16)), tuple(tags)


def _languages(block: Block, field: int | None, tags: dict[str, int], concepts: Concepts) -> Column:
    """The language of each row as a place in ``tags``, to which new ones are added; without the column, English."""
    if field is None:
        return np.full(len(block), tags.setdefault("en", len(tags)))
    distinct, inverse = np.unique(block.numbers(field), return_inverse=True)
    found = [
        LANGUAGES.get(language) or named_language(concepts.aside.get(language, UNKNOWN))
        for language in distinct.tolist()
    ]
    return np.array([tags.setdefault(tag, len(tags)) for tag in found], dtype=np.int64)[inverse]


class _Pairs:
    """Pairs of one kind as they are found."""

    def __init__(self) -> None:
        self._pairs: list[Column] = [np.zeros(0, dtype=np.uint64)]
        self._codes: list[Column] = [np.zeros(0, dtype=np.uint16)]

    def add(self, owners: Column, targets: Column, codes: Column | None = None) -> None:
        """Adds pairs; without codes, all are of code 0."""
        self._pairs.append((owners.astype(np.uint64) << _HALF) | targets.astype(np.uint64))
        self._codes.append(np.zeros(len(owners), dtype=np.uint16) if codes is None else codes.astype(np.uint16))

    def plain(self) -> Linked:
        """The pairs, each once."""
        return Linked(distinct(np.concatenate(self._pairs)), np.zeros(0, dtype=np.uint16), ("",))

    def owners(self) -> Column:
        """The concept of every pair."""
        return (np.concatenate(self._pairs) >> _HALF).astype(np.int64)

    def coded(self, names: Sequence[str]) -> Linked:
        """The pairs with their kinds."""
        pairs, codes = np.concatenate(self._pairs), np.concatenate(self._codes)
        self._pairs, self._codes = [], []
        order = np.argsort(pairs, kind="stable")
        return Linked(pairs[order], codes[order], names)


def links(files: OmopFiles, known: IdSet, log: ReleaseLog) -> OmopLinks:
    """What relationships say, and for concepts that no relationship gives a parent the nearest ancestors."""
    parents, relations, mappings, replaced_by, consider = (_Pairs() for _ in range(5))
    known_names = Distinct()
    for table in files.open("relationship", log):
        for block in table.blocks():
            owners, targets, codes = _relationships(block, table, known_names, known, log)
            kinds = known_names.numbered(_kind)[codes]
            for kind, pairs in enumerate((parents, replaced_by, consider)):
                rows = kinds == kind
                pairs.add(owners[rows], targets[rows])
            rows = kinds == _MAPPING
            mappings.add(owners[rows], targets[rows], codes[rows] == known_names.number(MAPS_TO_VALUE))
            rows = kinds == _RELATION
            relations.add(owners[rows], targets[rows], codes[rows])
    _ancestors(files, known, parents, log)
    return OmopLinks(
        parents.plain(),
        relations.coded(known_names.names),
        mappings.coded((MAPS_TO, MAPS_TO_VALUE)),
        replaced_by.plain(),
        consider.plain(),
    )


_PARENT, _REPLACING, _SUGGESTING, _MAPPING, _RELATION, _INVERSE = range(6)


def _kind(name: str) -> int:
    if name in INVERSES:
        return _INVERSE
    if name == IS_A:
        return _PARENT
    if name in REPLACING:
        return _REPLACING
    if name in SUGGESTING:
        return _SUGGESTING
    return _MAPPING if name in (MAPS_TO, MAPS_TO_VALUE) else _RELATION


def _relationships(
    block: Block, table: BlockTable, known_names: Distinct, known: IdSet, log: ReleaseLog
) -> tuple[Column, Column, Column]:
    """Owner, target and relationship of the rows of a block that are read."""
    one, two, relationship = table.columns("concept_id_1", "concept_id_2", "relationship_id")
    owners, targets = block.numbers(one), block.numbers(two)
    problem = "concept_id_1 or concept_id_2 is not a number"
    block, owners, targets = sound(block, (owners >= 0) & (targets >= 0), problem, log, owners, targets)
    taken = still_valid(block, table, log, INVALID)
    codes = known_names.of(block.texts(relationship))
    again = known_names.numbered(_kind)[codes] == _INVERSE
    for rule, good in ((INVERSE, ~again), (ITSELF, owners != targets), (OTHER_CONCEPT, known.has(owners))):
        log.skip(rule, taken & ~good)
        taken &= good
    log.keep(taken)
    return owners[taken], targets[taken], codes[taken]


def _ancestors(files: OmopFiles, known: IdSet, parents: _Pairs, log: ReleaseLog) -> None:
    """Adds the ancestors one step away of concepts without an is-a of their own, as drugs and ATC classes are."""
    tables = files.open("ancestor", log)
    if not tables:
        return
    has_parents = IdSet(parents.owners())
    for table in tables:
        above, below, least = table.columns("ancestor_concept_id", "descendant_concept_id", "min_levels_of_separation")
        for whole in table.blocks():
            near = whole.has(least, b"1")
            log.skip(DISTANT, ~near)
            block = whole.only(near)
            targets, owners = block.numbers(above), block.numbers(below)
            problem = "ancestor_concept_id or descendant_concept_id is not a number"
            block, owners, targets = sound(block, (owners >= 0) & (targets >= 0), problem, log, owners, targets)
            taken = known.has(owners)
            log.skip(OTHER_CONCEPT, ~taken)
            has_parent = has_parents.has(owners)
            log.skip(KNOWN_PARENT, taken & has_parent)
            taken &= ~has_parent
            log.keep(taken)
            parents.add(owners[taken], targets[taken])


NO_AMOUNT = "strength without an amount"


def strengths(files: OmopFiles, known: IdSet, concepts: Concepts, log: ReleaseLog) -> ConceptTexts:
    """What each drug has of each ingredient, in words: ``aspirin 500 mg``, ``codeine 2 mg/5 mL``."""
    owners, texts = [], []
    for table in files.open("strength", log):
        drug, ingredient = table.columns("drug_concept_id", "ingredient_concept_id")
        for whole in table.blocks():
            ids, parts = whole.numbers(drug), whole.numbers(ingredient)
            problem = "drug_concept_id or ingredient_concept_id is not a number"
            block, ids, parts = sound(whole, (ids >= 0) & (parts >= 0), problem, log, ids, parts)
            taken = still_valid(block, table, log, INVALID)
            mine = known.has(ids)
            log.skip(OTHER_CONCEPT, taken & ~mine)
            taken &= mine
            amounts = _amounts(block, table, concepts)
            measured = amounts.lengths > 0
            log.skip(NO_AMOUNT, taken & ~measured)
            taken &= measured
            log.keep(taken)
            rows = np.flatnonzero(taken)
            owners.append(ids[rows])
            texts.append(concatenated(concepts.names_of(parts[rows]), repeated(" ", len(rows)), amounts.take(rows)))
    return ConceptTexts.by_owner(joined(owners), Strings.joined(texts), np.zeros(0, dtype=np.int64))


def _amounts(block: Block, table: BlockTable, concepts: Concepts) -> Strings:
    """Amount or concentration of each row in words; empty where it has neither."""

    def measure(name: str, before: str = "") -> tuple[Strings, Mask]:
        value_field, unit_field = table.columns(f"{name}_value", f"{name}_unit_concept_id")
        given = ~block.has(value_field, *EMPTY)
        values = block.texts(value_field)
        units = concepts.units_of(block.numbers(unit_field))
        spaces = Strings.of(("", " ")).take((units.lengths > 0).astype(np.int64))
        return concatenated(repeated(before, len(block)), values, spaces, units), given

    amount, has_amount = measure("amount")
    numerator, has_numerator = measure("numerator")
    denominator, has_denominator = measure("denominator", "/")
    below = either(denominator, has_denominator, _unit_alone(block, table, concepts))
    concentration = concatenated(numerator, below)
    return either(amount, has_amount, either(concentration, has_numerator, repeated("", len(block))))


def _unit_alone(block: Block, table: BlockTable, concepts: Concepts) -> Strings:
    """``/mL`` where only the unit of a denominator is given."""
    units = concepts.units_of(block.numbers(table.columns("denominator_unit_concept_id")[0]))
    return concatenated(Strings.of(("", "/")).take((units.lengths > 0).astype(np.int64)), units)


def either(first: Strings, chosen: Mask, second: Strings) -> Strings:
    """The first text where chosen, else the second."""
    count = len(first)
    return Strings.joined([first, second]).take(np.where(chosen, np.arange(count), count + np.arange(count)))


def repeated(text: str, count: int) -> Strings:
    """The same text so many times."""
    return Strings.of([text]).take(np.zeros(count, dtype=np.int64))
