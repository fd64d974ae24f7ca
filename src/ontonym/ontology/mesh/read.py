"""Reader of MeSH: descriptors, qualifiers and supplementary concept records, as XML or in the ASCII form, together.

A record is a row. The elements of the XML are those of https://www.nlm.nih.gov/mesh/xml_data_elements.html, the data
elements of the ASCII form those of https://www.nlm.nih.gov/mesh/dtype.html, ``qtype.html`` and ``ctype.html``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from lxml import etree

from ontonym.files.source import Source
from ontonym.files.xml import iter_elements, line_of, plain_text
from ontonym.ontology.languages import UNKNOWN, language_codes
from ontonym.ontology.mesh.record import (
    ACTION,
    CONSIDER_ALSO,
    MAPPED_TO,
    SEE_ALSO,
    Heading,
    MeshName,
    MeshRecord,
    MeshVocabulary,
    UnreadRecord,
    concept_of,
)
from ontonym.ontology.release import ReleaseLog
from ontonym.types import Concept, Scope

RELATIONS = MappingProxyType[str, Scope]({"EQV": "exact", "NRW": "narrow", "BRD": "broad", "REL": "related"})
"""Semantic relation of an entry term, and of a MeSH concept to the preferred one of its record, to the scope."""

_START = "*NEWRECORD"
_LINE = re.compile(r"([A-Z][A-Z0-9_ ]*?)\s*=\s?(.*)$")
_MAP = re.compile(r"a[b-z]*$")
_ASCII_HEADINGS = MappingProxyType({"FX": SEE_ALSO, "PA": ACTION, "HM": MAPPED_TO, "II": CONSIDER_ALSO})
_IS_ASCII = re.compile(r"^\*NEWRECORD\s+RECTYPE\s*=\s*[DQC]\b", re.MULTILINE)

Fields = dict[str, list[str]]


def is_ascii(head: str) -> bool:
    """Whether the beginning of a file is MeSH in its ASCII form."""
    return bool(_IS_ASCII.search(head))


def ascii_records(source: Source) -> Iterator[MeshRecord | UnreadRecord]:
    """The records in the order of the file.

    Lines before the first record are ignored.
    """
    fields: Fields | None = None
    start, bad = 0, None
    for number, line in enumerate(source.lines(), start=1):
        if line.startswith(_START):
            if fields is not None:
                yield bad or _ascii_record(fields, start)
            fields, start, bad = {}, number, None
        elif fields is not None and line.strip():
            found = _LINE.match(line)
            if found:
                fields.setdefault(found[1], []).append(found[2].strip())
            else:
                bad = bad or UnreadRecord(number, "a line that is not NAME = value", line)
    if fields is not None:
        yield bad or _ascii_record(fields, start)


def _ascii_record(fields: Fields, line: int) -> MeshRecord:
    """A record of the ASCII form, whose fields are named by short codes."""

    def first(name: str) -> str:
        return fields.get(name, [""])[0]

    form = first("RECTYPE")
    name = first({"D": "MH", "Q": "SH"}.get(form, "NM"))
    names = [MeshName(name, preferred=True)] if name else []
    for key in ("PRINT ENTRY", "ENTRY", "SY", "QX"):
        names.extend(_ascii_name(text) for text in fields.get(key, ()))
    names.extend(MeshName(text, tag="CASN1Name") for text in fields.get("N1", ()))
    return MeshRecord(
        ui=first("UI"),
        form=form,
        line=line,
        of_class=first("DC") if form == "D" else "1" if form == "Q" else "",
        names=_with_scopes(names),
        tree_numbers=fields.get("MN", []),
        definitions=[*fields.get("MS", ()), *(fields.get("NO", ()) if form == "C" else ())],
        registry=fields.get("RN", []),
        related=fields.get("RR", []),
        semantic_types=fields.get("ST", []),
        headings=[(to, Heading(words=text)) for key, to in _ASCII_HEADINGS.items() for text in fields.get(key, ())],
        qualifiers=first("AQ").split(),
        abbreviation=first("QA"),
    )


def _ascii_name(text: str) -> MeshName:
    """A name with its subfields; the last subfield has a letter for each other one that says what it is."""
    parts = text.split("|")
    letters = parts[-1].strip()
    if len(parts) == 1 or not _MAP.match(letters):
        return MeshName(parts[0].strip(), None if len(parts) == 1 else "exact", permuted=len(parts) == 1)
    meanings: dict[str, str] = {}
    for letter, part in zip(letters, parts[:-1], strict=False):
        meanings.setdefault(letter, part.strip())
    return MeshName(meanings["a"], RELATIONS.get(meanings.get("d", "EQV"), "related"), meanings.get("c", ""))


def _with_scopes(names: list[MeshName]) -> list[MeshName]:
    """The names; permuted forms get the scope of the others where those agree, as their original is not stated."""
    scopes = {name.scope for name in names if name.scope is not None}
    for name in names:
        if name.scope is None and len(scopes) == 1:
            name.scope = next(iter(scopes))
    return names


SETS = ("DescriptorRecordSet", "QualifierRecordSet", "SupplementalRecordSet")
"""Root elements of the three files."""

_RECORDS = MappingProxyType({"DescriptorRecord": "D", "QualifierRecord": "Q", "SupplementalRecord": "C"})
_ROOT = re.compile(rf"<({'|'.join(SETS)})\b")
_YEAR = re.compile(r"(?:desc|qual|supp|[dqc])((?:19|20)\d\d)\.(?:xml|bin|gz|zip)", re.IGNORECASE)
_HEADINGS = MappingProxyType(
    {
        "SeeRelatedList": SEE_ALSO,
        "PharmacologicalActionList": ACTION,
        "HeadingMappedToList": MAPPED_TO,
        "IndexingInformationList": CONSIDER_ALSO,
    }
)


def is_mesh(head: str) -> bool:
    """Whether the beginning of a file is MeSH, as XML or ASCII."""
    return bool(_ROOT.search(head)) or is_ascii(head)


def read_mesh(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of the records in the order of the files.

    Descriptors and qualifiers are read twice: parents need to know every tree number, and the ASCII form names what a
    record points to instead of giving its id.

    Raises:
        FormatError: XML that is not well-formed or declares entities.
    """
    log.describe(name="mesh", title="Medical Subject Headings", licence="public domain (NLM, with attribution)")
    for source in sources:
        year = _YEAR.search(source.name)
        log.describe(version=year[1] if year else "")
    vocabulary = MeshVocabulary()
    for source in sources:
        if _has_trees(source.head()):
            for record in _records(source, whole=False):
                if isinstance(record, MeshRecord) and not record.problem():
                    vocabulary.add(record)
    seen: set[str] = set()
    for source in sources:
        for record in _records(source, whole=True):
            if isinstance(record, UnreadRecord):
                log.malformed(source, record.line, record.problem, record.text)
                continue
            problem = record.problem() or (f"duplicate id {record.ui}" if record.ui in seen else "")
            if problem:
                log.malformed(source, record.line, problem, record.names[0].text if record.names else record.ui)
                continue
            seen.add(record.ui)
            concept = concept_of(record, vocabulary, log)
            if concept is not None:
                yield concept
    log.details["tree numbers without a record above"] = vocabulary.orphans
    log.details["concept ids of several records"] = vocabulary.shared


