"""The similarity sets: what holds for every set, a set worked out by hand, and recipes."""

from __future__ import annotations

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from limits import examples
from made import concept
from ontonym.benchmark import BuildOptions, build_sets, open_sets
from ontonym.benchmark.negatives import NONE, closest_negatives, random_negatives
from ontonym.benchmark.sets import read_recipe
from ontonym.errors import ArtifactError, InputError, OntonymError
from ontonym.learning.recipes.links import groups_of

pytestmark = pytest.mark.slow

CONCEPTS = [
    concept("A", "sacrum sprain", "sacral sprain", "lumbosacral strain"),
    concept("B", "malaria", "swamp fever", "Malarial"),
    concept("C", "sacrum strain", "sacral sprains"),
    concept("D", "melanoma", "malignant melanoma of skin"),
    concept("O", "obsolete ague", status="retired", replaced_by="B"),
]
"""The two groups of sprains have nothing to do with each other."""


def sets_of(terminology, path):
    build_sets(terminology, path)
    return {made.name: made for made in open_sets(path)}


def rows(made, similar):
    zipped = zip(made.first, made.second, made.similar.tolist(), made.distances.tolist(), made.concepts, strict=True)
    return [(first, second, distance, *ids) for first, second, label, distance, ids in zipped if label == similar]


def test_a_set_worked_out_by_hand(open_concepts, tmp_path):
    (terminology,) = open_concepts(CONCEPTS)
    made = sets_of(terminology, tmp_path / "sets")
    assert list(made) == [
        "fsn-synonym.easy.random", "fsn-synonym.easy.levenshtein", "fsn-synonym.hard.random",
        "fsn-synonym.hard.levenshtein", "synonym-synonym.easy.random", "synonym-synonym.easy.levenshtein",
        "synonym-synonym.hard.random", "synonym-synonym.hard.levenshtein",
    ]  # fmt: skip
    easy = made["fsn-synonym.easy.levenshtein"]
    assert rows(easy, True) == [
        ("sacrum sprain", "sacral sprain", 2, "A", "A"),
        ("malaria", "Malarial", 1, "B", "B"),
        ("sacrum strain", "sacral sprains", 4, "C", "C"),
    ]
    assert rows(easy, False) == [
        ("sacrum sprain", "sacrum strain", 1, "A", "C"),
        ("malaria", "sacral sprain", 9, "B", "A"),
        ("sacrum strain", "sacral sprain", 3, "C", "A"),  # with sacrum sprain it is there, the other way round
    ]
    hard = made["fsn-synonym.hard.levenshtein"]
    assert rows(hard, True) == [
        ("sacrum sprain", "lumbosacral strain", 8, "A", "A"),
        ("malaria", "swamp fever", 10, "B", "B"),
        ("melanoma", "malignant melanoma of skin", 18, "D", "D"),
    ]
    assert rows(hard, False) == [
        ("sacrum sprain", "malaria", 10, "A", "B"),
        ("malaria", "melanoma", 4, "B", "D"),
        ("melanoma", "swamp fever", 10, "D", "B"),  # with malaria it is there, the other way round
    ]


def test_every_set_is_half_similar_and_no_pair_is_both_or_indirectly_similar(open_concepts, tmp_path):
    generator = np.random.default_rng(0)
    words = ["acute", "renal", "failure", "kidney", "left", "chronic", "pain", "of", "syndrome"]
    concepts = [
        concept(f"C{number}", *dict.fromkeys(" ".join(generator.choice(words, size)) for size in (2, 3, 3, 4)))
        for number in range(60)
    ]
    (terminology,) = open_concepts(concepts)
    made = sets_of(terminology, tmp_path / "sets")
    assert len(made) == 8
    groups: dict[str, str] = {}

    def group(name):
        while groups.setdefault(name, name) != name:
            name = groups[name]
        return name

    for one in made.values():
        for first, second, *_ in rows(one, True):
            groups[group(first.lower())] = group(second.lower())
    for name, one in made.items():
        pairs = [frozenset((a.lower(), b.lower())) for a, b in zip(one.first, one.second, strict=True)]
        assert len(set(pairs)) == len(pairs) == 2 * int(one.similar.sum())
        assert all(group(first.lower()) != group(second.lower()) for first, second, *_ in rows(one, False))
        assert all((distance <= 5) == (".easy." in name) for *_, distance, _, _ in rows(one, True))
        assert one.distances.tolist() == [
            Levenshtein.distance(a.lower(), b.lower()) for a, b in zip(one.first, one.second, strict=True)
        ]
    random, closest = made["fsn-synonym.hard.random"], made["fsn-synonym.hard.levenshtein"]
    assert random.distances[~random.similar].mean() > closest.distances[~closest.similar].mean()


names = st.lists(st.text("ab ", min_size=1, max_size=6), min_size=2, max_size=14, unique=True)


