"""The ``historical`` recipe: names of a retired concept paired with names of its active replacement."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from ontonym.arrays import Ints32, Rows, begins
from ontonym.errors import UnknownNameError
from ontonym.learning.recipes.combining import across, apart, distinct_pairs
from ontonym.learning.recipes.making import ExtraTexts, RecipeOptions, RecipeOutput, extra_texts
from ontonym.learning.recipes.pool import Pool, in_languages
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.ontology.rf2.ids import ASSOCIATIONS
from ontonym.ragged import boundaries
from ontonym.store import Terminology
from ontonym.text.strings import Strings


def make_historical(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """Pairs (name of a retired concept, name of the active one) for the ``associations`` of the options.

    Schulz, section 3.1, "SNOMED CT Deactivated Concepts": SAME AS, REPLACED BY and POSSIBLY EQUIVALENT TO, which the
    store keeps as ``replaced_by`` (the first two) and ``consider`` (with other weaker ones), and for RF2 under their
    own names as well. The paper pairs the two fully specified names; here every wanted name is paired. As there, the
    category in brackets is dropped from a retired fully specified name and "[D]" from any; so is OBO's "obsolete". A
    replacement that is retired itself is followed to its own if it has exactly one.

    Raises UnknownNameError for an association that none of the terminologies has.
    """
    pairs, counts = _associated(pool, options.associations)
    texts, owners = _retired_names(pool, np.unique(pairs[:, 0]))
    extra = _split(pool, texts, owners, pairs)
    tables: dict[Split, Ints32] = {}
    for place, split in enumerate(SPLITS):
        usable = np.flatnonzero(extra.splits == place)
        bounds = boundaries(np.bincount(owners[usable], minlength=pool.concept_count))
        chosen = pairs[pool.splits[pairs[:, 1]] == place]
        both = across(chosen, (len(pool.texts) + usable, bounds), pool.usable(split))
        tables[split] = apart(both, extra.spellings)
    described = {
        "associations": counts,
        "pairs_of_concepts": len(pairs),
        "names": len(texts),
        "excluded": extra.excluded,
    }
    return RecipeOutput(tables, extra.texts, extra.concepts, extra.spellings, described={"historical": described})


def _associated(pool: Pool, associations: tuple[str, ...]) -> tuple[Rows, dict[str, int]]:
    """Each retired concept with each of its active replacements, and the number of pairs of each association."""
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
    together = distinct_pairs(np.concatenate(pairs))
    return together[np.argsort(together[:, 0], kind="stable")], dict(counts)


def _retired_names(pool: Pool, concepts: Rows) -> tuple[Strings, Rows]:
    """The wanted names of retired concepts as they were in use, and their concepts, ascending.

    A concept whose names are all retired too gives its first: in RF2 the latest fully specified name, as in Schulz.
    """
    texts: list[str] = []
    owners: list[int] = []
    options = pool.options
    for terminology, first in zip(pool.terminologies, pool.firsts.tolist(), strict=False):
        mask = np.zeros(len(terminology), dtype=np.bool_)
        own = concepts[(concepts >= first) & (concepts < first + len(terminology))] - first
        mask[own] = True
        wanted = mask[terminology.term_concepts()]
        wanted &= terminology.term_scopes().among(options.scopes)
        wanted &= in_languages(terminology.term_languages(), options.languages)
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
    """The term rows that are active, and the first row of each concept without an active one."""
    concepts = terminology.term_concepts()[rows].astype(np.int64)
    active = terminology.term_statuses().among(("active",))[rows]
    some = np.bincount(concepts, weights=active, minlength=len(terminology)) > 0
    return rows[active | (begins(concepts) & ~some[concepts])]


def _split(pool: Pool, texts: Strings, owners: Rows, pairs: Rows) -> ExtraTexts:
    """The retired names with the split of their replacement; of several splits the last, so that it is not in train.

    Each belongs to the first replacement of its concept in that split.
    """
    own = np.zeros(pool.concept_count, dtype=np.uint8)
    np.maximum.at(own, pairs[:, 0], pool.splits[pairs[:, 1]])
    meant = np.zeros(pool.concept_count, dtype=np.int64)
    fitting = pairs[pool.splits[pairs[:, 1]] == own[pairs[:, 0]]][::-1]
    meant[fitting[:, 0]] = fitting[:, 1]  # the last one written holds, which is the first listed
    return extra_texts(pool, texts, meant[owners], own[owners])


LISTS = ("replaced_by", "consider")
"""Associations that the store has for every format."""

_STEPS = 20
"""The maximum number of replacements that are followed in a row."""

_TAG = re.compile(r"\s+\((?!&)[^()]+\)\s*$")
_NO_TAG = re.compile(r"(\bor|&)\s+\([^()]+\)\s*$")
_DEPRECATED = re.compile(r"^\s*\[D\]\s*|\s*\[D\]\s*$")
_OBSOLETE = re.compile(r"^obsolete[\s_:]+", re.IGNORECASE)


def known_associations(terminology: Terminology) -> list[str]:
    """The names that `associated` accepts: the lists of every format, and for RF2 its own associations."""
    predicates = terminology.part("relations").coded["relation_predicate"].names
    own = set(ASSOCIATIONS.values())
    return [*LISTS, *(name for name in predicates if name in own or "association" in name.casefold())]


def associated(terminology: Terminology, name: str) -> Rows:
    """Each retired concept with each of its active replacements by an association, as rows, shape ``(pairs, 2)``.

    A replacement that is retired itself is followed to its own if it has exactly one.
    """
    if name in LISTS:
        lists = terminology.lists(name)
        owners = lists.owners()
        targets = lists.values.strings()
    else:
        part = terminology.part("relations")
        owners = part.owners()
        rows = np.flatnonzero(part.coded["relation_predicate"].among((name,)))
        owners, targets = owners[rows], part.texts["relation_target"].take(rows)
    retired = np.flatnonzero(~terminology.active[owners])
    owners, rows = owners[retired], current_rows(terminology, terminology.find_rows(targets.take(retired)))
    pairs: Rows = np.stack([owners, rows], axis=1)[rows >= 0]
    return pairs


def current_rows(terminology: Terminology, rows: Rows) -> Rows:
    """The rows with retired ones replaced while each has exactly one replacement; -1 if no active one is reached."""
    bounds = np.asarray(terminology.lists("replaced_by").bounds)
    ids = terminology.lists("replaced_by").values.strings()
    current = rows.copy()
    for _ in range(_STEPS):
        left = np.flatnonzero((current >= 0) & ~terminology.active[current])
        single = bounds[current[left] + 1] - bounds[current[left]] == 1
        current[left[~single]] = -1
        left = left[single]
        if not len(left):
            break
        current[left] = terminology.find_rows(ids.take(bounds[current[left]]))
    current[(current >= 0) & ~terminology.active[current]] = -1
    return current


def as_in_use(text: str, kind: str) -> str:
    """A name without marks that it is out of use ("[D]", "obsolete"), and an FSN without its category."""
    name = _DEPRECATED.sub("", _OBSOLETE.sub("", text))
    if kind == "fsn" and not _NO_TAG.search(name):
        name = _TAG.sub("", name)
    return name.strip()
