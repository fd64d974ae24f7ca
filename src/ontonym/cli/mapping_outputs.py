"""The options of every command that writes mappings: the format, and what a standard needs that rows do not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from ontonym.cli.options import Opt, OptionGroup
from ontonym.errors import InputError
from ontonym.store import Terminology, open_terminology
from ontonym.store.export.mappings import MAPPING_WRITERS, MappingFacts, completed_facts

MAPPING_FORMATS = "\b\nFormats, and what they cannot carry:\n" + "\n".join(
    f"  {writer.name:<10} {writer.leaves_out}  ({', '.join(writer.endings)})" for writer in MAPPING_WRITERS.values()
)

STDOUT = "-"

_EXAMPLES = {
    "iri": ("IRI", "MA=http://mouse.owl#MA_"),
    "system": ("URL", "LAB=http://hospital.example/lab|2026"),
    "vocabulary": ("ID", "LAB=HOSPITAL_LAB"),
}
"""Options that say something of a prefix: what, and an example."""


@dataclass(frozen=True, slots=True)
class MappingFlags:
    """What is typed about a file of mappings; ``iris``, ``systems`` and ``vocabularies`` are of the form PREFIX=…"""

    format: str | None = None
    iris: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    vocabularies: tuple[str, ...] = ()
    omop: str | None = None
    url: str = ""
    source_scope: str = ""
    target_scope: str = ""


MAPPING_FLAGS = OptionGroup(
    MappingFlags(),
    format=Opt(f"{', '.join(MAPPING_WRITERS)}; by default detected from the file's ending.", metavar="NAME"),
    iris=Opt(f"SSSOM, OAEI: what a prefix stands for, such as {_EXAMPLES['iri'][1]}. May be repeated.", "--iri",
             "PREFIX=IRI"),
    systems=Opt("FHIR: the code system of a prefix, with its version after |, such as "
                f"'{_EXAMPLES['system'][1]}'. May be repeated.", "--system", "PREFIX=URL"),
    vocabularies=Opt(f"OMOP: the vocabulary_id of a prefix, such as {_EXAMPLES['vocabulary'][1]}. May be repeated.",
                     "--vocabulary", "PREFIX=ID"),
    omop=Opt("OMOP: vocabularies downloaded from Athena, imported; they give codes their concept ids.",
             metavar="TERMINOLOGY"),
    url=Opt("The address of the set of mappings: SSSOM's mapping_set_id, the canonical URL of a ConceptMap.",
            metavar="URL"),
    source_scope=Opt("FHIR: the value set that is mapped from.", metavar="URL"),
    target_scope=Opt("FHIR: the value set that is mapped to.", metavar="URL"),
)  # fmt: skip


def mapping_facts(
    flags: MappingFlags, stack: ExitStack, format_: str, slots: Mapping[str, str], *,
    iris: Mapping[str, str] = {}, terminologies: Sequence[Terminology] = (),
) -> MappingFacts:  # fmt: skip
    """The facts that the flags give, with the OMOP terminology open as long as ``stack`` is; see `completed_facts`.

    ``iris`` are those that the file of mappings itself gives prefixes. Raises InputError where an option is not of the
    form PREFIX=…
    """
    facts = MappingFacts(
        slots=slots, iris={**iris, **_pairs("iri", flags.iris)}, systems=_pairs("system", flags.systems),
        vocabularies=_pairs("vocabulary", flags.vocabularies), url=flags.url, source_scope=flags.source_scope,
        target_scope=flags.target_scope,
        omop=stack.enter_context(open_terminology(flags.omop)) if flags.omop else None,
    )  # fmt: skip
    return completed_facts(facts, format_, terminologies)


def left_out_text(left_out: Counter[str]) -> str:
    """What a format could not take, in words; empty where it took everything."""
    return "; ".join(f"{count:,} {what}" for what, count in left_out.items() if count)


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        prefix, _, value = text.partition("=")
        if not prefix or not value:
            what, example = _EXAMPLES[option]
            raise InputError(f"--{option} {text}: expected PREFIX={what}, such as {example}")
        found[prefix] = value
    return found
