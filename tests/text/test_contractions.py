"""Words as messages spell them."""

from __future__ import annotations

from time import process_time

import pytest

from ontonym.text.contractions import spelled_out


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
        ("throwin up since last nite", "throwing up since last night"),
        ("u get dizzy standin up", "you get dizzy standing up"),
        ("zzz qqq", "zzz qqq"),
        ("im soooo bloated, stomach hurtsss", "i'm so bloated, stomach hurts"),
        ("feeeel sick wen i eat", "feel sick when i eat"),
        ("rash n its itchy", "rash and its itchy"),
        ("cnt sleep", "can't sleep"),
        ("plt cnt 90", "plt cnt 90"),  # a count
        ("wen on scalp", "wen on scalp"),  # a cyst
        ("N and V", "N and V"),
        ("integrin defect", "integrin defect"),  # a word of names
        ("heparin, warfarin", "heparin, warfarin"),
        ("n gonorrhoeae infection", "n gonorrhoeae infection"),  # Neisseria
        ("infection with n gonorrhoeae", "infection with n gonorrhoeae"),
        ("prominent u waves", "prominent u waves"),
        ("does it burn when u pee", "does it burn when you pee"),
        ("type iii, 49 xxxxy", "type iii, 49 xxxxy"),
    ],
)
def test_what_is_left_out(text: str, whole: str) -> None:
    assert spelled_out(text, {"integrin", "wen"}.__contains__) == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("L-sided weakness", "left-sided weakness"),
        ("pain, Rt-sided", "pain, right-sided"),
        ("head & neck", "head and neck"),
        ("fever, chills, & cough", "fever, chills, and cough"),
        ("D & V", "D & V"),
        ("R&D", "R&D"),
        ("HR-sided", "HR-sided"),
        ("one-sided", "one-sided"),
        ("aspirin overdose, deliberate", "aspirin overdose, intentional"),
        ("bleach poisoning on purpose", "bleach poisoning intentional"),
        ("took an overdose on purpose", "took an overdose on purpose"),  # may be a name by itself
        ("deliberate self-harm", "deliberate self-harm"),
    ],
)
def test_what_is_shortened_is_written_out(text: str, whole: str) -> None:
    assert spelled_out(text, lambda word: True) == whole


@pytest.mark.parametrize("text", ["a" * 5_000 + "1", "hurt" + "s" * 5_000 + "É"])
def test_long_words_take_time_by_their_length(text: str) -> None:
    began = process_time()
    assert spelled_out(text, lambda word: False) == text
    assert process_time() - began < 1  # by the cube of it they took minutes
