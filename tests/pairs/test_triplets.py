from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from made import concept, examples_of, number, seed_with, texts_of
from ontonym.learning.recipes import PoolOptions, RecipeOptions, name_pool
from ontonym.learning.recipes.triplets import OtherLabels, ParentLabels, TextsByConcept

FAMILY = [
    concept("A", "body"),
    concept("B", "limb", parents="A"),
    concept("C", "trunk", parents="A"),
    concept("D", "arm", "upper limb", "arms of a person", parents="B"),
    concept("E", "leg", parents="B"),
]
"""D's parent is B; its sibling is E; its parent's sibling is C."""


def test_algorithm_1_worked_out_on_paper(open_concepts):
    # one pair of labels of B: its parent A has one label, and of others only its sibling C
    examples = examples_of(
        open_concepts(
            [concept("A", "body"), concept("B", "limb", "member", parents="A"), concept("C", "trunk", parents="A")]
        ),
        "triplets",
    )
    assert texts_of(examples) == [
        ("limb", "member", "body"),
        ("limb", "member", "trunk"),
        ("limb", "body", "trunk"),
    ]


def test_three_triplets_for_every_two_labels_with_drawn_others(open_concepts):
    made = texts_of(examples_of(open_concepts(FAMILY), "triplets"))
    pairs = [("arm", "upper limb"), ("arm", "arms of a person"), ("upper limb", "arms of a person")]
    assert len(made) == 9
    for place, (first, second) in enumerate(pairs):
        one, two, three = made[3 * place : 3 * place + 3]
        other = two[2]
        assert other in ("leg", "trunk")
        # the labels drawn for a pair are the same in its three triplets
        assert (one, two, three) == ((first, second, "limb"), (first, second, other), (first, "limb", other))


def test_labels_are_drawn_anew_for_each_pair_and_by_the_seed(open_concepts):
    terminologies = open_concepts(FAMILY)

    def others(seed: int) -> tuple[str, ...]:
        return tuple(
            row[2] for row in texts_of(examples_of(terminologies, "triplets", options=RecipeOptions(seed)))[1::3]
        )

    drawn = [others(seed) for seed in range(40)]
    assert len(set(drawn)) == 2**3  # three pairs, two others each
    assert drawn[7] == others(7)


def test_pairs_without_parents_or_others_lose_the_triplets_that_need_them(open_concepts):
    examples = examples_of(
        open_concepts(
            [
                concept("R", "root", "top"),  # no parent, no other
                concept("S", "only child", "single child", parents="R"),  # a parent, no other
                concept("P"),  # a parent without a name
                concept("Q", "first", "number one", parents="P"),
                concept("T", "second", parents="P"),
            ]
        ),
        "triplets",
    )
    only_child, first = texts_of(examples)
    assert only_child in {("only child", "single child", "root"), ("only child", "single child", "top")}
    assert first == ("first", "number one", "second")
    assert examples.described["label_pairs"]["train"] == {
        "pairs": 3, "without_parents_label": 1, "without_others_label": 1, "without_either": 1,
    }  # fmt: skip
    assert examples.described["concepts_without_names"] == 1


def test_a_parent_is_never_an_other_and_neither_is_the_concept(open_concepts):
    # X has two parents that are siblings of each other, and is itself a child of its grandparent
    terminologies = open_concepts(
        [
            concept("G", "grand"),
            concept("P", "left parent", parents="G"),
            concept("Q", "right parent", parents="G"),
            concept("X", "child", "kid", "offspring", parents="P Q G"),
            concept("U", "uncle", parents="G"),
        ]
    )
    pool = name_pool(terminologies)
    own = TextsByConcept(*pool.usable("train"))
    x = number(pool, "X")
    others = OtherLabels(pool, pool.parents(), pool.children(), own, np.array([x]))
    drawn = others.draw(np.random.default_rng(0), np.full(500, x))
    assert {pool.texts[row] for row in drawn.tolist()} == {"uncle"}


