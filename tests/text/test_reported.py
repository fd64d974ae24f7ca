"""Reports on siblings: whether a relative is one of the patients of the text."""

from __future__ import annotations

import pytest

from ontonym.text.notes.context import contexts
from ontonym.text.notes.reported import written_about


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("We report two siblings, a girl and a boy, with ataxia.", False),
        ("Here we describe the features of three affected sisters with ataxia.", False),
        ("Two brothers with early deafness and ataxia are reported.", False),
        ("We describe monozygotic twins with ataxia.", False),
        ("Case report of two sisters. The elder sister had ataxia.", False),
        ("Assessment of two brothers with delay. Both brothers have ataxia.", False),
        ("I reviewed the two brothers. The older brother has ataxia.", False),
        ("We report two brothers. Their sister had ataxia.", True),
        ("We report two brothers. An unaffected sister had ataxia.", True),
        ("We report two brothers. Their mother had ataxia.", True),
        ("We describe a girl and her two brothers with ataxia.", False),
        ("We describe a girl whose two brothers had ataxia.", True),
        ("She reports two brothers with ataxia.", True),
        ("Her two brothers were found to have ataxia.", True),
        ("Both siblings have ataxia.", True),
        ("The older brother has ataxia.", True),
    ],
)
def test_siblings_on_whom_a_text_reports_are_its_patients(text: str, family: bool) -> None:
    assert ("family" in _context(text)) is family


@pytest.mark.parametrize(
    "text",
    [
        "The mother of patient 2 had ataxia.",
        "The sister of the first patient had ataxia.",
        "The parents of these patients had ataxia.",
        "The brother of the younger girl had ataxia.",
    ],
)
def test_relatives_of_one_of_several_patients_are_relatives(text: str) -> None:
    assert _context(text) == ("family",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He and his sister have ataxia.", ()),
        ("The patient and her mother had ataxia.", ()),
        ("The mother and her sister had ataxia.", ("family",)),
        ("He lives with his mother, and his brother has ataxia.", ("family",)),
        ("Mild ataxia had been noted in her older sister.", ("family",)),
        ("There was ataxia on the maternal side.", ("family",)),
        ("The ataxia was reported on the father's side.", ("family",)),
        ("Gout occurred in three, ataxia in none.", ("negated",)),
        ("The ataxia occurred in three, gout in none.", ()),
        ("The ataxia occurred in none.", ("negated",)),
        ("The ataxia in two weeks was found in none.", ("negated",)),
        ("It was not clear whether she had ataxia.", ("uncertain",)),
        ("It is unclear if she has had ataxia.", ("uncertain",)),
        ("Surveillance for ataxia was started.", ("hypothetical",)),
    ],
)
def test_reports_say_who_has_something(text: str, expected: tuple[str, ...]) -> None:
    assert _context(text) == expected


def _context(text: str) -> tuple[str, ...]:
    start = text.index("ataxia")
    (found,) = contexts(text, [(start, start + len("ataxia"))])
    return found


@pytest.mark.parametrize(
    ("text", "kin"),
    [
        ("Hello, I'm writing about my daughter Mia (4). She has ataxia.", "daughter"),
        ("I am worried about my 3 year old son, who has a rash.", "son"),
        ("Calling on behalf of our mum: she fell.", "mum"),
        ("I am worried because my father had ataxia.", ""),
        ("A question about my mother's ataxia and me.", ""),
        ("I have ataxia. My son is well.", ""),
    ],
)
def test_whom_a_message_is_about(text: str, kin: str) -> None:
    assert written_about(text) == kin


def test_who_is_written_about_is_the_patient() -> None:
    asked = "I'm writing about my daughter. "
    assert _context(f"{asked}She has ataxia.") == ()
    assert _context(f"{asked}My daughter has ataxia.") == ()
    assert _context(f"{asked}Her grandmother has ataxia.") == ("family",)
    assert _context(f"{asked}My husband is well. He has ataxia.") == ("family",)
    assert _context("I'm writing about my work. My daughter has ataxia.") == ("family",)
