"""Each loss against a plain computation pair by pair, and what no loss may do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_losses import PLAIN

from limits import examples
from ontonym.errors import InputError, UnknownNameError
from ontonym.learning.encoders.batches import TrainingBatch
from ontonym.learning.encoders.losses import LOSSES, LossOptions, make_loss

pytestmark = pytest.mark.training

torch = pytest.importorskip("torch")

Vectors = npt.NDArray[np.float64]


def batch_of(
    pairs: list[tuple[int, ...]], meanings: list[int], spellings: list[int] | None = None, first: int = 0
) -> TrainingBatch:
    """A batch of examples over texts with these meanings, each spelled in its own way unless told otherwise."""
    table = np.array(pairs, dtype=np.int64)
    texts = np.arange(first, first + len(meanings), dtype=np.int64)
    return TrainingBatch(
        texts,
        table[:, 0],
        table[:, 1],
        table[:, 2] if table.shape[1] == 3 else None,
        np.array(meanings, dtype=np.int32),
        texts.astype(np.int32) if spellings is None else np.array(spellings, dtype=np.int32),
    )


def drawn(seed: int, *, negatives: bool = False, dim: int = 6) -> tuple[Vectors, TrainingBatch]:
    """A batch with everything that can go wrong: synonyms across examples, shared names, a shared positive, a loner."""
    rng = np.random.default_rng(seed)
    count = 14
    meanings = rng.integers(0, 6, count)
    meanings[-1] = 99
    spellings = np.arange(count)
    spellings[3], spellings[7] = spellings[9], spellings[0]
    rows = rng.permutation(count - 1)[:12].reshape(6, 2)
    rows[1, 1] = rows[0, 1]
    if negatives:
        rows = np.column_stack([rows, rng.integers(0, count, len(rows))])
    batch = batch_of([tuple(row) for row in rows.tolist()], meanings.tolist(), spellings.tolist())
    return rng.standard_normal((count, dim)), batch


def value(options: LossOptions, vectors: Vectors, batch: TrainingBatch) -> float:
    return float(make_loss(options)(torch.from_numpy(vectors), batch))


def gradient(options: LossOptions, vectors: Vectors, batch: TrainingBatch) -> tuple[float, Any]:
    leaf = torch.tensor(vectors, requires_grad=True)
    loss = make_loss(options)(leaf, batch)
    loss.backward()
    return float(loss.detach()), leaf.grad.numpy()


CASES = [
    ("triplet", {}, {}),
    ("triplet", {"similarity": "cosine", "margin": 0.5}, {"kind": "cosine", "margin": 0.5}),
    ("batch-hard", {}, {}),
    ("batch-hard", {"similarity": "cosine"}, {"kind": "cosine"}),
    ("batch-hard", {"similarity": "dot", "hinge": True, "margin": 1.0}, {"kind": "dot", "margin": 1.0}),
    ("batch-hard", {"mining": "semi-hard"}, {"semi_hard": True}),
    (
        "batch-hard",
        {"mining": "semi-hard", "similarity": "cosine", "hinge": True, "margin": 0.3},
        {"kind": "cosine", "semi_hard": True, "margin": 0.3},
    ),
    ("softmax", {}, {}),
    ("softmax", {"temperature": 1.0, "similarity": "dot", "both": False}, {"temperature": 1, "kind": "dot", "both": 0}),
    ("softmax", {"similarity": "euclidean", "temperature": 0.5}, {"kind": "euclidean", "temperature": 0.5}),
    ("softmax", {"all_texts": True}, {"all_texts": True}),
    ("softmax", {"all_texts": True, "both": False}, {"all_texts": True, "both": False}),
    ("multi-similarity", {}, {}),
    (
        "multi-similarity",
        {"alpha": 1.0, "beta": 60.0, "base": 0.2, "epsilon": 0.02},
        {"alpha": 1, "beta": 60, "base": 0.2, "epsilon": 0.02},
    ),
    ("multi-similarity", {"similarity": "dot", "beta": 5.0}, {"kind": "dot", "beta": 5.0}),
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "options", "plain", "negatives"),
    [(*case, negatives) for case in CASES for negatives in (False, True) if negatives or case[0] != "triplet"],
)
def test_a_loss_equals_the_plain_computation(
    name: str, options: dict[str, Any], plain: dict[str, Any], negatives: bool, seed: int
) -> None:
    vectors, batch = drawn(seed, negatives=negatives)
    expected = PLAIN[name](vectors, batch, **plain)
    assert value(LossOptions(name, **options), vectors, batch) == pytest.approx(expected, abs=1e-9)
    single = make_loss(LossOptions(name, **options))(torch.from_numpy(vectors.astype(np.float32)), batch)
    assert single.dtype == torch.float32
    assert float(single) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_ngo_on_paper() -> None:
    vectors = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 4.95], [0.0, 9.0]])
    batch = batch_of([(0, 1, 2), (0, 1, 3)], [0, 0, 1, 2])
    # |a - p| is 5; the first negative lies at 4.95 (loss 0.15), the second at 9 (no loss).
    assert value(LossOptions("triplet"), vectors, batch) == pytest.approx(0.15 / 2)


def test_xu_on_paper() -> None:
    vectors = np.array([[0.0], [1.0], [4.0], [6.0], [50.0]])
    batch = batch_of([(0, 1), (2, 3)], [0, 0, 1, 1, 2])
    # Differences of the farthest positive's and nearest negative's distance; the last text has no positive.
    gaps = [1 - 4, 1 - 3, 2 - 3, 2 - 5]
    expected = sum(math.log1p(math.exp(gap)) for gap in gaps) / 4
    assert value(LossOptions("batch-hard"), vectors, batch) == pytest.approx(expected)


def test_kong_on_paper() -> None:
    vectors = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 3.0]])
    batch = batch_of([(0, 1), (2, 3)], [0, 0, 1, 1])
    options = LossOptions(similarity="dot", temperature=1.0, both=False)
    # Mention 0 has the products 2 and 1 with the two concepts, mention 2 has 0 and 3.
    expected = (math.log(1 + math.exp(1 - 2)) + math.log(1 + math.exp(0 - 3))) / 2
    assert value(options, vectors, batch) == pytest.approx(expected)


@pytest.mark.parametrize("name", LOSSES)
def test_vectors_of_half_precision_are_computed_in_single(name: str) -> None:
    vectors, batch = drawn(3, negatives=True)
    half = torch.from_numpy(vectors).to(torch.bfloat16)
    loss = make_loss(LossOptions(name))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = loss(half, batch)
    assert found.dtype == torch.float32
    assert torch.equal(found, loss(half.float(), batch))


@pytest.mark.parametrize(
    ("name", "similarity"), [(kind.name, similarity) for kind in LOSSES.values() for similarity in kind.similarities]
)
@pytest.mark.parametrize("mining", ["hard", "semi-hard"])
def test_gradients_stay_finite_for_equal_and_zero_vectors(name: str, similarity: Any, mining: Any) -> None:
    options = LossOptions(name, similarity=similarity, mining=mining, all_texts=True)
    for vectors in (np.ones((14, 6)), np.zeros((14, 6)), np.repeat(drawn(0)[0][:2], 7, axis=0)):
        loss, slope = gradient(options, vectors, drawn(0, negatives=True)[1])
        assert math.isfinite(loss)
        assert np.isfinite(slope).all()
        assert np.abs(slope).max() < 1e3


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("mining", ["hard", "semi-hard"])
def test_a_batch_of_one_meaning_teaches_nothing(name: str, mining: Any) -> None:
    vectors = drawn(0)[0][:4]
    batch = batch_of([(0, 1, 2), (2, 3, 0)], [7, 7, 7, 7])
    loss, slope = gradient(LossOptions(name, mining=mining), vectors, batch)
    assert loss == 0
    assert (slope == 0).all()


@pytest.mark.parametrize("name", ["softmax", "batch-hard", "multi-similarity"])
@examples(25)
@given(
    seed=st.integers(0, 10_000),
    strength=st.floats(-30, 30),
    by_spelling=st.booleans(),
    all_texts=st.booleans(),
    mining=st.sampled_from(["hard", "semi-hard"]),
)
def test_the_similarity_of_a_masked_pair_changes_nothing(
    name: str, seed: int, strength: float, by_spelling: bool, all_texts: bool, mining: Any
) -> None:
    """Two texts of other examples get a dimension that only their product sees, so only their similarity changes.

    Where they share a meaning they are positives to the losses that take all of a meaning, so only the softmax, whose
    positives are those of the examples, is asked about meanings.
    """
    rng = np.random.default_rng(seed)
    meanings, spellings = np.repeat(np.arange(5), 2), np.arange(10)
    if by_spelling or name != "softmax":
        spellings[5] = spellings[0]
    else:
        meanings[4:6] = meanings[0]
    pairs = [(2 * number, 2 * number + 1) for number in range(5)]
    batch = batch_of(pairs, meanings.tolist(), spellings.tolist())
    before = np.column_stack([rng.standard_normal((10, 4)), np.zeros(10)])
    after = before.copy()
    after[0, 4], after[5, 4] = strength, 1.0
    options = LossOptions(name, similarity="dot", temperature=1.0, beta=5.0, all_texts=all_texts, mining=mining)
    loss, slope = gradient(options, before, batch)
    changed, changed_slope = gradient(options, after, batch)
    assert changed == pytest.approx(loss, rel=1e-12)
    np.testing.assert_allclose(changed_slope[:, :4], slope[:, :4], atol=1e-12)
    assert changed_slope[[0, 5], 4] == pytest.approx(0, abs=1e-12)


def test_an_unmasked_pair_does_change_the_loss() -> None:
    batch = batch_of([(0, 1), (2, 3)], [0, 0, 1, 1])
    masked = batch_of([(0, 1), (2, 3)], [0, 0, 1, 1], [0, 1, 2, 0])
    vectors = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.1]])
    options = LossOptions(both=False)
    assert value(options, vectors, batch) > value(options, vectors, masked) + 0.1


@pytest.mark.parametrize(
    ("meanings", "spellings"),
    [([0, 0, 1, 0, 0], [0, 1, 2, 3, 4]), ([0, 0, 1, 2, 2], [0, 1, 2, 0, 4]), ([0, 0, 1, 2, 2], [0, 1, 2, 1, 4])],
)
def test_a_triplet_with_a_contradicting_negative_is_left_out(meanings: list[int], spellings: list[int]) -> None:
    vectors = drawn(1)[0][:5]
    options = LossOptions("triplet", margin=5.0)
    with_it = gradient(options, vectors, batch_of([(0, 1, 2), (0, 1, 3)], meanings, spellings))
    without = gradient(options, vectors, batch_of([(0, 1, 2)], meanings, spellings))
    assert with_it[0] == without[0] > 0
    np.testing.assert_array_equal(with_it[1], without[1])


def test_a_parent_may_be_positive_of_one_triplet_and_negative_of_another() -> None:
    """Algorithm 1 gives both (label, label, parent) and (label, parent, other): neither is left out."""
    vectors = np.array([[0.0], [1.0], [1.5], [1.55]])
    batch = batch_of([(0, 1, 2), (0, 2, 3)], [0, 0, 1, 2])
    assert value(LossOptions("triplet", margin=1.0), vectors, batch) == pytest.approx((0.5 + 0.95) / 2)


def test_matryoshka_is_the_mean_over_the_cut_vectors() -> None:
    vectors, batch = drawn(2)
    for name in ("softmax", "batch-hard"):
        expected = np.mean([PLAIN[name](vectors[:, :dim], batch) for dim in (2, 3, 6)])
        assert value(LossOptions(name, dims=(2, 3, 6)), vectors, batch) == pytest.approx(expected)
    with pytest.raises(InputError, match="the Matryoshka dimension 7 is larger than the 6 dimensions"):
        value(LossOptions(dims=(2, 7)), vectors, batch)


@pytest.mark.parametrize("name", LOSSES)
def test_vectors_that_are_no_numbers_are_not_hidden(name: str) -> None:
    vectors, batch = drawn(0, negatives=True)
    one_wrong = vectors.copy()
    one_wrong[int(batch.anchors[0]), 2] = math.nan
    for wrong in (vectors * math.nan, one_wrong):
        loss = make_loss(LossOptions(name))(torch.from_numpy(wrong), batch)
        assert math.isnan(float(loss))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "softmx"}, "unknown loss 'softmx'. Did you mean 'softmax'"),
        ({"similarity": "manhattan"}, "unknown similarity for the loss 'softmax' 'manhattan'"),
        ({"name": "multi-similarity", "similarity": "euclidean"}, "Valid: cosine, dot"),
        ({"mining": "soft"}, "unknown mining 'soft'"),
    ],
)
def test_unknown_names_list_the_valid_ones(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        make_loss(LossOptions(**options))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "temperature of a loss must be above 0, not 0.0"),
        ({"temperature": math.nan}, "temperature of a loss must be above 0, not nan"),
        ({"beta": -1.0}, "beta of a loss"),
        ({"margin": -0.1}, "margin of a loss must be 0 or more"),
        ({"base": math.inf}, "base of a loss must be a number"),
        ({"dims": (64, 0)}, "Matryoshka dimensions must be 1 or more, not 64, 0"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        make_loss(LossOptions(**options))
    assert message in str(error.value)


def test_a_loss_without_its_negatives_says_where_to_get_them() -> None:
    vectors, batch = drawn(0)
    with pytest.raises(InputError, match=r"'triplet' needs examples with a negative.*'triplets'.*softmax, batch-hard"):
        value(LossOptions("triplet"), vectors, batch)
