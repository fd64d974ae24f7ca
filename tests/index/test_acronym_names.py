"""An acronym that is a synonym of one concept, and usually means another one that the index has, means both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from built import SMALL, index_fixture, indexed
from ontonym.index import open_index
from ontonym.tasks import search

DISEASES = """id\tpreferred\tsynonyms
T:1\tMyotonic dystrophy\tDM
T:2\tDiabetes mellitus\t
T:3\tPolymyositis\t
T:4\tOsteochondritis dissecans\tOCD
T:5\tEctopic atrial tachycardia\t
T:6\tAll\t
T:7\tAcute lymphoblastic leukemia\t
T:8\tCongestive heart failure\tCHF
T:9\tAcetyl coenzyme A lack\tCoA
T:10\tCoarctation of aorta\t
"""

index = index_fixture({"diseases.tsv": DISEASES})


@pytest.mark.parametrize("text", ["DM", "dm"])
def test_the_usual_meaning_comes_first_and_the_synonym_beside_it(index: Any, text: str) -> None:
    first, second, *_ = search(index, text)
    assert (first.id, second.id) == ("T:2", "T:1")
    assert first.confidence > 0.5
    assert second.confidence > 0.1


@pytest.mark.parametrize(("text", "concept"), [("OCD", "T:4"), ("ALL", "T:6"), ("CHF", "T:8"), ("CoA", "T:9")])
def test_it_means_its_concept_where_nothing_else_is_meant_or_it_is_the_preferred_term(
    index: Any, text: str, concept: str
) -> None:
    (hit, *_) = search(index, text)
    assert (hit.id, hit.confidence > 0.9) == (concept, True)


def test_what_it_stands_for_is_found_in_another_terminology_too(tmp_path: Path) -> None:
    findings = "id\tpreferred\tsynonyms\nF:1\tCompulsive behaviors\tOCD|Obsessive-compulsive disorder\n"
    codes = "id\tpreferred\tsynonyms\nC:1\tObsessive-compulsive disorder\t\nC:2\tOsteochondritis dissecans\t\n"
    with open_index(indexed(tmp_path, {"findings.tsv": findings, "codes.tsv": codes}, SMALL)) as index:
        assert {hit.id for hit in search(index, "OCD")[:2]} == {"F:1", "C:1"}
