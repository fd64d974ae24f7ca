"""Files of mappings that commands write: the format, and what each standard must be told that rows do not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

import click

from ontonym.errors import InputError, UnknownNameError
from ontonym.store import Terminology, open_terminology
from ontonym.store.export.mappings import MAPPING_WRITERS, MappingFacts, mapping_format_of
from ontonym.store.export.sourcemap import GET_OMOP

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = "\b\nFormats, and what they cannot carry:\n" + "\n".join(
    f"  {writer.name:<10} {writer.leaves_out}  ({', '.join(writer.endings)})" for writer in MAPPING_WRITERS.values()
)

STDOUT = "-"

_EXAMPLES = {
    "--iri": ("IRI", "MA=http://mouse.owl#MA_"),
    "--system": ("URL", "LAB=http://hospital.example/lab|2026"),
    "--vocabulary": ("ID", "LAB=HOSPITAL_LAB"),
}
"""Options that say something of a prefix: what, and an example."""


def mapping_options(command: Command) -> Command:
    """``--format``, ``--iri``, ``--system``, ``--vocabulary``, ``--omop``, ``--url`` and the scopes; give them to
    `mapping_format` and `mapping_facts`.
    """
    for option in (
        click.option("--target-scope", default="", metavar="URL", help="FHIR: the value set that is mapped to."),
        click.option("--source-scope", default="", metavar="URL", help="FHIR: the value set that is mapped from."),
        click.option("--url", default="", metavar="URL", help="The address of the set of mappings: SSSOM's "
                     "mapping_set_id, the canonical URL of a ConceptMap."),
        click.option("--omop", metavar="TERMINOLOGY", help="OMOP: vocabularies downloaded from Athena, imported; they "
                     "give codes their concept ids."),
        click.option("--vocabulary", "vocabularies", multiple=True, metavar="PREFIX=ID", help="OMOP: the vocabulary_id "
                     f"of a prefix, such as {_EXAMPLES['--vocabulary'][1]}. May be repeated."),
        click.option("--system", "systems", multiple=True, metavar="PREFIX=URL", help="FHIR: the code system of a "
                     f"prefix, with its version after |, such as '{_EXAMPLES['--system'][1]}'. May be repeated."),
        click.option("--iri", "iris", multiple=True, metavar="PREFIX=IRI", help="SSSOM, OAEI: what a prefix stands "
                     f"for, such as {_EXAMPLES['--iri'][1]}. May be repeated."),
        click.option("--format", "format_", metavar="NAME", help=f"{', '.join(MAPPING_WRITERS)}; by default told by "
                     "the file's ending."),
    ):  # fmt: skip
        command = option(command)
    return command


def mapping_format(output: str, format_: str | None) -> str:
    """The format to write: the one that is named, or that of the file's ending.

    Raises UnknownNameError, or InputError where it is not told.
    """
    if format_ is None and output == STDOUT:
        raise InputError("standard output has no name that tells the format: name it, --format NAME")
    if format_ is not None and format_ not in MAPPING_WRITERS:
        raise UnknownNameError("format", format_, MAPPING_WRITERS)
    return format_ or mapping_format_of(output)


def mapping_facts(
    stack: ExitStack, format_: str, *, slots: Mapping[str, str], iris: Sequence[str], systems: Sequence[str],
    vocabularies: Sequence[str], omop: str | None, url: str, source_scope: str, target_scope: str,
    terminologies: Sequence[Terminology] = (),
) -> MappingFacts:  # fmt: skip
    """The facts that `mapping_options` gave, the OMOP terminology open as long as ``stack`` is.

    What is not given is taken from the ``terminologies`` that are mapped: their code systems, and OMOP's concept ids
    where the last is of OMOP's vocabularies.
    Raises InputError where an option is not of the form PREFIX=…, --omop is not of OMOP's vocabularies, or the format
    needs them and they are not given: before any work is done.
    """
    opened = stack.enter_context(open_terminology(omop)) if omop else None
    if opened is not None and opened.metadata.get("format") != "omop":
        raise InputError(f"--omop {omop}: is not made of OMOP's vocabularies; import those that Athena sends")
    if opened is None and terminologies and terminologies[-1].metadata.get("format") == "omop":
        opened = terminologies[-1]
    if format_ == "omop" and opened is None and not any(one.startswith("OMOP=") for one in vocabularies):
        raise InputError(f"SOURCE_TO_CONCEPT_MAP wants OMOP's own concept ids. {GET_OMOP}")
    known = {prefix: url for one in terminologies for prefix, url in _systems(one).items()}
    return MappingFacts(
        slots=slots, iris=_pairs("--iri", iris), systems=known | _pairs("--system", systems),
        vocabularies=_pairs("--vocabulary", vocabularies), url=url, source_scope=source_scope,
        target_scope=target_scope, omop=opened,
    )  # fmt: skip


def _systems(terminology: Terminology) -> dict[str, str]:
    """The code systems that were known when a terminology was imported from FHIR."""
    return dict(terminology.metadata.get("details", {}).get("systems", {}))


def left_out_text(left_out: Counter[str]) -> str:
    """What a format did not take, in words; empty where it took all."""
    return "; ".join(f"{count:,} {what}" for what, count in left_out.items() if count)


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        prefix, _, value = text.partition("=")
        if not prefix or not value:
            what, example = _EXAMPLES[option]
            raise InputError(f"{option} {text}: expected PREFIX={what}, such as {example}")
        found[prefix] = value
    return found
