from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from limits import examples
from ontonym.text.folding import folded
from ontonym.text.normalization import key
from ontonym.text.strings import Strings

PIECES = (
    "A-T", "a-t", "x-ray", "C.H.F.", "1,000", "10,5", "cannot", "CANNOT", "can't", "β-thalassemia", "naïve", "Crohn's",
    "a", "-", "--", "_", "type-2", "(disorder)", "+", "1.5", "`", " ", "\t", ",", "T-cell", "É", "ß", "IgG4", "\x1f",
    "é-",
)  # fmt: skip


@examples(300)
@given(
    st.lists(st.one_of(st.text(max_size=12), st.lists(st.sampled_from(PIECES), max_size=6).map("".join)), max_size=9)
)
@example(["A", "-T", "", "a-b-c", "x -y", "1,", "000"])
def test_a_column_folds_as_its_texts_do(texts: list[str]) -> None:
    texts = [text.encode(errors="replace").decode() for text in texts]
    assert folded(Strings.of(texts)).tolist() == [key(text) for text in texts]


def test_long_columns_and_views_fold_as_their_texts_do() -> None:
    draw = random.Random(3)  # noqa: S311 (no secret)
    texts = [draw.choice((" ", "-", ", ", "")).join(draw.choices(PIECES, k=draw.randint(0, 7))) for _ in range(5000)]
    column = Strings.of(texts)
    part = Strings(column.data, column.offsets[1000:4001])
    assert folded(part).tolist() == [key(text) for text in texts[1000:4000]]


@pytest.mark.parametrize("texts", [[], [""], ["", "", "a"]])
def test_empty_columns_fold(texts: list[str]) -> None:
    assert folded(Strings.of(texts)).tolist() == texts
