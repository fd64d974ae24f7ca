"""The pool, the ``drawn`` recipe, the split and the folder of examples."""

from __future__ import annotations

import numpy as np
import pytest

from made import concept, examples_of, number, seed_with, texts_of
from ontonym.errors import ArtifactError, InputError, UnknownNameError
from ontonym.learning.recipes import (
    Examples,
    Pool,
    PoolOptions,
    RecipeOptions,
    Texts,
    find_recipe,
    name_pool,
    open_examples,
    save_examples,
)
from ontonym.learning.recipes.fresh import Drawer
from ontonym.learning.recipes.split import OUT, parse_shares, split_concepts, split_texts
from ontonym.text.strings import Strings
from ontonym.types import Term

HUMAN = [
    concept(
        "H:1", "Heart attack", "Myocardial infarction", Term("MI", scope="broad"),
        Term("Cardiac infarct", scope="related"), xrefs="M:1",
    ),
    concept("H:2", "Asthma"),
    concept("H:3", "Kidney stones", "Nephrolithiasis"),
    concept("H:4", "Lonely"),
    concept("H:5", "Dropsy", "Hydropsy", status="retired"),
    concept("H:6", "Stroke", "stroke", "Brain attack"),
]  # fmt: skip
MOUSE = [
    concept("M:1", "infarction of the heart", "coronary event"),
    concept("M:2", "ASTHMA", "wheezing illness"),
    concept("M:3", "Stone, Kidney", alternative_ids="H:3"),
]


@pytest.fixture
def both(open_concepts):
    return open_concepts(HUMAN, MOUSE)


def names_of(pool: Pool, concept_id: str) -> list[str]:
    start, stop = pool.bounds[number(pool, concept_id) :][:2].tolist()
    return pool.texts.tolist()[start:stop]


def test_pool_holds_active_names_of_the_wanted_scopes_once(both):
    pool = name_pool(both)
    assert names_of(pool, "H:1") == ["Heart attack", "Myocardial infarction", "Cardiac infarct"]
    assert names_of(pool, "H:6") == ["Stroke", "Brain attack"]
    assert names_of(pool, "H:5") == []
    assert names_of(name_pool(both, PoolOptions(scopes=("exact",))), "H:1") == ["Heart attack", "Myocardial infarction"]
    assert pool.name_count == len(pool.texts) == 14


def test_names_of_another_language_stay_out_and_dialects_come_in(open_concepts):
    names = ("Asthma", Term("Asthme", language="fr"), Term("Wheeze", language="en-GB"))
    terminologies = open_concepts([concept("A", *names)])
    assert names_of(name_pool(terminologies), "A") == ["Asthma", "Wheeze"]
    assert names_of(name_pool(terminologies, PoolOptions(languages=("fr",))), "A") == ["Asthme"]
    assert names_of(name_pool(terminologies, PoolOptions(languages=())), "A") == ["Asthma", "Asthme", "Wheeze"]


def test_excluded_names_stay_out_in_any_spelling(both):
    pool = name_pool(both, PoolOptions(exclude=("infarction, myocardial", "KIDNEY STONE")))
    assert names_of(pool, "H:1") == ["Heart attack", "Cardiac infarct"]
    assert names_of(pool, "H:3") == ["Nephrolithiasis"]
    assert names_of(pool, "M:3") == []
    assert pool.described == {"concepts_without_names": 1, "excluded": {"names": 3, "annotated": 0}}


def test_equal_spellings_share_a_number(open_concepts):
    pool = name_pool(open_concepts([concept("A", "Kidney stones", "Asthma"), concept("B", "kidney-stones", "stone")]))
    assert pool.spellings[0] == pool.spellings[2]
    assert len(set(pool.spellings.tolist())) == 3


def test_columns_tell_of_each_name_what_its_terminology_says(open_concepts):
    pool = name_pool(
        open_concepts(
            [concept("A", Term("eins", "preferred", language="de"), Term("one", source="x"))],
            [concept("B", Term("two", "preferred", source="y"), Term("II", "abbreviation"))],
        ),
        PoolOptions(languages=()),
    )

    def column(name):
        coded = pool.column(name)
        return [coded.names[code] for code in coded.codes.tolist()]

    assert column("language") == ["de", "en", "en", "en"]
    assert column("source") == ["", "x", "y", ""]
    assert column("kind") == ["preferred", "synonym", "preferred", "abbreviation"]


def test_annotated_texts_come_behind_the_names_and_unknown_concepts_are_told(both):
    annotated = [
        ("heart failure today", "H:1"),
        ("Heart Failure, today", "H:1"),  # the same spelling once more
        ("stones", "H:3"),  # the own id goes before the alternative id of M:3
        ("who knows", "X:1"),
        ("who cares", "X:1"),
    ]
    pool = name_pool(both, annotated=annotated)
    assert pool.texts.tolist()[pool.name_count :] == ["heart failure today", "stones"]
    assert pool.concepts[pool.name_count :].tolist() == [number(pool, "H:1"), number(pool, "H:3")]
    assert pool.described["annotated"] == {
        "given": 5,
        "of_unknown_concepts": 2,
        "unknown_concepts": {"count": 1, "first": ["X:1"]},
        "kept": 2,
    }


