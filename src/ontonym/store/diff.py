"""What changed between two releases of a terminology: concepts, names and hierarchy, found column by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ontonym.arrays import Rows
from ontonym.store.change import KINDS, Change, Kind
from ontonym.store.comparing import (
    NONE,
    Moves,
    NameChanges,
    Pairs,
    compare_names,
    compare_parents,
    list_sums,
    name_marks,
)
from ontonym.store.open import Terminology
from ontonym.store.pairing import Pairing, cautions, paired
from ontonym.store.telling import successors, told
from ontonym.types import Progress

__all__ = ["KINDS", "Change", "Difference", "Kind", "diff"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two terminologies, as rows of theirs; `changes` tells it in words.

    ``added`` are rows of the new one, ``merged`` and ``removed`` of the old one; `Pairs` hold rows of both.
    ``compared`` counts the concepts that are active in both, ``unchanged`` those of them that have the same names and
    parents. ``cautions`` say, in sentences, what makes the comparison doubtful.
    """

    old: Terminology
    new: Terminology
    pairing: Pairing
    added: Rows = field(default_factory=NONE.copy)
    retired: Pairs = field(default_factory=Pairs.none)
    merged: Rows = field(default_factory=NONE.copy)
    removed: Rows = field(default_factory=NONE.copy)
    reinstated: Pairs = field(default_factory=Pairs.none)
    replacements: Pairs = field(default_factory=Pairs.none)
    renamed: Pairs = field(default_factory=Pairs.none)
    names: NameChanges = field(default_factory=NameChanges.none)
    moved: Moves = field(default_factory=Moves.none)
    compared: int = 0
    unchanged: int = 0
    cautions: tuple[str, ...] = ()

    def counts(self) -> dict[Kind, int]:
        """How many changes there are of each kind."""
        rows: dict[Kind, Rows | Pairs | Moves] = {
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
        return {kind: len(rows[kind]) for kind in KINDS}

    def changes(self, kind: Kind | None = None) -> Iterator[Change]:
        """Every change, kind after kind, or those of one kind; one in memory at a time."""
        for one in KINDS if kind is None else (kind,):
            yield from told(self, one)

    def id_today(self, row: int) -> str:
        """The id of a concept of the old release, under the prefix that it has in the new one."""
        own = self.pairing.own[row]
        return self.new.id(int(self.pairing.today[row])) if own else self.old.id(row)


def diff(old: Terminology, new: Terminology, *, progress: Progress | None = None) -> Difference:
    """What is different in ``new``; concepts are told by their ids.

    A concept that is active in both is compared by its active names (text and language) and its parents. Those of
    added, merged, removed, retired and reinstated concepts are not told one by one. A name counts once, whatever its
    kinds, and one that only changes its kind is no change; names that differ in spelling alone (`key`) are
    told as respelled. A parent that was merged into another is the same parent. Where all ids changed their prefix,
    they are compared under the new one.

    Holds some 50 bytes for each concept and name of both.
    """
    report = progress or _silent
    report("comparing ids", 0, len(old))
    pairing = paired(old, new)
    before = np.flatnonzero(pairing.own)
    after = pairing.today[before]
    was, is_ = old.active[before], new.active[after]
    kept = Pairs(before[was & is_], after[was & is_])
    left = Pairs(before[was & ~is_], after[was & ~is_])
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
        reinstated=Pairs(before[~was & is_], after[~was & is_]),
        replacements=_other_successors(old, new, Pairs(before[~was & ~is_], after[~was & ~is_])),
        renamed=kept.only(renamed),
        names=names,
        moved=moved,
        compared=len(kept),
        unchanged=len(kept) - _changed(old, new, kept, kept.only(renamed), names, moved),
        cautions=cautions(old, new, pairing),
    )


def _silent(_stage: str, _done: int, _total: int | None) -> None:
    """Reports to nobody."""


def _holders(new: Terminology, rows: Rows) -> Rows:
    """For each retired concept the active one that has its id as an alternative id, or -1 (HPO keeps both)."""
    found = np.full(len(rows), -1, dtype=np.int64)
    for place, row in enumerate(rows.tolist()):
        means = new.current(new.id(row))
        if means is not None and new.id(row) in new.lists("alternative_ids")[means]:
            found[place] = means
    return found


def _other_successors(old: Terminology, new: Terminology, pairs: Pairs) -> Pairs:
    """The concepts retired in both of which the releases name other successors."""
    other = np.zeros(len(pairs), dtype=np.bool_)
    for name in ("replaced_by", "consider"):
        other |= list_sums(old, name)[pairs.before] != list_sums(new, name)[pairs.after]
    some = pairs.only(other)
    rows = zip(some.before.tolist(), some.after.tolist(), strict=True)
    return some.only(
        np.array([set(successors(old, b)) != set(successors(new, a)) for b, a in rows], dtype=np.bool_)
    )  # fmt: skip


def _changed(old: Terminology, new: Terminology, kept: Pairs, renamed: Pairs, names: NameChanges, moved: Moves) -> int:
    """How many of the concepts in both have another name or parent."""
    before = np.zeros(len(old), dtype=np.bool_)
    before[renamed.before] = before[moved.pairs.before] = True
    for terms in (names.lost, names.fsn.before, names.respelled.before):
        before[old.term_concepts()[terms]] = True
    after = np.zeros(len(new), dtype=np.bool_)
    after[new.term_concepts()[names.gained]] = True
    return int(np.count_nonzero(before[kept.before] | after[kept.after]))
