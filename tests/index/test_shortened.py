"""Shorter names in an index: which concepts get one, and what finds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ontonym.index import IndexOptions, open_index, update_index
from ontonym.index.shortened import SOURCE
from ontonym.tasks import AnnotateOptions, annotate, search

PLAIN = IndexOptions(everyday=False)
BURN = "id: C:1\nname: Burn of unspecified degree of hand, unspecified site"
BELOW = "id: C:2\nname: Burn of unspecified degree of unspecified hand, unspecified site\nis_a: C:1"
OWN = "id: C:3\nname: Burn of hand"
SCALD = 'id: C:4\nname: Scald\nsynonym: "Burn of unspecified liquid" RELATED []'


def shortened(index: Any) -> dict[str, list[str]]:
    """The shortened names of each concept that has some, by id."""
    beside = index.signals.everyday
    found: dict[str, list[str]] = {}
    for row in range(len(beside) if beside else 0):
        if beside.term(row).source == SOURCE:
            found.setdefault(index.id(int(beside.part.names.concepts[row])), []).append(beside.term(row).text)
    return found


def test_a_concept_is_found_by_its_shorter_name(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("a", BURN, SCALD), options=PLAIN)
    assert shortened(index) == {"C:1": ["Burn of hand"]}  # none from a related synonym
    (hit, *_) = search(index, "burn of hand")
    assert (hit.id, hit.matched, hit.kind, hit.source) == ("C:1", "Burn of hand", "synonym", SOURCE)
    assert index.terminologies[0].names(0) == ["Burn of unspecified degree of hand, unspecified site"]


def test_the_broadest_of_several_concepts_gets_it(workshop: Any) -> None:
    assert shortened(workshop.index(workshop.terminology("a", BURN, BELOW), options=PLAIN)) == {"C:1": ["Burn of hand"]}


def test_nobody_gets_what_the_terminology_says_otherwise(workshop: Any) -> None:
    with_own, other = workshop.terminology("a", BURN, OWN), workshop.terminology("b", BURN.replace("C:", "D:"))
    assert shortened(workshop.index(with_own, other, options=PLAIN)) == {"D:1": ["Burn of hand"]}


def test_a_name_that_many_would_get_is_left_out(workshop: Any) -> None:
    many = [f"id: C:{number}\nname: Burn, unspecified {'place' * number}" for number in range(1, 5)]
    assert not shortened(workshop.index(workshop.terminology("a", *many), options=PLAIN))
    assert len(shortened(workshop.index(workshop.terminology("b", *many[:3]), options=PLAIN, name="b"))) == 3


def test_what_stands_in_brackets_need_not_be_said(workshop: Any) -> None:
    names = "Stings (nonvenomous) of hip", "Giardiasis [lambliasis]", "1-(2-naphthyl)ethanol"
    many = [f"id: C:{number}\nname: {name}" for number, name in enumerate(names)]
    index = workshop.index(workshop.terminology("a", *many), options=PLAIN)
    assert shortened(index) == {"C:0": ["Stings of hip"], "C:1": ["Giardiasis"]}
    assert search(index, "giardiasis")[0].matched == "Giardiasis"


def test_everyday_names_reach_it(workshop: Any) -> None:
    index = workshop.index(workshop.terminology("a", "id: C:1\nname: Syncope, unspecified"), options=IndexOptions())
    assert search(index, "passed out")[0].id == "C:1"


def test_english_names_alone_have_them(workshop: Any) -> None:
    english = workshop.index(workshop.terminology("a", BURN), options=IndexOptions(languages=("en",), everyday=False))
    assert shortened(english) == {"C:1": ["Burn of hand"]}


@pytest.mark.slow
def test_an_update_gives_what_a_new_index_has(workshop: Any) -> None:
    place = workshop.index(workshop.terminology("a", BELOW.replace("\nis_a: C:1", "")), options=PLAIN).path
    newer = workshop.terminology("newer", BURN, BELOW)
    update_index(place, [newer.path])
    with open_index(place) as index:
        assert shortened(index) == {"C:1": ["Burn of hand"]}
    fresh: Path = workshop.index(newer, options=PLAIN, name="fresh").path
    for file in sorted((fresh / "everyday").iterdir()):
        assert (place / "everyday" / file.name).read_bytes() == file.read_bytes(), file.name


def test_phrases_of_a_text_are_forms_of_it_but_not_of_everyday_names(workshop: Any) -> None:
    terminology = workshop.terminology("a", BURN, "id: C:9\nname: Syncope")
    index = workshop.index(terminology, options=IndexOptions())
    assert "passed out" in index.aliases(1)
    options = AnnotateOptions(find="phrases")
    for text, found in (("A burn of the hand.", ["C:1"]), ("He was passed clean out.", [])):
        assert [one.id for one in annotate(index, text, options)] == found


def test_a_shortened_name_is_as_sure_in_a_text_as_the_name_itself(workshop: Any) -> None:
    terminology = workshop.terminology("a", "id: C:1\nname: Stings (nonvenomous) of hip", "id: C:9\nname: Syncope")
    index = workshop.index(terminology, options=IndexOptions())
    sure = {text: annotate(index, text)[0].confidence for text in ("Stings of hip.", "Syncope.", "He passed out.")}
    assert sure["Stings of hip."] == sure["Syncope."] > sure["He passed out."]
