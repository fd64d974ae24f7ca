"""``ontonym evaluate strategies``: all of Xu's searches on a dev set; the best is kept as ``--strategy tuned``."""

from __future__ import annotations

from itertools import chain, groupby
from pathlib import Path

import click

from ontonym.cli.evaluate import chosen_signals, command_note, encoder_note, normalizer
from ontonym.cli.evaluate_normalization import searched_names, told_split
from ontonym.cli.gold import gold_corpora, gold_options
from ontonym.cli.options import as_written_option, json_option
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.errors import InputError
from ontonym.evaluate import (
    BootstrapOptions,
    NormalizationReport,
    Protocol,
    answer_mentions,
    format_runs,
    judge,
)
from ontonym.evaluate.corpora import Corpus
from ontonym.index import Index, open_index
from ontonym.index.tuned import keep_strategy
from ontonym.tasks import STRATEGIES, NormalizeOptions, SearchOptions

MEASURE = "accuracy@1"

EXAMPLES = """\b
Examples:
  ontonym evaluate strategies medic.index NCBIdevelopset_corpus.txt
  ontonym evaluate strategies medic.index CDR_DevelopmentSet.PubTator.txt --type Disease --signal dense --no-keep
  ontonym normalize medic.index notes.csv --strategy tuned
"""


@click.command("strategies", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS…")
@click.option("--signal", default=SearchOptions().signal, show_default=True, metavar="NAME", help="What ranks.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only mentions of this type. May be repeated.")
@as_written_option
@click.option("--keep/--no-keep", default=True, show_default=True, help="Keep the best in the index, as the strategy "
              "tuned.")  # fmt: skip
@gold_options
@click.option("--resamples", type=int, default=BootstrapOptions().resamples, show_default=True,
              help="Resamples of the bootstrap.")  # fmt: skip
@json_option
def command(
    *,
    index: str,
    corpus: tuple[str, ...],
    signal: str,
    types: tuple[str, ...],
    as_written: bool,
    keep: bool,
    format_: str | None,
    prefix: str | None,
    split: str,
    resamples: int,
    as_json: bool,
) -> None:
    """Try every search strategy on a dev set, and keep the best in the index as --strategy tuned.

    The best has the highest accuracy@1 (strict, any part of a composite); of equal ones, the one that is asked first in
    Xu's table 4. Its figure on this dev set is too good for other texts: it was chosen here.
    """
    (signal,) = chosen_signals((signal,)) if signal != "all" else ("",)
    if not signal:
        raise InputError("--signal all: strategies are compared under one signal; name it")
    corpora = gold_corpora(corpus, format=format_, prefix=prefix, split=split, types=types)
    split = split or told_split(corpus)
    with open_index(index) as opened:
        reports = {
            name: _report(
                opened, corpora, name, corpus, split, types, signal, as_written=as_written, resamples=resamples
            )
            for name in STRATEGIES
        }
        if not next(iter(reports.values())).n:
            raise InputError(f"no mention to choose by in {', '.join(corpus)}")
        best = max(reports, key=lambda name: reports[name].measures[MEASURE].value)
        figure = reports[best].measures[MEASURE].value
        notes = [f"best on this dev set: {best}, {MEASURE} {figure:.3f}", encoder_note(opened), command_note()]
        told = {"signal": signal, "data": [Path(path).name for path in corpus], MEASURE: round(figure, 4)}
    if keep:
        keep_strategy(index, best, told)
        notes.insert(1, f"kept: --strategy tuned is {best} in {index} from now on")
    if as_json:
        runs = {name: report.to_dict() for name, report in reports.items()}
        click.echo(to_json({"best": best, "kept": keep, "runs": runs, "notes": notes}))
        return
    ordered = sorted(reports, key=lambda name: reports[name].protocol.names)
    for _, group in groupby(ordered, lambda name: reports[name].protocol.names):
        click.echo(format_runs({name: reports[name] for name in group}) + "\n")
    click.echo("\n".join(notes))


def _report(
    index: Index,
    corpora: list[Corpus],
    strategy: str,
    paths: tuple[str, ...],
    split: str,
    types: tuple[str, ...],
    signal: str,
    *,
    as_written: bool,
    resamples: int,
) -> NormalizationReport:
    protocol = Protocol(
        data=", ".join(Path(path).name for path in paths),
        split=split,
        terminology=index.releases,
        names=searched_names(index, strategy),
        types=types,
    )
    search = SearchOptions(k=protocol.depth, strategy=strategy, signal=signal)
    ask = normalizer(index, NormalizeOptions(abbreviations=not as_written, search=search))
    with Bar(f"searching, {strategy}") as bar:
        answers = list(answer_mentions(chain.from_iterable(corpora), ask, depth=protocol.depth, progress=bar.advance))
    bootstrap = BootstrapOptions(resamples=resamples)
    return judge(answers, protocol, resolve=index.resolve, measures=(MEASURE, "accuracy@5"), bootstrap=bootstrap)
