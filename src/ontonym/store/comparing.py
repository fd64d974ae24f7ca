"""Names and parents of the same concepts in two releases, compared as columns: sums of hashes show which concepts
have changed, and only those are compared name by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ontonym.arrays import Hashes, Mask, Offsets, Rows, places_in
from ontonym.ragged import boundaries, owners_of, spread
from ontonym.store.columns import ListColumn
from ontonym.store.open import Terminology
from ontonym.store.pairing import Pairing
from ontonym.text.folding import folded
from ontonym.text.strings import Strings, mixed
from ontonym.types import KINDS, Progress

BLOCK = 1 << 20
"""Names hashed at once."""

NONE: Rows = np.zeros(0, dtype=np.int64)

_FSN = KINDS.index("fsn")


@dataclass(frozen=True, slots=True)
class RowPairs:
    """Rows of the old terminology and of the new one that belong together, at the same places."""

    before: Rows
    after: Rows

    @classmethod
    def none(cls) -> RowPairs:
        """No rows."""
        return cls(NONE, NONE)

    def __len__(self) -> int:
        return len(self.before)

    def only(self, places: Mask | Rows) -> RowPairs:
        """The pairs marked True, or those at these places."""
        return RowPairs(self.before[places], self.after[places])


@dataclass(frozen=True, slots=True)
class NameMarks:
    """The names of a terminology as numbers: a hash of the text and language of every active name (0 for others), the
    hash of every concept's preferred term (0 where it has none), and the sum of a concept's marks.
    """

    terms: Hashes
    preferred: Hashes
    sums: Hashes


def name_marks(terminology: Terminology, progress: Progress, stage: str) -> NameMarks:
    """The marks of all names, made block after block."""
    count, bounds = terminology.term_count, terminology.term_bounds()
    marks = np.zeros(count, dtype=np.uint64)
    statuses, languages = terminology.term_statuses(), terminology.term_languages()
    active = statuses.names.index("active")
    spoken = Strings.of(languages.names).hashes()
    preferred = np.zeros(len(terminology), dtype=np.uint64)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        texts = terminology.term_texts().strings(start, stop).hashes()
        first, last = np.searchsorted(bounds[:-1], (start, stop)).tolist()
        named = first + np.flatnonzero(bounds[first + 1 : last + 1] > bounds[first:last])
        preferred[named] = texts[bounds[named] - start]
        marks[start:stop] = mixed(texts, spoken[languages.codes[start:stop]])
        marks[start:stop][statuses.codes[start:stop] != active] = 0
        progress(stage, stop, count)
    return NameMarks(marks, preferred, _sums(marks, bounds))


def _sums(values: Hashes, bounds: Offsets) -> Hashes:
    """The sum of each part, modulo 2 to the 64."""
    sums = np.zeros(len(values) + 1, dtype=np.uint64)
    np.cumsum(values, out=sums[1:])
    return sums[bounds[1:]] - sums[bounds[:-1]]


@dataclass(frozen=True, slots=True)
class NameChanges:
    """Which names changed, as rows of terms; a renamed concept's two preferred terms are not among them.

    ``fsn`` are fully specified names that took the place of another, ``respelled`` names that are the same after
    `key`. ``staying`` goes with ``lost``: the row of a new name that differs only in spelling from the one
    lost, or -1.
    """

    gained: Rows
    lost: Rows
    staying: Rows
    fsn: RowPairs
    respelled: RowPairs

    @classmethod
    def none(cls) -> NameChanges:
        """No changes."""
        return cls(NONE, NONE, NONE, RowPairs.none(), RowPairs.none())


@dataclass(frozen=True, slots=True)
class _Side:
    """The active names of some concepts in one release; ``owners`` are places among these concepts."""

    terminology: Terminology
    terms: Rows
    owners: Rows
    marks: Hashes

    @classmethod
    def of(cls, terminology: Terminology, rows: Rows, marks: NameMarks) -> _Side:
        bounds = terminology.term_bounds()
        lengths = bounds[rows + 1] - bounds[rows]
        terms = spread(bounds[rows], lengths)
        owners = owners_of(lengths)
        active = marks.terms[terms] != 0
        terms, owners = terms[active], owners[active]
        return cls(terminology, terms, owners, mixed(owners, marks.terms[terms]))

    def only(self, places: Mask | Rows) -> _Side:
        """The names marked True, or those at these places."""
        return _Side(self.terminology, self.terms[places], self.owners[places], self.marks[places])

    def not_in(self, other: _Side) -> _Side:
        """The names that the other release does not have, each once."""
        only = self.only(~np.isin(self.marks, other.marks))
        return only.only(np.sort(np.unique(only.marks, return_index=True)[1]))

    def without(self, terms: Rows) -> _Side:
        """The names but these."""
        return self.only(~np.isin(self.terms, terms))

    def spoken(self) -> Hashes:
        """A hash of each name's concept and language."""
        languages = self.terminology.term_languages()
        return mixed(self.owners, Strings.of(languages.names).hashes()[languages.codes[self.terms]])

    def folded(self) -> Hashes:
        """A hash of each name's concept, language and folded text."""
        return mixed(self.spoken(), folded(self.terminology.term_texts().strings().take(self.terms)).hashes())


