"""Which section of a note a place lies in."""

from __future__ import annotations

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontonym.text.notes.context import CONTEXTS
from ontonym.text.notes.headings import HEADINGS, SAYS
from ontonym.text.notes.sections import headings, section_at, sections
from ontonym.text.patterns import phrases_of


def section_of(text: str) -> str:
    """The section of what stands in brackets."""
    place = text.index("[")
    found = section_at(sections(text), place)
    return found.name if found else ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PMH: [asthma]", "past medical history"),
        ("MH: [asthma]", "past medical history"),
        ("Past Medical History\n[asthma]", "past medical history"),
        ("PAST MEDICAL HISTORY (per chart):\n\n- [asthma]", "past medical history"),
        ("Pertinent PMHx - [asthma]", "past medical history"),
        ("## **Family Hx**\nMother: [asthma]", "family history"),
        ("Cough for a week. FH: [asthma]", "family history"),
        ("Family: father drinks. Mental state: [blunted affect]", "physical examination"),
        ("FH: gout. Obs: [tachycardia]", "vital signs"),
        ("3. Allergies: [penicillin]", "allergies"),
        ("A/P:\n[asthma]", "assessment and plan"),
        ("Assessment & Plan:\n[asthma]", "assessment and plan"),
        ("ROS:\nHeart: [palpitations]", "review of systems"),
        ("ROS:\nHeart:\n[palpitations]", "review of systems"),
        ("FH: none\nO/E: [cyanosis]", "physical examination"),
        ("FH:\nnone\n\nSomething else:\n[cyanosis]", "something else"),
        ("FH:\nnone\nSOMETHING ELSE\n[cyanosis]", "something else"),
        ("PMH: asthma\n\nShe has [cyanosis]", ""),
        ("PMH: asthma\u2029She has [cyanosis]", ""),
        ("FH: asthma. The patient has [cyanosis]", ""),
        ("FH: asthma. Diabetes. [Cyanosis]", "family history"),
        ("FH: asthma. Denies [cyanosis]", ""),
        ("She has no known\nallergies\nand [cyanosis]", ""),
        ("The mother said that the child has: [cyanosis]", ""),
        ("FAMILY HISTORY: migraine\nNEUROPSYCH TESTING: [dementia].", "neuropsych testing"),
        ("FAMILY HISTORY: migraine\nNEUROPSYCH TESTING: dementia.\nNew complaint: [fever]", "new complaint"),
        ("FAMILY HISTORY: migraine\nGait exam: [ataxia]", "gait exam"),
        ("EYES: cataract\nLABORATORY ABNORMALITIES: [acidosis]", "laboratory results"),
        ("FAMILY HISTORY:\nmigraine\nNew symptoms: [fever]", "new symptoms"),
        ("FAMILY HISTORY: as below\nMother: gout\nPaternal uncle: [stroke]", "family history"),
        ("FAMILY HISTORY:\nDiabetes: mother\nCancer: [breast]", "family history"),
        ("FAMILY HISTORY:\nDiabetes: mother\n\nNew symptoms: [fever]", "new symptoms"),
        ("Allergies: hives\nTriage nurse: [chest pain]", "triage nurse"),
        ("Allergies:\nPenicillin: hives\nSulfa: [rash]", "allergies"),
        ("Allergies:\n- Penicillin: hives\nReaction: mild\n- Sulfa: [rash]", "allergies"),
        ("Allergies:\nPenicillin: hives\nPain assessment: [chest pain]", "pain assessment"),
        ("A/P: 52M with cirrhosis\n# Respiratory failure: [ARDS]", "assessment and plan"),
        ("CC: tooth\nMed hx: [asthma]", "past medical history"),
        ("CC: tooth\nSurg hx: [appendectomy]", "past surgical history"),
        ("CC: tooth\nE/O: NAD\nI/O: [gingivitis]", "physical examination"),
        ("CC: tooth\nTx: [sealants]", "plan"),
        ("Seen today.\nPast psych: [bulimia]", "past medical history"),
        ("PC: floaters\nPOH: [amblyopia]", "past medical history"),
        ("On examination: thin\nImpr: [anemia]", "assessment"),
        ("A/P: sepsis\nPPx: [DVT] - SCDs.", "prophylaxis"),
        ("A/P: sepsis\n# PPx: DVT - SCDs.\nCode status: full, [delirium]", "code status"),
        ("S: cough\nO: [fever]\nA: flu\nP: rest", "physical examination"),
        ("S: cough\nO: fever\nA: [flu]\nP: rest", "assessment"),
        ("S: [cough]\nO: fever\nA: flu\nP: rest", "history of present illness"),
        ("T: 37\nP: [80]", "p"),
        ("Seen at 02:14 with [fever]", ""),
        ("Time 02:14: [fever]", ""),
        ("[asthma]. PMH: none", ""),
        ("FH: gout.\nPrimary survey\nA - clear\nB - [wheeze]", "physical examination"),
        (f"FH: Father has gout.\nTom has [fever]{' and cough' * 12}.", ""),
        (f"FH: Father has gout.\nMother has [fever]{' and cough' * 12}.", "family history"),
        ("FH: Father has gout.\nTwins with [fever]", "family history"),
        ("[asthma]", ""),
    ],
)
def test_the_section_of_a_place(text: str, expected: str) -> None:
    assert section_of(text) == expected


def test_every_heading_is_known_in_every_writing() -> None:
    for name, listed in HEADINGS.items():
        for heading in phrases_of(listed):
            for written in (heading, heading.upper(), heading.capitalize().replace(" and ", "/")):
                assert section_of(f"{written}:\n[x]") == name, written


def test_the_table_is_sound() -> None:
    listed = [heading for headings in HEADINGS.values() for heading in phrases_of(headings)]
    assert len(listed) == len(set(listed))
    assert all(name in phrases_of(listed) for name, listed in HEADINGS.items())
    assert set(SAYS) <= set(HEADINGS)
    assert set(SAYS.values()) <= set(CONTEXTS)


def test_titles_and_places() -> None:
    text = "Hello.\nFamily  Hx (brief): asthma.\nPlan: rest"
    assert [(one.title, one.name, one.says, text[one.body : one.end]) for one in sections(text)] == [
        ("Family Hx", "family history", "family", " asthma.\n"),
        ("Plan", "plan", "", " rest"),
    ]


def test_headings_inside_sections_are_headings_too() -> None:
    assert [one.name for one in headings("ROS:\nHeart: no pain\nSkin: rash")] == ["review of systems", "heart", "skin"]


@given(st.text(st.sampled_from("PMH: \naFx.-*\u20291)"), max_size=60))
def test_sections_are_in_order_and_apart(text: str) -> None:
    found = sections(text)
    assert all(0 <= one.start <= one.body <= one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_long_texts_take_time_in_proportion() -> None:
    sections("PMH: " * 20_000 + "\n" * 20_000 + " " * 20_000 + "A" * 20_000)
    sections("PMH: x\n" + "a: b\n" * 4_000 + "FH: x\n" * 4_000)


@pytest.mark.parametrize("text", [" ", "\n", "#"])
def test_a_long_text_without_a_heading_is_read_at_once(text: str) -> None:
    assert sections("PMH: gout") != []  # its patterns are compiled now
    began = process_time()
    assert sections(text * 100_000) == []
    assert process_time() - began < 0.5  # it took a second, as each place was compared with every heading
