"""``ontonym export`` and ``export-mappings``: a terminology, or mappings, as a file that other software reads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

import click

from ontonym.cli.mapping_outputs import MAPPING_FORMATS, MAPPING_OPTIONS
from ontonym.cli.options import examples, summarized, summarized_as
from ontonym.cli.progress import Bar
from ontonym.files.output import STDOUT
from ontonym.serve.exports import mappings_summary, terminology_summary
from ontonym.serve.show import Summary
from ontonym.store import open_terminology
from ontonym.store.export import WRITERS, export_terminology
from ontonym.store.export.mappings import MappingOptions, convert_mappings

FORMATS = "\b\nFormats, and what they cannot carry:\n" + "\n".join(
    f"  {writer.name:<10} {writer.leaves_out}" for writer in WRITERS.values()
)

_output_option = click.option(
    "-o", "--output", required=True, metavar="FILE", help="The file to write; what was there is replaced when all is "
    "written. .gz compresses; - writes to standard output.",
)  # fmt: skip


def _target(output: str) -> Path | BinaryIO:
    return sys.stdout.buffer if output == STDOUT else Path(output)


@click.command("export", epilog=f"{FORMATS}\n\n" + examples(
    "export hp.terminology -o hp.jsonl.gz",
    "export icd10cm.terminology -o icd10cm.csv",
    "export local.terminology -o local.json --format fhir --url http://clinic.example/codes",
    "export hp.terminology -o - --format jsonl | head",
))  # fmt: skip
@click.argument("terminology", metavar="TERMINOLOGY")
@_output_option
@click.option("--format", "format_", metavar="NAME", help=f"{', '.join(WRITERS)}; by default detected from the file's "
              "ending.")  # fmt: skip
@click.option("--url", default="", metavar="URL", help="FHIR: the canonical URL of the CodeSystem, in place of the "
              "known one.")  # fmt: skip
@click.option("--raw", is_flag=True, help="CSV, TSV: cells as they are, without the apostrophe that keeps a "
              "spreadsheet from running what begins with =, +, - or @; the import takes it off again.")  # fmt: skip
@summarized_as("Print what was written, and what the format cannot carry, as JSON.")
def command(*, terminology: str, output: str, format_: str | None, url: str, raw: bool) -> Summary:
    """Write a terminology to one file that other software reads, and that `ontonym import` reads back.

    jsonl holds everything; what another format cannot carry is counted and shown.
    """
    with open_terminology(terminology) as opened, Bar("writing", len(opened)) as bar:
        done = export_terminology(opened, _target(output), format=format_, url=url, raw=raw, progress=bar.stage)
    return terminology_summary(output, done)


@click.command("export-mappings", epilog=f"{MAPPING_FORMATS}\n\n" + examples(
    "export-mappings hp-doid.sssom.tsv -o hp-doid.rdf",
    "export-mappings local.sssom.tsv -o local.r5.json --system 'LAB=http://hospital.example/lab|2026'",
    "export-mappings local.sssom.tsv -o local.stcm.csv --omop athena.terminology --vocabulary LAB=HOSPITAL_LAB",
    "export-mappings conceptmap.json -o conceptmap.sssom.tsv",
))  # fmt: skip
@click.argument("mappings", metavar="MAPPINGS")
@_output_option
@MAPPING_OPTIONS.as_("options")
@summarized
def mappings_command(*, mappings: str, output: str, options: MappingOptions) -> Summary:
    """Write mappings in another standard format.

    MAPPINGS is SSSOM, OAEI's RDF, a FHIR ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP, a file that Usagi saved, a
    CSV that ontonym wrote, or a release with mappings in it. What a format cannot carry is counted and shown.
    """
    return mappings_summary(output, convert_mappings(mappings, _target(output), options))
