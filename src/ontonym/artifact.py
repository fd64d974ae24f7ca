"""Folders that are written whole or not at all: manifest, checksums, lock and the one rename.

Every terminology, index and encoder on disk goes through this room. A writer fills a staging folder beside the place,
and one rename puts it there, so that a reader sees the old artifact or the new one and never something between.
"""

from __future__ import annotations

import datetime
import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

import orjson

from ontonym.checksums import Checksums, FileEntry, sha256, sync
from ontonym.errors import (
    ArtifactError,
    LockedError,
    MissingExtraError,
    OntonymError,
    UnknownNameError,
    without_password,
)
from ontonym.jsonbytes import json_bytes
from ontonym.replacing import DISK_FULL, lock, put_in_place, recover, restore, sweep, writable
from ontonym.resuming import NOTES, Notes, adopt

ArtifactKind = Literal["terminology", "pairs", "index", "encoder", "reranker", "benchmark", "page index"]

FORMAT_VERSIONS: dict[str, int] = {
    "terminology": 2, "pairs": 1, "index": 5, "encoder": 1, "reranker": 1, "benchmark": 1,
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

PATIENCE = 10.0
"""Seconds for which an artifact that is replaced all the time is opened again and again."""

_LONGEST_MANIFEST = 1 << 26
_SHA256 = re.compile("[0-9a-f]{64}")
_NOT_DAMAGE = (errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)

T = TypeVar("T")

_URL = re.compile("(postgres(ql)?|milvus):/+", re.IGNORECASE)


def is_url(place: Path | str) -> bool:
    """Whether a place is the URL of a shared index and no folder."""
    return _URL.match(str(place).replace("\\", "/")) is not None


def _refuse_url(path: Path) -> None:
    if is_url(path):
        shown = re.sub("^([a-z]+):/+", r"\1://", without_password(path.as_posix()))
        raise ArtifactError(
            f"{shown}: is a shared index, and this takes one in a folder: copy it into one with `build_index()`"
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an artifact is, where it comes from and what it must hold.

    ``fingerprint`` is a hexadecimal SHA-256 over the files and ``content["identity"]``: the same input gives the same
    fingerprint at any time and place. ``created`` is UTC in ISO 8601. ``files`` is keyed by the path inside the folder
    with forward slashes. ``content`` belongs to the kind: counts, options, source release. ``checksum`` is a
    hexadecimal SHA-256 over all other fields; None in an artifact that was made before there was one.
    """

    kind: str
    format_version: int
    ontonym: str
    created: str
    fingerprint: str
    files: dict[str, FileEntry]
    content: dict[str, Any]
    checksum: str | None = None

    @property
    def bytes(self) -> int:
        """Size of all files together, without the manifest."""
        return sum(entry.bytes for entry in self.files.values())


@dataclass(slots=True)
class ArtifactWriter:
    """What `write_artifact` lends: put files into ``folder`` and facts into ``content``.

    ``content["identity"]`` is the part of the content that the fingerprint covers beside the files. ``manifest`` is
    there once the artifact is in its place. ``notes`` are what is done, for a writer that can resume.
    """

    folder: Path
    checksums: Checksums
    content: dict[str, Any] = field(default_factory=dict)
    manifest: Manifest | None = None
    notes: Notes = field(default_factory=Notes)

    def complete(self, *names: str) -> None:
        """Says that files are complete: their checksums are then taken while others are written."""
        self.checksums.add(*(self.folder / name for name in names if name != NOTES))

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
    return open_artifact(path, kind, lambda _, manifest: manifest)


def verify(path: Path | str, kind: ArtifactKind | None = None) -> Manifest:
    """Like `read_manifest`, and recomputes the checksum of every file (about a second per GB)."""

    def check(folder: Path, manifest: Manifest) -> Manifest:
        for name, entry in manifest.files.items():
            if sha256(folder / name) != entry.sha256:
                raise damaged(folder, manifest.kind, f"the checksum of file {name} does not match")
        if _fingerprint(manifest.kind, manifest.files, manifest.content) != manifest.fingerprint:
            raise damaged(folder, manifest.kind, f"{MANIFEST} was changed")
        return manifest

    return open_artifact(path, kind, check)


def open_artifact(path: Path | str, kind: ArtifactKind | None, load: Callable[[Path, Manifest], T]) -> T:
    """What ``load(folder, manifest)`` gives, from one and the same version of the artifact.

    A writer may put a new version in place while ``load`` opens files one by one; then it is loaded again. Whatever
    ``load`` raises that is not one of our errors is told as damage. Raises `ArtifactError`, and `LockedError` where
    the artifact was replaced all the time for `PATIENCE` seconds.
    """
    path = Path(path)
    _refuse_url(path)
    until = time.monotonic() + PATIENCE
    failed: _Version | None = None
    while True:
        version = _version(path)
        try:
            loaded = load(path, _checked(path, kind, version))
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
                raise
            if _version(path) == version == failed or isinstance(error, MissingExtraError):
                _raise_as_ours(path, kind, error)
            failed = version  # a killed writer's version may have come back just now: one more try
        else:
            if _version(path) == version:
                return loaded
        if time.monotonic() > until:
            raise LockedError(f"{path}: was replaced again and again while it was opened: stop what writes it")


_Version = tuple[int, int, int, bytes]
"""Device, inode, time and content of a manifest: no two versions of an artifact at one place share all of them."""


def _version(path: Path) -> _Version | None:
    """Which version of an artifact is at a place now; None for none."""
    recover(path)
    try:
        if not (path / MANIFEST).is_file():  # a pipe would keep whoever opens it waiting
            return None
        with (path / MANIFEST).open("rb") as stream:
            status = os.fstat(stream.fileno())
            return status.st_dev, status.st_ino, status.st_mtime_ns, stream.read(min(status.st_size, _LONGEST_MANIFEST))
    except (OSError, ValueError):
        return None


def _raise_as_ours(path: Path, kind: ArtifactKind | None, error: BaseException) -> NoReturn:
    """Raises an error of ours as it is, and says what any other means for the artifact."""
    if isinstance(error, (OntonymError, ImportError)):
        raise error
    if isinstance(error, OSError) and error.errno in _NOT_DAMAGE:
        raise ArtifactError(f"{path}: cannot be read: {error.strerror}") from error
    if isinstance(error, MemoryError):
        raise ArtifactError(f"{path}: there is not enough memory to open it") from error
    what = str(error).split("\n", 1)[0] if isinstance(error, (OSError, ValueError)) else repr(error)[:200]
    raise damaged(path, kind, what) from error


def _checked(path: Path, kind: ArtifactKind | None, version: _Version | None) -> Manifest:
    if not path.exists():
        raise ArtifactError(f"{path}: no such {kind or 'artifact'}{_make_it(kind)}")
    if not path.is_dir():
        raise ArtifactError(f"{path}: is a file, but {_a(kind)} is a folder{_make_it(kind)}")
    if version is None:
        if (path / MANIFEST).is_file():
            (path / MANIFEST).read_bytes()  # raises what is in the way
        raise ArtifactError(f"{path}: is not {_a(kind)} (it has no {MANIFEST}){_make_it(kind)}")
    manifest = parse_manifest(path, version[-1])
    if kind is not None and manifest.kind != kind:
        raise ArtifactError(f"{path}: is {_a(manifest.kind)}, but {_a(kind)} was expected")
    check_version(path, manifest)
    if manifest.checksum and _checksum(manifest) != manifest.checksum:
        raise damaged(path, manifest.kind, f"{MANIFEST} was changed")
    _check_files(path, manifest)
    return manifest


def check_version(path: Path, manifest: Manifest) -> None:
    """Raises ArtifactError for a manifest of another format version than this ontonym reads."""
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


def _check_files(path: Path, manifest: Manifest) -> None:
    """Raises ArtifactError unless every file of the manifest is in the folder, with its size."""
    for name, entry in manifest.files.items():
        if _leads_out(name):
            raise damaged(path, manifest.kind, f"{MANIFEST} names a file outside of the folder, {name!r}")
        try:
            status = (path / name).stat()
        except OSError:
            raise damaged(path, manifest.kind, f"file {name} is missing") from None
        if not stat.S_ISREG(status.st_mode):
            raise damaged(path, manifest.kind, f"{name} is not a file")
        if status.st_size != entry.bytes:
            raise damaged(path, manifest.kind, f"file {name} has {status.st_size:,} bytes instead of {entry.bytes:,}")


def _leads_out(name: str) -> bool:
    """Whether the name of a file in a manifest is none that a writer gives: absolute, upward, or of another system."""
    return not name or any(c in name for c in "\\:\0") or any(part in ("", ".", "..") for part in name.split("/"))


def parse_manifest(path: Path, data: bytes) -> Manifest:
    """Reads a manifest; raises ArtifactError, which names ``path``, for what is none."""
    try:
        raw = orjson.loads(data)
        raw["files"] = {name: FileEntry(**entry) for name, entry in raw["files"].items()}
        manifest = Manifest(**raw)
        if "checksum" in raw and manifest.checksum is None:
            raise ValueError("checksum is empty")
        _check_types(manifest)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArtifactError(f"{path}: {MANIFEST} is not one of ontonym's or is damaged ({error})") from None
    if manifest.kind not in FORMAT_VERSIONS:
        raise ArtifactError(f"{path}: unknown kind {manifest.kind!r} in {MANIFEST}; this ontonym may be too old")
    return manifest


def _check_types(manifest: Manifest) -> None:
    """Raises ValueError for a manifest whose fields are not of their types."""
    if not all(isinstance(text, str) for text in (manifest.kind, manifest.ontonym, manifest.created)):
        raise ValueError("kind, ontonym and created are texts")
    if type(manifest.format_version) is not int or not isinstance(manifest.content, dict):
        raise ValueError("format_version is a number, and content an object")
    sums = [manifest.fingerprint, *(entry.sha256 for entry in manifest.files.values())]
    sums += [manifest.checksum] if manifest.checksum is not None else []
    if not all(isinstance(text, str) and _SHA256.fullmatch(text) for text in sums):
        raise ValueError("a checksum is not 64 hexadecimal digits")
    if not all(type(entry.bytes) is int and entry.bytes >= 0 for entry in manifest.files.values()):
        raise ValueError("a size is not a whole number")


def damaged(path: Path, kind: str | None, what: str) -> ArtifactError:
    """The error for an artifact that does not hold what its manifest says, or what its kind needs."""
    remedy = f"rebuild with `{REBUILD[kind]}`" if kind else "make it again"
    return ArtifactError(f"{path}: damaged: {what}; {remedy}")


def _a(kind: str | None) -> str:
    return f"an {kind}" if kind in ("index", "encoder") else f"a {kind}" if kind else "an artifact"


def _make_it(kind: str | None) -> str:
    return f"; make one with `{REBUILD[kind]}`" if kind else ""


# Writing ---------------------------------------------------------------------------------------------------------


@contextmanager
def write_artifact(
    path: Path | str,
    kind: ArtifactKind,
    *,
    overwrite: bool = True,
    accept: Callable[[Path], None] | None = None,
    resume: str | None = None,
) -> Iterator[ArtifactWriter]:
    """Lends an `ArtifactWriter`; when the block ends well, its folder is the artifact at ``path``.

    ``accept`` is called with the finished folder before it takes the place of an older one, and raises to refuse.
    ``resume`` stands for all that the artifact is made from: what a killed writer with the same one noted as done
    (``writer.notes``) is in the folder again.

    An older artifact of the same kind is replaced in one step; anything else at ``path`` is refused. If the block
    raises, or the process is killed at any moment, ``path`` is as it was. Raises `LockedError` while another process
    writes there, and `ArtifactError` where ``path`` cannot be written or may not be replaced.
    """
    if kind not in FORMAT_VERSIONS:
        raise UnknownNameError("artifact kind", kind, FORMAT_VERSIONS)
    _refuse_url(Path(path))
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
                if resume is not None:
                    adopt(path, staging, resume)
                sweep(path, kept=staging)
                staging.mkdir(exist_ok=True)
            checksums = Checksums(staging)
            writer = ArtifactWriter(staging, checksums, notes=Notes(staging, resume))
            with writable(path, only=DISK_FULL):
                yield writer
            writer.notes.remove()
            with writable(path):
                writer.manifest = _seal(staging, kind, writer.content, checksums.finish())
                if accept is not None and (path / MANIFEST).is_file():
                    accept(staging)
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
    found = parse_manifest(path, (path / MANIFEST).read_bytes()).kind
    if found != kind:
        raise ArtifactError(f"{path}: is {_a(found)}, which {_a(kind)} may not replace: give another place")
    if not overwrite:
        raise ArtifactError(f"{path}: is there already: give another place, or allow to overwrite it")


def _seal(folder: Path, kind: str, content: dict[str, Any], files: dict[str, FileEntry]) -> Manifest:
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    content = orjson.loads(json_bytes(content))
    fingerprint = _fingerprint(kind, files, content)
    manifest = Manifest(kind, FORMAT_VERSIONS[kind], ontonym_version(), created, fingerprint, files, content)
    manifest = replace(manifest, checksum=_checksum(manifest))
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


def _checksum(manifest: Manifest) -> str:
    facts = {name: getattr(manifest, name) for name in Manifest.__slots__ if name != "checksum"}
    return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()
