"""A MeSH record as read from XML or ASCII, and the concept made from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from ontonym.ontology.options import OTHER_TAG
from ontonym.ontology.release import ReleaseLog
from ontonym.text.normalization import tokens
from ontonym.types import Concept, Kind, Property, Relation, Scope, Term

PREFIX = "MESH"
PERMUTED = "permuted form of another name"

CATEGORIES = MappingProxyType(
    {
        "A": "Anatomy",
        "B": "Organisms",
        "C": "Diseases",
        "D": "Chemicals and Drugs",
        "E": "Analytical, Diagnostic and Therapeutic Techniques, and Equipment",
        "F": "Psychiatry and Psychology",
        "G": "Phenomena and Processes",
        "H": "Disciplines and Occupations",
        "I": "Anthropology, Education, Sociology, and Social Phenomena",
        "J": "Technology, Industry, and Agriculture",
        "K": "Humanities",
        "L": "Information Science",
        "M": "Named Groups",
        "N": "Health Care",
        "V": "Publication Characteristics",
        "Z": "Geographicals",
    }
)
"""The categories of the trees by the first letter of a tree number; they are tags of all that is in them."""

RECORD_TAGS = MappingProxyType(
    {
        "D1": "topical descriptor", "D2": "publication type", "D3": "check tag", "D4": "geographic descriptor",
        "Q1": "qualifier", "C1": "supplementary chemical", "C2": "supplementary protocol",
        "C3": "supplementary disease", "C4": "supplementary organism", "C5": "supplementary population group",
        "C6": "supplementary anatomy",
    }
)  # fmt: skip
"""Kind of record and its class (DescriptorClass, SCRClass) to the tag that says so."""

SUPPLEMENTARY_CATEGORIES = MappingProxyType({"1": "D", "2": "E", "3": "C", "4": "B", "5": "M", "6": "A"})
"""SCRClass to the category under which a user looks for such records, which have no tree numbers of their own."""

ABBREVIATIONS = frozenset({"ABB", "ACR"})
"""Lexical tags of names that are abbreviations; ABX and ACX mark names that only contain one."""

_UI = re.compile(r"[DQC]\d+$")
_CAS = re.compile(r"\d{2,7}-\d{2}-\d$")
_EC = re.compile(r"EC (\d+(?:\.(?:\d+|n\d+|-)){0,3})$")
_UNII = re.compile(r"(?=.*\d)[0-9A-Z]{10}$")
_TAXON = re.compile(r"txid ?(\d+)$")
_WITH_NAME = re.compile(r"(.+?) \((.+)\)$")
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class MeshName:
    """One name: ``tag`` is its LexicalTag; ``scope`` is None for a permuted form whose concept is not known."""

    text: str
    scope: Scope | None = "exact"
    tag: str = ""
    preferred: bool = False
    permuted: bool = False
    language: str = "en"


@dataclass(slots=True)
class Heading:
    """What a record points to: ids where they are known, else the heading in words; ``major`` is the star."""

    descriptor: str = ""
    qualifier: str = ""
    major: bool = False
    words: str = ""


@dataclass(slots=True)
class MeshRecord:
    """One record. ``form`` is D, Q or C, ``registry`` and ``related`` are registry numbers as published."""

    ui: str
    form: str
    line: int | None
    of_class: str = "1"
    names: list[MeshName] = field(default_factory=list)
    tree_numbers: list[str] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    registry: list[str] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    semantic_types: list[str] = field(default_factory=list)
    headings: list[tuple[str, Heading]] = field(default_factory=list)
    qualifiers: list[str] = field(default_factory=list)
    abbreviation: str = ""
    concept_uis: list[str] = field(default_factory=list)
    cui: str = ""

    def problem(self) -> str:
        """Why this record is not a concept; empty where it is one."""
        if not _UI.match(self.ui):
            return "a record without a MeSH id" if not self.ui else f"not a MeSH id: {self.ui}"
        return "" if any(name.preferred and name.text for name in self.names) else "a record without a preferred name"


class UnreadRecord(NamedTuple):
    """A record that cannot be read: the line at fault, what is wrong with it, and its text."""

    line: int
    problem: str
    text: str


@dataclass(slots=True)
class MeshVocabulary:
    """Facts about the whole release that are needed to read one record.

    ``trees`` maps tree numbers to ids; ``headings`` and ``qualifiers`` map names (casefolded) to ids.
    """

    trees: dict[str, str] = field(default_factory=dict)
    headings: dict[str, str] = field(default_factory=dict)
    qualifiers: dict[str, str] = field(default_factory=dict)
    descriptors: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    orphans: int = 0
    shared: int = 0

    def add(self, record: MeshRecord) -> None:
        """Records the positions of the record in the trees, and the name by which others refer to it."""
        for number in record.tree_numbers:
            self.trees.setdefault(number, record.ui)
        name = next((name.text.casefold() for name in record.names if name.preferred), "")
        if record.form == "D":
            self.descriptors.add(record.ui)
            self.headings.setdefault(name, record.ui)
        elif record.form == "Q":
            self.qualifiers.setdefault(name, record.ui)

    def resolve(self, heading: Heading) -> Heading:
        """The heading with its ids, where the release has a record of that name (``Name`` or ``Name/qualifier``)."""
        if heading.descriptor:
            return heading
        major = heading.major or heading.words.startswith("*")
        words = heading.words.removeprefix("*")
        found = self.headings.get(words.casefold())
        if found:
            return Heading(found, "", major, words)
        main, slash, qualifier = words.rpartition("/")
        found = self.headings.get(main.casefold()) if slash else None
        second = self.qualifiers.get(qualifier.removeprefix("*").casefold()) if found else None
        if found and second:
            return Heading(found, second, major or qualifier.startswith("*"), words)
        return Heading("", "", major, words)

    def parents(self, record: MeshRecord) -> Iterator[str]:
        """The ids one step up each tree number, and for a supplementary record its major headings without qualifier."""
        for number in record.tree_numbers:
            above = number.rpartition(".")[0]
            if above in self.trees:
                yield self.trees[above]
            elif above:
                self.orphans += 1
        for predicate, heading in record.headings:
            if predicate == MAPPED_TO_MAJOR and not heading.qualifier and heading.descriptor in self.descriptors:
                yield heading.descriptor

    def claim(self, ids: Sequence[str]) -> list[str]:
        """The ids that no record before had; the others are counted in ``shared``."""
        mine = [i for i in dict.fromkeys(ids) if i not in self.seen]
        self.shared += len(set(ids)) - len(mine)
        self.seen.update(mine)
        return mine


MAPPED_TO = "mapped to"
MAPPED_TO_MAJOR = "preferred mapped to"
SEE_ALSO = "see also"
ACTION = "pharmacological action"
CONSIDER_ALSO = "indexer consider also"


def concept_of(record: MeshRecord, vocabulary: MeshVocabulary, log: ReleaseLog) -> Concept | None:
    """The concept of a sound record, with its row counted; None where it has none of the tags asked for."""
    record.headings = [_placed(predicate, vocabulary.resolve(to)) for predicate, to in record.headings]
    tags = tuple(dict.fromkeys(_tags(record)))
    if not log.options.takes_tags(tags):
        log.counts.skip(OTHER_TAG)
        return None
    log.counts.keep()
    terms = tuple(_terms(record, log))
    xrefs, properties = _registered(record, terms)
    return Concept(
        id=f"{PREFIX}:{record.ui}",
        terms=terms,
        parents=tuple(f"{PREFIX}:{ui}" for ui in dict.fromkeys(vocabulary.parents(record)) if ui != record.ui),
        relations=tuple(
            dict.fromkeys(Relation(p, f"{PREFIX}:{to.descriptor}") for p, to in record.headings if to.descriptor)
        ),
        definitions=tuple(dict.fromkeys(text for text in record.definitions if text)),
        tags=tags,
        alternative_ids=tuple(f"{PREFIX}:{ui}" for ui in vocabulary.claim(record.concept_uis)),
        xrefs=tuple(xrefs),
        properties=(*_properties(record), *properties),
    )


def _placed(predicate: str, heading: Heading) -> tuple[str, Heading]:
    return (MAPPED_TO_MAJOR if predicate == MAPPED_TO and heading.major else predicate), heading


def _tags(record: MeshRecord) -> Iterator[str]:
    other = {"D": "topical descriptor", "Q": "qualifier"}.get(record.form, "supplementary concept")
    yield RECORD_TAGS.get(record.form + record.of_class, other)
    letters = [number[:1] for number in record.tree_numbers]
    if record.form == "C":
        letters.append(SUPPLEMENTARY_CATEGORIES.get(record.of_class, ""))
    yield from (CATEGORIES[letter] for letter in letters if letter in CATEGORIES)
    yield from record.semantic_types


def _terms(record: MeshRecord, log: ReleaseLog) -> Iterator[Term]:
    """The names, preferred first. Permuted forms are left out where they have the words of another name.

    MeSH adds to many names their inversions and their singular or plural ("Houses, Slaughter"); comparing names deals
    with both.
    """
    ordered = sorted((name for name in record.names if name.text), key=lambda name: not name.preferred)
    own = [name for name in ordered if not name.permuted]
    bags: dict[tuple[str, ...], MeshName] = {}
    stems: dict[tuple[str, ...], MeshName] = {}
    if len(own) < len(ordered):
        bags = {_bag(name.text): name for name in reversed(own)}
    for name in ordered:
        if name.permuted:
            if _bag(name.text) in bags:
                log.counts.skip_term(PERMUTED)
                continue
            stems = stems or {tuple(sorted(tokens(other.text))): other for other in reversed(own)}
            if tuple(sorted(tokens(name.text))) in stems:
                log.counts.skip_term(PERMUTED)
                continue
        kind: Kind = "abbreviation" if name.tag in ABBREVIATIONS else "entry"
        source = "" if name.tag == "NON" else name.tag
        scope: Scope = name.scope or "related"
        yield Term(name.text, "preferred" if name.preferred else kind, scope, name.language, source=source)


def _bag(text: str) -> tuple[str, ...]:
    return tuple(sorted(_WORD.findall(text.casefold())))


def _properties(record: MeshRecord) -> Iterator[Property]:
    for number in record.tree_numbers:
        yield Property("tree number", number)
    if record.abbreviation:
        yield Property("abbreviation", record.abbreviation)
    if record.qualifiers:
        yield Property("allowable qualifiers", " ".join(sorted(record.qualifiers)))
    for predicate, to in record.headings:
        if to.qualifier:
            yield Property(predicate, f"{to.descriptor}{to.qualifier}")
        elif not to.descriptor and to.words:
            yield Property(predicate, to.words)


def _registered(record: MeshRecord, terms: Sequence[Term]) -> tuple[list[str], list[Property]]:
    """Cross-references of registry numbers, and as properties the numbers that are not the concept's own.

    A related number is the concept's own where the name that it comes with is one of its exact names.
    """
    own = {term.text.casefold() for term in terms if term.scope == "exact"}
    xrefs = [f"UMLS:{record.cui}"] if record.cui else []
    properties = []
    for number in record.registry:
        known = registry_curie(number)
        if known:
            xrefs.append(known)
        elif number not in ("", "0"):
            properties.append(Property("registry number", number))
    for text in record.related:
        named = _WITH_NAME.match(text)
        known = registry_curie(named[1]) if named and named[2].strip().casefold() in own else ""
        if known:
            xrefs.append(known)
        elif text not in ("", "0"):
            properties.append(Property("related registry number", text))
    return list(dict.fromkeys(xrefs)), list(dict.fromkeys(properties))


def registry_curie(number: str) -> str:
    """A registry number as a CURIE: CAS, enzyme commission, FDA's UNII or NCBI taxon; empty for anything else."""
    number = number.strip()
    if _CAS.match(number):
        return f"CAS:{number}"
    if _UNII.match(number):
        return f"UNII:{number}"
    enzyme, taxon = _EC.match(number), _TAXON.match(number)
    if enzyme:
        return f"EC:{enzyme[1]}"
    return f"NCBITaxon:{taxon[1]}" if taxon else ""
