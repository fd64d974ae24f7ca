"""``ontonym export-mappings``: mappings from one standard to another."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from ontonym.cli.mapping_outputs import FORMATS, STDOUT, left_out_text, mapping_facts, mapping_format, mapping_options
from ontonym.cli.options import json_option
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, facts, size
from ontonym.store.export.mappings import MAPPING_WRITERS, Written, write_mappings
from ontonym.store.mappings import MappingSet, read_mappings

EXAMPLES = """\b
Examples:
  ontonym export-mappings hp-doid.sssom.tsv -o hp-doid.rdf
  ontonym export-mappings local.sssom.tsv -o local.r5.json --system 'LAB=http://hospital.example/lab|2026'
  ontonym export-mappings local.sssom.tsv -o local.stcm.csv --omop athena.terminology --vocabulary LAB=HOSPITAL_LAB
  ontonym export-mappings conceptmap.json -o conceptmap.sssom.tsv
"""


@click.command("export-mappings", epilog=f"{FORMATS}\n\n{EXAMPLES}")
@click.argument("mappings", metavar="MAPPINGS")
@click.option("-o", "--output", required=True, metavar="FILE", help="The file to write; what was there is replaced "
              "when all is written. .gz compresses; - writes to standard output.")  # fmt: skip
@mapping_options
@json_option
def command(*, mappings: str, output: str, format_: str | None, as_json: bool, **given: Any) -> None:
    """Write mappings in another standard format.

    MAPPINGS is SSSOM, OAEI's RDF, a FHIR ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP, a CSV that ontonym wrote, or a
    release with mappings in it. What a format cannot carry is counted and told.
    """
    chosen = mapping_format(output, format_)
    read = read_mappings(mappings)
    with ExitStack() as stack:
        about = mapping_facts(stack, chosen, slots=read.slots, **_with_prefixes(read, given))
        written = write_mappings(
            sys.stdout.buffer if output == STDOUT else Path(output), read.rows, about, format=chosen
        )
    if as_json:
        place = {} if output == STDOUT else {"path": output, "bytes": Path(output).stat().st_size}
        shape = {
            **place, "format": chosen, "read": len(read.rows), "malformed": read.counts.malformed,
            "mappings": written.mappings, "left_out": dict(+written.left_out),
        }  # fmt: skip
        click.echo(to_json(shape), err=output == STDOUT)
    elif output != STDOUT:
        _show(Path(output), chosen, read, written)


def _with_prefixes(read: MappingSet, given: dict[str, Any]) -> dict[str, Any]:
    """The options, with what the file's own prefixes stand for before them."""
    told = [f"{prefix}={iri}" for prefix, iri in read.prefixes.items() if prefix and iri]
    return {**given, "iris": (*told, *given["iris"])}


def _show(path: Path, format_: str, read: MappingSet, written: Written) -> None:
    first = read.counts.examples[0] if read.counts.examples else None
    malformed = f"{read.counts.malformed:,}, the first on line {first.line}: {first.problem}" if first else ""
    facts(
        [
            ("file", f"{path}  ({size(path.stat().st_size)})"),
            ("format", MAPPING_WRITERS[format_].title),
            ("mappings", f"{written.mappings:,} of {len(read.rows):,}"),
            ("left out", left_out_text(written.left_out)),
            ("malformed", malformed),
        ],
        console(),
    )
