"""``ontonym evaluate annotation``: gold documents, annotated and judged."""

from __future__ import annotations

from dataclasses import replace

import click

from ontonym.cli.annotate import ANNOTATE, LEARN
from ontonym.cli.annotate import DEFAULTS as ANNOTATED
from ontonym.cli.gold import GOLD
from ontonym.cli.options import Opt, OptionGroup, examples, jobs_option
from ontonym.cli.reports import RESAMPLES, SHOWN, TYPES, Shown, show
from ontonym.cli.searching import SEARCH
from ontonym.cli.terminal import echo
from ontonym.evaluate.annotation import (
    AnnotationEvaluationOptions,
    evaluate_annotation,
    learned_acceptance,
)
from ontonym.evaluate.annotationmistakes import write_mistakes
from ontonym.evaluate.annotationpage import annotation_page
from ontonym.evaluate.corpora import CorpusChoice, open_corpora
from ontonym.files.output import write_lines
from ontonym.index import open_index
from ontonym.tasks import AnnotateOptions, SearchOptions
from ontonym.text.counting import count
from ontonym.text.notes.context import CONTEXTS

JUDGING = OptionGroup(
    AnnotationEvaluationOptions(),
    except_=Opt(
        f"Leave out found mentions of which the text says this: {', '.join(CONTEXTS)}. May be repeated.",
        "--except",
        "CONTEXT",
    ),
    steps=Opt("Steps in the hierarchy that count as near.", "--near-steps", "N"),
    composite=Opt(
        "Gold mentions of several concepts, in the figures of documents: all (each has to be found), any (one is "
        "enough, as where they are codes of several terminologies).",
        metavar="RULE",
    ),
    types=TYPES,
    resamples=RESAMPLES,
)


@click.command("annotation", epilog=examples(
    "evaluate annotation hp.index cases.pubtator --within HP:0000118 --except negated",
    "evaluate annotation medic.index CDR_DevelopmentSet.PubTator.txt --type Disease --prefix MESH --mistakes wrong.tsv",
    "evaluate annotation hp.index cases.pubtator --page cases.html",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("corpus", nargs=-1, required=True, metavar="CORPUS…")
@LEARN
@ANNOTATE.but("find", "accept", "shortest").as_("annotating")
@SEARCH.but("strategy", "within", "tags", "terminologies", defaults=ANNOTATED.normalize.search).as_("search")
@JUDGING.as_("judging")
@GOLD.as_("choice")
@click.option("--mistakes", metavar="FILE", help="Write what was missed, found too much or given another concept, as "
              "TSV.")  # fmt: skip
@click.option(
    "--page",
    metavar="FILE",
    help="Write a page with the figures, and the texts with gold and found mentions in colour.",
)
@SHOWN.as_("shown")
@jobs_option
def annotation(
    *,
    index: str,
    corpus: tuple[str, ...],
    learn_from: str | None,
    annotating: AnnotateOptions,
    search: SearchOptions,
    judging: AnnotationEvaluationOptions,
    choice: CorpusChoice,
    mistakes: str | None,
    page: str | None,
    shown: Shown,
    jobs: int,
) -> None:
    """Find the mentions of gold documents, and measure precision, recall and F1.

    Of documents: each concept once. Of mentions: exact, overlapping, near in the hierarchy, and the place alone.
    """
    corpora = open_corpora(corpus, choice, judging.types)
    options = replace(annotating, normalize=replace(annotating.normalize, search=search))
    with open_index(index) as opened:
        if learn_from:
            gold = open_corpora((learn_from,), choice, judging.types)
            options = replace(options, acceptance=learned_acceptance(opened, gold, options))
        evaluation, judged = evaluate_annotation(opened, corpora, options, judging, jobs=jobs)

        def write() -> None:
            if mistakes:
                echo(f"{count(write_mistakes(mistakes, judged, opened), 'mistake')} written to {mistakes}", err=True)
            if page:
                shown_page = annotation_page("Annotated texts", judged, opened, evaluation.results)
                write_lines(page, shown_page.splitlines())
                echo(f"page written to {page}", err=True)

        show(evaluation, shown, write=write)
