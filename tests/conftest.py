"""What tests of several rooms make."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from made import opened
from ontonym.encoder.places import CHOICE, STATIC
from ontonym.store import Terminology
from ontonym.types import Concept

pytest_plugins = ["limits", "skips"]

os.environ[CHOICE] = STATIC  # whatever else is installed: tests say which encoder they mean


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of large or licensed data, for tests marked `live`."""
    root = Path(os.environ.get("ONTONYM_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not root.is_dir():
        pytest.skip(f"no data at {root}; set ONTONYM_DATA")
    return root


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file of that name and content, and gives its path."""

    def _write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _write


@pytest.fixture(scope="session")
def tiny_bert() -> Callable[..., Path]:
    """Makes the folder of a tiny random BERT with a tokenizer of its own that knows some words, and letters."""
    return _tiny_bert


def _tiny_bert(folder: Path, words: Iterable[str], *, seed: int = 0, dropout: float = 0.0) -> Path:
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    letters = [chr(code) for code in range(33, 127)]
    listed = dict.fromkeys(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words, *letters, *(f"##{letter}" for letter in letters)]
    )
    vocabulary = {word: number for number, word in enumerate(listed)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 (no password)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = BertModel(
            BertConfig(
                vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                intermediate_size=64, max_position_embeddings=96, hidden_dropout_prob=dropout,
                attention_probs_dropout_prob=dropout, initializer_range=0.1,
            )
        )  # fmt: skip
    folder.mkdir(parents=True)
    model.save_pretrained(str(folder))
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    read = ["input_ids", "token_type_ids", "attention_mask"]
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=64, model_input_names=read, **special
    ).save_pretrained(str(folder))
    return folder


@pytest.fixture
def open_concepts(tmp_path: Path) -> Iterator[Callable[..., list[Terminology]]]:
    """Builds terminologies of lists of concepts and opens them; closes what it opened."""
    with ExitStack() as stack:
        made: list[int] = []

        def build(*releases: Sequence[Concept]) -> list[Terminology]:
            made.append(1)
            folder = tmp_path / str(len(made))
            folder.mkdir()
            return stack.enter_context(opened(folder, *releases))

        yield build
