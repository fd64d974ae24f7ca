"""What an encoder's training begins from: nothing, a small transformer, or an encoder that is there already.

Light: torch is imported when a learner is made (extra ``train``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ontonym.artifact import read_manifest
from ontonym.encoder import DEFAULT, default_folder, open_encoder
from ontonym.encoder.joined import part_folders, shares_of, transformer_part
from ontonym.encoder.static import StaticShape, open_static
from ontonym.encoder.transformer import Pooling
from ontonym.errors import InputError, MissingExtraError
from ontonym.strings import Strings

if TYPE_CHECKING:
    from ontonym.encoder.learners import Learner

NONE, SMALL = "none", "small"
"""The bases that are no encoder: a static encoder and a small transformer, from scratch."""

_SHAPE = StaticShape()

Beginning = Literal["adapt", "from scratch", "transformer"]


@dataclass(frozen=True, slots=True)
class Base:
    """A base by its name: ``default``, ``none``, ``small``, or the folder of an encoder.

    ``shape`` is that of a static encoder from scratch, ``pooling`` how a transformer's tokens become one vector: mean,
    cls, max, or own, which is what the model says.
    """

    name: str = DEFAULT
    shape: StaticShape = _SHAPE
    pooling: Pooling = "own"

    @property
    def beginning(self) -> Beginning:
        """How training begins; ArtifactError where the folder is not there."""
        if self.name == NONE:
            return "from scratch"
        return "adapt" if self.name == DEFAULT or is_static(Path(self.name)) else "transformer"

    def learner(self, texts: Strings, *, seed: int, dropout: float) -> Learner:
        """What is trained. ``texts`` are those it will learn from: the tokenizer of ``small`` is made from them.

        Raises ArtifactError where the folder holds no encoder, InputError for a shape or pooling that it cannot have,
        MissingExtraError without torch.
        """
        self._check()
        try:
            from ontonym.encoder.learners import StaticLearner, TransformerLearner
        except ImportError as error:
            raise MissingExtraError(error.name or "torch", "train", "training an encoder") from error
        if self.beginning == "from scratch":
            return StaticLearner(self.shape, None, seed)
        if self.beginning == "adapt":
            folder = default_folder() if self.name == DEFAULT else Path(self.name)
            base = open_static(folder)
            return StaticLearner(base.shape, base, seed)
        from ontonym.encoder.small import new_transformer

        if self.name == SMALL:
            return TransformerLearner(new_transformer(texts, seed=seed), dropout)
        if parts := part_folders(Path(self.name)):
            return self._joined(parts, dropout)
        return TransformerLearner(self._transformer(self.name), dropout)

    def _transformer(self, place: str | Path) -> Any:
        from ontonym.encoder.transformer import TransformerOptions, open_transformer

        return open_transformer(place, TransformerOptions(self.pooling)).model

    def _joined(self, parts: list[Path], dropout: float) -> Learner:
        from ontonym.encoder.learners import JoinedLearner, TransformerLearner

        place = transformer_part(parts)
        trained = TransformerLearner(self._transformer(parts[place]), dropout)
        others = [None if number == place else open_encoder(part) for number, part in enumerate(parts)]
        shares = shares_of(Path(self.name), read_manifest(self.name, "encoder"))
        return JoinedLearner(trained, others, shares, parts)

    def _check(self) -> None:
        if self.beginning != "from scratch" and self.shape != _SHAPE:
            raise InputError(f"--base {self.name} brings its own shape; add --base none to choose another one")
        if self.beginning != "transformer" and self.pooling != "own":
            raise InputError(f"--base {self.name} is a static encoder, which pools nothing; leave --pooling out")


def is_static(folder: Path) -> bool:
    """Whether a folder holds a static encoder of ours."""
    return (folder / "table.npy").exists()
