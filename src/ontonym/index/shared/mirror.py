"""The files of a shared index that never change, kept in a folder of the user: read once for each release.

They are the columns of the terminologies, and those of the index but for vectors and inverted lists, of which a search
reads a few at a time from the database. The folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson

from ontonym.artifact import MANIFEST
from ontonym.checksums import sha256
from ontonym.errors import ArtifactError
from ontonym.index.place import cache_folder
from ontonym.index.shared.database import Database
from ontonym.index.shared.schema import quoted
from ontonym.types import Progress

PART = 1 << 22
"""The most bytes of a file in one row."""

IN_TABLES = frozenset(
    f"{name}.npy"
    for name in ("dense_sign", "dense_int8", "dense_scale", "form_hash", "form_row", "word_name", "word_worth")
)
"""The files of an index whose content the database has in tables."""

FOR_UPDATES = frozenset(f"{name}.npy" for name in ("name_hash", "repeat_hash", "repeat_words", "repeat_words.rows"))
"""The files of an index that only updates read."""


def mirrored_terminology(database: Database, fingerprint: str, progress: Progress | None = None) -> Path:
    """The folder with the columns of a terminology."""
    owner = terminology_owner(fingerprint)
    place = cache_folder() / "shared" / owner[:44]
    if not place.is_dir():
        (held,) = _read(database, owner, [MANIFEST]).values()
        files = {name: str(entry["sha256"]) for name, entry in orjson.loads(held)["files"].items()}
        fill(database, owner, files, place, held, progress)
    return place


def mirrored_index(database: Database, manifest: bytes, progress: Progress | None = None) -> Path:
    """The folder with the files of a generation that searching reads."""
    facts = orjson.loads(manifest)
    owner = index_owner(facts["fingerprint"])
    place = cache_folder() / "shared" / owner[:38]
    if not place.is_dir():
        fill(database, owner, kept_files(facts["files"], IN_TABLES | FOR_UPDATES), place, manifest, progress)
    return place


def index_owner(fingerprint: str) -> str:
    """The owner of the files of an index."""
    return f"index-{fingerprint}"


def terminology_owner(fingerprint: str) -> str:
    """The owner of the files of a terminology."""
    return f"terminology-{fingerprint}"


def terms_owner(revision: int) -> str:
    """The owner of the files of the users' terms at a revision."""
    return f"terms-{revision}"


def kept_files(files: Mapping[str, Mapping[str, str]], without: frozenset[str]) -> dict[str, str]:
    """The checksums of the files of an index, without some and without those of the users' terms."""
    return {
        name: entry["sha256"] for name, entry in files.items() if name not in without and not name.startswith("added")
    }


def mirrored_terms(database: Database, revision: int, files: Mapping[str, str]) -> Path | None:
    """The folder with the part of the users' terms at a revision, given its files; None if there are none."""
    if not files:
        return None
    listed = orjson.dumps(dict(files), option=orjson.OPT_SORT_KEYS)
    place = cache_folder() / "shared" / f"terms-{hashlib.sha256(listed).hexdigest()[:32]}"
    if not place.is_dir():
        fill(database, terms_owner(revision), files, place, listed, name="checksums.json")
    return place


def fill(
    database: Database,
    owner: str,
    files: Mapping[str, str],
    place: Path,
    manifest: bytes,
    progress: Progress | None = None,
    *,
    name: str = MANIFEST,
) -> None:
    """Writes files, given with their checksums, and a manifest into a folder, which is there whole or not at all."""
    staging = place.with_name(f".{place.name}.{os.getpid()}.writing")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        staging.mkdir(parents=True)
        copy_files(database, owner, files, staging, progress)
        (staging / name).write_bytes(manifest)
        try:
            staging.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def copy_files(
    database: Database, owner: str, files: Mapping[str, str], folder: Path, progress: Progress | None = None
) -> None:
    """Writes files, given with their checksums, into a folder."""
    for number, (file, checksum) in enumerate(files.items()):
        _write(database, owner, file, folder / file)
        if sha256(folder / file) != checksum:
            raise ArtifactError(
                f"{database.address.shown}: damaged: the checksum of {file} does not match; load the index again"
            )
        if progress:
            progress("copying columns", number + 1, len(files))


def _write(database: Database, owner: str, name: str, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    statement = f"SELECT data FROM {quoted(database.address.index)}.file WHERE owner = $1 AND path = $2 AND part = $3"  # noqa: S608 (names are quoted, values go apart)
    with file.open("wb") as stream:
        part = 0
        while found := database.fetch(statement, owner, name, part):
            stream.write(found[0][0])
            part += 1


def _read(database: Database, owner: str, names: Iterable[str]) -> dict[str, bytes]:
    statement = (
        f"SELECT path, data FROM {quoted(database.address.index)}.file "  # noqa: S608 (names are quoted, values go apart)
        "WHERE owner = $1 AND path = ANY($2::text[]) ORDER BY path, part"
    )
    found: dict[str, bytes] = dict.fromkeys(names, b"")
    for path, data in database.fetch(statement, owner, list(found)):
        found[path] += data
    if not all(found.values()):
        raise ArtifactError(f"{database.address.shown}: damaged: {owner} is missing; load the index again")
    return found
