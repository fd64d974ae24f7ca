from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.types import Concept, Mapping, Relation, Term

Read = Callable[..., Any]

NXONTOLOGY = {
    "directed": True,
    "multigraph": False,
    "graph": {"nxontology_version": "0.5", "name": "xo", "version": "v3.1", "node_name_attribute": "xo_label"},
    "nodes": [
        {"id": "XO:1", "xo_id": "XO:1", "xo_label": "frost", "xo_definition": "cold", "synonyms": None, "xrefs": None},
        {
            "id": "XO:2",
            "xo_label": "frost toe",
            "synonyms": [{"name": "cold toe", "scope": "related"}, {"name": "icy toe", "scope": "exact"}],
            "xrefs": ["snomedct:9", "MSH:D9"],
            "replaces": ["XO:7"],
        },
        {"id": "XO:3", "xo_label": None},
        {"id": "XO:2", "xo_label": "again"},
    ],
    "links": [{"source": "XO:1", "target": "XO:2"}, {"source": "XO:3", "target": "XO:2"}],
}


def test_nxontology_links_lead_down(read: Read) -> None:
    concepts, release = read("xo.json", json.dumps(NXONTOLOGY))
    assert concepts == [
        Concept("XO:1", (Term("frost", "preferred"),), definitions=("cold",)),
        Concept(
            "XO:2",
            (Term("frost toe", "preferred"), Term("cold toe", "synonym", "related"), Term("icy toe")),
            parents=("XO:1", "XO:3"),
            alternative_ids=("XO:7",),
            xrefs=("MESH:D9", "SCTID:9"),
        ),
    ]
    assert (release.metadata.format, release.metadata.name, release.metadata.version) == ("nodelink", "xo", "3.1")
    assert release.counts.skipped == {"node without a name": 1}
    assert [row.problem for row in release.counts.examples] == ["duplicate id XO:2"]


def test_obonet_links_lead_up(read: Read) -> None:
    graph = {
        "directed": True,
        "multigraph": True,
        "graph": {"ontology": "xo", "data-version": "2024-01-01"},
        "nodes": [
            {"id": "XO:1", "name": "frost"},
            {"id": "XO:2", "name": "toe", "def": '"cold \\"x\\"" [a:b]', "synonym": ['"icy" NARROW []'],
             "alt_id": ["XO:9"], "is_obsolete": "true"},
        ],
        "links": [
            {"source": "XO:2", "target": "XO:1", "key": "is_a"},
            {"source": "XO:2", "target": "XO:1", "key": "part_of"},
        ],
    }  # fmt: skip
    concepts, _ = read("xo.json", json.dumps(graph))
    assert concepts[1] == Concept(
        "XO:2",
        (Term("toe", "preferred"), Term("icy", "synonym", "narrow")),
        parents=("XO:1",),
        relations=(Relation("part_of", "XO:1"),),
        definitions=('cold "x"',),
        status="retired",
        alternative_ids=("XO:9",),
    )


def test_obonet_lines_are_read_as_in_an_obo_file(read: Read) -> None:
    graph = {
        "directed": True,
        "multigraph": True,
        "graph": {"ontology": "xo", "synonymtypedef": ['XO:7 "abbreviation"']},
        "nodes": [
            {
                "id": "XO:1",
                "name": "toe",
                "def": r'"a \"x\"\nb" [a:b]',
                "synonym": [r'"big \"one\"" EXACT layperson []', '"BT" BROAD XO:7 []', '"hallux" [a:b]', '"toe" of'],
                "xref": ['MSH:D1 "Toes"', r"http\://x.org"],
                "property_value": ["skos:exactMatch MESH:D1", "dc:creator me", 'skos:exactMatch "cut'],
            },
            {"id": "XO:2", "name": "heel", "property_value": ["skos:closeMatch MSH:D2"]},
        ],
        "links": [],
    }
    concepts, release = read("xo.json", json.dumps(graph))
    assert [row.problem for row in release.counts.examples] == ["unterminated quote"]
    assert [mapping.object_id for mapping in concepts[0].mappings] == ["MESH:D2"]
    graph["nodes"][0]["property_value"].pop()  # type: ignore[index]
    concepts, _ = read("xo.json", json.dumps(graph))
    assert concepts[0] == Concept(
        "XO:1",
        (
            Term("toe", "preferred"),
            Term('big "one"', "lay", source="layperson"),
            Term("BT", "abbreviation", "broad", source="XO:7"),
            Term("hallux", "synonym", "related"),
            Term('"toe" of'),
        ),
        definitions=('a "x"\nb',),
        xrefs=("MESH:D1", "http://x.org"),
        mappings=(Mapping("XO:1", "skos:exactMatch", "MESH:D1", "semapv:UnspecifiedMatching"),),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"graph": {}}, "cannot tell which end of a link is the broader"),
        ({"nodes": 5}, 'no lists "nodes" and "links"'),
        ({"links": [{"source": "XO:1"}]}, "a link without source and target"),
        (
            {"graph": {"nxontology_version": "1"}, "nodes": [{"id": "XO:1", "foo": "x"}]},
            "which key of a node holds its name",
        ),
    ],
)
def test_graphs_that_cannot_be_read(read: Read, change: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read("xo.json", json.dumps({**NXONTOLOGY, **change}))
