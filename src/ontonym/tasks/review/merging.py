"""Merges the reviews of several people: state files begun from the same candidates, into the union of their events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ontonym.errors import InputError, MissingExtraError
from ontonym.replacing import lock
from ontonym.tasks.review.agreement import Disagreement, ReviewerAgreement, agreements, disagreements
from ontonym.tasks.review.events import Event
from ontonym.tasks.review.journal import Header, ReviewJournal, keep_aside, read_journal, write_journal


@dataclass(frozen=True, slots=True)
class ReviewMerger:
    """Several reviews together: the number of events of each (``read``), and the ``events`` of their union.

    ``missing`` says why the agreement was not measured; empty if it was.
    """

    read: tuple[int, ...]
    events: Sequence[Event]
    agreements: Sequence[ReviewerAgreement]
    disagreements: Sequence[Disagreement]
    missing: str = ""

    @property
    def reviewers(self) -> list[str]:
        """All reviewers with an event, by name."""
        return sorted({event.who for event in self.events})


def merge_reviews(journals: Sequence[ReviewJournal], output: Path | str | None = None) -> ReviewMerger:
    """Merges reviews that were begun from the same files; the result is written to ``output``, if given.

    Raises what `merge_journals` raises. Without scikit-learn agreement is not measured.
    """
    _, events = merged(journals)
    if output is not None:
        events = merge_journals([journal.path for journal in journals], output).events
    pairs: list[ReviewerAgreement] = []
    missing = ""
    try:
        pairs = agreements(events)
    except MissingExtraError as error:
        missing = str(error)
    return ReviewMerger(
        tuple(len(journal.events) for journal in journals), events, pairs, disagreements(events), missing
    )


def merged(journals: Sequence[ReviewJournal]) -> tuple[Header, list[Event]]:
    """The union of the events of several state files, in order, and the header of the earliest.

    Raises InputError if there is none, they were begun from different files, or have different events with one id.
    """
    if not journals:
        raise InputError("there is no review to merge: give the state files of some")
    first = journals[0]
    union: dict[str, Event] = {}
    for journal in journals:
        if journal.header.begun_from != first.header.begun_from:
            raise InputError(f"{first.path} and {journal.path} were begun from different files, so that they do not "
                             "speak of the same candidates: begin both from one candidates file")  # fmt: skip
        for event in journal.events:
            if union.setdefault(event.id, event) != event:
                raise InputError(f"{journal.path}: the event {event.id} is another one than in the other files: "
                                 "restore the file from a copy")  # fmt: skip
    header = min((journal.header for journal in journals), key=lambda header: header.line())
    created = min(journal.header.created for journal in journals)
    return replace(header, created=created), sorted(union.values(), key=lambda event: event.order)


def merge_journals(paths: Sequence[Path | str], output: Path | str) -> ReviewJournal:
    """Writes the merger of several state files; ``output`` may be one of them, which then gains what it lacks."""
    output = Path(output)
    journals = [read_journal(path) for path in paths]
    header, events = merged(journals)
    with lock(output.resolve()):
        if output.exists() and not any(output.samefile(path) for path in paths):
            raise InputError(f"{output}: is there already: name it among the files to merge, or give another name")
        if output.exists():
            before = read_journal(output)
            if before.events != next(journal.events for journal in journals if journal.path.samefile(output)):
                raise InputError(f"{output}: has changed while it was read: merge again")
            if before.torn:
                keep_aside(output, before.torn)
        write_journal(output, header, events)
    return ReviewJournal(output, header, events)
