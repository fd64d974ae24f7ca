"""Answers that are doubted: the query names another kind of thing, or leaves open what the name says."""

from __future__ import annotations

import pytest

from built import index_fixture
from ontonym.index import Index
from ontonym.tasks import SearchOptions, search

CLINIC = """format-version: 1.2
ontology: clinic

[Term]
id: C:1
name: Humerus fracture
synonym: "humerus injured" EXACT []
synonym: "bone humerus" EXACT []

[Term]
id: C:2
name: Hypokalemia
synonym: "low potassium" EXACT []

[Term]
id: C:3
name: Shigellosis
synonym: "Shigella gastroenteritis" EXACT []

[Term]
id: C:4
name: Decreased appetite
synonym: "Poor appetite" EXACT []
synonym: "Loss of appetite" EXACT []

[Term]
id: C:5
name: Olfactory nerve

[Term]
id: C:6
name: Hypertension
synonym: "high blood pressure" EXACT []

[Term]
id: C:7
name: Cocaine dependence

[Term]
id: C:8
name: von Willebrand disease
synonym: "von Willebrand syndrome" EXACT []

[Term]
id: C:9
name: Fractured left clavicle
synonym: "bone left clavicle" EXACT []
"""


index = index_fixture({"clinic.obo": CLINIC})


@pytest.mark.parametrize(
    ("query", "nearest", "is_doubted"),
    [
        ("humerus", "C:1", True),
        ("left clavicle", "C:9", True),
        ("broken left clavicle", "C:9", False),
        ("shigella", "C:3", True),
        ("olfactory nerve disease", "C:5", True),
        ("olfactory nerve cancer", "C:5", True),
        ("serum potassium", "C:2", True),
        ("potassium", "C:2", True),
        ("appetite", "C:4", True),
        ("blood pressure", "C:6", True),
        ("fracture of his humerus", "C:1", False),
        ("low serum potassium", "C:2", False),
        ("no appetite", "C:4", False),
        ("very high blood pressure", "C:6", False),
        ("dependence on cocaine", "C:7", False),
        ("von Willebrand", "C:8", False),
    ],
)
def test_what_a_query_does_not_say_is_doubted(index: Index, query: str, nearest: str, is_doubted: bool) -> None:
    (best, *_), (as_it_is, *_) = search(index, query), search(index, query, SearchOptions(verbatim=True))
    assert best.id == as_it_is.id == nearest
    if is_doubted:
        assert best.confidence < 0.5 < as_it_is.confidence
    else:
        assert best.confidence > 0.5
