"""Measured values as what they say: which are beyond their limits, and what is no value of a measure."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.values import measured, scales, values_in_words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("BP 180/110", "high blood pressure"),
        ("bp of 150 over 85", "high blood pressure"),
        ("BP 85/50", "low blood pressure"),
        ("K 6.2", "hyperkalemia"),
        ("K+ 2.9 mmol/L", "hypokalemia"),
        ("Na: 121", "hyponatremia"),
        ("Hb 72", "anemia"),
        ("hgb 7.2 g/dl", "anemia"),
        ("sats 84% on air", "hypoxemia on air"),
        ("toddler has a temp of 39", "toddler has a fever"),
        ("temperature 101.5", "fever"),
        ("fever of 39.5", "fever"),
        ("pyrexial 38.2, cough", "fever, cough"),
        ("BM 2.1", "hypoglycemia"),
        ("blood sugar 250 mg/dl", "hyperglycemia"),
        ("eGFR 28", "decreased glomerular filtration rate"),
        ("BMI 17", "underweight"),
        ("plt 23, temp 38.9", "thrombocytopenia, fever"),
        ("PAIN ABD TEMP 39", "PAIN ABD FEVER"),
        ("T 39.6, P 128, QTc 492 ms", "fever, tachycardia, prolonged QT interval"),
        ("temp 39 HR 140", "fever tachycardia"),
        ("5 month old, temp 39", "5 month old, fever"),
        ("71 y/o, BP 180/110", "71 y/o, high blood pressure"),
        ("Hb < 70", "anemia"),
        ("HR120", "tachycardia"),
        ("RR 32/min, WBC 25.0 K/µL", "tachypnea, leukocytosis"),
        ("age: 40y, HR 130", "age: 40y, tachycardia"),
    ],
)
def test_a_value_beyond_its_limits_is_a_finding(text: str, said: str) -> None:
    assert values_in_words(text)[0] == said


@pytest.mark.parametrize(
    "text",
    [
        "BP 120/80",
        "BP 20/6",  # no pressure
        "Na 140",
        "temp 37.2",
        "vitamin K 6",
        "CA 125",
        "CA 19-9",
        "Body mass index [BMI] 40.0-44.9, adult",
        "mg 9",  # a unit
        "500 MG 3",
        "K 62",  # no value of potassium
        "trisomy 21",
        "sat 3 hours",
        "cell loss in CA1 and CA3",
        "T40.1 poisoning, K02, P22.1",  # codes
        "p 128",  # a page
        "aim Hb > 80, keep sats 84, transfuse below Hb 70",
        "temp < 38.5",
        "5 month old, HR 150, RR 40, BP 70/40",  # usual at this age
        "aged 4, BMI 15",
        "newborn, pulse 140",
        "aged 5 months, HR 150",
        "Age: 18 mo, RR 40",
        "age 5/12, HR 140",
        "age:7yrs, HR 130",
        "8 y.o. boy, HR 130",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert values_in_words(text) == (text, ())


def test_a_long_text_takes_time_by_its_length() -> None:
    text = "K6," * 40_000
    began = process_time()
    assert measured(text) == []
    assert process_time() - began < 5  # by the square of its length it took fifteen


def test_what_was_replaced_is_told() -> None:
    assert values_in_words("Na 121, HR 130")[1] == (("Na 121", "hyponatremia"), ("HR 130", "tachycardia"))


def test_every_scale_is_in_order() -> None:
    for form, some in scales().items():
        for scale in some:
            assert scale.lowest < scale.highest, form
            assert (scale.low > scale.lowest) == bool(scale.below) and (scale.high < scale.highest) == bool(scale.above)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("glucose 25 mmol/L", "hyperglycemia"),
        ("glucose 25 mg/dL", "hypoglycemia"),
        ("glucose 25", "glucose 25"),  # very low in America, very high elsewhere
        ("glucose 55", "hypoglycemia"),
        ("BM 25", "hyperglycemia"),
        ("Hb 8.1 mmol/l", "Hb 8.1 mmol/l"),  # a unit of which the limits are not known
        ("Hb 81 g/L", "anemia"),
        ("creatinine 140 µmol/L", "elevated creatinine"),
        ("temp 38.9 °C", "fever"),
        ("temp 102 degrees F", "fever"),
        ("K 6.2mEq/L", "hyperkalemia"),
        ("WBC 15000", "leukocytosis"),
        ("WBC 2,100 cells/uL", "leukopenia"),
        ("WBC 300/uL", "WBC 300/uL"),  # no 300 thousand
        ("wbc 11,200", "wbc 11,200"),
        ("platelets 20,000/mm3", "thrombocytopenia"),
        ("ALT 1,200", "elevated serum ALT"),
        ("K 6,2", "hyperkalemia"),  # a comma before one digit is a decimal point
    ],
)
def test_the_unit_says_by_which_limits_a_value_is_read(text: str, said: str) -> None:
    assert values_in_words(text)[0] == said
