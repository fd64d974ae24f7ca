"""From the triples of one OWL class to a concept: parents and relations by class expressions, and annotations."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from ontonym.ontology.obo.flat import typed_synonym
from ontonym.ontology.options import REPEATED
from ontonym.ontology.owl.vocabulary import (
    OBSOLETE_NAMES,
    PREFERRED,
    RETIRED_STATUS,
    SCOPES,
    THINGS,
    language_named,
)
from ontonym.ontology.rdf.names import (
    EMPTY,
    OWL,
    UNSPECIFIED_MATCHING,
    Identifiers,
    in_order,
    is_opaque,
    language_rank,
    local_name,
    plain,
)
from ontonym.ontology.rdf.triples import Ends, Facts, Graph, text_key, view
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Kind, Mapping, Property, Relation, Term

_LEFT_OUT = MappingProxyType(
    {
        "any of": "union", "not": "complement", "one of": "enumeration", "only": "universal restriction",
        "value": "restriction to an individual", "cardinality": "cardinality restriction",
    }
)  # fmt: skip


class _ClassExpressions:
    """Reads class expressions of one graph. ``left_out`` counts those that a terminology cannot hold, by kind."""

    def __init__(self, graph: Graph, identifiers: Identifiers, language: str) -> None:
        self.left_out: Counter[str] = Counter()
        self._graph = graph
        self._ids = identifiers
        self._language = language
        self._labels: dict[int, str] = {}

    def of(self, node: int, ends: Ends) -> tuple[tuple[str, ...], tuple[Relation, ...], tuple[int, ...]]:
        """Ids of the parents, relations, and the named classes that the class equals."""
        parents: dict[str, None] = {}
        relations: dict[Relation, None] = {}
        equivalents: list[int] = []
        for role in ("parent", "equivalent", "all of"):
            for _, target in ends.get(role, ()):
                if role == "equivalent" and self._graph.is_iri(target):
                    equivalents.append(target)
                    continue
                members = self._graph.members(target) if role == "all of" else [target]
                self._add_expression(members, parents, relations)
        parents.pop(self._ids.of(self._graph.iris[node]), None)
        return tuple(parents), tuple(relations), tuple(equivalents)

    def _add_expression(self, pending: list[int], parents: dict[str, None], relations: dict[Relation, None]) -> None:
        """Adds a conjunction: its classes are parents, its existential restrictions relations."""
        seen: set[int] = set()
        pending = pending[::-1]
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            if self._graph.is_iri(node):
                if self._graph.iris[node] not in THINGS:
                    parents[self._ids.of(self._graph.iris[node])] = None
                continue
            ends, facts = self._graph.gathered(node)
            if "all of" in ends:
                pending.extend(reversed([m for _, listed in ends["all of"] for m in self._graph.members(listed)]))
            elif "some" in ends and "property" in ends:
                self._add_existential(ends, relations)
            else:
                known = next((words for role, words in _LEFT_OUT.items() if role in ends or role in facts), "other")
                self.left_out[known] += 1

    def _add_existential(self, ends: Ends, relations: dict[Relation, None]) -> None:
        prop, filler = ends["property"][0][1], ends["some"][0][1]
        if not self._graph.is_iri(prop):
            self.left_out["restriction on an inverse property"] += 1
            return
        predicate = self.label(prop)
        for target in self._fillers(filler):
            relations[Relation(predicate, target)] = None

    def _fillers(self, filler: int) -> list[str]:
        """The classes that a restriction names: one, or those of a conjunction."""
        if self._graph.is_iri(filler):
            return [self._ids.of(self._graph.iris[filler])]
        ends, _ = self._graph.gathered(filler)
        members = [m for _, listed in ends.get("all of", ()) for m in self._graph.members(listed)]
        named = [self._ids.of(self._graph.iris[m]) for m in members if self._graph.is_iri(m)]
        if not named:
            self.left_out["restriction to an unnamed class"] += 1
        return named

    def label(self, node: int) -> str:
        """The label of a property or other resource in English, or else its id."""
        found = self._labels.get(node)
        if found is None:
            roles = self._graph.roles
            named = [(t, lang) for code, t, lang in self._graph.texts(node) if roles[code] in PREFERRED and t.strip()]
            named.sort(key=lambda name: language_rank(name[1] or self._language, ()))
            fallback = self._ids.of(self._graph.iris[node]) if self._graph.is_iri(node) else ""
            found = self._labels[node] = plain(named[0][0]) if named else fallback
        return found


_CURIE_LIKE = re.compile(r"[A-Za-z][\w.-]*:\S+$")
_COMPLEX = re.compile(r"<(?:\w+:)?(term-name|term-group|term-source|def-definition)>(.*?)</", re.DOTALL)
_FSN = re.compile(r".* \(([^()]+)\)$")
_CODE_LIKE = re.compile(r"[A-Za-z]{0,8}[_-]?[A-Za-z]?\d[\w.-]*$")
_TYPES = MappingProxyType[str, Kind]({"AB": "abbreviation", "AQ": "synonym"})
"""NCIt's term types (P383) that are kinds; all others are synonyms here."""
Qualifiers = dict[str, str]


