"""``ontonym review open``: the review on the screen of a terminal."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from ontonym.cli.review import opened, progress_told, review_options
from ontonym.errors import InputError, MissingExtraError
from ontonym.index import open_index
from ontonym.tasks.review import FILTERS, start_review
from ontonym.tasks.review.queue import check_filter

EXAMPLES = """\b
Examples:
  ontonym review open hp-doid.review
  ontonym review open hp-doid.review --index doid.index --reviewer anna --filter assigned
  ontonym review open new.review --candidates all.sssom.tsv --proposals props.sssom.tsv
"""


@click.command("open", epilog=EXAMPLES)
@click.argument("state", metavar="STATE")
@click.option("--index", "index", metavar="TARGET.index", help="Search it for other targets while you review.")
@click.option("--filter", "chosen", default="undecided", show_default=True, metavar="NAME", help="What is listed "
              f"first: {', '.join(FILTERS)}.")  # fmt: skip
@review_options
def command(
    *, state: str, index: str | None, chosen: str, reviewer: str, candidates: str | None, proposals: str | None,
    frequencies: str | None,
) -> None:  # fmt: skip
    """Work through a review by keyboard (needs ontonym[review]); where STATE is not there, it is begun.

    Every decision is on disk at once: leave, or pull the plug, at any moment. The keys are told at the bottom, all of
    them with ?.
    """
    try:
        from ontonym.cli.screen.app import ReviewApp
    except ImportError as error:
        raise MissingExtraError("textual", "review", "the screen of a review") from error
    check_filter(chosen)
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise InputError("the screen needs a terminal: without one use `ontonym review list`, decide and sheet")
    if not Path(state).exists() and candidates is not None:
        start_review(state, candidates, proposals=proposals, frequencies=frequencies)
    with ExitStack() as stack:
        searched = stack.enter_context(open_index(index)) if index is not None else None
        review = stack.enter_context(opened(state, reviewer, candidates, proposals, frequencies))
        ReviewApp(review, searched, chosen).run()
        told = progress_told(review.progress())
    click.echo(f"{state}: {told}")
