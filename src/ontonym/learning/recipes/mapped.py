"""The ``mappings`` recipe: names of two concepts that a mapping or a link says are the same."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32, Rows
from ontonym.learning.recipes.combining import across, distinct, spelled_apart
from ontonym.learning.recipes.extra import Further, further_texts
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool, among
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.store import Terminology
from ontonym.text.strings import Strings, boundaries


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Every name of a concept with every name of another that it is mapped to, or linked with.

    Mappings are those that the terminologies hold (SSSOM files are imported like others) with one of the ``predicates``
    of the options; a denied one is none. Subject and object are looked for in every terminology, by own and alternative
    ids. An object that none of them has takes part by the label that the mapping gives it. Links are cross-references
    and equal preferred names, see `ontonym.learning.recipes.links`. The subject's name is the anchor.
    """
    mapped = [_mapped(pool, number, options.predicates) for number in range(len(pool.terminologies))]
    pairs = distinct(np.concatenate([np.zeros((0, 2), dtype=np.int64), *(found for found, _ in mapped), pool.links]))
    labels, owners = _labels([labelled for _, labelled in mapped])
    further = further_texts(pool, labels, owners)
    tables: dict[Split, Ints32] = {}
    same_split = 0
    for place, split in enumerate(SPLITS):
        names = pool.usable(split)
        within_split = (pool.splits[pairs] == place).all(axis=1)
        same_split += int(within_split.sum())
        both = across(pairs[within_split], names, names)
        labelled = _labelled(pool, further, place, names)
        tables[split] = spelled_apart(np.concatenate([both, labelled]), further.spellings)
    told = {
        "pairs_of_concepts": len(pairs),
        "across_splits": len(pairs) - same_split,
        "links": len(pool.links),
        "object_labels": len(labels),
    }
    return Made(tables, further.texts, further.concepts, further.spellings, told={"mappings": told})


def _mapped(pool: Pool, number: int, predicates: tuple[str, ...]) -> tuple[Rows, tuple[Strings, Rows]]:
    """The pairs of concepts that a terminology's mappings name, and labels of objects that none has, with subjects."""
    terminology = pool.terminologies[number]
    part = terminology.part("mappings")
    owners = np.repeat(np.arange(len(terminology)), part.counts)
    rows = np.flatnonzero(among(part.coded["mapping_predicate"], predicates) & terminology.active[owners])
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


def _labelled(pool: Pool, further: Further, place: int, names: tuple[Rows, Rows]) -> Ints32:
    """Every name of a subject with the label of an object that no terminology has."""
    usable = np.flatnonzero(further.splits == place)
    usable = usable[np.argsort(further.concepts[usable], kind="stable")]
    bounds = boundaries(np.bincount(further.concepts[usable], minlength=pool.concept_count))
    (subjects,) = np.nonzero(np.diff(bounds))
    return across(np.stack([subjects, subjects], axis=1), names, (len(pool.texts) + usable, bounds))
