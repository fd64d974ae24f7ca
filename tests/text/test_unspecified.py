"""Names without what they leave unspecified."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.text.normalization import tokens
from ontonym.text.unspecified import without_brackets, without_unspecified


@pytest.mark.parametrize(
    ("name", "shorter"),
    [
        ("Burn of unspecified degree of hand, unspecified site", "Burn of hand"),
        ("Burn of unspecified degree of unspecified hand, unspecified site, sequela", "Burn of hand, sequela"),
        ("Unspecified part of left clavicle fractured", "left clavicle fractured"),
        ("Cough, unspecified", "Cough"),
        ("Infection of the canal, site not specified", "Infection of the canal"),
        ("Leukemia, not having achieved remission", "Leukemia, not having achieved remission"),
        ("Wound with unspecified depth of ankle", "Wound with depth of ankle"),
        ("Sprain of unspecified site", "Sprain"),
        ("Clot of unspecified deep veins of left leg", "Clot of deep veins of left leg"),
        ("Loss of unspecified finger with unspecified laterality", "Loss of finger"),
        ("Ulcer (unspecified)", "Ulcer ()"),
        ("Unspecified", ""),
        (
            "Laceration without foreign body of left index finger without damage to nail",
            "Laceration of left index finger",
        ),
        ("Umbilical hernia with obstruction, without gangrene", "Umbilical hernia with obstruction"),
        ("Bilateral hernia, without obstruction or gangrene, not specified as recurrent", "Bilateral hernia"),
        ("Mild persistent asthma, uncomplicated", "Mild persistent asthma"),
        ("Wound of chest without penetration into thoracic cavity", "Wound of chest"),
        ("Migraine without aura", "Migraine without aura"),
        ("Gangrene without foreign bodies", "Gangrene without foreign bodies"),
        ("Specified injury of head", "Specified injury of head"),
    ],
)
def test_what_is_left_open_is_left_out(name: str, shorter: str) -> None:
    assert without_unspecified(name) == shorter


@given(st.lists(st.sampled_from("unspecified,|Unspecified|site|degree|of|,|hand|left|with".split("|")), max_size=12))
def test_no_word_is_added_or_moved(words: list[str]) -> None:
    name = " ".join(words)
    rest = iter(tokens(name))
    assert all(word in rest for word in tokens(without_unspecified(name)))  # a subsequence


@pytest.mark.parametrize(
    ("name", "shorter"),
    [
        ("Insect bite (nonvenomous) of hip", "Insect bite of hip"),
        ("Stress incontinence (female) (male)", "Stress incontinence"),
        ("Giardiasis [lambliasis]", "Giardiasis"),
        (
            "Poisoning by insulin [drug], accidental (unintentional), sequela",
            "Poisoning by insulin, accidental, sequela",
        ),
        ("(Acute) appendicitis", "appendicitis"),
        ("1-(2-naphthyl)ethanol", "1-(2-naphthyl)ethanol"),
        ("Finger(s) missing", "Finger(s) missing"),
        ("Febrile seizure (at any age (months))", "Febrile seizure (at any age (months))"),
        ("(unknown)", "(unknown)"),
        ("Fever", "Fever"),
    ],
)
def test_what_stands_in_brackets_is_left_out(name: str, shorter: str) -> None:
    assert without_brackets(name) == shorter


@pytest.mark.parametrize(
    ("name", "shorter"),
    [
        ("Fieber, nicht näher bezeichnet", "Fieber"),
        ("Harnwegsinfektion, Lokalisation nicht näher bezeichnet", "Harnwegsinfektion"),
        ("Nicht näher bezeichneter Diabetes mellitus", "Diabetes mellitus"),
        ("Infección de vías urinarias, sitio no especificado", "Infección de vías urinarias"),
        ("Bronquitis, no especificada como aguda o crónica", "Bronquitis"),
        ("Pneumopathie, sans précision", "Pneumopathie"),
        ("Polmonite, non specificata", "Polmonite"),
        ("Pneumonia não especificada", "Pneumonia"),
        ("Infecção do trato urinário de localização não especificada", "Infecção do trato urinário"),
        ("Pneumonie, niet gespecificeerd", "Pneumonie"),
        ("未特指的肺炎", "肺炎"),
        ("肺炎，未特指", "肺炎"),
        ("詳細不明の肺炎", "肺炎"),
    ],
)
def test_what_other_languages_leave_open(name: str, shorter: str) -> None:
    assert without_unspecified(name) == shorter
