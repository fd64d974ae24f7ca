"""Drugs are found as prescriptions write them: with a strength, a form, a salt, or by a brand."""

from __future__ import annotations

from typing import Any

import pytest

from ontonym.index import IndexOptions
from ontonym.tasks import search
from ontonym.types import Correction

DRUGS = ("Metformin", "Atorvastatin", "Calcium", "Sertraline", "Furosemide", "Tablets")


@pytest.fixture
def index(workshop: Any) -> Any:
    entries = [f"id: M:{number}\nname: {name}" for number, name in enumerate(DRUGS)]
    return workshop.index(workshop.terminology("made", *entries), options=IndexOptions())


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("metformin 500 mg tablets", "Metformin"),
        ("Metformin HCl 850mg BD", "Metformin"),
        ("atorvastatin calcium 40 mg", "Atorvastatin"),
        ("sertraline hydrochloride", "Sertraline"),
        ("Metformin 850 mg Filmtabletten", "Metformin"),
        ("Metformin 500 mg Tbl. 1-0-1", "Metformin"),
        ("Furosemide 40 mg comprimés", "Furosemide"),
        ("sertraline 50 mg cápsulas", "Sertraline"),
        ("Furosemide-Na 20 mg Inj.-Lsg.", "Furosemide"),
        ("Metformin-HCl Amp. 10 mg", "Metformin"),
        ("Sertraline Schmelztbl. 50 mg", "Sertraline"),
        ("Metformin 2 g Inf.-Lsg.", "Metformin"),
        ("Metformin Tropfen", "Metformin"),
        ("Furosemide 1:1000", "Furosemide"),
        ("Lasix 40mg IV", "Furosemide"),
        ("lipitor", "Atorvastatin"),
    ],
)
def test_a_prescription_is_its_drug(index: Any, text: str, drug: str) -> None:
    (hit, *_) = search(index, text)
    assert hit.preferred == drug
    assert hit.confidence > 0.5


def test_the_reason_says_that_the_salt_is_left_out(index: Any) -> None:
    reason = search(index, "sertraline hydrochloride")[0].reason
    assert reason.correction is Correction.REWORDED
    assert "read as “sertraline”" in reason.detail


def test_a_name_with_the_salt_is_nearer_than_one_without(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Sertraline", "id: M:2\nname: Sertraline hydrochloride")
    (hit, *_) = search(workshop.index(made), "sertraline hydrochloride 50 mg")
    assert hit.id == "M:2"


def test_where_names_say_the_dose_it_counts(workshop: Any) -> None:
    made = workshop.terminology(
        "made",
        "id: M:1\nname: Metformin",
        "id: M:2\nname: Metformin hydrochloride 500 mg oral tablet",
        "id: M:3\nname: Metformin hydrochloride 850 mg oral tablet",
    )
    (hit, *_) = search(workshop.index(made), "metformin 850 mg tablet")
    assert hit.id == "M:3"


def test_a_number_with_a_capital_that_names_have_is_no_dose(workshop: Any) -> None:
    names = (
        "Recessive limb-girdle muscular dystrophy",
        "Recessive limb-girdle muscular dystrophy type 2G",
        "Cefazolin",
    )
    entries = [f"id: M:{number}\nname: {name}" for number, name in enumerate(names)]
    index = workshop.index(workshop.terminology("made", *entries))
    found = {text: search(index, text)[0] for text in ("recessive LGMD 2G", "Cefazolin 1G IV")}
    assert [(hit.id, hit.confidence > 0.5) for hit in found.values()] == [("M:1", True), ("M:2", True)]


@pytest.mark.parametrize("text", ["Metformin HCl 2,5MG Tbl.", "METFORMIN 2.5mg tab", "metformin 2.5mg comprimidos"])
def test_a_strength_is_the_same_however_it_is_written(workshop: Any, text: str) -> None:
    forms = [("2.5 MG", "Oral Tablet"), ("25 MG", "Oral Tablet"), ("5 MG", "Oral Tablet"), ("2.5 MG", "Oral Capsule")]
    made = workshop.terminology(
        "made",
        "id: M:0\nname: metformin",
        *(f"id: M:{number}\nname: metformin {dose} {form}" for number, (dose, form) in enumerate(forms, start=1)),
    )
    (hit, *_) = search(workshop.index(made), text)
    assert hit.preferred == "metformin 2.5 MG Oral Tablet"
