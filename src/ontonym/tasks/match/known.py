"""Decisions in earlier mappings, as a match takes them: which hold for the source and the index as they are now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.ontology.xrefs import curie
from ontonym.store import Terminology
from ontonym.store.mappings import JUSTIFICATIONS, NO_TERM, SAME, Row, denied, read_mappings
from ontonym.store.mappings.rows import ENDS, is_by_person, left_open
from ontonym.tasks.match.options import KnownChange, KnownMappings, MatchOptions
from ontonym.tasks.match.owncodes import with_own_codes
from ontonym.tasks.match.related import BROAD, NARROW
from ontonym.tasks.match.rows import frequency_cell
from ontonym.text.counting import count
from ontonym.text.normalization import key

DECIDED = SAME | {BROAD, NARROW, "skos:closeMatch", "skos:relatedMatch"}
"""Predicates of known mappings that decide a source concept; those of `SAME` decide the target too."""

_PROPOSED = MatchOptions().threshold


def known_mappings(
    paths: Iterable[Path | str], source: Terminology, index: Index
) -> tuple[KnownMappings, list[dict[str, str]]]:
    """The decisions of mapping files between a terminology and an index, and the rows that apply.

    Mappings of either direction count, and codes of the source under another prefix where they have its names. Left out
    are candidates that nobody looked at, if a match would not propose them, and decisions on a source concept that has
    another name now.
    Raises InputError for a file of mappings none of which is between the two; one without any decides nothing.
    """
    reading = _Reading(source, index)
    for path in paths:
        undecided, applied = reading.undecided, False
        rows = with_own_codes(read_mappings(path).rows, source, index)
        for row in rows:
            applied = reading.take(row) or applied
        if rows and not applied:
            left = reading.undecided - undecided
            why = f"{count(left, 'candidate')} that nobody decided" if left else _unlike(rows, source)
            raise InputError(f"{path}: no mapping between {source.name or source.path} and {index.name}: {why}")
    return reading.known(), reading.kept


def _unlike(rows: Sequence[Row], source: Terminology) -> str:
    """That the ids of a file are not those of the source, with one of each."""
    first, ours = rows[0], source.id(0) if len(source) else ""
    return (
        f"it maps ids such as {first.get('subject_id') or first['subject_label']} to such as {first['object_id']}, and "
        f"{source.name or source.path} has ids such as {ours}"
    )


@dataclass(slots=True)
class _Reading:
    """What was read so far; see `KnownMappings`."""

    source: Terminology
    index: Index
    kept: list[dict[str, str]] = field(default_factory=list)
    mapped: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    denied: set[tuple[str, str]] = field(default_factory=set)
    undecided: int = 0
    sourceless: list[Row] = field(default_factory=list)
    targetless: list[Row] = field(default_factory=list)
    relabelled: dict[KnownChange, None] = field(default_factory=dict)
    followed: dict[KnownChange, None] = field(default_factory=dict)

    def known(self) -> KnownMappings:
        """All decisions."""
        mapped = {one: frozenset(some) for one, some in self.mapped.items()}
        return KnownMappings(
            mapped, frozenset(self.denied), self.undecided, tuple(self.sourceless), tuple(self.targetless),
            tuple(self.relabelled), tuple(self.followed),
        )  # fmt: skip

    def take(self, read: Row) -> bool:
        """Takes a row, and says whether it is a decision on the two sides, be it under another name."""
        found = self._between(read)
        if found is None:
            if denied(read) or _is_decision(read):
                self._miss(read)
            return False
        written, row = found
        ends = row["subject_id"], row["object_id"]
        if not denied(row) and not _is_decision(row):
            self.undecided += _is_unsure(row)
            return False
        changed = [end for end in ENDS if _is_other(written[end], row[end])]
        label = written.get("subject_label", "")
        if "subject_id" not in changed and not self._is_named(ends[0], label):
            self.relabelled[KnownChange(ends[0], label, row["subject_label"])] = None
            return True
        self.followed.update((KnownChange(ends[0], written[end], row[end]), None) for end in changed)
        if denied(row):
            self.denied.add(ends)
            return True
        self.mapped[ends[0]].update([ends[1]] if row["predicate_id"] in SAME and ends[1] != NO_TERM else [])
        self.kept.append(row)
        return True

    def _between(self, read: Row) -> tuple[Row, dict[str, str]] | None:
        """A row in the direction from the source to the index, as it was written, and with the present ids, names and
        releases; None if it is not of these two.

        Its author and its justification are kept; how often the source concept occurs is what the source says now.
        """
        for written in (read, _turned(read)):
            row = self._source_row(written)
            target = self._target(written["object_id"])
            if row is not None and target is not None:
                ends = {"subject_id": self.source.id(row), "subject_label": self.source.preferred(row)}
                often = frequency_cell(self.source, ends["subject_id"])
                made = {**written, **ends, "subject_source_version": self.source.version, **often}
                return written, {**made, **self._object(target, written)}
        return None

    def _object(self, target: str, written: Row) -> dict[str, str]:
        """The columns of a target; that nothing fits is said of the release in which it was looked for."""
        if target == NO_TERM:
            made_of = written.get("object_source_version", "")
            return {"object_id": target, "object_label": "", "object_source_version": made_of}
        terminology, row = self.index.locate(self.index.number(target))
        name = terminology.preferred(row)
        return {"object_id": target, "object_label": name, "object_source_version": terminology.version}

    def _source_row(self, written: Row) -> int | None:
        return self.source.current(id_) if (id_ := written.get("subject_id", "")) else None

    def _target(self, written: str) -> str | None:
        return written if written == NO_TERM else self.index.resolve(written) if written else None

    def _miss(self, read: Row) -> None:
        """Lists a row that is not of these two under the side that lacks its concept."""
        has_source = any(self._source_row(written) is not None for written in (read, _turned(read)))
        (self.targetless if has_source else self.sourceless).append(read)

    def _is_named(self, id_: str, label: str) -> bool:
        """Whether a source concept has this name, but for case, punctuation and accents, or none is given."""
        folded = key(label)
        return not folded or folded in map(key, self.source.names(self.source.row(id_)))


def _turned(read: Row) -> dict[str, str]:
    """A row in the other direction."""
    predicate = read["predicate_id"]
    swapped = {_swapped(column): value for column, value in read.items()}
    return {"subject_id": "", **swapped, "predicate_id": {BROAD: NARROW, NARROW: BROAD}.get(predicate, predicate)}


def _swapped(column: str) -> str:
    """The same column of the other end."""
    end, _, rest = column.partition("_")
    return {"subject": f"object_{rest}", "object": f"subject_{rest}"}.get(end, column)


def _is_other(written: str, present: str) -> bool:
    """Whether an id that was written means a concept that has another id; an IRI is a spelling of the same."""
    return "://" not in written and curie(written) != present


def _is_decision(row: Row) -> bool:
    """Whether a row that is not denied decides its source concept."""
    if row["object_id"] == NO_TERM and row.get("mapping_justification") == JUSTIFICATIONS["unspecified"]:
        return False  # a match found nothing: nobody has decided
    return not _is_unsure(row) and (row["object_id"] == NO_TERM or row["predicate_id"] in DECIDED)


def _is_unsure(row: Row) -> bool:
    """Whether nobody has decided: a row that says so, or that a program found and is less sure of than what is
    proposed.
    """
    if left_open(row):
        return True
    try:
        return not is_by_person(row) and float(row.get("confidence") or 1) < _PROPOSED
    except ValueError:
        return False
