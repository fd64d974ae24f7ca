"""Finds references to concepts that are no longer active: in mappings, added terms and other terminologies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from ontonym.arrays import Mask
from ontonym.errors import InputError
from ontonym.manifest import MANIFEST
from ontonym.ontology.xrefs import curie
from ontonym.store.diff import Difference
from ontonym.store.idfiles import IdFile
from ontonym.store.lookup import distinct_prefixes
from ontonym.store.mappings.iris import expanded
from ontonym.store.open import Terminology, open_terminology
from ontonym.store.replacement import Link, link, merged_into, replacement_of

Why = Literal["retired", "merged", "removed"]

LONG = 6
"""Digits from which a bare number is taken for an id whose prefix is not written."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a concept that is no longer active.

    ``id`` is the concept's own id, ``preferred`` the last preferred term that it had while it was active. ``recent``
    says whether it was active in the old release. The rest is what a `Change` says of it.
    """

    why: Why
    id: str
    preferred: str
    recent: bool
    replaced_by: tuple[Link, ...] = ()
    consider: tuple[Link, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Affected:
    """One reference to a concept that is no longer active.

    ``file`` and ``line`` (1-based; None in a terminology) say where, ``column`` which of its columns, or what of the
    concept of another terminology. ``written`` is the id as it stands there, ``text`` what stands beside it.
    """

    file: str
    line: int | None
    column: str
    written: str
    outcome: Outcome
    text: str = ""


@dataclass(slots=True)
class Checked:
    """What a check read: every id is ``current``, ``affected``, ``unknown`` or ``elsewhere``.

    ``unknown`` ids have a prefix of the terminology, but neither release has them; ``elsewhere`` are those of other
    terminologies. ``columns`` are those that were looked at. Of the rows read, ``malformed`` could not be used.
    """

    file: str
    columns: tuple[str, ...] = ()
    rows: int = 0
    current: int = 0
    affected: int = 0
    recent: int = 0
    unknown: int = 0
    elsewhere: int = 0
    malformed: int = 0
    examples: list[str] = field(default_factory=list)


class Judge:
    """Says what became of any id, as it is written in any file; each is looked up once."""

    def __init__(self, difference: Difference) -> None:
        self._difference = difference
        self._old, self._new = difference.old, difference.new
        self._prefixes = tuple(
            dict.fromkeys((*self._new.manifest.content["prefixes"], *self._old.manifest.content["prefixes"]))
        )
        self._answered = frozenset(
            prefix for terminology in (self._old, self._new) for prefix in _id_prefixes(terminology)
        )
        self._known: dict[str, Outcome | Literal["current", "unknown", "elsewhere"]] = {}

    def outcome(self, written: str) -> Outcome | Literal["current", "unknown", "elsewhere"]:
        """What became of a concept that is no longer active, or for any other id which kind it is."""
        found = self._known.get(written)
        if found is None:
            found = self._known[written] = self._look_up(written)
        return found

    def knows(self, written: str) -> bool:
        """Whether one of the releases has the id."""
        return self.outcome(written) not in ("unknown", "elsewhere")

    def current(self, terminology: Terminology) -> Mask:
        """Which concepts of a terminology are active concepts of the new release, all at once."""
        ids = terminology.ids().strings()
        rows = self._new.find_rows(ids)
        found = rows >= 0
        own = self._new.ids().strings().take(rows[found]).hashes() == ids.hashes()[found]
        found[found] = own & self._new.active[rows[found]]
        return found

    def _look_up(self, written: str) -> Outcome | Literal["current", "unknown", "elsewhere"]:
        for concept_id in self._spellings(written.strip()):
            row = self._new.find(concept_id)
            if row is not None:
                return self._in_new(concept_id, row)
            before = self._old.find(concept_id)
            if before is not None:
                return self._only_in_old(before)
        own = expanded(written, {})
        prefix = _prefix(own)
        ours = prefix in self._prefixes if prefix else own != written and "" in self._answered
        return "unknown" if ours else "elsewhere"

    def _spellings(self, written: str) -> Iterator[str]:
        """The id as it is, as it is called here (``local:7`` is 7), and of a bare code what it would be with ours."""
        for spelling in dict.fromkeys((written, expanded(written, {}))):
            if _prefix(spelling) in self._answered:
                yield spelling
        if ":" not in written and (len(written) >= LONG or not written.isdigit()):
            yield from (f"{prefix}:{written}" for prefix in self._prefixes if prefix)

    def _in_new(self, concept_id: str, row: int) -> Outcome | Literal["current"]:
        """What became of an id that the new release has, in this row."""
        if self._new.id(row) == concept_id:
            if self._new.status(row) == "active":
                return "current"
            merged = merged_into(self._new, concept_id)
            return self._verdict("retired" if merged is None else "merged", concept_id)
        # an alternative id: that of a merged concept, an equivalent id elsewhere, or another spelling of its own id
        before = self._old.find(concept_id)
        was_own = before is not None and self._old.id(before) == concept_id
        own = self._new.id(row)
        same_kind = _prefix(concept_id) == _prefix(own)
        if curie(concept_id) != own and (was_own or same_kind):
            return self._verdict("merged", concept_id)
        return self._in_new(own, row)

    def _verdict(self, why: Why, concept_id: str) -> Outcome:
        row = self._old.find(concept_id)
        recent = row is not None and self._old.id(row) == concept_id and bool(self._old.active[row])
        found = replacement_of(self._new, concept_id)
        if recent and row is not None:
            name = self._old.preferred(row)
        else:
            known = self._new.find(concept_id)
            is_own = known is not None and self._new.id(known) == concept_id
            name = self._new.preferred(known) if is_own and known is not None else ""
        return Outcome(why, concept_id, name, recent, found.replaced_by, found.consider, found.note)

    def _only_in_old(self, row: int) -> Outcome:
        """A concept that the new release does not have under this id; its last successors are followed."""
        concept_id, today = self._old.id(row), int(self._difference.pairing.today[row])
        recent = bool(self._old.active[row])
        name = self._old.preferred(row)
        if today >= 0:
            note = "its id has another prefix"
            return Outcome("removed", concept_id, name, recent, (link(self._new, self._new.id(today)),), (), note)
        heirs, near = (
            tuple(dict.fromkeys(
                found for published in self._old.lists(name)[row]
                for found in replacement_of(self._new, published).replaced_by
            ))
            for name in ("replaced_by", "consider")
        )  # fmt: skip
        return Outcome("removed", concept_id, name, recent, heirs, near)


def _prefix(concept_id: str) -> str:
    return concept_id.rpartition(":")[0]


def _id_prefixes(terminology: Terminology) -> set[str]:
    """The prefixes of all ids, alternative ones too."""
    both = (terminology.ids().strings(), terminology.lists("alternative_ids").values.strings())
    return {prefix for ids in both for prefix in distinct_prefixes(ids)[0]}


def check(
    path: Path | str, difference: Difference, *, id_columns: Sequence[str] = (), judge: Judge | None = None
) -> tuple[Checked, Iterator[Affected]]:
    """The references in a file to concepts that are no longer active; the counts are complete once all were read.

    A file is a table (CSV, TSV, SSSOM, JSON lines) or a terminology, whose cross-references and mappings are looked at.
    ``id_columns`` name those of a table that hold ids; by default they are detected from headers and content.

    Raises:
        InputError: the file cannot be read, or has no column with ids of the terminology.
    """
    judge = judge or Judge(difference)
    counts = Checked(str(path))
    if (Path(path) / MANIFEST).is_file():
        if id_columns:
            raise InputError(f"{path}: is a terminology: it has no columns to name")
        return counts, _in_terminology(path, judge, counts)
    file = IdFile(path, id_columns, judge.knows, difference.new.name)
    counts.columns = file.columns
    return counts, _in_table(file, judge, counts)


def _in_table(file: IdFile, judge: Judge, counts: Checked) -> Iterator[Affected]:
    for row in file.rows():
        counts.rows += 1
        if row.problem:
            counts.malformed += 1
            if len(counts.examples) < 5:
                counts.examples.append(f"{counts.file}:{row.line}: {row.problem}")
            continue
        for column, written in row.ids:
            outcome = _counted(judge, written, counts)
            if outcome is not None:
                yield Affected(counts.file, row.line, column, written, outcome, row.text)


def _counted(judge: Judge, written: str, counts: Checked, times: int = 1) -> Outcome | None:
    """The outcome of a concept that is no longer active; the id is counted under its kind, ``times`` times."""
    outcome = judge.outcome(written)
    if isinstance(outcome, Outcome):
        counts.affected += times
        counts.recent += times * outcome.recent
        return outcome
    if outcome == "current":
        counts.current += times
    elif outcome == "unknown":
        counts.unknown += times
    else:
        counts.elsewhere += times
    return None


def _in_terminology(path: Path | str, judge: Judge, counts: Checked) -> Iterator[Affected]:
    """The cross-references and mappings of another terminology (or of the old release itself)."""
    with open_terminology(path) as terminology:
        counts.columns = ("xref", "mapping")
        counts.rows = len(terminology)
        yield from _xrefs(terminology, judge, counts)
        if terminology.statistics.get("mappings"):
            yield from _mappings(terminology, judge, counts)


def _xrefs(terminology: Terminology, judge: Judge, counts: Checked) -> Iterator[Affected]:
    """Each distinct reference is judged once, so that it costs the same for many concepts."""
    xrefs = terminology.lists("xrefs")
    texts = xrefs.values
    _, first, place, times = np.unique(
        texts.strings().hashes(), return_index=True, return_inverse=True, return_counts=True
    )
    distinct = zip(first.tolist(), times.tolist(), strict=True)
    verdicts = [_counted(judge, texts[edge], counts, number) for edge, number in distinct]
    edges = np.flatnonzero(np.array([outcome is not None for outcome in verdicts], dtype=np.bool_)[place])
    owners = np.searchsorted(np.asarray(xrefs.bounds), edges, side="right") - 1
    for edge, owner in zip(edges.tolist(), owners.tolist(), strict=True):
        outcome = verdicts[int(place[edge])]
        if outcome is not None:
            text = f"{terminology.id(owner)} {terminology.preferred(owner)}"
            yield Affected(counts.file, None, "xref", texts[edge], outcome, text)


def _mappings(terminology: Terminology, judge: Judge, counts: Checked) -> Iterator[Affected]:
    current = judge.current(terminology)
    for row in range(len(terminology)):
        for mapping in terminology.mappings_of(row):
            text = f"{mapping.subject_id} {mapping.predicate_id} {mapping.object_id}"
            ends = [("mapping object", mapping.object_id)] if mapping.object_id else []
            if current[row]:
                counts.current += 1
            else:
                ends.insert(0, ("mapping subject", mapping.subject_id))
            for column, written in ends:
                outcome = _counted(judge, written, counts)
                if outcome is not None:
                    yield Affected(counts.file, None, column, written, outcome, text)
