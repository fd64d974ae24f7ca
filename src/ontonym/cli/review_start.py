"""``ontonym review start``: a new review of a candidates file."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts
from ontonym.ontology.xrefs import curie
from ontonym.tasks.review import start_review
from ontonym.tasks.review.items import read_frequencies

EXAMPLES = """\b
Examples:
  ontonym review start all.sssom.tsv --proposals props.sssom.tsv -o hp-doid.review
  ontonym review start all.sssom.tsv --frequencies codes.csv -o codes.review
"""


@click.command("start", epilog=EXAMPLES)
@click.argument("candidates", metavar="CANDIDATES.sssom.tsv")
@click.option("-o", "--output", required=True, metavar="STATE", help="The state file to write: all that is decided "
              "goes into it.")  # fmt: skip
@click.option("--proposals", metavar="FILE", help="What is proposed (SSSOM): the main output of `ontonym match`. By "
              "default the best candidate, from a confidence of 0.5.")  # fmt: skip
@click.option("--frequencies", metavar="FILE", help="How often the source concepts occur: a CSV with the columns id "
              "and frequency. By default the column ext_frequency of CANDIDATES, or else 1.")  # fmt: skip
@click.option("--decided", metavar="STATE", help="An earlier review, whose decisions are taken over.")
@json_option
def command(
    *, candidates: str, output: str, proposals: str | None, frequencies: str | None, decided: str | None, as_json: bool
) -> None:
    """Begin a review of candidates that `ontonym match --candidates` wrote.

    Several reviewers who are to decide without each other each begin one from the same files, and merge them.
    """
    items = start_review(output, candidates, proposals=proposals, frequencies=frequencies, decided=decided)
    proposed = sum(item.proposed is not None for item in items.values())
    pairs = sum(len(item.candidates) for item in items.values())
    known = sum(item.frequency != 1 for item in items.values())
    there = {curie(source) for source in items}
    unlisted = [one for one in read_frequencies(frequencies) if curie(one) not in there] if frequencies else []
    if as_json:
        click.echo(to_json({"path": output, "concepts": len(items), "candidates": pairs, "proposed": proposed,
                            "without_candidates": unlisted}))  # fmt: skip
        return
    out = console()
    facts(
        [
            ("review", output),
            ("to decide", f"{count(len(items), 'source concept')} with {count(pairs, 'candidate')}"),
            ("proposed", f"for {proposed:,} of them"),
            ("frequencies", f"of {known:,} of them" if known else "not known: each counts 1"),
            ("not in it", f"{count(len(unlisted), 'id')} of {frequencies} without a candidate: "
                          f"{', '.join(unlisted[:3])}{'…' if len(unlisted) > 3 else ''}" if unlisted else ""),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym review open {output}", style="dim", soft_wrap=True)
