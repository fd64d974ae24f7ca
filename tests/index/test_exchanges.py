"""A narrower concept whose preferred term has the query's further words is found before the broader one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from built import index_fixture
from ontonym.index.exchanges import uncomplicated, undivided, unqualified
from ontonym.index.interpretation import Doubt
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.search import modules_of, scan_of

COLITIS = """id\tpreferred\tsynonyms\tparents
T:1\tEnterocolitis due to Clostridium difficile\tC. difficile colitis\t
T:2\tEnterocolitis due to Clostridium difficile, recurrent\t\tT:1
T:3\tEnterocolitis due to Clostridium difficile, not specified as recurrent\t\tT:1
T:4\tRecurrent fever\t\t
T:5\tUlcerative colitis\t\t
T:6\tSeptic arthritis, unspecified type\t\t
T:7\tSeptic arthritis, predominantly migratory type\t\tT:6
"""


index = index_fixture({"made.tsv": COLITIS})


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("C. difficile colitis, recurrent", "T:2"),
        ("recurrent C difficile colitis", "T:2"),
        ("C. difficile colitis", "T:1"),
        ("C. difficile colitis, not recurrent", "T:1"),
        ("C. difficile colitis, severe", "T:1"),
        ("septic arthritis migratory type", "T:7"),
    ],
)
def test_further_words_of_a_query_are_those_of_a_narrower_concept(index: Any, text: str, first: str) -> None:
    (hit, *others) = search(index, text)
    assert hit.id == first or (first == "T:1" and {hit.id, others[0].id} == {"T:1", "T:3"})
    assert hit.confidence >= max(one.confidence for one in others)


POISONING = """id\tpreferred\tsynonyms\tparents
T:1\tPoisoning by bleach, accidental (unintentional)\tbleach poisoning\t
T:2\tPoisoning by bleach, intentional self-harm\t\t
T:3\tUnstable angina\t\t
"""

poisoning = index_fixture({"poisons.tsv": POISONING})


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("intentional bleach poisoning", "T:2"),
        ("deliberate bleach poisoning", "T:2"),
        ("bleach poisoning, suicide", "T:2"),
        ("bleach poisoning", "T:1"),
    ],
)
def test_a_word_that_the_surest_one_denies_leads_to_the_one_that_has_it(poisoning: Any, text: str, first: str) -> None:
    assert search(poisoning, text)[0].id == first


PLAIN = """id\tpreferred\tsynonyms
T:1\tAsthma\t
T:2\tStatus asthmaticus\tAsthma with status asthmaticus
T:3\tAsthma with mild attacks\t
"""
plain = index_fixture({"plain.tsv": PLAIN})


@pytest.mark.parametrize(
    ("text", "likeliest", "first"),
    [
        ("moderate asthma", "T:2", "T:1"),
        ("asthma - moderate", "T:2", "T:1"),
        ("mild asthma", "T:3", "T:3"),
        ("asthma at night", "T:2", "T:2"),
        ("not moderate asthma", "T:2", "T:2"),
    ],
)
def test_a_name_with_how_it_is_comes_before_one_of_other_words(
    plain: Any, text: str, likeliest: str, first: str
) -> None:
    options = SearchOptions()
    scan = scan_of(plain, options, modules_of(plain, options.strategy)[-1])
    (read,) = plain.interpreter.candidates.interpretations([plain.signals.query(text)], scan)
    confidences = np.full(len(read.confidences), 0.2)
    confidences[[plain.id(int(one)) for one in read.evidence.concepts].index(likeliest)] = 0.4
    assert plain.id(unqualified(replace(read, confidences=confidences), plain.signals).answer) == first


JOINED = """id\tpreferred
J:1\tAphasia
J:2\tDysphasia and aphasia
J:3\tExposure to tuberculosis and contact
J:4\tTuberculosis
"""
joined = index_fixture({"joined.tsv": JOINED})


@pytest.mark.parametrize(
    ("text", "likeliest", "first"),
    [
        ("sudden aphasia", "J:2", "J:1"),
        ("aphasia with dysphasia", "J:2", "J:2"),
        ("no aphasia", "J:2", "J:2"),
        ("tuberculosis at home", "J:3", "J:3"),  # what is joined is more than *tuberculosis*
    ],
)
def test_a_name_that_joins_what_the_query_does_not_say_gives_way(
    joined: Any, text: str, likeliest: str, first: str
) -> None:
    options = SearchOptions()
    scan = scan_of(joined, options, modules_of(joined, options.strategy)[-1])
    (read,) = joined.interpreter.candidates.interpretations([joined.signals.query(text)], scan)
    confidences = np.full(len(read.confidences), 0.2)
    confidences[[joined.id(int(one)) for one in read.evidence.concepts].index(likeliest)] = 0.4
    told = undivided(replace(read, confidences=confidences, doubt=Doubt(0.9, "of the likeliest")), joined.signals)
    assert (joined.id(told.answer), told.doubt.why) == (first, "of the likeliest" if first == likeliest else "")


RUPTURED = """id\tpreferred
R:1\tInfrarenal aortic aneurysm, ruptured
R:2\tInfrarenal aortic aneurysm, without rupture
R:3\tSpinal stenosis with neurogenic claudication
R:4\tSpinal stenosis without neurogenic claudication
R:5\tJuxtarenal aortic aneurysm, without rupture
R:6\tVertigo
R:7\tNon-spinning vertigo
"""
ruptured = index_fixture({"ruptured.tsv": RUPTURED})


@pytest.mark.parametrize(
    ("text", "likeliest", "first"),
    [
        ("infrarenal aneurysm", "R:1", "R:2"),
        ("infrarenal aneurysm that ruptured", "R:1", "R:1"),
        ("infrarenal aneurysm, not leaking", "R:1", "R:1"),
        ("stenosis of the spine with claudication", "R:3", "R:3"),
        ("stenosis of the spine", "R:3", "R:4"),
        ("stenosis of the spine", "R:4", "R:4"),
        ("bad vertigo", "R:6", "R:6"),  # what begins with a denial is another finding
    ],
)
def test_a_complication_that_the_query_does_not_say_gives_way_to_none(
    ruptured: Any, text: str, likeliest: str, first: str
) -> None:
    options = SearchOptions()
    scan = scan_of(ruptured, options, modules_of(ruptured, options.strategy)[-1])
    (read,) = ruptured.interpreter.candidates.interpretations([ruptured.signals.query(text)], scan)
    confidences = np.full(len(read.confidences), 0.2)
    confidences[[ruptured.id(int(one)) for one in read.evidence.concepts].index(likeliest)] = 0.4
    assert ruptured.id(uncomplicated(replace(read, confidences=confidences), ruptured.signals).answer) == first
