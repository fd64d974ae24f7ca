from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.composite import denied_apart, list_items, split_composite


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("breast and ovarian cancer", ("breast cancer", "ovarian cancer")),
        (
            "colorectal, endometrial, and ovarian cancers",
            ("colorectal cancers", "endometrial cancers", "ovarian cancers"),
        ),
        ("breast and/or ovarian cancer", ("breast cancer", "ovarian cancer")),
        ("cleft lip/palate", ("cleft lip", "cleft palate")),
        ("Duchenne/Becker muscular dystrophy", ("Duchenne muscular dystrophy", "Becker muscular dystrophy")),
        ("C6 and C7 deficiencies", ("C6 deficiencies", "C7 deficiencies")),
        ("deficiency of C6 and C7", ("deficiency of C6", "deficiency of C7")),
        ("cancer of the breast and ovaries", ("cancer of the breast", "cancer of the ovaries")),
        ("prostaglandin D2, E2, or F2 alpha", ("prostaglandin D2", "prostaglandin E2", "prostaglandin F2 alpha")),
        ("cardiac dilation and dysfunction", ("cardiac dilation", "cardiac dysfunction")),
        (
            "cardiovascular and central nervous system toxicity",
            ("cardiovascular toxicity", "central nervous system toxicity"),
        ),
        ("hypo- and hyperthyroidism", ("hypothyroidism", "hyperthyroidism")),
        (
            "basal cell, colonic and cervical carcinomas",
            ("basal cell carcinomas", "colonic carcinomas", "cervical carcinomas"),
        ),
        ("hepatitis B/C", ("hepatitis B", "hepatitis C")),
        ("hepatitis B and C", ("hepatitis B", "hepatitis C")),
        ("type 1 and 2 diabetes", ("type 1 diabetes", "type 2 diabetes")),
        ("type 1/2 diabetes", ("type 1 diabetes", "type 2 diabetes")),
        (
            "stage I, II or III breast cancer",
            ("stage I breast cancer", "stage II breast cancer", "stage III breast cancer"),
        ),
        ("diabetes types 1 and 2", ("diabetes types 1", "diabetes types 2")),
        ("factor V/VIII deficiency", ("factor V deficiency", "factor VIII deficiency")),
        ("breast, brain, and prostate cancer", ("breast cancer", "brain cancer", "prostate cancer")),
        ("colon and some other cancers", ("colon cancers", "other cancers")),
        ("familial breast and ovarian cancer", ("familial breast cancer", "familial ovarian cancer")),
        ("acute renal and hepatic failure", ("acute renal failure", "acute hepatic failure")),
        ("acute and chronic hepatitis", ("acute hepatitis", "chronic hepatitis")),
        ("left and right leg pain", ("left leg pain", "right leg pain")),
        ("left hip and knee pain", ("left hip pain", "left knee pain")),
        ("non-Hodgkin and Hodgkin lymphoma", ("non-Hodgkin lymphoma", "Hodgkin lymphoma")),
    ],
)
def test_coordination_gives_the_names_it_stands_for(text: str, names: tuple[str, ...]) -> None:
    assert split_composite(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("renal failure and hypertension", ("renal failure", "hypertension")),
        ("ataxia and seizures", ("ataxia", "seizures")),
        ("acute renal failure and liver damage", ("acute renal failure", "liver damage")),
        ("hepatitis and lung cancer", ("hepatitis", "lung cancer")),
        ("acute renal failure and hepatic failure", ("acute renal failure", "hepatic failure")),
        ("nausea, vomiting", ("nausea", "vomiting")),
    ],
)
def test_complete_conjuncts_borrow_nothing(text: str, names: tuple[str, ...]) -> None:
    assert split_composite(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "hemorrhagic cystitis",
        "CL/P",
        "hand-foot syndrome",
        "",
        "complement deficiencies (C2 and C7)",
        "Anderson disease",
        "abdominal pain without nausea or vomiting",
        "no fever or chills",
        "nephritis, type 2",
        "fracture of femur, left",
        "autoimmune lymphoproliferative syndrome, type Ia",
        "blood pressure 120/80",
        "N/A",
    ],
)
def test_what_is_no_coordination_stays_whole(text: str) -> None:
    assert split_composite(text) == (text,)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("HTN, DM, CAD", ("HTN", "DM", "CAD")),
        ("fever, cough and sore throat", ("fever", "cough", "sore throat")),
        ("HTN; DM2; CKD3", ("HTN", "DM2", "CKD3")),
        ("1. HTN 2. DM", ("HTN", "DM")),
        ("cough + fever", ("cough", "fever")),
        ("asthma/COPD", ("asthma", "COPD")),
        ("HTN\nCOPD", ("HTN", "COPD")),
        ("gout, gout", ("gout",)),
        ("no fever; cough or chills\nasthma", ("no fever", "cough or chills", "asthma")),
        ("fever, no cough", ("fever", "no cough")),
        ("no fever, no cough", ("no fever", "no cough")),
        ("asthma, but denies chest pain", ("asthma", "denies chest pain")),
        ("cellulitis leg ? DVT", ("cellulitis leg", "DVT")),
        ("wt loss + night sweats ?lymphoma", ("wt loss", "night sweats", "lymphoma")),
    ],
)
def test_a_list_gives_its_items_as_they_are(text: str, items: tuple[str, ...]) -> None:
    assert list_items(text) == items


