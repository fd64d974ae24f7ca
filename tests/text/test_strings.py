from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import ontonym.text.strings as room
from limits import examples
from ontonym.text.strings import Strings, boundaries, hash64, mixed, spread

TEXTS = st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20), max_size=12)


@examples(100)
@given(TEXTS)
def test_columns_give_back_their_texts(texts: list[str]) -> None:
    column = Strings.of(texts)
    assert column.tolist() == texts == [column[i] for i in range(len(texts))]
    rows = np.arange(len(texts))[::-1].repeat(2)
    assert column.take(rows).tolist() == [texts[i] for i in rows.tolist()]
    assert Strings.joined([column, column]).tolist() == texts + texts
    assert column.prefixed("MESH:").tolist() == [f"MESH:{text}" for text in texts]
    turned = list(reversed(texts))
    assert column.equal(Strings.of(turned)).tolist() == [a == b for a, b in zip(texts, turned, strict=True)]


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


def test_whole_numbers_become_ids() -> None:
    numbers = np.array([0, 7, 10, 138875005, 900000000000509007])
    assert Strings.decimal(numbers, "SCTID:").tolist() == [f"SCTID:{n}" for n in numbers.tolist()]
    assert Strings.decimal(np.array([0, 7, 12345678]), "C", 7).tolist() == ["C0000000", "C0000007", "C12345678"]
    assert Strings.decimal(np.array([], dtype=np.int64)).tolist() == []


def test_ranges_are_laid_end_to_end() -> None:
    assert boundaries(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert spread(np.array([5, 9]), np.array([2, 3])).tolist() == [5, 6, 9, 10, 11]


def test_mixed_tells_columns_and_their_order_apart() -> None:
    one, two = np.array([1, 2, 1]), np.array([2, 1, 2])
    hashes = mixed(one, two)
    assert hashes[0] == hashes[2] != hashes[1]
