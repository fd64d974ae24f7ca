"""Reader of SKOS vocabularies (https://www.w3.org/TR/skos-reference/), with SKOS-XL labels and ISO 25964 relations.

A row is a resource that the files describe. Concepts become concepts, collections tags of their members.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from ontonym.files.source import Source
from ontonym.ontology.obo.flat import release_version
from ontonym.ontology.options import REPEATED
from ontonym.ontology.rdf.names import (
    DC,
    DCT,
    EMPTY,
    OWL,
    RDF,
    RDFS,
    SKOS,
    UNSPECIFIED_MATCHING,
    Identifiers,
    in_order,
    is_opaque,
    language_rank,
    local_name,
    only_language,
    plain,
    stem,
)
from ontonym.ontology.rdf.parse import read_triples
from ontonym.ontology.rdf.triples import IGNORED, Ends, Facts, Graph
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Kind, Mapping, Property, Relation, Term

SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"
SCHEME = "concept scheme"
COLLECTION = "collection, a tag of its members"
LABEL = "label written as a resource of its own"
OTHER = "resource that is no concept"
NAMELESS = "concept without a name"

_NAMES = MappingProxyType[str, tuple[Kind, str]](
    {"preferred": ("preferred", ""), "alternative": ("synonym", ""), "hidden": ("entry", "hiddenLabel")}
)
_ROLES = MappingProxyType(
    {
        RDF + "type": "type",
        RDF + "first": "first",
        RDF + "rest": "rest",
        RDF + "value": "value",
        RDFS + "subClassOf": "subclass",
        RDFS + "subPropertyOf": "subproperty",
        RDFS + "label": "label",
        SKOS + "prefLabel": "preferred",
        SKOS + "altLabel": "alternative",
        SKOS + "hiddenLabel": "hidden",
        SKOS_XL + "prefLabel": "preferred",
        SKOS_XL + "altLabel": "alternative",
        SKOS_XL + "hiddenLabel": "hidden",
        SKOS_XL + "literalForm": "form",
        SKOS + "notation": "notation",
        SKOS + "inScheme": "scheme",
        SKOS + "topConceptOf": "top of",
        SKOS + "hasTopConcept": "has top",
        SKOS + "related": "related",
        SKOS + "member": "member",
        SKOS + "memberList": "members",
        SKOS + "definition": "definition",
        **{SKOS + n: "note" for n in ("scopeNote", "note", "example", "historyNote", "changeNote", "editorialNote")},
        **{SKOS + n: "mapping" for n in ("exactMatch", "closeMatch", "broadMatch", "narrowMatch", "relatedMatch")},
        SKOS + "mappingRelation": "mapping",
        OWL + "deprecated": "deprecated",
        "http://www.w3.org/ns/adms#status": "status",
        "http://publications.europa.eu/ontology/euvoc#status": "status",
        DCT + "isReplacedBy": "replaced by",
        DC + "title": "title",
        DCT + "title": "title",
        DC + "rights": "rights",
        DCT + "rights": "rights",
        DCT + "license": "licence",
        DC + "language": "language",
        DCT + "language": "language",
        DCT + "issued": "date",
        DCT + "modified": "date",
        OWL + "versionInfo": "version",
        OWL + "versionIRI": "version IRI",
        "http://purl.org/vocab/vann/preferredNamespacePrefix": "prefix",
        "http://purl.org/vocab/vann/preferredNamespaceUri": "namespace",
    }
)
_TITLES = ("title", "preferred", "label")
_TYPES = MappingProxyType(
    {
        "ConceptScheme": "ConceptScheme",
        "Ontology": "Ontology",
        **dict.fromkeys(("Collection", "OrderedCollection", "ThesaurusArray", "ConceptGroup"), "Collection"),
    }
)
"""Local names of types of SKOS and ISO 25964 (iso-thes), and how they are read here."""
_BROADER = re.compile(r"broader(?:Generic|Instantial|Partitive|Instance|Preferred|NonPreferred)?$")
_NARROWER = re.compile(r"narrower(?:Generic|Instantial|Partitive|Instance|Preferred|NonPreferred)?$")
_RETIRED = re.compile(r"deprecated|retired|obsolete|withdrawn", re.IGNORECASE)


def role_of(iri: str) -> str:
    """The role of a property in a vocabulary; for those of ISO 25964 and the Getty it follows from the name."""
    role = _ROLES.get(iri)
    if role is None:
        local = local_name(iri)
        role = "broader" if _BROADER.match(local) else "narrower" if _NARROWER.match(local) else IGNORED
    return role


def read_skos(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of a vocabulary in RDF/XML, Turtle, N-Triples or JSON-LD; deprecated ones become retired.

    Broader concepts are parents, whichever side states it; a top concept has none. All files are one vocabulary.
    """
    triples = read_triples(sources, log, role_of)
    ignored = triples.ignored
    graph = triples.graph()
    vocabulary = _Vocabulary(graph, log)
    seen: dict[str, str] = {}
    for node in graph.subjects:
        rule = vocabulary.rule(node)
        if rule:
            log.counts.skip(rule)
            continue
        concept = vocabulary.concept(node)
        iri = graph.iris[node]
        if not concept.terms and concept.status == "active":
            log.counts.skip(NAMELESS)
        elif concept.id in seen:
            log.malformed(sources[0], None, f"duplicate id {concept.id}: {seen[concept.id]} and {iri}", iri)
        else:
            seen[concept.id] = iri
            log.counts.keep()
            yield concept
    if ignored:
        log.details["properties_left_out"] = {vocabulary.ids.of(iri): count for iri, count in ignored.items()}


