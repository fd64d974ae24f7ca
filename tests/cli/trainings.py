"""What tests of ``ontonym train`` share: a training of moments, and what it left."""

from __future__ import annotations

import json
from pathlib import Path

from ontonym.artifact import read_manifest

STATIC = ("--base", "none", "--dim", "8", "--word-rows", "64", "--ngram-rows", "64", "--threads", "1")
FEW = ("--steps", "4", "--batch", "8")

# Four concepts of three names each give 4 · 3 · 2 / 2 = 12 pairs of synonyms.
PAIRS = 12


def content_of(folder: Path) -> dict[str, object]:
    return read_manifest(folder, "encoder").content


def pooling_of(folder: Path) -> str:
    """How the tokens become one vector in a folder of sentence-transformers."""
    settings = json.loads((folder / "1_Pooling" / "config.json").read_text())
    return (
        settings["pooling_mode"]
        if "pooling_mode" in settings
        else next(
            name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
            for name, on in settings.items()
            if name.startswith("pooling_mode_") and on is True
        )
    )
