"""Two small terminologies, how they are matched, and what was written."""

from __future__ import annotations

import pytest

from made import concept, opened
from ontonym.index import build_index
from ontonym.ontology.formats import read_release

OURS = [
    concept("T:1", "kidney failure", "renal failure", alternative_ids="T:10"),
    concept("T:2", "heart failure", "cardiac failure"),
    concept("T:3", "lung disease"),
]
THEIRS = [
    concept("L:1", "failure of the heart", "Cardiac failure"),
    concept("L:2", "renal failure"),
    concept("L:3", "renal failures"),
    concept("L:4", "unheard of"),
    concept("L:5", "gone", status="retired"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory, encoder):
    folder = tmp_path_factory.mktemp("match")
    with opened(folder, OURS, THEIRS) as (ours, _):
        build_index([ours], folder / "ours.index", encoder=encoder)
    return folder


def asked(made, output, *more):
    return (
        "match",
        made / "1.terminology",
        made / "ours.index",
        "-o",
        output,
        "--aggregate",
        "max",
        "--signal",
        "lexical",
        "--threshold",
        0.5,
        *more,
    )


def written(path):
    """What our own reader makes of the file."""
    release = read_release([path])
    found = [mapping for one in release.concepts() for mapping in one.mappings]
    assert release.counts.malformed == 0
    return found
