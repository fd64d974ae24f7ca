"""Apostrophes that people leave out."""

from __future__ import annotations

import pytest

from ontonym.text.contractions import with_apostrophes, written_out


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("cant get to sleep", "can't get to sleep"),
        ("nose wont stop bleeding", "nose won't stop bleeding"),
        ("Doesnt talk yet", "Doesn't talk yet"),
        ("im tired, ive no energy", "i'm tired, i've no energy"),
        ("theyre all itchy", "they're all itchy"),
        ("IM injection", "IM injection"),  # intramuscular
        ("CANT SLEEP", "CANT SLEEP"),
        ("we were ill", "we were ill"),
        ("cant", "cant"),  # a word too
        ("Blut im Stuhl", "Blut im Stuhl"),  # German
        ("descant hadntal", "descant hadntal"),
    ],
)
def test_what_is_left_out(text: str, whole: str) -> None:
    assert with_apostrophes(text) == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("L-sided weakness", "left-sided weakness"),
        ("pain, Rt-sided", "pain, right-sided"),
        ("head & neck", "head and neck"),
        ("D & V", "D & V"),
        ("R&D", "R&D"),
        ("HR-sided", "HR-sided"),
        ("one-sided", "one-sided"),
    ],
)
def test_what_is_shortened_is_written_out(text: str, whole: str) -> None:
    assert written_out(text) == whole
