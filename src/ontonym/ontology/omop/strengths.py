"""How much of each ingredient a drug has, as OMOP's DRUG_STRENGTH says, in words."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Mask
from ontonym.files.delimited import Block, Table
from ontonym.ontology.omop.concepts import Concepts
from ontonym.ontology.omop.files import Files
from ontonym.ontology.omop.rows import EMPTY, IdSet, sound, still_valid
from ontonym.ontology.omop.sides import INVALID, OTHER_CONCEPT, Told
from ontonym.ontology.release import ReleaseLog
from ontonym.text.strings import Strings, boundaries, spread

NO_AMOUNT = "strength without an amount"


def strengths(files: Files, known: IdSet, concepts: Concepts, log: ReleaseLog) -> Told:
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
            space = Strings.of([" "]).take(np.zeros(len(rows), dtype=np.int64))
            texts.append(beside(concepts.names_of(parts[rows]), space, amounts.take(rows)))
    joined = np.concatenate([*owners, np.zeros(0, dtype=np.int64)])
    order = np.argsort(joined, kind="stable")
    return Told(joined[order], order, Strings.joined(texts), np.zeros(0, dtype=np.int64))


def _amounts(block: Block, table: Table, concepts: Concepts) -> Strings:
    """Amount or concentration of each row in words; empty where it has neither."""

    def measure(name: str, before: str = "") -> tuple[Strings, Mask]:
        value_field, unit_field = table.columns(f"{name}_value", f"{name}_unit_concept_id")
        given = ~block.has(value_field, *EMPTY)
        values = block.texts(value_field)
        units = concepts.units_of(block.numbers(unit_field))
        spaces = Strings.of(("", " ")).take((units.lengths > 0).astype(np.int64))
        heads = Strings.of([before]).take(np.zeros(len(block), dtype=np.int64))
        return beside(heads, values, spaces, units), given

    amount, has_amount = measure("amount")
    numerator, has_numerator = measure("numerator")
    denominator, has_denominator = measure("denominator", "/")
    unit_alone, _ = _unit_alone(block, table, concepts)
    below = _either(denominator, has_denominator, unit_alone)
    concentration = beside(numerator, below)
    nothing = Strings.of([""]).take(np.zeros(len(block), dtype=np.int64))
    return _either(amount, has_amount, _either(concentration, has_numerator, nothing))


def _unit_alone(block: Block, table: Table, concepts: Concepts) -> tuple[Strings, Mask]:
    """``/mL`` where only the unit of a denominator is given."""
    units = concepts.units_of(block.numbers(table.columns("denominator_unit_concept_id")[0]))
    there = units.lengths > 0
    return beside(Strings.of(("", "/")).take(there.astype(np.int64)), units), there


def _either(first: Strings, chosen: Mask, second: Strings) -> Strings:
    """The first text where chosen, else the second."""
    count = len(first)
    return Strings.joined([first, second]).take(np.where(chosen, np.arange(count), count + np.arange(count)))


def beside(*columns: Strings) -> Strings:
    """The texts at the same place of all columns, one after another."""
    lengths = [column.lengths for column in columns]
    bounds = boundaries(np.sum(lengths, axis=0))
    data = np.empty(int(bounds[-1]), dtype=np.uint8)
    starts = bounds[:-1].copy()
    for column, each in zip(columns, lengths, strict=True):
        data[spread(starts, each)] = column.data[column.offsets[0] : column.offsets[-1]]
        starts += each
    return Strings(data, bounds)
