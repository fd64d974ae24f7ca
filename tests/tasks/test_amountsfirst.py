"""What says how much there is comes before the concept above it that says only that it is abnormal."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import indexed
from ontonym.index import open_index
from ontonym.tasks import search
from ontonym.tasks.search import Experiment, settled
from ontonym.text.amounts import amount_of

LEVELS = """format-version: 1.2
ontology: levels

[Term]
id: L:1
name: Abnormal circulating zorine concentration
synonym: "Abnormal blood zorine level" EXACT []

[Term]
id: L:2
name: Hypozorinemia
is_a: L:1

[Term]
id: L:3
name: Hyperzorinemia
is_a: L:1

[Term]
id: L:4
name: Low zorine in sweat of the palms
is_a: L:1

[Term]
id: L:5
name: Abnormality of quill glands

[Term]
id: L:6
name: Aplasia of the quill glands
is_a: L:5
"""


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("low blood zorine level", "L:2"),
        ("blood zorine level high", "L:3"),
        ("abnormal blood zorine level", "L:1"),
        ("blood zorine level", "L:1"),
        ("abnormally low blood zorine level", "L:2"),
        ("missing quill glands", "L:6"),
    ],
)
def test_the_amount_that_is_asked_for_comes_first(tmp_path: Path, query: str, first: str) -> None:
    with open_index(indexed(tmp_path, {"levels.obo": LEVELS})) as index:
        hits = search(index, query)
        assert hits[0].id == first
        assert [hit.confidence for hit in hits] == sorted((hit.confidence for hit in hits), reverse=True)
        raw = search(index, query, Experiment.unsettled(Experiment(), 20))
        assert [hit.id for hit in settled(index, raw, Experiment())] == [hit.id for hit in hits]


@pytest.mark.parametrize(
    ("word", "amount"),
    [
        ("low", "little"),
        ("hypovalinemia", "little"),
        ("neutropenia", "little"),
        ("high", "much"),
        ("hyperphosphaturia", "much"),
        ("leukocytosis", "much"),
        ("aplasia", "none"),
        ("hypothenar", ""),
        ("kidney", ""),
    ],
)
def test_words_say_an_amount(word: str, amount: str) -> None:
    assert amount_of(word) == amount
