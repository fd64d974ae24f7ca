"""Which reading of a query is meant: one whose words a name explains, and the finding without what is around it."""

from __future__ import annotations

import pytest

from built import ROOMY, index_fixture
from ontonym.index import Index
from ontonym.index.scan import Scan
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.search import ranking

WARD = """id\tpreferred\tsynonyms\tabbreviations
W:1\tGastritis with bleeding\t\t
W:2\tAcute gastritis with bleeding\t\t
W:3\tHeadache\t\t
W:4\tHemolytic anemia\t\t
W:5\tChronic pancreatitis\tPancreatitis, chronic\t
W:6\tAlcohol-induced chronic pancreatitis\t\t
W:7\tBruxism\tgrinds teeth at night\t
W:9\tNosebleed\tnose won't stop bleeding\t
W:10\tNight blindness\tcan't drive at night\t
W:11\tHyperkalemia\t\t
W:12\tUmbilical hernia without obstruction or gangrene\tUmbilical hernia NOS\t
W:13\tUmbilical hernia with obstruction, without gangrene\t\t
W:14\tLipoma of the filum terminale\t\tLFT
W:15\tElevated liver enzymes\t\t
W:8\tWandering\twalks in his sleep\t
"""


index = index_fixture({"ward.tsv": WARD}, ROOMY)


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


def test_a_long_query_may_be_longer_when_it_is_written_out(index: Index) -> None:
    assert search(index, "HA, K 6.8, " * 900)[0].id == "W:11"


def test_a_reading_that_is_a_name_is_nearly_sure(index: Index) -> None:
    (best, *_) = search(index, "GASTRITIS AC W BLEEDING")
    assert best.matched == "Acute gastritis with bleeding"
    assert best.confidence > 0.5


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("GASTRITIS AC W BLEEDING", {"GASTRITIS acute with BLEEDING"}),
        ("c/o HA", {"headache", "hemolytic anemia"}),  # no name has the words around a finding
        ("c/o gastritis", {"gastritis", "complains of gastritis", "complaining of gastritis"}),
    ],
)
def test_where_a_reading_is_a_name_only_names_are_meant(index: Index, query: str, read: set[str]) -> None:
    (readings,) = index.interpreter.readings_of([index.signals.query(query)], Scan())
    assert {one.query.text for _, one in readings} == read
    assert sum(weight for weight, _ in readings) == pytest.approx(1, abs=0.03)  # less for what is improbable


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


heels = index_fixture(
    {
        "heels.tsv": "id\tpreferred\tsynonyms\n"
        "H:1\tPressure ulcer of unspecified heel, unstageable\tPressure ulcer of heel, unstageable\n"
        "H:2\tPressure ulcer of right heel, unstageable\t\n"
        "H:3\tPressure ulcer of left heel, unstageable\t\n"
        "H:4\tPressure ulcer of right heel\t\n"
    },
    ROOMY,
)


@pytest.mark.parametrize("side", ["R", "L"])
def test_a_side_is_read_where_it_makes_all_words_of_a_name_but_of(heels: Index, side: str) -> None:
    best = ranking(heels, heels.signals.query(f"Pressure ulcer {side} heel, unstageable"), SearchOptions(), 1)[0]
    assert heels.preferred(best.concept) == f"Pressure ulcer of {'right' if side == 'R' else 'left'} heel, unstageable"
    assert best.reading_probability > 0.985
