from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from ontonym.ontology.formats import read_release
from ontonym.pairs import NamePool, SynonymOptions, synonym_pool
from ontonym.pairs.links import groups_of, linked_concepts
from ontonym.store import Terminology, build_terminology, open_terminology

Open = Callable[[str, str], Terminology]

HUMAN = """format-version: 1.2
ontology: human

[Term]
id: H:1
name: Heart attack
synonym: "Myocardial infarction" EXACT []
synonym: "MI" BROAD []
synonym: "Cardiac infarct" RELATED []
xref: M:1

[Term]
id: H:2
name: Asthma

[Term]
id: H:3
name: Kidney stones
synonym: "Nephrolithiasis" EXACT []

[Term]
id: H:4
name: Lonely

[Term]
id: H:5
name: obsolete Dropsy
synonym: "Hydropsy" EXACT []
is_obsolete: true

[Term]
id: H:6
name: Stroke
synonym: "stroke" EXACT []
synonym: "Brain attack" EXACT []
"""

MOUSE = """format-version: 1.2
ontology: mouse

[Term]
id: M:1
name: infarction of the heart
synonym: "coronary event" EXACT []

[Term]
id: M:2
name: ASTHMA
synonym: "wheezing illness" EXACT []

[Term]
id: M:3
name: Stone, Kidney
alt_id: H:3
"""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    handles: list[Terminology] = []

    def build(name: str, text: str) -> Terminology:
        (tmp_path / f"{name}.obo").write_text(text, encoding="utf-8")
        build_terminology(read_release([tmp_path / f"{name}.obo"]), tmp_path / f"{name}.terminology")
        handles.append(open_terminology(tmp_path / f"{name}.terminology"))
        return handles[-1]

    yield build
    for handle in handles:
        handle.close()


@pytest.fixture
def both(opened: Open) -> list[Terminology]:
    return [opened("human", HUMAN), opened("mouse", MOUSE)]


def number(terminologies: list[Terminology], concept_id: str) -> int:
    base = 0
    for terminology in terminologies:
        if (row := terminology.find(concept_id)) is not None and terminology.id(row) == concept_id:
            return base + row
        base += len(terminology)
    raise KeyError(concept_id)


def names_of(pool: NamePool, concept: int) -> list[str]:
    return pool.names[pool.bounds[concept] : pool.bounds[concept + 1]]


def test_links_are_cross_references_alternative_ids_and_equal_preferred_names(both: list[Terminology]) -> None:
    expected = [("H:1", "M:1"), ("H:2", "M:2"), ("H:3", "M:3")]
    pairs = sorted(sorted((number(both, a), number(both, b))) for a, b in expected)
    assert linked_concepts(both).tolist() == pairs


def test_one_terminology_without_references_has_no_links(opened: Open) -> None:
    assert linked_concepts([opened("human", HUMAN.replace("xref: M:1\n", ""))]).shape == (0, 2)


def test_a_name_of_more_than_eight_concepts_links_nothing(opened: Open) -> None:
    def release(count: int) -> str:
        terms = "".join(f"\n[Term]\nid: N:{n}\nname: Unspecified\n" for n in range(count))
        return f"format-version: 1.2\nontology: n\n{terms}"

    assert linked_concepts([opened("nine", release(9))]).tolist() == []
    assert len(linked_concepts([opened("eight", release(8))])) == 8 * 7 // 2


def test_groups_join_what_is_linked_through_others() -> None:
    groups = groups_of(6, np.asarray([[0, 3], [3, 5], [1, 2]]))
    assert groups[0] == groups[3] == groups[5]
    assert groups[1] == groups[2]
    assert len({groups[0], groups[1], groups[4]}) == 3


def test_pool_holds_active_names_of_the_wanted_scopes_once(both: list[Terminology]) -> None:
    pool = synonym_pool(both, SynonymOptions())
    assert names_of(pool, number(both, "H:1")) == ["Heart attack", "Myocardial infarction", "Cardiac infarct"]
    assert names_of(pool, number(both, "H:6")) == ["Stroke", "Brain attack"]
    assert names_of(pool, number(both, "H:5")) == []
    exact = synonym_pool(both, SynonymOptions(scopes=("exact",)))
    assert names_of(exact, number(both, "H:1")) == ["Heart attack", "Myocardial infarction"]


