from __future__ import annotations

from collections import Counter

import pytest

from made import concept, examples_of, texts_of
from ontonym.learning.recipes import RecipeOptions

FIRST = [
    concept("A", "a1", "a2", "a3", "a4"),  # 6 pairs of synonyms
    *(concept(f"B{n}", f"b{n}", parents="A") for n in range(4)),  # 4 connections
]
SECOND = [
    concept("X", "x1", "x2", "x3"),  # 3 pairs
    *(concept(f"Y{n}", f"y{n}", parents="X") for n in range(5)),  # 5 connections
]


def test_every_task_gives_as_many_as_the_smallest(open_concepts):
    terminologies = open_concepts(FIRST, SECOND)
    examples = examples_of(terminologies, "comb")
    made = texts_of(examples)
    assert examples.described["tasks"]["train"] == {
        "t0 1 synonyms": 6, "t1 2 synonyms": 3, "t0 1 graph": 4, "t1 2 graph": 5,
    }  # fmt: skip
    assert Counter(anchor[0] for anchor, _ in made) == {"a": 3, "x": 3, "b": 3, "y": 3}
    both = {*texts_of(examples_of(terminologies, "synonyms")), *texts_of(examples_of(terminologies, "graph"))}
    assert set(made) <= both
    assert len(set(made)) == 12


@pytest.mark.slow
def test_the_seed_draws(open_concepts):
    terminologies = open_concepts(FIRST, SECOND)

    def made(seed: int) -> list[tuple[str, ...]]:
        return texts_of(examples_of(terminologies, "comb", options=RecipeOptions(seed=seed)))

    assert made(1) == made(1)
    drawn = [pair for seed in range(60) for pair in made(seed)]
    assert len({pair for pair in drawn if pair[0].startswith("a")}) == 6  # each is drawn some time
    assert len({tuple(made(seed)) for seed in range(20)}) > 10


def test_a_task_without_pairs_is_left_out(open_concepts):
    examples = examples_of(open_concepts(FIRST, [concept("Z", "z1", "z2", "z3")]), "comb")
    assert examples.described["tasks"]["train"] == {"t0 1 synonyms": 6, "t1 2 synonyms": 3, "t0 1 graph": 4}
    assert examples.counts()["train"] == 9


def test_title_concatenations_come_along(open_concepts, tmp_path):
    from test_synonyms import CLAML, read

    with read(tmp_path, CLAML) as terminology:
        made = texts_of(examples_of([terminology], "comb"))
    assert sorted(made) == [
        ("Glump with coma", "With coma"), ("Glump, unspecified", "Dry glump"), ("Glump, unspecified", "With coma"),
        ("With coma", "Glump with coma"),
    ]  # fmt: skip
