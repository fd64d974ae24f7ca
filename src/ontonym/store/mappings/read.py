"""Reads files of mappings: formats that keep whole rows by one table, every other format as a release is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import FormatError
from ontonym.files.source import Source, open_source
from ontonym.files.xml import iter_elements, line_of
from ontonym.ontology.counts import Counts
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.tables.layout import DENIED
from ontonym.store.mappings.iris import id_of_iri
from ontonym.store.mappings.rows import EXACT, JUSTIFICATIONS, NO_TERM, NOT, UNDECIDED, Row, denied
from ontonym.store.mappings.sssom import is_spreadsheet, is_sssom, read_spreadsheet, read_sssom
from ontonym.store.mappings.usagi import is_usagi, read_usagi
from ontonym.text.counting import count
from ontonym.types import Concept
from ontonym.types import Mapping as ConceptMapping

RELATIONS = MappingProxyType(
    {"=": EXACT, "<": "skos:broadMatch", ">": "skos:narrowMatch", "%": "owl:disjointWith", "?": UNDECIDED}
)
"""Relations of OAEI's alignments to predicates; of ``<`` the second entity is the broader one."""

_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
_ALIGNMENT = re.compile(r"<(?:[\w.-]+:)?Alignment[\s/>]")
_HINT = (
    "Give SSSOM, OAEI's RDF, a FHIR ConceptMap, SOURCE_TO_CONCEPT_MAP, a file that Usagi saved, or a table that "
    "ontonym wrote"
)
_NO_MATCH = frozenset(("fhir:unmatched", "fhir:not-related-to"))


@dataclass(frozen=True, slots=True)
class MappingSet:
    """What a file of mappings holds: its rows in order, the metadata of the set by the slots of SSSOM, what its
    prefixes stand for, and what became of every row of the file.
    """

    format: str
    rows: tuple[Row, ...]
    slots: Mapping[str, str]
    prefixes: Mapping[str, str]
    counts: Counts

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<MappingSet of {count(len(self.rows), 'mapping')}, read as {self.format}>"


@dataclass(frozen=True, slots=True)
class Statement:
    """That one concept is related to another as ``predicate`` says, or that it is not, where it is ``denied``.

    ``confidence`` is in [0, 1], or None where the file has none; ``author``, ``reviewer`` and ``date`` (ISO 8601) say
    who decided it and when, as the file has them.
    """

    ends: tuple[str, str]
    predicate: str
    denied: bool = False
    confidence: float | None = None
    justification: str = JUSTIFICATIONS["unspecified"]
    comment: str = ""
    author: str = ""
    reviewer: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class MappingReader:
    """A format that is read row by row: how it is recognized from the beginning of a file, and its reader."""

    name: str
    recognizes: Callable[[str], bool]
    read: Callable[[Source, ReleaseLog], Iterator[Row]]


def read_mappings(path: Path | str) -> MappingSet:
    """The mappings of a file in any format that holds some: SSSOM, OAEI's RDF, FHIR ConceptMap, OMOP's
    SOURCE_TO_CONCEPT_MAP, what Usagi saves, our tables, the TSVs of OAEI's Bio-ML, and every
    other one of `ontonym import`.

    Malformed rows are counted and left out. A set of mappings may be empty, as the file of a job that found none is.
    Raises FormatError where all rows are malformed, and for a file of another kind without a mapping in it.
    """
    source = open_source(path)
    head = source.head()
    log = ReleaseLog(ReadOptions())
    reader = next((one for one in MAPPING_READERS if one.recognizes(head)), None)
    if reader is not None:
        rows = tuple(reader.read(source, log))
        counts, name = log.counts, reader.name
    else:
        try:
            release = read_release([path])
            rows = tuple(row for concept in release.concepts() for row in _rows(concept))
        except FormatError as error:
            raise FormatError(path, error.problem, line=error.line, hint=_HINT) from None
        counts, name = release.counts, release.metadata.format
    if not rows and (reader is None or counts.malformed):
        first = counts.examples[0] if counts.examples else None
        malformed = f"; of {count(counts.malformed, 'malformed row')} the first: {first.problem}" if first else ""
        raise FormatError(path, f"no mapping in it{malformed}", line=first.line if first else None, hint=_HINT)
    details = log.details
    return MappingSet(name, rows, details.get("slots", {}), details.get("prefixes", {}), counts)


def statements(path: Path | str) -> Iterator[Statement]:
    """The statements of a file of mappings about pairs of concepts, as `read_mappings` reads it.

    Left out are subjects without a code, and that there is nothing to map to.
    """
    for row in read_mappings(path).rows:
        if row.get("subject_id") and row["object_id"] != NO_TERM:
            yield Statement(
                (row["subject_id"], row["object_id"]),
                row["predicate_id"],
                denied(row),
                float(row["confidence"]) if row.get("confidence") else None,
                row.get("mapping_justification", JUSTIFICATIONS["unspecified"]),
                row.get("comment", ""),
                row.get("author_id") or row.get("author_label", ""),
                row.get("reviewer_id") or row.get("reviewer_label", ""),
                row.get("mapping_date", ""),
            )


