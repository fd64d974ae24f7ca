"""A document of a corpus whose mentions were added to the index is asked without the terms that it brought alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from built import indexed_twice
from ontonym.evaluate.calibration import annotated_outcomes
from ontonym.evaluate.corpora import GoldDocument, GoldMention
from ontonym.evaluate.leftout import LeftOut
from ontonym.index import AddedTerm, Index, open_index
from ontonym.tasks import NormalizeOptions
from ontonym.types import Mention

WARD = """id\tpreferred\tsynonyms
M:1\tGlass Bone Disease\t
M:2\tMarble fever\t
"""


def document(name: str, *golds: tuple[str, str]) -> GoldDocument:
    found = (GoldMention(Mention(text, document=name), (frozenset({id_}),)) for text, id_ in golds)
    return GoldDocument(name, "", tuple(found))


DOCUMENTS = [
    document("one", ("zorks", "M:1"), ("grub", "M:2"), ("Marble fever", "M:2")),
    document("two", ("grub", "M:2"), ("zork", "M:1"), ("zork", "M:1")),
    document("three", ("quilp", "M:1"), ("quilp", "M:1")),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("leftout")
    terms = [AddedTerm(next(iter(g.ids)), g.mention.text) for one in DOCUMENTS for g in one.mentions]
    indexed_twice(folder, {"ward.tsv": WARD}, terms)
    with open_index(folder / "added.index") as opened:
        yield opened


def test_terms_of_other_documents_are_found_and_those_of_its_own_alone_are_not(index: Index) -> None:
    left_out = LeftOut(index, DOCUMENTS)
    mentions = [gold.mention for one in DOCUMENTS for gold in one.mentions]
    answers = list(left_out.answers(mentions, NormalizeOptions()))
    assert len(left_out) == 2  # of document two the others have all terms too, but one "zork"
    assert [answer.id for answer in answers] == ["M:1", "M:2", "M:2", "M:2", "M:1", "M:1", None, None]
    assert [answer.mention for answer in answers] == mentions


def test_without_added_terms_nothing_is_left_out(index: Index) -> None:
    with open_index(index.path.with_name("plain.index")) as plain:
        left_out = LeftOut(plain, DOCUMENTS)
        assert len(left_out) == 0
        (answer,) = left_out.answers([Mention("Marble fever", document="one")], NormalizeOptions())
        assert answer.id == "M:2"


def test_a_calibration_is_learned_from_answers_without_the_terms_of_the_document(index: Index) -> None:
    outcomes = annotated_outcomes(index, iter(DOCUMENTS))
    assert (outcomes.confidences > 0.5).tolist() == [True] * 6 + [False] * 2
    assert outcomes.confidences.max() <= 1
