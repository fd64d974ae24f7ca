"""Which reading of a query is meant: one whose words a name explains, and the finding without what is around it."""

from __future__ import annotations

import pytest

from built import ROOMY, index_fixture
from ontonym.index import Index
from ontonym.tasks import SearchOptions, search

WARD = """format-version: 1.2
ontology: ward

[Term]
id: W:1
name: Gastritis with bleeding

[Term]
id: W:2
name: Acute gastritis with bleeding

[Term]
id: W:3
name: Headache

[Term]
id: W:4
name: Hemolytic anemia

[Term]
id: W:5
name: Chronic pancreatitis
synonym: "Pancreatitis, chronic" EXACT []

[Term]
id: W:6
name: Alcohol-induced chronic pancreatitis

[Term]
id: W:7
name: Bruxism
synonym: "grinds teeth at night" EXACT []

[Term]
id: W:9
name: Nosebleed
synonym: "nose won't stop bleeding" EXACT []

[Term]
id: W:10
name: Night blindness
synonym: "can't drive at night" EXACT []

[Term]
id: W:11
name: Hyperkalemia

[Term]
id: W:12
name: Umbilical hernia without obstruction or gangrene
synonym: "Umbilical hernia NOS" EXACT []

[Term]
id: W:13
name: Umbilical hernia with obstruction, without gangrene

[Term]
id: W:14
name: Lipoma of the filum terminale
synonym: "LFT" EXACT ABBREVIATION []

[Term]
id: W:15
name: Elevated liver enzymes

[Term]
id: W:8
name: Wandering
synonym: "walks in his sleep" EXACT []
"""


index = index_fixture({"ward.obo": WARD}, ROOMY)


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("GASTRITIS AC W BLEEDING", "W:2"),  # ac: before meals, acute, acromioclavicular
        ("c/o HA", "W:3"),
        ("HA for three days", "W:3"),
        ("chronic pancreatitis not from alcohol", "W:5"),
        ("my husband grinds his teeth in his sleep", "W:7"),
        ("nose wont stop bleeding", "W:9"),
        ("K 6.8", "W:11"),
        ("hernia umb w obstr", "W:13"),
        ("↑ LFTs", "W:15"),
    ],
)
def test_the_reading_that_explains_the_words_is_meant(index: Index, query: str, meant: str) -> None:
    assert search(index, query)[0].id == meant


def test_a_reading_that_is_a_name_is_nearly_sure(index: Index) -> None:
    (best, *_) = search(index, "GASTRITIS AC W BLEEDING")
    assert best.matched == "Acute gastritis with bleeding"
    assert best.confidence > 0.5


def test_a_value_is_told_in_words(index: Index) -> None:
    (best, *_) = search(index, "K 6.8")
    assert best.confidence > 0.9
    assert best.reason.detail == "read as “hyperkalemia”: the same but for case"


@pytest.mark.parametrize(
    ("query", "is_doubted"),
    [("can't drop off at night", True), ("can't drive well at night", False), ("couldn't drive at night", False)],
)
def test_other_words_in_the_place_of_the_querys_are_doubted(index: Index, query: str, is_doubted: bool) -> None:
    (best, *_), (as_it_is, *_) = search(index, query), search(index, query, SearchOptions(verbatim=True))
    assert best.id == as_it_is.id == "W:10"
    assert (best.confidence < as_it_is.confidence - 0.01) is is_doubted


def test_what_a_name_leaves_out_the_preferred_term_says(index: Index) -> None:
    assert search(index, "umbilical hernia NOS")[0].id == "W:12"
    found = {hit.id: hit.confidence for hit in search(index, "obstructed umbilical hernia")}
    assert found["W:13"] > found["W:12"]
