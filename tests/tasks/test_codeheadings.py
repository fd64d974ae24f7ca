"""Headings of a classification that have the name of a code below them: the code comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import indexed
from ontonym.index import open_index
from ontonym.tasks import normalize, search
from ontonym.tasks.search import Experiment, settled
from ontonym.types import Mention

CODES = """format-version: 1.2
ontology: codes

[Term]
id: C:B20-B20
name: Viral disease of man
synonym: "viral disease" EXACT []
synonym: "man's viral disease" EXACT []

[Term]
id: C:B20
name: Viral disease of man
is_a: C:B20-B20

[Term]
id: C:B21
name: Viral disease of horses
is_a: C:B20-B20

[Term]
id: C:C50-C50
name: Tumors of the breast
synonym: "breast lump" EXACT []

[Term]
id: C:C50
name: Tumor of the breast
synonym: "breast lump" EXACT []
is_a: C:C50-C50
"""


@pytest.mark.parametrize(
    ("query", "first"),
    [("viral disease of man", "C:B20"), ("viral disease", "C:B20-B20"), ("breast lump", "C:C50")],
)
def test_a_code_comes_before_the_heading_of_its_name(tmp_path: Path, query: str, first: str) -> None:
    with open_index(indexed(tmp_path, {"codes.obo": CODES})) as index:
        hits = search(index, query)
        assert hits[0].id == first
        raw = search(index, query, Experiment.unsettled(Experiment(), 20))
        assert [hit.id for hit in settled(index, raw, Experiment())] == [hit.id for hit in hits]


UNSPECIFIED = """format-version: 1.2
ontology: codes

[Term]
id: C:1
name: Bad cough

[Term]
id: C:1.9
name: Bad cough, unspecified
is_a: C:1

[Term]
id: C:2
name: Sore thumb

[Term]
id: C:2.9
name: Thumb trouble without mention of a hammer
synonym: "Sore thumb NOS" EXACT []
is_a: C:2

[Term]
id: C:3
name: Stiff neck
"""


@pytest.mark.parametrize(
    ("query", "first"),
    [("bad cough NOS", "C:1.9"), ("bad cough (nos)", "C:1.9"), ("bad cough", "C:1"), ("sore thumb NOS", "C:2.9"),
     ("sore thumb", "C:2"), ("stiff neck, NOS", "C:3")],
)  # fmt: skip
def test_what_is_not_otherwise_specified_is_the_code_that_says_so(tmp_path: Path, query: str, first: str) -> None:
    with open_index(indexed(tmp_path, {"codes.obo": UNSPECIFIED})) as index:
        found = search(index, query)[0]
        assert found.id == first
        (answer,) = normalize(index, [Mention(query)])
        assert answer.id == first