def _has_trees(head: str) -> bool:
    """Whether a file has descriptors or qualifiers: the supplementary records, the largest file, are in no tree."""
    root = _ROOT.search(head)
    return root[1] != "SupplementalRecordSet" if root else not re.search(r"^RECTYPE\s*=\s*C", head, re.MULTILINE)


def _records(source: Source, *, whole: bool) -> Iterator[MeshRecord | UnreadRecord]:
    """The records of a file; without ``whole`` only ids, preferred names and trees."""
    if is_ascii(source.head()):
        yield from ascii_records(source)
        return
    for element in iter_elements(source, tuple(_RECORDS)):
        yield _record(element, whole)


def _record(element: etree._Element, whole: bool) -> MeshRecord:
    """A record of the XML; without ``whole``, only what the hierarchy needs."""
    form = _RECORDS[str(element.tag)]
    of_class = element.get("DescriptorClass") or element.get("SCRClass") or "1"
    record = MeshRecord("", form, line_of(element), of_class)
    name = ""
    for child in element:
        match child.tag:
            case "DescriptorUI" | "QualifierUI" | "SupplementalRecordUI":
                record.ui = plain_text(child)
            case "DescriptorName" | "QualifierName" | "SupplementalRecordName":
                name = plain_text(child.find("String"))
            case "TreeNumberList":
                record.tree_numbers = [plain_text(number) for number in child.iterchildren("TreeNumber")]
            case "Note":
                record.definitions.append(plain_text(child))
            case "AllowableQualifiersList" if whole:
                record.qualifiers = [plain_text(short) for short in child.iter("Abbreviation")]
            case "ConceptList" if whole:
                _add_concepts(record, child)
            case tag if whole and tag in _HEADINGS:
                record.headings.extend(_headings(_HEADINGS[str(tag)], child))
    if name and not any(own.preferred for own in record.names):
        record.names = [own for own in record.names if own.text != name]
        record.names.insert(0, MeshName(name, preferred=True))
    return record


