"""``ontonym calibrate``: learns how far the confidences of an index can be trusted, and keeps that in the index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ontonym.artifact import require_folder
from ontonym.cli.gold import GOLD
from ontonym.cli.options import (
    Opt,
    OptionGroup,
    examples,
    refuse_beside,
    refuse_with,
    refuse_without,
    summarized,
)
from ontonym.cli.progress import Bar
from ontonym.cli.searching import NORMALIZE, PLACE, SEARCH
from ontonym.evaluate.calibration import CalibrationOptions, calibrate
from ontonym.evaluate.corpora import CorpusChoice
from ontonym.evaluate.plots import write_reliability_diagram
from ontonym.index.calibration import forget_calibration, write_calibration
from ontonym.index.open import IndexPlace
from ontonym.serve.show import Summary
from ontonym.tasks import NormalizeOptions, SearchOptions

CALIBRATION = OptionGroup(
    CalibrationOptions(),
    questions=Opt("Questions made of names, without --gold."),
    seed=Opt("Draws these questions."),
    bins=Opt("Bins of the calibration error."),
    resamples=Opt("Resamples of the bootstrap."),
)


@click.command("calibrate", epilog=examples(
    "calibrate hp.index",
    "calibrate medic.index --gold NCBItrainset_corpus.txt --plot reliability.svg",
    "calibrate medic.index --gold CDR_TrainingSet.PubTator.txt --type Disease",
    "calibrate medic.index --forget",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.option("--gold", multiple=True, metavar="CORPUS", help="Annotated mentions to learn from, such as "
              "your texts have; without any, names of the index are asked. May be repeated.")  # fmt: skip
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Of a corpus only mentions of this type. May be "
              "repeated.")  # fmt: skip
@GOLD.as_("choice")
@SEARCH.but("strategy").as_("search")
@NORMALIZE.but("abbreviations").as_("how")
@CALIBRATION.as_("options")
@click.option("--plot", metavar="FILE", help="Write a reliability diagram, before and after, as SVG.")
@click.option("--dry-run", is_flag=True, help="Only measure: leave the index as it is.")
@click.option("--forget", is_flag=True, help="Take the calibration out of the index.")
@PLACE.as_("place")
@summarized
def command(
    *, index: str, gold: tuple[str, ...], types: tuple[str, ...], choice: CorpusChoice, search: SearchOptions,
    how: NormalizeOptions, options: CalibrationOptions, plot: str | None, dry_run: bool, forget: bool,
    place: IndexPlace,
) -> Summary:  # fmt: skip
    """Learn what confidences of an index are worth, keep it in the index, and show how true they are.

    Without --gold the index is asked names of its own, written otherwise or hidden from it; with --gold, annotated
    mentions. Where their texts were added as terms, each document is asked without those that it brought alone, as if
    it were new. The figures are of queries that the curves were not learned from (cross-fitted by concept or document).
    From then on `ontonym normalize --precision 0.95` and the like know which threshold to take.
    """
    if forget:
        refuse_beside("--forget", "index", "as_json")
        had = forget_calibration(index)
        said = "its calibration is forgotten" if had else "was not calibrated"
        return Summary({"path": index, "forgotten": had}, lines=[f"{index}: {said}"])
    if gold:
        refuse_with("--gold", "options__questions", "options__seed")
    else:
        refuse_without("--gold", "search__strategy", "how__abbreviations")
    if not dry_run:
        require_folder(Path(index))
    how = replace(how, search=search)
    with place.at(index).open() as opened, Bar("normalizing" if gold else "asking names") as bar:
        learned = calibrate(opened, gold, choice, options, types=types, normalizing=how, progress=bar.stage)
    if plot:
        write_reliability_diagram(plot, learned)
    if not dry_run:
        write_calibration(index, learned.calibration)
    done = f"\n{index}: {'left as it was' if dry_run else 'calibrated'}"
    return Summary({"path": index, "kept": not dry_run, **learned.to_dict()}, lines=[learned.text, done])
