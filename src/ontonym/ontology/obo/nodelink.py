"""Reader of node-link JSON graphs, as networkx writes them: NXOntology exports, and obonet graphs of OBO files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import read_json
from ontonym.files.source import Source
from ontonym.jsonbytes import json_bytes
from ontonym.ontology.release import ReleaseLog, published_alias
from ontonym.ontology.tables.headers import guess_columns
from ontonym.ontology.xrefs import curie
from ontonym.types import SCOPES, Concept, Relation, Term

_NODE_LINK = re.compile(r'\s*\{(?=.{0,4096}"multigraph"\s*:)(?=.{0,4096}"directed"\s*:)', re.DOTALL)
_IS_A = frozenset({"is_a", "subClassOf", "rdfs:subClassOf"})
_SYNONYM = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"\s+(?P<scope>EXACT|NARROW|BROAD|RELATED)\b')
_QUOTED = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"')
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
        graph = _graph(source, log)
        parents, relations = _links(graph, source, log)
        keys = _keys(graph, source, log)
        for node in graph["nodes"]:
            try:
                concept = _concept(node, keys, log, parents, relations)
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


def _concept(
    node: Any,
    keys: dict[str, tuple[str, ...]],
    log: ReleaseLog,
    parents: dict[str, dict[str, None]],
    relations: dict[str, dict[Relation, None]],
) -> Concept:
    """The concept of a node; ``keys`` are those of each role, ``parents`` and ``relations`` come from its links."""
    if not isinstance(node, dict) or not isinstance(node.get("id"), str | int):
        raise BadRow("a node without an id")
    own = str(node["id"])
    concept_id = log.identifier(own)

    def values(role: str) -> list[Any]:
        found = [value for key in keys.get(role, ()) for value in _list(node.get(key))]
        return [v for v in found if v not in (None, "")]

    names = [Term(_text(name), "preferred") for name in values("preferred")[:1]]
    synonyms = [_synonym(synonym) for synonym in values("synonyms")]
    for synonym in synonyms:
        if not synonym.text:
            log.counts.skip_term("empty name")
    names += [synonym for synonym in synonyms if synonym.text]
    retired = str(node.get("is_obsolete", node.get("deprecated", ""))).lower() == "true"
    alternatives = [log.identifier(_text(v)) for v in values("alternative_ids")]
    definitions = [_unquoted(_text(value)) for value in values("definition")]
    return Concept(
        id=concept_id,
        terms=tuple(names),
        parents=tuple(sorted(parents.get(own, ()))),
        relations=tuple(relations.get(own, ())),
        definitions=tuple(definitions),
        tags=tuple(_text(v) for v in values("tags")),
        status="retired" if retired else "active",
        alternative_ids=(*published_alias(own, concept_id), *dict.fromkeys(a for a in alternatives if a != concept_id)),
        replaced_by=tuple(log.identifier(_text(v)) for v in values("replaced_by")),
        xrefs=tuple(sorted({curie(_text(v)) for v in values("xrefs")})),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value).strip()
    raise BadRow(f"expected a text, found {type(value).__name__}")


def _unquoted(text: str) -> str:
    """The text that OBO puts in quotes, with sources after it; any other text as it is."""
    match = _QUOTED.match(text)
    return re.sub(r"\\(.)", r"\1", match["text"]) if match else text


def _synonym(value: Any) -> Term:
    """A synonym as an object with name and scope (NXOntology), as OBO writes it (obonet), or bare."""
    if isinstance(value, dict):
        scope = str(value.get("scope") or "exact").lower()
        return Term(_text(value.get("name")), "synonym", scope if scope in SCOPES else "related")
    text = _text(value)
    match = _SYNONYM.match(text)
    return Term(match["text"], "synonym", match["scope"].lower()) if match else Term(text)  # type: ignore[arg-type]
