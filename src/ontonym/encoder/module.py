"""Encoders of every kind as a module of sentence-transformers: ``SentenceTransformer(folder)`` opens our folders.

sentence-transformers imports the class that ``modules.json`` names; it is made when it is asked for, so that nothing
else loads torch.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from ontonym.encoder.places import CONTEXTUAL, DEFAULT, STATIC, installed
from ontonym.errors import needing

if TYPE_CHECKING:
    from collections.abc import Sequence

CLASS = "EncoderModule"


def sentence_transformer(place: Path | str = DEFAULT) -> Any:
    """The encoder at a place, as `open_encoder` opens it, as a ``SentenceTransformer`` (needs ontonym[train])."""
    with needing("sentence-transformers", "train", "a SentenceTransformer"):
        from sentence_transformers import SentenceTransformer

    module = __getattr__(CLASS)
    return SentenceTransformer(modules=[module(place)], device="cpu")


def save_encoder(place: Path | str, output: Path) -> None:
    """Writes the encoder at a place, as `open_encoder` opens it, to a folder: an ENCODER folder that stands by itself.

    Raises ArtifactError if there is no encoder, InputError for a single file of a model.
    """
    from ontonym.encoder.joined import contextual_shares, encoder_folder, join_encoders

    known = installed(place)
    if known == CONTEXTUAL:
        join_encoders([STATIC, CONTEXTUAL], contextual_shares(), output)
        return
    with TemporaryDirectory() as made:
        shutil.copytree(encoder_folder(known, Path(made) / "encoder"), output, dirs_exist_ok=True)


def __getattr__(name: str) -> Any:
    if name != CLASS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[CLASS] = made = _module_class()
    return made


def _module_class() -> type:
    import torch
    from sentence_transformers.base.modules import InputModule

    from ontonym.encoder import open_encoder

    class EncoderModule(InputModule):
        """A module that gives the vectors of an encoder of ontonym; its weights are not trained here."""

        save_in_root = False

        def __init__(self, place: Path | str) -> None:
            super().__init__()
            self.place = place
            self.encoder = open_encoder(place)
            self.tokenizer = None
            self.max_seq_length = None

        def preprocess(self, inputs: Sequence[str], prompt: str | None = None, **_: Any) -> dict[str, Any]:
            """The vectors of the texts: they are made here, since our encoders take texts, not tokens."""
            texts = [(prompt or "") + text for text in inputs]
            vectors = np.asarray(self.encoder.encode(texts), dtype=np.float32)
            return {"sentence_embedding": torch.from_numpy(vectors.copy())}

        def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
            """The same features, which hold the vectors already."""
            return features

        def get_embedding_dimension(self) -> int:
            """The length of a vector."""
            return self.encoder.dim

        def save(self, output_path: str, *_: Any, **__: Any) -> None:
            """Copies the whole ENCODER folder."""
            save_encoder(self.place, Path(output_path))

        @classmethod
        def load(cls, model_name_or_path: str, subfolder: str = "", **given: Any) -> EncoderModule:
            """Opens the encoder in a folder, or of a model on the hub."""
            folder = Path(model_name_or_path) / subfolder
            if not folder.is_dir():
                known = ("token", "cache_folder", "revision", "local_files_only")
                hub = {name: given[name] for name in known if name in given}
                folder = Path(cls.load_dir_path(model_name_or_path, subfolder=subfolder, **hub))
            return cls(folder)

    EncoderModule.__module__ = __name__
    EncoderModule.__qualname__ = CLASS
    return EncoderModule
