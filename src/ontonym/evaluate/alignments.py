"""Reference alignments: pairs of concepts that are the same, from SSSOM and other mappings, or OAEI's RDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.ontology.release import Reading, ReadOptions
from ontonym.ontology.source import open_source
from ontonym.ontology.tables.layout import DENIED
from ontonym.ontology.xml import iter_elements, line_of
from ontonym.ontology.xrefs import curie

SAME = frozenset(("skos:exactMatch", "owl:equivalentClass"))
"""Predicates that say that two concepts are the same."""

_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
_LOCAL = re.compile(r".*[/#]([A-Za-z]+)_([^/#_]+)$")

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Alignment:
    """What a file says of pairs of ids: which are the same, which are not, and which are to be ignored."""

    same: frozenset[Pair]
    denied: frozenset[Pair] = frozenset()
    ignored: frozenset[Pair] = frozenset()


@dataclass(frozen=True, slots=True)
class Statement:
    """That a concept stands to another as ``predicate`` says, or where it is ``denied`` that it does not."""

    ends: Pair
    predicate: str
    denied: bool = False


def statements(path: Path | str) -> Iterator[Statement]:
    """What a file of mappings says, in any format that `ontonym import` reads; mappings to nothing are left out."""
    for concept in read_release([path]).concepts():
        for mapping in concept.mappings:
            if mapping.object_id:
                yield Statement((mapping.subject_id, mapping.object_id), mapping.predicate_id)
        for one in concept.properties:
            if one.name.startswith(DENIED):
                yield Statement((concept.id, one.value), one.name.removeprefix(DENIED), denied=True)


def read_alignment(path: Path | str) -> Alignment:
    """The pairs of an alignment file, as CURIEs where an IRI is one.

    Of mappings (SSSOM and other formats that `ontonym import` reads) those with a predicate of `SAME` are the same, and
    those with the modifier Not are denied. Of OAEI's RDF the relation ``=`` is the same; ``?`` is to be ignored, as
    its large tracks do with what makes classes unsatisfiable.
    Raises FormatError where there is no pair in the file.
    """
    source = open_source(path)
    read = _rdf(path) if "<Alignment" in source.head() else _mappings(path)
    if not (read.same or read.denied or read.ignored):
        raise FormatError(path, "no pair of concepts that are the same", mend="Give SSSOM, or an alignment as RDF")
    return read


def _rdf(path: Path | str) -> Alignment:
    same: set[Pair] = set()
    ignored: set[Pair] = set()
    for cell in iter_elements(open_source(path), Reading(ReadOptions()), ["{*}Cell"]):
        ends = [_id(cell.find(f"{{*}}entity{number}")) for number in (1, 2)]
        relation = (cell.findtext("{*}relation") or "").strip()
        if not all(ends):
            raise FormatError(path, "a Cell without entity1 and entity2", line=line_of(cell))
        if relation in ("=", "?"):
            (same if relation == "=" else ignored).add((ends[0], ends[1]))
    return Alignment(frozenset(same), ignored=frozenset(ignored))


def _id(element: object) -> str:
    """The id that an entity is: a CURIE where its IRI is a known one, or ends like one (``#MA_0000001``)."""
    iri = "" if element is None else str(element.get(_RESOURCE, ""))  # type: ignore[attr-defined]
    known = curie(iri)
    match = _LOCAL.match(known) if known == iri else None
    return curie(f"{match[1]}:{match[2]}") if match else known


def _mappings(path: Path | str) -> Alignment:
    read = [one for one in statements(path) if one.predicate in SAME]
    same = frozenset(one.ends for one in read if not one.denied)
    return Alignment(same, frozenset(one.ends for one in read if one.denied) - same)
