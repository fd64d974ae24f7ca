"""How texts go through a transformer in training: in groups whose padding and number cost least together."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("sentence_transformers", reason="needs the extra train")

import torch
from hypothesis import given
from hypothesis import strategies as st

from ontonym.encoder import open_encoder
from ontonym.encoder.transformer import open_transformer
from ontonym.learning.encoders.trainable import _COST_OF_GROUP, TrainableTransformer, encode_rows, group_ends
from ontonym.text.strings import Strings

pytestmark = pytest.mark.training


def cost(lengths: list[int], ends: tuple[int, ...]) -> int:
    """The tokens of all groups once padded, and what the groups cost themselves."""
    begins = (0, *ends[:-1])
    return sum((end - begin) * lengths[end - 1] + _COST_OF_GROUP for begin, end in zip(begins, ends, strict=True))


@given(st.lists(st.integers(3, 400), min_size=1, max_size=8))
def test_no_other_way_of_cutting_costs_less(lengths: list[int]) -> None:
    lengths.sort()
    found = tuple(group_ends(np.array(lengths)).tolist())
    ways = [
        (*cuts, len(lengths)) for size in range(len(lengths)) for cuts in combinations(range(1, len(lengths)), size)
    ]
    assert found in ways
    assert cost(lengths, found) == min(cost(lengths, way) for way in ways)


def test_many_texts_are_grouped_by_length_and_few_are_padded() -> None:
    assert group_ends(np.array([5] * 200 + [6] * 200)).tolist() == [200, 400]
    assert group_ends(np.array([5] * 20 + [6] * 20)).tolist() == [40]


@pytest.mark.usefixtures("single_precision")
def test_groups_give_the_vectors_of_the_encoder(tiny: Path, names: list[str]) -> None:
    trainable = TrainableTransformer(open_transformer(tiny).model)
    texts = [name + " again" * number for name in names[:8] for number in range(0, 40, 5)]
    trainable.prepare(Strings.of(texts), 24)
    rows = np.random.default_rng(0).permutation(len(texts))
    groups = trainable.features(rows)["groups"]
    assert 1 < len(groups) < 8
    assert any((group["attention_mask"] == 0).any() for group in groups)
    expected = open_encoder(tiny).encode([texts[row] for row in rows])
    np.testing.assert_allclose(encode_rows(trainable, rows), expected, atol=1e-5)


def test_padding_does_not_change_the_gradient(tiny: Path, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def gradient(cost_of_group: int) -> torch.Tensor:
        monkeypatch.setattr("ontonym.learning.encoders.trainable._COST_OF_GROUP", cost_of_group)
        trainable = TrainableTransformer(open_transformer(tiny).model)
        trainable.prepare(Strings.of(names), 24)
        trainable.forward(trainable.features(np.arange(len(names))))[:, 0].sum().backward()
        return torch.cat([weight.grad.ravel() for weight in trainable.parameters() if weight.grad is not None])

    torch.testing.assert_close(gradient(10**6), gradient(0), atol=1e-4, rtol=1e-4)