class _Vocabulary:
    """The graph of a vocabulary, with what other resources state about its concepts: narrower, member, top concept."""

    def __init__(self, graph: Graph, log: ReleaseLog) -> None:
        self._graph = graph
        self._log = log
        self._language = "en"
        self._types = self._typed()
        self._parents = _inverted(graph, "narrower")
        self._collections = self._members()
        schemes = self._types.get("ConceptScheme", {})
        prefixes: dict[str, str] = {}
        for node in (*schemes, *self._types.get("Ontology", {})):
            self._describe(node, prefixes)
        self.ids = Identifiers(prefixes)
        if log.options.prefix:
            self.ids.claim((graph.iris[node] for node in self._types["Concept"]), log.options.prefix)
        self._schemes = schemes if len(schemes) > 1 else {}
        self._of_scheme = _inverted(graph, "has top")
        self._take_notations()
        if schemes:
            log.details["schemes"] = [self._title(node) for node in schemes]

    def rule(self, node: int) -> str:
        """Why a resource is not a concept; empty if it is one."""
        if node in self._types["Concept"]:
            return ""
        if node in self._types.get("ConceptScheme", {}) or node in self._types.get("Ontology", {}):
            return SCHEME
        if node in self._types.get("Collection", {}):
            return COLLECTION
        roles = {self._graph.roles[code] for code, _, _ in self._graph.texts(node)}
        if "form" in roles:
            return LABEL
        links = {self._graph.roles[code] for code, _ in self._graph.links(node)}
        return "" if "preferred" in roles and links & {"scheme", "broader", "narrower", "top of"} else OTHER

    def concept(self, node: int) -> Concept:
        """The concept; without terms if it has no label."""
        graph, languages = self._graph, self._log.options.languages
        iri = graph.iris[node]
        concept_id = self.ids.of(iri)
        ends, said = graph.gathered(node)
        facts = {role: [(c, t.strip(), lang or self._language) for c, t, lang in texts] for role, texts in said.items()}
        terms = self._terms(facts, ends)
        ordered = in_order(terms, languages)
        self._log.counts.skip_term(REPEATED, len(terms) - len(ordered))
        above = [target for _, target in ends.get("broader", ())] + self._parents.get(node, [])
        definitions = [
            (language_rank(language, languages), text) for text, language in self._texts("definition", facts, ends)
        ]
        return Concept(
            id=concept_id,
            terms=ordered,
            parents=tuple(parent for parent in self._named(above) if parent != concept_id),
            relations=tuple(Relation("related", t) for t in self._named([n for _, n in ends.get("related", ())])),
            definitions=tuple(dict.fromkeys(text for _, text in sorted(definitions, key=lambda ranked: ranked[0]))),
            tags=self._tags(node, ends),
            status="retired" if self._is_retired(facts, ends) else "active",
            alternative_ids=self._alternatives(iri, concept_id, facts),
            replaced_by=self._named([n for _, n in ends.get("replaced by", ())]),
            properties=self._properties(facts, ends),
            mappings=self._mappings(concept_id, ends),
        )

    def _terms(self, facts: Facts, ends: Ends) -> list[Term]:
        terms = []
        for role, (kind, source) in _NAMES.items():
            for text, language in self._texts(role, facts, ends):
                if text:
                    terms.append(Term(text, kind, language=language, source=source))
                else:
                    self._log.counts.skip_term(EMPTY)
        return terms

    def _texts(self, role: str, facts: Facts, ends: Ends) -> Iterator[tuple[str, str]]:
        """Texts and languages under a role, also of labels that are resources (SKOS-XL, appendix B)."""
        for _, text, language in facts.get(role, ()):
            yield plain(text), language
        for _, node in ends.get(role, ()):
            for code, text, language in self._graph.texts(node):
                if self._graph.roles[code] in {"form", "value"}:
                    yield plain(text), language or self._language

    def _named(self, nodes: Sequence[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.ids.of(self._graph.iris[n]) for n in nodes if self._graph.is_iri(n)))

    def _tags(self, node: int, ends: Ends) -> tuple[str, ...]:
        """Titles of the collections that the concept is in, and of its schemes if there are several."""
        holders = list(self._collections.get(node, ()))
        schemes = [n for role in ("scheme", "top of") for _, n in ends.get(role, ())] + self._of_scheme.get(node, [])
        holders.extend(scheme for scheme in schemes if scheme in self._schemes)
        return tuple(dict.fromkeys(filter(None, map(self._title, holders))))

    def _is_retired(self, facts: Facts, ends: Ends) -> bool:
        if any(text.lower() in {"true", "1"} for _, text, _ in facts.get("deprecated", ())):
            return True
        graph = self._graph
        said = [text for _, text, _ in facts.get("status", ())]
        said += [local_name(graph.iris[n]) for _, n in ends.get("status", ()) if graph.is_iri(n)]
        types = [graph.iris[n] for _, n in ends.get("type", ()) if graph.is_iri(n)]
        return any(map(_RETIRED.search, said)) or OWL + "DeprecatedClass" in types

    def _alternatives(self, iri: str, concept_id: str, facts: Facts) -> tuple[str, ...]:
        prefix = concept_id.partition(":")[0]
        notations = [f"{prefix}:{text}" for _, text, _ in facts.get("notation", ()) if text]
        found = dict.fromkeys((*notations, *self.ids.alias(iri)))
        return tuple(other for other in found if other != concept_id)

    def _properties(self, facts: Facts, ends: Ends) -> tuple[Property, ...]:
        graph = self._graph
        found = [Property(local_name(graph.predicates[c]), plain(t)) for c, t, _ in facts.get("note", ()) if t]
        for code, node in ends.get("note", ()):
            values = [t for c, t, _ in graph.texts(node) if graph.roles[c] in {"value", "form"} and t.strip()]
            found.extend(Property(local_name(graph.predicates[code]), plain(text)) for text in values)
        return tuple(dict.fromkeys(found))

    def _mappings(self, concept_id: str, ends: Ends) -> tuple[Mapping, ...]:
        graph = self._graph
        return tuple(
            Mapping(
                concept_id,
                f"skos:{local_name(graph.predicates[code])}",
                self.ids.of(graph.iris[node]),
                UNSPECIFIED_MATCHING,
            )
            for code, node in dict.fromkeys(ends.get("mapping", ()))
            if graph.is_iri(node)
        )

    def _typed(self) -> dict[str, dict[int, None]]:
        """The IRIs of each relevant type, in the order of the files; types below ``skos:Concept`` count as it."""
        graph = self._graph
        below: dict[int, list[int]] = {}
        for lower, upper in graph.pairs("subclass"):
            below.setdefault(upper, []).append(lower)
        pending = [node for node, iri in enumerate(graph.iris) if iri == SKOS + "Concept"]
        concepts: set[int] = set()
        while pending:
            node = pending.pop()
            if node not in concepts:
                concepts.add(node)
                pending.extend(below.get(node, ()))
        found: dict[str, dict[int, None]] = {"Concept": {}}
        for node in graph.subjects:
            for code, kind in graph.links(node):
                if graph.roles[code] == "type" and graph.is_iri(kind):
                    name = "Concept" if kind in concepts else _TYPES.get(local_name(graph.iris[kind]), "")
                    if name:
                        found.setdefault(name, {})[node] = None
        return found

    def _members(self) -> dict[int, list[int]]:
        """For each concept the collections that directly contain it."""
        graph = self._graph
        found = _inverted(graph, "member")
        for collection, listed in graph.pairs("members"):
            for member in graph.members(listed):
                found.setdefault(member, []).append(collection)
        return found

    def _describe(self, node: int, prefixes: dict[str, str]) -> None:
        """Records the metadata that a scheme or the ontology header states about the release."""
        graph = self._graph
        said = graph.descriptions(node)
        first = {role: values[0] for role, values in said.items()}
        version = release_version(first.get("version IRI", ""))
        self._log.describe(
            name=stem(graph.iris[node] + "#").lower(),
            title=self._title(node),
            licence=first.get("licence", first.get("rights", "")),
            version=first.get("version") or version or max(said.get("date", ("",))),
        )
        self._language = only_language(map(local_name, said.get("language", ()))) or self._language
        if first.get("prefix") and first.get("namespace"):
            prefixes[first["namespace"]] = first["prefix"]

    def _title(self, node: int) -> str:
        """The title of a scheme or collection, in the requested language or English if possible."""
        graph, languages = self._graph, self._log.options.languages
        named = []
        for code, text, language in graph.texts(node):
            role = graph.roles[code]
            if role in _TITLES and text.strip():
                named.append((language_rank(language or self._language, languages), _TITLES.index(role), plain(text)))
        for code, target in graph.links(node):
            if graph.roles[code] == "preferred":
                for inner, text, language in graph.texts(target):
                    if graph.roles[inner] == "form":
                        named.append((language_rank(language or self._language, languages), 0, plain(text)))
        if named:
            return min(named, key=lambda name: name[:2])[2]
        return local_name(graph.iris[node]) if graph.is_iri(node) else ""

    def _take_notations(self) -> None:
        """Takes ids from notations if the local names are UUIDs or similar, which nobody searches for."""
        graph = self._graph
        notations: dict[int, str] = {}
        for node in self._types["Concept"]:
            if is_opaque(local_name(graph.iris[node])):
                for code, text, _ in graph.texts(node):
                    if graph.roles[code] == "notation" and text.strip():
                        notations.setdefault(node, text.strip())
        often = Counter(notations.values())
        for node, notation in notations.items():
            if often[notation] == 1 and curie(graph.iris[node]) == graph.iris[node]:
                self.ids.ids[graph.iris[node]] = self.ids.coin(graph.iris[node], notation)


def _inverted(graph: Graph, role: str) -> dict[int, list[int]]:
    """The subjects of a role's links by their objects."""
    found: dict[int, list[int]] = {}
    for subject, target in graph.pairs(role):
        found.setdefault(target, []).append(subject)
    return found
