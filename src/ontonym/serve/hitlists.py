"""Hits as a table that reads well from 80 columns on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.serve.show import plain_table
from ontonym.tasks.concepts import branches_of
from ontonym.tasks.confidences import SURE
from ontonym.tasks.explain import Explanation
from ontonym.tasks.explain.texts import described, matched
from ontonym.text.counting import first_and_more
from ontonym.types import Hit

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ontonym.index import Index

NARROW = 100
"""Columns below which a table keeps to three columns."""

OTHERS = 3
"""How many other concepts that fit as well are named."""


def hits_table(
    hits: Sequence[Hit],
    *,
    width: int,
    terminologies: int = 1,
    explanations: Sequence[Explanation] = (),
    index: Index | None = None,
) -> Table:
    """The hits of one query, best first; below ``NARROW`` columns the id stands beside the name.

    ``explanations`` are of the hits, in their order, where they are wanted. With the ``index`` that was searched, each
    hit says its branches.
    """
    table = plain_table()
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("concept")
    narrow = width < NARROW
    if not narrow:
        table.add_column("id", no_wrap=True)
    table.add_column("confidence", no_wrap=True)
    if terminologies > 1 and not narrow:
        table.add_column("in", style="dim", no_wrap=True)
    for rank, hit in enumerate(hits, 1):
        explanation = explanations[rank - 1] if explanations else None
        branches = [one.preferred for one in branches_of(index, hit.id)] if index else []
        cell = concept_cell(hit, with_id=narrow, explanation=explanation, branches=branches)
        last = [hit.terminology] if terminologies > 1 and not narrow else []
        table.add_row(str(rank), cell, *([] if narrow else [hit.id]), confidence_cell(hit.confidence), *last)
    return table


def concept_cell(
    hit: Hit, *, with_id: bool = False, explanation: Explanation | None = None, branches: Sequence[str] = ()
) -> Text:
    """The preferred term over its branches and the evidence for it."""
    from rich.text import Text

    cell = Text(hit.preferred, style="bold")
    if with_id:
        cell.append(f"  {hit.id}", style="not bold")
    if hit.status == "retired":
        cell.append(" (retired)", style="not bold dim")
    if branches:
        cell.append(f"\nin {first_and_more(branches, OTHERS)}", style="not bold dim")
    if explanation is not None:
        for line in described(explanation):
            cell.append(f"\n{line}", style=f"not bold {'yellow' if line.startswith('fits ') else 'dim'}")
        return cell
    cell.append(f"\n{why(hit)}", style="not bold dim")
    if hit.ambiguous:
        cell.append(f"\nfits {first_and_more(hit.ambiguous, OTHERS)} as well", style="not bold yellow")
    if hit.equivalents:
        cell.append(f"\nthe same as {first_and_more(hit.equivalents, OTHERS)}", style="not bold dim")
    return cell


def why(hit: Hit) -> str:
    """The matched name, what kind of name it is, and the strongest evidence, in one line."""
    reason = hit.reason.detail or hit.reason.rule
    if hit.kind == "preferred" and hit.matched == hit.preferred:
        return reason
    return f"{matched(hit)}: {reason}"


def confidence_cell(confidence: float) -> Text:
    """The confidence as a number with a short bar."""
    from rich.text import Text

    width = 6
    eighths = round(confidence * width * 8)
    bar = "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")
    style = "green" if confidence >= SURE else "yellow" if confidence >= LIKELIER_RIGHT else "red"
    return Text.assemble(f"{confidence:.2f} ", (bar.ljust(width), style))
