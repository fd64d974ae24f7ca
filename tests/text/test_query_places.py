"""Where in the body a finding is, is set aside: first the side, then the part; what depends on the place stays."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.places import depends_on_place, is_said_elsewhere, without_place


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("psoriasis on both elbows", "psoriasis on elbows"),
        ("psoriasis on my elbows", "psoriasis"),
        ("glaucoma, right eye", "glaucoma of eye"),
        ("gout (rt knee)", "gout of knee"),
        ("gout of knee", "gout"),
        ("cancer of left lung", "cancer of lung"),
        ("pneumonia of lower lobe", "pneumonia"),
        ("hives on my back", "hives"),
    ],
)
def test_the_side_and_then_the_part_are_set_aside(text: str, rest: str) -> None:
    assert without_place(text) == rest


@pytest.mark.parametrize(
    "text",
    ["", "knee", "left knee", "left knee gout", "pain in knee", "cancer of lung", "no gout of elbow", "on my elbow",
     "falling of womb", "gout knee", "psoriasis on holiday", "aneurysm behind the knee", "stroke of the eye"],
)  # fmt: skip
def test_what_depends_on_the_place_stays(text: str) -> None:
    assert without_place(text) == ""


def test_a_finding_depends_on_its_place_unless_it_names_one() -> None:
    assert depends_on_place(["fracture"])
    assert depends_on_place(["falling"])
    assert not depends_on_place(["lung", "cancer"])
    assert not depends_on_place(["psoriasis"])


@pytest.mark.parametrize(
    ("text", "is_elsewhere"),
    [
        ("stroke of the eye", True),
        ("pneumonia in the foot", True),
        ("pneumonia of the left lung", False),
        ("stroke in the brain", False),
        ("gout in the foot", False),
        ("stroke", False),
    ],
)
def test_a_finding_is_said_to_be_where_it_does_not_belong(text: str, is_elsewhere: bool) -> None:
    assert is_said_elsewhere(text) is is_elsewhere


def test_many_words_take_time_by_their_number() -> None:
    began = process_time()
    without_place("left of " * 4_000 + "knee")
    assert process_time() - began < 1
