"""Trainable encoders: torch modules that turn texts into vectors, one for each kind of encoder (extra ``train``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ontonym.arrays import Floats, Ints32, Mask, Offsets, Rows
from ontonym.artifact import read_manifest
from ontonym.encoder.joined import join_encoders
from ontonym.encoder.protocol import Encoder, Vectors
from ontonym.encoder.static import Bags, StaticEncoder, StaticShape, bags, save_static
from ontonym.encoder.transformer import longest, save_transformer
from ontonym.manifest import Manifest
from ontonym.ragged import boundaries, spread
from ontonym.text.normalization import canonical
from ontonym.text.strings import Strings

_AT_ONCE, _ENCODED_AT_ONCE = 4096, 2048
_LONGEST_GROUP = 256
"""Texts that go through a transformer together."""
_COST_OF_GROUP = 96
"""Tokens of padding that cost what one more group does: its gradients of all weights are added up on their own
(MiniLM on two cores: 35 to 70 ms a group, 0.7 ms a token)."""


class Trainable(Protocol):
    """A torch module over texts that were prepared once, and are then named by their rows."""

    @property
    def dim(self) -> int:
        """The length of a vector."""
        ...

    def prepare(self, texts: Strings, tokens: int) -> None:
        """Reads all texts once; ``tokens`` is where a transformer cuts them."""
        ...

    def features(self, rows: Rows) -> dict[str, Any]:
        """What `forward` needs of the texts in these rows."""
        ...

    def forward(self, features: dict[str, Any]) -> torch.Tensor:
        """The vectors of the texts, not normalized, shape ``(len(rows), dim)``."""
        ...

    def save(self, path: Path, content: dict[str, object]) -> Manifest:
        """Writes the encoder folder; ``content`` goes to its manifest."""
        ...


class TrainableStatic(nn.Module):
    """A static encoder: a table of word and n-gram rows that are added up."""

    def __init__(self, shape: StaticShape, table: Floats) -> None:
        super().__init__()
        self.shape, self.dim = shape, shape.dim
        self.table = nn.Parameter(torch.from_numpy(table))
        self._bags: Bags

    @classmethod
    def of(cls, base: StaticEncoder) -> TrainableStatic:
        """One that starts with the weights of a static encoder."""
        return cls(base.shape, base.table.astype(np.float32) * base.scales[:, None])

    @classmethod
    def drawn(cls, shape: StaticShape, rng: np.random.Generator, scale: float = 1.0) -> TrainableStatic:
        """One that starts with random weights, whose rows have a length of about ``scale``."""
        start = rng.standard_normal((shape.rows, shape.dim), dtype=np.float32)
        return cls(shape, start * np.float32(scale * shape.dim**-0.5))

    def prepare(self, texts: Strings, tokens: int) -> None:
        """Reads all texts into bags of rows."""
        self._bags = bags(texts.tolist(), self.shape)

    def features(self, rows: Rows) -> dict[str, Any]:
        """The bags of the texts end to end."""
        lengths = np.diff(self._bags.starts)[rows]
        places = spread(self._bags.starts[:-1][rows], lengths)
        return {
            "rows": torch.from_numpy(self._bags.rows[places].astype(np.int64)),
            "weights": torch.from_numpy(self._bags.weights[places]),
            "starts": torch.from_numpy(boundaries(lengths)[:-1]),
        }

    def forward(self, features: dict[str, Any]) -> torch.Tensor:
        """The sums of the bags."""
        return nn.functional.embedding_bag(
            features["rows"], self.table, features["starts"], mode="sum", per_sample_weights=features["weights"]
        )

    def save(self, path: Path, content: dict[str, object]) -> Manifest:
        """Writes a static encoder folder."""
        save_static(path, self.table.detach().cpu().numpy(), self.shape, content)
        return read_manifest(path, "encoder")


class TrainableTransformer(nn.Module):
    """A sentence-transformers model; texts of about one length go through it together, so that little is padded."""

    def __init__(self, model: Any, dropout: float = -1.0) -> None:
        super().__init__()
        self.model = model
        self.dim = int(model.get_embedding_dimension())
        if dropout >= 0:
            for module in model.modules():
                if isinstance(module, nn.Dropout):
                    module.p = dropout
                elif isinstance(getattr(module, "dropout_prob", None), float):
                    module.dropout_prob = dropout
        self._padding = int(model.tokenizer.pad_token_id or 0)
        self._ids: Ints32
        self._bounds: Offsets

    def prepare(self, texts: Strings, tokens: int) -> None:
        """Reads all texts into token numbers, cut after so many."""
        tokens = min(tokens, longest(self.model))
        self.model.max_seq_length = tokens
        lengths = np.zeros(len(texts), dtype=np.int64)
        parts = []
        for rows, block in _blocks(texts):
            read = self.model.tokenizer(
                block.tolist(), truncation=True, max_length=tokens, padding=False, verbose=False
            )
            ids = read["input_ids"]
            lengths[rows] = [len(one) for one in ids]
            parts.append(np.concatenate([np.asarray(one, dtype=np.int32) for one in ids]))
        self._ids = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        self._bounds = boundaries(lengths)

    def features(self, rows: Rows) -> dict[str, Any]:
        """Token numbers and what is no padding, in groups of near lengths, and where each text comes out."""
        lengths = np.diff(self._bounds)[rows]
        order = np.argsort(lengths, kind="stable")
        groups = []
        for near in np.split(order, group_ends(lengths[order])[:-1]):
            for some in np.split(near, range(_LONGEST_GROUP, len(near), _LONGEST_GROUP)):
                used = np.arange(int(lengths[some[-1]])) < lengths[some, None]
                groups.append(self._padded(rows[some], used))
        back = np.empty(len(rows), dtype=np.int64)
        back[order] = np.arange(len(rows))
        return {"groups": groups, "back": torch.from_numpy(back)}

    def _padded(self, rows: Rows, used: Mask) -> dict[str, torch.Tensor]:
        """What the model takes of the texts in some rows; ``used`` says where each has a token."""
        ids = np.full(used.shape, self._padding, dtype=np.int64)
        ids[used] = self._ids[spread(self._bounds[:-1][rows], used.sum(axis=1))]
        return {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(used).long()}

    def forward(self, features: dict[str, Any]) -> torch.Tensor:
        """The pooled vectors."""
        vectors = [self.model(dict(group))["sentence_embedding"] for group in features["groups"]]
        return torch.cat(vectors)[features["back"]]

    def save(self, path: Path, content: dict[str, object]) -> Manifest:
        """Writes an encoder folder that plain ``SentenceTransformer(path)`` loads too."""
        return save_transformer(path, self.model, content)


class UnchangedEncoder:
    """An encoder that is joined with the trained one and is not trained itself; ``place`` is its folder."""

    def __init__(self, encoder: Encoder, place: Path | str) -> None:
        self.encoder, self.place = encoder, place
        self._kept: npt.NDArray[np.float16] | None = None
        self._places: Rows

    def keep(self, texts: Strings, progress: Callable[[int, int], None]) -> None:
        """Encodes every spelling once, and keeps the vectors in half precision; not where encoding takes no time.

        A slow encoder then costs one encoding of each spelling, not of each text of each batch, and gives equal vectors
        wherever a training was stopped. ``progress`` is called with the number done and the number of all.
        """
        if isinstance(self.encoder, StaticEncoder):
            return
        hashes = [Strings.of(list(map(canonical, block.tolist()))).hashes() for _, block in _blocks(texts)]
        _, firsts, self._places = np.unique(np.concatenate(hashes), return_index=True, return_inverse=True)
        self._kept = np.zeros((len(firsts), self.encoder.dim), dtype=np.float16)
        for rows, block in _blocks(texts.take(firsts)):
            self._kept[rows] = self.encoder.encode_names(block.tolist())
            progress(int(rows[-1]) + 1, len(firsts))

    def vectors(self, texts: Strings, rows: Rows) -> torch.Tensor:
        """The vectors of some of the texts, shape ``(len(rows), dim)``."""
        if self._kept is None:
            return torch.from_numpy(self.encoder.encode_names(texts.take(rows).tolist()))
        return torch.from_numpy(self._kept[self._places[rows]].astype(np.float32))


class TrainableJoined(nn.Module):
    """Joined encoders of which one is trained; the others stay as they are.

    ``others`` are all of them in their order, with None for the trained one; ``shares`` sum up to 1. The loss sees the
    joined vectors, so that the trained one learns what the others do not know.
    """

    def __init__(self, trained: Any, others: Sequence[UnchangedEncoder | None], shares: Sequence[float]) -> None:
        super().__init__()
        self.trained = trained
        self.dim = trained.dim + sum(other.encoder.dim for other in others if other)
        self._others, self._shares = others, shares
        self._texts: Strings

    def prepare(self, texts: Strings, tokens: int) -> None:
        """Reads all texts once."""
        self._texts = texts
        self.trained.prepare(texts, tokens)

    def features(self, rows: Rows) -> dict[str, Any]:
        """What the trained one needs, and the vectors of the others."""
        fixed = [other.vectors(self._texts, rows) for other in self._others if other]
        return {"trained": self.trained.features(rows), "fixed": fixed}

    def forward(self, features: dict[str, Any]) -> torch.Tensor:
        """The joined vectors, as `ontonym.encoder.joined.JoinedEncoder` has them."""
        fixed = iter(features["fixed"])
        trained = nn.functional.normalize(self.trained(features["trained"]).float())
        parts = [next(fixed) if other else trained for other in self._others]
        return torch.cat([part * math.sqrt(share) for part, share in zip(parts, self._shares, strict=True)], dim=1)

    def save(self, path: Path, content: dict[str, object]) -> Manifest:
        """Writes an encoder folder of the same parts, with the present weights of the trained one."""
        with TemporaryDirectory() as made:
            self.trained.save(Path(made) / "trained", {})
            places = [other.place if other else Path(made) / "trained" for other in self._others]
            return join_encoders(places, self._shares, path, content)


def _blocks(texts: Strings) -> Iterator[tuple[Rows, Strings]]:
    """Some rows after the other, with their texts."""
    for start in range(0, len(texts), _AT_ONCE):
        rows = np.arange(start, min(start + _AT_ONCE, len(texts)))
        yield rows, texts.take(rows)


def group_ends(lengths: Rows) -> Rows:
    """Where to cut texts of rising lengths so that padding and groups together cost least; ends with ``len(lengths)``.

    A group costs its number of texts times its greatest length, and `_COST_OF_GROUP` for itself.
    """
    ends = np.append(np.flatnonzero(np.diff(lengths)) + 1, len(lengths))  # the end of each length
    least = np.zeros(len(ends) + 1, dtype=np.int64)
    cuts = np.zeros(len(ends), dtype=np.int64)
    begins = np.concatenate([[0], ends])
    for number, end in enumerate(ends.tolist()):
        costs = least[: number + 1] + (end - begins[: number + 1]) * int(lengths[end - 1])
        cuts[number] = np.argmin(costs)
        least[number + 1] = costs[cuts[number]] + _COST_OF_GROUP
    found = []
    number = len(ends)
    while number > 0:
        found.append(int(begins[number]))
        number = int(cuts[number - 1])
    return np.asarray(found[::-1], dtype=np.int64)


def moved(features: Any, device: torch.device) -> Any:
    """Features with all their tensors on a device."""
    if isinstance(features, torch.Tensor):
        return features.to(device)
    if isinstance(features, dict):
        return {name: moved(value, device) for name, value in features.items()}
    return [moved(value, device) for value in features] if isinstance(features, list) else features


def encode_rows(trainable: Any, rows: Rows) -> Vectors:
    """The unit vectors of prepared texts, shape ``(len(rows), dim)``, as the trainable is now and without gradients."""
    device = next(trainable.parameters()).device
    was = trainable.training
    trainable.eval()
    vectors = np.zeros((len(rows), trainable.dim), dtype=np.float32)
    with torch.no_grad():
        for start in range(0, len(rows), _ENCODED_AT_ONCE):
            some = slice(start, start + _ENCODED_AT_ONCE)
            part = trainable.forward(moved(trainable.features(rows[some]), device))
            vectors[some] = nn.functional.normalize(part.float()).cpu().numpy()
    trainable.train(was)
    return vectors
