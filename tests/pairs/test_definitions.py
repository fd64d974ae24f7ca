from __future__ import annotations

from made import concept, examples_of, seed_with, texts_of
from ontonym.learning.recipes import PoolOptions

CONCEPTS = [
    concept("A", "fever", "pyrexia", definitions=("Body heat above 38 degrees.", "A hot body.")),
    concept("B", "cough"),
    concept("C", "A hot body", definitions=("a HOT body", "Something warm.")),
    concept("D", definitions=("A definition of nothing.",)),
    concept("E", "gone", status="retired", definitions=("No longer here.",)),
]


def test_every_name_with_every_definition_of_its_concept(open_concepts):
    examples = examples_of(open_concepts(CONCEPTS), "definitions")
    assert texts_of(examples) == [
        ("fever", "Body heat above 38 degrees."),
        ("fever", "A hot body."),
        ("pyrexia", "Body heat above 38 degrees."),
        ("pyrexia", "A hot body."),
        ("A hot body", "Something warm."),  # and not with what is spelled as the name
    ]
    assert examples.described["definitions"] == {"of_named_concepts": 4, "excluded": 0}
    places = examples.table("train")
    assert (examples.texts.concepts[places[:, 0]] == examples.texts.concepts[places[:, 1]]).all()
    # what is spelled like a name is no negative of it
    hot = [row for row, text in enumerate(examples.texts.texts) if text.lower().startswith("a hot body")]
    assert len(hot) == 3
    assert len(set(examples.texts.spellings[hot].tolist())) == 1


def test_excluded_definitions_stay_out(open_concepts):
    pool = PoolOptions(exclude=("hot body, a",))
    examples = examples_of(open_concepts(CONCEPTS[:2]), "definitions", pool=pool)
    assert {row[1] for row in texts_of(examples)} == {"Body heat above 38 degrees."}
    assert examples.described["definitions"]["excluded"] == 1


def test_a_definition_does_not_leak_between_splits(open_concepts):
    shares = (0.5, 0.5, 0.0)
    same = ("Shared words.", "cough")
    terminologies = open_concepts(
        [
            concept("A", "fever", definitions=(*same, "Only of A.")),
            concept("B", "cough", definitions=("Shared words.", "Only of B.")),
        ]
    )
    seed = seed_with(terminologies, {"A": "train", "B": "dev"}, shares)
    examples = examples_of(terminologies, "definitions", pool=PoolOptions(shares=shares, seed=seed))
    assert texts_of(examples) == [("fever", "Only of A.")]
    assert texts_of(examples, "dev") == [("cough", "Shared words."), ("cough", "Only of B.")]
