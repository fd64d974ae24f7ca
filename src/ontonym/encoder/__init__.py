"""Encoders of text and the door to them; nothing here imports torch."""

from __future__ import annotations

from pathlib import Path

from ontonym.encoder.protocol import Encoder
from ontonym.encoder.static import open_static

DEFAULT = "default"
"""The name of the encoder that comes with the package."""


def open_encoder(place: Path | str = DEFAULT) -> Encoder:
    """The encoder in a folder, or the shipped one for the name ``default``; ArtifactError where there is none."""
    return open_static(default_folder() if str(place) == DEFAULT else Path(place))


def default_folder() -> Path:
    """The folder of the shipped encoder."""
    return Path(__file__).parent / "default"


__all__ = ["DEFAULT", "Encoder", "default_folder", "open_encoder"]
