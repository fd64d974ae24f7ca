"""``ontonym export`` and ``export-mappings``: a terminology, or mappings, as a file that other software reads."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import click

from ontonym.cli.mapping_outputs import (
    MAPPING_FLAGS,
    MAPPING_FORMATS,
    STDOUT,
    MappingFlags,
    left_out_text,
    mapping_facts,
)
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, facts, size
from ontonym.store import open_terminology
from ontonym.store.export import WRITERS, export_terminology
from ontonym.store.export.mappings import MAPPING_WRITERS, mapping_format, write_mappings
from ontonym.store.mappings import MappingSet, read_mappings

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

MAPPING_EXAMPLES = """\b
Examples:
  ontonym export-mappings hp-doid.sssom.tsv -o hp-doid.rdf
  ontonym export-mappings local.sssom.tsv -o local.r5.json --system 'LAB=http://hospital.example/lab|2026'
  ontonym export-mappings local.sssom.tsv -o local.stcm.csv --omop athena.terminology --vocabulary LAB=HOSPITAL_LAB
  ontonym export-mappings conceptmap.json -o conceptmap.sssom.tsv
"""

_output_option = click.option(
    "-o", "--output", required=True, metavar="FILE", help="The file to write; what was there is replaced when all is "
    "written. .gz compresses; - writes to standard output.",
)  # fmt: skip


@click.command("export", epilog=f"{FORMATS}\n\n{EXAMPLES}")
@click.argument("terminology", metavar="TERMINOLOGY")
@_output_option
@click.option("--format", "format_", metavar="NAME", help=f"{', '.join(WRITERS)}; by default detected from the file's "
              "ending.")  # fmt: skip
@click.option("--url", default="", metavar="URL", help="FHIR: the canonical URL of the CodeSystem, in place of the "
              "known one.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was written, and what the format cannot carry, as "
              "JSON.")  # fmt: skip
def command(*, terminology: str, output: str, format_: str | None, url: str, as_json: bool) -> None:
    """Write a terminology to one file that other software reads, and that `ontonym import` reads back.

    jsonl holds everything; what another format cannot carry is counted and shown.
    """
    with open_terminology(terminology) as opened, Bar("writing", len(opened)) as bar:
        done = export_terminology(opened, _target(output), format=format_, url=url, progress=bar.stage)
    lost = "; ".join(f"{count:,} {what}" for what, count in done.left_out.items())
    rows = [
        ("format", WRITERS[done.format].title), ("concepts", f"{done.concepts:,}"), ("names", f"{done.terms:,}"),
        ("left out", lost),
    ]  # fmt: skip
    _report(output, asdict(done), rows, as_json=as_json)
    if lost and not as_json and output != STDOUT:
        console().print("jsonl holds everything", style="dim")


@click.command("export-mappings", epilog=f"{MAPPING_FORMATS}\n\n{MAPPING_EXAMPLES}")
@click.argument("mappings", metavar="MAPPINGS")
@_output_option
@MAPPING_FLAGS.as_("flags")
@json_option
def mappings_command(*, mappings: str, output: str, flags: MappingFlags, as_json: bool) -> None:
    """Write mappings in another standard format.

    MAPPINGS is SSSOM, OAEI's RDF, a FHIR ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP, a CSV that ontonym wrote, or a
    release with mappings in it. What a format cannot carry is counted and shown.
    """
    target = _target(output)
    format_ = mapping_format(target, flags.format)
    read = read_mappings(mappings)
    prefixes = {prefix: iri for prefix, iri in read.prefixes.items() if prefix and iri}
    with ExitStack() as stack:
        about = mapping_facts(flags, stack, format_, read.slots, iris=prefixes)
        written = write_mappings(target, read.rows, about, format=format_)
    shape = {
        "format": format_, "read": len(read.rows), "malformed": read.counts.malformed,
        "mappings": written.mappings, "left_out": dict(+written.left_out),
    }  # fmt: skip
    rows = [
        ("format", MAPPING_WRITERS[format_].title), ("mappings", f"{written.mappings:,} of {len(read.rows):,}"),
        ("left out", left_out_text(written.left_out)), ("malformed", _malformed(read)),
    ]  # fmt: skip
    _report(output, shape, rows, as_json=as_json)


def _target(output: str) -> Path | BinaryIO:
    return sys.stdout.buffer if output == STDOUT else Path(output)


def _malformed(read: MappingSet) -> str:
    first = read.counts.examples[0] if read.counts.examples else None
    return f"{read.counts.malformed:,}, the first on line {first.line}: {first.problem}" if first else ""


def _report(output: str, shape: dict[str, Any], rows: list[tuple[str, str]], *, as_json: bool) -> None:
    """Says what was written: on stderr, and only as JSON, where standard output has the file itself."""
    place = {} if output == STDOUT else {"path": output, "bytes": Path(output).stat().st_size}
    if as_json:
        click.echo(to_json({**place, **shape}), err=output == STDOUT)
    elif output != STDOUT:
        facts([("file", f"{output}  ({size(Path(output).stat().st_size)})"), *rows], console())