def test_an_annotated_text_of_a_retired_concept_goes_to_its_replacement(open_concepts):
    terminologies = open_concepts([concept("A", "old", status="retired", replaced_by="B"), concept("B", "new")])
    pool = name_pool(terminologies, annotated=[("former", "A")])
    assert pool.concepts[pool.name_count :].tolist() == [number(pool, "B")]


def test_an_annotated_text_does_not_leak_between_splits(both):
    shares = (0.5, 0.5, 0.0)
    seed = seed_with(both, {"H:4": "train", "H:6": "dev"}, shares)
    options = PoolOptions(shares=shares, seed=seed)
    pool = name_pool(both, options, [("a stroke", "H:4"), ("brain ATTACK", "H:4"), ("Lonely!", "H:6")])
    assert [int(split) for split in pool.text_splits[pool.name_count :]] == [0, OUT, 1]
    # a name of a train concept that annotators of a dev concept wrote is not for training
    assert pool.text_splits[pool.texts.tolist().index("Lonely")] == OUT


def test_usable_names_are_those_of_a_split_by_concept(both):
    shares = (0.5, 0.5, 0.0)
    pool = name_pool(both, PoolOptions(shares=shares, seed=seed_with(both, {"H:1": "dev", "H:6": "train"}, shares)))
    rows, bounds = pool.usable("train")
    six, one = number(pool, "H:6"), number(pool, "H:1")
    assert [pool.texts[row] for row in rows[bounds[six] : bounds[six + 1]].tolist()] == ["Stroke", "Brain attack"]
    assert bounds[one] == bounds[one + 1]


# --- splits ----------------------------------------------------------------------------------------------------------


def test_linked_concepts_are_in_one_split_and_are_drawn_like_others():
    count = 30_000
    ids = Strings.of([f"X:{n}" for n in range(count)])
    meanings = np.arange(count, dtype=np.int32) // 3  # three linked concepts each
    splits = split_concepts(ids, meanings, (0.9, 0.05, 0.05), 1)
    assert (splits.reshape(-1, 3) == splits.reshape(-1, 3)[:, :1]).all()
    assert np.bincount(splits) / count == pytest.approx([0.9, 0.05, 0.05], abs=0.01)


def test_the_split_of_a_concept_depends_on_its_id_and_the_seed_alone():
    def split(ids: list[str], seed: int) -> list[int]:
        meanings = np.arange(len(ids), dtype=np.int32)
        return split_concepts(Strings.of(ids), meanings, (0.5, 0.25, 0.25), seed).tolist()

    ids = [f"X:{n}" for n in range(60)]
    assert split(ids[::-1], 1) == split(ids, 1)[::-1]
    assert split(ids, 1) != split(ids, 2)


def test_a_text_of_two_splits_is_for_the_later_one_only():
    of_concepts = np.array([0, 1, 2, 0], dtype=np.uint8)
    concepts = np.array([0, 0, 1, 2, 3, 1], dtype=np.int32)
    spellings = np.array([7, 5, 5, 6, 7, 6], dtype=np.int32)
    assert split_texts(of_concepts, concepts, spellings).tolist() == [0, OUT, 1, 2, 0, OUT]


def test_shares_sum_to_one_and_bad_ones_are_named():
    assert parse_shares("90/5/5") == (0.9, 0.05, 0.05)
    assert parse_shares("8/2/0") == parse_shares((0.8, 0.2, 0)) == (0.8, 0.2, 0.0)
    for bad in ("", "1/1", "0/1/1", "a/b/c", "90/-5/15", "nan/5/5", (0.9, 0.1), 3):
        with pytest.raises(InputError, match="give three numbers such as 90/5/5"):
            parse_shares(bad)


# --- the drawn recipe ------------------------------------------------------------------------------------------------


def test_drawable_concepts_have_two_names_or_a_link(both):
    pool = name_pool(both)
    drawer = Drawer(pool, "train", RecipeOptions())
    wanted = {number(pool, one) for one in ("H:1", "H:2", "H:3", "H:6", "M:1", "M:2", "M:3")}
    assert set(drawer.drawable.tolist()) == wanted


@pytest.mark.parametrize("linked", [0.0, 0.3, 1.0])
def test_a_drawn_pair_is_two_spellings_of_one_meaning(both, linked):
    pool = name_pool(both)
    drawer = Drawer(pool, "train", RecipeOptions(linked=linked))
    rng = np.random.default_rng(1)
    anchors, positives = drawer.pairs(rng, drawer.concepts(rng, 5000)).T
    assert (pool.spellings[anchors] != pool.spellings[positives]).all()
    meanings = pool.meanings[pool.concepts]
    # the losses mask what shares a meaning, so no positive can be a negative either
    assert (meanings[anchors] == meanings[positives]).all()


