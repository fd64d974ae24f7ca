from __future__ import annotations

from made import concept, examples_of, seed_with, texts_of
from ontonym.learning.recipes import PoolOptions, RecipeOptions
from ontonym.types import Concept, Mapping, Term

JUSTIFIED = "semapv:ManualMappingCuration"


def mapping(subject: str, target: str, predicate: str = "skos:exactMatch", label: str = "") -> Mapping:
    return Mapping(subject, predicate, target, JUSTIFIED, object_label=label)


LOCAL = [
    concept("L:1", "heart attack", "coronary", mappings=(mapping("L:1", "M:1"),)),
    concept(
        "L:2", "hot", mappings=(mapping("L:2", "M:2", "skos:broadMatch"), mapping("L:2", "M:9", label="hyperthermia"))
    ),
    concept("L:3", "Cough"),
]
MESH = [
    concept("M:1", "myocardial infarction", "MI"),
    concept("M:2", "fever"),
    concept("M:3", "cough", "tussis"),
]
MAPPED = [("heart attack", "myocardial infarction"), ("heart attack", "MI"),
          ("coronary", "myocardial infarction"), ("coronary", "MI")]  # fmt: skip


def test_names_of_mapped_and_of_linked_concepts(open_concepts):
    examples = examples_of(open_concepts(LOCAL, MESH), "mappings")
    assert sorted(texts_of(examples)) == sorted(
        [
            *MAPPED,
            ("Cough", "tussis"),  # linked by the preferred name; equal spellings are no pair
            ("hot", "hyperthermia"),  # an object that no terminology has goes by its label
        ]
    )
    assert examples.described["mappings"] == {
        "pairs_of_concepts": 2, "across_splits": 0, "links": 1, "object_labels": 1,
    }  # fmt: skip


def test_predicates_choose(open_concepts):
    options = RecipeOptions(predicates=("skos:broadMatch",))
    made = texts_of(examples_of(open_concepts(LOCAL, MESH), "mappings", options=options))
    assert sorted(made) == [("Cough", "tussis"), ("hot", "fever")]


def test_a_set_of_mappings_by_itself_joins_the_terminologies_it_is_about(open_concepts):
    # as an SSSOM file is imported: subjects with their labels, mapped to objects
    mappings = [Concept("L:1", (Term("coronary attack", "preferred"),), mappings=(mapping("L:1", "M:1"),))]
    terminologies = open_concepts([concept("L:1", "heart attack")], MESH, mappings)
    made = texts_of(examples_of(terminologies, "mappings"))
    assert sorted(made) == sorted(
        [
            ("heart attack", "coronary attack"),  # linked: the same id
            ("heart attack", "myocardial infarction"),
            ("heart attack", "MI"),
            ("coronary attack", "myocardial infarction"),
            ("coronary attack", "MI"),
        ]
    )


def test_objects_are_found_by_alternative_ids_and_retired_ones_are_not(open_concepts):
    first = [concept("L:1", "one", mappings=(mapping("L:1", "M:8"), mapping("L:1", "M:9", label="gone")))]
    second = [concept("M:1", "two", alternative_ids="M:8"), concept("M:9", "old", status="retired")]
    assert sorted(texts_of(examples_of(open_concepts(first, second), "mappings"))) == [("one", "gone"), ("one", "two")]


def test_mapped_concepts_of_different_splits_are_told_and_left_out(open_concepts):
    shares = (0.5, 0.5, 0.0)
    terminologies = open_concepts(LOCAL, MESH)
    seed = seed_with(terminologies, {"L:1": "train", "M:1": "dev", "L:2": "dev", "L:3": "train"}, shares)
    examples = examples_of(terminologies, "mappings", pool=PoolOptions(shares=shares, seed=seed))
    assert texts_of(examples) == [("Cough", "tussis")]
    assert texts_of(examples, "dev") == [("hot", "hyperthermia")]
    assert examples.described["mappings"]["across_splits"] == 1
