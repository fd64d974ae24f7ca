"""Writing a set of mappings to one file in a standard that others read, and that `read_mappings` reads back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from ontonym.errors import InputError, UnknownNameError
from ontonym.files.output import written_file
from ontonym.store.export.alignment import write_alignment
from ontonym.store.export.fhirmap import write_r4, write_r5
from ontonym.store.export.mappingfacts import MappingFacts, Written
from ontonym.store.export.mappingtable import write_table
from ontonym.store.export.sourcemap import write_source_map
from ontonym.store.export.sssom import write_sssom
from ontonym.store.mappings import Row

__all__ = ["MAPPING_WRITERS", "MappingFacts", "MappingWriter", "Written", "mapping_format_of", "write_mappings"]

NO_FACTS = MappingFacts()


@dataclass(frozen=True, slots=True)
class MappingWriter:
    """A format to write: ``title`` for people, the endings of file names that mean it, and what it cannot carry."""

    name: str
    title: str
    endings: tuple[str, ...]
    leaves_out: str
    write: Callable[[Sequence[Row], MappingFacts, BinaryIO], Written]


MAPPING_WRITERS: MappingProxyType[str, MappingWriter] = MappingProxyType(
    {
        writer.name: writer
        for writer in (
            MappingWriter("sssom", "SSSOM TSV", (".sssom.tsv", ".tsv"), "nothing", write_sssom),
            MappingWriter(
                "alignment", "OAEI alignment, RDF/XML", (".rdf",),
                "what is denied, names, and all but equal, broader, narrower, disjoint", write_alignment,
            ),
            MappingWriter(
                "fhir-r4", "FHIR R4 ConceptMap", (".json", ".r4.json"),
                "what is denied, who and when, sources without a code", write_r4,
            ),
            MappingWriter("fhir-r5", "FHIR R5 ConceptMap", (".r5.json",), "what R4 leaves out", write_r5),
            MappingWriter(
                "omop", "OMOP SOURCE_TO_CONCEPT_MAP, CDM 5.4", (".stcm.csv", "source_to_concept_map.csv"),
                "what is denied, narrower or only related, the relation, confidence", write_source_map,
            ),
            MappingWriter("csv", "CSV for spreadsheets", (".csv",), "the metadata of the set", write_table),
        )
    }
)  # fmt: skip
"""Every format that mappings are written in, by name."""


def mapping_format_of(path: Path | str) -> str:
    """The format that the ending of a file's name means, with or without ``.gz``; the longest ending counts.

    Raises InputError where it means none.
    """
    name = Path(path).name.lower().removesuffix(".gz")
    known = {ending: writer.name for writer in MAPPING_WRITERS.values() for ending in writer.endings}
    fitting = [ending for ending in known if name.endswith(ending)]
    if fitting:
        return known[max(fitting, key=len)]
    listed = ", ".join(f"{ending} ({format_})" for ending, format_ in known.items())
    raise InputError(f"{path}: the ending of the name does not tell the format: name it, --format NAME. "
                     f"Endings known: {listed}")  # fmt: skip


def write_mappings(
    target: Path | str | BinaryIO, rows: Iterable[Row], facts: MappingFacts = NO_FACTS, *, format: str | None = None
) -> Written:
    """Writes mappings to a file, which is replaced in one step when all is written, or to a binary stream.

    ``format`` is one of `MAPPING_WRITERS`; None takes that of the file's ending, and ``.gz`` compresses.

    Raises:
        UnknownNameError: ``format`` is not in `MAPPING_WRITERS`.
        InputError: the format is not told, the file cannot be written, or the format lacks a fact that it must have.
    """
    if format is None:
        if not isinstance(target, str | Path):
            raise InputError("a stream has no name that tells the format: name it, --format NAME")
        format = mapping_format_of(target)
    if format not in MAPPING_WRITERS:
        raise UnknownNameError("format", format, MAPPING_WRITERS)
    write = MAPPING_WRITERS[format].write
    if not isinstance(target, str | Path):
        return write(list(rows), facts, target)
    with written_file(target) as out:
        return write(list(rows), facts, out)
