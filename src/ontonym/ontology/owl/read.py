"""Reader of OWL ontologies in any serialization, by the triples about classes.

A row is a resource that the files describe: a class, a property, an individual. Classes become concepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from ontonym.files.source import Source
from ontonym.ontology.obo.flat import release_version
from ontonym.ontology.options import OTHER_TAG
from ontonym.ontology.owl.concept import ClassReader
from ontonym.ontology.owl.vocabulary import (
    CLASSES,
    NAMESPACES,
    OBO_IN_OWL,
    OBSOLETE_NAMES,
    PROPERTIES,
    SCOPES,
    THINGS,
    role_of,
)
from ontonym.ontology.owl.xml import read_owlxml
from ontonym.ontology.rdf.names import OWL, Identifiers, local_name, only_language, stem
from ontonym.ontology.rdf.parse import read_triples
from ontonym.ontology.rdf.triples import Graph
from ontonym.ontology.release import ReleaseLog
from ontonym.types import Concept

PROPERTY = "property"
INDIVIDUAL = "individual"
UNTYPED = "resource without a type"
VOCABULARY = "class of OWL or of the OBO vocabulary itself"
NAME_NODE = "name, definition or cross-reference written as a resource of its own"
FOREIGN = "class without a name, of another ontology"
NAMELESS = "class without a name"
SUBSET = "subset"

_NAMED_BY = ("definition", "xref", *SCOPES)


def read_owl(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of an ontology in RDF/XML, Turtle, N-Triples, JSON-LD or OWL/XML; deprecated classes as retired.

    All files are one ontology. Named superclasses and the named classes of definitions are parents, existential
    restrictions relations.
    """
    triples = read_triples(sources, log, role_of, read_owlxml)
    ignored = triples.ignored
    graph = triples.graph()
    header = _Header(graph, log)
    rows = _Rows(graph)
    nodes = [node for node in graph.subjects if rows.is_class(node, log)]
    identifiers = Identifiers(header.prefixes)
    if log.options.prefix:
        identifiers.claim((graph.iris[node] for node in nodes), log.options.prefix)
    _take_codes(graph, identifiers)
    classes = ClassReader(graph, identifiers, log, header.language)
    merged = _merge(graph, classes, nodes)
    seen: dict[str, str] = {}
    for node in nodes:
        if node in merged:
            log.counts.keep()
            continue
        concept = classes.read(node)
        iri = graph.iris[node]
        if not concept.terms and concept.status == "active":
            log.counts.skip(NAMELESS if concept.parents or concept.relations else FOREIGN)
        elif not log.options.takes_tags(concept.tags):
            log.counts.skip(OTHER_TAG)
        elif concept.id in seen:
            log.malformed(sources[0], None, f"duplicate id {concept.id}: {seen[concept.id]} and {iri}", iri)
        else:
            seen[concept.id] = iri
            log.counts.keep()
            yield concept
    _count_ends(graph, log)
    _note_left_out(log, ignored, classes, identifiers)


class _Header:
    """Records the ontology's own metadata for the release."""

    def __init__(self, graph: Graph, log: ReleaseLog) -> None:
        self.language = "en"
        self.prefixes = dict(NAMESPACES)
        self._graph = graph
        self._log = log
        self._imports: dict[str, None] = {}
        for node in graph.subjects:
            types = {graph.iris[t] for code, t in graph.links(node) if graph.roles[code] == "type" and graph.is_iri(t)}
            if OWL + "Ontology" in types:
                self._read(node)
        if self._imports:
            log.details["imports"] = list(self._imports)

    def _read(self, node: int) -> None:
        graph, log = self._graph, self._log
        said = graph.descriptions(node)
        first = {role: values[0] for role, values in said.items()}
        iri_version = release_version(first.get("version IRI", ""))
        log.describe(
            name=(NAMESPACES.get(graph.iris[node] + "#") or stem(graph.iris[node] + "#")).lower(),
            title=first.get("title", first.get("label", "")),
            licence=first.get("licence", first.get("rights", "")),
            version=iri_version if iri_version and "://" not in iri_version else first.get("version", iri_version),
        )
        self.language = only_language(said.get("language", ())) or self.language
        if first.get("prefix") and first.get("namespace"):
            self.prefixes[first["namespace"]] = first["prefix"]
        self._imports.update(dict.fromkeys(said.get("imports", ())))