@examples(100)
@given(st.data())
def test_closest_negatives_are_the_closest_that_are_free(data):
    lowered = data.draw(names)
    number = st.integers(0, len(lowered) - 1)
    drawn = data.draw(
        st.lists(st.tuples(number, number).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=12)
    )
    positives = np.array(list({frozenset(pair): pair for pair in drawn}.values()), dtype=np.int64)
    similar = groups_of(len(lowered), positives).astype(np.int64)
    pool = np.unique(positives)
    chosen = closest_negatives(positives, similar, lowered)
    made = [
        frozenset((int(first), int(other)))
        for (first, _), other in zip(positives, chosen, strict=True)
        if other != NONE
    ]
    assert len(set(made)) == len(made)  # no two names are paired twice
    for first in dict.fromkeys(positives[:, 0].tolist()):
        mine = [int(other) for pair, other in zip(positives, chosen, strict=True) if pair[0] == first]
        fit = sorted(
            (other for other in pool.tolist() if similar[other] != similar[first]),
            key=lambda other: (Levenshtein.distance(lowered[first], lowered[other]), other),
        )
        found = [other for other in mine if other != NONE]
        assert [other for other in fit if other in found] == found  # its nearest first
        nearer = fit if len(found) < len(mine) else fit[: fit.index(found[-1])] if found else []
        assert all(
            frozenset((first, other)) in made for other in nearer
        )  # what it passed over is paired with it already


@examples(60)
@given(st.data())
def test_random_negatives_are_found_wherever_there_is_one(data):
    count = data.draw(st.integers(2, 12))
    number = st.integers(0, count - 1)
    drawn = data.draw(
        st.lists(st.tuples(number, number).filter(lambda pair: pair[0] < pair[1]), min_size=1, max_size=12, unique=True)
    )
    positives = np.array(drawn, dtype=np.int64)
    similar = groups_of(count, positives).astype(np.int64)
    chosen = random_negatives(positives, similar, np.random.default_rng(data.draw(st.integers(0, 9))))
    pairs = [frozenset((int(a), int(b))) for a, b in zip(positives[:, 0], chosen, strict=True) if b != NONE]
    assert len(set(pairs)) == len(pairs)
    pool = set(positives.ravel().tolist())
    for first, other in zip(positives[:, 0].tolist(), chosen.tolist(), strict=True):
        free = [fit for fit in pool if similar[fit] != similar[first] and frozenset((first, fit)) not in pairs]
        assert (similar[other] != similar[first] and other in pool) if other != NONE else not free


def test_the_same_release_and_options_give_the_same_bytes_and_a_recipe_checks_it(open_concepts, tmp_path):
    (terminology,) = open_concepts(CONCEPTS)
    options = BuildOptions(threshold=3, seed=5)
    first = build_sets(terminology, tmp_path / "one", options)
    recipe = read_recipe(tmp_path / "one")
    assert recipe.options == options
    recipe.check_releases(terminology, ())
    second = build_sets(terminology, tmp_path / "two", recipe.options, threads=2)
    assert first.fingerprint == second.fingerprint
    for name in (file.name for file in (tmp_path / "one").iterdir() if file.name != "manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert recipe.differences(second.content["recipe"]["sets"]) == []
    other = build_sets(terminology, tmp_path / "three", BuildOptions(threshold=4, seed=5))
    assert "fsn-synonym.easy.levenshtein" in recipe.differences(other.content["recipe"]["sets"])
    text = (tmp_path / "one" / "recipe.json").read_text().casefold()
    assert not any(term.text.casefold() in text for one in CONCEPTS for term in one.terms)


def test_a_recipe_for_other_releases_is_refused(open_concepts, tmp_path):
    one, other = open_concepts(CONCEPTS, CONCEPTS[:3])
    build_sets(one, tmp_path / "sets")
    recipe = read_recipe(tmp_path / "sets" / "recipe.json")
    with pytest.raises(InputError, match="is not what the recipe was made of: t0 1"):
        recipe.check_releases(other, ())
    with pytest.raises(InputError, match="needs 0 older releases, and 1 were given"):
        recipe.check_releases(one, (other,))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"recipe": 1, "options": 3}', '{"recipe": 9}'])
def test_what_is_no_recipe_is_said(tmp_path, content):
    file = tmp_path / "recipe.json"
    file.write_text(content)
    with pytest.raises(InputError, match="recipe"):
        read_recipe(file)


def test_a_terminology_without_similar_names_is_said(open_concepts, tmp_path):
    (terminology,) = open_concepts([concept("A", "one"), concept("B", "two")])
    with pytest.raises(InputError, match="no pair of similar names"):
        build_sets(terminology, tmp_path / "sets")
    assert not (tmp_path / "sets").exists()
    with pytest.raises(InputError, match="at least 0"):
        BuildOptions(threshold=-1)


def test_positives_without_any_negative_are_left_out(open_concepts, tmp_path):
    (terminology,) = open_concepts([concept("A", "fit", "convulsion"), concept("B", "fit", "seizure")])
    made = sets_of(terminology, tmp_path / "sets")
    assert not made  # all are one meaning
    statistics = orjson.loads((tmp_path / "sets" / "statistics.json").read_bytes())
    hard = {"pairs": 0, "positive_distance": None, "negative_distance": None}
    assert statistics["sets"][0] == {
        "relation": "fsn-synonym", "difficulty": "hard", "positives": 2, "random": hard, "levenshtein": hard,
    }  # fmt: skip


def test_damaged_sets_are_said(open_concepts, tmp_path):
    (terminology,) = open_concepts(CONCEPTS)
    build_sets(terminology, tmp_path / "sets")
    file = tmp_path / "sets" / "fsn-synonym.easy.random.tsv"
    file.write_bytes(file.read_bytes().replace(b"first\t", b"wrong\t"))
    with pytest.raises(ArtifactError, match=r"easy\.random\.tsv: damaged"):
        list(open_sets(tmp_path / "sets"))
    with pytest.raises(OntonymError, match="no such benchmark"):
        list(open_sets(tmp_path / "nowhere"))
