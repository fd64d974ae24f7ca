"""``ontonym review undo``: takes back what a reviewer did last."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.review import decision_told, opened, review_options
from ontonym.cli.shapes import to_json
from ontonym.errors import CheckFailed

EXAMPLES = """\b
Examples:
  ontonym review undo hp-doid.review
  ontonym review undo hp-doid.review --redo
"""


@click.command("undo", epilog=EXAMPLES)
@click.argument("state", metavar="STATE")
@click.option("--redo", is_flag=True, help="Do again what was undone last.")
@review_options
@json_option
def command(
    *, state: str, redo: bool, reviewer: str, candidates: str | None, proposals: str | None, frequencies: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Undo what the reviewer did last: a decision, a comment, an assignment. Exit code 1 where there is nothing."""
    with opened(state, reviewer, candidates, proposals, frequencies) as review:
        event = review.redo() if redo else review.undo()
    if event is None:
        raise CheckFailed(f"nothing of {reviewer} to {'do again' if redo else 'undo'}")
    if as_json:
        click.echo(to_json({"did": event.did, "source": event.source, "event": event.id, "redo": redo}))
        return
    what = decision_told(event) or event.text or event.to
    click.echo(f"{'done again' if redo else 'undone'}: {event.source}: {event.did}{f' {what}' if what else ''}")
