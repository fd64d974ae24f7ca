"""An open review: the items and their order, the status of each, and the actions of a reviewer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ontonym.errors import InputError, UnknownNameError
from ontonym.files.user import user_name
from ontonym.index import Index
from ontonym.tasks.review.earlier import earlier_review
from ontonym.tasks.review.events import VERDICTS, Event, GivenDecision, Verdict, check_verdict, new_id, now
from ontonym.tasks.review.filters import FoldedTexts, check_filter, matching
from ontonym.tasks.review.items import (
    Item,
    Items,
    ReviewCandidate,
    ids_by_code,
    nearest_source,
    read_items,
    with_candidate,
)
from ontonym.tasks.review.journal import Bound, Header, ReviewJournal, open_journal, read_journal, start_journal
from ontonym.tasks.review.standing import NOTHING, ReviewStanding, ReviewStatus, history, replaced_by, standing_of
from ontonym.tasks.review.targets import checked_target, completed_target

_OTHERS = ("accept", "skip", "comment")
"""The actions besides verdicts."""

ROLES = ("candidates", "proposals", "frequencies")
"""The files that a review is begun from; only the first is required."""


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """The progress of a review: the number of ``items``, and of each status."""

    items: int
    mapped: int
    none: int
    disagreed: int
    undecided: int

    @property
    def decided(self) -> int:
        """The number of items with a decision, without those with disagreement."""
        return self.mapped + self.none


def start_review(
    path: Path | str,
    candidates: Path | str,
    *,
    proposals: Path | str | None = None,
    frequencies: Path | str | None = None,
    decided: Path | str | None = None,
) -> Items:
    """Starts a review in a new state file and gives its items; the decisions of another can be taken over, see
    `EarlierReview`. Raises FormatError for files that cannot be read, InputError where the state file is there already.
    """
    items = read_items(candidates, proposals, frequencies)
    given = zip(ROLES, (candidates, proposals, frequencies), strict=True)
    header = Header(now(), {role: Bound.of(file) for role, file in given if file is not None})
    start_journal(path, header, earlier_review(decided, items).events if decided is not None else ())
    return items


@lru_cache(maxsize=16)
def _kept_items(*files: tuple[Path, str] | None) -> tuple[Items, FoldedTexts]:
    """The items of the files of `ROLES` with these checksums, and their texts for searches: a server opens a review for
    every request.
    """
    return read_items(*(file[0] if file else None for file in files)), {}  # type: ignore[arg-type]


@contextmanager
def open_review(
    path: Path | str, reviewer: str, *, read_only: bool = False, patience: float = 0.0, **files: Path | str | None
) -> Iterator[Review]:
    """Opens a review; ``files`` say where those of `ROLES` are, if they were moved.

    Raises LockedError while another process has the state file, after ``patience`` seconds, unless it is only read;
    MismatchError where a file it was begun from has changed.
    """
    if not reviewer.strip():
        raise InputError("a reviewer needs a name: `reviewer=NAME`")
    if read_only:
        yield Review(read_journal(path), reviewer, **files)
        return
    with open_journal(path, patience=patience) as journal:
        yield Review(journal, reviewer, **files)


@dataclass(frozen=True, slots=True)
class ReviewAccess:
    """The reviewer, None for the present user, and the new places of the files of `ROLES`, if they were moved."""

    reviewer: str | None = None
    candidates: Path | str | None = None
    proposals: Path | str | None = None
    frequencies: Path | str | None = None

    def open(self, path: Path | str, *, read_only: bool = False) -> AbstractContextManager[Review]:
        """The review with the state file ``path``; see `open_review`."""
        files = {role: getattr(self, role) for role in ROLES}
        return open_review(path, user_name() if self.reviewer is None else self.reviewer, read_only=read_only, **files)

    def start_where_new(self, path: Path | str) -> None:
        """Starts the review where there is no state file and the candidates are given; see `start_review`."""
        if self.candidates is not None and not Path(path).exists():
            start_review(path, self.candidates, proposals=self.proposals, frequencies=self.frequencies)


class Review:
    """A review as one reviewer sees it; every action is on disk on return.

    ``items`` are the source concepts with their candidates, ``places`` the files that were read. Where ``index`` is
    set, the targets of decisions are looked up in it: `checked_target`.
    """

    def __init__(self, journal: ReviewJournal, reviewer: str, **files: Path | str | None) -> None:
        self.journal = journal
        self.reviewer = reviewer.strip()
        bound = journal.header.files
        self.places = {role: bound[role].found(journal.path, files.get(role)) for role in ROLES if role in bound}
        self.index: Index | None = None
        self._read, self._folded = _kept_items(
            *((self.places[role], bound[role].sha256) if role in bound else None for role in ROLES)
        )
        self._take_up(self._read)

    def _take_up(self, items: Items) -> None:
        """Combines the items that were read with the events."""
        self._items = dict(items)
        self.items: Items = MappingProxyType(self._items)
        self._events: dict[str, list[Event]] = defaultdict(list)
        self._standings: dict[str, ReviewStanding] = {}
        self._counts: Counter[ReviewStatus] | None = None
        self._void = self.journal.void
        for event in self.journal.events:
            self._events[event.source].append(event)
            self._bring(event)

    def _bring(self, event: Event) -> None:
        """Makes the target of a decision a candidate, if it is not one."""
        if event.did == "decide" and event.target and event.source in self._items:
            brought = ReviewCandidate(event.target, event.label, added=True)
            self._items[event.source] = with_candidate(self._items[event.source], brought)

    # Where it stands ------------------------------------------------------------------------------------------------

    def item(self, source: str) -> Item:
        """The item of a source concept; InputError, which names the nearest, for one that is not in the review."""
        if source in self.items:
            return self.items[source]
        near = nearest_source(self.items, source)
        hint = f": did you mean {near!r}?" if near else ""
        raise InputError(f"no source concept {source!r} in the review {self.journal.path.name}{hint}")

    def resolved(self, source: str) -> Item:
        """The item of a source concept whose id may lack its prefix; raises as `item` does."""
        return self.item(source if source in self.items else self._codes.get(source, source))

    @cached_property
    def _codes(self) -> Mapping[str, str]:
        return ids_by_code(self._read)

    def standing(self, source: str) -> ReviewStanding:
        """The standing of a source concept."""
        found = self._standings.get(source)
        if found is None:
            events = self._events.get(source)
            found = self._standings[source] = standing_of(events, self._void) if events else NOTHING
        return found

    @property
    def elsewhere(self) -> list[str]:
        """Source concepts with events that are not among the items (of an earlier review)."""
        return [source for source in self._events if source and source not in self.items]

    def listed(self, name: str = "undecided", wanted: str = "") -> list[str]:
        """The source ids that pass a filter of `FILTERS` and a search, most urgent first; postponed ones come last."""
        found = list(matching(self._among(name), wanted, self._folded))
        found.sort(key=lambda item: (self.reviewer in self.standing(item.id).skipped, *item.urgency))
        return [item.id for item in found]

    def count(self, name: str) -> int:
        """How many source concepts a filter leaves."""
        return sum(1 for _ in self._among(name))

    def _among(self, name: str) -> Iterator[Item]:
        chosen = check_filter(name)
        return (item for item in self.items.values() if chosen(item, self.standing(item.id), self.reviewer))

    def progress(self) -> ReviewProgress:
        """The progress of the review."""
        if self._counts is None:
            self._counts = Counter(self.standing(source).status for source in self.items)
        counts = self._counts
        return ReviewProgress(
            len(self.items), counts["mapped"], counts["none"], counts["disagreed"], counts["undecided"]
        )

    def can_undo(self) -> Event | None:
        """The event that `undo` would undo: this reviewer's last."""
        done, _ = history(self.journal.events, self.reviewer)
        return done[-1] if done else None

    # What a reviewer does ---------------------------------------------------------------------------------------------

    def decide(
        self,
        source: str,
        verdict: str,
        target: str = "",
        *,
        label: str = "",
        also: bool = False,
        comment: str = "",
        seen: Collection[str] | None = None,
    ) -> Event | None:
        """Decides on a source concept; None if this reviewer has made the same decision already.

        ``verdict`` is one of `VERDICTS`; ``accept`` takes the proposal (or the candidate ``target``) as it is, ``skip``
        postpones the source concept, ``comment`` only comments on it. The comment of a decision that was made already
        is not repeated. A decision replaces others, by whomever; where the ids of those that the reviewer has ``seen``
        are given, only these: another one stays, and the two disagree. ``also`` maps to another target in addition. A
        target need not be a candidate; ``label`` is its name then. Codes without their prefix get it. Raises InputError
        for a missing target, one where none fits, or one that an ``index`` does not have.
        """
        if verdict not in (*VERDICTS, *_OTHERS):
            raise UnknownNameError("verdict", verdict, (*VERDICTS, *_OTHERS))
        item, target, said = self.resolved(source), target.strip(), comment.strip()
        if verdict == "comment":
            return self.comment(item.id, said)
        if verdict == "skip":
            skipped = self.skip(item.id)
            if said:
                self.comment(item.id, said)
            return skipped
        if verdict == "accept":
            proposed = item.candidate(target) if target else item.proposed
            if proposed is None:
                raise InputError(f"{source}: {target or 'nothing'} is {'no candidate' if target else 'proposed'}: say "
                                 "what it is mapped to, such as exact DOID:1")  # fmt: skip
            verdict, target = proposed.verdict, proposed.id
        event = self._decision(item, check_verdict(verdict), target, label, also=also, seen=seen)
        before = {one.text for one in self.standing(item.id).comments if one.who == self.reviewer}
        events = [] if event is None else [event]
        if said and (event or said not in before):  # first: `undo` begins with the decision
            events.insert(0, self._made("comment", item.id, text=said))
            events[1:] = [replace(one, time=now(events[0].time)) for one in events[1:]]
        self._add(*events)
        return events[-1] if event else None

    def decide_all(self, decisions: Iterable[GivenDecision]) -> int:
        """Makes many decisions at once, all or none; returns the number of new ones."""
        try:
            with self.journal.together():
                return sum(
                    self.decide(one.source, one.verdict, one.target, also=one.also, comment=one.comment) is not None
                    for one in decisions
                )
        except BaseException:
            self._take_up(self._read)
            raise

    def _decision(
        self, item: Item, verdict: Verdict, target: str, label: str, *, also: bool, seen: Collection[str] | None
    ) -> Event | None:
        """The event of a decision that is to be made; None if this reviewer has made the same one already."""
        source, standing = item.id, self.standing(item.id)
        if verdict == "none" and target:
            raise InputError(f"{source}: none means that no target fits: leave out {target}")
        if verdict != "none" and not target:
            raise InputError(f"{source}: {verdict} needs a target: give its id")
        target, label = self._target(item, target, label)
        if any(event.who == self.reviewer and event.decision == (verdict, target) for event in standing.in_force) and (
            not standing.clashes
        ):
            return None
        candidate = item.candidate(target)
        best = item.proposed
        known = standing.in_force if seen is None else self._decided(source, seen)
        event = self._made(
            "decide", source, verdict=verdict, target=target,
            label=label or (candidate.label if candidate else ""),
            predicate=(candidate.predicate if candidate else "skos:exactMatch") if verdict == "reject" else "",
            saw=tuple(event.id for event in known),
            proposed=best.id if best else "", confidence=best.confidence if best else None,
            shown=tuple(one.id for one in item.candidates if not one.added),
        )  # fmt: skip
        return replace(event, replaces=replaced_by(event, known, also=also))

    def _decided(self, source: str, seen: Collection[str]) -> tuple[Event, ...]:
        """The decisions on a source concept with these ids, in force or not."""
        return tuple(event for event in self._events[source] if event.did == "decide" and event.id in seen)

    def _target(self, item: Item, target: str, label: str) -> tuple[str, str]:
        if not target:
            return target, label
        if self.index is None:
            return completed_target(item, self._items.values(), target), label
        found, preferred = checked_target(self.index, item, target)
        return found, label or preferred

    def comment(self, source: str, text: str) -> Event:
        """Comments on a source concept."""
        if not text.strip():
            raise InputError(f"{source}: the comment is empty")
        return self._add(self._made("comment", self.item(source).id, text=text.strip()))[0]

    def assign(self, sources: Sequence[str], to: Sequence[str]) -> int:
        """Assigns source concepts to reviewers in turn, with an empty name to nobody; returns how many are new.

        InputError where a reviewer is named twice, or none is.
        """
        if not to or len(set(to)) != len(to):
            raise InputError("`to=` names the same reviewer twice" if to else "`to=` names no reviewer")
        events: list[Event] = []
        for place, source in enumerate(sources):
            item, name = self.resolved(source), to[place % len(to)].strip()
            if self.standing(item.id).assigned != name:
                events.append(self._made("assign", item.id, events, to=name))
        self._add(*events)
        return len(events)

    def skip(self, source: str) -> Event:
        """Postpones a source concept, to the end of the list."""
        return self._add(self._made("skip", self.item(source).id))[0]

    def undo(self) -> Event | None:
        """Undoes this reviewer's last action and returns it; None if there is none."""
        done = self.can_undo()
        if done is not None:
            self._add(self._made("undo", event=done.id))
            self._void = self.journal.void
            self._changed(done.source)
        return done

    def redo(self) -> Event | None:
        """Reverts the last undoing and returns the action; None if something else was done since."""
        _, taken_back = history(self.journal.events, self.reviewer)
        if not taken_back:
            return None
        undo = taken_back[-1]
        self._add(self._made("redo", event=undo.id))
        self._void = self.journal.void
        again = next(event for event in self.journal.events if event.id == undo.event)
        self._changed(again.source)
        return again

    def _changed(self, source: str) -> None:
        """Computes again where a source concept stands."""
        before = self._standings.pop(source, NOTHING).status
        if self._counts is not None and source in self.items:
            self._counts[before] -= 1
            self._counts[self.standing(source).status] += 1

    def _made(self, did: str, source: str = "", after: Sequence[Event] = (), **more: Any) -> Event:
        last = after[-1] if after else next(reversed(self.journal.events), None)
        return Event(new_id(), now(last.time if last else ""), self.reviewer, did, source, **more)  # type: ignore[arg-type]

    def _add(self, *events: Event) -> tuple[Event, ...]:
        self.journal.add(*events)
        for event in events:
            if event.source:
                self._events[event.source].append(event)
                self._changed(event.source)
            self._bring(event)
        return events
