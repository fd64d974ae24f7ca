"""``ontonym review``: work through candidates and decide; and what its verbs share."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

import click

from ontonym.cli.lazy import LazyGroup
from ontonym.tasks.review import Event, Item, Review, ReviewProgress, Standing, open_review
from ontonym.tasks.review.journal import TORN, Journal

REVIEWS = MappingProxyType(
    {
        "start": ("ontonym.cli.review_start", "Begin a review of candidates."),
        "open": ("ontonym.cli.review_open", "Go on with a review, on the screen."),
        "list": ("ontonym.cli.review_list", "List what is to be decided, and what was."),
        "decide": ("ontonym.cli.review_decide", "Decide on one source concept."),
        "undo": ("ontonym.cli.review_undo", "Undo what was done last."),
        "assign": ("ontonym.cli.review_assign", "Share the work out."),
        "sheet": ("ontonym.cli.review_sheet", "Decide in a spreadsheet."),
        "merge": ("ontonym.cli.review_merge", "Put the reviews of several people together."),
        "export": ("ontonym.cli.review_export", "Write what was decided as mappings."),
    }
)
"""What ``ontonym review`` does."""

EXAMPLES = """\b
Examples:
  ontonym match hp.terminology doid.index -o props.sssom.tsv --candidates all.sssom.tsv
  ontonym review start all.sssom.tsv --proposals props.sssom.tsv -o hp-doid.review
  ontonym review open hp-doid.review
  ontonym review export hp-doid.review -o decided.sssom.tsv
"""

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group("review", cls=LazyGroup, table=REVIEWS, epilog=EXAMPLES)
def command() -> None:
    """Look through the candidates of a matching and decide: on the screen, in a spreadsheet, or by script."""


def review_options(command: Command) -> Command:
    """``--reviewer``, and where the files are that a review was begun from."""
    for option in (
        click.option("--frequencies", metavar="FILE", help="Where the frequencies are now, if they were moved."),
        click.option("--proposals", metavar="FILE", help="Where the proposals file is now, if it was moved."),
        click.option("--candidates", metavar="FILE", help="Where the candidates file is now, if it was moved."),
        click.option("--reviewer", metavar="NAME", envvar="ONTONYM_REVIEWER", default=_user, help="Who decides: a "
                     "name, or an ORCID (orcid:0000-0002-…). By default $ONTONYM_REVIEWER, or else your user name."),
    ):  # fmt: skip
        command = option(command)
    return command


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return os.environ.get("USERNAME", "")


@contextmanager
def opened(
    state: str, reviewer: str, candidates: str | None, proposals: str | None, frequencies: str | None,
    *, read_only: bool = False,
) -> Iterator[Review]:  # fmt: skip
    """Lends a review, and tells on stderr what was left of a line that was never finished."""
    with open_review(
        state, reviewer, read_only=read_only, candidates=candidates, proposals=proposals, frequencies=frequencies
    ) as review:
        tell_torn(review.journal, kept=not read_only)
        yield review


def tell_torn(journal: Journal, *, kept: bool) -> None:
    """Says that the last line was never finished, where that is so."""
    if journal.torn:
        where = f", and is kept in {journal.path}{TORN}" if kept else ""
        click.echo(f"note: the last line of {journal.path} was never finished ({len(journal.torn)} bytes){where}; all "
                   "before it is whole", err=True)  # fmt: skip


def progress_told(progress: ReviewProgress) -> str:
    """``312 of 4,213 decided (7%): 280 mapped, 32 with no match; 3 disagreed``."""
    share = progress.decided / progress.items if progress.items else 0
    more = f"; {progress.disagreed:,} disagreed" if progress.disagreed else ""
    return (
        f"{progress.decided:,} of {progress.items:,} decided ({share:.0%}): {progress.mapped:,} mapped, "
        f"{progress.none:,} with no match{more}"
    )


def decision_told(event: Event) -> str:
    """``exact DOID:1 diabetes mellitus``."""
    return " ".join(filter(None, (event.verdict, event.target, event.label)))


def item_shape(item: Item, standing: Standing) -> dict[str, Any]:
    """An item with its candidates and where it stands."""
    return {
        "id": item.id,
        "label": item.label,
        "frequency": item.frequency,
        "doubt": round(item.doubt, 4),
        "proposed": item.proposed.id if item.proposed else None,
        "status": standing.status,
        "assigned": standing.assigned or None,
        "decisions": [event_shape(event) for event in standing.in_force],
        "comments": [{"who": event.who, "time": event.time, "text": event.text} for event in standing.comments],
        "note": item.note,
        "candidates": [
            {
                "id": one.id, "label": one.label, "predicate": one.predicate, "confidence": one.confidence,
                "name": one.name, "why": list(one.why), "rejected": one.id in standing.refused,
            }
            for one in item.candidates
        ],
    }  # fmt: skip


def event_shape(event: Event) -> dict[str, Any]:
    """A decision."""
    return {
        "who": event.who, "time": event.time, "verdict": event.verdict, "target": event.target or None,
        "label": event.label,
    }  # fmt: skip