class ClassReader:
    """Makes concepts of classes of one graph. ``alternatives`` are further ids of a class that other classes state."""

    def __init__(self, graph: Graph, identifiers: Identifiers, log: ReleaseLog, language: str) -> None:
        self.alternatives: dict[int, list[str]] = {}
        self._graph = graph
        self._ids = identifiers
        self._log = log
        self._language = language
        self._hierarchy = _ClassExpressions(graph, identifiers, language)
        codes = {iri: code for code, iri in enumerate(graph.predicates)}
        self._code_of_node = {node: codes[iri] for node, iri in enumerate(graph.iris) if iri in codes}
        axioms, classes = graph.by_role("source")
        order = np.argsort(classes, kind="stable")
        self._axioms = view(axioms[order])
        self._axiom_bounds = view(np.searchsorted(classes[order], np.arange(len(graph.iris) + 1)))

    def read(self, node: int) -> Concept:
        """The concept of a class; without terms where the class has no name at all."""
        iri = self._graph.iris[node]
        concept_id = self._ids.of(iri)
        ends, facts = self._graph.gathered(node)
        axioms = self._qualifiers(node)
        parents, relations, equivalents = self._hierarchy.of(node, ends)
        terms, tags = self._terms(iri, ends, facts, axioms)
        retired = self._is_retired(ends, facts)
        return Concept(
            id=concept_id,
            terms=terms,
            parents=tuple(p for p in parents if local_name(p) not in OBSOLETE_NAMES),
            relations=relations,
            definitions=self._definitions(ends, facts),
            tags=(*tags, *self._tags(ends, facts)),
            status="retired" if retired else "active",
            alternative_ids=self._alternatives(node, iri, concept_id, facts),
            replaced_by=self._referred(ends, facts, "replaced by"),
            consider=self._referred(ends, facts, "consider"),
            xrefs=self._xrefs(ends, facts),
            properties=self._properties(ends, facts),
            mappings=self._mappings(concept_id, ends, facts, axioms, equivalents),
        )

    @property
    def left_out(self) -> Counter[str]:
        """How many class expressions of each kind a terminology cannot hold."""
        return self._hierarchy.left_out

    def id_of(self, node: int) -> str:
        """The concept id of a class."""
        return self._ids.of(self._graph.iris[node])

    def referred(self, node: int, role: str) -> tuple[str, ...]:
        """The ids that a class names under a role."""
        ends, facts = self._graph.gathered(node)
        return self._referred(ends, facts, role)

    def _qualifiers(self, node: int) -> dict[tuple[int, int], list[Qualifiers]]:
        """What annotations of the class's axioms say: by predicate and by `text_key` or node of the object."""
        found: dict[tuple[int, int], list[Qualifiers]] = {}
        roles = self._graph.roles
        for axiom in self._axioms[self._axiom_bounds[node] : self._axiom_bounds[node + 1]]:
            code = key = -1
            said: Qualifiers = {}
            for predicate, target in self._graph.links(axiom):
                role = roles[predicate]
                if role == "annotated":
                    code = self._code_of_node.get(target, -1)
                elif role == "target":
                    key = target
                elif role in {"synonym type", "justification"} and self._graph.is_iri(target):
                    said[role] = self._graph.iris[target]
                    said["type label"] = self._hierarchy.label(target)
            for predicate, text, _ in self._graph.texts(axiom):
                said.setdefault(roles[predicate], text.strip())
            if said:
                found.setdefault((code, key), []).append(said)
        return found

    def _terms(
        self, iri: str, ends: Ends, facts: Facts, axioms: dict[tuple[int, int], list[Qualifiers]]
    ) -> tuple[tuple[Term, ...], tuple[str, ...]]:
        """The names, preferred term first, and the semantic tag where there is a fully specified name."""
        names = {role: list(self._texts(role, ends, facts)) for role in (*PREFERRED, *SCOPES)}
        terms: list[Term] = []
        tags: tuple[str, ...] = ()
        specified = names["label"] if names["preferred label"] and "//snomed.info/" in iri else []
        for role in PREFERRED:
            for _, text, language in names[role]:
                tag = _FSN.match(text) if role == "label" and specified else None
                tags = (tag[1],) if tag is not None else tags
                terms.append(Term(text, "fsn" if tag is not None else "preferred", language=language))
        preferred = {(term.text, term.language) for term in terms}
        for role in SCOPES:
            for code, text, language in names[role]:
                for term in self._synonyms(role, text, language, axioms.get((code, text_key(text)), [])):
                    if role == "full synonym" and (term.text, language) in preferred:
                        self._log.counts.skip_term(REPEATED)
                    else:
                        terms.append(term)
        if not terms and not _CODE_LIKE.match(local_name(iri)) and not is_opaque(local_name(iri)):
            terms = [Term(local_name(iri).replace("_", " "), "preferred", source="IRI")]
        ordered = in_order(terms, self._log.options.languages)
        self._log.counts.skip_term(REPEATED, len(terms) - len(ordered))
        return ordered, tags

    def _texts(self, role: str, ends: Ends, facts: Facts) -> list[tuple[int, str, str]]:
        """The names under a role, also those that are nodes of their own with a label."""
        found = list(facts.get(role, ()))
        for code, node in ends.get(role, ()):
            inner = [(t, lang) for c, t, lang in self._graph.texts(node) if self._graph.roles[c] in PREFERRED]
            found.extend((code, text, language) for text, language in inner or [("", "")])
        kept = []
        for code, text, language in found:
            if name := plain(text):
                kept.append((code, name, language or self._untagged(role, code)))
            elif role in PREFERRED or role in SCOPES:
                self._log.counts.skip_term(EMPTY)
        return kept

    def _untagged(self, role: str, code: int) -> str:
        return language_named(self._graph.predicates[code]) if role == "foreign" else self._language

    def _synonyms(self, role: str, text: str, language: str, said: list[Qualifiers]) -> list[Term]:
        """A synonym once for each annotation of it that says something else."""
        terms = []
        for qualifiers in said or [{}]:
            if role == "full synonym":
                term = _full_synonym(text, qualifiers)
            elif role == "hidden":
                term = Term(text, "entry", source="hiddenLabel")
            else:
                kind = qualifiers.get("synonym type", "")
                name = curie(kind if "://" not in kind else _type_name(kind))
                term = typed_synonym(text, SCOPES[role], name, qualifiers.get("type label", ""))
            terms.append(_in_language(term, language))
        return list(dict.fromkeys(terms))

    def _definitions(self, ends: Ends, facts: Facts) -> tuple[str, ...]:
        found = []
        for _, text, language in self._texts("definition", ends, facts):
            whole = dict(_COMPLEX.findall(text)).get("def-definition", text) if text.startswith("<") else text
            found.append((language_rank(language, self._log.options.languages), plain(whole)))
        found.sort(key=lambda ranked: ranked[0])
        return tuple(dict.fromkeys(text for _, text in found))

    def _tags(self, ends: Ends, facts: Facts) -> tuple[str, ...]:
        said = [plain(text) for role in ("tag", "subset") for _, text, _ in facts.get(role, ())]
        linked = [
            local_name(self._graph.iris[node])
            for role in ("tag", "subset")
            for _, node in ends.get(role, ())
            if self._graph.is_iri(node)
        ]
        return tuple(dict.fromkeys(tag for tag in (*said, *linked) if tag))

    def _is_retired(self, ends: Ends, facts: Facts) -> bool:
        if any(text.strip().lower() in {"true", "1"} for _, text, _ in facts.get("deprecated", ())):
            return True
        if any(text.strip() in RETIRED_STATUS for _, text, _ in facts.get("concept status", ())):
            return True
        if any(
            self._graph.iris[n] == OWL + "DeprecatedClass" for _, n in ends.get("type", ()) if self._graph.is_iri(n)
        ):
            return True
        above = [self._graph.iris[n] for _, n in ends.get("parent", ()) if self._graph.is_iri(n)]
        return any(local_name(iri) in OBSOLETE_NAMES for iri in above)

    def _alternatives(self, node: int, iri: str, concept_id: str, facts: Facts) -> tuple[str, ...]:
        prefix = concept_id.partition(":")[0]
        found = [self._log.identifier(text) for _, text, _ in facts.get("alternative id", ()) if text.strip()]
        for _, text, _ in facts.get("notation", ()):
            if text.strip():
                found.append(text.strip() if ":" in text else f"{prefix}:{text.strip()}")
        found.extend(self.alternatives.get(node, ()))
        found.extend(self._ids.alias(iri))
        return tuple(dict.fromkeys(other for other in found if other != concept_id))

    def _referred(self, ends: Ends, facts: Facts, role: str) -> tuple[str, ...]:
        linked = [self._ids.of(self._graph.iris[n]) for _, n in ends.get(role, ()) if self._graph.is_iri(n)]
        said = [self._identified(text) for _, text, _ in facts.get(role, ()) if text.strip()]
        return tuple(dict.fromkeys((*linked, *said)))

    def _identified(self, text: str) -> str:
        text = text.strip()
        if "://" in text:
            return self._ids.of(text)
        return self._log.identifier(text if ":" in text else text.replace("_", ":", 1))

    def _xrefs(self, ends: Ends, facts: Facts) -> tuple[str, ...]:
        found = [curie(text) for _, text, _ in self._texts("xref", ends, facts)]
        found.extend(self._ids.of(self._graph.iris[n]) for _, n in ends.get("xref", ()) if self._is_elsewhere(n))
        found.extend(f"UMLS:{text}" for _, text, _ in self._texts("cui", ends, facts))
        for _, text, _ in self._texts("citation", ends, facts):
            if _CURIE_LIKE.match(text) and "://" not in text:
                found.append(curie(text))
        return tuple(dict.fromkeys(found))

    def _is_elsewhere(self, node: int) -> bool:
        """Whether a node is an IRI that the files do not describe."""
        return self._graph.is_iri(node) and not self._graph.links(node) and not self._graph.texts(node)

    def _properties(self, ends: Ends, facts: Facts) -> tuple[Property, ...]:
        found = [
            Property(self._property_name(code), text.strip()) for code, text, _ in facts.get("note", ()) if text.strip()
        ]
        found.extend(
            Property(self._property_name(code), self._hierarchy.label(node)) for code, node in ends.get("note", ())
        )
        for code, text, _ in facts.get("concept status", ()):
            found.append(Property(self._property_name(code), text.strip()))
        return tuple(dict.fromkeys(found))

    def _property_name(self, code: int) -> str:
        return local_name(self._graph.predicates[code])

    def _mappings(
        self,
        concept_id: str,
        ends: Ends,
        facts: Facts,
        axioms: dict[tuple[int, int], list[Qualifiers]],
        equivalents: tuple[int, ...],
    ) -> tuple[Mapping, ...]:
        """The mappings that annotations say, to IRIs or in texts, and the equivalent classes."""
        found: list[Mapping] = []
        for code, node in ends.get("mapping", ()):
            if self._graph.is_iri(node):
                said = axioms.get((code, node), [])
                found.append(
                    _mapping(
                        concept_id, f"skos:{self._property_name(code)}", self._ids.of(self._graph.iris[node]), said
                    )
                )
        for code, text, _ in facts.get("mapping", ()):
            said = axioms.get((code, text_key(text)), [])
            if text.strip():
                found.append(_mapping(concept_id, f"skos:{self._property_name(code)}", self._identified(text), said))
        found.extend(
            Mapping(concept_id, "owl:equivalentClass", self._ids.of(self._graph.iris[node]), UNSPECIFIED_MATCHING)
            for node in equivalents
        )
        return tuple(dict.fromkeys(found))


def _mapping(subject: str, predicate: str, target: str, said: list[Qualifiers]) -> Mapping:
    stated = next((q["justification"] for q in said if q.get("justification")), "")
    justification = f"semapv:{local_name(stated)}" if stated else UNSPECIFIED_MATCHING
    return Mapping(subject, predicate, target, justification)


def _full_synonym(text: str, qualifiers: Qualifiers) -> Term:
    """NCIt's full synonym: of the plain form with qualifiers of its axiom, or the older XML with all in the text."""
    group, source = qualifiers.get("term type", ""), qualifiers.get("term source", "")
    if text.startswith("<"):
        parts = dict(_COMPLEX.findall(text))
        text, group, source = parts.get("term-name", text), parts.get("term-group", ""), parts.get("term-source", "")
    return Term(plain(text), _TYPES.get(group, "synonym"), source=source)


def _in_language(term: Term, language: str) -> Term:
    return term if term.language == language else replace(term, language=language)


def _type_name(iri: str) -> str:
    """A synonym type as OBO files write it: the CURIE of an OBO term, else the local name."""
    known = curie(iri)
    return known if known != iri and not known.startswith("oboInOwl") else local_name(iri)
