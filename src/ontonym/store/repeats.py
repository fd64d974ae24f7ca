"""Repeats in a release: terms that repeat another of their concept, and concepts that are given more than once.

Concepts are merged into their first row, on disk and in blocks, so that the texts are never all in memory. A column is
written beside the old one, which it replaces when that is no longer mapped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Mask, Rows, begins
from ontonym.ontology.batch import GROUPS, BatchPart
from ontonym.ragged import boundaries
from ontonym.store.columns import CHUNK, StringColumn, StringWriter, load_numbers, save_numbers
from ontonym.store.layout import SAME_TERM, TERM_HASH, number_columns
from ontonym.text.strings import mixed


def without_repeats(terms: BatchPart) -> tuple[BatchPart, int]:
    """The terms without those whose text, kind and language an earlier one of the concept has; and how many fell."""
    owners, texts = terms.owners(), terms.texts["term_text"]
    marks = mixed(owners, texts.hashes(), terms.coded["term_kind"].codes, terms.coded["term_language"].codes)
    order = np.argsort(marks, kind="stable")
    repeated = ~begins(marks[order])
    later = order[repeated]
    first = order[np.maximum.accumulate(np.where(repeated, 0, np.arange(len(order))))[repeated]]
    later = later[texts.take(later).equal(texts.take(first))]  # equal marks of other texts would be a rare accident
    if not len(later):
        return terms, 0
    kept = np.ones(len(marks), dtype=np.bool_)
    kept[later] = False
    return terms.only(np.flatnonzero(kept)), len(later)


def merge_repeats(folder: Path, first: Rows) -> int:
    """Gives everything of each row to row ``first[row]`` and closes the gaps; returns how many equal terms fell away.

    What the first row has comes first; id and status are the first row's. A value that the first row already has
    (a term of the same text, kind and language; the same parent, cross-reference…) is not repeated.
    """
    kept = np.flatnonzero(first == np.arange(len(first)))
    renumbered = np.zeros(len(first), dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    owner = renumbered[first]
    merged = np.zeros(len(kept), dtype=np.bool_)
    merged[owner[first != np.arange(len(first))]] = True
    repeated_terms = 0
    for group in GROUPS:
        repeated = _regroup(folder, group, owner, merged)
        repeated_terms += repeated if group == "terms" else 0
    _rewrite_text(folder, "concept_id", kept)
    _rewrite_numbers(folder, "concept_status", kept)
    return repeated_terms


def _regroup(folder: Path, group: str, owner: Rows, merged: Mask) -> int:
    layout = GROUPS[group]
    owners = np.repeat(owner, np.diff(load_numbers(folder, f"{group}.rows")))
    order = np.argsort(owners, kind="stable")
    owners = owners[order]
    fresh = _first_of_its_owner(folder, group, order, owners, merged)
    order, owners = order[fresh], owners[fresh]
    for name in (*number_columns(group), *([TERM_HASH] if group == "terms" else [])):
        _rewrite_numbers(folder, name, order)
    for name in layout.texts:
        _rewrite_text(folder, name, order)
    counts = np.bincount(owners, minlength=len(merged))
    _replace_numbers(folder, f"{group}.rows", boundaries(counts))
    return int(len(fresh) - np.count_nonzero(fresh))


def _first_of_its_owner(folder: Path, group: str, order: Rows, owners: Rows, merged: Mask) -> Mask:
    """Which values, in the new order, are the first of their kind in a merged concept (True in all others)."""
    layout = GROUPS[group]
    fresh = np.ones(len(order), dtype=np.bool_)
    places = np.flatnonzero(merged[owners])
    compared = [name for name in (*layout.texts, *number_columns(group)) if group != "terms" or name in SAME_TERM]
    columns = [load_numbers(folder, name) for name in compared if name not in layout.texts]
    texts = [StringColumn.open(folder, name) for name in compared if name in layout.texts]
    owner, seen = -1, set[tuple[Any, ...]]()
    for start in range(0, len(places), CHUNK):
        block = places[start : start + CHUNK]
        rows = order[block]
        values: list[list[Any]] = [column[rows].tolist() for column in columns]
        values += [column.take(rows) for column in texts]
        for place, value_owner, *value in zip(block.tolist(), owners[block].tolist(), *values, strict=True):
            if value_owner != owner:
                owner, seen = value_owner, set()
            fresh[place] = (key := tuple(value)) not in seen
            seen.add(key)
    return fresh


def _rewrite_text(folder: Path, name: str, rows: Rows) -> None:
    column = StringColumn.open(folder, name)
    with StringWriter(folder, f"{name}.new") as writer:
        for start in range(0, len(rows), CHUNK):
            writer.extend(column.strings().take(rows[start : start + CHUNK]))
    del column  # Windows replaces no file that is mapped
    for part in (".utf8", ".offsets.npy"):
        (folder / f"{name}.new{part}").replace(folder / f"{name}{part}")


def _rewrite_numbers(folder: Path, name: str, rows: Rows) -> None:
    _replace_numbers(folder, name, load_numbers(folder, name)[rows])


def _replace_numbers(folder: Path, name: str, array: npt.NDArray[Any]) -> None:
    save_numbers(folder, f"{name}.new", array)
    (folder / f"{name}.new.npy").replace(folder / f"{name}.npy")
