"""``ontonym evaluate ranking``: given candidates of concepts ranked, and how far up the right ones stand."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from ontonym.cli.evaluate import command_line, encoder_note
from ontonym.cli.options import jobs_option, json_option
from ontonym.cli.progress import Bar
from ontonym.cli.reports import check_outputs, output_option, print_results, resamples_option, write_outputs
from ontonym.cli.shapes import to_json
from ontonym.cli.show import count
from ontonym.errors import InputError
from ontonym.evaluate.measures import CUTOFFS
from ontonym.evaluate.ranking import read_candidates, report_ranking
from ontonym.evaluate.results import Results, Rows, Table
from ontonym.evaluate.retrieval import BY_QUESTION
from ontonym.index import open_index
from ontonym.store import open_terminology
from ontonym.tasks.match import AGGREGATES, Aggregate, MatchOptions, score_given

DEFAULTS = MatchOptions()

EXAMPLES = """\b
Examples:
  ontonym evaluate ranking ncit.terminology doid.index test.cands.tsv
  ontonym evaluate ranking ncit.terminology doid.index test.cands.tsv --aggregate learned --aggregate max -o table.tex
"""


@click.command("ranking", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("index", metavar="TARGET.index")
@click.argument("candidates", metavar="CANDIDATES")
@click.option("--aggregate", "aggregates", multiple=True, default=(DEFAULTS.aggregate,), show_default=True,
              metavar="NAME", help=f"What ranks: {', '.join(AGGREGATES)}. May be repeated.")  # fmt: skip
@click.option("--structure/--no-structure", default=DEFAULTS.structure, show_default=True,
              help="learned: look at what is above and below both concepts.")  # fmt: skip
@click.option("--xrefs/--no-xrefs", default=DEFAULTS.xrefs, show_default=True, help="learned: look at "
              "cross-references.")  # fmt: skip
@click.option("--via", multiple=True, metavar="TERMINOLOGY", help="A terminology whose names for source concepts are "
              "asked for too. May be repeated.")  # fmt: skip
@jobs_option
@resamples_option
@output_option
@json_option
def command(
    *, source: str, index: str, candidates: str, aggregates: tuple[str, ...], structure: bool, xrefs: bool,
    via: tuple[str, ...], jobs: int, resamples: int, outputs: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Measure MRR and Hits@K among given candidates (needs ontonym[eval]).

    The protocol of OAEI's Bio-ML track: CANDIDATES is a TSV with SrcEntity, TgtEntity and TgtCandidates. Ties count
    against the right one; what cannot be scored stands last.
    """
    check_outputs(outputs)
    questions = list(read_candidates(candidates))
    given = {one.source: one.candidates for one in questions}
    if len(given) < len(questions):
        raise InputError(f"{candidates}: {count(len(questions) - len(given), 'source concept')} more than once")
    bootstrap = replace(BY_QUESTION, resamples=resamples)
    with ExitStack() as stack:
        opened, searched = stack.enter_context(open_terminology(source)), stack.enter_context(open_index(index))
        mediators = [stack.enter_context(open_terminology(place)) for place in via]
        reports = {}
        for name in dict.fromkeys(aggregates):
            options = MatchOptions(cast(Aggregate, name), structure=structure, xrefs=xrefs)
            with Bar(f"scoring, {name}", int(opened.active.sum())) as bar:
                scores = score_given(opened, searched, given, options, via=mediators, jobs=jobs, progress=bar.advance)
            reports[name] = report_ranking(questions, scores, bootstrap)
        note = encoder_note(searched)
    first = next(iter(reports.values()))
    about = (
        f"{count(first.n, 'source concept')} of {Path(candidates).name}, {first.absent:,} of them not in "
        f"{opened.path.name}; ties count against the right one",
        note,
        bootstrap.caption("source concept"),
    )
    columns = ("score", "MRR", *(f"Hits@{k}" for k in CUTOFFS))
    rows: Rows = tuple((name, one.mrr, *one.hits.values()) for name, one in reports.items())
    results = Results("Given candidates ranked", about, (Table("ranking", "Ranking", columns, rows, best="high"),),
                      command=command_line())  # fmt: skip
    if as_json:
        shape = {name: one.to_dict() for name, one in reports.items()}
        click.echo(to_json({"runs": shape, "notes": [*about, f"command: {results.command}"]}))
    else:
        print_results(results)
    write_outputs(outputs, [results])
