"""Strength, form and salt of a drug are set aside; what is measured, and what is part of a name, stays."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.doses import dose_as_named, drug_names, is_given, says_how_taken, without_dose
from ontonym.text.normalization import tokens


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("metformin 500 mg tablet", "metformin"),
        ("Metformin HCl 850mg BD", "Metformin HCl"),
        ("500mg metformin tabs", "metformin"),
        ("Aspirin EC 75 mg", "Aspirin"),
        ("furosemide 40mg IV", "furosemide"),
        ("insulin glargine 100 units/ml", "insulin glargine"),
        ("insulin 20u sc bd", "insulin"),
        ("morphine sulfate 10 mg/5ml oral solution", "morphine sulfate"),
        ("hydrocortisone 1% cream", "hydrocortisone"),
        ("vit D3 1000 IU", "vit D3"),
        ("amitriptyline 10-20mg at night", "amitriptyline"),
        ("paracetamol 500mg/codeine 30mg tablets", "paracetamol codeine"),
        ("seroquel 25 qhs", "seroquel"),
        ("toprol xl 50", "toprol"),
        ("co-trimoxazole 960 mg b.d.", "co-trimoxazole"),
        ("ciprofloxacin 500 mg tabs #20", "ciprofloxacin"),
        ("lorazepam 1mg prn anxiety", "lorazepam"),
        ("latanoprost 0.005% ophthalmic solution", "latanoprost"),
    ],
)
def test_what_is_said_of_a_drug_is_set_aside(text: str, drug: str) -> None:
    assert without_dose(text) == drug


@pytest.mark.parametrize(
    "text",
    ["", "1 g", "metformin", "ibuprofen gel", "glucose 250 mg/dl", "proteinuria 3 g/day", "potassium 3.1 mmol/l",
     "ferritin 12 ng/ml", "EF 35%", "patch of eczema", "IV drug use", "vitamin B 12 tablets", "lost 10 kg", "type 2",
     "headache 3 times daily", "trisomy 21", "cataract od"],
)  # fmt: skip
def test_a_text_without_a_strength_is_no_prescription(text: str) -> None:
    assert without_dose(text) == ""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ibuprofen gel", ["ibuprofen"]),
        ("prednisolone eye drops", ["prednisolone"]),
        ("metformin hydrochloride", ["metformin"]),
        ("warfarin sodium tablets", ["warfarin sodium", "warfarin"]),
        ("magnesium valproate", []),
        ("serum sodium", []),
        ("blood lactate", []),
        ("low calcium", []),
        ("tablets", []),
        ("cream", []),
    ],
)
def test_form_and_salt_are_left_out_one_after_the_other(text: str, names: list[str]) -> None:
    assert [" ".join(words) for words in drug_names(tokens(text))] == names


@pytest.mark.parametrize(
    "text",
    ["1-" * 5_000 + "x", "1." * 5_000, "1 tab " * 2_000 + "x", "a mg " * 2_000, "prn " * 2_000 + "\nzz 5 mg",
     "oral tab " * 1_000 + "zz 5 mg"],
)  # fmt: skip
def test_what_repeats_ends(text: str) -> None:
    assert isinstance(without_dose(text), str)
    assert isinstance(dose_as_named(f"5 mg {text}"), str)
    assert not says_how_taken(f"{text} OD", 0, 2)
    assert not says_how_taken(f"{text} melena", len(text) + 1, len(text) + 7)


@pytest.mark.parametrize("before", ["2 mg ", "2.5 mg po ", "1 tab ", "2 puffs "])
def test_how_often_a_drug_is_taken_stands_after_how_much(before: str) -> None:
    assert says_how_taken(f"{before}OD, then", len(before), len(before) + 2)


@pytest.mark.parametrize("before", ["an ", "48 ", "", "2 mg\n"])
def test_what_stands_after_no_amount_says_something_else(before: str) -> None:
    assert not says_how_taken(f"{before}OD, then", len(before), len(before) + 2)


def test_what_has_a_form_is_given() -> None:
    assert is_given("GTN spray", 3)
    assert not is_given("GTN found", 3)


def test_a_long_row_of_numbers_takes_time_by_its_length() -> None:
    began = process_time()
    assert without_dose("7," * 20_000 + ";") == ""
    assert process_time() - began < 2  # by the square of its length it took a minute


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Quetiapine 100MG tab", "Quetiapine 100 MG tablet"),
        ("Warfarin 2,5mg Tbl. 100 ST N3", "Warfarin 2.5 mg tablet"),
        ("Digoxin 1,000mcg cap", "Digoxin 1000 mcg capsule"),
        ("AMOXICILLIN 200 mg Retardtbl.", "AMOXICILLIN 200 mg extended release tablet"),
        ("Budesonide 50MG ret. Tbl.", "Budesonide 50 MG extended release tablet"),
        ("Meropenem 100MG TAB ER", "Meropenem 100 MG extended release tablet"),
        ("Metoprolol 100mg Kapseln N2", "Metoprolol 100 mg capsule"),
        ("Furosemide 40 mg comprimés", "Furosemide 40 mg tablet"),
        ("Propofol 20mg/ml Inf.lösung", "Propofol 20 mg/ml injectable solution"),
        ("x 0.25mg", "x 0.25 mg"),
    ],
)
def test_a_dose_is_said_as_names_of_drugs_say_it(text: str, named: str) -> None:
    assert dose_as_named(text) == named
    assert dose_as_named(named) == named


@pytest.mark.parametrize("text", ["CT Thorax 2 Tbl.", "glucose 250mg/dl", "LGMD2G", "HbA1c 7,5", "tab", "1.5cm lesion"])
def test_what_tells_no_dose_stays(text: str) -> None:
    assert dose_as_named(text) == text
