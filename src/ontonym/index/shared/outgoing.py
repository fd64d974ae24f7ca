"""What goes from an index in a folder into a database besides what is searched there, whatever the database is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from ontonym.artifact import ArtifactWriter
from ontonym.checksums import Checksums, sha256
from ontonym.errors import InputError
from ontonym.index.added import Journal, is_of_terms, write_added
from ontonym.index.extra import ADDED
from ontonym.index.open import Index
from ontonym.index.shared.mirror import index_owner, terminology_owner
from ontonym.index.shared.storage import TermFiles
from ontonym.manifest import MANIFEST
from ontonym.types import NIL


def files_to_share(index: Index, in_tables: frozenset[str]) -> list[tuple[str, Path, list[str]]]:
    """The files that clients copy: of each folder its owner, the folder, and the names of its files."""
    own = [name for name in index.manifest.files if name not in in_tables and not is_of_terms(name)]
    terminologies = [
        (terminology_owner(one.fingerprint), one.path, [*one.manifest.files, MANIFEST]) for one in index.terminologies
    ]
    return [*terminologies, (index_owner(index.manifest.fingerprint), index.path, own)]


def pieces(file: Path, size: int) -> Iterator[bytes]:
    """The content of a file in pieces of at most so many bytes; one empty piece of an empty file."""
    with file.open("rb") as stream:
        yield stream.read(size)
        while data := stream.read(size):
            yield data


def check_terms(journal: Journal) -> None:
    """Raises InputError for texts of NIL, which only an index in a folder searches."""
    if any(term.id == NIL for term in journal.held.values()):
        raise InputError(
            "an index in a database cannot hold texts without a concept (NIL): leave them out, or remove those that "
            "the index has (`remove_terms()`)"
        )


def searched_terms(index: Index, journal: Journal, old: Path | None) -> TermFiles:
    """The files by which the terms in effect are searched. ``old`` is the folder of those before, or None.

    Raises InputError for texts of NIL.
    """
    check_terms(journal)
    with tempfile.TemporaryDirectory(prefix="ontonym-terms-") as place:
        folder = Path(place)
        checksums = Checksums(folder)
        try:
            writer = ArtifactWriter(folder, checksums)
            write_added(writer, journal, index.find, index.signals.ontology, index.encoder, old)
        finally:
            checksums.close()
        files = sorted(file for file in (folder / ADDED).rglob("*") if file.is_file())
        added = writer.content.get("added", {}) | {"files": {file.name: sha256(file) for file in files}}
        return TermFiles({file.name: file.read_bytes() for file in files}, added)


def check_unsharded(index: Index) -> None:
    """Raises InputError for an index in shards, which no database takes."""
    shards = index.manifest.content["identity"]["options"]["shards"]
    if shards > 1:
        raise InputError(f"{index.path}: is in {shards} shards, and a database takes an index without: build it again")