def _headings(predicate: str, group: etree._Element) -> Iterator[tuple[str, Heading]]:
    """What the members of a list point to; the star of a major heading stands before one of its ids."""
    for member in group:
        descriptor = plain_text(member.find("DescriptorReferredTo/DescriptorUI"))
        qualifier = plain_text(member.find("QualifierReferredTo/QualifierUI"))
        major = descriptor.startswith("*") or qualifier.startswith("*")
        yield predicate, Heading(descriptor.removeprefix("*"), qualifier.removeprefix("*"), major)


def _add_concepts(record: MeshRecord, group: etree._Element) -> None:
    """Adds the names and the numbers of the MeSH concepts of a record; those of the preferred one are its own."""
    concepts = list(group.iterchildren("Concept"))
    preferred = next((c for c in concepts if c.get("PreferredConceptYN") == "Y"), concepts[0] if concepts else None)
    scopes = _scopes(concepts, plain_text(preferred.find("ConceptUI")) if preferred is not None else "")
    for concept in concepts:
        ui = plain_text(concept.find("ConceptUI"))
        if ui:
            record.concept_uis.append(ui)
        if concept is preferred:
            _add_own(record, concept)
        _add_concept(record, concept, "exact" if concept is preferred else scopes.get(ui, "related"))


def _add_own(record: MeshRecord, concept: etree._Element) -> None:
    """Adds what only the preferred concept says about its record."""
    record.abbreviation = plain_text(concept.find("TermList/Term/Abbreviation"))
    record.cui = plain_text(concept.find("ConceptUMLSUI"))
    record.definitions.extend(plain_text(note) for note in concept.iterchildren("ScopeNote"))
    record.registry.extend(plain_text(number) for number in concept.iter("RegistryNumber"))


def _add_concept(record: MeshRecord, concept: etree._Element, scope: Scope) -> None:
    """Adds the names of a concept, and numbers that may be of another substance than the record's."""
    title = plain_text(concept.find("ConceptName/String"))
    translated = concept.getroottree().getroot().get("LanguageCode", "eng") != "eng"
    for child in concept:
        match child.tag:
            case "TermList":
                record.names.extend(_name(term, scope, translated) for term in child.iterchildren("Term"))
            case "CASN1Name":
                record.names.append(MeshName(plain_text(child), scope, "CASN1Name"))
            case "RegistryNumber" | "RegistryNumberList" if concept.get("PreferredConceptYN") != "Y":
                numbers = (plain_text(number) for number in child.iter("RegistryNumber"))
                record.related.extend(f"{number} ({title})" for number in numbers if number not in ("", "0"))
            case "RelatedRegistryNumberList":
                record.related.extend(plain_text(number) for number in child)
            case "SemanticTypeList":
                record.semantic_types.extend(plain_text(name) for name in child.iter("SemanticTypeName"))
            case "PharmacologicalActionList":
                record.headings.extend(_headings(ACTION, child))


def _scopes(concepts: Sequence[etree._Element], preferred: str) -> dict[str, Scope]:
    """Id of each other MeSH concept to its scope: a relation says what the second concept is to the first."""
    scopes: dict[str, Scope] = {}
    turned: dict[Scope, Scope] = {"narrow": "broad", "broad": "narrow"}
    for concept in concepts:
        for relation in concept.iterfind("ConceptRelationList/ConceptRelation"):
            first, second = plain_text(relation.find("Concept1UI")), plain_text(relation.find("Concept2UI"))
            scope = RELATIONS.get(relation.get("RelationName", ""), "related")
            if first == preferred:
                scopes[second] = scope
            elif second == preferred:
                scopes.setdefault(first, turned.get(scope, scope))
    return scopes


def _name(term: etree._Element, scope: Scope, translated: bool) -> MeshName:
    """A name; in translated files the id of a term begins with the code of its language, but for English ones."""
    code = plain_text(term.find("TermUI"))[:3]
    language = language_codes().get(code, UNKNOWN) if translated and code.isalpha() else "en"
    return MeshName(
        plain_text(term.find("String")),
        scope,
        term.get("LexicalTag", ""),
        term.get("RecordPreferredTermYN") == "Y",
        term.get("IsPermutedTermYN") == "Y",
        language,
    )
