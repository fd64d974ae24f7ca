"""Copies a shared index into a folder, byte for byte what was loaded, with the present terms of users."""

from __future__ import annotations

from pathlib import Path

from ontonym.artifact import ArtifactWriter, write_artifact
from ontonym.index.added import write_added
from ontonym.index.open import Index
from ontonym.index.part import IndexPart
from ontonym.index.shared.mirror import copy_files, index_owner, kept_files
from ontonym.index.shared.opening import backend_of
from ontonym.index.sources import noted_place
from ontonym.manifest import Manifest
from ontonym.types import Progress


def pull_index(index: Index, path: Path | str, *, progress: Progress | None) -> Manifest:
    """Copies an open shared index into the folder ``path``, and gives its manifest.

    The copy names the terminologies where this machine keeps them (`ontonym.files.user.cache_folder`); give others
    with ``terminologies`` when it is opened elsewhere.
    """
    path = Path(path)
    with write_artifact(path, "index") as writer:
        fill_folder(writer, index, path, progress)
    return writer.manifest


def fill_folder(writer: ArtifactWriter, index: Index, path: Path, progress: Progress | None) -> None:
    """Writes all files of a shared index into the folder of a writer."""
    backend = backend_of(index.signals)
    storage, folder = backend.storage, writer.folder
    files = {name: {"sha256": entry.sha256} for name, entry in index.manifest.files.items()}
    copy_files(storage, index_owner(index.manifest.fingerprint), kept_files(files, storage.in_tables), folder)
    backend.write_tables(folder, index.name_count, progress)
    writer.content |= {name: value for name, value in index.manifest.content.items() if name != "added"}
    writer.content["terminologies"] = [noted_place(one.path, path) for one in index.terminologies]
    write_added(writer, storage.journal(), index.find, IndexPart(folder), index.encoder, None)
