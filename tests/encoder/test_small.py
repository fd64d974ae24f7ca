from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ontonym.encoder.transformer import longest, save_transformer, shape_of
from ontonym.errors import InputError
from ontonym.learning.encoders.small import SmallOptions, new_transformer, word_pieces

pytestmark = pytest.mark.training

pytest.importorskip("sentence_transformers", reason="needs the extra train")

OPTIONS = SmallOptions(layers=2, dim=32, heads=2, feedforward=64, vocabulary=200, max_length=16)


def state(model) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in model.state_dict().items()}


def test_the_model_has_the_shape_asked_for(names: list[str]) -> None:
    model = new_transformer(names, OPTIONS)
    config = model.transformers_model.config
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == (2, 32, 2)
    assert config.intermediate_size == 64
    assert config.vocab_size == len(model.tokenizer.get_vocab()) <= 200
    assert longest(model) == 16
    assert model[1].pooling_mode == "mean"
    assert shape_of(model)["dim"] == 32


def test_the_default_is_four_layers_of_256() -> None:
    options = SmallOptions()
    assert (options.layers, options.dim, options.heads, options.feedforward) == (4, 256, 4, 1024)


def test_equal_seeds_give_equal_weights_and_others_do_not(names: list[str]) -> None:
    one, again, other = (state(new_transformer(names, OPTIONS, seed=seed)) for seed in (3, 3, 4))
    assert all((one[name] == again[name]).all() for name in one)
    assert not (
        one["0.model.embeddings.word_embeddings.weight"] == other["0.model.embeddings.word_embeddings.weight"]
    ).all()


def test_making_one_leaves_the_random_numbers_of_others_alone(names: list[str]) -> None:
    import torch

    torch.manual_seed(1)
    expected = torch.rand(1).item()
    torch.manual_seed(1)
    new_transformer(names, OPTIONS)
    assert torch.rand(1).item() == expected


def test_word_pieces_are_the_same_in_every_process(names: list[str]) -> None:
    code = "import sys; from ontonym.learning.encoders.small import word_pieces; print(word_pieces(sys.argv[1:], 150))"
    done = [
        subprocess.run([sys.executable, "-c", code, *some], capture_output=True, text=True, check=True).stdout
        for some in (names, names, names[::-1])
    ]
    assert done[0] == done[1] == done[2]
    assert done[0].startswith("['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ")


def test_frequent_words_become_pieces_of_their_own(names: list[str]) -> None:
    pieces = word_pieces(names, 300)
    assert {"kidney", "heart", "infarction", "##a", "2", ",", "("} <= set(pieces)
    assert len(pieces) == len(set(pieces)) <= 300


def test_the_tokenizer_takes_words_apart_and_drops_accents(names: list[str]) -> None:
    tokenizer = new_transformer(names, SmallOptions(**{**OPTIONS_OF, "vocabulary": 300})).tokenizer
    assert tokenizer.tokenize("Heart, KIDNEY") == ["heart", ",", "kidney"]
    assert "".join(tokenizer.tokenize("Café")).replace("##", "") == "cafe"
    assert tokenizer.tokenize("漢") == ["[UNK]"]
    ids = tokenizer("heart")["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids) == ["[CLS]", "heart", "[SEP]"]


OPTIONS_OF = {"layers": 2, "dim": 32, "heads": 2, "feedforward": 64, "max_length": 16}


def test_case_is_kept_where_asked() -> None:
    options = SmallOptions(**{**OPTIONS_OF, "vocabulary": 200}, lowercase=False)
    tokenizer = new_transformer(["Heart pain", "heart"] * 3, options).tokenizer
    assert tokenizer.tokenize("Heart heart") == ["Heart", "heart"]


def test_saved_twice_the_folders_are_equal(names: list[str], tmp_path: Path) -> None:
    prints = [
        save_transformer(tmp_path / f"{number}.encoder", new_transformer(names, OPTIONS, seed=1)).fingerprint
        for number in range(2)
    ]
    assert prints[0] == prints[1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dim": 33}, "multiple of the 2 heads"),
        ({"layers": 0}, "at least 1"),
        ({"vocabulary": 10}, "at least 64"),
        ({"dropout": 1.0}, "below 1"),
    ],
)
def test_impossible_shapes_are_errors(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SmallOptions(**{**OPTIONS_OF, **wrong})


def test_names_without_a_letter_are_an_error() -> None:
    with pytest.raises(InputError, match="no name"):
        new_transformer(["", "  "], OPTIONS)
