"""Reader of node-link JSON graphs, as networkx writes them: NXOntology exports, and obonet graphs of OBO files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import read_json
from ontonym.files.source import Source
from ontonym.jsonbytes import json_bytes
from ontonym.ontology.obo.flat import stated_mapping, stated_match, synonym_of, synonym_type, unescaped, unquoted
from ontonym.ontology.release import ReleaseLog, published_alias
from ontonym.ontology.tables.headers import guess_columns
from ontonym.ontology.xrefs import curie
from ontonym.types import SCOPES, Concept, Relation, Term

_NODE_LINK = re.compile(r'\s*\{(?=.{0,4096}"multigraph"\s*:)(?=.{0,4096}"directed"\s*:)', re.DOTALL)
_IS_A = frozenset({"is_a", "subClassOf", "rdfs:subClassOf"})
_SYNONYM = re.compile(r'"(?:[^"\\]|\\.)*"\s+(?:(?:EXACT|NARROW|BROAD|RELATED)\b|\[)')
"""A synonym as a line of OBO, as obonet keeps it."""
_ALIASES = MappingProxyType(
    {"alt_id": "alternative_ids", "replaces": "alternative_ids", "def": "definition", "synonym": "synonyms",
     "xref": "xrefs", "subset": "tags", "namespace": "tags"}
)  # fmt: skip
"""Keys of nodes that tables do not have as headers, to the role of their values."""


def is_nodelink(head: str) -> bool:
    """Whether the beginning of a file is a node-link graph."""
    return bool(_NODE_LINK.match(head))


def read_nodelink(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of node-link graphs: a node is a row.

    In an NXOntology graph a link leads from the broader to the narrower concept, in an obonet graph an ``is_a`` link
    from the narrower to the broader; the graph itself says which it is. Other links become relations by their key.

    Raises:
        FormatError: not JSON, no nodes, or a graph that says neither.
    """
    seen: set[str] = set()
    for source in sources:
        document = _graph(source, log)
        links = _links(document, source, log)
        graph = _NodeGraph(_keys(document, source, log), _labels(document), *links)
        for node in document["nodes"]:
            try:
                concept = graph.concept(node, log)
                if concept.id in seen:
                    raise BadRow(f"duplicate id {concept.id}")
            except BadRow as broken:
                log.malformed(source, None, str(broken), json_bytes(node).decode()[:400])
                continue
            if not concept.terms:
                log.counts.skip("node without a name")
                continue
            seen.add(concept.id)
            log.counts.keep()
            yield concept


def _graph(source: Source, log: ReleaseLog) -> dict[str, Any]:
    document = read_json(source)
    nodes = document.get("nodes") if isinstance(document, dict) else None
    if not isinstance(nodes, list) or not isinstance(document.get("links", document.get("edges")), list):
        source.fail(None, 'no lists "nodes" and "links" in the JSON', "Is it a node-link graph of networkx?")
    facts = document.get("graph")
    facts = facts if isinstance(facts, dict) else {}
    links = document.get("links", document.get("edges"))
    texts = {key: value for key, value in facts.items() if isinstance(value, str)}
    name = (texts.get("name") or texts.get("ontology") or "").lower()
    log.describe(name=name, version=(texts.get("version") or texts.get("data-version") or "").removeprefix("v"))
    return {"nodes": nodes, "links": links, "graph": facts}


def _links(
    graph: dict[str, Any], source: Source, log: ReleaseLog
) -> tuple[dict[str, dict[str, None]], dict[str, dict[Relation, None]]]:
    """Parents and relations by the id of the node they are of."""
    down = "nxontology_version" in graph["graph"]
    parents: dict[str, dict[str, None]] = {}
    relations: dict[str, dict[Relation, None]] = {}
    for link in graph["links"]:
        ends = (link.get("source"), link.get("target")) if isinstance(link, dict) else (None, None)
        if not all(isinstance(end, str | int) for end in ends):
            source.fail(None, "a link without source and target", "Is it a node-link graph of networkx?")
        start, end = str(ends[0]), str(ends[1])
        key = str(link.get("key", ""))
        if down:
            parents.setdefault(end, {})[log.identifier(start)] = None
        elif key in _IS_A:
            parents.setdefault(start, {})[log.identifier(end)] = None
        elif key and not key.isdecimal():
            relations.setdefault(start, {})[Relation(curie(key), log.identifier(end))] = None
        else:
            hint = 'Known are NXOntology graphs ("nxontology_version") and links with a "key" such as is_a'
            source.fail(None, "cannot tell which end of a link is the broader concept", hint)
    return parents, relations


