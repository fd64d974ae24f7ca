"""``ontonym review decide``: one decision, comment or delay, without a screen."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.review import decision_told, item_shape, opened, review_options
from ontonym.cli.shapes import to_json
from ontonym.errors import InputError, UnknownNameError
from ontonym.tasks.review import VERDICTS

EXAMPLES = """\b
Examples:
  ontonym review decide hp-doid.review HP:0000822 accept
  ontonym review decide hp-doid.review HP:0000822 broad DOID:6543 --comment "no narrower one there"
  ontonym review decide hp-doid.review HP:0000822 none --reviewer anna
  ontonym review decide hp-doid.review HP:0000822 skip
"""

OTHERS = ("accept", "skip", "comment")


@click.command("decide", epilog=EXAMPLES)
@click.argument("state", metavar="STATE")
@click.argument("source", metavar="ID")
@click.argument("verdict", metavar="VERDICT")
@click.argument("target", metavar="[TARGET]", default="")
@click.option("--also", is_flag=True, help="In addition to what ID is mapped to already.")
@click.option("--comment", default="", metavar="TEXT", help="Why.")
@click.option("--label", default="", metavar="TEXT", help="The name of TARGET, where it is no candidate.")
@review_options
@json_option
def command(
    *, state: str, source: str, verdict: str, target: str, also: bool, comment: str, label: str, reviewer: str,
    candidates: str | None, proposals: str | None, frequencies: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Decide on the source concept ID.

    VERDICT is exact, close, broad (TARGET is broader), narrow or related; reject (not TARGET) or none (nothing fits);
    accept, which takes what is proposed as it is; skip, which puts ID off; or comment. TARGET may be any id.
    """
    if verdict not in (*VERDICTS, *OTHERS):
        raise UnknownNameError("verdict", verdict, (*VERDICTS, *OTHERS))
    with opened(state, reviewer, candidates, proposals, frequencies) as review:
        item = review.item(source)
        if verdict == "accept":
            proposed = item.candidate(target) if target else item.proposed
            if proposed is None:
                raise InputError(f"{source}: {target or 'nothing'} is {'no candidate' if target else 'proposed'}: say "
                                 "what it is mapped to, such as exact DOID:1")  # fmt: skip
            verdict, target = proposed.verdict, proposed.id
        if verdict == "skip":
            review.skip(source)
        if verdict in ("skip", "comment"):
            if comment or verdict == "comment":
                review.comment(source, comment)
        else:
            review.decide(source, verdict, target, label=label, also=also, comment=comment)
        item, standing = review.item(source), review.standing(source)
    if as_json:
        click.echo(to_json(item_shape(item, standing)))
        return
    told = "; ".join(f"{event.who}: {decision_told(event)}" for event in standing.in_force) or "undecided"
    click.echo(f"{item.id} {item.label}: {told}")
