"""``ontonym learn-ranking``: the weights of the ranking, learned for an index and its encoder."""

from __future__ import annotations

from pathlib import Path

import click

from ontonym.artifact import require_folder
from ontonym.cli.options import Opt, OptionGroup, examples, refuse_beside, summarized
from ontonym.cli.searching import PLACE
from ontonym.evaluate.texts import excluded_names
from ontonym.index.fuse import write_fusion
from ontonym.index.open import IndexPlace
from ontonym.learning.ranking import keep_ranking, learn_ranking
from ontonym.learning.samples import LearnOptions
from ontonym.serve.show import Summary

RANKING = OptionGroup(
    LearnOptions(),
    queries=Opt("Queries made from names."),
    hidden=Opt("Share of them whose name is hidden from the index.", "--hidden-share"),
    nothing=Opt("Share whose whole concept is hidden, so that nothing is right."),
    everyday=Opt("Share that are everyday names, hidden from the index.", "--everyday-share"),
    extra=Opt("Share of the others that get a word too many."),
    units=Opt("Hidden units of a network."),
    members=Opt("Networks whose mean is taken."),
    epochs=Opt("How many times all queries are seen."),
    rate=Opt("Learning rate."),
    decay=Opt("What large weights cost."),
    seed=Opt("Seed of every random draw."),
)


@click.command("learn-ranking", epilog=examples(
    "learn-ranking medic.index --unseen left-out.txt",
    "learn-ranking medic.index --forget",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.option("--unseen", metavar="FILE", help="The names that the encoder was trained without (the file given to "
              "`ontonym train --exclude`), one a line: only these are hidden. By default any name, which is right for "
              "encoders that were not trained on this terminology.")  # fmt: skip
@RANKING.as_("options")
@click.option("--dry-run", is_flag=True, help="Only measure: leave the index as it is.")
@click.option("--forget", is_flag=True, help="Take the learned weights out of the index.")
@PLACE.as_("place")
@summarized
def command(
    *, index: str, unseen: str | None, options: LearnOptions, dry_run: bool, forget: bool, place: IndexPlace
) -> Summary:
    """Learn how much each piece of evidence should count for an index, from its own names.

    Names are hidden from the index, written otherwise, or get a word too many, and the weights that find their concepts
    again are learned. An index whose encoder is your own ranks better with weights of its own. They are kept only if
    they are better than the present ones on names that they were not learned from.
    """
    if forget:
        refuse_beside("--forget", "index", "as_json")
        write_fusion(index, None)
        return Summary({"path": index, "forgotten": True}, lines=[f"{index}: ranks with the weights of its encoder"])
    if not dry_run:
        require_folder(Path(index))
    names = excluded_names([unseen]) if unseen else None
    with place.at(index).open() as opened:
        learned = learn_ranking(opened, names, options, keep=not dry_run)
    kept = not dry_run and keep_ranking(index, learned)
    said = "learned" if kept else "left as it was" + ("" if dry_run else ": the learned weights are no better")
    rows = [(name, f"{learned.before[name]:.4f} before, {learned.after[name]:.4f} after") for name in learned.before]
    rows = [("queries", f"{learned.queries:,} made from names, a fifth of them to measure on"), *rows, (index, said)]
    return Summary({"path": index, "kept": kept, **learned.facts}, rows)
