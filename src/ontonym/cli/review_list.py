"""``ontonym review list``: what is to be decided and what was, without a screen."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.review import decision_told, item_shape, opened, progress_told, review_options
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console
from ontonym.tasks.review import FILTERS, Item, Standing

EXAMPLES = """\b
Examples:
  ontonym review list hp-doid.review
  ontonym review list hp-doid.review --filter disagreed --json
  ontonym review list hp-doid.review --filter all --search "heart fail"
"""


@click.command("list", epilog=EXAMPLES)
@click.argument("state", metavar="STATE")
@click.option("--filter", "chosen", default="undecided", show_default=True, metavar="NAME", help="Which: " +
              "; ".join(f"{name}, {meaning}" for name, (meaning, _) in FILTERS.items()) + ".")  # fmt: skip
@click.option("--search", "wanted", default="", metavar="WORDS", help="Only those with these words in their id or "
              "label, or in those of their candidates.")  # fmt: skip
@click.option("-n", "number", type=click.IntRange(0), default=20, show_default=True, help="How many; 0 for all.")
@review_options
@json_option
def command(
    *, state: str, chosen: str, wanted: str, number: int, reviewer: str, candidates: str | None,
    proposals: str | None, frequencies: str | None, as_json: bool,
) -> None:  # fmt: skip
    """List source concepts with their candidates and decisions, most urgent first: by frequency times doubt."""
    with opened(state, reviewer, candidates, proposals, frequencies, read_only=True) as review:
        found = review.listed(chosen, wanted)
        shown = [(review.items[source], review.standing(source)) for source in found[: number or None]]
        progress = review.progress()
    if as_json:
        counts = {name: getattr(progress, name) for name in ("items", "mapped", "none", "disagreed", "undecided")}
        items = [item_shape(item, standing) for item, standing in shown]
        click.echo(to_json({"filter": chosen, "found": len(found), "progress": counts, "items": items}))
        return
    out = console()
    out.print(progress_told(progress), style="bold", soft_wrap=True)
    for item, standing in shown:
        _show(item, standing, out)
    more = f", {len(found) - len(shown):,} more" if len(found) > len(shown) else ""
    out.print(f"\n{chosen}: {len(found):,}{more}", style="dim", soft_wrap=True)


def _show(item: Item, standing: Standing, out: object) -> None:
    from rich.console import Console

    assert isinstance(out, Console)  # noqa: S101
    often = f"  {item.frequency:g}×" if item.frequency != 1 else ""
    to = f"  for {standing.assigned}" if standing.assigned else ""
    name = item.id if item.label == item.id else f"{item.id}  {item.label}"
    out.print(f"\n{name}{often}{to}", style="bold", soft_wrap=True)
    for event in standing.in_force:
        out.print(f"  {event.who}: {decision_told(event)}  {event.time[:16]}", style="green", soft_wrap=True)
    for event in standing.comments:
        out.print(f"  {event.who}: “{event.text}”", style="dim", soft_wrap=True)
    if standing.status == "undecided":
        for one in item.candidates[:3]:
            mark = "→" if item.proposed and one.id == item.proposed.id else " "
            sure = "    " if one.confidence is None else f"{one.confidence:.2f}"
            struck = "  rejected" if one.id in standing.refused else ""
            out.print(f"  {mark} {sure}  {one.id}  {one.label}{struck}", soft_wrap=True)
            if one.why and one == item.proposed:
                out.print(f"          {'; '.join(one.why)}", style="dim", soft_wrap=True)
        if not item.candidates:
            out.print(f"    no candidate{f': {item.note}' if item.note else ''}", soft_wrap=True)
