"""A new small transformer with a tokenizer of its own, made from a terminology's names (extra ``train``: torch).

Equal names, options and seed give equal models. It knows nothing yet: it is a start for training.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ontonym.errors import InputError, needing
from ontonym.text.strings import encodable

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MOST_LETTERS = 3000


@dataclass(frozen=True, slots=True)
class SmallOptions:
    """The shape of a new BERT-like model.

    ``dim`` is the length of its vectors, a multiple of ``heads``; ``feedforward`` that of the layers between.
    ``vocabulary`` is the most word pieces, ``max_length`` the longest text in them. ``lowercase`` also drops accents.
    """

    layers: int = 4
    dim: int = 256
    heads: int = 4
    feedforward: int = 1024
    vocabulary: int = 8000
    max_length: int = 64
    dropout: float = 0.1
    pooling: Literal["mean", "cls", "max"] = "mean"
    lowercase: bool = True

    def __post_init__(self) -> None:
        sizes = (self.layers, self.dim, self.heads, self.feedforward)
        if min(sizes) < 1 or self.dim % self.heads:
            raise InputError(
                f"a model needs sizes of at least 1, and dim {self.dim} to be a multiple of the {self.heads} heads"
            )
        if self.vocabulary < 64 or self.max_length < 4:
            raise InputError("a model needs a vocabulary of at least 64 word pieces and texts of at least 4")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is a share from 0 to below 1, not {self.dropout:g}")


def new_transformer(texts: Iterable[str], options: SmallOptions = SmallOptions(), *, seed: int = 0) -> Any:
    """A ``SentenceTransformer`` with random weights and word pieces of ``texts``.

    Raises InputError where no text has a word, MissingExtraError without torch.
    """
    with needing("sentence-transformers", "train", "making a new transformer"):
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers import BertConfig, BertModel, BertTokenizer
    from ontonym.encoder.transformer import quiet

    pieces = word_pieces(texts, options.vocabulary, lowercase=options.lowercase)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=options.dim,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=options.feedforward,
        max_position_embeddings=options.max_length,
        hidden_dropout_prob=options.dropout,
        attention_probs_dropout_prob=options.dropout,
        type_vocab_size=2,
        pad_token_id=0,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BertModel(config)
    with tempfile.TemporaryDirectory() as made, quiet([]):
        model.save_pretrained(made)
        tokenizer = BertTokenizer(
            vocab={piece: number for number, piece in enumerate(pieces)},
            do_lower_case=options.lowercase,
            model_max_length=options.max_length,
        )
        tokenizer.save_pretrained(made)
        first = Transformer(str(Path(made)), max_seq_length=options.max_length)
    return SentenceTransformer(modules=[first, Pooling(options.dim, options.pooling)])


def word_pieces(texts: Iterable[str], size: int, *, lowercase: bool = True) -> list[str]:
    """The word pieces of some texts by number, special tokens and single letters first, at most ``size``.

    The trainer of ``tokenizers`` breaks ties by the numbers of pieces, which it gives out in an order that changes from
    run to run; with all letters numbered beforehand, equal texts give equal pieces.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    counts: dict[str, int] = {}
    different = sorted({normalizer.normalize_str(encodable(text)) for text in texts})
    for text in different:
        for letter in text:
            counts[letter] = counts.get(letter, 0) + 1
    common = sorted(counts, key=lambda letter: (-counts[letter], letter))[: min(_MOST_LETTERS, (size - 5) // 2)]
    letters = sorted(letter for letter in common if not letter.isspace())
    if not letters:
        raise InputError("there is no name to make a vocabulary of")
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 (no password)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    known = [*_SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=known, limit_alphabet=0, show_progress=False)
    tokenizer.train_from_iterator(different, trainer)
    numbers: dict[str, int] = tokenizer.get_vocab()
    return sorted(numbers, key=numbers.__getitem__)
