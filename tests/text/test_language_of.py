from __future__ import annotations

import pytest

from ontonym.text.languages import LANGUAGES, is_said_in_english, language_of
from ontonym.text.lexicon import shipped_lexicon
from ontonym.text.records import without_record


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("sangre en la orina", "es"),
        ("Malattia di Alzheimer", "it"),
        ("crises d'épilepsie", "fr"),
        ("Schmerzen in der Brust und Fieber", "de"),
        ("inchaço nas pernas", "pt"),
        ("pijn bij het plassen", "nl"),
        ("3. ayak parmağı orta falanks aplazisi", "tr"),
        ("İŞİTME KAYBI", "tr"),
        ("průjem", "cs"),
        ("ﾃﾝｶﾝ", "ja"),
        ("头痛", "zh"),
        ("головная боль", "ru"),
        ("صداع", "ar"),
        ("כאב ראש", "he"),
    ],
)
def test_script_letters_and_function_words_tell_the_language(text: str, language: str) -> None:
    assert language_of(text) == language
    assert language in LANGUAGES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "heart skipping beats",
        "Flu -ve, covid -ve. No fever",
        "Sjögren syndrome",
        "Behçet's disease with ménière's",
        "de Quervain tenosynovitis",
        "von Willebrand disease",
        "la grippe",
        "HEADACHE NOS",
        "rash on the arm, dx: EN",
        "β-thalassemia",
        "TNFα",
    ],
)
def test_english_with_foreign_names_stays_english(text: str) -> None:
    assert language_of(text) == ""


@pytest.mark.parametrize(
    ("text", "is_english"),
    [
        ("DM type 2 w/o compl", True),
        ("Fx distal radius L", True),
        ("Hx of breast ca", True),
        ("Leistenbruch re", False),
        ("Oberschenkelhalsfraktur links", False),
        ("Akuter Myokardinfarkt", False),
        ("dolor de cabeza", False),
        ("SLE", False),
        ("", False),
    ],
)
def test_whether_a_name_in_a_list_of_another_language_is_english(text: str, is_english: bool) -> None:
    assert is_said_in_english(text) == is_english


def everything_unknown(word: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("text", "form"),
    [("sangre en la orina", "en"), ("Malattia di Alzheimer", "di"), ("sem febre com tosse", "sem")],
)
def test_words_of_another_language_are_no_english_abbreviations(text: str, form: str) -> None:
    assert form in shipped_lexicon()
    (itself,) = shipped_lexicon().expansions(text, everything_unknown)
    assert itself.text == text


def test_abbreviations_in_capitals_are_read_in_any_language() -> None:
    found = shipped_lexicon().expansions("neumonía con COPD", everything_unknown)
    assert "neumonía con chronic obstructive pulmonary disease" in [one.text for one in found]


@pytest.mark.parametrize(
    ("text", "meanings"),
    [("HbA1c", ["hemoglobin A1c"]), ("eGFR", ["estimated glomerular filtration rate"]), ("Hb", []), ("O-Bein", [])],
)
def test_abbreviations_with_a_capital_inside_are_read_in_any_language(text: str, meanings: list[str]) -> None:
    found = shipped_lexicon().expansions(text, everything_unknown, foreign=True)
    assert [one.text for one in found if one.changes] == meanings


@pytest.mark.parametrize(("text", "is_read"), [("apixaban 5 mg bd", False), ("gizmo BD", True)])
def test_how_often_a_drug_is_taken_is_no_other_abbreviation(text: str, is_read: bool) -> None:
    found = shipped_lexicon().expansions(text, everything_unknown)
    assert any("bipolar disorder" in one.text for one in found) == is_read


def test_a_number_with_a_dot_is_an_ordinal_in_other_languages() -> None:
    assert without_record("3. ayak parmağı yokluğu") == "3. ayak parmağı yokluğu"
    assert without_record("3. asthma") == "asthma"
    assert without_record("3) ayak parmağı yokluğu") == "ayak parmağı yokluğu"
