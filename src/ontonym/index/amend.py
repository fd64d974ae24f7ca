"""Amending an index: it is replaced in one step by one that shares all files but those that change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ontonym.artifact import ArtifactWriter, read_manifest, write_artifact


@contextmanager
def amended(path: Path, changes: Callable[[str], bool] = lambda _: False) -> Iterator[ArtifactWriter]:
    """A writer of the index at ``path`` that has its files except those that ``changes`` names, and its content.

    `Index.refreshed` gives an open index with the change. Raises ArtifactError where there is no index,
    LockedError while another process writes it.
    """
    read_manifest(path, "index")
    with write_artifact(path, "index") as writer:
        manifest = read_manifest(path, "index")  # again: now nobody else can replace it
        writer.keep(path, {name: entry for name, entry in manifest.files.items() if not changes(name)})
        writer.content |= manifest.content
        yield writer
