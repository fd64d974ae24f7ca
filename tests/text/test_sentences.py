"""Where sentences of clinical text end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.text.sentences import sentence_ends


def sentences(text: str) -> list[str]:
    edges = [0, *sentence_ends(text), len(text)]
    return [text[start:end].strip() for start, end in pairwise(edges) if text[start:end].strip()]


@pytest.mark.parametrize(
    "whole",
    [
        "Seen by Dr. Smith for fever",
        "Seen by Dr. J. R. Jones for fever",
        "Prof. Weiss of St. Mary saw no fever",
        "Warfarin 2.5 mg was given",
        "Metformin 500 mg b.i.d. for diabetes",
        "Aspirin q.d. for angina",
        "A mass of approx. 3 cm",
        "No rash, e.g. measles",
        "See Fig. 2 of the report",
        "Pt. denies fever",
        "No fever vs. No chills",
        "1. Asthma",
        "(2. asthma",
        "denies\nfever",
        "given\n3 days before",
    ],
)
def test_one_sentence(whole: str) -> None:
    assert sentences(whole) == [whole]
    assert sentences(f"{whole}. Then rest.") == [f"{whole}.", "Then rest."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No fever. Cough.", ["No fever.", "Cough."]),
        ("He has hepatitis B. She denies fever.", ["He has hepatitis B.", "She denies fever."]),
        ("Given at 5 p.m. She slept.", ["Given at 5 p.m.", "She slept."]),
        ("Weight 2.5. Cough.", ["Weight 2.5.", "Cough."]),
        ('"No fever." Cough!', ['"No fever."', "Cough!"]),
        ("Surgery for colon ca. Abd soft.", ["Surgery for colon ca.", "Abd soft."]),
        ("A mass of ca. 3 cm. Cough.", ["A mass of ca. 3 cm.", "Cough."]),
        ("No fever; cough", ["No fever;", "cough"]),
        ("No fever\n- cough\n- rash", ["No fever", "- cough", "- rash"]),
        ("No fever\n2) cough\n3) rash", ["No fever", "2) cough", "3) rash"]),
        ("No fever\nCough", ["No fever", "Cough"]),
        ("no fever\n\ncough", ["no fever", "cough"]),
        ("no fever\u2029cough", ["no fever", "cough"]),
        ("Fever? No. Cough.", ["Fever?", "No.", "Cough."]),
    ],
)
def test_several_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(st.sampled_from("aB. \n1)-;?\u2029(\"'"), max_size=60))
def test_places_ascend_and_lie_in_the_text(text: str) -> None:
    ends = sentence_ends(text)
    assert ends == sorted(set(ends))
    assert all(0 < end <= len(text) for end in ends)
