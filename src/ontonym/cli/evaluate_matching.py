"""``ontonym evaluate matching``: mappings against a reference alignment."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.evaluate import command_line
from ontonym.cli.options import json_option
from ontonym.cli.reports import check_outputs, output_option, print_results, resamples_option, write_outputs
from ontonym.cli.shapes import to_json
from ontonym.evaluate.matching import BY_CONCEPT, Alignment, MatchingReport, Pair, evaluate_matching, read_alignment
from ontonym.evaluate.questions import Target
from ontonym.evaluate.results import Results, Rows, Table
from ontonym.store import open_terminology

EXAMPLES = """\b
Examples:
  ontonym evaluate matching hp-doid.sssom.tsv reference.sssom.tsv
  ontonym evaluate matching anatomy.rdf reference.rdf -o report.html
  ontonym evaluate matching old.sssom.tsv curated.sssom.tsv --resolve hp.terminology --resolve doid.terminology
  ontonym evaluate matching found.sssom.tsv test.tsv --ignore train.tsv
  ontonym evaluate matching mine.sssom.tsv theirs.sssom.tsv curated.sssom.tsv --partial
"""


@click.command("matching", epilog=EXAMPLES)
@click.argument("found", nargs=-1, required=True, metavar="FOUND… REFERENCE")
@click.option("--negatives", multiple=True, metavar="FILE", help="Pairs that are curated to be wrong: how many were "
              "found is told by itself. May be repeated.")  # fmt: skip
@click.option("--ignore", "ignored", multiple=True, metavar="FILE", help="Pairs that count neither way, as what was "
              "given to learn from. May be repeated.")  # fmt: skip
@click.option("--partial", is_flag=True, help="The reference does not speak of every concept: judge only pairs whose "
              "source or target it has.")  # fmt: skip
@click.option("--resolve", multiple=True, metavar="TERMINOLOGY", help="Take ids for the concepts that they mean today "
              "in this terminology: alternative ids, retired ones with what took their place. May be "
              "repeated.")  # fmt: skip
@resamples_option
@output_option
@json_option
def command(
    *, found: tuple[str, ...], negatives: tuple[str, ...], ignored: tuple[str, ...], partial: bool,
    resolve: tuple[str, ...], resamples: int, outputs: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Measure precision, recall and F1 of mappings (needs ontonym[eval]).

    FOUND and REFERENCE, the last file, are SSSOM or OAEI's alignments as RDF. Pairs that say the same count, whichever
    way round; what the reference marks with ? is left out, as in OAEI.
    """
    if len(found) < 2:
        raise click.UsageError("give the mappings to judge, and last the reference")
    check_outputs(outputs)
    *paths, gold = found
    with ExitStack() as stack:
        target = Target([stack.enter_context(open_terminology(place)) for place in resolve])
        read = {path: _resolved(read_alignment(path), target) for path in (*found, *negatives, *ignored)}
    reference = _without(read[gold], [read[path] for path in ignored])
    denied = {pair for path in negatives for pair in _denied(read[path])}
    bootstrap = replace(BY_CONCEPT, resamples=resamples)
    reports = {
        Path(path).name: evaluate_matching(
            _turned(read[path], reference), reference, negatives=denied, partial=partial, bootstrap=bootstrap
        )
        for path in paths
    }
    rows: Rows = tuple(_row(name, report) for name, report in reports.items())
    columns = ("mappings", "found", "right", "denied", "left out", "precision", "recall", "F1")
    counted = f"{reports[next(iter(reports))].reference:,} pairs of {Path(gold).name}"
    about = (
        f"reference: {counted}{', partial' * partial}",
        bootstrap.caption("source concept"),
    )
    results = Results("Mappings judged", about, (Table("matching", "Mappings", columns, rows, best="high"),),
                      command=command_line())  # fmt: skip
    if as_json:
        shape = {name: report.to_dict() for name, report in reports.items()}
        click.echo(to_json({"runs": shape, "notes": [*about, f"command: {results.command}"]}))
    else:
        print_results(results)
    write_outputs(outputs, [results])


def _resolved(alignment: Alignment, target: Target) -> Alignment:
    """The alignment with the ids that concepts have today in some terminologies; others as they are."""

    def today(pairs: frozenset[Pair]) -> frozenset[Pair]:
        return frozenset((target.resolve(one) or one, target.resolve(other) or other) for one, other in pairs)

    if not target.terminologies:
        return alignment
    return Alignment(today(alignment.same), today(alignment.denied), today(alignment.ignored))


def _without(reference: Alignment, others: Sequence[Alignment]) -> Alignment:
    """The reference with the pairs of others, whichever way round they are, to be ignored."""
    pairs = frozenset(pair for other in others for pair in other.same)
    turned = frozenset((second, first) for first, second in pairs)
    return replace(reference, ignored=reference.ignored | pairs | turned)


def _denied(alignment: Alignment) -> frozenset[tuple[str, str]]:
    """The pairs of a file of negatives: those it denies, or where it denies none all of them."""
    return alignment.denied or alignment.same


def _turned(found: Alignment, reference: Alignment) -> list[tuple[str, str]]:
    """The found pairs the way round that most of the reference's are."""
    pairs = reference.same | reference.denied | reference.ignored
    sources = {one for one, _ in pairs}
    straight = sum(one in sources for one, _ in found.same)
    crossed = sum(other in sources for _, other in found.same)
    return [pair if straight >= crossed else pair[::-1] for pair in found.same]


def _row(name: str, report: MatchingReport) -> tuple[str | int | None, ...]:
    counts = (report.found, report.right, report.denied, report.left_out)
    return (name, *counts, report.precision, report.recall, report.f1)  # type: ignore[return-value]
