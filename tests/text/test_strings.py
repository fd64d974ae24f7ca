from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontonym.text.strings as room
from limits import examples
from ontonym.ragged import boundaries, owners_of, ranges_of, runs, spread
from ontonym.text.strings import Strings, hash64, mixed, mixed64

TEXTS = st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20), max_size=12)


@examples(100)
@given(TEXTS)
def test_columns_give_back_their_texts(texts: list[str]) -> None:
    column = Strings.of(texts)
    assert column.tolist() == texts == [column[i] for i in range(len(texts))]
    rows = np.arange(len(texts))[::-1].repeat(2)
    assert column.take(rows).tolist() == [texts[i] for i in rows.tolist()]
    assert Strings.joined([column, column]).tolist() == texts + texts
    for prefix in ("", "MESH:", "é" * 40):  # fewer bytes than texts, and more
        assert column.prefixed(prefix).tolist() == [f"{prefix}{text}" for text in texts]
    start = texts[0][:1] if texts else "a"
    assert column.beginning_with(start).tolist() == [i for i, text in enumerate(texts) if text.startswith(start)]
    turned = list(reversed(texts))
    assert column.equal(Strings.of(turned)).tolist() == [a == b for a, b in zip(texts, turned, strict=True)]


def test_each_value_knows_its_list() -> None:
    assert owners_of([2, 0, 1]).tolist() == [0, 0, 2]
    assert owners_of(np.diff([0, 0, 3])).tolist() == [1, 1, 1]
    assert owners_of([]).tolist() == []


def test_ranges_that_follow_one_another_become_one() -> None:
    starts, lengths = np.array([4, 6, 9, 9, 0, 4, 20]), np.array([2, 3, 0, 1, 4, 1, 2])
    begins, sizes = runs(starts, lengths)
    assert (begins.tolist(), sizes.tolist()) == ([4, 0, 20], [6, 5, 2])
    assert spread(begins, sizes).tolist() == spread(starts, lengths).tolist()
    assert [one.tolist() for one in runs(starts[:0], lengths[:0])] == [[], []]


def test_texts_that_follow_one_another_are_taken_together_as_others_are() -> None:
    texts = [f"{'é' * (number % 4)}{number}" for number in range(200)]
    column = Strings.of(["before", *texts])
    rows = [*range(1, 90), *range(95, 201), *range(1, 40), 7]
    taken = column.take(np.array(rows))
    assert taken.tolist() == [["before", *texts][row] for row in rows]
    assert taken.offsets[0] == 0 and len(taken.data) == taken.offsets[-1]


@examples(100)
@given(TEXTS)
def test_a_column_hashes_as_its_texts_do(texts: list[str]) -> None:
    assert Strings.of(texts).hashes().tolist() == [hash64(text) for text in texts]


def test_hashes_are_those_of_every_earlier_index_and_do_not_collide() -> None:
    known = {"": 0x155105A0563A073C, "seizure": 0xC672B71293D98F28, "β": 0x352AA9D6542800CF}
    assert {text: hash64(text) for text in known} == known
    texts = [f"{word} {number}" for word in ("seizure", "erusiez", "a", "aa") for number in range(20_000)]
    assert len(np.unique(Strings.of(texts).hashes())) == len(texts)


def test_a_text_longer_than_a_block_hashes_alike() -> None:
    texts = ["a" * (room.HASH_BLOCK + 7), "b", "", "c" * 10]
    assert Strings.of(texts).hashes().tolist() == [hash64(text) for text in texts]


def _peak(action: Callable[[], object]) -> int:
    """Bytes of memory that an action takes at most beside what there is."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_long_text_is_hashed_copied_and_compared_without_memory_many_times_its_size() -> None:
    size = 4_000_000
    long = Strings.of(["ab", "x" * size, "", "y" * 20])
    backwards = np.array([3, 1, 0])
    hashes = Strings.of(["y" * 20, "ab"]).hashes()
    assert _peak(long.hashes) < size
    assert _peak(lambda: long.take(backwards)) < 2 * size
    assert _peak(lambda: long.equal(long)) < 5 * size
    taken = long.take(backwards)
    assert taken.hashes()[[0, 2]].tolist() == hashes.tolist()
    assert taken[1] == "x" * size
    assert long.equal(Strings.of(["ab", "x" * (size - 1) + "y", "", "y" * 20])).tolist() == [True, False, True, True]


def test_blocks_have_so_many_texts_and_bytes_and_every_text_once() -> None:
    texts = Strings.of(["a" * size for size in (3, 0, 9, 1, 1, 0, 2, 0)])
    assert [(block.start, block.stop) for block in texts.blocks(3, 4)] == [(0, 2), (2, 3), (3, 6), (6, 8)]
    assert list(Strings.of(()).blocks(3, 4)) == []


def test_whole_numbers_become_ids() -> None:
    numbers = np.array([0, 7, 10, 138875005, 900000000000509007])
    assert Strings.decimal(numbers, "SCTID:").tolist() == [f"SCTID:{n}" for n in numbers.tolist()]
    assert Strings.decimal(np.array([0, 7, 12345678]), "C", 7).tolist() == ["C0000000", "C0000007", "C12345678"]
    assert Strings.decimal(np.array([], dtype=np.int64)).tolist() == []


def test_ranges_are_laid_end_to_end() -> None:
    assert boundaries(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert spread(np.array([5, 9]), np.array([2, 3])).tolist() == [5, 6, 9, 10, 11]


def test_a_single_row_is_mixed_as_those_of_columns() -> None:
    one, two = np.array([5, 2**63 + 7], dtype=np.uint64), np.array([3, 0])
    assert mixed(one, two).tolist() == [mixed64(5, 3), mixed64(2**63 + 7, 0)]


def test_mixed_tells_columns_and_their_order_apart() -> None:
    one, two = np.array([1, 2, 1]), np.array([2, 1, 2])
    hashes = mixed(one, two)
    assert hashes[0] == hashes[2] != hashes[1]


@pytest.mark.parametrize("longest", [3, 500])
def test_ranges_of_columns_are_the_values_at_their_places(longest: int) -> None:
    rng = np.random.default_rng(longest)
    column, lengths = np.arange(1000, 3000), rng.integers(0, longest, 40)
    starts = rng.integers(0, 1500, 40)
    places, columns = spread(starts, lengths), (column, -column)
    assert [found.tolist() for found in ranges_of(columns, starts, lengths)] == [
        column[places].tolist(),
        (-column[places]).tolist(),
    ]
    assert [found.tolist() for found in ranges_of(columns, starts[:0], lengths[:0])] == [[], []]
    with pytest.raises(ValueError, match="leads out of its 2000 values"):
        ranges_of(columns, np.array([0, 1999]), np.array([longest, 2]))
