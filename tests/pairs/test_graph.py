from __future__ import annotations

from itertools import chain

import pytest

from made import concept, examples_of, seed_with, texts_of
from ontonym.errors import InputError, UnknownNameError
from ontonym.learning.recipes import PoolOptions, RecipeOptions
from ontonym.types import Relation

SITE, CAUSE = "finding site", "causative_agent"
CONCEPTS = [
    concept("A", "pneumonia", "lung infection", relations=(Relation(SITE, "L"), Relation(CAUSE, "V"))),
    concept("B", "viral pneumonia", parents="A", relations=(Relation(CAUSE, "V"), Relation(SITE, "L"))),
    concept("L", "lung", "pulmo"),
    concept("V", "virus", parents="L", relations=(Relation("disjoint_from", "A"), Relation("harms", "L"))),
    concept("O", "old", status="retired", relations=(Relation("SAME AS", "A"),)),
    concept("N", parents="A"),
]


def connected(terminologies, *relations: str) -> list[tuple[str, ...]]:
    return texts_of(examples_of(terminologies, "graph", options=RecipeOptions(relations=relations)))


def test_connected_concepts_are_paired_once_by_their_main_names(open_concepts):
    terminologies = open_concepts(CONCEPTS)
    assert sorted(connected(terminologies)) == [
        ("pneumonia", "lung"),
        ("pneumonia", "virus"),
        ("viral pneumonia", "lung"),
        ("viral pneumonia", "pneumonia"),  # the child first
        ("viral pneumonia", "virus"),
        ("virus", "lung"),  # by is-a and by a relation
    ]
    told = examples_of(terminologies, "graph").described
    assert (told["connected"], told["across_splits"]) == (7, 0)  # one to a concept without a name


def test_chosen_relations_alone_connect_however_they_are_written(open_concepts):
    terminologies = open_concepts(CONCEPTS)
    assert sorted(connected(terminologies, "is-a")) == [("viral pneumonia", "pneumonia"), ("virus", "lung")]
    assert sorted(connected(terminologies, "is_a", "Finding_Site")) == [
        ("pneumonia", "lung"), ("viral pneumonia", "lung"), ("viral pneumonia", "pneumonia"), ("virus", "lung"),
    ]  # fmt: skip
    assert connected(terminologies, "causative agent") == [("pneumonia", "virus"), ("viral pneumonia", "virus")]
    assert connected(terminologies, "disjoint_from") == [("virus", "pneumonia")]


def test_an_unknown_relation_is_answered_with_the_known_ones(open_concepts):
    with pytest.raises(UnknownNameError, match=r"unknown relation 'finding'.*SAME AS, causative_agent.*finding site"):
        connected(open_concepts(CONCEPTS), "is-a", "finding")


def test_a_relation_may_lead_to_another_terminology(open_concepts):
    first = [concept("A", "arm pain", relations=(Relation(SITE, "U:1"),))]
    assert connected(open_concepts(first, [concept("U:1", "arm")])) == [("arm pain", "arm")]


def test_concepts_of_different_splits_are_not_paired(open_concepts):
    shares = (0.5, 0.5, 0.0)
    terminologies = open_concepts([*CONCEPTS[:4], concept("C", "cough", parents="A")])
    seed = seed_with(terminologies, {"A": "train", "L": "dev", "B": "train", "V": "dev", "C": "dev"}, shares)
    examples = examples_of(terminologies, "graph", pool=PoolOptions(shares=shares, seed=seed))
    assert texts_of(examples) == [("viral pneumonia", "pneumonia")]
    assert texts_of(examples, "dev") == [("virus", "lung")]
    assert examples.described["across_splits"] == 5


def test_a_split_by_example_keeps_all(open_concepts):
    terminologies = open_concepts([*CONCEPTS[:4], concept("C", "cough", parents="A")])
    whole = examples_of(terminologies, "graph", pool=PoolOptions(shares=(1.0, 0.0, 0.0)))
    shares = (0.5, 0.25, 0.25)
    examples = examples_of(terminologies, "graph", pool=PoolOptions(shares=shares, split_by="example", seed=1))
    parts = [texts_of(examples, split) for split in ("train", "dev", "test")]
    assert sorted(chain.from_iterable(parts)) == sorted(texts_of(whole))
    assert [len(part) for part in parts] == [4, 1, 2]  # of seven, rounded
    assert examples.described["across_splits"] == 0
    other = examples_of(terminologies, "graph", pool=PoolOptions(shares=shares, split_by="example", seed=2))
    assert texts_of(other) != parts[0]


def test_examples_that_are_drawn_anew_are_split_by_concept(open_concepts):
    with pytest.raises(InputError, match="draws its examples anew in every epoch"):
        examples_of(open_concepts(CONCEPTS), "drawn", pool=PoolOptions(split_by="example"))


def test_icd10_is_connected_by_parent_and_child_alone_the_parent_first(tmp_path):
    from test_synonyms import INDEX, TABULAR, read

    note = "<excludes1><note>left (A00.1)</note></excludes1>"
    noted = TABULAR.replace("unspecified</desc>", f"unspecified</desc>{note}")
    with read(tmp_path, noted, INDEX) as terminology:
        pairs = connected([terminology])
        assert sorted(pairs) == [
            ("Glumps", "Wet glumps"),
            ("Toe glump", "Toe glump of the left foot"),
            ("Toe glump", "Toe glump, unspecified"),
            ("Wet glumps", "Toe glump"),
        ]
        asked = connected([terminology], "excludes1")
    assert asked == [("Toe glump, unspecified", "Toe glump of the left foot")]
