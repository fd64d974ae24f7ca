"""Manifests with other facts than a writer gives, sealed as a writer seals them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson

from ontonym.manifest import Manifest, checksum_of


def resealed(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes the facts of the manifest in a folder, and gives it the checksum of the new ones."""
    file = folder / "manifest.json"
    facts = orjson.loads(file.read_bytes())
    change(facts)
    manifest = Manifest(**facts)
    file.write_bytes(
        orjson.dumps(asdict(replace(manifest, checksum=checksum_of(manifest))), option=orjson.OPT_INDENT_2)
    )
