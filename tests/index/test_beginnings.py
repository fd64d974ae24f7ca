"""A query whose words begin those of a name, each in its place, finds that name, where names of no other concept do."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.index.beginnings import name_cut_short
from ontonym.tasks import search
from ontonym.types import Correction

ORGANISMS = """id\tpreferred\tsynonyms
T:1\tStreptococcus pneumoniae\t
T:2\tPneumonia\tPneumococcal pneumonia
T:3\tGiardia lamblia\tLamblia intestinalis
T:4\tGiardia\tLamblia
T:5\tCephalothin sodium\t
T:6\tCephapirin sodium\t
T:7\tGlobal alignment\t
T:8\tMissing kidney\t
"""

DENYING = """id\tpreferred\tsynonyms
D:1\tSin Nombre virus\t
D:2\tNo-reflow phenomenon\t
D:3\tAbsent thumb\t
D:4\tReflow\t
D:5\tFever\t
D:6\tThumb\t
D:7\tAbsent speech\tNo speech
D:8\tDelayed speech\tSpeech delay
"""

index = index_fixture({"organisms.tsv": ORGANISMS})
denying = index_fixture({"denying.tsv": DENYING})


@pytest.mark.parametrize(
    ("text", "concept"),
    [("Strep pneumo", "T:1"), ("strep. pneumo.", "T:1"), ("S. pneumoniae", "T:1"), ("G. lamblia", "T:3"),
     ("cephap sod", "T:6")],
)  # fmt: skip
def test_words_cut_off_find_the_name_that_they_begin(index: Any, text: str, concept: str) -> None:
    (hit, *_) = search(index, text)
    assert (hit.id, hit.reason.correction) == (concept, Correction.EXPANDED)
    assert hit.confidence > 0.8


@pytest.mark.parametrize(
    "text",
    [
        "cepha sodium",
        "pneumo strep",
        "g alig",
        "lamblia g",
        "M. kidney",
        "glob align extra",
        "global alignment",
        "pneumo",
    ],
)
def test_what_begins_several_names_or_none_stays(index: Any, text: str) -> None:
    assert name_cut_short(index.signals.query(text), index.signals, "OD") == ()


@pytest.mark.parametrize(
    ("text", "concept", "negated"),
    [
        ("Sin Nombre virus outbreak", "D:1", False),
        ("no reflow", "D:2", False),
        ("absent thumb bone", "D:3", False),
        ("no fever today", "D:5", True),
        ("no speech at home", "D:7", False),
        ("no speech delay", "D:8", True),
    ],
)
def test_what_names_begin_with_is_no_denial(denying: Any, text: str, concept: str, negated: bool) -> None:
    hit = search(denying, text)[0]
    assert (hit.id, hit.reason.negated) == (concept, negated)
