"""Words are parted and joined, denied and numbered as names do it."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.index.spacings import spaced_as_names
from ontonym.tasks import search

NAMES = """id\tpreferred
N:1\tDisplaced fracture of left hip
N:2\tNondisplaced fracture of left hip
N:3\tNon-bullous erythroderma
N:4\tBullous erythroderma
N:5\tNon rheumatic fever
N:6\tNonrheumatic disorder
N:7\tPressure ulcer stage 2
N:8\tHaploid fetus 4
N:9\tGM2 storage
N:10\tCD 4 lack
N:11\tNeoplasm of liver
N:12\tTwo vessel cord
"""

names = index_fixture({"names.tsv": NAMES})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("not displaced fracture of left hip", "Nondisplaced fracture of left hip"),
        ("left hip, non displaced fracture", "Nondisplaced fracture of left hip"),
        ("not bullous erythroderma", "Non-bullous erythroderma"),
        ("nonbullous erythroderma", "Non-bullous erythroderma"),
        ("pressure ulcer stage two", "Pressure ulcer stage 2"),
        ("haploid fetus four", "Haploid fetus 4"),
        ("two vessel cord", "Two vessel cord"),
        ("GM-2 storage", "GM2 storage"),
        ("CD4 lack", "CD 4 lack"),
        ("NeoplasmOfLiver", "Neoplasm of liver"),
        ("neoplasm+of+liver", "Neoplasm of liver"),
        ("neoplasm of liver (NL)", "Neoplasm of liver"),
        ("NOL - neoplasm of liver", "Neoplasm of liver"),
    ],
)
def test_words_are_parted_as_a_name_parts_them(names: Any, text: str, name: str) -> None:
    hit = search(names, text)[0]
    assert hit.preferred == name
    assert hit.confidence > 0.8
    assert not hit.reason.negated


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("non rheumatic fever of the liver", "non rheumatic fever of the liver"),  # names write it so too
        ("not painful fracture", "not painful fracture"),
        ("old fracture, not displaced", "old fracture, not displaced"),
        ("large not displaced fracture", "large nondisplaced fracture"),
        ("ulcer type two of liver", "ulcer type 2 of liver"),
        ("two fractures", "two fractures"),
        ("McBullous", "McBullous"),
        ("OfHip", "OfHip"),
        ("fracture+ulcer", "fracture+ulcer"),
    ],
)
def test_a_text_that_is_no_name_changes_where_names_write_a_word_only_otherwise(
    names: Any, text: str, read: str
) -> None:
    assert spaced_as_names(text, names.signals) == read
