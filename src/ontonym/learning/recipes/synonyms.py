"""The ``synonyms`` recipe: Kong's synonym-based task, every two names of a concept."""

from __future__ import annotations

import numpy as np

from ontonym.arrays import Ints32
from ontonym.learning.recipes import icd10
from ontonym.learning.recipes.combining import within
from ontonym.learning.recipes.making import Made, RecipeOptions
from ontonym.learning.recipes.pool import Pool
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.text.strings import boundaries


def make(pool: Pool, options: RecipeOptions, epoch: int) -> Made:
    """All d(d-1)/2 pairs of the names of each concept, (m, c) = (l_p, l_q) with p > q (Kong, section 4.2).

    ``l_1`` is the preferred name, so that it is always the positive, on the right side. Of ICD-10, where it was read
    from a format that has them, the pairs are instead those of its three sections (Kong, section 4.1): the title
    concatenated with those above it, the code's description, and what "see also" names. L and R differ, so that each
    two texts of different sections come both ways round (the paper's 141,000 pairs over 69,000 codes are two a code);
    what is no section (inclusion terms) is not paired. A release without such sections, as a tabular list without its
    alphabetic index, is paired like any terminology.
    """
    sections = icd10.sections(pool)
    tables: dict[Split, Ints32] = {}
    for split in SPLITS:
        rows, bounds = pool.usable(split)
        plain = ~sections.concepts[pool.concepts[rows]]
        counts = np.where(sections.concepts, 0, np.diff(bounds))
        tables[split] = np.concatenate([within(rows[plain], boundaries(counts)), sections.tables[split]])
    return Made(
        tables,
        more=sections.more,
        more_concepts=sections.more_concepts,
        spellings=sections.spellings,
        told={"sections": dict(sections.told)} if sections.concepts.any() else {},
    )
