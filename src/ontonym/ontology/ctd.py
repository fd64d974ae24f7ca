"""Readers of CTD's disease vocabulary MEDIC (https://ctdbase.org): its own TSV, and the ``ID|ID||name|name`` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ontonym.ontology.release import Reading
from ontonym.ontology.source import Source
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Term

COMMENT = "comment line"
CTD_FIELDS = (
    "DiseaseName", "DiseaseID", "AltDiseaseIDs", "Definition", "ParentIDs", "TreeNumbers", "ParentTreeNumbers",
    "Synonyms", "SlimMappings",
)  # fmt: skip

_MESH_ID = re.compile(r"[DC]\d+$")
_MEDIC_LINE = re.compile(r"[A-Za-z0-9:.]+(?:\|[A-Za-z0-9:.]+)*\|\|[^|\s]")
_CREATED = re.compile(r"#\s*Report created:\s*(.+)$")


def is_medic(head: str) -> bool:
    """Whether the beginning of a file is MEDIC lines, most of them: ids, ``||``, names."""
    lines = [line for line in head.split("\n")[:20] if line.strip()]
    return bool(lines) and 3 * sum(bool(_MEDIC_LINE.match(line)) for line in lines) >= 2 * len(lines)


def is_ctd(head: str) -> bool:
    """Whether the beginning of a file is ``CTD_diseases.tsv``: its column names, commented out or not."""
    return any(line.lstrip("# ").startswith("DiseaseName\tDiseaseID") for line in head.split("\n"))


def read_medic(sources: Sequence[Source], reading: Reading) -> Iterator[Concept]:
    """The concepts of MEDIC lines: the first id is the concept's, the first name preferred."""
    reading.describe(name="MEDIC", title="MEDIC disease vocabulary")
    seen: set[str] = set()
    for source in sources:
        for number, line in enumerate(source.lines(), start=1):
            if not line.strip():
                continue
            left, bars, right = line.partition("||")
            ids = [_disease_id(text, reading) for text in left.split("|") if text.strip()]
            names = [name.strip() for name in right.split("|") if name.strip()]
            if not bars or not ids or not names:
                reading.malformed(source, number, "not of the form ID|ID||name|name", line)
            elif ids[0] in seen:
                reading.malformed(source, number, f"duplicate id {ids[0]}", line)
            else:
                seen.add(ids[0])
                reading.counts.keep()
                terms = _terms(names[0], names[1:])
                yield Concept(ids[0], terms, alternative_ids=tuple(dict.fromkeys(ids[1:])))


def read_ctd(sources: Sequence[Source], reading: Reading) -> Iterator[Concept]:
    """The concepts of ``CTD_diseases.tsv``; MeSH and OMIM ids in AltDiseaseIDs mean the same, others are xrefs."""
    reading.describe(name="MEDIC", title="CTD disease vocabulary (MEDIC)")
    seen: set[str] = set()
    for source in sources:
        fields: Sequence[str] = CTD_FIELDS
        for number, line in enumerate(source.lines(), start=1):
            if not line.strip():
                continue
            if line.lstrip("# ").startswith("DiseaseName\t"):
                fields = line.lstrip("# ").rstrip("\t").split("\t")
                reading.counts.skip(COMMENT)
                continue
            if line.startswith("#"):
                created = _CREATED.match(line)
                reading.describe(version=created[1].strip() if created else "")
                reading.counts.skip(COMMENT)
                continue
            values = line.split("\t")
            if len(values) != len(fields):
                problem = f"expected {len(fields)} tab-separated fields, found {len(values)}"
                reading.malformed(source, number, problem, line)
                continue
            concept = _ctd_concept(dict(zip(fields, values, strict=True)), reading)
            if concept is None:
                reading.malformed(source, number, "no DiseaseID or no DiseaseName", line)
            elif concept.id in seen:
                reading.malformed(source, number, f"duplicate id {concept.id}", line)
            else:
                seen.add(concept.id)
                reading.counts.keep()
                yield concept


def _ctd_concept(row: dict[str, str], reading: Reading) -> Concept | None:
    def several(name: str) -> list[str]:
        return [value.strip() for value in row.get(name, "").split("|") if value.strip()]

    name, published = row.get("DiseaseName", "").strip(), row.get("DiseaseID", "").strip()
    if not name or not published:
        return None
    others = [curie(text) for text in several("AltDiseaseIDs")]
    same = [text for text in others if text.startswith(("MESH:", "OMIM:"))]
    definition = row.get("Definition", "").strip()
    return Concept(
        id=_disease_id(published, reading),
        terms=_terms(name, several("Synonyms")),
        parents=tuple(_disease_id(text, reading) for text in several("ParentIDs")),
        definitions=(definition,) if definition else (),
        tags=tuple(several("SlimMappings")),
        alternative_ids=tuple(same),
        xrefs=tuple(text for text in others if text not in same),
    )


def _terms(preferred: str, synonyms: Sequence[str]) -> tuple[Term, ...]:
    return (Term(preferred, "preferred"), *(Term(name) for name in synonyms))


def _disease_id(text: str, reading: Reading) -> str:
    """MeSH and OMIM ids as CURIEs: MEDIC writes them bare."""
    text = text.strip()
    if _MESH_ID.match(text):
        return f"MESH:{text}"
    return f"OMIM:{text}" if text.isdecimal() else reading.identifier(text)
