"""``ontonym evaluate strategies``: all of Xu's searches on a dev set; the best is kept as ``--strategy tuned``."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import click

from ontonym.cli.evaluate import command_note
from ontonym.cli.evaluate_normalization import TYPES
from ontonym.cli.gold import GOLD
from ontonym.cli.options import NORMALIZE, Opt, OptionGroup, json_option
from ontonym.cli.progress import Bar
from ontonym.cli.reports import RESAMPLES
from ontonym.cli.shapes import to_json
from ontonym.evaluate import format_runs
from ontonym.evaluate.corpora import CorpusChoice, open_corpora
from ontonym.evaluate.indexes import STRATEGY_MEASURES, StrategyOptions, encoder_note, evaluate_strategies
from ontonym.index import open_index
from ontonym.index.tuned import keep_strategy

EXAMPLES = """\b
Examples:
  ontonym evaluate strategies medic.index NCBIdevelopset_corpus.txt
  ontonym evaluate strategies medic.index CDR_DevelopmentSet.PubTator.txt --type Disease --signal dense --no-keep
  ontonym normalize medic.index notes.csv --strategy tuned
"""

OPTIONS = OptionGroup(
    StrategyOptions(),
    signal=Opt("What ranks.", metavar="NAME"),
    types=TYPES,
    abbreviations=NORMALIZE.opts["abbreviations"],
    resamples=RESAMPLES,
)


@click.command("strategies", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS…")
@OPTIONS.as_("options")
@click.option("--keep/--no-keep", default=True, show_default=True, help="Keep the best in the index, as the strategy "
              "tuned.")  # fmt: skip
@GOLD.as_("choice")
@json_option
def command(
    *,
    index: str,
    corpus: tuple[str, ...],
    options: StrategyOptions,
    keep: bool,
    choice: CorpusChoice,
    as_json: bool,
) -> None:
    """Try every search strategy on a dev set, and keep the best in the index as --strategy tuned.

    The best has the highest accuracy@1 (strict, any part of a composite); of equal ones, the one that is asked first in
    Xu's table 4. Its figure on this dev set is too good for other texts: it was chosen here.
    """
    corpora = open_corpora(corpus, choice, options.types)
    with open_index(index) as opened, Bar("searching") as bar:
        tried = evaluate_strategies(opened, corpora, replace(options, split=choice.split), progress=bar.stage)
        encoder = encoder_note(opened)
    measure = STRATEGY_MEASURES[0]
    figure = tried.reports[tried.best].measures[measure].value
    notes = [f"best on this dev set: {tried.best}, {measure} {figure:.3f}"]
    if keep:
        keep_strategy(index, tried.best, tried.facts)
        notes.append(f"kept: --strategy tuned is {tried.best} in {index} from now on")
    notes += [encoder, command_note()]
    if as_json:
        runs = {name: report.to_dict() for name, report in tried.reports.items()}
        click.echo(to_json({"best": tried.best, "kept": keep, "runs": runs, "notes": notes}))
        return
    ordered = sorted(tried.reports.items(), key=lambda one: one[1].protocol.names)
    for _, group in groupby(ordered, lambda one: one[1].protocol.names):
        click.echo(format_runs(dict(group)) + "\n")
    click.echo("\n".join(notes))
