"""What a relative has is a family history, where the terminology has such concepts."""

from __future__ import annotations

from typing import Any

import pytest

from ontonym.tasks import search

DISEASES = [f"Disease {number}" for number in range(30)]


@pytest.fixture
def told(workshop: Any) -> Any:
    names = ["Asthma", "Glaucoma", "Family history of asthma", "Family history of glaucoma"]
    names += [f"Family history of {name.lower()}" for name in DISEASES]
    entries = [f"id: M:{number}\nname: {name}" for number, name in enumerate(names)]
    return workshop.index(workshop.terminology("made", *entries))


@pytest.mark.parametrize("text", ["mother had glaucoma", "Glaucoma in brother", "paternal aunt: glaucoma"])
def test_a_relative_has_it(told: Any, text: str) -> None:
    (hit, *_) = search(told, text)
    assert hit.preferred == "Family history of glaucoma"
    assert "family history of glaucoma" in hit.reason.detail.lower()


@pytest.mark.parametrize("text", ["asthma", "my mother has asthma", "boy with asthma"])
def test_the_patient_has_it(told: Any, text: str) -> None:
    assert search(told, text)[0].preferred == "Asthma"


@pytest.mark.parametrize("text", ["history of asthma", "PMH: asthma", "h/o asthma", "previous asthma"])
def test_what_somebody_had_is_not_what_the_family_has(told: Any, text: str) -> None:
    first, *others = search(told, text)
    assert first.preferred == "Asthma"
    assert all(hit.confidence < 0.2 for hit in others if hit.preferred == "Family history of asthma")


def test_what_somebody_had_is_its_history_where_a_name_says_so(workshop: Any) -> None:
    names = ["Asthma", "Personal history of asthma", *(f"Family history of {name.lower()}" for name in DISEASES)]
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names)))
    assert search(workshop.index(made), "h/o asthma")[0].preferred == "Personal history of asthma"


def test_without_such_concepts_it_is_the_disease(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Asthma", "id: M:2\nname: Family history")
    assert search(workshop.index(made), "mother had asthma")[0].preferred == "Asthma"
