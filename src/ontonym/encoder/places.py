"""Where encoders are: the names that are no paths, and what the manifest of a folder says about its kind."""

from __future__ import annotations

from pathlib import Path

from ontonym.artifact import Manifest

DEFAULT = "default"
"""The name of the encoder that comes with the package."""

HUB = "hub:"
"""What the name of a model on the Hugging Face hub begins with."""


def is_name(place: Path | str) -> bool:
    """Whether this names no path of the user's, but the encoder that comes with the package, or one of the hub."""
    return str(place) == DEFAULT or str(place).startswith(HUB)


def default_folder() -> Path:
    """The folder of the encoder that comes with the package."""
    return Path(__file__).parent / "default"


def kind_of(manifest: Manifest) -> str:
    """The kind of an encoder by its manifest, whether this version knows it or not (see `ontonym.encoder.KINDS`)."""
    return str(manifest.content.get("identity", {}).get("encoder"))
