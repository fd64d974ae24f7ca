"""What lists and records add to a finding is no part of it; what looks alike stays."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.records import without_own_code, without_record


@pytest.mark.parametrize(
    "text",
    [
        "1. Asthma", "2) Asthma", "#3 Asthma", "#4: Asthma", "- Asthma", "• Asthma", "Asthma (disorder)",
        "Asthma (Finding)", "J45.909 Asthma", "J45 - Asthma", "J45: Asthma", "Asthma J45.9", "Asthma (J45)",
        "Asthma [J45.9]", "Asthma - J45", "[X]Asthma", "Asthma NEC", "Asthma, nec", "Asthma 2015", "Asthma in 2015",
        "Asthma, dx 2015", "Asthma (2015)",
        "HP:0002099 Asthma", "HP:0002099 ! Asthma", "Asthma [HP:0002099]", "ICD10CM:J45.9 Asthma", "195967001 |Asthma|",
        "Asthma MONDO:0004979",
        "Asthma (< -3 SD)", "Asthma -2.5 SDS", "Asthma, < -2 SD", "Asthma (-4,2 SD)",
        "Asthma 2019-03-01", "Asthma - 2019-03-01T00:00:00", "Asthma (dx 3/1/2019)", "Asthma, 01.03.2019",
        "Asthma 3/1/19 12:30", "Asthma since 15-Mar-2019", "Asthma on March 3, 2019", "Asthma (Mar 2019)",
        "Asthma; onset: 2012-05", "2019-03-01 Asthma", "3/1/2019: Asthma", "Asthma - see notes", "Asthma (see below)",
        "Asthma 2019, see chart",
        "Asthma T3N1M0", "Asthma pT2N0", "Asthma (cT1cNxM0)", "Asthma, stage T2 N1 M1b",
        "Asthma (ICD-9-CM 493.90)", "Asthma (ICD-9: 493.9)", "Asthma [SCT 195967001]", "Asthma (ICD 10 code J45)",
        "Asthma (icd10)", "Asthma (ICD-10-CM)",
        "<b>Asthma</b>", "<td class='x'>Asthma</td>", "Asthma<br/>",
        "Asthma '09", "Asthma since 05/2018", "Asthma since age 12", "1) J45.9 - Asthma (disorder)",
    ],
)  # fmt: skip
def test_what_a_record_adds_is_left_out(text: str) -> None:
    assert without_record(text) == "Asthma"


@pytest.mark.parametrize(
    "text",
    [
        "", "2015", "J45.9", "(disorder)", "[X]", "T12 fracture", "fracture T2",
        "N1 M0 disease", "lesion T2 N4", "vitamin B12", "hepatitis B", "L4 - L5 disc prolapse",
        "trisomy 21", "2019 novel coronavirus", "COVID-19", "stage 2 - CKD", "burn (50%)", "insect bite (nonvenomous)",
        "3 months old", "no. 5", "HP:0002099", "195967001", "pH: 7.1", "ratio 1:2",
        "2019-nCoV disease", "2019-03-01", "see notes", "pain 8/10", "section 1.2.19", "influenza 2018-19",
        "allergy may 2", "unable to see", "BP 120/80",
        "a <b and c", "50%20", "weight <b2", "pain (OMIM)",
        "non-healing ulcer", "x-linked", "pain at rest", "asthma since birth",
    ],
)  # fmt: skip
def test_what_looks_alike_stays(text: str) -> None:
    assert without_record(text) == text


@pytest.mark.parametrize(
    "text", ["PMH: asthma", "PMHx asthma", "past medical history of asthma", "Past history - asthma"]
)
def test_a_past_history_is_a_history(text: str) -> None:
    assert without_record(text) == "history of asthma"


def test_spaces_of_an_address_are_read() -> None:
    assert without_record("lung%20abscess%2C%20old") == "lung abscess, old"


def test_characters_that_html_writes_out_are_read() -> None:
    assert without_record("ulcer &amp; bleeding &lt; 2 cm") == "ulcer & bleeding < 2 cm"


@pytest.mark.parametrize(
    "text", ["Asthma, not otherwise specified", "Asthma (not otherwise specified)", "Asthma not further specified",
             "Asthma (unspecified)"]
)  # fmt: skip
def test_what_leaves_the_rest_open_is_short_for_nos(text: str) -> None:
    assert without_record(text) == "Asthma NOS"


@pytest.mark.parametrize("text", ["1) " * 3_000 + "x", "x " + "in " * 5_000, "x" + " " * 40_000 + "y", "x (" * 4_000])
def test_what_repeats_takes_time_by_its_length(text: str) -> None:
    began = process_time()
    assert without_record(text).startswith(("1)", "x"))
    assert process_time() - began < 2


@pytest.mark.parametrize(
    "text",
    ["DO NOT USE - Asthma", "Asthma - DO NOT USE", "*** DO NOT USE *** Asthma", "(obsolete) Asthma", "obsolete Asthma",
     "Asthma [do not use]", "OBSOLETE: Asthma", "Asthma (no longer valid)", "Asthma - old code", "Veraltet: Asthma",
     "Asthma (nicht mehr verwenden)", "NE PLUS UTILISER - Asthma", "Asthma (no usar)"],
)  # fmt: skip
def test_that_an_entry_is_out_of_use_is_left_out(text: str) -> None:
    assert without_record(text) == "Asthma"


@pytest.mark.parametrize(
    "text",
    ["Do not use hands", "does not use arm", "inactive tuberculosis", "Tuberculosis - inactive", "do not use",
     "Asthma, unspecified", "arm not in use since birth", "retired teacher"],
)  # fmt: skip
def test_what_is_no_mark_of_a_list_stays(text: str) -> None:
    assert without_record(text) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Z187 - Asthma", "Asthma"),
        ("4711: Appendectomy", "Appendectomy"),
        ("(0815) CT head", "CT head"),
        ("P030/10 - Skin graft", "Skin graft"),
        ("CA125: raised", "CA125: raised"),  # names have it as a word
        ("Z187 - Asthma 7x", "Z187 - Asthma 7x"),  # no name has the last
        ("120 - 140 bpm", "120 - 140 bpm"),
        ("T12 - L1 fracture", "T12 - L1 fracture"),
        ("100 mg", "100 mg"),
    ],
)
def test_a_code_of_ones_own_list_is_left_out_where_no_name_has_it(text: str, name: str) -> None:
    known = {"CA125", "raised", "Asthma", "Appendectomy", "CT head", "Skin graft", "L1 fracture", "bpm", "mg"}
    assert without_own_code(text, known.__contains__) == name
