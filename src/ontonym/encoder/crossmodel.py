"""A cross-encoder on disk and in memory: checks, loads and writes model folders, and turns pairs into scores.

A folder written here has one label and a sigmoid, as ``CrossEncoder(path)`` of sentence-transformers expects. Nothing
is downloaded, nothing unpickled, and no code of a model folder is run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ontonym.arrays import Ints, Tensor
from ontonym.encoder.modelfolder import check_transformer, positions
from ontonym.encoder.passages import Passages, by_length
from ontonym.encoder.places import HUB
from ontonym.encoder.protocol import AliasPair
from ontonym.encoder.transformer import fetched, quiet
from ontonym.errors import ArtifactError, InputError, first_line, needing

_SIGMOID = "torch.nn.modules.activation.Sigmoid"


def model_folder(place: Path | str) -> Path:
    """The folder of the transformer itself: ``place``, or the first module of a sentence-transformers folder.

    A name on the hub (``hub:owner/model``) is downloaded unless it is cached; nothing else ever is. Raises
    ArtifactError, which names the file, if one is missing, pickled or damaged.
    """
    if str(place).startswith(HUB):
        place = fetched(str(place))
    place = Path(place)
    if not place.is_dir():
        raise ArtifactError(
            f"{place}: no such folder; give one with a BERT-like model: config.json, model.safetensors and a tokenizer"
        )
    folder = place
    if not (place / "config.json").is_file() and (place / "modules.json").is_file():
        try:
            folder = place / json.loads((place / "modules.json").read_text("utf-8"))[0]["path"]
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ArtifactError(f"{place}: modules.json is damaged ({error}); fetch the model again") from error
    check_transformer(folder)
    return folder


@dataclass(frozen=True, slots=True, eq=False)
class CrossModel:
    """A transformer with one output, its tokenizer, and the maximum tokens of a pair; on one device."""

    model: Any
    tokenizer: Any
    tokens: int
    passages: Passages
    _reading: Lock = field(default_factory=Lock, repr=False)
    """Held while texts are read: whether a tokenizer cuts them is a state of it, which all threads share."""

    @classmethod
    def load(cls, place: Path | str, *, tokens: int = 0, seed: int = 0, device: str = "cpu") -> CrossModel:
        """The model in a folder; one that is not a cross-encoder gets a head initialized by ``seed``.

        ``tokens`` 0 means the folder's own maximum. Raises ArtifactError if the folder is incomplete or holds no such
        model, InputError for invalid ``tokens`` or ``device``.
        """
        folder = model_folder(place)
        with needing("torch", "train", "a reranker", exact=True):
            import torch
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        here = {"local_files_only": True, "trust_remote_code": False}
        try:
            with quiet([]), torch.random.fork_rng(devices=()):
                tokenizer = AutoTokenizer.from_pretrained(str(folder), **here)
                torch.manual_seed(seed)
                model = AutoModelForSequenceClassification.from_pretrained(
                    str(folder), num_labels=1, use_safetensors=True, ignore_mismatched_sizes=True,
                    dtype=torch.float32, **here,
                )  # fmt: skip
        except Exception as error:
            raise ArtifactError(f"{folder}: cannot be loaded as a cross-encoder: {first_line(error)}") from error
        tokens = _checked_tokens(folder, tokens, model, tokenizer)
        return cls(_moved(torch, model, device), tokenizer, tokens, _passages(tokenizer, tokens))

    def save(self, folder: Path) -> None:
        """Writes the model so that ``CrossEncoder(folder)`` gives the same scores."""
        self.model.config.sentence_transformers = {"activation_fn": _SIGMOID}
        self.tokenizer.model_max_length = self.tokens
        with quiet([]):
            self.model.save_pretrained(str(folder), safe_serialization=True)
            self.tokenizer.save_pretrained(str(folder))

    def texts(self, pairs: Sequence[AliasPair]) -> list[tuple[str, str]]:
        """The two texts that are read for each pair."""
        with self._reading:
            return self.passages.of(pairs)

    def encoded(self, pairs: Sequence[AliasPair]) -> list[dict[str, list[int]]]:
        """The model's input for each pair, as lists: token ids, and the passage that each token belongs to."""
        if not pairs:
            return []
        firsts, seconds = zip(*self.texts(pairs), strict=True)
        with self._reading:
            read = self.tokenizer(
                list(firsts), list(seconds), truncation=True, max_length=self.tokens, padding=False,
                return_attention_mask=False, verbose=False,
            )  # fmt: skip
        return [{name: read[name][row] for name in read} for row in range(len(firsts))]

    def logits(self, pairs: Sequence[AliasPair], at_once: int) -> Tensor:
        """The logit of each pair, higher is better, shape ``(len(pairs),)``; pairs of similar length are batched.

        ``at_once`` is the number of tokens in a batch, padding included.
        """
        import torch

        order, parts = [], []
        for places, features in self._batches(self.encoded(pairs), at_once):
            order.append(places)
            parts.append(self.model(**features).logits[:, 0].float())
        back = np.argsort(np.concatenate(order), kind="stable")
        return torch.cat(parts)[torch.from_numpy(back).to(self.model.device)]

    def _batches(self, encoded: list[dict[str, list[int]]], at_once: int) -> Iterator[tuple[Ints, dict[str, Tensor]]]:
        import torch

        lengths = np.array([len(one["input_ids"]) for one in encoded], dtype=np.int64)
        fills = {"input_ids": self.tokenizer.pad_token_id, "token_type_ids": self.tokenizer.pad_token_type_id}
        for places in by_length(lengths, at_once):
            longest = int(lengths[places[0]])
            features = {"attention_mask": torch.from_numpy(np.arange(longest) < lengths[places, None]).long()}
            for name in encoded[0]:
                padded = np.full((len(places), longest), fills.get(name, 0), dtype=np.int64)
                for row, place in enumerate(places.tolist()):
                    padded[row, : lengths[place]] = encoded[place][name]
                features[name] = torch.from_numpy(padded)
            yield places, {name: tensor.to(self.model.device) for name, tensor in features.items()}


def _checked_tokens(folder: Path, tokens: int, model: Any, tokenizer: Any) -> int:
    """The maximum tokens of a pair: the requested or the folder's number, limited to the model's positions."""
    most = positions(model.config.to_dict()) or 512
    wanted = tokens or min(int(tokenizer.model_max_length), most)
    if not 16 <= wanted <= most:
        raise InputError(f"{wanted} tokens for a pair: {folder} reads 16 to {most}; choose `tokens=` among them")
    if tokenizer.pad_token_id is None:
        raise ArtifactError(f"{folder}: its tokenizer has no padding token, so pairs cannot be read together")
    return wanted


def _moved(torch: Any, model: Any, device: str) -> Any:
    try:
        return model.to(torch.device(device))
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device {device!r} cannot be used: {first_line(error)}; choose cpu, or cuda where there is a GPU"
        ) from None


def _passages(tokenizer: Any, tokens: int) -> Passages:
    def count(texts: Sequence[str]) -> list[int]:
        read = tokenizer(
            list(texts), add_special_tokens=False, return_attention_mask=False, truncation=False, verbose=False
        )
        return [len(ids) for ids in read["input_ids"]]

    return Passages(count, tokens - tokenizer.num_special_tokens_to_add(pair=True))
