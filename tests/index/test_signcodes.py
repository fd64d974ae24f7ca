"""The scan of sign bits, beside distances counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from ontonym.arrays import Floats, Ints, Mask
from ontonym.index.signcodes import SignCodes, candidates_for

K = 50


def _vectors(count: int, *, clusters: int) -> Floats:
    """Vectors near some centres, so that many codes are equally far."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(clusters, 64))
    return (centres[rng.integers(clusters, size=count)] + 0.4 * rng.normal(size=(count, 64))).astype(np.float32)


def _by_hand(vectors: Floats, query: Floats, wanted: Mask | None) -> tuple[Ints, Ints]:
    apart = ((vectors > 0) != (query > 0)).sum(axis=1)
    rows = np.arange(len(vectors)) if wanted is None else np.flatnonzero(wanted)
    rows = rows[np.lexsort((rows, apart[rows]))][: candidates_for(K)]
    return apart[rows], rows


@pytest.mark.parametrize("count", [300, 5_000, 40_000])
@pytest.mark.parametrize("clusters", [1, 7, 2_000])
def test_the_nearest_codes_are_those_of_a_full_comparison(count: int, clusters: int) -> None:
    vectors = _vectors(count + 20, clusters=clusters)
    vectors, queries = vectors[:count], vectors[count:]
    codes = SignCodes(np.packbits(vectors > 0, axis=1))
    for wanted in (None, np.arange(count) % 3 == 1, np.arange(count) >= count // 2):
        found = codes.nearest_to_each(queries, K, wanted)
        for query, (distances, rows) in zip(queries, found, strict=True):
            expected, its = _by_hand(vectors, query, wanted)
            assert rows.tolist() == its.tolist()
            assert distances.tolist() == expected.tolist()


@pytest.mark.parametrize("bits", [40, 64, 72, 192])
def test_codes_of_any_length_are_compared_to_their_end(bits: int) -> None:
    vectors = np.random.default_rng(5).normal(size=(9_000, bits)).astype(np.float32)
    ((distances, rows),) = SignCodes(np.packbits(vectors > 0, axis=1)).nearest_to_each(vectors[3:4], K, None)
    expected, its = _by_hand(vectors, vectors[3], None)
    assert rows.tolist() == its.tolist()
    assert distances.tolist() == expected.tolist()


def test_a_sample_that_is_nearer_than_the_other_codes_does_not_mislead() -> None:
    vectors = np.full((40_000, 64), -1, dtype=np.float32)
    vectors[::16] = 1  # all of the sample, and too few
    vectors[16 * 900 :: 16] = -1
    query = np.ones(64, dtype=np.float32)
    distances, rows = SignCodes(np.packbits(vectors > 0, axis=1)).nearest(query, 2_000, None)
    expected = np.lexsort((np.arange(40_000), (vectors < 0).sum(axis=1)))[: candidates_for(2_000)]
    assert rows.tolist() == expected.tolist()
    assert set(distances.tolist()) == {0, 64}


def test_a_vector_of_zeros_has_none_and_leaves_the_others_theirs() -> None:
    vectors = _vectors(500, clusters=3)
    codes = SignCodes(np.packbits(vectors > 0, axis=1))
    nothing, found = codes.nearest_to_each(np.stack([np.zeros(64, dtype=np.float32), vectors[7]]), K, None)
    assert not len(nothing[0])
    assert not len(nothing[1])
    assert int(found[1][0]) == 7
