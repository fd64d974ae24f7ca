"""Names that a concept is only near to, in texts: they count where they say more than what a text has without them."""

from __future__ import annotations

import pytest

from built import SMALL, index_fixture
from mentioned import found
from ontonym.index import Index
from ontonym.tasks import annotate
from ontonym.tasks.annotation.overlaps import EVERYDAY

TABLE = """id\tpreferred\tsynonyms\tparents
N:1\tShock\t\t
N:2\tSevere sepsis with septic shock\t\t
N:3\tAbnormal temper tantrums\t\t
N:4\tDwarfism\t\t
N:5\tAmnesia\t\t
N:6\tHypertension\t\t
N:7\tFlushing\t\t
N:8\tSkin nodule\t\t
"""

index = index_fixture({"near.tsv": TABLE}, SMALL, everyday=True)


def test_a_near_name_that_says_more_than_a_name_in_it_is_read(index: Index) -> None:
    assert found(index, "Admitted with septic shock.") == [("septic shock", "N:2")]
    assert found(index, "Admitted with shock.") == [("shock", "N:1")]


def test_a_near_name_is_read_where_its_concept_has_a_word_of_it(index: Index) -> None:
    assert found(index, "He has temper tantrums.") == [("temper tantrums", "N:3")]


@pytest.mark.parametrize("text", ["She has short stature.", "There was memory loss.", "A nodule was seen."])
def test_other_near_names_are_not_read(index: Index, text: str) -> None:
    assert found(index, text) == []


def test_a_near_name_is_as_sure_as_an_everyday_one(index: Index) -> None:
    (shock,) = annotate(index, "Admitted with septic shock.")
    assert shock.confidence <= EVERYDAY