@pytest.mark.parametrize(
    "text",
    [
        "",
        "asthma",
        "asthma, mild",
        "Muskelschwäche, proximal",
        "ataxia, progressive",
        "nephritis, type 2",
        "fracture, left",
        "no fever, cough",
        "epilepsy, not intractable, without status epilepticus",
        "HIV test, no",
        "fever, no cough, chills",
        "CL/P",
        "blood pressure 120/80",
        "osteoarthritis, bilat",
        "osteoarthritis, rt hip",
        "pneumonia, unsp organism",
        "BP 160/110",
        "HER2+ breast cancer",
        "Ca++ low",
        "deafness, autosomal recessive 3",
        "ataxia, adult-onset",
    ],
)
def test_what_is_no_list_stays_whole(text: str) -> None:
    assert list_items(text) == (text,)


def test_marks_alone_part_what_no_word_joins() -> None:
    assert list_items("fever, nausea and vomiting", joined=False) == ("fever", "nausea and vomiting")
    assert list_items("nausea and vomiting", joined=False) == ("nausea and vomiting",)


@pytest.mark.parametrize("text", ["HTN + DM", "HTN+DM", "HTN +DM"])
def test_a_plus_that_is_no_sign_parts(text: str) -> None:
    assert list_items(text) == ("HTN", "DM")


def test_equal_names_come_once() -> None:
    assert split_composite("breast cancer and breast cancer") == ("breast cancer",)


def test_long_runs_of_white_space_take_no_time():
    gap = " " * 20_000
    assert split_composite(f"breast{gap}and{gap}ovarian{gap}cancer") == ("breast cancer", "ovarian cancer")
    assert list_items(f"fever{gap}\n{gap}dry{gap}cough") == ("fever", "dry cough")


def test_a_long_row_of_numerals_takes_no_time() -> None:
    began = process_time()
    row = "/".join("IX" * 50)
    assert split_composite(f"type {row}-") == (f"type {row}-",)  # each letter was tried in two ways, so 2 to the 100th
    assert split_composite("type II/I/X") == ("type II", "type I", "type X")
    assert process_time() - began < 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cough no fever", ("cough", "no fever")),
        ("cough but no fever or chills", ("cough", "no fever", "no chills")),
        ("chest pain w/o a cough", ("chest pain", "no cough")),
        ("pain without nausea, vomiting", ("pain without nausea, vomiting",)),
        ("no fever", ("no fever",)),
        ("cough", ("cough",)),
    ],
)
def test_what_is_denied_is_apart(text: str, parts: tuple[str, ...]) -> None:
    assert denied_apart(text) == parts