class _Rows:
    """Finds the classes among the resources of the files, and counts the others."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._names = {node for role in _NAMED_BY for node in graph.by_role(role)[1].tolist()}
        self._subsets = set(graph.by_role("subset")[1].tolist())

    def is_class(self, node: int, log: ReleaseLog) -> bool:
        """Whether the resource is a class of the ontology; one that is not is counted as skipped."""
        graph = self._graph
        links = graph.links(node)
        types = {graph.iris[t] for code, t in links if graph.roles[code] == "type" and graph.is_iri(t)}
        if OWL + "Ontology" in types:
            return False
        rule = self._rule(node, types, {graph.roles[code] for code, _ in links})
        if rule:
            log.counts.skip(rule)
        return not rule

    def _rule(self, node: int, types: set[str], roles: set[str]) -> str:
        iri = self._graph.iris[node]
        if types & CLASSES or (not types and "parent" in roles and node not in self._subsets):
            own = iri.startswith(OBO_IN_OWL) or iri in THINGS or local_name(iri) in OBSOLETE_NAMES
            return VOCABULARY if own else ""
        if types & PROPERTIES:
            return PROPERTY
        if node in self._names:
            return NAME_NODE
        if node in self._subsets:
            return SUBSET
        return INDIVIDUAL if types else UNTYPED


def _take_codes(graph: Graph, identifiers: Identifiers) -> None:
    """Takes ids from codes where the IRIs do not show them: FMA's and NCIt's older releases name classes in words."""
    if "code" not in graph.roles:
        return
    for node in graph.subjects:
        for code, text, _ in graph.texts(node):
            if graph.roles[code] == "code":
                prefix = "NCIT" if "Thesaurus.owl" in graph.predicates[code] else "FMA"
                number = text.strip().lstrip("0") if prefix == "FMA" else text.strip()
                if number:
                    identifiers.ids.setdefault(graph.iris[node], f"{prefix}:{number}")


def _merge(graph: Graph, classes: ClassReader, nodes: Sequence[int]) -> set[int]:
    """Classes that are no more than an old id of another: nameless, retired, replaced by one class of the ontology.

    Their ids become alternative ids of that class.
    """
    nameless = {node for node in nodes if _is_merged(graph, node)}
    by_id = {classes.id_of(node): node for node in nodes if node not in nameless} if nameless else {}
    merged = set()
    for node in nodes:
        successors = classes.referred(node, "replaced by") if node in nameless else ()
        if len(successors) == 1 and successors[0] in by_id:
            classes.alternatives.setdefault(by_id[successors[0]], []).append(classes.id_of(node))
            merged.add(node)
    return merged


def _is_merged(graph: Graph, node: int) -> bool:
    said = {graph.roles[code] for code, _ in graph.links(node)}
    texts = {graph.roles[code] for code, _, _ in graph.texts(node)}
    code_only = not texts - {"deprecated", "replaced by", "alternative id", "note"}
    return code_only and "replaced by" in said | texts and "deprecated" in texts


def _count_ends(graph: Graph, log: ReleaseLog) -> None:
    """Counts the classes that only occur as the end of an edge: those of other ontologies, not described here."""
    subjects = set(graph.subjects)
    ends = set(chain.from_iterable(graph.by_role(role)[1].tolist() for role in ("parent", "some")))
    for node in ends - subjects:
        if graph.is_iri(node) and graph.iris[node] not in THINGS:
            log.counts.skip(FOREIGN)


def _note_left_out(log: ReleaseLog, ignored: dict[str, int], classes: ClassReader, identifiers: Identifiers) -> None:
    if ignored:
        log.details["annotations_left_out"] = {identifiers.of(iri): count for iri, count in ignored.items()}
    if classes.left_out:
        log.details["class_expressions_left_out"] = dict(sorted(classes.left_out.items()))
