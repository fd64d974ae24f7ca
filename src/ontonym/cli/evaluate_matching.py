"""``ontonym evaluate matching``: mappings against a reference alignment."""

from __future__ import annotations

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.reports import RESAMPLES, SHOWN, Shown, show
from ontonym.evaluate.matching import MatchingOptions, evaluate_mapping_files

EXAMPLES = """\b
Examples:
  ontonym evaluate matching hp-doid.sssom.tsv reference.sssom.tsv
  ontonym evaluate matching anatomy.rdf reference.rdf -o report.html
  ontonym evaluate matching old.sssom.tsv curated.sssom.tsv --resolve hp.terminology --resolve doid.terminology
  ontonym evaluate matching found.sssom.tsv test.tsv --ignore train.tsv
  ontonym evaluate matching mine.sssom.tsv theirs.sssom.tsv curated.sssom.tsv --partial
"""


OPTIONS = OptionGroup(
    MatchingOptions(),
    negatives=Opt(
        "Pairs that are curated to be wrong: how many of them were found is reported separately. May be repeated.",
        metavar="FILE",
    ),
    ignored=Opt(
        "Pairs that count neither way, such as those given to learn from. May be repeated.", "--ignore", "FILE"
    ),
    partial=Opt("The reference does not cover every concept: judge only pairs whose source or target it has."),
    resolve=Opt(
        "Take ids for the concepts that they mean today in this terminology: alternative ids, and retired ones by what "
        "replaced them. May be repeated.",
        metavar="TERMINOLOGY",
    ),
    resamples=RESAMPLES,
)


@click.command("matching", epilog=EXAMPLES)
@click.argument("found", nargs=-1, required=True, metavar="FOUND… REFERENCE")
@OPTIONS.as_("options")
@SHOWN.as_("shown")
def command(*, found: tuple[str, ...], options: MatchingOptions, shown: Shown) -> None:
    """Measure precision, recall and F1 of mappings (needs ontonym[eval]).

    FOUND and REFERENCE, the last file, are SSSOM or OAEI's alignments as RDF. Pairs that say the same count, whichever
    way round; what the reference marks with ? is left out, as in OAEI.
    """
    if len(found) < 2:
        raise click.UsageError("give the mappings to judge, and last the reference")
    *paths, reference = found
    show(evaluate_mapping_files(paths, reference, options), shown)
