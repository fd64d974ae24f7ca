"""Mappings carried over to new releases: which stay, what changed for the others, and what is proposed for each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ontonym.errors import InputError
from ontonym.ontology.xrefs import curie
from ontonym.store.affected import Judge, Outcome
from ontonym.store.describing import Change, changed_tag
from ontonym.store.diff import Difference
from ontonym.store.mappingfile import MappingFile, MappingRow
from ontonym.store.open import Terminology
from ontonym.store.replacement import Link
from ontonym.text.normalization import key

End = Literal["subject", "object"]
ENDS: tuple[End, ...] = ("subject", "object")

CarryReason = Literal["retired", "merged", "removed", "split", "renamed", "moved", "better named", "joined", "unknown"]
CarryProposal = Literal["follow", "drop", "look again"]


@dataclass(frozen=True, slots=True)
class CarryOptions:
    """``moved`` lists mappings whose concepts went to another place in the hierarchy; ``better`` those for which a new
    concept has the other's name.
    """

    moved: bool = True
    better: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to review a mapping: at which end, in words, and the concepts that could replace that end.

    ``links`` are active concepts, the surest first.
    """

    end: End
    reason: CarryReason
    words: str
    links: tuple[Link, ...] = ()
    proposal: CarryProposal = "look again"


@dataclass(frozen=True, slots=True)
class DoubtfulMapping:
    """A mapping to review: its row, the reasons, and the names of its ends as far as they are known."""

    row: MappingRow
    findings: tuple[Finding, ...]
    labels: Mapping[End, str]

    @property
    def proposal(self) -> CarryProposal:
        """``drop`` where an end is gone without a replacement, ``follow`` where every end that is gone has one."""
        own = {finding.proposal for finding in self.findings}
        return "drop" if "drop" in own else "look again" if "look again" in own else "follow"

    def ends(self) -> dict[End, tuple[Link, ...]]:
        """For each end the concepts that could stand there, the one proposed first; none where it is gone."""
        found: dict[End, tuple[Link, ...]] = {}
        for end in ENDS:
            written = self.row.ids[end]
            own = [finding for finding in self.findings if finding.end == end]
            stays = not any(finding.reason in _GONE for finding in own)
            links = [Link(written, self.labels[end], "active")] if stays else []
            links += [link for finding in own for link in finding.links]
            found[end] = tuple({link.id: link for link in links}.values())
        return found


_GONE = frozenset(("retired", "merged", "removed", "split"))


