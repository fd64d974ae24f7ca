from __future__ import annotations

from pathlib import Path

import pytest

from ontonym.ontology.formats import read_release
from ontonym.ontology.icd.titles import concatenated, is_residual, stands_alone, with_full_titles
from ontonym.ontology.options import ReadOptions
from ontonym.types import Concept, Term


@pytest.mark.parametrize(
    ("titles", "whole"),
    [
        (["Chest", "Pain, unspecified"], "Chest Pain"),  # Kong, section 4.1
        (["Chest", "Pain"], "Chest Pain"),
        (["With coma", "Type 1 diabetes mellitus"], "Type 1 diabetes mellitus with coma"),
        (["Unspecified", "Cholera"], "Unspecified Cholera"),
        (["Right eye", "Closed-angle", "Glaucoma"], "Right eye Closed-angle Glaucoma"),
        (["amyotrophy", "with", "Diabetes"], "Diabetes with amyotrophy"),
        (["In situ", "Neoplasm"], "In situ Neoplasm"),
        (["Unspecified", "NOS"], "Unspecified NOS"),
        (["Alone, unspecified"], "Alone, unspecified"),
    ],
)
def test_the_more_specific_title_comes_first(titles: list[str], whole: str) -> None:
    assert concatenated(titles) == whole


def test_what_stands_alone_is_told_by_language() -> None:
    fragments = [
        "Chest",
        "With coma",
        "Unspecified",
        "Other specified sites",
        "Right eye",
        "due to alcohol",
        "2 or more",
    ]
    wholes = ["Cholera, unspecified", "Migraine", "In situ neoplasms", "Other cholera", "Hand-foot syndrome", ""]
    assert [t for t in fragments if stands_alone(t)] == ["2 or more"]
    assert [t for t in wholes if not stands_alone(t)] == []
    assert not stands_alone("Nicht näher bezeichnete Lokalisation", "de")
    assert not stands_alone("Mit Koma", "de-CH")
    assert stands_alone("Nichtorganische Insomnie", "de")
    assert not stands_alone("Sans précision", "fr")
    assert stands_alone("ללא פירוט", "he")


def test_other_is_told_in_several_languages() -> None:
    assert [t for t in ("Other x", "Sonstige x", "Autres x", "Otros x", "Overige x") if not is_residual(t)] == []
    assert not is_residual("Otherness")


def concept(id: str, *terms: Term, parent: str = "") -> Concept:
    return Concept(id, terms, parents=(parent,) if parent else ())


def test_nothing_is_lost_and_titles_reach_up_as_far_as_needed() -> None:
    stream = [
        concept("X:1", Term("Diabetes", "preferred"), Term("Diabète", "preferred", language="fr")),
        concept(
            "X:1.0", Term("With coma", "preferred"), Term("Sans précision", "preferred", language="fr"), parent="X:1"
        ),
        concept("X:1.00", Term("Left", "preferred"), Term("right eye", "entry", source="inclusion"), parent="X:1.0"),
        concept("X:1.1", Term("Wolfram syndrome", "preferred"), Term("With coma", "synonym"), parent="X:1"),
        concept("X:2.0", Term("Unspecified", "preferred"), parent="X:2"),
    ]
    found = {c.id: c.terms for c in with_full_titles(stream)}
    assert found["X:1"] == stream[0].terms
    assert found["X:1.0"] == (
        Term("Diabetes with coma", "preferred"),
        Term("Diabète sans précision", "preferred", language="fr"),
        Term("With coma", "synonym", "broad", source="title"),
        Term("Sans précision", "synonym", "broad", "fr", source="title"),
    )
    assert found["X:1.00"] == (
        Term("Left Diabetes with coma", "preferred"),
        Term("right eye", "entry", source="inclusion"),
        Term("right eye Left Diabetes with coma", "entry", source="inclusion"),
        Term("Left", "synonym", "broad", source="title"),
    )
    assert found["X:1.1"] == stream[3].terms
    assert found["X:2.0"] == stream[4].terms


@pytest.mark.live
def test_icd10cm_keeps_every_name_under_full_titles(data: Path) -> None:
    paths = [data / "icd10cm/icd10cm_tabular_2021.xml"]
    plain = {c.id: {t.text for t in c.terms} for c in read_release(paths).concepts()}
    full = {c.id: c for c in read_release(paths, options=ReadOptions(full_titles=True)).concepts()}
    assert full.keys() == plain.keys()
    assert [i for i, names in plain.items() if not names <= {t.text for t in full[i].terms}] == []
    # this classification prints its titles whole already: no word list may take one for a fragment
    assert {i: c.preferred for i, c in full.items() if c.preferred not in plain[i]} == {}
