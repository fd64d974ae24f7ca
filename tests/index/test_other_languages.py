"""Queries in other languages than English, over names in English, in that language, and in both."""

from __future__ import annotations

from typing import Any

import pytest

from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.tables.columns import ColumnMapping, ColumnQualifier
from ontonym.store import build_terminology, open_terminology
from ontonym.tasks import search
from ontonym.tasks.explain.texts import language_advice

ENGLISH = ("Headache", "Urinary tract infection", "Fever", "Pneumonia", "Rubella", "Stroke", "Erythema nodosum")
GERMAN = ("Kopfschmerzen", "Harnwegsinfektion", "Fieber", "Pneumonie", "Röteln", "Schlaganfall", "Erythema nodosum")


@pytest.fixture
def german(workshop: Any) -> Any:
    """Names in German alone, as a classification of a German hospital has them."""
    file = workshop.folder / "icd.csv"
    rows = [f"{number};{name}" for number, name in enumerate(GERMAN, 100)]
    file.write_text("\n".join(["Schlüssel;Titel", *rows]), encoding="utf-8")
    roles = {"id": ("Schlüssel",), "preferred": ("Titel",)}
    columns = ColumnMapping.of(roles, [ColumnQualifier("preferred", "Titel", "de")])
    options = ReadOptions(columns=columns, prefix="ICD10GM", name="icd")
    build_terminology(read_release([file], options=options), workshop.folder / "icd.terminology")
    return workshop.index(workshop.keep(open_terminology(workshop.folder / "icd.terminology")))


@pytest.fixture
def english(workshop: Any) -> Any:
    return workshop.index(workshop.terminology("made", *(f"id: M:{n}\nname: {one}" for n, one in enumerate(ENGLISH))))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Kopfweh", "Kopfschmerzen"),
        ("HWI", "Harnwegsinfektion"),
        ("V.a. Lungenentzündung", "Pneumonie"),
        ("Z.n. Apoplex", "Schlaganfall"),
        ("Roeteln", "Röteln"),
        ("Ro\u0308teln", "Röteln"),
        ("RÖTELN", "Röteln"),
    ],
)
def test_everyday_words_and_abbreviations_of_the_language_of_the_names(german: Any, text: str, name: str) -> None:
    assert search(german, text)[0].preferred == name


def test_the_reason_says_what_was_read(german: Any) -> None:
    assert "read as “Harnwegsinfektion”" in search(german, "HWI")[0].reason.detail


def test_a_negation_of_another_language_is_set_aside_and_said(german: Any, english: Any) -> None:
    (hit, *_) = search(german, "kein Fieber")
    assert (hit.preferred, hit.reason.negated) == ("Fieber", True)
    (hit, *_) = search(english, "sin fever")
    assert (hit.preferred, hit.reason.negated) == ("Fever", True)


def test_english_names_are_found_by_whole_phrases_that_are_not_english(english: Any) -> None:
    assert search(english, "dolor de cabeza")[0].preferred == "Headache"
    assert search(english, "头痛")[0].preferred == "Headache"
    assert all(hit.confidence < 0.5 for hit in search(english, "HWI"))


def test_words_of_another_language_are_no_abbreviations(english: Any) -> None:
    assert all(hit.confidence < 0.5 for hit in search(english, "manchas en la orina"))


def test_names_that_leave_something_open_are_found_without_that(workshop: Any) -> None:
    names = ("Harnwegsinfektion, Lokalisation nicht näher bezeichnet", "Blasenentzündung")
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names)))
    (hit, *_) = search(workshop.index(made), "Harnwegsinfektion")
    assert (hit.id, hit.matched, hit.source) == ("M:0", "Harnwegsinfektion", "shortened")


def test_a_code_in_full_width_characters_is_one(english: Any) -> None:
    assert search(english, "Ｍ：４")[0].reason.rule == "code"
    assert search(english, "Ｍ：４")[0].preferred == "Rubella"


def test_advice_where_no_answer_is_sure_and_the_index_has_other_languages(english: Any, german: Any) -> None:
    text = "manchas rojas en la espalda"
    said = language_advice(english, text, search(english, text))
    assert "looks Spanish" in said
    assert "the encoder `multilingual` (the package ontonym-multilingual)" in said
    assert language_advice(german, text, search(german, text)) == ""  # it is asked in several languages
    assert language_advice(english, "pneumonia", search(english, "pneumonia")) == ""
    assert language_advice(english, "red spots on the back", []) == ""
    assert language_advice(english, "dolor de cabeza", search(english, "dolor de cabeza")) == ""