@dataclass(slots=True)
class Carried:
    """What became of a mapping file: the rows that stay, and those to review, in the order of the file.

    ``counts`` are the mappings by reason; one may have several.
    """

    file: MappingFile
    stay: list[MappingRow] = field(default_factory=list)
    doubtful: list[DoubtfulMapping] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many mappings have each reason, the most frequent first."""
        found = Counter(
            reason for one in self.doubtful for reason in dict.fromkeys(finding.reason for finding in one.findings)
        )
        return dict(found.most_common())

    @property
    def proposals(self) -> dict[str, int]:
        """How many mappings have each proposal."""
        return dict(Counter(one.proposal for one in self.doubtful).most_common())


def carry(path: Path | str, differences: Sequence[Difference], options: CarryOptions = CarryOptions()) -> Carried:
    """Finds the mappings of an SSSOM file whose concepts changed between releases; all others stay.

    ``differences`` are those of one side, or of both. An end is looked at where one of them knows its id. Concepts
    changed that are retired, merged or removed (since the old release or before it), were renamed so that neither
    name is a name of the other release's concept, are no longer below any of their parents, or where a new concept of
    the release has a name of the other end, and the one mapped to has not.
    Raises FormatError for a file that is no SSSOM, InputError where none of its ids is in any of the releases.
    """
    file = MappingFile(path)
    wanted = frozenset(curie(written) for row in file.rows() for written in (row.subject, row.object))
    sides = [_Side(difference, options, wanted) for difference in differences]
    carried = Carried(file)
    known = False
    for row in file.rows():
        findings: list[Finding] = []
        places: dict[End, _Side | None] = {}
        for end in ENDS:
            written = row.subject if end == "subject" else row.object
            side = places[end] = next((side for side in sides if written and side.knows(written)), None)
            known = known or side is not None
            if side is not None:
                findings += side.findings(end, written)
            elif written and any(side.may_know(written) for side in sides):
                findings.append(Finding(end, "unknown", f"{written} is in neither release"))
        if options.better and not row.denied and not any(finding.reason in _GONE for finding in findings):
            findings += _better(row, places)
        if findings:
            carried.doubtful.append(
                DoubtfulMapping(row, tuple(findings), {end: _label(row, end, places[end]) for end in ENDS})
            )
        else:
            carried.stay.append(row)
    if not known:
        names = ", ".join(side.new.full_name for side in sides)
        raise InputError(f"{path}: no id of its mappings is in the releases of {names}: name the releases of its sides")
    return _joined(carried)


class _Side:
    """One terminology in both releases, asked concept by concept."""

    def __init__(self, difference: Difference, options: CarryOptions, wanted: frozenset[str]) -> None:
        self.difference = difference
        self.old, self.new = difference.old, difference.new
        self._judge = Judge(difference)
        renamed, fully_specified, moved = (
            [change for change in difference.changes(kind) if change.id in wanted]
            for kind in ("renamed", "fsn changed", "moved")
        )
        self._renamed = {change.id: change for change in renamed if _other_meaning(change, self)}
        self._tags = {one.id: tag for one in fully_specified if (tag := changed_tag(one.old, one.new))}
        self._moved = {change.id: change for change in moved if options.moved and _elsewhere(change, difference)}
        self._added: dict[str, list[Link]] | None = None

    def knows(self, written: str) -> bool:
        """Whether one of the releases has the id."""
        return self._judge.knows(written)

    def may_know(self, written: str) -> bool:
        """Whether the id has a prefix of the terminology."""
        return self._judge.outcome(written) == "unknown"

    def row(self, written: str) -> int | None:
        """The concept of the new release that has exactly this id, in its usual spelling."""
        return self.new.current(curie(written))

    def name(self, written: str) -> str:
        """What the concept with this id is called, or was while it was active."""
        outcome = self._judge.outcome(written)
        if isinstance(outcome, Outcome):
            return outcome.preferred
        row = self.row(written)
        return "" if row is None else self.new.preferred(row)

    def findings(self, end: End, written: str) -> list[Finding]:
        """What changed of the concept with this id."""
        outcome = self._judge.outcome(written)
        if isinstance(outcome, Outcome):
            return [_gone(end, outcome)]
        row = self.row(written)
        if row is None:
            return []
        concept = self.new.id(row)
        found = []
        if change := self._renamed.get(concept):
            found.append(Finding(end, "renamed", f"{concept} was “{change.old}” and is now “{change.new}”"))
        elif tag := self._tags.get(concept):
            found.append(Finding(end, "renamed", f"{concept}: {tag}"))
        if change := self._moved.get(concept):
            found.append(Finding(end, "moved", f"{concept} was below {_named(change.parents_lost)}, and is now below "
                                 f"{_named(change.parents_gained)}"))  # fmt: skip
        return found

    def added_named(self, name: str) -> list[Link]:
        """The new concepts that have this name, but for case, punctuation and accents."""
        if self._added is None:
            self._added = defaultdict(list)
            for row in self.difference.added.tolist():
                link = Link(self.new.id(row), self.new.preferred(row), "active")
                for folded in {key(text) for text in _exact_names(self.new, row)}:
                    self._added[folded].append(link)
        return self._added.get(key(name), [])


def _exact_names(terminology: Terminology, row: int) -> list[str]:
    """The active names of a concept that mean just it: no broad, narrow or related synonyms."""
    terms = (terminology.term(term) for term in terminology.terms_of(row))
    return [term.text for term in terms if term.status == "active" and term.scope == "exact"]


def _other_meaning(change: Change, side: _Side) -> bool:
    """Whether a new preferred term may mean something else: neither release has both names, in any spelling."""
    before, after = side.old.find(change.id), side.new.find(change.id)
    if key(change.old) == key(change.new) or before is None or after is None:
        return False
    had = {key(text) for text in side.old.names(before)}
    has = {key(text) for text in side.new.names(after)}
    return key(change.old) not in has and key(change.new) not in had


def _elsewhere(change: Change, difference: Difference) -> bool:
    """Whether a move is to another place altogether: the concept is now below none of its former parents, and was
    below none of the new ones.
    """
    old, new = difference.old, difference.new
    before, after = old.find(change.id), new.find(change.id)
    if before is None or after is None or not change.parents_lost or not change.parents_gained:
        return False
    was, is_ = _above(old, before), _above(new, after)
    # a parent that is itself new, or was itself retired, says nothing of the concept
    left = {parent for parent in _parents(old, before) if _is_active(new, parent)}
    come = {parent for parent in _parents(new, after) if _is_active(old, parent)}
    return bool(left and come) and not left & is_ and not come & was


def _parents(terminology: Terminology, row: int) -> set[str]:
    return {terminology.id(parent) for parent in terminology.hierarchy.parents(row).tolist()}


def _is_active(terminology: Terminology, concept_id: str) -> bool:
    row = terminology.find(concept_id)
    return row is not None and terminology.id(row) == concept_id and bool(terminology.active[row])


def _above(terminology: Terminology, row: int) -> set[str]:
    """The ids of all concepts above a concept."""
    return {terminology.id(each) for each in terminology.hierarchy.ancestors(row).tolist()}


def _gone(end: End, outcome: Outcome) -> Finding:
    """What became of a concept that is no longer active, and what takes its place."""
    sure = tuple(link for link in outcome.replaced_by if link.status == "active")
    near = tuple(link for link in outcome.consider if link.status == "active")
    when = "" if outcome.recent else " before the old release already"
    words = f"{outcome.id} “{outcome.preferred}” was {outcome.why}{when}" if outcome.preferred else (
        f"{outcome.id} was {outcome.why}{when}"
    )  # fmt: skip
    if len(sure) > 1 or (not sure and near):
        relation = "replaced by" if sure else "may be"
        return Finding(end, "split" if sure or len(near) > 1 else outcome.why,
                       f"{words}; {relation} {_named(sure or near)}", sure + near, "look again")  # fmt: skip
    if sure:
        word = "is now" if outcome.why == "merged" else "replaced by"
        return Finding(end, outcome.why, f"{words}; {word} {_named(sure)}", sure + near, "follow")
    note = f" ({outcome.note})" if outcome.note else ""
    return Finding(end, outcome.why, f"{words}, and nothing takes its place{note}", (), "drop")


def _better(row: MappingRow, places: dict[End, _Side | None]) -> Iterator[Finding]:
    """New concepts whose name equals a name of the other end, where the one that is mapped has no name of it."""
    for end, other in zip(ENDS, reversed(ENDS), strict=True):
        side = places[end]
        if side is None:
            continue
        names = _names(row, other, places[other])
        own = _names(row, end, side)
        if {key(name) for name in names} & {key(name) for name in own}:
            continue
        for name in names:
            links = [link for link in side.added_named(name) if link.id != row.ids[end]]
            if links:
                words = f"{_named(links)} is new, and has the name “{name}” of {row.ids[other]}"
                yield Finding(end, "better named", words, tuple(links))
                break


def _names(row: MappingRow, end: End, side: _Side | None) -> list[str]:
    """The names of an end: those of its terminology, or the label of the mapping."""
    if side is not None and (found := side.row(row.ids[end])) is not None:
        return _exact_names(side.new, found)
    label = row.cells.get(f"{end}_label", "")
    return [label] if label else []


def _label(row: MappingRow, end: End, side: _Side | None) -> str:
    """What an end is called: by the mapping itself, or else by its terminology."""
    label = row.cells.get(f"{end}_label", "")
    return label or (side.name(row.ids[end]) if side is not None else "")


def _named(links: Sequence[Link]) -> str:
    return ", ".join(f"{link.id} {link.preferred}".strip() for link in links)


def _joined(carried: Carried) -> Carried:
    """Adds where a replacement is mapped already, to something else: two mappings of a concept that was one of two."""
    targets: dict[tuple[End, str], set[str]] = defaultdict(set)
    for row in carried.stay:
        if not row.denied and row.object:
            targets["subject", row.subject].add(row.object)
            targets["object", row.object].add(row.subject)
    doubtful = []
    for one in carried.doubtful:
        added = []
        for finding in one.findings:
            other = one.row.object if finding.end == "subject" else one.row.subject
            for link in finding.links if finding.proposal == "follow" and not one.row.denied else ():
                others = sorted(targets[finding.end, link.id] - {other})
                if others:
                    words = f"{link.id} is mapped to {', '.join(others)} already"
                    added.append(Finding(finding.end, "joined", words))
        doubtful.append(replace(one, findings=(*one.findings, *added)))
    carried.doubtful = doubtful
    return carried
