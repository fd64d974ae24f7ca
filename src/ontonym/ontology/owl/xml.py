"""OWL/XML (https://www.w3.org/TR/owl2-xml-serialization/) as the triples that its axioms stand for.

Follows the mapping to RDF graphs (https://www.w3.org/TR/owl2-mapping-to-rdf/, section 2) for the axioms that matter to
a terminology: declarations, subclasses, equivalent classes, annotations and class assertions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from types import MappingProxyType
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from ontonym.files.checkedxml import CheckedXml
from ontonym.files.packing import AGAIN_OR_TELL
from ontonym.files.source import Source
from ontonym.files.xml import HARDENED
from ontonym.ontology.rdf.names import OWL, RDF, RDFS, SKOS
from ontonym.ontology.rdf.triples import Triples

_Q = "{" + OWL + "}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_PREFIXES = MappingProxyType(
    {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "skos": SKOS, "xsd": "http://www.w3.org/2001/XMLSchema#"}
)
_ENTITY_TYPES = MappingProxyType(
    {
        "Class": "Class", "ObjectProperty": "ObjectProperty", "DataProperty": "DatatypeProperty",
        "AnnotationProperty": "AnnotationProperty", "NamedIndividual": "NamedIndividual",
    }
)  # fmt: skip
_LISTS = MappingProxyType(
    {"ObjectIntersectionOf": "intersectionOf", "ObjectUnionOf": "unionOf", "ObjectOneOf": "oneOf"}
)
_RESTRICTIONS = MappingProxyType(
    {
        "ObjectSomeValuesFrom": "someValuesFrom", "ObjectAllValuesFrom": "allValuesFrom",
        "ObjectHasValue": "hasValue", "ObjectMinCardinality": "minCardinality",
        "ObjectMaxCardinality": "maxCardinality", "ObjectExactCardinality": "cardinality",
    }
)  # fmt: skip
_POSITION = re.compile(r", line \d+, column \d+$")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HARDENED: dict[str, Any] = {**HARDENED, "resolve_entities": "internal"}
"""Entities are flat and small by now, see `CheckedXml`."""


def read_owlxml(source: Source, triples: Triples, document: int) -> None:
    """Adds the triples of an OWL/XML file.

    Raises:
        FormatError: not well-formed, nested deeper than 256 elements, an element without its IRI, or an undeclared
            prefix; names the line.
    """
    with source.open() as raw:
        stream: Any = CheckedXml(source, raw)
        axioms: Any = etree.iterparse(stream, events=("end",), tag=[_Q + name for name in _HANDLERS], **_HARDENED)
        try:
            parser: _Ontology | None = None
            for _, element in axioms:
                root = element.getparent()
                if root is None or root.getparent() is not None:
                    continue
                if parser is None:
                    parser = _Ontology(root, triples, document)
                parser.take(element)
                element.clear()
                while element.getprevious() is not None:
                    del root[0]
        except etree.XMLSyntaxError as error:
            # The error log of lxml is no help: it still holds the errors of files read before.
            place: Any = error.position
            problem = _POSITION.sub("", str(error.msg))
            source.fail(place[0] or None, f"not well-formed XML ({problem})", AGAIN_OR_TELL)
        except _Broken as broken:
            source.fail(broken.line, broken.problem, AGAIN_OR_TELL)


class _Broken(Exception):
    """An element that is not what the specification says, and its line."""

    def __init__(self, element: etree._Element, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line: int | None = int(str(element.sourceline)) if element.sourceline else None


class _Ontology:
    """Turns one axiom after another into triples."""

    def __init__(self, root: etree._Element, triples: Triples, document: int) -> None:
        self._triples = triples
        self._document = document
        self._prefixes = dict(_PREFIXES)
        self._blanks = 0
        iri = str(root.get("ontologyIRI") or "")
        self._base = str(root.get(_XML + "base") or iri)
        self._node = triples.iri(iri) if iri else self._blank()
        triples.link(self._node, RDF + "type", triples.iri(OWL + "Ontology"))
        if root.get("versionIRI"):
            triples.link(self._node, OWL + "versionIRI", triples.iri(str(root.get("versionIRI"))))

    def take(self, element: etree._Element) -> None:
        """Adds a child of the root."""
        _HANDLERS[_local(element)](self, element)

    def add_prefix(self, element: etree._Element) -> None:
        """``Prefix``: an abbreviation of IRIs."""
        self._prefixes[str(element.get("name") or "").removesuffix(":")] = self._attribute(element, "IRI")

    def add_import(self, element: etree._Element) -> None:
        """``Import``: an ontology that this one builds on."""
        iri = self._resolve((element.text or "").strip())
        self._triples.link(self._node, OWL + "imports", self._triples.iri(iri))

    def add_annotation(self, element: etree._Element) -> None:
        """``Annotation`` of the ontology itself."""
        prop, value = self._annotation(element)
        self._say(self._node, prop, value)

    def add_declaration(self, element: etree._Element) -> None:
        """``Declaration``: what an IRI is."""
        for entity in _parts(element):
            kind = _ENTITY_TYPES.get(_local(entity))
            if kind is not None:
                node = self._triples.iri(self._iri(entity))
                self._triples.link(node, RDF + "type", self._triples.iri(OWL + kind))

    def add_subclass(self, element: etree._Element) -> None:
        """``SubClassOf``: of a named class; others do not describe a concept."""
        lower, upper = self._pair(element)
        if _local(lower) == "Class":
            self._triples.link(self._triples.iri(self._iri(lower)), RDFS + "subClassOf", self._expression(upper))

    def add_equivalents(self, element: etree._Element) -> None:
        """``EquivalentClasses``: of each named class the expressions, and the named classes one after another."""
        parts = _parts(element)
        named = [part for part in parts if _local(part) == "Class"]
        nodes = [self._triples.iri(self._iri(part)) for part in named]
        for first, second in pairwise(nodes):
            self._triples.link(first, OWL + "equivalentClass", second)
        for part in parts:
            if _local(part) != "Class":
                for node in nodes:
                    self._triples.link(node, OWL + "equivalentClass", self._expression(part))

    def add_assertion(self, element: etree._Element) -> None:
        """``AnnotationAssertion``, with the annotations of the assertion itself."""
        parts = _parts(element)
        if len(parts) != 3:
            raise _Broken(element, "an AnnotationAssertion without property, subject and value")
        prop, value = self._iri(parts[0]), self._value(parts[2])
        subject = self._subject(parts[1])
        self._say(subject, prop, value)
        annotations = element.findall(_Q + "Annotation")
        if annotations:
            axiom = self._blank()
            self._triples.link(axiom, OWL + "annotatedSource", subject)
            self._triples.link(axiom, OWL + "annotatedProperty", self._triples.iri(prop))
            self._say(axiom, OWL + "annotatedTarget", value)
            for annotation in annotations:
                self._say(axiom, *self._annotation(annotation))

    def add_member(self, element: etree._Element) -> None:
        """``ClassAssertion``: an individual."""
        kind, individual = self._pair(element)
        if _local(kind) == "Class" and _local(individual) == "NamedIndividual":
            node = self._triples.iri(self._iri(individual))
            self._triples.link(node, RDF + "type", self._triples.iri(self._iri(kind)))

    def _annotation(self, element: etree._Element) -> tuple[str, int | tuple[str, str]]:
        prop, value = self._pair(element)
        return self._iri(prop), self._value(value)

    def _say(self, subject: int, prop: str, value: int | tuple[str, str]) -> None:
        if isinstance(value, tuple):
            self._triples.text(subject, prop, *value)
        else:
            self._triples.link(subject, prop, value)

    def _subject(self, element: etree._Element) -> int:
        value = self._value(element)
        if isinstance(value, tuple):
            raise _Broken(element, "a literal where an IRI is needed")
        return value

    def _value(self, element: etree._Element) -> int | tuple[str, str]:
        """The node of an IRI or anonymous individual, or text and language of a literal."""
        name = _local(element)
        if name == "Literal":
            return element.text or "", str(element.get(_XML + "lang") or "")
        if name == "AnonymousIndividual":
            return self._triples.blank(self._attribute(element, "nodeID"), self._document)
        text = (element.text or "").strip()
        if name == "IRI":
            return self._triples.iri(self._resolve(text))
        if name == "AbbreviatedIRI":
            return self._triples.iri(self._expand(element, text))
        return self._triples.iri(self._iri(element))

    def _expression(self, element: etree._Element) -> int:
        """The node of a class expression; one of a kind that a terminology does not use is a blank node alone."""
        name = _local(element)
        if name == "Class":
            return self._triples.iri(self._iri(element))
        node, parts = self._blank(), _parts(element)
        if name in _RESTRICTIONS and parts:
            inverse = _local(parts[0]) == "ObjectInverseOf"
            prop = self._blank() if inverse else self._triples.iri(self._iri(parts[0]))
            self._triples.link(node, OWL + "onProperty", prop)
            filler = self._blank() if len(parts) < 2 or name == "ObjectHasValue" else self._expression(parts[1])
            self._triples.link(node, OWL + _RESTRICTIONS[name], filler)
        elif name in _LISTS:
            self._triples.link(node, OWL + _LISTS[name], self._list(parts if name != "ObjectOneOf" else []))
        elif name == "ObjectComplementOf":
            self._triples.link(node, OWL + "complementOf", self._blank())
        return node

    def _list(self, members: list[etree._Element]) -> int:
        cells = [self._blank() for _ in members]
        for place, (cell, member) in enumerate(zip(cells, members, strict=True)):
            self._triples.link(cell, RDF + "first", self._expression(member))
            if place + 1 < len(cells):
                self._triples.link(cell, RDF + "rest", cells[place + 1])
        return cells[0] if cells else self._blank()

    def _blank(self) -> int:
        self._blanks += 1
        return self._triples.blank(f" {self._blanks}", self._document)  # no nodeID begins with a space

    def _pair(self, element: etree._Element) -> tuple[etree._Element, etree._Element]:
        parts = _parts(element)
        if len(parts) != 2:
            raise _Broken(element, f"{_local(element)} of {len(parts)} where 2 are needed")
        return parts[0], parts[1]

    def _iri(self, element: etree._Element) -> str:
        short = element.get("abbreviatedIRI")
        return self._expand(element, str(short)) if short else self._resolve(self._attribute(element, "IRI"))

    def _expand(self, element: etree._Element, text: str) -> str:
        prefix, colon, local = text.partition(":")
        if not colon or prefix not in self._prefixes:
            raise _Broken(element, f"the prefix of {text!r} is not declared")
        return self._prefixes[prefix] + local

    def _resolve(self, iri: str) -> str:
        return iri if _ABSOLUTE.match(iri) else urljoin(self._base, iri)

    @staticmethod
    def _attribute(element: etree._Element, name: str) -> str:
        value = element.get(name)
        if value is None:
            raise _Broken(element, f"{_local(element)} without {name}")
        return str(value)


_HANDLERS = MappingProxyType[str, Callable[[_Ontology, etree._Element], None]](
    {
        "Prefix": _Ontology.add_prefix,
        "Import": _Ontology.add_import,
        "Annotation": _Ontology.add_annotation,
        "Declaration": _Ontology.add_declaration,
        "SubClassOf": _Ontology.add_subclass,
        "EquivalentClasses": _Ontology.add_equivalents,
        "AnnotationAssertion": _Ontology.add_assertion,
        "ClassAssertion": _Ontology.add_member,
    }
)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _parts(element: etree._Element) -> list[etree._Element]:
    """The children but for annotations."""
    return [child for child in element if child.tag != _Q + "Annotation"]
