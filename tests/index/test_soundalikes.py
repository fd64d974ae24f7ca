"""Queries written down as they were heard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ontonym.index import IndexOptions
from ontonym.index.soundalikes import sound_alikes
from ontonym.tasks import search
from ontonym.text.normalization import tokens
from ontonym.types import Correction


@pytest.fixture
def index(workshop: Any) -> Any:
    names = (
        "Pneumonia",
        "Diabetes",
        "Herniated disk",
        "Heel pain",
        "Glaucoma",
        "Mania",
        "Disk degeneration",
        "Pain",
        "Lyme disease",
        "Uveitis",
        "Pouchitis",
        "Cold sore",
        "Varicose veins",
        "Nosebleed",
        "Bleed of the nose tip",
    )
    made = workshop.terminology("made", *(f"id: M:{number}\nname: {name}" for number, name in enumerate(names, 1)))
    return workshop.index(made, options=IndexOptions(everyday=False))


@pytest.mark.parametrize(
    ("text", "concept", "changed"),
    [
        ("new monia", "M:1", ("new monia", "pneumonia")),
        ("die a beetus", "M:2", ("die a beetus", "diabetes")),
        ("hernia ted disk", "M:3", ("hernia ted", "herniated")),
        ("heal pain", "M:4", ("heal", "heel")),
        ("lime disease", "M:9", ("lime", "lyme")),
        ("glock oma", "M:5", ("glock oma", "glaucoma")),
        ("you vitis", "M:10", ("you vitis", "uveitis")),
        ("cold soars", "M:12", ("soars", "sore")),
        ("vericose vains", "M:13", ("vericose vains", "varicose vein")),  # one is a slip, the other sounds the same
        ("nose bleads", "M:14", ("nose bleads", "nosebleed")),  # also read as *nose bled*
    ],
)
def test_what_sounds_like_a_name_is_read_as_it(index: Any, text: str, concept: str, changed: tuple[str, str]) -> None:
    hit = search(index, text)[0]
    assert (hit.id, hit.reason.correction) == (concept, Correction.CORRECTED)
    assert changed[1] in hit.reason.detail
    assert hit.confidence < search(index, text.replace(*changed))[0].confidence


@pytest.mark.parametrize("text", ["new mothers", "pain in disk", "dye a beetle"])
def test_words_that_sound_like_no_name_stay(index: Any, text: str) -> None:
    hits = search(index, text)
    assert not hits or hits[0].reason.correction is not Correction.CORRECTED


@pytest.mark.parametrize("text", ["TB pneumonia", "UV glaucoma"])
def test_a_word_of_the_query_is_not_heard_again_without_what_stands_beside_it(index: Any, text: str) -> None:
    assert all(hit.reason.correction is not Correction.CORRECTED for hit in search(index, text))


def test_a_word_is_heard_only_where_it_makes_a_name_with_the_rest_of_the_text(index: Any) -> None:
    signals = index.signals
    alone = {"pneumonia", "diabetes", "glaucoma", "mania", "nosebleed", "pain", "uveitis", "pouchitis"}
    assert signals.words_beside(()) == alone
    assert signals.words_beside(("disk",)) - {"disk"} == set(tokens("herniated degeneration"))
    assert signals.words_beside(("pain",)) - {"pain"} == {"heel"}
    assert not signals.words_beside(("heel", "pain"))
    assert not signals.words_beside(("unheard",))
    asked: list[tuple[str, ...]] = []

    def beside(words: Sequence[str]) -> frozenset[str]:
        asked.append(tuple(words))
        return frozenset({"pneumonia"}) if tuple(words) == ("pain",) else frozenset()

    found = {one.text for one in sound_alikes("new monia pain", signals.speller, beside)}
    assert {text.removesuffix(" pain") for text in found} == {"pneumonia", "pneumonias"}
    assert ("pain",) in asked
    assert not [*sound_alikes("new monia pain", signals.speller, lambda words: ())]


def test_a_word_of_names_is_not_heard_as_part_of_another_one(workshop: Any) -> None:
    made = workshop.terminology("made", "id: M:1\nname: Transferrin", "id: M:2\nname: Transference")
    hits = search(workshop.index(made, options=IndexOptions(everyday=False)), "transferrin sat")
    assert (hits[0].id, hits[0].reason.correction) == ("M:1", Correction.NONE)
