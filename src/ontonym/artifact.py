"""Folders that are written whole or not at all: manifest, checksums, lock and the one rename.

Every terminology, index and encoder on disk goes through this room. A writer fills a staging folder beside the place,
and one rename puts it there, so that a reader sees the old artifact or the new one and never something between.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import orjson

from ontonym.checksums import Checksums, FileEntry, sha256, sync
from ontonym.errors import ArtifactError, UnknownNameError
from ontonym.replacing import DISK_FULL, lock, put_in_place, recover, restore, sweep, writable

ArtifactKind = Literal["terminology", "pairs", "index", "encoder", "reranker", "benchmark", "page index"]

FORMAT_VERSIONS: dict[str, int] = {
    "terminology": 2, "pairs": 1, "index": 4, "encoder": 1, "reranker": 1, "benchmark": 1,
    "page index": 1,
}  # fmt: skip
"""The format version that this ontonym writes and reads, per kind; raised too when ``text`` makes other words."""

REBUILD: dict[str, str] = {
    "terminology": "build_terminology()",
    "pairs": "save_examples()",
    "index": "build_index()",
    "encoder": "train_encoder()",
    "reranker": "train_reranker()",
    "benchmark": "build_sets()",
    "page index": "build_pages()",
}
"""The function that makes each kind; error messages name it."""

MANIFEST = "manifest.json"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an artifact is, where it comes from and what it must hold.

    ``fingerprint`` is a hexadecimal SHA-256 over the files and ``content["identity"]``: the same input gives the same
    fingerprint at any time and place. ``created`` is UTC in ISO 8601. ``files`` is keyed by the path inside the folder
    with forward slashes. ``content`` belongs to the kind: counts, options, source release.
    """

    kind: str
    format_version: int
    ontonym: str
    created: str
    fingerprint: str
    files: dict[str, FileEntry]
    content: dict[str, Any]

    @property
    def bytes(self) -> int:
        """Size of all files together, without the manifest."""
        return sum(entry.bytes for entry in self.files.values())


@dataclass(slots=True)
class ArtifactWriter:
    """What `write_artifact` lends: put files into ``folder`` and facts into ``content``.

    ``content["identity"]`` is the part of the content that the fingerprint covers beside the files. ``manifest`` is
    there once the artifact is in its place.
    """

    folder: Path
    checksums: Checksums
    content: dict[str, Any] = field(default_factory=dict)
    manifest: Manifest | None = None

    def complete(self, *names: str) -> None:
        """Says that files are complete: their checksums are then taken while others are written."""
        self.checksums.add(*(self.folder / name for name in names))

    def keep(self, source: Path, files: Mapping[str, FileEntry]) -> None:
        """Takes over files of another artifact unread: linked where the system can, else copied.

        Files of an artifact are never changed in their place, so that both may share them.
        """
        for name, entry in files.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source / name, place)
            except OSError:
                shutil.copyfile(source / name, place)
            self.checksums.known(place, entry)


# Reading ---------------------------------------------------------------------------------------------------------


def read_manifest(path: Path | str, kind: ArtifactKind | None = None) -> Manifest:
    """The manifest of the artifact at ``path``, after checking kind, format version and the size of each file.

    ``kind`` None accepts any kind. Raises `ArtifactError`, which says what is wrong and what to do.
    """
    path = Path(path)
    recover(path)
    if not path.exists():
        raise ArtifactError(f"{path}: no such {kind or 'artifact'}{_make_it(kind)}")
    if not path.is_dir():
        raise ArtifactError(f"{path}: is a file, but {_a(kind)} is a folder{_make_it(kind)}")
    if not (path / MANIFEST).is_file():
        raise ArtifactError(f"{path}: is not {_a(kind)} (it has no {MANIFEST}){_make_it(kind)}")
    manifest = _parse(path)
    if kind is not None and manifest.kind != kind:
        raise ArtifactError(f"{path}: is {_a(manifest.kind)}, but {_a(kind)} was expected")
    expected = FORMAT_VERSIONS[manifest.kind]
    if manifest.format_version > expected:
        raise ArtifactError(
            f"{path}: was made by a newer ontonym ({manifest.ontonym}, format {manifest.format_version}; this one reads"
            f" {expected}): upgrade ontonym, or rebuild with `{REBUILD[manifest.kind]}`"
        )
    if manifest.format_version < expected:
        raise ArtifactError(
            f"{path}: has the old format {manifest.format_version} (this ontonym reads {expected}): "
            f"rebuild with `{REBUILD[manifest.kind]}`"
        )
    for name, entry in manifest.files.items():
        try:
            size = (path / name).stat().st_size
        except OSError:
            raise _damaged(path, manifest.kind, f"file {name} is missing") from None
        if size != entry.bytes:
            raise _damaged(path, manifest.kind, f"file {name} has {size:,} bytes instead of {entry.bytes:,}")
    return manifest


def verify(path: Path | str, kind: ArtifactKind | None = None) -> Manifest:
    """Like `read_manifest`, and recomputes the checksum of every file (about a second per GB)."""
    path = Path(path)
    manifest = read_manifest(path, kind)
    for name, entry in manifest.files.items():
        if sha256(path / name) != entry.sha256:
            raise _damaged(path, manifest.kind, f"the checksum of file {name} does not match")
    if _fingerprint(manifest.kind, manifest.files, manifest.content) != manifest.fingerprint:
        raise _damaged(path, manifest.kind, f"{MANIFEST} was changed")
    return manifest