def compare_names(
    old: Terminology, new: Terminology, pairs: RowPairs, marks: tuple[NameMarks, NameMarks], renamed: Mask
) -> NameChanges:
    """The names that the concepts gained, lost or changed; ``renamed`` marks those whose preferred term is another."""
    candidates = np.flatnonzero(marks[0].sums[pairs.before] != marks[1].sums[pairs.after])
    some = pairs.only(candidates)
    before, after = _Side.of(old, some.before, marks[0]), _Side.of(new, some.after, marks[1])
    lost, gained = before.not_in(after), after.not_in(before)
    other_preferred = some.only(renamed[candidates])
    lost = lost.without(_preferred_terms(old, other_preferred.before))
    gained = gained.without(_preferred_terms(new, other_preferred.after))
    fsn = _fsn_changed(lost, gained)
    lost, gained = lost.without(fsn.before), gained.without(fsn.after)
    respelled, staying = _respelled(lost, gained, after)
    still = ~np.isin(lost.terms, respelled.before)
    return NameChanges(
        gained.without(respelled.after).terms, lost.terms[still], staying[still], fsn, respelled
    )  # fmt: skip


def _preferred_terms(terminology: Terminology, rows: Rows) -> Rows:
    """The first names of those concepts that have any."""
    bounds = terminology.term_bounds()
    rows = rows[bounds[rows + 1] > bounds[rows]]
    return bounds[rows]


def _fsn_changed(lost: _Side, gained: _Side) -> RowPairs:
    """Fully specified names of which a concept lost one and gained one in the same language."""
    sides = []
    for side in (lost, gained):
        fsn = side.only(side.terminology.term_kinds().codes[side.terms] == _FSN)
        marks, first, times = np.unique(fsn.spoken(), return_index=True, return_counts=True)
        sides.append((marks[times == 1], fsn.terms[first[times == 1]]))
    _, here, there = np.intersect1d(sides[0][0], sides[1][0], assume_unique=True, return_indices=True)
    found = RowPairs(sides[0][1][here], sides[1][1][there])
    return found.only(np.argsort(found.after))


def _respelled(lost: _Side, gained: _Side, after: _Side) -> tuple[RowPairs, Rows]:
    """Lost names with the gained ones that differ only in spelling, and for every lost name such a name of today."""
    present = after.only(np.isin(after.owners, lost.owners))
    marks = lost.folded()
    staying = _matched(marks, present.folded(), present.terms)
    twins = _matched(marks, gained.folded(), gained.terms)
    found = np.flatnonzero(twins >= 0)
    _, first = np.unique(twins[found], return_index=True)
    places = np.sort(found[first])
    return RowPairs(lost.terms[places], twins[places]), staying


def _matched(wanted: Hashes, marks: Hashes, terms: Rows) -> Rows:
    """For each wanted mark the first term with it, or -1."""
    if not len(marks):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(marks, kind="stable")
    places = places_in(marks[order], wanted)
    return np.where(places >= 0, terms[order][places], -1)


@dataclass(frozen=True, slots=True)
class Moves:
    """Concepts whose parents changed, with their edges (places in the list of parents) lost and gained."""

    pairs: RowPairs
    lost: Rows
    lost_bounds: Offsets
    gained: Rows
    gained_bounds: Offsets

    @classmethod
    def none(cls) -> Moves:
        """No moves."""
        return cls(RowPairs.none(), NONE, boundaries(NONE), NONE, boundaries(NONE))

    def __len__(self) -> int:
        return len(self.pairs)


