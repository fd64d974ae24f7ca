"""Writes a set of mappings to one file in a standard format, which `read_mappings` can read back."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from ontonym.errors import InputError
from ontonym.files.cells import guarded
from ontonym.manifest import ontonym_version
from ontonym.store.export.fhirmap import write_fhir_map
from ontonym.store.export.formats import ExportFormat, chosen_format, csv_rows, opened_target
from ontonym.store.export.mappingfacts import AS_IT_IS, MappingExport, MappingFacts, MappingOptions
from ontonym.store.export.sourcemap import GET_OMOP, WANTS_CONCEPTS, write_source_map
from ontonym.store.export.sssom import LICENCE, write_sssom
from ontonym.store.export.usagi import write_usagi
from ontonym.store.mappings import MappingSet, Row, denied, read_mappings
from ontonym.store.mappings.iris import iri_of_id
from ontonym.store.mappings.read import RELATIONS
from ontonym.store.mappings.rows import HEADERS, NO_TERM, NOTHING_FITS, TARGET_IS
from ontonym.store.open import Terminology, open_terminology

__all__ = [
    "AS_IT_IS",
    "MAPPING_WRITERS",
    "MappingConversion",
    "MappingExport",
    "MappingFacts",
    "MappingOptions",
    "completed_facts",
    "convert_mappings",
    "made_by",
    "mapping_format",
    "opened_facts",
    "write_mappings",
]

NO_FACTS = MappingFacts()

_RELATION_OF = {predicate: relation for relation, predicate in RELATIONS.items()} | {"owl:equivalentClass": "="}

_HEAD = """<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment#"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xsd="http://www.w3.org/2001/XMLSchema#">
<Alignment>
<xml>yes</xml>
<level>0</level>
<type>??</type>
"""


def write_alignment(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO) -> MappingExport:
    """Writes mappings that are equal, broader, narrower or disjoint; returns the others, which are left out."""
    left_out: Counter[str] = Counter()
    out.write(_HEAD.encode())
    for row in rows:
        relation = _RELATION_OF.get(row["predicate_id"])
        if not row.get("subject_id"):
            left_out["sources without a code"] += 1
        elif denied(row) or row["object_id"] == NO_TERM:
            left_out["mappings that are denied, or to nothing"] += 1
        elif relation is None:
            left_out[f"{row['predicate_id']}, which the format has no relation for"] += 1
        else:
            ends = [quoteattr(iri_of_id(row[end], facts.iris)) for end in ("subject_id", "object_id")]
            out.write(
                f"<map><Cell>\n<entity1 rdf:resource={ends[0]}/>\n<entity2 rdf:resource={ends[1]}/>\n"
                f'<measure rdf:datatype="http://www.w3.org/2001/XMLSchema#float">{row.get("confidence") or "1.0"}'
                f"</measure>\n<relation>{escape(relation)}</relation>\n</Cell></map>\n".encode()
            )
    out.write(b"</Alignment>\n</rdf:RDF>\n")
    return MappingExport(len(rows) - left_out.total(), left_out)


_TABLE_COLUMNS = frozenset(("subject_id", "subject_label", "predicate_id", "object_id", "object_label", "confidence"))
_NUL = "\0"


def write_table(rows: Sequence[Row], facts: MappingFacts, out: BinaryIO) -> MappingExport:
    """Writes mappings as CSV in UTF-8 with the byte order mark that spreadsheets need; unused columns are left out."""
    given = {column for row in rows for column, value in row.items() if value}
    shown = [column for column in HEADERS if column in given or column in _TABLE_COLUMNS]
    with csv_rows(out, "\r\n", "utf-8-sig") as write:
        write([HEADERS[column] for column in shown])
        for row in rows:
            cells = {**row, "predicate_id": _word(row)}
            if cells["predicate_id"] == NOTHING_FITS:
                cells["object_id"] = ""
            write([guarded(cells.get(column, "").replace(_NUL, "")) for column in shown])
    return MappingExport(len(rows), Counter())


def _word(row: Row) -> str:
    if row["object_id"] == NO_TERM and not denied(row):
        return NOTHING_FITS
    word = TARGET_IS.get(row["predicate_id"], row["predicate_id"])
    return f"not {word}" if denied(row) else word


_Writer = ExportFormat[Callable[[Sequence[Row], MappingFacts, BinaryIO], MappingExport]]

MAPPING_WRITERS: MappingProxyType[str, _Writer] = MappingProxyType(
    {
        writer.name: writer
        for writer in (
            _Writer("sssom", "SSSOM TSV", (".sssom.tsv", ".tsv"), "nothing", write_sssom),
            _Writer(
                "alignment", "OAEI alignment, RDF/XML", (".rdf",),
                "what is denied, names, and all but equal, broader, narrower, disjoint", write_alignment,
            ),
            _Writer(
                "fhir-r4", "FHIR R4 ConceptMap", (".json", ".r4.json"),
                "what is denied, who and when, sources without a code", partial(write_fhir_map, release="R4"),
            ),
            _Writer(
                "fhir-r5", "FHIR R5 ConceptMap", (".r5.json",), "what R4 leaves out",
                partial(write_fhir_map, release="R5"),
            ),
            _Writer(
                "omop", "OMOP SOURCE_TO_CONCEPT_MAP, CDM 5.4", (".stcm.csv", "source_to_concept_map.csv"),
                "what is denied, narrower or only related, the relation, confidence", write_source_map,
            ),
            _Writer(
                "usagi", "Usagi's CSV", (".usagi.csv",), "what is denied, sources without a code, another confidence "
                "than a score", write_usagi,
            ),
            _Writer("csv", "CSV for spreadsheets", (".csv",), "the metadata of the set", write_table),
        )
    }
)  # fmt: skip
"""The formats of mappings, by name."""


def mapping_format(target: Path | str | BinaryIO, name: str | None = None) -> str:
    """The name of the format to write: the given one, or the one of the file's ending.

    Raises UnknownNameError for an unknown name, InputError if the ending does not determine the format.
    """
    return chosen_format(MAPPING_WRITERS, target, name).name


def write_mappings(
    target: Path | str | BinaryIO, rows: Iterable[Row], facts: MappingFacts = NO_FACTS, *, format: str | None = None
) -> MappingExport:
    """Writes mappings to a file, which is replaced in one step when complete, or to a binary stream.

    ``format`` is one of `MAPPING_WRITERS`; None takes the one of the file's ending, and ``.gz`` compresses.

    Raises:
        UnknownNameError: ``format`` is not in `MAPPING_WRITERS`.
        InputError: the ending does not determine the format, the file cannot be written, or the format needs a fact
            that is missing.
    """
    chosen = chosen_format(MAPPING_WRITERS, target, format)
    known = list(rows)
    with opened_target(target) as out:
        written = chosen.write(known, facts, out)
    return replace(written, left_out=written.left_out + facts.unused(known))


def completed_facts(facts: MappingFacts, format: str, terminologies: Sequence[Terminology]) -> MappingFacts:
    """The facts, completed from the mapped ``terminologies``, in the order source, targets.

    They give code systems that are missing, and OMOP's concept ids if the last one is of OMOP's vocabularies. Raises
    InputError if ``facts.omop`` is not of OMOP's vocabularies, or the format needs them and has none: before any work.
    """
    omop = facts.omop
    if omop is not None and omop.metadata.get("format") != "omop":
        raise InputError(f"`omop={omop.path}`: is not made of OMOP's vocabularies; import those that Athena sends")
    if omop is None and terminologies and terminologies[-1].metadata.get("format") == "omop":
        omop = terminologies[-1]
    needed = {"omop": "OMOP" not in facts.vocabularies, "usagi": bool(terminologies)}.get(format, False)
    if needed and omop is None:
        raise InputError(f"{MAPPING_WRITERS[format].title}: {WANTS_CONCEPTS}. {GET_OMOP}")
    known: dict[str, str] = {}
    for one in terminologies:
        known |= one.metadata.get("details", {}).get("systems", {})
    return replace(facts, systems=known | dict(facts.systems), omop=omop)


@contextmanager
def opened_facts(
    options: MappingOptions, format: str, slots: Mapping[str, str], *,
    iris: Mapping[str, str] = {}, terminologies: Sequence[Terminology] = (),
) -> Iterator[MappingFacts]:  # fmt: skip
    """A context manager for the facts in the options, completed as by `completed_facts`, with the OMOP terminology
    open.

    ``slots`` are the metadata of the set, ``iris`` the IRIs of prefixes that the options do not give. Raises InputError
    for an option that is not of the form PREFIX=VALUE.
    """
    with open_terminology(options.omop) if options.omop else nullcontext() as omop:
        yield completed_facts(options.facts(slots, iris=iris, omop=omop), format, terminologies)


@dataclass(frozen=True, slots=True)
class MappingConversion:
    """The mappings that were ``read``, and what was ``written`` of them in another format."""

    format: str
    read: MappingSet
    written: MappingExport


def convert_mappings(mappings: Path | str, target: Path | str | BinaryIO, options: MappingOptions) -> MappingConversion:
    """Reads mappings like `read_mappings` and writes them in another format; raises what `write_mappings` raises."""
    format = mapping_format(target, options.format)
    read = read_mappings(mappings)
    prefixes = {prefix: iri for prefix, iri in read.prefixes.items() if prefix and iri}
    with opened_facts(options, format, read.slots, iris=prefixes) as facts:
        return MappingConversion(format, read, write_mappings(target, read.rows, facts, format=format))


def made_by(tool: str, slots: Mapping[str, str], *, dated: bool = True) -> dict[str, str]:
    """The slots of a set of mappings that ``tool`` makes: licence, tool, version, today's date, and the given ones."""
    today = {"mapping_date": datetime.datetime.now(tz=datetime.UTC).date().isoformat()} if dated else {}
    made = {"license": LICENCE, "mapping_tool": tool, "mapping_tool_version": ontonym_version()}
    return {**made, **today, **slots}


def made_between(source: Terminology, targets: Sequence[Terminology], fingerprint: str, comment: str) -> dict[str, str]:
    """The slots of mappings from a terminology to an artifact made of others, which is named by its fingerprint.

    Only where all targets have one version it is that of the objects; the title names each release.
    """
    versions = {one.version for one in targets}
    releases = " + ".join(one.full_name for one in targets)
    of = {
        "mapping_set_id": f"urn:ontonym:{source.fingerprint[:12]}-{fingerprint[:12]}",
        "mapping_set_title": f"{source.name} to {releases}",
        "subject_source_version": source.version,
        "object_source_version": versions.pop() if len(versions) == 1 else "",
        "comment": comment,
    }
    return made_by("ontonym", of)
