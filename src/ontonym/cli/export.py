"""``ontonym export``: a terminology to one file that other software reads."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, facts, size
from ontonym.errors import InputError
from ontonym.store import open_terminology
from ontonym.store.export import WRITERS, Exported, export_terminology, format_of

STDOUT = "-"

FORMATS = "\b\nFormats, and what they cannot carry:\n" + "\n".join(
    f"  {writer.name:<10} {writer.leaves_out}" for writer in WRITERS.values()
)

EXAMPLES = """\b
Examples:
  ontonym export hp.terminology -o hp.jsonl.gz
  ontonym export icd10cm.terminology -o icd10cm.csv
  ontonym export local.terminology -o local.json --format fhir --url http://clinic.example/codes
  ontonym export hp.terminology -o - --format jsonl | head
"""


@click.command("export", epilog=f"{FORMATS}\n\n{EXAMPLES}")
@click.argument("terminology", metavar="TERMINOLOGY")
@click.option("-o", "--output", required=True, metavar="FILE", help="The file to write; what was there is replaced "
              "when all is written. .gz compresses; - writes to standard output.")  # fmt: skip
@click.option("--format", "format_", metavar="NAME", help=f"{', '.join(WRITERS)}; by default told by the file's "
              "ending.")  # fmt: skip
@click.option("--url", default="", metavar="URL", help="FHIR: the canonical URL of the CodeSystem, instead of the one "
              "that is known.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was written, and what the format cannot carry, as "
              "JSON.")  # fmt: skip
def command(*, terminology: str, output: str, format_: str | None, url: str, as_json: bool) -> None:
    """Write a terminology to one file that other software reads, and that `ontonym import` reads back.

    jsonl holds everything; what another format cannot carry is counted and told.
    """
    if format_ is None and output == STDOUT:
        raise InputError("standard output has no name that tells the format: name it, --format NAME")
    chosen = format_ or format_of(output)
    if url and chosen != "fhir":
        raise InputError(f"--url is for FHIR, but the format is {chosen}")
    with open_terminology(terminology) as opened, Bar("writing", len(opened)) as bar:
        target = sys.stdout.buffer if output == STDOUT else Path(output)
        done = export_terminology(opened, target, format=chosen, url=url, progress=bar.stage)
    if as_json:
        place = {} if output == STDOUT else {"path": output, "bytes": Path(output).stat().st_size}
        click.echo(to_json({**place, **asdict(done)}), err=output == STDOUT)
    elif output != STDOUT:
        _show(Path(output), done)


def _show(path: Path, done: Exported) -> None:
    """Prints what was written, and what was left out."""
    out = console()
    facts(
        [
            ("file", f"{path}  ({size(path.stat().st_size)})"),
            ("format", WRITERS[done.format].title),
            ("concepts", f"{done.concepts:,}"),
            ("names", f"{done.terms:,}"),
            ("left out", "; ".join(f"{count:,} {what}" for what, count in done.left_out.items())),
        ],
        out,
    )
    if done.left_out:
        out.print("jsonl holds everything", style="dim")