def test_share_of_linked_draws_holds(both):
    pool = name_pool(both)
    drawer = Drawer(pool, "train", RecipeOptions(linked=0.3))
    table = drawer.pairs(np.random.default_rng(2), np.full(20_000, number(pool, "H:1")))
    assert len(table) == 20_000
    across = pool.concepts[table[:, 0]] != pool.concepts[table[:, 1]]
    assert across.mean() == pytest.approx(0.3, abs=0.01)


def test_a_concept_of_one_name_is_always_paired_across(both):
    pool = name_pool(both)
    drawer = Drawer(pool, "train", RecipeOptions(linked=0.0))
    table = drawer.pairs(np.random.default_rng(3), np.full(100, number(pool, "H:2")))
    assert {(pool.texts[a], pool.texts[b]) for a, b in table.tolist()} == {("Asthma", "wheezing illness")}


def test_all_pairs_of_a_concept_are_drawn_alike(both):
    pool = name_pool(both)
    drawer = Drawer(pool, "train", RecipeOptions(linked=0.0))
    table = drawer.pairs(np.random.default_rng(4), np.full(30_000, number(pool, "H:1")))
    shares = np.unique(table, axis=0, return_counts=True)[1] / 30_000
    assert shares == pytest.approx(np.full(6, 1 / 6), abs=0.01)


@pytest.mark.parametrize(("favour", "ratio"), [(0.0, 1.0), (0.5, 2**0.5), (1.0, 2.0)])
def test_favour_draws_concepts_with_more_names_more_often(both, favour, ratio):
    pool = name_pool(both)
    drawer = Drawer(pool, "train", RecipeOptions(favour=favour))
    drawn = drawer.concepts(np.random.default_rng(5), 100_000)
    many, few = (int((drawn == number(pool, one)).sum()) for one in ("H:1", "H:6"))  # 3 names and a link; 2 names
    assert many / few == pytest.approx(ratio, rel=0.05)


def test_an_epoch_has_as_many_draws_as_drawable_concepts_and_each_epoch_its_own(both):
    def made(seed: int, epoch: int) -> list[tuple[str, ...]]:
        return texts_of(examples_of(both, "drawn", epoch=epoch, options=RecipeOptions(seed=seed, linked=0.0)))

    assert examples_of(both, "drawn").described["drawable"] == {"train": 7, "dev": 0, "test": 0}
    assert made(7, 0) == made(7, 0)
    assert made(7, 0) != made(7, 1)
    assert made(7, 0) != made(8, 0)


# --- folders ---------------------------------------------------------------------------------------------------------


def test_examples_come_back_from_their_folder(both, tmp_path):
    shares = (0.5, 0.5, 0.0)
    seed = seed_with(both, {"H:1": "train", "H:6": "dev"}, shares)
    examples = examples_of(both, "synonyms", pool=PoolOptions(shares=shares, seed=seed))
    manifest = save_examples(tmp_path / "x.pairs", examples)
    again = open_examples(tmp_path / "x.pairs")
    for split in ("train", "dev", "test"):
        assert texts_of(again, split) == texts_of(examples, split)
    assert again.counts() == examples.counts() == manifest.content["examples"]
    assert again.counts()["dev"] > 0
    # only what examples use is kept, with what is known of it
    used = np.unique(np.concatenate([table.ravel() for table in examples.tables.values()]))
    assert again.texts.texts.tolist() == examples.texts.texts.take(used).tolist()
    for name in ("concepts", "meanings", "spellings"):
        assert getattr(again.texts, name).tolist() == getattr(examples.texts, name)[used].tolist()
    assert again.described["recipe"] == "synonyms"
    assert again.described["options"]["pool"]["shares"] == [0.5, 0.5, 0.0]
    assert [source["name"] for source in again.described["terminologies"]] == ["t0", "t1"]


def test_the_same_examples_have_the_same_fingerprint(both, tmp_path):
    first, second = (save_examples(tmp_path / name, examples_of(both, "drawn")) for name in ("a", "b"))
    assert first.fingerprint == second.fingerprint


def test_a_damaged_folder_is_named(both, tmp_path):
    save_examples(tmp_path / "x.pairs", examples_of(both, "synonyms"))
    (tmp_path / "x.pairs" / "train.npy").write_bytes(b"no numbers")
    with pytest.raises(ArtifactError, match=r"x\.pairs: damaged"):
        open_examples(tmp_path / "x.pairs")


def test_a_folder_without_training_examples_is_not_written(tmp_path):
    texts = Texts(Strings.of(["a"]), *(np.zeros(1, dtype=np.int32) for _ in range(3)))
    with pytest.raises(InputError, match="no training example"):
        save_examples(tmp_path / "x.pairs", Examples(texts, {}))
    assert not (tmp_path / "x.pairs").exists()


def test_a_recipe_that_gives_nothing_says_what_it_needs(open_concepts):
    terminologies = open_concepts([concept("A", "one"), concept("B", "two")])
    with pytest.raises(InputError, match="triplets gives no training example from t0: it needs concepts with several"):
        examples_of(terminologies, "triplets")
    with pytest.raises(InputError, match="it needs retired concepts"):
        examples_of(terminologies, "historical")


def test_an_unknown_recipe_is_answered_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="Did you mean 'triplets'"):
        find_recipe("triplet")
