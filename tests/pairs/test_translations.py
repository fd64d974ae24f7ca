from __future__ import annotations

import pytest

from made import concept, examples_of, texts_of
from ontonym.errors import InputError
from ontonym.learning.recipes import PoolOptions
from ontonym.types import Term

ALL = PoolOptions(languages=())
CONCEPTS = [
    concept(
        "A", "fever", Term("pyrexia"), Term("Fieber", "preferred", language="de"), Term("fièvre", language="fr-CA"),
        Term("Pyrexia, raised", language="en-GB"),
    ),
    concept("B", "cough", "tussis"),
    concept("C", "asthma", Term("Asthma", "preferred", language="de"), Term("Atemnot", language="de")),
]  # fmt: skip


def test_names_in_different_languages_are_paired_dialects_are_one(open_concepts):
    examples = examples_of(open_concepts(CONCEPTS), "translations", pool=ALL)
    assert texts_of(examples) == [
        ("Fieber", "fever"), ("Fieber", "pyrexia"),
        ("fièvre", "fever"), ("fièvre", "pyrexia"), ("fièvre", "Fieber"),
        ("Pyrexia, raised", "Fieber"), ("Pyrexia, raised", "fièvre"),
        ("Atemnot", "asthma"),  # "Asthma" is spelled alike
    ]  # fmt: skip
    assert examples.described["languages"] == {"en": 6, "de": 2, "fr": 1}


def test_only_wanted_languages_take_part(open_concepts):
    made = texts_of(examples_of(open_concepts(CONCEPTS), "translations", pool=PoolOptions(languages=("de", "fr"))))
    assert made == [("fièvre", "Fieber")]


def test_a_translation_that_was_imported_by_itself_is_joined_by_its_ids(open_concepts):
    german = [concept("A", Term("Fieber", "preferred", language="de")), concept("B", Term("cough", language="de"))]
    english = [concept("A", "fever"), concept("C", "cough")]  # linked by name, but no translation
    made = texts_of(examples_of(open_concepts(english, german), "translations", pool=ALL))
    assert made == [("Fieber", "fever")]


def test_one_language_gives_nothing_and_says_what_is_needed(open_concepts):
    with pytest.raises(InputError, match=r"it needs names of a concept in several of the wanted languages"):
        examples_of(open_concepts(CONCEPTS), "translations")
