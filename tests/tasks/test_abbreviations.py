from time import process_time

import pytest

from ontonym.text.abbreviations import (
    abbreviations_in,
    expand,
    find_abbreviations,
    implied_long_forms,
    without_own_initials,
)


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("Patients with renal cell carcinoma (RCC) were seen.", "RCC", "renal cell carcinoma"),
        ("Myotonic dystrophy (DM) is common.", "DM", "Myotonic dystrophy"),
        ("attenuated adenomatous polyposis coli (AAPC)", "AAPC", "attenuated adenomatous polyposis coli"),
        ("the gene for adrenoleukodystrophy (ALD).", "ALD", "adrenoleukodystrophy"),
        ("Known as RCC (renal cell carcinoma) here.", "RCC", "renal cell carcinoma"),
        ("congestive heart failure (heart failure; CHF) was", "CHF", "congestive heart failure"),
        ("ataxia-telangiectasia (A-T) cells", "A-T", "ataxia-telangiectasia"),
    ],
)
def test_a_definition_is_found(text, short, long):
    assert find_abbreviations(text)[short] == long


@pytest.mark.parametrize(
    "text",
    [
        "Ten patients (N = 10) were seen.",
        "as was shown (see above).",
        "in a mouse (Smith 1998).",
        "weights rose (P < 0.05)",
        "(CT) first",
        "",
        "unbalanced ( bracket",
    ],
)
def test_other_parentheses_define_nothing(text):
    assert find_abbreviations(text) == {}


def test_a_definition_does_not_reach_over_the_end_of_a_sentence():
    assert find_abbreviations("Renal cell. Carcinoma (RCC) was rare.") == {}


def test_the_first_definition_holds():
    text = "renal cell carcinoma (RCC) and red cell count (RCC)"
    assert find_abbreviations(text) == {"RCC": "renal cell carcinoma"}


def test_mentions_are_written_out():
    known = {"ALD": "adrenoleukodystrophy", "HPT-JT": "hyperparathyroidism-jaw tumor syndrome", "RCC": "renal cancer"}
    assert expand("ALD", known) == "adrenoleukodystrophy"
    assert expand("cerebral ALD", known) == "cerebral adrenoleukodystrophy"
    assert expand("RCCs", known) == "renal cancer"
    assert expand("HPT-JT syndrome", known) == "hyperparathyroidism-jaw tumor syndrome"
    assert expand("renal cancer (RCC)", known) == "renal cancer"
    assert expand("bald", known) == "bald"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("found with Prader-Willi syndrome (PWS) and", "PWS"),
        ("the ataxia-telangiectasia (A-T) gene", "A-T"),
    ],
)
def test_a_long_form_does_not_begin_with_a_link(text, short):
    assert find_abbreviations(text)[short] in ("Prader-Willi syndrome", "ataxia-telangiectasia")


def test_definitions_are_found_in_a_text_of_any_length():
    filler = "word (in brackets) " * 20_000
    assert find_abbreviations(f"{filler}von Hippel-Lindau (VHL) {filler}myotonic dystrophy (DM)") == {
        "VHL": "von Hippel-Lindau", "DM": "myotonic dystrophy",
    }  # fmt: skip


def test_half_a_parenthesis_is_no_long_form():
    assert find_abbreviations("HLA-H (now HFE) The hemochromatosis gene (HFE)").get("HFE") != (
        "HFE) The hemochromatosis gene"
    )


@pytest.mark.parametrize(
    ("short", "passage", "long_forms"),
    [
        ("MED", "In multiple epiphyseal dysplasia, MED genes.", ["multiple epiphyseal dysplasia"]),
        ("VCFS", "velo-cardio-facial syndrome", ["velo-cardio-facial syndrome"]),
        ("A-T", "ataxia-telangiectasia cells", ["ataxia-telangiectasia"]),
        ("APC", "adenomatous polyps of the colon", ["adenomatous polyps of the colon"]),
        ("DM", "myotonic dystrophy. Diabetes mellitus; diabetes mellitus", ["Diabetes mellitus", "diabetes mellitus",
                                                                              "myotonic dystrophy"]),
        ("MED", "multiple epiphyseal. Dysplasia", []),
        ("med", "multiple epiphyseal dysplasia", []),
        ("MED1", "multiple epiphyseal dysplasia", []),
        ("MED", "", []),
    ],
)  # fmt: skip
def test_words_of_the_document_may_be_what_is_meant(short, passage, long_forms):
    assert implied_long_forms(short, passage) == long_forms


def test_many_spaces_before_initials_take_time_by_their_number() -> None:
    began = process_time()
    text = "sleep" + " " * 20_000 + "apnea (OSA)"
    assert without_own_initials(text) == text
    assert without_own_initials("sleep" + " " * 20_000 + "apnea (SA)") == "sleep apnea"
    assert process_time() - began < 1  # by the square of their number they took minutes


def test_which_abbreviations_were_written_out():
    known = {"ALD": "adrenoleukodystrophy", "RCC": "renal cancer", "ALDs": "all of them"}
    assert abbreviations_in("ALD", known) == {"ALD": "adrenoleukodystrophy"}
    assert abbreviations_in("RCCs with cerebral ALD", known) == {"RCC": "renal cancer", "ALD": "adrenoleukodystrophy"}
    assert abbreviations_in("ALDs and ALDs", known) == {"ALDs": "all of them"}
    assert abbreviations_in("renal cancer (RCC)", known) == {}
    assert abbreviations_in("bald", known) == {}


@pytest.mark.parametrize(
    "text",
    [
        "sleep apnea (SA)",
        "sleep apnea [S.A.]",
        "sleep apnea - SA",
        "SA - sleep apnea",
        "SA: sleep apnea",
        "SA (sleep apnea)",
    ],
)
def test_initials_of_the_whole_text_say_nothing_more(text):
    assert without_own_initials(text) == "sleep apnea"


def test_small_words_may_have_no_initial():
    assert without_own_initials("failure of the heart (FH)") == "failure of the heart"
    assert without_own_initials("failure of heart (FOH)") == "failure of heart"


@pytest.mark.parametrize("text", ["sleep apnea (OSA)", "sleep apnea (SA) now", "SA", "(SA)", "SA - apnea", "gout, RA"])
def test_other_initials_stay(text):
    assert without_own_initials(text) == text
