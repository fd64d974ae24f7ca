from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from negatives import ALL_TRAIN, HEART, owners, random_index, unfit
from ontonym.errors import InputError, MismatchError
from ontonym.index import Index, IndexOptions, build_index, open_index
from ontonym.learning.mining import MiningOptions, mine
from ontonym.learning.recipes import Examples, PoolOptions, RecipeOptions, Texts, find_recipe, make_examples, name_pool
from ontonym.learning.recipes.split import SPLITS
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.text.normalization import normalize
from ontonym.text.strings import Strings


def synonyms(index: Index, shares: tuple[float, float, float] = ALL_TRAIN, seed: int = 0) -> Examples:
    pool = name_pool(index.terminologies, PoolOptions(languages=(), shares=shares, seed=seed))
    return make_examples(pool, find_recipe("synonyms"), RecipeOptions(seed=seed))


def told(examples: Examples) -> set[tuple[str, ...]]:
    texts = examples.texts.texts.tolist()
    return {tuple(texts[place] for place in row) for row in examples.table("train").tolist()}


def test_negatives_by_hand(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    examples = synonyms(index)
    mined = mine(index, examples, MiningOptions(nearest=1))
    negatives = {row[:2]: row[2] for row in told(mined)}
    assert set(negatives) == told(examples)
    (pair,) = (pair for pair in negatives if set(pair) == {"acute heart disorder", "acute cardiac disorder"})
    # nearer still are names of its ancestors: heart disorder, cardiac disorder
    anchor = index.encoder.encode([pair[0]])[0]
    fit = ["chronic heart disorder", "chronic cardiac disorder", "lung disorder", "pulmonary disorder",
           "cardiac disorder in acute form", "acute cardiac state"]  # fmt: skip
    assert negatives[pair] == max(fit, key=lambda name: float(index.encoder.encode([name])[0] @ anchor))
    assert mined.described["hard negatives"]["without"] == {"train": 0, "dev": 0, "test": 0}
    assert mined.described["recipe"] == "synonyms"


def test_names_of_concepts_without_pairs_are_negatives_where_allowed(workshop) -> None:
    index = workshop.index(
        workshop.terminology(
            "t",
            'id: T:1\nname: heart failure\nsynonym: "cardiac failure" EXACT []',
            'id: T:2\nname: stone\nsynonym: "calculus" EXACT []',
            "id: T:3\nname: heart failures of old age",
        )
    )
    pool = name_pool(index.terminologies, PoolOptions(languages=()))
    examples = make_examples(pool, find_recipe("synonyms"), RecipeOptions())
    one = MiningOptions(nearest=1)
    assert not any("of old age" in row[2] for row in told(mine(index, examples, one)))
    usable = {split: pool.names_of(split) for split in SPLITS}
    near = {row[2] for row in told(mine(index, examples, one, usable=usable)) if "failure" in row[0]}
    assert near == {"heart failures of old age"}


def test_ceiling_and_skip(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    examples = synonyms(index)
    vectors = {text: index.encoder.encode([text])[0] for text in examples.texts.texts.tolist()}

    def cosines(options: MiningOptions) -> dict[tuple[str, ...], float]:
        return {row[:2]: float(vectors[row[0]] @ vectors[row[2]]) for row in told(mine(index, examples, options))}

    nearest, second = cosines(MiningOptions(nearest=1)), cosines(MiningOptions(nearest=1, skip=1))
    assert all(second[pair] <= nearest[pair] for pair in nearest)
    assert any(second[pair] < nearest[pair] for pair in nearest)
    assert max(nearest.values()) > 0.4
    low = cosines(MiningOptions(nearest=1, ceiling=0.4))
    assert len(low) == len(nearest)
    assert max(low.values()) < 0.41  # int8 rounding


def test_only_where_the_encoder_answers_wrongly(workshop, words) -> None:
    index = random_index(workshop, words, 4)
    examples = synonyms(index)
    every = told(mine(index, examples, MiningOptions(nearest=1)))
    texts = sorted({text for row in every for text in row})
    vectors = dict(zip(texts, index.encoder.encode_names(texts), strict=True))

    def margin(anchor: str, positive: str, negative: str) -> float:
        """How much nearer the negative is; int8 decides what is nearly as near."""
        return float(vectors[anchor] @ vectors[negative] - vectors[anchor] @ vectors[positive])

    wrong = mine(index, examples, MiningOptions(nearest=1, wrong=True))
    taken = told(wrong)
    assert taken <= every
    assert {row for row in every if margin(*row) > 0.02} <= taken
    assert not {row for row in taken if margin(*row) < -0.02}
    assert 0 < len(taken) < len(every)
    assert wrong.described["hard negatives"]["without"]["train"] == len(examples.table("train")) - len(taken)


def test_pairs_without_a_fit_negative_are_left_out_and_counted(workshop) -> None:
    index = workshop.index(
        workshop.terminology("t", "id: T:1\nname: top", 'id: T:2\nname: below\nsynonym: "beneath" EXACT []\nis_a: T:1')
    )
    mined = mine(index, synonyms(index))
    assert mined.table("train").shape == (0, 3)
    assert mined.described["hard negatives"]["without"]["train"] == 1


@pytest.mark.slow
def test_the_same_seed_draws_the_same_negatives(workshop, words) -> None:
    index = random_index(workshop, words, 5)
    examples = synonyms(index)
    first, again, other = (mine(index, examples, MiningOptions(seed=seed)).table("train") for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first[:, :2] == other[:, :2]).all()
    assert (first[:, 2] != other[:, 2]).any()


def test_an_index_of_other_terminologies(workshop) -> None:
    one = workshop.index(workshop.terminology("t", *HEART), name="one")
    other = workshop.index(workshop.terminology("u", *HEART[:5]), name="other")
    with pytest.raises(MismatchError, match="does not have the terminology t of the examples"):
        mine(other, synonyms(one))
    bare = Examples(synonyms(one).texts, synonyms(one).tables)
    with pytest.raises(MismatchError, match="do not say which terminologies they are of"):
        mine(one, bare)


def test_examples_with_negatives_are_refused(workshop) -> None:
    index = workshop.index(workshop.terminology("t", *HEART))
    with pytest.raises(InputError, match="have negatives already"):
        mine(index, mine(index, synonyms(index)))


@pytest.mark.slow
@examples(8)
@given(seed=st.integers(0, 10_000), nearest=st.integers(1, 20), all_names=st.booleans())
def test_no_positive_is_a_hard_negative(workshop, words, seed: int, nearest: int, all_names: bool) -> None:
    index = random_index(workshop, words, seed)
    pool = name_pool(index.terminologies, PoolOptions(languages=(), shares=(0.6, 0.2, 0.2), seed=seed))
    examples = make_examples(pool, find_recipe("synonyms"), RecipeOptions(seed=seed))
    usable = {split: pool.names_of(split) for split in SPLITS} if all_names else None
    mined = mine(index, examples, MiningOptions(nearest=nearest, seed=seed), usable=usable)
    texts, having = mined.texts, owners(index)
    for split in SPLITS:
        names = pool.names_of(split)
        table = mined.table(split)
        assert {tuple(row) for row in table[:, :2].tolist()} <= {tuple(row) for row in examples.table(split).tolist()}
        assert len(table) + mined.described["hard negatives"]["without"][split] == len(examples.table(split))
        for anchor, positive, negative in table.tolist():
            assert names[negative]
            forms = [normalize(texts.texts[place]) for place in (anchor, positive, negative)]
            assert forms[2] not in forms[:2]
            wrong = unfit(index, int(texts.concepts[anchor])) | unfit(index, int(texts.concepts[positive]))
            assert int(texts.concepts[negative]) not in wrong
            assert not having[forms[2]] & {int(texts.concepts[anchor]), int(texts.concepts[positive])}


@pytest.mark.live
def test_negatives_of_hpo(tmp_path: Path) -> None:
    """On a real terminology no negative is a name of the anchor's concept, or of one above it."""
    release = Path(os.environ.get("ONTONYM_DATA", "")) / "hpo" / "hp.obo.gz"
    if not release.exists():
        pytest.skip("set ONTONYM_DATA to the folder that holds hpo/hp.obo.gz")
    build_terminology(read_release([release]), tmp_path / "hp.terminology")
    with open_terminology(tmp_path / "hp.terminology") as terminology:
        build_index([terminology], tmp_path / "hp.index", options=IndexOptions())
        with open_index(tmp_path / "hp.index") as index:
            mined = mine(index, synonyms(index), MiningOptions(nearest=4))
    table = mined.table("train")
    assert len(table) > 10_000
    rng = np.random.default_rng(0)
    with open_terminology(tmp_path / "hp.terminology") as terminology:
        for anchor, _, negative in table[rng.permutation(len(table))[:300]].tolist():
            own, other = (int(mined.texts.concepts[place]) for place in (anchor, negative))
            assert own != other
            assert other not in terminology.hierarchy.ancestors(own).tolist()


def test_texts_beside_names_are_anchors_too(workshop) -> None:
    """Definitions and titles put together are in no index; they find negatives by their vectors."""
    index = workshop.index(workshop.terminology("t", *HEART))
    examples = synonyms(index)
    heart = int(np.flatnonzero(np.array(examples.texts.texts.tolist()) == "lung disorder")[0])
    known = examples.texts
    more = Texts(
        Strings.joined([known.texts, Strings.of(["a disorder of the lung in general"])]),
        np.append(known.concepts, known.concepts[heart]),
        np.append(known.meanings, known.meanings[heart]),
        np.append(known.spellings, known.spellings.max() + 1).astype(np.int32),
    )
    table = np.array([[len(known), heart], *examples.table("train").tolist()], dtype=np.int32)
    mined = mine(index, Examples(more, {"train": table}, examples.described), MiningOptions(nearest=1))
    (row,) = (row for row in told(mined) if "general" in row[0])
    assert row[1] == "lung disorder"
    assert row[2] not in ("pulmonary disorder", "lung disorder", "disorder")
