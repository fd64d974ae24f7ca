"""How words sound, and how far a misspelled word is from the right one."""

from __future__ import annotations

import pytest

from ontonym.index.spelling import misspelling
from ontonym.text.sounds import sound


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("excema", "eczema"),
        ("hemmoroids", "hemorrhoids"),
        ("siatica", "sciatica"),
        ("hypertenshun", "hypertension"),
        ("numonia", "pneumonia"),
        ("asma", "asthma"),
        ("flem", "phlegm"),
        ("rumatism", "rheumatism"),
        ("tyroid", "thyroid"),
        ("headake", "headache"),
        ("bronkitis", "bronchitis"),
        ("skizophrenia", "schizophrenia"),
        ("stroak", "stroke"),
        ("sore throte", "sore throat"),
        ("migranes", "migraines"),
        ("feaver", "fever"),
        ("fateeg", "fatigue"),
        ("caugh", "cough"),
        ("youveitis", "uveitis"),
        ("eyeritis", "iritis"),
    ],
)
def test_words_that_are_written_as_they_sound_sound_alike(written: str, right: str) -> None:
    assert sound(written) == sound(right)


@pytest.mark.parametrize(
    ("one", "other"), [("edema", "eczema"), ("ileum", "ilium"), ("hypotonia", "hypertonia"), ("streak", "stroke")]
)
def test_other_words_sound_otherwise(one: str, other: str) -> None:
    assert sound(one) != sound(other)


def test_a_misspelling_is_measured_in_letters_and_sounds() -> None:
    assert misspelling("eczema", "eczema") == 0
    assert misspelling("excema", "eczema") == 1  # two letters, no sound
    assert misspelling("excema", "edema") == 2
    assert misspelling("siatica", "sciatica") == 0.5
    assert misspelling("neisseria", "listeria") == 3.5  # and it begins otherwise
