"""Taking away terms that repeat another of the same concept, a batch at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ontonym.ontology.batch import Part, concept_rows
from ontonym.text.strings import Coded, mixed


def without_repeats(terms: Part) -> tuple[Part, int]:
    """The terms without those whose text, kind and language an earlier one of the concept has; and how many fell."""
    owners, texts = concept_rows(terms), terms.texts["term_text"]
    marks = mixed(owners, texts.hashes(), terms.coded["term_kind"].codes, terms.coded["term_language"].codes)
    order = np.argsort(marks, kind="stable")
    repeated = np.zeros(len(marks), dtype=np.bool_)
    repeated[1:] = marks[order][1:] == marks[order][:-1]
    later = order[repeated]
    first = order[np.maximum.accumulate(np.where(repeated, 0, np.arange(len(order))))[repeated]]
    later = later[texts.take(later).equal(texts.take(first))]  # equal marks of other texts would be a rare accident
    if not len(later):
        return terms, 0
    kept = np.ones(len(marks), dtype=np.bool_)
    kept[later] = False
    return _only(terms, owners, np.flatnonzero(kept)), len(later)


def _only(part: Part, owners: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> Part:
    return replace(
        part,
        counts=np.bincount(owners[rows], minlength=len(part.counts)),
        texts={name: column.take(rows) for name, column in part.texts.items()},
        coded={name: Coded(column.codes[rows], column.names) for name, column in part.coded.items()},
        numbers={name: column[rows] for name, column in part.numbers.items()},
    )
