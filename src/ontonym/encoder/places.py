"""Where encoders are: names that are not paths, and the kind of an encoder by its manifest."""

from __future__ import annotations

from pathlib import Path

from ontonym.artifact import Manifest

DEFAULT = "default"
"""The name of the encoder that comes with the package."""

HUB = "hub:"
"""The prefix of the name of a model on the Hugging Face hub."""


def is_name(place: Path | str) -> bool:
    """Whether this is not a path but a name: of the encoder that comes with the package, or of a model on the hub."""
    return str(place) == DEFAULT or str(place).startswith(HUB)


def default_folder() -> Path:
    """The folder of the encoder that comes with the package."""
    return Path(__file__).parent / "default"


def kind_of(manifest: Manifest) -> str:
    """The kind of an encoder by its manifest, even one unknown to this version (see `ontonym.encoder.KINDS`)."""
    return str(manifest.content.get("identity", {}).get("encoder"))
