"""A code below a finding that says the side, or which encounter it is, as the query does: it comes first."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from pathlib import Path

import pytest

from built import indexed
from made import concept
from made import opened as opened_terminologies
from ontonym.index import Index, open_index
from ontonym.tasks import SearchOptions, compare_hits, search
from ontonym.tasks.explain.decisiontexts import because
from ontonym.tasks.match import MatchOptions, match
from ontonym.tasks.search import Experiment, settled

CODES = """format-version: 1.2
ontology: codes

[Term]
id: C:1
name: Ringing
synonym: "tinnitus" EXACT []
synonym: "noises in the ear" EXACT []

[Term]
id: C:1.1
name: Ringing, right ear
is_a: C:1

[Term]
id: C:1.2
name: Ringing, left ear
is_a: C:1

[Term]
id: C:1.3
name: Ringing, bilateral
is_a: C:1

[Term]
id: C:1.9
name: Ringing, unspecified ear
is_a: C:1

[Term]
id: C:2
name: Preglaucoma
synonym: "glaucoma suspect" EXACT []

[Term]
id: C:2.0
name: Borderline eye pressure, unspecified
is_a: C:2

[Term]
id: C:2.01
name: Borderline eye pressure, unspecified, right eye
is_a: C:2.0

[Term]
id: C:2.02
name: Borderline eye pressure, unspecified, left eye
is_a: C:2.0

[Term]
id: C:3
name: Hemiplegia after stroke
synonym: "weak side after a stroke" EXACT []

[Term]
id: C:3.1
name: Hemiplegia after stroke, right dominant side
is_a: C:3

[Term]
id: C:3.2
name: Hemiplegia after stroke, right nondominant side
is_a: C:3

[Term]
id: C:3.3
name: Hemiplegia after stroke, left side
is_a: C:3

[Term]
id: C:4
name: Strain of thigh
synonym: "hamstring strain" EXACT []

[Term]
id: C:4A
name: Strain of thigh, initial encounter
is_a: C:4

[Term]
id: C:4D
name: Strain of thigh, subsequent encounter
is_a: C:4

[Term]
id: C:5
name: Drooping lid
synonym: "lid droops" EXACT []

[Term]
id: C:5.1
name: Surgery of left lid
is_a: C:5
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with open_index(indexed(tmp_path_factory.mktemp("codes"), {"codes.obo": CODES})) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("tinnitus in both ears", "C:1.3"),
        ("tinnitus lt", "C:1.2"),
        ("noises in the right ear", "C:1.1"),
        ("tinnitus", "C:1"),
        ("tinnitus left and right", "C:1"),
        ("ringing, unspecified ear, left", "C:1.2"),
        ("glaucoma suspect, left", "C:2.02"),
        ("glaucoma suspect, both", "C:2"),
        ("weak right side after a stroke", "C:3"),
        ("weak left side after a stroke", "C:3.3"),
        ("hamstring strain, initial encounter", "C:4A"),
        ("left lid droops", "C:5"),
    ],
)
def test_the_code_that_says_the_same_is_first(index: Index, query: str, first: str) -> None:
    hits = search(index, query)
    assert hits[0].id == first
    raw = search(index, query, Experiment.unsettled(Experiment(), 20))
    assert [hit.id for hit in settled(index, raw, Experiment())] == [hit.id for hit in hits]


def test_what_leaves_it_open_is_no_rival(index: Index) -> None:
    code, heading = (next(hit for hit in search(index, "tinnitus lt") if hit.id == one) for one in ("C:1.2", "C:1"))
    assert code.confidence > 0.5 > heading.confidence


def test_only_what_passes_the_filter_is_first(index: Index) -> None:
    assert search(index, "tinnitus lt", SearchOptions(within=("C:1.1", "C:1.9")))[0].id == "C:1.9"


def test_a_query_searched_for_as_it_is_keeps_its_order(index: Index) -> None:
    assert search(index, "tinnitus in both ears", SearchOptions(verbatim=True))[0].id == "C:1"


def test_what_a_narrower_code_has_of_the_broader_one_is_a_term_of_the_comparison(index: Index) -> None:
    found = compare_hits(index, "tinnitus lt", "C:1.2", "C:1", Experiment(calibrated=False))
    assert found.terms["narrower"] > 0
    assert sum(found.terms.values()) == pytest.approx(found.difference, abs=1e-6)
    ratio = found.first.hit.confidence / found.second.hit.confidence
    assert ratio == pytest.approx(exp(found.difference), rel=1e-3)
    assert found.rival.decision is not None
    assert because(found.rival.decision).endswith("is of a narrower concept, which has the confidence of a broader one")


def test_a_local_code_that_says_the_side_is_matched_with_the_code_that_says_it(index: Index, tmp_path: Path) -> None:
    local = [concept("L:1", "tinnitus, lt"), concept("L:2", "tinnitus")]
    with opened_terminologies(tmp_path, local) as (source,):
        made = match(source, index, MatchOptions(mode="best", threshold=0.0))
        proposed = {one.id: one.proposed.id for one in made if one.proposed}
    assert proposed == {"L:1": "C:1.2", "L:2": "C:1"}
