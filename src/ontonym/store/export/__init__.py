"""Writing a terminology to one file in a format that others read, and that ``ontonym import`` reads back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from ontonym.errors import InputError, UnknownNameError
from ontonym.files.output import written_file
from ontonym.store.export.fhir import write_fhir
from ontonym.store.export.jsonl import write_jsonl
from ontonym.store.export.obographs import write_obographs
from ontonym.store.export.tables import write_csv, write_tsv
from ontonym.store.export.walk import Walk
from ontonym.store.open import Terminology
from ontonym.types import Progress

__all__ = ["WRITERS", "Exported", "Writer", "export_terminology", "format_of"]


@dataclass(frozen=True, slots=True)
class Writer:
    """A format to write: ``title`` for people, the endings of file names that mean it, and what it cannot carry.

    ``write`` returns how much of each thing it left out.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    leaves_out: str
    write: Callable[[Walk, BinaryIO], Counter[str]]


WRITERS: MappingProxyType[str, Writer] = MappingProxyType(
    {
        writer.name: writer
        for writer in (
            Writer("jsonl", "JSONL, one concept a line", (".jsonl", ".ndjson"), "nothing", write_jsonl),
            Writer(
                "csv", "CSV, one row a concept", (".csv",),
                "relations, mappings, properties, retired names, where names come from", write_csv,
            ),
            Writer(
                "tsv", "TSV, one row a concept", (".tsv", ".tab"),
                "what CSV leaves out, and tabs and line breaks inside names", write_tsv,
            ),
            Writer(
                "obographs", "OBO Graphs JSON", (".obographs.json", ".obograph.json"),
                "languages and some kinds of names, what mappings say beyond predicate and target", write_obographs,
            ),
            Writer(
                "fhir", "FHIR R4 CodeSystem, with ConceptMaps where there are mappings", (".fhir.json",),
                "concepts whose code FHIR does not allow", write_fhir,
            ),
        )
    }
)  # fmt: skip
"""Every format that is written, by name."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote; ``left_out`` counts what the format cannot carry, in words."""

    format: str
    concepts: int
    terms: int
    left_out: dict[str, int]


def format_of(path: Path | str) -> str:
    """The format that the ending of a file's name means, with or without ``.gz``.

    Raises ``InputError`` where it means none, or could mean several.
    """
    name = Path(path).name.lower().removesuffix(".gz")
    for writer in WRITERS.values():
        if name.endswith(writer.endings):
            return writer.name
    known = ", ".join(f"{ending} ({writer.name})" for writer in WRITERS.values() for ending in writer.endings)
    why = "JSON could be obographs or fhir" if name.endswith(".json") else "the ending of the name does not tell"
    raise InputError(f"{path}: {why}: name the format, --format NAME (format=NAME in Python). Endings known: {known}")


def export_terminology(
    terminology: Terminology,
    target: Path | str | BinaryIO,
    *,
    format: str | None = None,
    url: str = "",
    progress: Progress | None = None,
) -> Exported:
    """Writes a terminology to a file, which is replaced in one step when all is written, or to a binary stream.

    ``format`` is one of `WRITERS`; None takes that of the file's ending, and ``.gz`` compresses. ``url`` is the
    canonical URL of a FHIR CodeSystem, where the one that is known is not wanted. Holds one concept in memory.

    Raises:
        UnknownNameError: ``format`` is not in `WRITERS`.
        InputError: the format is not told, or the file cannot be written.
    """
    if format is None:
        if not isinstance(target, str | Path):
            raise InputError("a stream has no name that tells the format: name it, --format NAME")
        format = format_of(target)
    if format not in WRITERS:
        raise UnknownNameError("format", format, WRITERS)
    walk = Walk(terminology, progress, url)
    if isinstance(target, str | Path):
        with written_file(target) as out:
            left_out = WRITERS[format].write(walk, out)
    else:
        left_out = WRITERS[format].write(walk, target)
    return Exported(format, len(terminology), terminology.term_count, dict(sorted((+left_out).items())))