def _keys(graph: dict[str, Any], source: Source, log: ReleaseLog) -> dict[str, tuple[str, ...]]:
    """Role to keys of the nodes; a prefix that all share with the graph's name (``efo_label``) is left aside."""
    given = log.options.columns
    keys = list(dict.fromkeys(chain.from_iterable(n for n in graph["nodes"][:1000] if isinstance(n, dict))))
    facts = graph["graph"]
    name = f"{facts.get('name', '')}_"
    stems = {key: key.removeprefix(name) for key in keys}
    mapping = given.for_file(source.name) if given else guess_columns([*stems.values()])
    roles = {role: list(columns) for role, columns in mapping.by_role().items()} if mapping else {}
    by_stem = {stem: key for key, stem in reversed(stems.items())}
    found = {role: tuple(by_stem.get(c, c) for c in columns) for role, columns in roles.items()}
    for key, stem in stems.items():
        role = _ALIASES.get(stem, "")
        if role and role not in found:
            found[role] = (key,)
    label = facts.get("node_name_attribute")
    if isinstance(label, str) and label in keys:
        found["preferred"] = (label,)
    found["id"] = ("id",)
    if "preferred" not in found:
        hint = f"The keys of its nodes are: {', '.join(keys[:20])}"
        source.fail(None, "cannot tell which key of a node holds its name", hint)
    log.columns.update({role: ",".join(columns) for role, columns in found.items()})
    return found


def _labels(graph: dict[str, Any]) -> dict[str, str]:
    """The labels of the synonym types by their ids, as obonet keeps them."""
    defined = _list(graph["graph"].get("synonymtypedef"))
    return {name: label for line in defined if isinstance(line, str) for name, label in synonym_type(line).items()}


@dataclass(frozen=True, slots=True)
class _NodeGraph:
    """What a node needs of its graph: the keys of each role, the labels of synonym types, and by node its links."""

    keys: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, str]
    parents: Mapping[str, Mapping[str, None]]
    relations: Mapping[str, Mapping[Relation, None]]

    def concept(self, node: Any, log: ReleaseLog) -> Concept:
        """The concept of a node; raises ``BadRow`` for one of the wrong shape."""
        if not isinstance(node, dict) or not isinstance(node.get("id"), str | int):
            raise BadRow("a node without an id")
        own = str(node["id"])
        concept_id = log.identifier(own)

        def values(role: str) -> list[Any]:
            found = [value for key in self.keys.get(role, ()) for value in _list(node.get(key))]
            return [value for value in found if value not in (None, "")]

        def ids(role: str) -> list[str]:
            return [log.identifier(_text(value)) for value in values(role)]

        names = [Term(_text(name), "preferred") for name in values("preferred")[:1]]
        synonyms = [_synonym(synonym, self.labels) for synonym in values("synonyms")]
        log.counts.skip_term("empty name", sum(not synonym.text for synonym in synonyms))
        retired = str(node.get("is_obsolete", node.get("deprecated", ""))).lower() == "true"
        alternatives = dict.fromkeys(other for other in ids("alternative_ids") if other != concept_id)
        stated = (stated_match(value) for value in _list(node.get("property_value")) if isinstance(value, str))
        return Concept(
            id=concept_id,
            terms=(*names, *(synonym for synonym in synonyms if synonym.text)),
            parents=tuple(sorted(self.parents.get(own, ()))),
            relations=tuple(self.relations.get(own, ())),
            definitions=tuple(unquoted(_text(value)) for value in values("definition")),
            tags=tuple(map(_text, values("tags"))),
            status="retired" if retired else "active",
            alternative_ids=(*published_alias(own, concept_id), *alternatives),
            replaced_by=tuple(ids("replaced_by")),
            xrefs=tuple(sorted({curie(unescaped(_text(value).partition(' "')[0])) for value in values("xrefs")})),
            mappings=tuple(dict.fromkeys(stated_mapping(concept_id, *match) for match in stated if match)),
        )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value).strip()
    raise BadRow(f"expected a text, found {type(value).__name__}")


def _synonym(value: Any, labels: Mapping[str, str]) -> Term:
    """A synonym as an object with name and scope (NXOntology), as OBO writes it (obonet), or bare."""
    if isinstance(value, dict):
        scope = str(value.get("scope") or "exact").lower()
        return Term(_text(value.get("name")), "synonym", scope if scope in SCOPES else "related")
    text = _text(value)
    return synonym_of(text, labels) if _SYNONYM.match(text) else Term(text)
