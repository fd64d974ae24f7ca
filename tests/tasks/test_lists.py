"""A cell that lists several findings is answered item by item; what only looks like a list is one finding."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from built import SMALL, indexed
from ontonym.index import Index, open_index
from ontonym.tasks import NormalizeOptions, normalize
from ontonym.types import Mention

NAMES = ("Hypertension", "Diabetes mellitus", "Fever", "Cough", "Sore throat", "Asthma", "Mild", "Burn of hand", "Burn")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    entries = "\n\n".join(f"[Term]\nid: L:{number}\nname: {name}" for number, name in enumerate(NAMES))
    release = f"format-version: 1.2\nontology: lists\n\n{entries}\n"
    with open_index(indexed(tmp_path_factory.mktemp("lists"), {"lists.obo": release}, SMALL)) as opened:
        yield opened


def parts(index: Index, text: str) -> list[str | None]:
    """The preferred terms that the parts of a mention are answered with; empty where it is one finding."""
    (answer,) = normalize(index, [Mention(text)])
    return [part.id and part.candidates[0].preferred for part in answer.parts]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hypertension, fever, cough", ["Hypertension", "Fever", "Cough"]),
        ("fever, cough, sore throat", ["Fever", "Cough", "Sore throat"]),
        ("1. HTN 2. DM", ["Hypertension", "Diabetes mellitus"]),
        ("cough + fever; asthma", ["Cough", "Fever", "Asthma"]),
        ("hypertension\nasthma", ["Hypertension", "Asthma"]),
        ("cough no fever", ["Cough", "Fever"]),
        ("fever but no cough or sore throat", ["Fever", "Cough", "Sore throat"]),
        ("HTN w/o DM", ["Hypertension", "Diabetes mellitus"]),
    ],
)
def test_each_item_of_a_list_is_answered(index: Index, text: str, found: list[str]) -> None:
    assert parts(index, text) == found


@pytest.mark.parametrize(
    "text", ["asthma, mild", "burn, hand", "fever, unheard-of thing", "no fever, cough", "asthma without wheeze"]
)
def test_what_only_looks_like_a_list_is_one_finding(index: Index, text: str) -> None:
    assert parts(index, text) == []


def test_what_is_denied_is_said_so(index: Index) -> None:
    (answer,) = normalize(index, [Mention("cough without fever")])
    assert [part.candidates[0].reason.negated for part in answer.parts] == [False, True]


def test_answers_are_the_same_one_by_one_and_together(index: Index) -> None:
    texts = ["fever, cough, sore throat", "asthma", "HTN, DM", "burn, hand", "cough no fever"]
    together = list(normalize(index, [Mention(text) for text in texts]))
    assert [next(normalize(index, [Mention(text)])) for text in texts] == together


def test_lists_stay_whole_without_composites(index: Index) -> None:
    (answer,) = normalize(index, [Mention("fever, cough, sore throat")], NormalizeOptions(composites=False))
    assert answer.parts == ()
