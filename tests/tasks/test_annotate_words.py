"""Words of clinical notes that are names and mean something else, and findings that notes tell in other words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from built import SMALL, indexed
from ontonym.index import Index, open_index
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate

OBO = """format-version: 1.2
ontology: words

[Term]
id: W:1
name: Clinical modifier

[Term]
id: W:2
name: Bilateral
is_a: W:1

[Term]
id: W:3
name: Compression fracture
is_a: W:1

[Term]
id: W:4
name: Cerebral palsy
synonym: "CP" EXACT []

[Term]
id: W:5
name: Chest pain

[Term]
id: W:6
name: Posttraumatic stress symptom
synonym: "PTSD" EXACT []

[Term]
id: W:7
name: Visual impairment

[Term]
id: W:8
name: Myocardial infarction
synonym: "MI" EXACT []

[Term]
id: W:9
name: Position

[Term]
id: W:10
name: Confusion

[Term]
id: W:11
name: Fever

[Term]
id: W:12
name: Blindness

[Term]
id: W:13
name: Sepsis

[Term]
id: W:14
name: Cleft lip

[Term]
id: W:15
name: Cleft palate

[Term]
id: W:16
name: Low blood pressure

[Term]
id: W:17
name: Nervousness

[Term]
id: W:18
name: LFTS
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    path = indexed(tmp_path_factory.mktemp("words"), {"words.obo": OBO}, SMALL, everyday=True)
    with open_index(path) as opened:
        yield opened


def found(index: Index, text: str, options: AnnotateOptions | None = None) -> list[tuple[str, str | None]]:
    return [(one.text, one.id) for one in annotate(index, text, options or AnnotateOptions())]


def test_what_only_says_how_a_finding_is_is_none(index: Index) -> None:
    assert found(index, "Bilateral compression fractures.") == [("compression fractures", "W:3")]
    asked = AnnotateOptions(normalize=NormalizeOptions(threshold=0.0, search=SearchOptions(within=("W:1",))))
    assert found(index, "Bilateral.", asked) == [("Bilateral", "W:2")]
