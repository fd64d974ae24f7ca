"""Which reading of a query is meant: one whose words a name explains, and the finding without what is around it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from built import ROOMY, indexed
from ontonym.index import Index, open_index
from ontonym.tasks import search

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
id: W:8
name: Wandering
synonym: "walks in his sleep" EXACT []
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with open_index(indexed(tmp_path_factory.mktemp("readings"), {"ward.obo": WARD}, ROOMY)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("GASTRITIS AC W BLEEDING", "W:2"),  # ac: before meals, acute, acromioclavicular
        ("c/o HA", "W:3"),
        ("HA for three days", "W:3"),
        ("chronic pancreatitis not from alcohol", "W:5"),
        ("my husband grinds his teeth in his sleep", "W:7"),
    ],
)
def test_the_reading_that_explains_the_words_is_meant(index: Index, query: str, meant: str) -> None:
    assert search(index, query)[0].id == meant


def test_a_reading_that_is_a_name_is_nearly_sure(index: Index) -> None:
    (best, *_) = search(index, "GASTRITIS AC W BLEEDING")
    assert best.matched == "Acute gastritis with bleeding"
    assert best.confidence > 0.5