def compare_parents(old: Terminology, new: Terminology, pairing: Pairing, means: Rows, pairs: RowPairs) -> Moves:
    """The concepts that have other parents today.

    ``means`` gives for every old concept the new one that it is today, also where it was merged: a parent that was
    merged into another is still the same.
    """
    some = pairs
    if not pairing.prefixes:
        sums = [list_sums(terminology, "parents") for terminology in (old, new)]
        some = pairs.only(sums[0][pairs.before] != sums[1][pairs.after])
    old_edges, old_owners = _edges(old.lists("parents"), some.before)
    new_edges, new_owners = _edges(new.lists("parents"), some.after)
    old_marks = mixed(old_owners, _parents_today(old, new, old_edges, means))
    new_marks = mixed(new_owners, _parents_now(new, new_edges))
    lost, gained = ~np.isin(old_marks, new_marks), ~np.isin(new_marks, old_marks)
    lost_counts = np.bincount(old_owners[lost], minlength=len(some))
    gained_counts = np.bincount(new_owners[gained], minlength=len(some))
    moved = np.flatnonzero((lost_counts > 0) | (gained_counts > 0))
    return Moves(
        some.only(moved), old_edges[lost], boundaries(lost_counts[moved]), new_edges[gained],
        boundaries(gained_counts[moved]),
    )  # fmt: skip


def list_sums(terminology: Terminology, name: str) -> Hashes:
    """For every concept a number that is the same where a list of texts is, whatever its order."""
    values = terminology.lists(name)
    return _sums(values.values.strings().hashes(), np.asarray(values.bounds))


def _edges(parents: ListColumn, rows: Rows) -> tuple[Rows, Rows]:
    """The edges of these concepts, and for each the place of its concept among them."""
    bounds = np.asarray(parents.bounds)
    lengths = bounds[rows + 1] - bounds[rows]
    return spread(bounds[rows], lengths), owners_of(lengths)


def _parents_now(new: Terminology, edges: Rows) -> Hashes:
    """A number for the parent of each edge: that of its row, or of its id where the release does not have it."""
    texts = new.lists("parents").values.strings().take(edges)
    return _known(new.find_rows(texts), texts)


def _parents_today(old: Terminology, new: Terminology, edges: Rows, means: Rows) -> Hashes:
    """The same for the parents of old edges, in the new release."""
    texts = old.lists("parents").values.strings().take(edges)
    rows = old.find_rows(texts)
    today = np.full(len(edges), -1, dtype=np.int64)
    today[rows >= 0] = means[rows[rows >= 0]]
    strange = np.flatnonzero(rows < 0)
    today[strange] = new.find_rows(texts.take(strange))
    return _known(today, texts)


def _known(rows: Rows, texts: Strings) -> Hashes:
    known: Mask = rows >= 0
    return mixed(known.astype(np.uint8), np.where(known, rows.astype(np.uint64), texts.hashes()))


@dataclass(frozen=True, slots=True)
class ReleaseComparison:
    """What differs between two terminologies, as rows of theirs.

    ``added`` are rows of the new one, ``merged`` and ``removed`` of the old one; `RowPairs` hold rows of both.
    ``compared`` counts the concepts that are active in both, ``unchanged`` those of them that have the same names and
    parents. ``cautions`` say, in sentences, what makes the comparison doubtful.
    """

    old: Terminology
    new: Terminology
    pairing: Pairing
    added: Rows = field(default_factory=NONE.copy)
    retired: RowPairs = field(default_factory=RowPairs.none)
    merged: Rows = field(default_factory=NONE.copy)
    removed: Rows = field(default_factory=NONE.copy)
    reinstated: RowPairs = field(default_factory=RowPairs.none)
    replacements: RowPairs = field(default_factory=RowPairs.none)
    renamed: RowPairs = field(default_factory=RowPairs.none)
    names: NameChanges = field(default_factory=NameChanges.none)
    moved: Moves = field(default_factory=Moves.none)
    compared: int = 0
    unchanged: int = 0
    cautions: tuple[str, ...] = ()

    def id_today(self, row: int) -> str:
        """The id of a concept of the old release, under the prefix that it has in the new one."""
        own = self.pairing.own[row]
        return self.new.id(int(self.pairing.today[row])) if own else self.old.id(row)
