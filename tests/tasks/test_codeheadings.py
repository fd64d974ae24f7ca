"""Headings of a classification that have the name of a code below them: the code comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import indexed
from ontonym.index import open_index
from ontonym.tasks import search
from ontonym.tasks.search import Experiment, settled

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
"""


@pytest.mark.parametrize(("query", "first"), [("viral disease of man", "C:B20"), ("viral disease", "C:B20-B20")])
def test_a_code_comes_before_the_heading_of_its_name(tmp_path: Path, query: str, first: str) -> None:
    with open_index(indexed(tmp_path, {"codes.obo": CODES})) as index:
        hits = search(index, query)
        assert hits[0].id == first
        raw = search(index, query, Experiment.unsettled(Experiment(), 20))
        assert [hit.id for hit in settled(index, raw, Experiment())] == [hit.id for hit in hits]
