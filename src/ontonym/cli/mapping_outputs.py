"""The options of every command that writes mappings: the format, and what a standard needs that rows do not say."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ontonym.cli.options import Opt, OptionGroup
from ontonym.store.export.mappingfacts import PREFIX_EXAMPLES, MappingOptions
from ontonym.store.export.mappings import MAPPING_WRITERS

mappings_output = click.option(
    "-o", "--output", required=True, metavar="FILE", help="The mappings to write: SSSOM, an OAEI alignment, a FHIR "
    "ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP, Usagi's CSV or CSV.",
)  # fmt: skip

MAPPING_FORMATS = "\b\nFormats, and what they cannot carry:\n" + "\n".join(
    f"  {writer.name:<10} {writer.leaves_out}  ({', '.join(writer.endings)})" for writer in MAPPING_WRITERS.values()
)

_EXAMPLES = {option: example for option, (_, example) in PREFIX_EXAMPLES.items()}

MAPPING_OPTIONS = OptionGroup(
    MappingOptions(),
    format=Opt(f"{', '.join(MAPPING_WRITERS)}; by default detected from the file's ending.", metavar="NAME"),
    iris=Opt(f"SSSOM, OAEI: what a prefix stands for, such as {_EXAMPLES['iris']}. May be repeated.", "--iri",
             "PREFIX=IRI"),
    systems=Opt("FHIR: the code system of a prefix, with its version after |, such as "
                f"'{_EXAMPLES['systems']}'. May be repeated.", "--system", "PREFIX=URL"),
    vocabularies=Opt(f"OMOP: the vocabulary_id of a prefix, such as {_EXAMPLES['vocabularies']}. May be repeated.",
                     "--vocabulary", "PREFIX=ID"),
    omop=Opt("OMOP: vocabularies downloaded from Athena, imported; they give codes their concept ids.",
             metavar="TERMINOLOGY"),
    url=Opt("The address of the set of mappings: SSSOM's mapping_set_id, the canonical URL of a ConceptMap.",
            metavar="URL"),
    source_scope=Opt("FHIR: the value set that is mapped from.", metavar="URL"),
    target_scope=Opt("FHIR: the value set that is mapped to.", metavar="URL"),
)  # fmt: skip
"""How mappings are written: `MappingOptions`."""


def state_of(output: str) -> str:
    """The state file of a review of what was written to ``output``, quoted for a shell."""
    return shlex.quote(str(Path(output).with_name(f"{Path(output).name.partition('.')[0]}.review")))
