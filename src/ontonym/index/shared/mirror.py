"""The files of a shared index that never change, kept in a folder of the user: read once for each release.

They are the columns of the terminologies, and those of the index but for what the database searches itself
(`Storage.in_tables`), of which a search reads a few at a time. The folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import orjson

from ontonym.checksums import sha256
from ontonym.errors import ArtifactError
from ontonym.files.user import cache_folder
from ontonym.index.shared.storage import State, Storage
from ontonym.manifest import MANIFEST

FOR_UPDATES = frozenset(
    f"{name}.npy"
    for name in (
        "name_hash", "repeat_hash", "repeat_words", "repeat_words.rows", "shorter_name", "shorter_form", "shorter_term",
    )
)  # fmt: skip
"""The files of an index that only updates read."""


def mirrored_terminology(storage: Storage, fingerprint: str) -> Path:
    """The folder with the columns of a terminology."""
    owner = terminology_owner(fingerprint)
    place = cache_folder() / "shared" / owner[:44]
    if not place.is_dir():
        held = b"".join(storage.parts(owner, MANIFEST))
        if not held:
            raise ArtifactError(f"{storage.address.shown}: damaged: {owner} is missing; load the index again")
        files = {name: str(entry["sha256"]) for name, entry in orjson.loads(held)["files"].items()}
        fill(storage, owner, files, place, held)
    return place


def mirrored_index(storage: Storage, manifest: bytes) -> Path:
    """The folder with the files of a generation that searching reads."""
    facts = orjson.loads(manifest)
    owner = index_owner(facts["fingerprint"])
    place = cache_folder() / "shared" / f"{owner[:38]}-{storage.address.scheme}"
    if not place.is_dir():
        fill(storage, owner, kept_files(facts["files"], storage.in_tables | FOR_UPDATES), place, manifest)
    return place


def index_owner(fingerprint: str) -> str:
    """The owner of the files of an index."""
    return f"index-{fingerprint}"


def terminology_owner(fingerprint: str) -> str:
    """The owner of the files of a terminology."""
    return f"terminology-{fingerprint}"


def kept_files(files: Mapping[str, Mapping[str, str]], without: frozenset[str]) -> dict[str, str]:
    """The checksums of the files of an index, without some and without those of the users' terms."""
    return {
        name: entry["sha256"] for name, entry in files.items() if name not in without and not name.startswith("added")
    }


def present_terms(storage: Storage, state: State) -> tuple[State, Path | None]:
    """The state that was just read, with the folder of the part of its users' terms; None if there are none.

    Terms of a state that others replaced twice meanwhile may be gone before they are read: then it is the newer state
    with its terms. Raises ArtifactError where they are gone and no newer state is there.
    """
    while True:
        try:
            return state, mirrored_terms(storage, state)
        except ArtifactError:
            read, state = state, storage.state()
            if state.stamp == read.stamp:
                raise


def mirrored_terms(storage: Storage, state: State) -> Path | None:
    """The folder with the part of the users' terms of a state; None if there are none."""
    files: Mapping[str, str] = state.added.get("files", {})
    if not files:
        return None
    listed = orjson.dumps(dict(files), option=orjson.OPT_SORT_KEYS)
    place = cache_folder() / "shared" / f"terms-{hashlib.sha256(listed).hexdigest()[:32]}"
    if not place.is_dir():
        fill(storage, state.terms, files, place, listed, name="checksums.json")
    return place


def fill(
    storage: Storage,
    owner: str,
    files: Mapping[str, str],
    place: Path,
    manifest: bytes,
    *,
    name: str = MANIFEST,
) -> None:
    """Writes files, given with their checksums, and a manifest into a folder, which is there whole or not at all."""
    staging = place.with_name(f".{place.name}.{os.getpid()}.writing")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        staging.mkdir(parents=True)
        copy_files(storage, owner, files, staging)
        (staging / name).write_bytes(manifest)
        try:
            staging.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def copy_files(storage: Storage, owner: str, files: Mapping[str, str], folder: Path) -> None:
    """Writes files, given with their checksums, into a folder."""
    for file, checksum in files.items():
        _write(storage, owner, file, folder / file)
        if sha256(folder / file) != checksum:
            raise ArtifactError(
                f"{storage.address.shown}: damaged: the checksum of {file} does not match; load the index again"
            )


def _write(storage: Storage, owner: str, name: str, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        stream.writelines(storage.parts(owner, name))
