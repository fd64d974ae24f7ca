"""Reviewing mappings in Python: a review that is begun, opened, worked through, merged and exported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.given import concept_id_of, given_places, given_texts, place_if_given, place_of
from ontonym.api.results import ResultList
from ontonym.closing import Closing
from ontonym.errors import WrongTypeError
from ontonym.index import Index, open_index
from ontonym.store.export.mappings import AS_IT_IS, MappingOptions
from ontonym.tasks.optionkeywords import chosen
from ontonym.tasks.review import (
    FILTERS,
    Item,
    Review,
    ReviewAccess,
    ReviewExport,
    ReviewProgress,
    ReviewStanding,
    export_review,
    read_journal,
    read_sheet,
    save_sheet,
    target_index,
)
from ontonym.tasks.review import merge_reviews as merge_journals
from ontonym.tasks.review import start_review as start
from ontonym.text.counting import count

if TYPE_CHECKING:
    from ontonym.tasks.review import ReviewMerger

A_STATE = "the path of a review"


class ReviewList(ResultList[Item]):
    """Source concepts of a review with what was decided on each, most urgent first; ``chosen`` is the filter."""

    def __init__(self, items: Iterable[Item] = (), standings: Sequence[ReviewStanding] = (), chosen: str = "") -> None:
        super().__init__(items)
        self._standings = {one.id: standing for one, standing in zip(self, standings, strict=False)}
        self.chosen = chosen

    @property
    def standings(self) -> list[ReviewStanding]:
        """For each source concept of the list what was decided on it."""
        return [self._standings[one.id] for one in self]

    def columns(self) -> dict[str, list[Any]]:
        """Id, name and frequency of each source concept, what is proposed for it, its status, and who decided what."""
        best = [one.proposed for one in self]
        return {
            "id": [one.id for one in self],
            "name": [one.label for one in self],
            "frequency": [one.frequency for one in self],
            "proposed": [one.id if one else None for one in best],
            "proposed_name": [one.label if one else None for one in best],
            "relation": [one.verdict if one else None for one in best],
            "confidence": [one.confidence if one else None for one in best],
            "status": [one.status for one in self.standings],
            "decided": ["; ".join(_words(one)) for one in self.standings],
        }

    def _title(self) -> str:
        return f"{count(len(self), 'source concept')}, {self.chosen}"

    def _rows(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        columns = self.columns()
        columns["frequency"] = [f"{one:g}" for one in columns["frequency"]]
        columns["confidence"] = ["" if one is None else f"{one:.2f}" for one in columns["confidence"]]
        return [*columns], [[cell or "" for cell in row] for row in zip(*columns.values(), strict=True)]


def _words(standing: ReviewStanding) -> list[str]:
    return [" ".join(filter(None, (one.who, one.verdict, one.target))) for one in standing.in_force]


class ReviewHandle(Closing):
    """An open review: what is to be decided, and the actions of one reviewer. Close it, or use ``with``.

    Every action is on disk when it returns. Where the index that was matched to is known, the targets of decisions are
    looked up in it, and a code without its prefix gets it.
    """

    def __init__(self, path: Path, access: ReviewAccess, index: Any = None, *, read_only: bool = False) -> None:
        self.path = path
        self._files = ExitStack()
        try:
            self._review: Review = self._files.enter_context(access.open(path, read_only=read_only))
            place = target_index(self._review.places["candidates"]) if index is None else index
            if place is not None:
                own = place if isinstance(place, Index) else self._files.enter_context(open_index(place_of(place)))
                self._review.index = own
        except BaseException:
            self._files.close()
            raise

    @property
    def reviewer(self) -> str:
        """Who decides."""
        return self._review.reviewer

    @property
    def progress(self) -> ReviewProgress:
        """How many source concepts there are, and how many of them are decided."""
        return self._review.progress()

    def __len__(self) -> int:
        return len(self._review.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._review.items.values())

    def __contains__(self, source: object) -> bool:
        concept_id = source.id if isinstance(source, Item) else source
        return isinstance(concept_id, str) and concept_id in self._review.items

    def __getitem__(self, source: str) -> Item:
        return self._review.resolved(concept_id_of(source))

    def standing(self, source: str) -> ReviewStanding:
        """What was decided on a source concept; InputError for one that is not in the review."""
        return self._review.standing(self[source].id)

    def listed(self, filter: str = "undecided", words: str = "") -> ReviewList:
        """The source concepts that a filter and a search leave, most urgent first.

        Filters are those of ``ontonym.tasks.review.FILTERS``: undecided, mapped, rejected, disagreed, all and so on.
        """
        items = [self._review.item(source) for source in self._review.listed(filter, words)]
        return ReviewList(items, [self._review.standing(one.id) for one in items], FILTERS[filter][0])

    def decide(
        self,
        source: str,
        verdict: str,
        target: str = "",
        *,
        comment: str = "",
        also: bool = False,
        label: str = "",
        unchecked: bool = False,
    ) -> ReviewStanding:
        """Decides on a source concept, and gives what is decided on it now.

        ``verdict`` is exact, close, broad (the target is broader), narrow or related, reject (not this target) or none
        (nothing fits); accept takes what is proposed, skip puts the source concept off, comment only comments.
        ``also`` maps it to another target in addition. Raises InputError for a target that is no concept of the index,
        unless it is taken ``unchecked``, as it is.
        """
        with self._checking(unchecked=unchecked):
            self._review.decide(concept_id_of(source), verdict, target, label=label, also=also, comment=comment)
        return self.standing(source)

    def undo(self) -> bool:
        """Undoes what this reviewer did last; False where there is nothing to undo."""
        return self._review.undo() is not None

    def redo(self) -> bool:
        """Does again what was undone last; False where there is nothing."""
        return self._review.redo() is not None

    def assign(self, to: str | Sequence[str], sources: Sequence[str] | None = None) -> int:
        """Assigns source concepts to reviewers, by turns; by default all that are undecided. Gives how many are new."""
        wanted = self._review.listed() if sources is None else given_texts(sources, "ids of source concepts")
        return self._review.assign(wanted, given_texts(to, "the name of a reviewer, or several"))

    def write_sheet(self, path: Path | str, filter: str = "undecided", *, each: int = 3, raw: bool = False) -> int:
        """Writes a table to decide in (.csv, .tsv, .xlsx), with a row for each of the first ``each`` candidates of a
        source concept; gives the number of rows.
        """
        return save_sheet(self._review, place_of(path), filter, each=each, raw=raw)[1]

    def read_sheet(self, path: Path | str, *, unchecked: bool = False) -> int:
        """Takes the decisions of a filled sheet and gives how many are new: all or, where a line is wrong, none.

        Targets are looked up in the index as in `decide`, or taken ``unchecked``.
        """
        with self._checking(unchecked=unchecked):
            return read_sheet(self._review, place_of(path))

    @contextmanager
    def _checking(self, *, unchecked: bool) -> Iterator[None]:
        """Looks targets up in the index, or takes them as they are."""
        index = self._review.index
        try:
            self._review.index = None if unchecked else index
            yield
        finally:
            self._review.index = index

    def export(
        self, path: Path | str, options: MappingOptions | None = None, *, every: bool = False, **keywords: Any
    ) -> ReviewExport:
        """Writes what was decided as mappings, in the format of the ending of ``path``.

        ``every`` writes what is undecided too, as it is proposed. Keywords are fields of `MappingOptions`.
        """
        return export_review(self._review, place_of(path), chosen(options, AS_IT_IS, keywords), every=every)

    def close(self) -> None:
        """Lets go of the files; the state file is free for others again."""
        self._files.close()

    def __repr__(self) -> str:
        now = self.progress
        return f"<Review {self.path}: {now.decided:,} of {now.items:,} decided, {now.disagreed:,} disagreed>"


def start_review(
    candidates: Path | str,
    state: Path | str,
    *,
    proposals: Path | str | None = None,
    frequencies: Path | str | None = None,
    decided: Path | str | None = None,
    reviewer: str | None = None,
    index: Index | Path | str | None = None,
) -> ReviewHandle:
    """Begins a review of the candidates that `ontonym.match` wrote, in a new file at ``state``, and opens it.

    ``proposals`` is the main output of the matching; without it the best candidate is proposed, from a confidence of
    0.5. ``frequencies`` is a CSV with the columns id and frequency, ``decided`` an earlier review whose decisions are
    taken over. Raises InputError where ``state`` is there already.
    """
    start(
        place_of(state, A_STATE), place_of(candidates, "the path of a file of candidates"),
        proposals=place_if_given(proposals), frequencies=place_if_given(frequencies), decided=place_if_given(decided),
    )  # fmt: skip
    return open_review(state, reviewer=reviewer, index=index)


def open_review(
    state: Path | str,
    *,
    reviewer: str | None = None,
    index: Index | Path | str | None = None,
    read_only: bool = False,
    candidates: Path | str | None = None,
    proposals: Path | str | None = None,
    frequencies: Path | str | None = None,
) -> ReviewHandle:
    """The review in the file ``state``, open for one reviewer, by default the present user. Close it, or use ``with``.

    ``index`` is where targets are looked up; by default the index that was matched to, if it is still there.
    ``candidates``, ``proposals`` and ``frequencies`` say where its files are now, if they were moved. Raises
    LockedError while another process has the review open, unless it is only read.
    """
    if reviewer is not None and not isinstance(reviewer, str):
        raise WrongTypeError(reviewer, "the name of a reviewer")
    access = ReviewAccess(reviewer, place_if_given(candidates), place_if_given(proposals), place_if_given(frequencies))
    return ReviewHandle(place_of(state, A_STATE), access, index, read_only=read_only)


def merge_reviews(states: Any, output: Path | str | None = None) -> ReviewMerger:
    """Merges reviews that were begun from the same files, and says where reviewers agree and disagree.

    ``output`` is the state file to write, which may be one of those that are merged; without it nothing is written.
    """
    journals = [read_journal(place) for place in given_places(states, "the paths of reviews")]
    return merge_journals(journals, None if output is None else place_of(output, A_STATE))
