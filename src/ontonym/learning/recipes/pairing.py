"""The short recipes: ``definitions``, ``mappings``, ``translations`` and ``annotated``."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32, Rows
from ontonym.learning.recipes.combining import across, apart, distinct_pairs, within
from ontonym.learning.recipes.making import ExtraTexts, RecipeOptions, RecipeOutput, extra_texts
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.ragged import boundaries
from ontonym.store import Terminology
from ontonym.text.strings import Strings


def make_definitions(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Pairs (name, definition): the anchor is a name, the positive a definition of its concept.

    A store does not record the language of a definition, so all definitions of a concept with a wanted name are used.
    """
    texts, owners = [], [np.zeros(0, dtype=np.int64)]
    for terminology, first in zip(pool.terminologies, pool.firsts.tolist(), strict=False):
        lists = terminology.lists("definitions")
        texts.append(lists.values.strings())
        owners.append(first + lists.owners())
    concepts = np.concatenate(owners)
    named = np.flatnonzero(np.diff(pool.bounds)[concepts] > 0)
    extra = extra_texts(pool, Strings.joined(texts).take(named), concepts[named])
    tables: dict[Split, Ints32] = {}
    for place, split in enumerate(SPLITS):
        tables[split] = apart(_with_names(pool, extra, place, pool.usable(split)), extra.spellings)
    described = {"definitions": {"of_named_concepts": len(named), "excluded": extra.excluded}}
    return RecipeOutput(tables, extra.texts, extra.concepts, extra.spellings, described)


def make_mappings(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Every name of a concept with every name of another that it is mapped to, or linked with.

    Mappings are those in the terminologies (SSSOM files are imported like others) with one of the ``predicates`` of the
    options; denied ones do not count. Subject and object are looked up in every terminology, by own and alternative
    ids. An object that none of them has is represented by its label in the mapping. Links are cross-references and
    equal preferred names, see `ontonym.learning.recipes.links`. The subject's name is the anchor.
    """
    mapped = [_mapped(pool, number, options.predicates) for number in range(len(pool.terminologies))]
    pairs = distinct_pairs(np.concatenate([*(found for found, _ in mapped), pool.links]))
    labels, owners = _labels([labelled for _, labelled in mapped])
    extra = extra_texts(pool, labels, owners)
    tables: dict[Split, Ints32] = {}
    same_split = 0
    for place, split in enumerate(SPLITS):
        names = pool.usable(split)
        within_split = (pool.splits[pairs] == place).all(axis=1)
        same_split += int(within_split.sum())
        both = across(pairs[within_split], names, names)
        labelled = _with_names(pool, extra, place, names)
        tables[split] = apart(np.concatenate([both, labelled]), extra.spellings)
    described = {
        "pairs_of_concepts": len(pairs),
        "across_splits": len(pairs) - same_split,
        "links": len(pool.links),
        "object_labels": len(labels),
    }
    return RecipeOutput(tables, extra.texts, extra.concepts, extra.spellings, described={"mappings": described})


def _mapped(pool: Pool, number: int, predicates: tuple[str, ...]) -> tuple[Rows, tuple[Strings, Rows]]:
    """The pairs of concepts in a terminology's mappings, and the labels of unknown objects, with their subjects."""
    terminology = pool.terminologies[number]
    part = terminology.part("mappings")
    owners = part.owners()
    rows = np.flatnonzero(part.coded["mapping_predicate"].among(predicates) & terminology.active[owners])
    subjects = pool.find(_ids(terminology, owners[rows]))
    objects = pool.find(part.texts["mapping_object"].take(rows))
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for subject in subjects:
        for target in objects:
            known = (subject >= 0) & (target >= 0)
            pairs.append(np.stack([subject[known], target[known]], axis=1))
    labels = part.texts["mapping_object_label"].take(rows)
    unknown = np.flatnonzero((np.max([*objects, np.full(len(rows), -1)], axis=0) < 0) & (labels.lengths > 0))
    subject_of = owners[rows][unknown] + pool.firsts[number]
    return np.concatenate(pairs), (labels.take(unknown), subject_of)


def _ids(terminology: Terminology, rows: Rows) -> Strings:
    return terminology.ids().strings().take(rows)


def _labels(parts: list[tuple[Strings, Rows]]) -> tuple[Strings, Rows]:
    texts = Strings.joined([texts for texts, _ in parts])
    return texts, np.concatenate([np.zeros(0, dtype=np.int64), *(owners for _, owners in parts)])


def _with_names(pool: Pool, extra: ExtraTexts, place: int, names: tuple[Rows, Rows]) -> Ints32:
    """Every name of a concept with every extra text of the same concept that the split at ``place`` may use."""
    usable = np.flatnonzero(extra.splits == place)
    usable = usable[np.argsort(extra.concepts[usable], kind="stable")]
    bounds = boundaries(np.bincount(extra.concepts[usable], minlength=pool.concept_count))
    (concepts,) = np.nonzero(np.diff(bounds))
    return across(np.stack([concepts, concepts], axis=1), names, (len(pool.texts) + usable, bounds))


def make_translations(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Every two names of a concept in different languages; the positive is the earlier, so the preferred one.

    Dialects (``en-GB``) are one language. Concepts of two terminologies with the same id are one concept, as when a
    translation was imported by itself; the names of the first terminology are the positives. The pool must have several
    languages, or all.
    """
    column = pool.column("language")
    bases = [name.partition("-")[0].casefold() for name in column.names]
    numbers = np.array([bases.index(base) for base in bases], dtype=np.int64)
    languages = numbers[column.codes] if bases else np.zeros(0, dtype=np.int64)
    same = _same_ids(pool)[:, ::-1]
    tables: dict[Split, Ints32] = {}
    for split in SPLITS:
        names = pool.usable(split)
        pairs = [apart(table, languages) for table in (within(*names), across(same, names, names))]
        tables[split] = apart(np.concatenate(pairs), pool.spellings)
    counts = np.bincount(languages, minlength=len(bases)).tolist()
    return RecipeOutput(
        tables, described={"languages": {bases[number]: count for number, count in enumerate(counts) if count}}
    )


def _same_ids(pool: Pool) -> Rows:
    """The linked concepts that have the same id in two terminologies."""
    ids = Strings.joined([terminology.ids().strings() for terminology in pool.terminologies])
    first, second = ids.take(pool.links[:, 0]), ids.take(pool.links[:, 1])
    same: Rows = pool.links[first.equal(second)]
    return same


def make_annotated(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Each annotated text as anchor with the first name of its concept: the primary task of Kong, section 6.3.

    Texts spelled like that name, and those whose concept has no name in the split, give no example; ``described``
    counts what is left out.
    """
    tables: dict[Split, Ints32] = {}
    for split in SPLITS:
        names, bounds = pool.usable(split)
        rows = pool.annotated_of(split)
        starts = bounds[pool.concepts[rows]]
        named = bounds[pool.concepts[rows] + 1] > starts
        pairs = np.stack([rows[named], names[starts[named]]], axis=1).astype(np.int32)
        tables[split] = apart(pairs, pool.spellings)
    return RecipeOutput(tables, described={"annotated_texts": {split: len(table) for split, table in tables.items()}})
