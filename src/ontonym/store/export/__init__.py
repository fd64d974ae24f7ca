"""Writes a terminology to one file in a standard format, which `ontonym.ontology` can read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from ontonym.errors import InputError
from ontonym.store.export.fhir import write_fhir
from ontonym.store.export.formats import ExportFormat, chosen_format, opened_target
from ontonym.store.export.obographs import write_obographs
from ontonym.store.export.tables import write_csv, write_jsonl, write_tsv
from ontonym.store.export.walk import Walk
from ontonym.store.open import Terminology
from ontonym.types import Progress

__all__ = ["WRITERS", "ExportFormat", "TerminologyExport", "export_terminology"]

_Writer = ExportFormat[Callable[[Walk, BinaryIO], Counter[str]]]

WRITERS: MappingProxyType[str, _Writer] = MappingProxyType(
    {
        writer.name: writer
        for writer in (
            _Writer("jsonl", "JSONL, one concept a line", (".jsonl", ".ndjson"), "nothing", write_jsonl),
            _Writer(
                "csv", "CSV, one row a concept", (".csv",),
                "relations, mappings, properties, retired names, where names come from", write_csv,
            ),
            _Writer(
                "tsv", "TSV, one row a concept", (".tsv", ".tab"),
                "what CSV leaves out, and tabs and line breaks inside names", write_tsv,
            ),
            _Writer(
                "obographs", "OBO Graphs JSON", (".obographs.json", ".obograph.json"),
                "languages and some kinds of names, what mappings say beyond predicate and target", write_obographs,
            ),
            _Writer(
                "fhir", "FHIR R4 CodeSystem, with ConceptMaps where there are mappings", (".fhir.json",),
                "concepts whose code FHIR does not allow", write_fhir,
            ),
        )
    }
)  # fmt: skip
"""The formats of terminologies, by name; ``write`` returns how much of each thing it left out."""


@dataclass(frozen=True, slots=True)
class TerminologyExport:
    """The result of an export; ``left_out`` counts what the format cannot represent, by a description."""

    format: str
    concepts: int
    terms: int
    left_out: dict[str, int]


def export_terminology(
    terminology: Terminology,
    target: Path | str | BinaryIO,
    *,
    format: str | None = None,
    url: str = "",
    raw: bool = False,
    progress: Progress | None = None,
) -> TerminologyExport:
    """Writes a terminology to a file, which is replaced in one step when complete, or to a binary stream.

    ``format`` is one of `WRITERS`; None takes the one of the file's ending, and ``.gz`` compresses. ``url`` is the
    canonical URL of a FHIR CodeSystem, instead of the known one. In CSV and TSV a cell that a spreadsheet would run has
    an apostrophe before it, which the import takes off again, unless ``raw``. One concept is in memory at a time.

    Raises:
        UnknownNameError: ``format`` is not in `WRITERS`.
        InputError: the ending belongs to no format, the format has no ``url``, or the file cannot be written.
    """
    chosen = chosen_format(WRITERS, target, format)
    if url and chosen.name != "fhir":
        raise InputError(f"`url=` is for FHIR, but the format is {chosen.name}")
    with opened_target(target) as out:
        left_out = chosen.write(Walk(terminology, progress, url, raw=raw), out)
    counts = dict(sorted((+left_out).items()))
    return TerminologyExport(chosen.name, len(terminology), terminology.term_count, counts)
