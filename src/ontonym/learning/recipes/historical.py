"""The ``historical`` recipe: names of a retired concept with names of the one that took its place."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ontonym.arrays import Ints32, Rows
from ontonym.errors import UnknownNameError
from ontonym.learning.recipes.associations import as_in_use, associated, known_associations
from ontonym.learning.recipes.combining import across, distinct, spelled_apart
from ontonym.learning.recipes.extra import Further, further_texts
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool, among, spoken
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.store import Terminology
from ontonym.text.strings import Strings, boundaries


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """Pairs (name of a retired concept, name of the active one) for the ``associations`` of the options.

    Schulz, section 3.1, "SNOMED CT Deactivated Concepts": SAME AS, REPLACED BY and POSSIBLY EQUIVALENT TO, which the
    store keeps as ``replaced_by`` (the first two) and ``consider`` (with other weaker ones), and in RF2 by their own
    names as well. Where the paper pairs the two fully specified names, every wanted name is paired here. As there, the
    category in brackets is dropped from a retired fully specified name and "[D]" from any; so is OBO's "obsolete". A
    replacement that is retired itself leads on to its own where it has exactly one.

    Raises UnknownNameError for an association that none of the terminologies has.
    """
    pairs, counts = _associated(pool, options.associations)
    texts, owners = _retired_names(pool, np.unique(pairs[:, 0]))
    further = _split(pool, texts, owners, pairs)
    tables: dict[Split, Ints32] = {}
    for place, split in enumerate(SPLITS):
        usable = np.flatnonzero(further.splits == place)
        bounds = boundaries(np.bincount(owners[usable], minlength=pool.concept_count))
        chosen = pairs[pool.splits[pairs[:, 1]] == place]
        both = across(chosen, (len(pool.texts) + usable, bounds), pool.usable(split))
        tables[split] = spelled_apart(both, further.spellings)
    told = {"associations": counts, "pairs_of_concepts": len(pairs), "names": len(texts), "excluded": further.excluded}
    return Made(tables, further.texts, further.concepts, further.spellings, told={"historical": told})


def _associated(pool: Pool, associations: tuple[str, ...]) -> tuple[Rows, dict[str, int]]:
    """Each retired concept with each active one that it leads to, and how many pairs each association gives."""
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    counts: Counter[str] = Counter()
    known = {name.casefold(): name for part in pool.terminologies for name in known_associations(part)}
    for association in associations:
        name = known.get(association.replace("-", "_").casefold()) or known.get(association.casefold())
        if name is None:
            raise UnknownNameError("association", association, known.values())
        for number in range(len(pool.terminologies)):
            found = associated(pool.terminologies[number], name) + pool.firsts[number]
            counts[name] += len(found)
            pairs.append(found)
    together = distinct(np.concatenate(pairs))
    return together[np.argsort(together[:, 0], kind="stable")], dict(counts)


def _retired_names(pool: Pool, concepts: Rows) -> tuple[Strings, Rows]:
    """The wanted names of retired concepts as they were when in use, and whose they are, ascending.

    Of a concept whose names are all retired too, the first: in RF2 the latest fully specified name, as Schulz takes it.
    """
    texts: list[str] = []
    owners: list[int] = []
    options = pool.options
    for terminology, first in zip(pool.terminologies, pool.firsts.tolist(), strict=False):
        mask = np.zeros(len(terminology), dtype=np.bool_)
        own = concepts[(concepts >= first) & (concepts < first + len(terminology))] - first
        mask[own] = True
        wanted = mask[terminology.term_concepts()]
        wanted &= among(terminology.term_scopes(), options.scopes)
        wanted &= spoken(terminology.term_languages(), options.languages)
        rows = _in_use(terminology, np.flatnonzero(wanted))
        kinds = terminology.term_kinds()
        of = terminology.term_concepts()[rows].astype(np.int64) + first
        named = zip(terminology.term_texts().take(rows), kinds.codes[rows].tolist(), of.tolist(), strict=True)
        seen: set[tuple[int, str]] = set()
        for text, kind, concept in named:
            name = as_in_use(text, kinds.names[kind])
            if name and (concept, name) not in seen:
                seen.add((concept, name))
                texts.append(name)
                owners.append(concept)
    return Strings.of(texts), np.array(owners, dtype=np.int64)


def _in_use(terminology: Terminology, rows: Rows) -> Rows:
    """The term rows that are active, and the first row of each concept that has no such one."""
    concepts = terminology.term_concepts()[rows].astype(np.int64)
    active = among(terminology.term_statuses(), ("active",))[rows]
    some = np.bincount(concepts, weights=active, minlength=len(terminology)) > 0
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = concepts[1:] != concepts[:-1]
    return rows[active | (first & ~some[concepts])]


def _split(pool: Pool, texts: Strings, owners: Rows, pairs: Rows) -> Further:
    """The retired names with the split of what they lead to; of several splits the last, so that it is not in train.

    Each speaks of the first concept of that split that its own leads to.
    """
    own = np.zeros(pool.concept_count, dtype=np.uint8)
    np.maximum.at(own, pairs[:, 0], pool.splits[pairs[:, 1]])
    meant = np.zeros(pool.concept_count, dtype=np.int64)
    fitting = pairs[pool.splits[pairs[:, 1]] == own[pairs[:, 0]]][::-1]
    meant[fitting[:, 0]] = fitting[:, 1]  # of several the last one written stays, which is the first listed
    return further_texts(pool, texts, meant[owners], own[owners])
