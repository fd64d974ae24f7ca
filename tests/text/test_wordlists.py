"""Lists of words that are compared with normalized words hold such words: another one would never be found."""

from __future__ import annotations

from importlib import import_module

import pytest

from ontonym.text.doses import drug_names
from ontonym.text.findings import has_abnormal_word
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import words_on


@pytest.mark.parametrize(
    "place",
    [
        "wordlists.SMALL", "wordlists.MODIFIERS", "wordlists.GENERIC", "wordlists.MANNER", "wordlists.OBSERVED",
        "wordlists.QUALIFYING", "wordlists.ASKED_FOR", "wordlists.TESTED_FOR", "wordlists.REMEDIES",
        "findings._HARM",
        "findings.DAMAGE", "rewordings.FUNCTIONS", "rewordings.IMPAIRED", "rewordings.IMPLIED", "rewordings.PARTS",
        "amounts.AMOUNTS", "amounts.MEASURED", "doses.DOSE_FORMS", "doses._SALTS", "doses._MEASURES",
        "phraseborders._THINGS", "qualifiers.ONSETS",
    ],
)  # fmt: skip
def test_a_list_of_normalized_words_has_no_others(place: str) -> None:
    module, name = place.split(".")
    listed = getattr(import_module(f"ontonym.text.{module}"), name)
    assert [word for word in listed if tokens(word) != word.split()] == []


def test_the_axes_have_normalized_words_alone() -> None:
    assert [word for word in words_on("amount", "size", "course", "age") if tokens(word) != [word]] == []


def test_the_forms_of_drugs_in_other_languages_are_left_out() -> None:
    assert list(drug_names(tokens("metformina comprimidos"))) == [("metformina",)]
    assert list(drug_names(tokens("amoxicilline gélules"))) == [("amoxicilline",)]


def test_what_is_broken_is_abnormal() -> None:
    assert has_abnormal_word(tokens("broken arm"))
    assert not has_abnormal_word(tokens("arm"))
