"""What tells the course of a finding is parted from the finding, and from nothing else."""

from __future__ import annotations

import pytest

from ontonym.text.courses import without_course


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("cough at night", "cough"),
        ("Cough, worse at night", "Cough"),
        ("pain under heel first thing in morning", "pain under heel"),
        ("stiff hands first thing every morning", "stiff hands"),
        ("pain which is worse at night", "pain"),
        ("wheeze on minimal exertion", "wheeze"),
        ("wrist pain - improving", "wrist pain"),
        ("wrist pain (resolved)", "wrist pain"),
        ("wrist pain is getting much worse", "wrist pain"),
        ("wrist pain not improving", "wrist pain"),
        ("wrist pain won't go away", "wrist pain"),
        ("bouts of wrist pain on and off", "wrist pain"),
        ("sudden onset severe wrist pain", "wrist pain"),
        ("pitting edema", "edema"),
        ("Severe, bilateral wrist pain", "wrist pain"),
        ("wrist pain, severe", "wrist pain"),
        ("edema - bilateral", "edema"),
        ("mild to moderate wrist pain", "wrist pain"),
        ("post-op wrist pain", "wrist pain"),
        ("ankle oedema L>R", "ankle oedema"),
        ("ankle oedema both sides", "ankle oedema"),
        ("PE bilat", "PE"),
        ("haematuria 3+", "haematuria"),
        ("haematuria ++", "haematuria"),
        ("MS relapse", "MS"),
        ("neuritis grade 2", "neuritis"),
        ("gum abscess upper left", "gum abscess"),
        ("wheezy when running around", "wheezy"),
        ("wrist pain keeping him awake", "wrist pain"),
        ("HTN - chronic", "HTN"),
        ("no cough at night", "no cough"),
        ("no severe wrist pain", "no wrist pain"),
        ("denies recent fits", "denies fits"),
    ],
)
def test_the_course_of_a_finding_is_set_aside(text: str, finding: str) -> None:
    assert without_course(text) == finding


@pytest.mark.parametrize(
    "text",
    [
        "wrist pain",
        "severe",
        "worse",
        "left side",
        "headache not worse at night",
        "tic-like symptoms",
        "colic type symptoms",
        "late walking",
        "vitamin K",
        "K+ 6.8",
        "nightmares",
        "rest home",
        "",
    ],
)
def test_a_text_without_a_course_has_nothing_set_aside(text: str) -> None:
    assert not without_course(text)


def test_a_long_text_is_read_in_time_that_grows_with_it() -> None:
    assert without_course("is worse at night " * 20_000 + "wrist pain") == ""
