"""``ontonym calibrate``: learns how far the confidences of an index can be trusted, and keeps that in the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from ontonym.cli.gold import GOLD
from ontonym.cli.options import NORMALIZE, PLACE, SEARCH, json_option
from ontonym.cli.progress import Bar
from ontonym.errors import InputError
from ontonym.evaluate import BootstrapOptions
from ontonym.evaluate.calibration import (
    SHOWN,
    Calibrated,
    Reliability,
    annotated_outcomes,
    learn_calibration,
    named_outcomes,
)
from ontonym.evaluate.corpora import Corpus, CorpusChoice, open_corpora
from ontonym.evaluate.indexes import corpus_notes
from ontonym.evaluate.significance import Interval
from ontonym.evaluate.tables import format_table
from ontonym.index import Index
from ontonym.index.calibration import FILE, ThresholdFigures, write_calibration
from ontonym.index.open import IndexPlace
from ontonym.learning.calibration import Outcomes
from ontonym.learning.questions import QuestionOptions
from ontonym.serve.shapes import to_json
from ontonym.serve.show import count
from ontonym.tasks import NormalizeOptions, SearchOptions

DEFAULTS = QuestionOptions()

EXAMPLES = """\b
Examples:
  ontonym calibrate hp.index
  ontonym calibrate medic.index --gold NCBItrainset_corpus.txt --plot reliability.svg
  ontonym calibrate medic.index --gold CDR_TrainingSet.PubTator.txt --type Disease
  ontonym calibrate medic.index --forget
"""


@click.command("calibrate", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.option("--gold", multiple=True, metavar="CORPUS", help="Annotated mentions to learn from, such as "
              "your texts have; without any, names of the index are asked. May be repeated.")  # fmt: skip
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Of a corpus only mentions of this type. May be "
              "repeated.")  # fmt: skip
@GOLD.as_("choice")
@SEARCH.but("strategy").as_("search")
@NORMALIZE.but("abbreviations").as_("how")
@click.option("--questions", type=int, default=DEFAULTS.questions, show_default=True,
              help="Questions made of names, without --gold.")  # fmt: skip
@click.option("--seed", type=int, default=DEFAULTS.seed, show_default=True, help="Draws these questions.")
@click.option("--bins", type=int, default=10, show_default=True, help="Bins of the calibration error.")
@click.option("--resamples", type=int, default=BootstrapOptions().resamples, show_default=True,
              help="Resamples of the bootstrap.")  # fmt: skip
@click.option("--plot", metavar="FILE", help="Write a reliability diagram, before and after, as SVG.")
@click.option("--dry-run", is_flag=True, help="Only measure: leave the index as it is.")
@click.option("--forget", is_flag=True, help="Take the calibration out of the index.")
@PLACE.as_("place")
@json_option
def command(
    *,
    index: str,
    gold: tuple[str, ...],
    types: tuple[str, ...],
    choice: CorpusChoice,
    search: SearchOptions,
    how: NormalizeOptions,
    questions: int,
    seed: int,
    bins: int,
    resamples: int,
    plot: str | None,
    dry_run: bool,
    forget: bool,
    place: IndexPlace,
    as_json: bool,
) -> None:
    """Learn what confidences of an index are worth, keep it in the index, and show how true they are.

    Without --gold the index is asked names of its own, written otherwise or hidden from it; with --gold, annotated
    mentions. The figures are of queries that the curves were not learned from (cross-fitted by concept or document).
    From then on `ontonym normalize --precision 0.95` and the like know which threshold to take.
    """
    if forget:
        _forget(index, as_json=as_json)
        return
    bootstrap = BootstrapOptions(resamples=resamples)
    corpora = open_corpora(gold, choice)
    with place.at(index).open() as opened:
        if corpora:
            outcomes = _annotated(opened, corpora, replace(how, search=search), types)
            named = ", ".join(Path(path).name for path in gold) + (f", {choice.split}" if choice.split else "")
            data = named + (f" ({', '.join(types)})" if types else "")
            facts: dict[str, Any] = {"learned_from": "annotation", "data": data, "strategy": search.strategy}
        else:
            asked = QuestionOptions(questions=questions, seed=seed)
            with Bar("asking names") as bar:
                outcomes = named_outcomes(opened, asked, progress=bar.advance)
            facts = {"learned_from": "names", "data": f"names of {opened.name}", "seed": seed}
    learned = learn_calibration(
        outcomes, facts, unit="document" if corpora else "concept", bins=bins, bootstrap=bootstrap
    )
    if plot:
        from ontonym.evaluate.plots import reliability_diagram

        _written(plot, reliability_diagram(learned))
    if not dry_run:
        write_calibration(index, learned.calibration)
    if as_json:
        click.echo(to_json({"path": index, "kept": not dry_run, **learned.to_dict()}))
        return
    _show(index, learned, corpora, kept=not dry_run)


def _annotated(index: Index, corpora: Sequence[Corpus], options: NormalizeOptions, types: tuple[str, ...]) -> Outcomes:
    with Bar("normalizing") as bar:
        return annotated_outcomes(index, chain.from_iterable(corpora), options, types=types, progress=bar.advance)


def _written(path: str, picture: str) -> None:
    try:
        Path(path).write_text(picture, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _forget(index: str, *, as_json: bool) -> None:
    had = (Path(index) / FILE).is_file()
    write_calibration(index, None)
    if as_json:
        click.echo(to_json({"path": index, "forgotten": had}))
    else:
        click.echo(f"{index}: {'its calibration is forgotten' if had else 'was not calibrated'}")


def _show(index: str, learned: Calibrated, corpora: Sequence[Corpus], *, kept: bool) -> None:
    facts, outcomes, bootstrap = learned.calibration.facts, learned.outcomes, learned.bootstrap
    click.echo(f"learned from {count(len(outcomes), 'query', 'queries')}: {facts['data']}")
    click.echo(f"first hit right: {facts['accuracy']:.3f}; cross-fitted by {learned.unit}; {facts['bins']} bins")
    click.echo(bootstrap.caption(learned.unit))
    for note in corpus_notes(corpora):
        click.echo(note)
    head = ["", "ECE", "ECE, equal mass", "Brier score", "ECE by chance"]
    rows = [_figures("before", learned.before), _figures("after", learned.after)]
    click.echo("\n" + format_table(head, rows) + "\n")
    shown = [row for row in learned.calibration.table if row.threshold in SHOWN]
    click.echo(format_table(["threshold", "n", "answered", "precision", "recall"], [_row(row) for row in shown]))
    click.echo(f"\n{index}: {'calibrated' if kept else 'left as it was'}")


def _figures(name: str, one: Reliability) -> list[str]:
    return [name, _interval(one.ece), _interval(one.ece_mass), _interval(one.brier), f"{one.chance:.3f}"]


def _row(row: ThresholdFigures) -> list[str]:
    shares = [("–" if three is None else _interval(Interval(*three))) for three in (row.precision, row.recall)]
    return [f"{row.threshold:.2f}", f"{row.number:,}", f"{row.answered:.3f}", *shares]


def _interval(one: Interval) -> str:
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
