"""``ontonym review assign``: shares the work out."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.review import opened, review_options
from ontonym.cli.shapes import to_json
from ontonym.cli.show import count
from ontonym.errors import InputError

EXAMPLES = """\b
Examples:
  ontonym review assign codes.review --to anna --to ben
  ontonym review assign codes.review HP:0000822 HP:0001250 --to orcid:0000-0002-1825-0097
"""


@click.command("assign", epilog=EXAMPLES)
@click.argument("state", metavar="STATE")
@click.argument("sources", metavar="[ID]...", nargs=-1)
@click.option("--to", "to", multiple=True, required=True, metavar="NAME", help="A reviewer; an empty name takes the "
              "assignment away. May be repeated: they get one by turns.")  # fmt: skip
@click.option("--filter", "chosen", default="undecided", show_default=True, metavar="NAME", help="Which, where no ID "
              "is given: a filter of `ontonym review list`.")  # fmt: skip
@review_options
@json_option
def command(
    *, state: str, sources: tuple[str, ...], to: tuple[str, ...], chosen: str, reviewer: str, candidates: str | None,
    proposals: str | None, frequencies: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Assign source concepts to reviewers, by default all that are undecided, by turns from the most urgent on."""
    if len(set(to)) != len(to):
        raise InputError("--to names the same reviewer twice")
    with opened(state, reviewer, candidates, proposals, frequencies) as review:
        wanted = list(sources or review.listed(chosen))
        new = review.assign_all([(source, to[place % len(to)]) for place, source in enumerate(wanted)])
    if as_json:
        click.echo(to_json({"concepts": len(wanted), "new": new}))
        return
    click.echo(f"{count(len(wanted), 'source concept')} for {', '.join(to)}; {new:,} of them newly so")
