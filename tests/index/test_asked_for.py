"""A query that asks for something around a finding, or says that it is over, is not what only names the finding."""

from __future__ import annotations

from typing import Any

import pytest

from built import index_fixture
from ontonym.index.askedfor import (
    asks_for_operation,
    asks_for_remedy,
    asks_for_thing,
    is_over,
    is_refused,
    lacks_harm,
    lacks_risk,
    says_immune,
)
from ontonym.index.comparednames import ComparedName
from ontonym.index.doubtrules import why_no_answer
from ontonym.tasks import search

FINDINGS = """id\tpreferred\tsynonyms\tparents
A:1\tGout\t\t
A:2\tOverdose\t\t
A:3\tWart\twarts\t
A:4\tStroke\t\t
A:5\tProteinuria\tprotein in urine\t
A:6\tEncounter for immunization\tflu vaccine\t
"""

findings = index_fixture({"findings.tsv": FINDINGS})


def pair_of(index: Any, text: str, name: str, preferred: str = "") -> ComparedName:
    words = tuple(name.split())
    return ComparedName(index.signals.query(text), words, tuple(preferred.split()) or words, 0.0, False, index.signals)


@pytest.mark.parametrize(
    ("text", "name", "is_asked"),
    [
        ("gout medication", "gout", True),
        ("gout drugs", "drug induced gout", True),  # what helps, and not what it comes from
        ("overdose pills", "overdose", False),  # of them
        ("stopped medication", "stopped tablet", False),  # stopped is no finding
        ("gout medication", "takes gout medication", False),
        ("gout from drugs", "gout", False),
    ],
)
def test_what_helps_against_a_finding_is_another_thing(findings: Any, text: str, name: str, is_asked: bool) -> None:
    assert asks_for_remedy(pair_of(findings, text, name)) is is_asked


@pytest.mark.parametrize(
    ("text", "name", "is_asked"),
    [
        ("wart removal", "wart", True),
        ("wart removal", "wart removed", False),
        ("wart removal", "plantar wart", False),
        ("knee surgery", "knee", False),
        ("infection after surgery", "infection", False),
    ],
)
def test_an_operation_is_another_thing_than_what_it_is_for(findings: Any, text: str, name: str, is_asked: bool) -> None:
    assert asks_for_operation(pair_of(findings, text, name)) is is_asked


@pytest.mark.parametrize("preferred", ["gastroplasty", "repair of warts"])
def test_a_concept_that_is_an_operation_is_what_is_asked_for(findings: Any, preferred: str) -> None:
    assert not asks_for_operation(pair_of(findings, "wart removal", "wart", preferred))


@pytest.mark.parametrize(
    ("text", "name", "is_lacking"),
    [
        ("risk of stroke", "stroke", True),
        ("stroke risk", "stroke", True),
        ("stroke prophylaxis", "stroke", True),
        ("stroke prevention", "prevention of stroke", False),
        ("at risk of falling", "at risk for falling", False),
        ("stroke risk", "susceptibility to stroke", False),
        ("stroke", "stroke", False),
    ],
)
def test_who_may_get_something_has_it_not(findings: Any, text: str, name: str, is_lacking: bool) -> None:
    assert lacks_risk(pair_of(findings, text, name)) is is_lacking


@pytest.mark.parametrize(
    ("text", "name", "preferred", "is_immune"),
    [
        ("immune to measles", "measles", "", True),
        ("vaccinated against measles", "post vaccination measles", "", True),
        ("vaccinated against measles", "measles vaccine", "encounter for immunization", False),
        ("immune deficiency", "immunodeficiency", "", False),
        ("not immune to measles", "measles", "", False),
    ],
)
def test_who_is_immune_has_it_not(findings: Any, text: str, name: str, preferred: str, is_immune: bool) -> None:
    assert says_immune(pair_of(findings, text, name, preferred)) is is_immune


@pytest.mark.parametrize(
    ("text", "name", "preferred", "is_lacking"),
    [
        ("reaction to vaccine", "vaccine", "encounter for immunization", True),
        ("allergic to eggs", "eggs", "egg", True),
        ("allergic to eggs", "egg allergy", "", False),
        ("reaction to bee stings", "bee sting", "toxic effect of venom of bees", False),
        ("stress reaction", "stress", "", False),
    ],
)
def test_what_one_reacts_to_is_no_reaction(
    findings: Any, text: str, name: str, preferred: str, is_lacking: bool
) -> None:
    assert lacks_harm(pair_of(findings, text, name, preferred)) is is_lacking


@pytest.mark.parametrize(
    ("text", "name", "is_it"),
    [
        ("healed fracture", "fracture", True),
        ("former alcoholic", "alcoholic", True),
        ("healed fracture", "history of healed fracture", False),
        ("poorly healed fracture", "healed fracture", True),
        ("poorly healed fracture", "fracture", False),
        ("wound not healed", "wound that has not healed", False),
    ],
)
def test_what_is_over_is_there_no_longer(findings: Any, text: str, name: str, is_it: bool) -> None:
    assert is_over(pair_of(findings, text, name)) is is_it


@pytest.mark.parametrize(
    ("text", "is_thing"), [("rabies jab", True), ("migraine diary", True), ("fell in the street", False)]
)
def test_a_thing_at_the_end_is_asked_for(findings: Any, text: str, is_thing: bool) -> None:
    assert asks_for_thing(pair_of(findings, text, text.split(maxsplit=1)[0])) is is_thing


@pytest.mark.parametrize(
    ("text", "name", "is_opposite"),
    [
        ("low protein in urine", "protein in urine", True),
        ("low ketones", "ketones in blood", True),
        ("low troponin", "troponin up", True),
        ("raised troponin", "troponin up", False),
        ("raised troponin", "troponin down", True),
        ("high protein in urine", "protein in urine", False),
        ("low sodium in blood", "low sodium", False),
        ("low back pain", "back pain", False),
    ],
)
def test_a_name_of_another_amount_says_another_thing(findings: Any, text: str, name: str, is_opposite: bool) -> None:
    pair = pair_of(findings, text, name)
    assert (why_no_answer(pair) == "the query says another amount of it") is is_opposite


def test_a_level_is_no_more_than_what_is_measured(findings: Any) -> None:
    """Both say that there is little of it."""
    pair = pair_of(findings, "low C-reactive protein", "reduced c reactive protein level")
    assert why_no_answer(pair) == ""


def test_such_an_answer_is_not_sure_and_says_why(findings: Any) -> None:
    best, *_ = search(findings, "low protein in urine")
    assert best.id == "A:5"
    assert best.confidence < 0.5
    assert "the query says another amount of it" in best.reason.detail


@pytest.mark.parametrize(
    ("text", "name", "is_it"),
    [
        ("measles vaccine refused", "measles", True),
        ("flu jab declined", "flu jab", True),
        ("vaccine refused", "vaccine refusal", False),
        ("refuses food", "refuses food", False),
        ("measles vaccine", "measles", False),
    ],
)
def test_what_somebody_refused_is_not_there(findings: Any, text: str, name: str, is_it: bool) -> None:
    assert is_refused(pair_of(findings, text, name)) is is_it
