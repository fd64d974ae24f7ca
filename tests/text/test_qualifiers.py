from __future__ import annotations

from time import process_time

import numpy as np
import pytest

from ontonym.text.denials import denied_in, signs_in
from ontonym.text.qualifiers import (
    axis_bits,
    axis_masks,
    numbers_in,
    opposites,
    said_alone,
    without_onset,
    without_side,
)


@pytest.mark.parametrize(
    ("text", "denied", "unclear"),
    [
        ("migraine without aura", {"aura"}, set()),
        ("ulcer without hemorrhage or perforation", {"hemorrhage", "perforation"}, set()),
        ("without status migrainosus", {"status"}, {"migrainosus"}),
        ("common migraine without aura, intractable, no status", {"aura", "status"}, set()),
        ("no evidence of fever", {"fever"}, set()),
        ("fever with chills", set(), set()),
        ("non-small cell carcinoma", {"small"}, {"cell", "carcinoma"}),
        ("absence of thumb", set(), set()),
        ("pancreatitis not from alcohol", {"alcohol"}, set()),
        ("bleeding not due to trauma", {"trauma"}, set()),
        ("fracture without fall due to osteoporosis", {"fall"}, set()),
    ],
)
def test_what_a_text_denies(text: str, denied: set[str], unclear: set[str]) -> None:
    found = signs_in(text)
    plain = {word for word in found if word not in "without or no not of with non evidence from due to".split()}
    assert {word for word in plain if found[word] == -1} == denied
    assert {word for word in plain if found[word] == 0} == unclear


@pytest.mark.parametrize(
    ("word", "denied"), [("nonvenomous", "venomous"), ("none", ""), ("noma", ""), ("unstable", "")]
)
def test_a_word_denies_what_follows_its_beginning(word: str, denied: str) -> None:
    assert denied_in(word) == denied
    assert signs_in(f"{word} bite") == {word: -1 if denied else 1, "bite": 1}


def test_values_of_an_axis_have_bits_of_their_own() -> None:
    bits, masks = axis_bits(), list(axis_masks().values())
    assert not bits["left"] & bits["right"]
    assert bits["bilateral"] == bits["both"]
    side = next(mask for mask in masks if mask & bits["left"])
    assert (bits["left"] | bits["right"] | bits["both"]) == side
    assert sum(masks) == sum({bit for bit in (1 << n for n in range(64)) if any(mask & bit for mask in masks)})
    assert sum(masks) <= np.iinfo(np.int64).max


@pytest.mark.parametrize(
    ("text", "name", "pairs"),
    [
        ("perforated ulcer", "Ulcer without hemorrhage or perforation", [("perforated", "perforation")]),
        ("ulcer without bleeding", "Ulcer with hemorrhage", [("bleeding", "hemorrhage")]),
        ("ulcer without bleeding", "Ulcer without hemorrhage", []),
        ("intractable migraine", "Migraine, not intractable", [("intractable", "intractable")]),
        ("venomous snake bite", "Bitten by nonvenomous snake", [("venomous", "nonvenomous")]),
        ("nontoxic goiter", "Toxic goiter", [("nontoxic", "toxic")]),
        ("nontoxic goiter", "Goiter, not toxic", []),
    ],
)
def test_words_of_one_root_contradict_where_one_is_denied(text: str, name: str, pairs: list[tuple[str, str]]) -> None:
    assert opposites(text, name) == pairs


@pytest.mark.parametrize(
    ("text", "name", "pair"),
    [
        ("low blood sugar", "hyperglycaemia", ("low", "hyperglycemia")),
        ("underactive reflexes", "Hyperreflexia", ("underactive", "hyperreflexia")),
        ("rise in blood pressure", "Hypotension", ("rise", "hypotension")),
        ("restricted mobility", "Hypermobility", ("restricted", "hypermobility")),
        ("large head", "Microcephaly", ("large", "microcephaly")),
    ],
)
def test_the_beginning_of_a_word_says_how_much(text: str, name: str, pair: tuple[str, str]) -> None:
    assert opposites(text, name) == [pair]


@pytest.mark.parametrize(
    ("text", "name", "pair"),
    [
        ("symptomatic gallstones", "Asymptomatic cholelithiasis", ("symptomatic", "asymptomatic")),
        ("ruptured aneurysm", "Cerebral aneurysm, nonruptured", ("ruptured", "nonruptured")),
        ("rheumatoid factor negative", "Rheumatoid factor positive", ("negative", "positive")),
        ("invasive lobular carcinoma", "Lobular carcinoma in situ", ("invasive", "situ")),
    ],
)
def test_symptoms_ruptures_results_and_tumours_have_opposites(text: str, name: str, pair: tuple[str, str]) -> None:
    assert opposites(text, name) == [pair]


def test_a_tumour_may_be_called_malignant_and_in_situ() -> None:
    assert opposites("melanoma in situ", "Malignant melanoma in situ") == []


def test_words_that_only_begin_alike_say_nothing() -> None:
    assert opposites("low mood", "hyperion") == []
    assert opposites("large mole", "microscope") == []
    assert opposites("increased size", "hypothalamus") == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("hepatitis B virus", {"b"}),
        ("type 2 diabetes and vitamin K", {"2", "k"}),
        ("trisomy 21", {"21"}),
        ("HEPATITIS B", set()),
        ("B cell lymphoma", set()),
        ("pain in knee R", set()),
        ("rash c/o itching", set()),
    ],
)
def test_what_numbers_something(text: str, numbers: set[str]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "name", "pairs"),
    [
        ("fracture of left femur", "right femur", [("left", "right")]),
        ("high potassium", "Decreased potassium", [("high", "decreased")]),
        ("left and right arm", "right arm", []),
        ("left arm", "arm", []),
        ("no fever", "fever", [("fever", "fever")]),
        ("fever", "Chills without fever", [("fever", "fever")]),
        ("no fever", "Chills without fever", []),
    ],
)
def test_opposites(text: str, name: str, pairs: list[tuple[str, str]]) -> None:
    assert opposites(text, name) == pairs


def test_words_on_which_the_other_text_is_silent() -> None:
    assert said_alone("acute pain of the left arm", "pain of the right arm") == ["acute"]
    assert said_alone("pain", "acute pain") == []
    assert said_alone("severe acute pain", "pain") == ["acute", "severe"]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("left-sided weakness", "weakness"),
        ("R sided headache", "headache"),
        ("numbness on the left hand side", "numbness"),
        ("rash on the left side of the face", ""),
        ("left knee pain", ""),
        ("weakness", ""),
    ],
)
def test_a_side_of_a_whole_finding_is_set_aside(text: str, rest: str) -> None:
    assert without_side(text) == rest


def test_spaces_take_time_by_their_number() -> None:
    began = process_time()
    assert without_side("weakness" + " " * 20_000 + "of the leg") == ""
    assert process_time() - began < 1  # by the square of it they took several


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("ataxia, adult-onset", "ataxia"),
        ("cardiomyopathy, dilated, X-linked, late onset", "cardiomyopathy, dilated"),
        ("deafness, autosomal recessive 3", ""),  # one of many, and not any deafness
        ("fever, infant", ""),
        ("adult-onset", ""),
        (",", ""),
    ],
)
def test_when_a_finding_begins_and_how_it_is_inherited_is_set_aside(text: str, rest: str) -> None:
    assert without_onset(text) == rest
