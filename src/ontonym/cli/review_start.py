"""``ontonym review start``: a new review of a candidates file."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts
from ontonym.tasks.review import start_review

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
    if as_json:
        click.echo(to_json({"path": output, "concepts": len(items), "candidates": pairs, "proposed": proposed}))
        return
    out = console()
    facts(
        [
            ("review", output),
            ("to decide", f"{count(len(items), 'source concept')} with {count(pairs, 'candidate')}"),
            ("proposed", f"for {proposed:,} of them"),
            ("frequencies", f"of {known:,} of them" if known else "not known: each counts 1"),
        ],
        out,
    )
    out.print(f"next: ontonym review open {output}", style="dim", soft_wrap=True)
