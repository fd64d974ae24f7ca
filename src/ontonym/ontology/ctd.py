"""Readers of CTD's vocabularies (https://ctdbase.org): diseases (MEDIC) and chemicals as TSV or CSV, and MEDIC as
``ID|ID||name|name`` lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ontonym.files.csvtext import csv_reader
from ontonym.files.source import Source
from ontonym.ontology.options import REPEATED
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Property, Term

COMMENT = "comment line"
TREE_NUMBER = "tree number"

CTD_FIELDS = (
    "DiseaseName", "DiseaseID", "AltDiseaseIDs", "Definition", "ParentIDs", "TreeNumbers", "ParentTreeNumbers",
    "Synonyms", "SlimMappings",
)  # fmt: skip
"""The columns of the diseases if a file does not name them."""
CHEMICAL_FIELDS = (
    "ChemicalName", "ChemicalID", "CasRN", "PubChemCID", "PubChemSID", "DTXSID", "InChIKey", "Definition", "ParentIDs",
    "TreeNumbers", "ParentTreeNumbers", "MESHSynonyms", "CTDCuratedSynonyms",
)  # fmt: skip
"""The columns of the chemicals; before 2025 there was one of ``Synonyms``, and one of ``DrugBankIDs``."""
CHEMICAL_IDS = MappingProxyType(
    {
        "CasRN": "CAS", "PubChemCID": "PubChem", "PubChemSID": "PubChemSID", "DTXSID": "CompTox",
        "InChIKey": "InChIKey", "DrugBankIDs": "DrugBank",
    }
)  # fmt: skip
"""The columns of other ids of a chemical, and their prefixes; ``CID:`` and ``SID:`` before an id are left out."""
ASSOCIATION_FIELDS = frozenset({"GeneSymbol", "PathwayName", "PubMedIDs", "DirectEvidence", "InteractionID"})
"""Columns of CTD's other files, which are about pairs of concepts."""

_TELLING = frozenset((*CTD_FIELDS[2:], *CHEMICAL_FIELDS[2:], *CHEMICAL_IDS))
_MESH_ID = re.compile(r"[DC]\d+$")
_MEDIC_LINE = re.compile(r"[A-Za-z0-9:.]+(?:\|[A-Za-z0-9:.]+)*\|\|[^|\s]")
_CREATED = re.compile(r"#\s*Report created:\s*(.+)$")


def is_medic(head: str) -> bool:
    """Whether most lines at the beginning of a file are MEDIC lines: ids, ``||``, names."""
    lines = [line for line in head.split("\n")[:20] if line.strip()]
    return bool(lines) and 3 * sum(bool(_MEDIC_LINE.match(line)) for line in lines) >= 2 * len(lines)


def is_ctd(head: str) -> bool:
    """Whether the beginning of a file is CTD's diseases or chemicals: its column names, commented out or not."""
    header = _header_in(head)
    return header is not None and not header.missing()


@dataclass(frozen=True, slots=True)
class _Header:
    """The columns of a file, their delimiter, and whether it is about diseases or chemicals."""

    delimiter: str
    fields: tuple[str, ...]
    noun: str

    @classmethod
    def of(cls, line: str) -> _Header | None:
        """The header, if the line is one: it has a name or an id, and another column of CTD's vocabularies."""
        delimiter = "\t" if "\t" in line else ","
        fields = tuple(field.strip(' "') for field in line.lstrip("# ").rstrip().split(delimiter))
        if ASSOCIATION_FIELDS.intersection(fields) or not _TELLING.intersection(fields):
            return None
        noun = next((n for n in ("Disease", "Chemical") if f"{n}Name" in fields or f"{n}ID" in fields), "")
        return cls(delimiter, fields, noun) if noun else None

    def missing(self) -> list[str]:
        """The required columns that are missing."""
        return [name for name in (f"{self.noun}Name", f"{self.noun}ID") if name not in self.fields]

    def values(self, line: str) -> dict[str, str] | str:
        """The fields of a row by column, or the problem with it."""
        values = line.split("\t")
        if self.delimiter == ",":
            try:
                values = next(csv_reader([line], ",", strict=True))
            except csv.Error as error:
                return f"not valid CSV ({error})"
        if len(values) != len(self.fields):
            separated = "comma" if self.delimiter == "," else "tab"
            return f"expected {len(self.fields)} {separated}-separated fields, found {len(values)}"
        return dict(zip(self.fields, values, strict=True))


_TITLES = {"Disease": ("MEDIC", "CTD disease vocabulary (MEDIC)"), "Chemical": ("CTD", "CTD chemical vocabulary")}


def _header_in(head: str) -> _Header | None:
    return next((header for line in head.split("\n") if (header := _Header.of(line)) is not None), None)


