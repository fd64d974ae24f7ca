"""What changed between two releases of a terminology: concepts, names and hierarchy, found column by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ontonym.arrays import Rows
from ontonym.errors import UnknownNameError
from ontonym.store.comparing import (
    Moves,
    NameChanges,
    ReleaseComparison,
    RowPairs,
    compare_names,
    compare_parents,
    list_sums,
    name_marks,
)
from ontonym.store.describing import CHANGE_KINDS, Change, ChangeKind, describe_changes
from ontonym.store.open import Terminology
from ontonym.store.pairing import cautions, paired
from ontonym.store.replacement import merged_into, successors
from ontonym.types import Progress, no_progress

__all__ = ["CHANGE_KINDS", "Change", "ChangeKind", "Difference", "diff"]


@dataclass(frozen=True, slots=True)
class Difference(ReleaseComparison):
    """The difference of two terminologies; `changes` describes it change by change."""

    def counts(self) -> dict[ChangeKind, int]:
        """How many changes there are of each kind."""
        rows: dict[ChangeKind, Rows | RowPairs | Moves] = {
            "added": self.added,
            "retired": self.retired,
            "merged": self.merged,
            "removed": self.removed,
            "reinstated": self.reinstated,
            "replacement changed": self.replacements,
            "renamed": self.renamed,
            "fsn changed": self.names.fsn,
            "synonym respelled": self.names.respelled,
            "synonym gained": self.names.gained,
            "synonym lost": self.names.lost,
            "moved": self.moved,
        }
        return {kind: len(rows[kind]) for kind in CHANGE_KINDS}

    def __repr__(self) -> str:
        between = " and ".join(one.full_name for one in (self.old, self.new))
        said = ", ".join(f"{number:,} {kind}" for kind, number in self.counts().items() if number)
        return f"<Difference between {between}: {said or 'none'}>"

    def changes(self, kind: ChangeKind | None = None) -> Iterator[Change]:
        """Every change, kind after kind, or those of one kind; one in memory at a time.

        Raises UnknownNameError for a kind that is not in `CHANGE_KINDS`.
        """
        if kind is not None and kind not in CHANGE_KINDS:
            raise UnknownNameError("kind of change", kind, CHANGE_KINDS)
        kinds = CHANGE_KINDS if kind is None else (kind,)
        return chain.from_iterable(describe_changes(self, one) for one in kinds)


def diff(old: Terminology, new: Terminology, *, progress: Progress | None = None) -> Difference:
    """What is different in ``new``; concepts are recognized by their ids.

    A concept that is active in both is compared by its active names (text and language) and its parents. Those of
    added, merged, removed, retired and reinstated concepts are not listed one by one. A name counts once, whatever its
    kinds, and one that only changes its kind is no change; names that differ in spelling alone (`key`) are
    listed as respelled. A parent that was merged into another is the same parent. Where all ids changed their prefix,
    they are compared under the new one.

    Holds some 50 bytes for each concept and name of both.
    """
    report = progress or no_progress
    report("comparing ids", 0, len(old))
    pairing = paired(old, new)
    before = np.flatnonzero(pairing.own)
    after = pairing.today[before]
    was, is_ = old.active[before], new.active[after]
    kept = RowPairs(before[was & is_], after[was & is_])
    left = RowPairs(before[was & ~is_], after[was & ~is_])
    holders = _holders(new, left.after)
    means = pairing.today.copy()
    means[left.before[holders >= 0]] = holders[holders >= 0]
    gone = np.flatnonzero(~pairing.own & old.active)
    marks = (name_marks(old, report, "old names"), name_marks(new, report, "new names"))
    renamed = marks[0].preferred[kept.before] != marks[1].preferred[kept.after]
    report("comparing names", 0, len(kept))
    names = compare_names(old, new, kept, marks, renamed)
    report("comparing parents", 0, len(kept))
    moved = compare_parents(old, new, pairing, means, kept)
    come = new.active.copy()
    come[after] = False
    return Difference(
        old,
        new,
        pairing,
        added=np.flatnonzero(come),
        retired=left.only(holders < 0),
        merged=np.sort(np.concatenate([left.before[holders >= 0], gone[means[gone] >= 0]])),
        removed=gone[means[gone] < 0],
        reinstated=RowPairs(before[~was & is_], after[~was & is_]),
        replacements=_other_successors(old, new, RowPairs(before[~was & ~is_], after[~was & ~is_])),
        renamed=kept.only(renamed),
        names=names,
        moved=moved,
        compared=len(kept),
        unchanged=len(kept) - _changed(old, new, kept, kept.only(renamed), names, moved),
        cautions=cautions(old, new, pairing),
    )


def _holders(new: Terminology, rows: Rows) -> Rows:
    """For each retired concept the active one that has its id as an alternative id, or -1."""
    holders = (merged_into(new, new.id(row)) for row in rows.tolist())
    return np.array([-1 if holder is None else holder for holder in holders], dtype=np.int64)


def _other_successors(old: Terminology, new: Terminology, pairs: RowPairs) -> RowPairs:
    """The concepts retired in both of which the releases name other successors."""
    other = np.zeros(len(pairs), dtype=np.bool_)
    for name in ("replaced_by", "consider"):
        other |= list_sums(old, name)[pairs.before] != list_sums(new, name)[pairs.after]
    some = pairs.only(other)
    rows = zip(some.before.tolist(), some.after.tolist(), strict=True)
    return some.only(
        np.array([set(successors(old, b)) != set(successors(new, a)) for b, a in rows], dtype=np.bool_)
    )  # fmt: skip


def _changed(
    old: Terminology, new: Terminology, kept: RowPairs, renamed: RowPairs, names: NameChanges, moved: Moves
) -> int:
    """How many of the concepts in both have another name or parent."""
    before = np.zeros(len(old), dtype=np.bool_)
    before[renamed.before] = before[moved.pairs.before] = True
    for terms in (names.lost, names.fsn.before, names.respelled.before):
        before[old.term_concepts()[terms]] = True
    after = np.zeros(len(new), dtype=np.bool_)
    after[new.term_concepts()[names.gained]] = True
    return int(np.count_nonzero(before[kept.before] | after[kept.after]))