def stated_mappings(paths: Iterable[Path | str], *, denied: bool = False) -> Iterator[ConceptMapping]:
    """The mappings that files state, in any format that `read_mappings` reads; or those ``denied``, as if they held."""
    for path in paths:
        for said in statements(path):
            if said.denied == denied:
                yield ConceptMapping(said.ends[0], said.predicate, said.ends[1], said.justification)


def _is_alignment(head: str) -> bool:
    return bool(_ALIGNMENT.search(head))


def _read_alignment(source: Source, log: ReleaseLog) -> Iterator[Row]:
    """The cells of OAEI's alignment format; raises FormatError for one without both entities."""
    for cell in iter_elements(source, ["{*}Cell"]):
        found = [cell.find(f"{{*}}entity{number}") for number in (1, 2)]
        ends = ["" if one is None else id_of_iri(str(one.get(_RESOURCE, ""))) for one in found]
        if not all(ends):
            raise FormatError(source.label, "a Cell without entity1 and entity2", line=line_of(cell))
        relation = (cell.findtext("{*}relation") or "").strip()
        if relation not in RELATIONS:
            known = ", ".join(RELATIONS)
            log.malformed(source, line_of(cell), f"unknown relation {relation!r} (known: {known})", " ".join(ends))
            continue
        row = {"subject_id": ends[0], "predicate_id": RELATIONS[relation], "object_id": ends[1]}
        log.counts.keep()
        measure = _measure((cell.findtext("{*}measure") or "").strip())
        yield (
            row
            | {"mapping_justification": JUSTIFICATIONS["unspecified"]}
            | ({"confidence": measure} if measure else {})
        )


_BIO_ML = ("SrcEntity", "TgtEntity", "Score")


def _is_bio_ml(head: str) -> bool:
    return head.startswith("\t".join(_BIO_ML[:2])) and "TgtCandidates" not in head.partition("\n")[0]


def _read_bio_ml(source: Source, log: ReleaseLog) -> Iterator[Row]:
    """The pairs of the TSVs of OAEI's Bio-ML track: equivalent classes, with a score."""
    lines = enumerate(source.lines(), 1)
    width = len(next(lines)[1].split("\t"))
    for number, line in lines:
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != width or not all(fields[:2]):
            log.malformed(source, number, f"expected {width} fields with two ids, found {len(fields)}", line)
            continue
        log.counts.keep()
        measure = _measure(fields[2]) if width > 2 else ""
        ends = {"subject_id": id_of_iri(fields[0]), "predicate_id": EXACT, "object_id": id_of_iri(fields[1])}
        unspecified = {"mapping_justification": JUSTIFICATIONS["unspecified"]}
        yield ends | unspecified | ({"confidence": measure} if measure else {})


def _measure(text: str) -> str:
    """The measure where it is a number in [0, 1]."""
    try:
        return text if 0 <= float(text) <= 1 else ""
    except ValueError:
        return ""


def _rows(concept: Concept) -> Iterator[Row]:
    """The mappings of a concept as rows, those that are denied too."""
    for mapping in concept.mappings:
        nothing, unrelated = not mapping.object_id, mapping.predicate_id in _NO_MATCH
        row = {
            "subject_id": mapping.subject_id,
            "subject_label": mapping.subject_label or (concept.preferred if concept.terms else ""),
            "predicate_id": (EXACT if nothing else "skos:relatedMatch") if unrelated else mapping.predicate_id,
            "predicate_modifier": NOT if unrelated and not nothing else "",
            "object_id": mapping.object_id or NO_TERM,
            "object_label": mapping.object_label,
            "mapping_justification": mapping.justification,
            "confidence": "" if mapping.confidence is None else f"{mapping.confidence:.15g}",
            "comment": mapping.comment,
        }
        yield {column: value for column, value in row.items() if value}
    for one in concept.properties:
        if one.name.startswith(DENIED):
            yield {
                "subject_id": concept.id, "predicate_id": one.name.removeprefix(DENIED), "predicate_modifier": NOT,
                "object_id": one.value, "mapping_justification": JUSTIFICATIONS["unspecified"],
            }  # fmt: skip


MAPPING_READERS = (
    MappingReader("sssom", is_sssom, read_sssom),
    MappingReader("csv", is_spreadsheet, read_spreadsheet),
    MappingReader("usagi", is_usagi, read_usagi),
    MappingReader("alignment", _is_alignment, _read_alignment),
    MappingReader("bio-ml", _is_bio_ml, _read_bio_ml),
)
"""The formats that are read row by row, in the order in which they are asked."""