def read_medic(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of MEDIC lines: the first id is the concept's, the first name preferred.

    Lines of the same first id below each other are one concept, as in the dictionaries of BioSyn and SapBERT, which
    have a line for each name.
    """
    log.describe(name="MEDIC", title="MEDIC disease vocabulary")
    seen: set[str] = set()
    for source in sources:
        ids: dict[str, None] = {}
        names: list[str] = []
        for number, line in enumerate(source.lines(), start=1):
            if not line.strip():
                continue
            left, bars, right = line.partition("||")
            given = [_mesh_or_omim(text, log) for text in left.split("|") if text.strip()]
            named = [name.strip() for name in right.split("|") if name.strip()]
            if not bars or not given or not named:
                log.malformed(source, number, "not of the form ID|ID||name|name", line)
                continue
            if given[0] != next(iter(ids), None):
                if given[0] in seen:
                    log.malformed(source, number, f"{given[0]} came before, further up: sort the lines by id", line)
                    continue
                if ids:
                    yield _with_names(ids, names)
                ids, names = {}, []
                seen.add(given[0])
            log.counts.keep()
            ids |= dict.fromkeys(given)
            fresh = [name for name in named if name not in names] if names else named
            log.counts.skip_term(REPEATED, len(named) - len(fresh))
            names += fresh
        if ids:
            yield _with_names(ids, names)


def _with_names(ids: Iterable[str], names: Sequence[str]) -> Concept:
    own, *others = ids
    return Concept(own, _terms(names[0], names[1:]), alternative_ids=tuple(others))


def read_ctd(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of CTD's diseases and chemicals.

    MeSH and OMIM ids in AltDiseaseIDs mean the same, other ids are cross-references; tree numbers are properties.

    Raises:
        FormatError: a file without columns of names and ids.
    """
    headers = [_header_in(source.head()) or _Header("\t", CTD_FIELDS, "Disease") for source in sources]
    nouns = {header.noun for header in headers}
    name, title = _TITLES[headers[0].noun] if len(nouns) == 1 else ("CTD", "CTD disease and chemical vocabularies")
    log.describe(name=name, title=title)
    seen: set[str] = set()
    for source, header in zip(sources, headers, strict=True):
        if header.missing():
            hint = f"The columns there are: {', '.join(header.fields)}"
            source.fail(None, f"no column {', '.join(header.missing())}", hint)
        yield from _read(source, header, seen, log)


def _read(source: Source, header: _Header, seen: set[str], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of a file, one a line, below its comments."""
    for number, line in enumerate(source.lines(), start=1):
        if not line.strip():
            continue
        if line.startswith("#") or _names_columns(line, header):
            created = _CREATED.match(line)
            log.describe(version=created[1].strip() if created else "")
            log.counts.skip(COMMENT)
            continue
        row = header.values(line)
        concept = None if isinstance(row, str) else _concept(header.noun, row, log)
        if isinstance(row, str):
            log.malformed(source, number, row, line)
        elif concept is None:
            log.malformed(source, number, f"no {header.noun}ID or no {header.noun}Name", line)
        elif concept.id in seen:
            log.malformed(source, number, f"duplicate id {concept.id}", line)
        else:
            seen.add(concept.id)
            log.counts.keep()
            yield concept


def _names_columns(line: str, header: _Header) -> bool:
    """Whether a line is the header, in quotes or not."""
    return line.lstrip('"').startswith(header.fields[0]) and _Header.of(line) == header


def _concept(noun: str, row: dict[str, str], log: ReleaseLog) -> Concept | None:
    """The concept of a row, or None without a name or id."""
    name, published = row[f"{noun}Name"].strip(), row[f"{noun}ID"].strip()
    if not name or not published:
        return None
    others = [curie(text) for text in _several(row, "AltDiseaseIDs")]
    same = [text for text in others if text.startswith(("MESH:", "OMIM:"))]
    for column, prefix in CHEMICAL_IDS.items():
        others += [f"{prefix}:{text.removeprefix('CID:').removeprefix('SID:')}" for text in _several(row, column)]
    definition = row.get("Definition", "").strip()
    synonyms = [
        Term(text, source="" if column == "Synonyms" else column)
        for column in ("Synonyms", "MESHSynonyms", "CTDCuratedSynonyms")
        for text in _several(row, column)
    ]
    return Concept(
        id=_mesh_or_omim(published, log),
        terms=(Term(name, "preferred"), *synonyms),
        parents=tuple(_mesh_or_omim(text, log) for text in _several(row, "ParentIDs")),
        definitions=(definition,) if definition else (),
        tags=tuple(_several(row, "SlimMappings")),
        alternative_ids=tuple(same),
        xrefs=tuple(text for text in others if text not in same),
        properties=tuple(Property(TREE_NUMBER, text) for text in _several(row, "TreeNumbers")),
    )


def _several(row: dict[str, str], column: str) -> list[str]:
    return [value.strip() for value in row.get(column, "").split("|") if value.strip()]


def _terms(preferred: str, synonyms: Sequence[str]) -> tuple[Term, ...]:
    return (Term(preferred, "preferred"), *(Term(name) for name in synonyms))


def _mesh_or_omim(text: str, log: ReleaseLog) -> str:
    """MeSH and OMIM ids as CURIEs: MEDIC and older files of CTD write them bare."""
    text = text.strip()
    if _MESH_ID.match(text):
        return f"MESH:{text}"
    return f"OMIM:{text}" if text.isdecimal() else log.identifier(text)