def test_what_means_the_same_or_is_spelled_so_is_never_a_negative(open_concepts):
    terminologies = open_concepts(
        [
            concept("A", "body"),
            concept("B", "LIMB", "limbs, all", parents="A"),
            # of B's labels one is spelled as a label of D
            concept("D", "arm", "limb", parents="B"),
            concept("E", "Arm", "brachium", parents="B"),  # linked to D by its name: the same meaning
            concept("F", "member", "ARM!", parents="B"),  # one label is spelled as D's
            concept("C", "limbs all", "trunk", parents="A"),  # one label is spelled as a parent's
        ]
    )
    pool = name_pool(terminologies)
    own = TextsByConcept(*pool.usable("train"))
    d = number(pool, "D")
    rng = np.random.default_rng(0)
    parents = ParentLabels(pool, pool.parents(), own, np.array([d])).draw(rng, np.full(300, d))
    assert {pool.texts[row] for row in parents.tolist()} == {"limbs, all"}
    others = OtherLabels(pool, pool.parents(), pool.children(), own, np.array([d])).draw(rng, np.full(300, d))
    assert {pool.texts[row] for row in others.tolist()} == {"member", "trunk"}


def test_every_label_of_the_others_is_as_likely(open_concepts):
    # S and T are siblings by both parents, V by one of them, W and Z are parents' siblings; T has three labels
    terminologies = open_concepts(
        [
            concept("G", "g"),
            concept("H", "h"),
            concept("P", "p", parents="G"),
            concept("Q", "q", parents="G H"),
            concept("X", "x", "y", parents="P Q"),
            concept("S", "s", parents="P Q"),
            concept("T", "t1", "t2", "t3", parents="P Q"),
            concept("V", "v", parents="Q"),
            concept("W", "w", parents="G H"),
            concept("Z", "z", parents="H"),
        ]
    )
    pool = name_pool(terminologies)
    x = number(pool, "X")
    others = OtherLabels(pool, pool.parents(), pool.children(), TextsByConcept(*pool.usable("train")), np.array([x]))
    drawn = others.draw(np.random.default_rng(1), np.full(70_000, x))
    shares = Counter(pool.texts[row] for row in drawn.tolist())
    assert set(shares) == {"s", "t1", "t2", "t3", "v", "w", "z"}
    assert np.array(list(shares.values())) / 70_000 == pytest.approx(np.full(7, 1 / 7), abs=0.006)


def test_a_label_that_is_one_of_many_that_do_not_fit_is_found(open_concepts):
    # 300 siblings are spelled as the parent is, one is not: draws are refused until all labels are looked at
    alike = [concept(f"N{n}", f"parent{'!' * n}", parents="P") for n in range(300)]
    terminologies = open_concepts(
        [concept("P", "parent"), concept("X", "x", "y", parents="P"), *alike, concept("Z", "odd one", parents="P")]
    )
    made = texts_of(examples_of(terminologies, "triplets"))
    assert made == [("x", "y", "parent"), ("x", "y", "odd one"), ("x", "parent", "odd one")]


def test_train_labels_are_of_train_concepts_and_dev_may_look_around(open_concepts):
    terminologies = open_concepts(
        [
            concept("A", "body"),
            concept("B", "limb", "member", parents="A"),
            concept("C", "trunk", "torso", parents="A"),
        ]
    )
    shares = (0.5, 0.5, 0.0)
    seed = seed_with(terminologies, {"A": "train", "B": "train", "C": "dev"}, shares)
    examples = examples_of(terminologies, "triplets", pool=PoolOptions(shares=shares, seed=seed))
    assert texts_of(examples) == [("limb", "member", "body")]  # its other is a dev concept
    dev = texts_of(examples, "dev")
    assert dev[0] == ("trunk", "torso", "body")
    assert {row[2] for row in dev[1:]} <= {"limb", "member"}
    assert len(dev) == 3
