"""The base that the training of an encoder starts from: none, a small new transformer, or an existing encoder.

Light: torch is imported when a trainable is made (extra ``train``).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ontonym.artifact import read_manifest
from ontonym.encoder import DEFAULT, MULTILINGUAL, STATIC, Encoder, kind_of, open_encoder, static_folder
from ontonym.encoder.joined import check_joinable, part_folders, shares_of, transformer_part
from ontonym.encoder.static import StaticShape, open_static
from ontonym.encoder.transformer import Pooling
from ontonym.errors import InputError, needing
from ontonym.manifest import MANIFEST
from ontonym.text.strings import Strings

if TYPE_CHECKING:
    from ontonym.learning.encoders.trainable import Trainable

NONE, SMALL = "none", "small"
"""The bases that are not an encoder: a static encoder from scratch, and a small transformer from scratch."""

_SHAPE = StaticShape()
_TIMED = 1024

PACKAGED = (DEFAULT, STATIC)
"""The names that stand, in training, for the static encoder of the package."""

Beginning = Literal["adapt", "from scratch", "transformer"]


@dataclass(frozen=True, slots=True)
class Base:
    """A base by its name: ``default``, ``none``, ``small``, or the folder of an encoder.

    In training ``default`` and ``static`` are both the static encoder of the package, whatever else is installed.

    ``shape`` is that of a static encoder from scratch, ``pooling`` how the vectors of a transformer's tokens become
    one: mean, cls, max, or own, the model's. ``beside`` is an encoder (a folder, or ``default``) that is joined with
    the trained one and stays unchanged; ``share`` is the share of the trained one in the cosine.
    """

    name: str = DEFAULT
    shape: StaticShape = _SHAPE
    pooling: Pooling = "own"
    beside: str = ""
    share: float = 0.5

    @property
    def beginning(self) -> Beginning:
        """How training begins; ArtifactError where the folder is not there."""
        if self.name == NONE:
            return "from scratch"
        return "adapt" if self.name in (*PACKAGED, MULTILINGUAL) or is_static(Path(self.name)) else "transformer"

    @property
    def has_transformer(self) -> bool:
        """Whether the base and the encoder beside it have exactly one transformer."""
        beside = bool(self.beside) and self.beside not in PACKAGED and _is_transformer(Path(self.beside))
        return (self.beginning == "transformer") != beside

    def trainable(
        self, texts: Strings, *, seed: int, dropout: float, ahead: Callable[[int, int], None] | None = None
    ) -> Trainable:
        """The trainable encoder. ``texts`` are those of the training: the tokenizer of ``small`` is made from them.

        With ``ahead``, encoders that stay unchanged encode all texts before the training, and ``ahead`` is called with
        the numbers of spellings done and of all; without, they encode each batch.

        Raises ArtifactError where a folder holds no encoder, InputError for a shape, pooling or joining that it cannot
        have, MissingExtraError without torch.
        """
        self._check()
        with needing("torch", "train", "training an encoder", exact=True):
            from ontonym.learning.encoders.trainable import TrainableJoined, UnchangedEncoder
        parts = part_folders(Path(self.name))
        if not parts and not self.beside:
            return self._alone(self.name, texts, seed, dropout)
        if parts:
            place = transformer_part(parts)
            trained = self._alone(str(parts[place]), texts, seed, dropout)
            others = [
                None if number == place else UnchangedEncoder(open_encoder(part), part)
                for number, part in enumerate(parts)
            ]
            shares = shares_of(Path(self.name), read_manifest(self.name, "encoder"))
        else:
            trained = self._alone(self.name, texts, seed, dropout)
            others = [UnchangedEncoder(self._opened_beside(), self.beside), None]
            shares = [1 - self.share, self.share]
        for other in others:
            if other and ahead:
                other.keep(texts, ahead)
        return TrainableJoined(trained, others, shares)

    def seconds_ahead(self, texts: Strings) -> float:
        """The seconds that encoding all texts with the encoder ``beside`` takes at most, estimated on some of them."""
        if not self.beside:
            return 0.0
        encoder, rows = self._opened_beside(), np.linspace(0, len(texts) - 1, min(len(texts), _TIMED))
        tried = texts.take(rows.astype(np.int64)).tolist()
        began = time.monotonic()
        encoder.encode_names(tried)
        return (time.monotonic() - began) / max(len(tried), 1) * len(texts)

    def _opened_beside(self) -> Encoder:
        return open_encoder(STATIC if self.beside in PACKAGED else self.beside)

    def _alone(self, name: str, texts: Strings, seed: int, dropout: float) -> Trainable:
        """The trainable of an encoder that is not joined."""
        from ontonym.encoder.transformer import TransformerOptions, open_transformer
        from ontonym.learning.encoders.trainable import TrainableStatic, TrainableTransformer

        if self.beginning == "from scratch":
            return TrainableStatic.drawn(self.shape, np.random.default_rng(seed))
        if self.beginning == "adapt":
            return TrainableStatic.of(open_static(static_folder(name)))
        if name == SMALL:
            from ontonym.learning.encoders.small import new_transformer

            return TrainableTransformer(new_transformer(texts, seed=seed), dropout)
        return TrainableTransformer(open_transformer(name, TransformerOptions(self.pooling)).model, dropout)

    def _check(self) -> None:
        if self.beginning != "from scratch" and self.shape != _SHAPE:
            raise InputError(f"`base={self.name}` brings its own shape; add `base=none` to choose another one")
        if self.beginning != "transformer" and self.pooling != "own":
            raise InputError(f"`base={self.name}` is a static encoder, which pools nothing; leave `pooling=` out")
        if self.beside and part_folders(Path(self.name)):
            raise InputError(f"`base={self.name}` is joined already; leave `beside=` out, or give one of its parts")
        if self.beside:
            check_joinable(self.beside)


def models_at_hand() -> list[str]:
    """Transformers that can be given as a base: model folders in the working folder, and models in the hub's cache."""
    found = [
        f"./{folder.name}"
        for folder in sorted(Path().iterdir())
        if (folder / "config.json").is_file() and any(folder.glob("*.safetensors"))
    ]
    try:
        from huggingface_hub.constants import HF_HUB_CACHE
    except ImportError:
        return found
    kept = sorted(Path(HF_HUB_CACHE).glob("models--*--*"))
    return [*found, *(f"hub:{folder.name.removeprefix('models--').replace('--', '/', 1)}" for folder in kept)]


def is_static(folder: Path) -> bool:
    """Whether a folder holds a static encoder made by ontonym."""
    return (folder / "table.npy").exists()


def _is_transformer(folder: Path) -> bool:
    """Whether a folder holds a transformer made by ontonym, or a model made elsewhere (or not downloaded yet).

    A file is not: it has word vectors.
    """
    if not (folder / MANIFEST).is_file():
        return not folder.is_file()
    return kind_of(read_manifest(folder, "encoder")) == "transformer"
