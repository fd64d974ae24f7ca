"""The ``synonyms`` recipe: Kong's synonym-based task, every two names of a concept; in ICD-10 its three sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Ints32, Mask, Rows
from ontonym.learning.recipes.combining import apart, within
from ontonym.learning.recipes.making import RecipeOptions, RecipeOutput, extra_texts
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.ontology.icd.titles import TITLE, concatenated, stands_alone
from ontonym.ragged import boundaries
from ontonym.store import Terminology
from ontonym.text.strings import Strings


def make_synonyms(pool: Pool, options: RecipeOptions, epoch: int) -> RecipeOutput:
    """All d(d-1)/2 pairs of the names of each concept, (m, c) = (l_p, l_q) with p > q (Kong, section 4.2).

    ``l_1`` is the preferred name, so it is always the positive, on the right side. For ICD-10, read from a format that
    has them, the pairs are instead those of its three sections (Kong, section 4.1): the title concatenated with those
    above it, the code's description, and what "see also" names. L and R differ, so each two texts of different sections
    come in both orders (the paper's 141,000 pairs over 69,000 codes are two per code); inclusion terms, which are no
    section, are not paired. A release without such sections, such as a tabular list without its alphabetic index, is
    paired like any terminology.
    """
    sections = icd10_sections(pool)
    tables: dict[Split, Ints32] = {}
    for split in SPLITS:
        rows, bounds = pool.usable(split)
        plain = ~sections.concepts[pool.concepts[rows]]
        counts = np.where(sections.concepts, 0, np.diff(bounds))
        tables[split] = np.concatenate([within(rows[plain], boundaries(counts)), sections.tables[split]])
    return RecipeOutput(
        tables,
        more=sections.more,
        more_concepts=sections.more_concepts,
        spellings=sections.spellings,
        described={"sections": dict(sections.described)} if sections.concepts.any() else {},
    )


FORMATS = ("icd10cm", "claml")
"""The formats whose readers keep the sections separate."""

_INDEXES = ("index", "eindex", "neoplasm", "drug")
"""Sources of names that are concatenated titles of an alphabetic index, from the main term down."""
_DESCRIBED = ("desc", "preferred", "preferredLong", TITLE)
"""Sources of names that are published titles beside the preferred name."""
_SEE_ALSO = "seeAlso"

_CONCATENATION, _DESCRIPTION, _SEEN = range(3)
_SECTION_NAMES = ("title_concatenations", "code_descriptions", "see_also")


@dataclass(frozen=True, slots=True, eq=False)
class Sections:
    """The pairs of texts of different sections, and those of the texts that the pool does not have.

    ``concepts`` marks those of the terminologies that have such pairs; ``described`` counts the texts of each section.
    """

    tables: Mapping[Split, Ints32]
    concepts: Mask
    more: Strings
    more_concepts: Ints32
    spellings: Ints32
    described: Mapping[str, int]


def is_icd10(terminology: Terminology) -> bool:
    """Whether a terminology is ICD-10 or a modification of it, read from a format that keeps its sections separate."""
    prefixes = terminology.manifest.content.get("prefixes") or [""]
    return terminology.metadata.get("format") in FORMATS and str(prefixes[0]).startswith("ICD10")


def icd10_sections(pool: Pool) -> Sections:
    """The pairs of sections of every ICD-10 in the pool: each two texts of different sections, in both orders.

    The code description is the published title: the preferred name, or, if the import concatenated titles, the name
    with the source ``title`` (a broad one, used if broad names are wanted). Title concatenations are the names of the
    alphabetic index; else the preferred name, if the import concatenated it; else one made here of the title and those
    above it, if the title does not stand alone.
    """
    parts = [np.zeros((0, 3), dtype=np.int64)]
    texts: list[str] = []
    for number, terminology in enumerate(pool.terminologies):
        if is_icd10(terminology):
            listed = _listed(pool, number)
            found = [*_titles(pool, number, listed), *_see_also(pool, number)]
            places = len(pool.texts) + len(texts) + np.arange(len(found))
            kinds = [(concept, section) for concept, section, _ in found]
            parts += [listed, np.column_stack([np.array(kinds, dtype=np.int64).reshape(-1, 2), places])]
            texts += [text for _, _, text in found]
    rows = np.concatenate(parts)
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    added = rows[rows[:, 2] >= len(pool.texts)]
    extra = extra_texts(pool, Strings.of(texts), added[np.argsort(added[:, 2]), 0])
    splits = np.concatenate([pool.text_splits, extra.splits])[rows[:, 2]]
    tables = {split: apart(_paired(rows[splits == place]), extra.spellings) for place, split in enumerate(SPLITS)}
    concepts = np.zeros(pool.concept_count, dtype=np.bool_)
    owners = np.concatenate([pool.concepts, extra.concepts])[np.concatenate(list(tables.values()))[:, 0]]
    for first, last in zip(pool.firsts[:-1].tolist(), pool.firsts[1:].tolist(), strict=True):
        concepts[first:last] = ((owners >= first) & (owners < last)).any()
    counts = np.bincount(rows[:, 1], minlength=len(_SECTION_NAMES)).tolist()
    described = dict(zip(_SECTION_NAMES, counts, strict=True))
    return Sections(tables, concepts, extra.texts, extra.concepts, extra.spellings, described)


def _listed(pool: Pool, number: int) -> Rows:
    """Concept, section and position of each name of a terminology that belongs to a section."""
    begin, end = pool.bounds[pool.firsts[number : number + 2]].tolist()
    places = np.arange(begin, end)
    concepts = pool.concepts[begin:end].astype(np.int64)
    rows = pool.term_rows[begin:end]
    terminology = pool.terminologies[number]
    sources = terminology.term_sources()
    titled = np.unique(terminology.term_concepts()[sources.among((TITLE,))]) + pool.firsts[number]
    preferred = rows == terminology.term_bounds()[:-1][concepts - pool.firsts[number]]
    described = sources.among(_DESCRIBED)[rows]
    indexed = sources.among(_INDEXES)[rows]
    of_section = np.full(len(places), -1, dtype=np.int64)
    of_section[indexed] = _CONCATENATION
    of_section[described | preferred] = _DESCRIPTION
    of_section[preferred & np.isin(concepts, titled)] = _CONCATENATION
    listed: Rows = np.stack([concepts, of_section, places], axis=1)
    return listed[of_section >= 0]


def _titles(pool: Pool, number: int, listed: Rows) -> list[tuple[int, int, str]]:
    """The title concatenations of concepts that have none and whose title alone is not specific.

    As in the reader, parents come before their children; of several parents, the first known one gives the title above.
    """
    terminology, first = pool.terminologies[number], int(pool.firsts[number])
    described = set(listed[listed[:, 1] == _DESCRIPTION, 0].tolist())
    described -= set(listed[listed[:, 1] == _CONCATENATION, 0].tolist())
    languages = terminology.term_languages()
    full: dict[int, str] = {}
    found = []
    for row in range(len(terminology)):
        terms = terminology.terms_of(row)
        if not terms:
            continue
        language = languages.names[languages.codes[terms.start]]
        title = full[row] = terminology.preferred(row)
        above = next((full[parent] for parent in terminology.hierarchy.parents(row).tolist() if parent in full), "")
        if above and not stands_alone(title, language):
            full[row] = concatenated([title, above], language)
            if first + row in described:
                found.append((first + row, _CONCATENATION, full[row]))
    return found


def _see_also(pool: Pool, number: int) -> list[tuple[int, int, str]]:
    terminology = pool.terminologies[number]
    part = terminology.part("properties")
    owners = part.owners()
    chosen = np.flatnonzero(part.coded["property_name"].among((_SEE_ALSO,)) & terminology.active[owners])
    concepts = (owners[chosen] + pool.firsts[number]).tolist()
    texts = part.texts["property_value"].take(chosen).tolist()
    return [(concept, _SEEN, text) for concept, text in zip(concepts, texts, strict=True)]


def _paired(rows: Rows) -> Ints32:
    """Each two texts of different sections of a concept, in both orders; rows have concept, section, position."""
    _, counts = np.unique(rows[:, 0], return_counts=True)
    pairs = within(np.arange(len(rows)), boundaries(counts))
    pairs = pairs[rows[pairs[:, 0], 1] != rows[pairs[:, 1], 1]]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    table: Ints32 = rows[both, 2].astype(np.int32)
    return table