def test_names_of_another_language_stay_out(both: list[Terminology]) -> None:
    assert synonym_pool(both, SynonymOptions(languages=("fr",))).names == []
    assert "Asthma" in synonym_pool(both, SynonymOptions(languages=())).names


def test_excluded_names_stay_out_in_any_spelling(both: list[Terminology]) -> None:
    pool = synonym_pool(both, SynonymOptions(exclude=("infarction, myocardial", "KIDNEY STONE")))
    assert names_of(pool, number(both, "H:1")) == ["Heart attack", "Cardiac infarct"]
    assert names_of(pool, number(both, "H:3")) == ["Nephrolithiasis"]
    assert names_of(pool, number(both, "M:3")) == []


def test_drawable_concepts_have_two_names_or_a_link(both: list[Terminology]) -> None:
    pool = synonym_pool(both, SynonymOptions())
    wanted = {number(both, i) for i in ("H:1", "H:2", "H:3", "H:6", "M:1", "M:2", "M:3")}
    assert set(pool.drawable.tolist()) == wanted


@pytest.mark.parametrize("linked", [0.0, 0.3, 1.0])
def test_a_pair_is_two_rows_of_concepts_that_mean_the_same(both: list[Terminology], linked: float) -> None:
    pool = synonym_pool(both, SynonymOptions(linked=linked))
    rng = np.random.default_rng(1)
    anchors, positives = pool.draw_pairs(rng, pool.draw_concepts(rng, 5000))
    assert (anchors != positives).all()
    groups = pool.groups[pool.concepts]
    # the trainer masks what shares a group, so no positive can be a negative either
    assert (groups[anchors] == groups[positives]).all()


def test_equal_spellings_share_a_number(both: list[Terminology]) -> None:
    pool = synonym_pool(both, SynonymOptions())
    numbers = dict(zip(pool.names, pool.spellings.tolist(), strict=True))
    assert numbers["Kidney stones"] == numbers["Stone, Kidney"]
    assert numbers["Asthma"] == numbers["ASTHMA"]
    assert len(set(numbers.values())) == len(numbers) - 2


def test_share_of_linked_draws_holds(both: list[Terminology]) -> None:
    pool = synonym_pool(both, SynonymOptions(linked=0.3))
    concepts = np.full(20_000, number(both, "H:1"))
    anchors, positives = pool.draw_pairs(np.random.default_rng(2), concepts)
    assert len(anchors) == 20_000
    across = pool.concepts[anchors] != pool.concepts[positives]
    assert across.mean() == pytest.approx(0.3, abs=0.01)


def test_a_concept_of_one_name_is_always_paired_across(both: list[Terminology]) -> None:
    pool = synonym_pool(both, SynonymOptions(linked=0.0))
    asthma = number(both, "H:2")
    anchors, positives = pool.draw_pairs(np.random.default_rng(3), np.full(100, asthma))
    assert {pool.names[row] for row in anchors} == {"Asthma"}
    assert {pool.names[row] for row in positives} == {"ASTHMA", "wheezing illness"}


def test_all_pairs_of_a_concept_are_drawn_alike(both: list[Terminology]) -> None:
    pool = synonym_pool(both, SynonymOptions(linked=0.0))
    anchors, positives = pool.draw_pairs(np.random.default_rng(4), np.full(30_000, number(both, "H:1")))
    shares = np.unique(np.stack([anchors, positives]), axis=1, return_counts=True)[1] / 30_000
    assert shares == pytest.approx(np.full(6, 1 / 6), abs=0.01)


@pytest.mark.parametrize(("favour", "ratio"), [(0.0, 1.0), (0.5, 2**0.5), (1.0, 2.0)])
def test_favour_draws_concepts_with_more_names_more_often(both: list[Terminology], favour: float, ratio: float) -> None:
    pool = synonym_pool(both, SynonymOptions(favour=favour))
    drawn = pool.draw_concepts(np.random.default_rng(5), 100_000)
    many, few = (int((drawn == number(both, i)).sum()) for i in ("H:1", "H:6"))  # 3 names and a link; 2 names
    assert many / few == pytest.approx(ratio, rel=0.05)


def test_same_seed_draws_the_same(both: list[Terminology]) -> None:
    def draw(seed: int) -> list[int]:
        pool = synonym_pool(both, SynonymOptions())
        rng = np.random.default_rng(seed)
        return np.concatenate(pool.draw_pairs(rng, pool.draw_concepts(rng, 50))).tolist()

    assert draw(7) == draw(7)
    assert draw(7) != draw(8)