def open_artifact(path: Path | str, kind: ArtifactKind, load: Callable[[Path, Manifest], T]) -> T:
    """What ``load(folder, manifest)`` gives, from one and the same version of the artifact.

    A writer may put a new version in place while ``load`` opens files one by one; then it is loaded again.
    """
    path = Path(path)
    while True:
        manifest = read_manifest(path, kind)
        try:
            loaded = load(path, manifest)
        except (ArtifactError, OSError, ValueError):
            if read_manifest(path, kind).fingerprint == manifest.fingerprint:
                raise
            continue
        if read_manifest(path, kind).fingerprint == manifest.fingerprint:
            return loaded


def _parse(path: Path) -> Manifest:
    try:
        raw = orjson.loads((path / MANIFEST).read_bytes())
        raw["files"] = {name: FileEntry(**entry) for name, entry in raw["files"].items()}
        manifest = Manifest(**raw)
        known = manifest.kind in FORMAT_VERSIONS and isinstance(manifest.format_version, int)
    except (OSError, orjson.JSONDecodeError, TypeError, KeyError, AttributeError) as error:
        raise ArtifactError(f"{path}: {MANIFEST} is not one of ontonym's or is damaged ({error})") from None
    if not known:
        raise ArtifactError(f"{path}: unknown kind {manifest.kind!r} in {MANIFEST}; this ontonym may be too old")
    return manifest


def _damaged(path: Path, kind: str, what: str) -> ArtifactError:
    return ArtifactError(f"{path}: damaged: {what}; rebuild with `{REBUILD[kind]}`")


def _a(kind: str | None) -> str:
    return f"an {kind}" if kind in ("index", "encoder") else f"a {kind}" if kind else "an artifact"


def _make_it(kind: str | None) -> str:
    return f"; make one with `{REBUILD[kind]}`" if kind else ""


# Writing ---------------------------------------------------------------------------------------------------------


@contextmanager
def write_artifact(path: Path | str, kind: ArtifactKind, *, overwrite: bool = True) -> Iterator[ArtifactWriter]:
    """Lends an `ArtifactWriter`; when the block ends well, its folder is the artifact at ``path``.

    An older artifact of the same kind is replaced in one step; anything else at ``path`` is refused. If the block
    raises, or the process is killed at any moment, ``path`` is as it was. Raises `LockedError` while another process
    writes there, and `ArtifactError` where ``path`` cannot be written or may not be replaced.
    """
    if kind not in FORMAT_VERSIONS:
        raise UnknownNameError("artifact kind", kind, FORMAT_VERSIONS)
    path = Path(path).resolve()
    with writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with lock(path):
        restore(path)
        _refuse(path, kind, overwrite=overwrite)
        staging = path.with_name(f".{path.name}.{os.getpid()}.writing")
        checksums: Checksums | None = None
        try:
            with writable(path):
                sweep(path)
                staging.mkdir()
            checksums = Checksums(staging)
            writer = ArtifactWriter(staging, checksums)
            with writable(path, only=DISK_FULL):
                yield writer
            with writable(path):
                writer.manifest = _seal(staging, kind, writer.content, checksums.finish())
                put_in_place(staging, path)
        finally:
            if checksums is not None:
                checksums.close()
            shutil.rmtree(staging, ignore_errors=True)


def _refuse(path: Path, kind: str, *, overwrite: bool) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise ArtifactError(f"{path}: is a file, and {_a(kind)} is a folder: give another place")
    if not any(path.iterdir()):
        return
    if not (path / MANIFEST).is_file():
        raise ArtifactError(f"{path}: is a folder that ontonym did not make, so it stays as it is: give another place")
    found = _parse(path).kind
    if found != kind:
        raise ArtifactError(f"{path}: is {_a(found)}, which {_a(kind)} may not replace: give another place")
    if not overwrite:
        raise ArtifactError(f"{path}: is there already: give another place, or allow to overwrite it")


def _seal(folder: Path, kind: str, content: dict[str, Any], files: dict[str, FileEntry]) -> Manifest:
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    content = orjson.loads(orjson.dumps(content))
    fingerprint = _fingerprint(kind, files, content)
    manifest = Manifest(kind, FORMAT_VERSIONS[kind], ontonym_version(), created, fingerprint, files, content)
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    (folder / MANIFEST).write_bytes(orjson.dumps(asdict(manifest), option=options))
    sync(folder / MANIFEST)
    for below in (p for p in folder.rglob("*") if p.is_dir()):
        sync(below)
    sync(folder)
    return manifest


def ontonym_version() -> str:
    """The installed version, or ``unknown``: looked up by hand, since ``importlib.metadata`` takes long to load."""
    for place in sys.path:
        for facts in Path(place or ".").glob("ontonym-*.dist-info/METADATA"):
            with facts.open(encoding="utf-8") as lines:
                return next(line.split()[1] for line in lines if line.startswith("Version: "))
    import importlib.metadata

    try:
        return importlib.metadata.version("ontonym")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _fingerprint(kind: str, files: dict[str, FileEntry], content: dict[str, Any]) -> str:
    declared = {
        "kind": kind,
        "files": sorted((name, entry.sha256) for name, entry in files.items()),
        "identity": content.get("identity"),
    }
    return hashlib.sha256(orjson.dumps(declared, option=orjson.OPT_SORT_KEYS)).hexdigest()
