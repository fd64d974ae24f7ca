from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.types import Concept, Property, Relation, Term

Read = Callable[..., Any]
OBO = "http://purl.obolibrary.org/obo/"
META = "http://www.geneontology.org/formats/oboInOwl#"

GRAPH = {
    "graphs": [
        {
            "id": OBO + "hp.json",
            "meta": {
                "version": OBO + "hp/releases/2023-01-27/hp.json",
                "basicPropertyValues": [{"pred": "http://purl.org/dc/terms/license", "val": "https://x.org/l"}],
            },
            "nodes": [
                {
                    "id": OBO + "HP_1",
                    "lbl": "Seizure",
                    "type": "CLASS",
                    "meta": {
                        "definition": {"val": "A fit."},
                        "synonyms": [
                            {"pred": "hasExactSynonym", "val": "Fits", "synonymType": OBO + "hp#layperson"},
                            {"pred": "hasNarrowSynonym", "val": "Big fit"},
                        ],
                        "xrefs": [{"val": "UMLS:C1"}, {"val": "MSH:D2"}],
                        "subsets": [OBO + "hp#core"],
                        "comments": ["Not the same as HP:7, say its editors.", ""],
                        "basicPropertyValues": [{"pred": META + "hasAlternativeId", "val": "HP:7"}],
                    },
                },
                {
                    "id": OBO + "HP_2",
                    "lbl": "obsolete Fit",
                    "type": "CLASS",
                    "meta": {
                        "deprecated": True,
                        "basicPropertyValues": [
                            {"pred": OBO + "IAO_0100001", "val": OBO + "HP_1"},
                            {"pred": META + "consider", "val": "HP:3"},
                        ],
                    },
                },
                {"id": OBO + "BFO_0000050", "lbl": "part of", "type": "PROPERTY"},
                {"id": OBO + "UBERON_5", "type": "CLASS"},
                {"id": OBO + "hp#core", "lbl": "core"},
                {"id": 5, "lbl": "broken", "type": "CLASS"},
            ],
            "edges": [
                {"sub": OBO + "HP_1", "pred": "is_a", "obj": OBO + "HP_0"},
                {"sub": OBO + "HP_1", "pred": OBO + "BFO_0000050", "obj": OBO + "UBERON_5"},
                {"sub": OBO + "HP_1", "pred": "is_a"},
            ],
        },
        {"nodes": [{"id": OBO + "MP_1", "lbl": "second graph"}]},
    ]
}


def test_classes_of_all_graphs(read: Read) -> None:
    concepts, _ = read("g.json", json.dumps(GRAPH))
    assert concepts == [
        Concept(
            id="HP:1",
            terms=(
                Term("Seizure", "preferred"),
                Term("Fits", "lay", "exact", source="layperson"),
                Term("Big fit", "synonym", "narrow"),
            ),
            parents=("HP:0",),
            relations=(Relation("BFO:0000050", "UBERON:5"),),
            definitions=("A fit.",),
            tags=("core",),
            alternative_ids=("HP:7",),
            xrefs=("UMLS:C1", "MESH:D2"),
            properties=(Property("comment", "Not the same as HP:7, say its editors."),),
        ),
        Concept(
            id="HP:2",
            terms=(Term("obsolete Fit", "preferred"),),
            status="retired",
            replaced_by=("HP:1",),
            consider=("HP:3",),
        ),
        Concept(id="MP:1", terms=(Term("second graph", "preferred"),)),
    ]


def test_counts_and_metadata(read: Read) -> None:
    _, release = read("g.json", json.dumps(GRAPH, indent=1))
    assert release.counts.to_dict()["rows"] == {
        "read": 7,
        "kept": 3,
        "skipped": {"node without a label, of another ontology": 1, "node without a type": 1, "property node": 1},
        "malformed": 1,
    }
    assert release.counts.examples[0].problem == "expected a text, found int"
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.licence) == ("hp", "2023-01-27", "https://x.org/l")
    assert metadata.details["edges_not_read"] == {
        "count": 1,
        "first": ["g.json: an edge without two ends and a predicate"],
    }


def test_json_cut_short_is_one_error(read: Read) -> None:
    with pytest.raises(FormatError, match="not valid JSON"):
        read("g.json", json.dumps(GRAPH)[:-20])
