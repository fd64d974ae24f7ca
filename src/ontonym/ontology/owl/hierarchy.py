"""Where a class stands: its parents, its relations, and the classes it equals, from class expressions.

A named class of a conjunction is a parent, an existential restriction a relation; what else OWL can say has no place in
a terminology, and is counted.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType

from ontonym.ontology.owl.vocabulary import PREFERRED, THINGS
from ontonym.ontology.rdf.iris import Identifiers
from ontonym.ontology.rdf.labels import language_rank, plain
from ontonym.ontology.rdf.triples import Ends, Graph
from ontonym.types import Relation

_LEFT_OUT = MappingProxyType(
    {
        "any of": "union",
        "not": "complement",
        "one of": "enumeration",
        "only": "universal restriction",
        "value": "restriction to an individual",
        "cardinality": "cardinality restriction",
    }
)


class Hierarchy:
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
        """Adds what a conjunction says: its classes are parents, its existential restrictions relations."""
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
