"""Folders that are written whole or not at all: staging, checksums, lock and the one rename.

Every terminology, index and encoder on disk goes through this room. A writer fills a staging folder beside the place,
and one rename puts it there, so that a reader sees the old artifact or the new one and never something between.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeVar

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
from ontonym.manifest import (
    FORMAT_VERSIONS,
    MANIFEST,
    ArtifactKind,
    Manifest,
    called,
    check_version,
    checksum_of,
    damaged,
    fingerprint_of,
    make_one,
    new_manifest,
    parse_manifest,
)
from ontonym.replacing import DISK_FULL, lock, put_in_place, recover, restore, sweep, writable
from ontonym.resuming import NOTES, Notes, adopt

PATIENCE = 10.0
"""Seconds for which an artifact that is replaced all the time is opened again and again."""

_LONGEST_MANIFEST = 1 << 26
_USED_UP = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_NOT_DAMAGE = (errno.EACCES, errno.EPERM, errno.EIO, *_USED_UP)

T = TypeVar("T")

_URL = re.compile("(postgres(ql)?|milvus):/+", re.IGNORECASE)


def is_url(place: Path | str) -> bool:
    """Whether a place is the URL of a shared index and no folder."""
    return _URL.match(str(place).replace("\\", "/")) is not None


def require_folder(path: Path) -> None:
    """Raises ArtifactError for the URL of a shared index: where an artifact must lie in a folder, because it is changed
    in place."""
    if is_url(path):
        shown = re.sub("^([a-z]+):/+", r"\1://", without_password(path.as_posix()))
        raise ArtifactError(
            f"{shown}: is a shared index, and this takes one in a folder: copy it into one with `build_index()`"
        )


@dataclass(slots=True)
class ArtifactWriter:
    """What `write_artifact` lends: put files into ``folder`` and facts into ``content``.

    ``content["identity"]`` is the part of the content that the fingerprint covers beside the files. ``notes`` are what
    is done, for a writer that can resume. ``sealed`` is the manifest once it is written.
    """

    folder: Path
    checksums: Checksums
    content: dict[str, Any] = field(default_factory=dict)
    sealed: Manifest | None = None
    notes: Notes = field(default_factory=Notes)

    @property
    def manifest(self) -> Manifest:
        """The manifest of the artifact, after the block of `write_artifact`; ValueError inside of it."""
        if self.sealed is None:
            raise ValueError(f"{self.folder}: has no manifest before it is in its place")
        return self.sealed

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
        if fingerprint_of(manifest.kind, manifest.files, manifest.content) != manifest.fingerprint:
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
    require_folder(path)
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


def is_exhausted(error: BaseException | None) -> bool:
    """Whether an error says that files or memory are used up, and nothing of what was opened."""
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _USED_UP)


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


_INSTEAD = {
    ("terminology", "index"): "; make an index of it with `build_index()`",
    ("index", "terminology"): "; give the terminology that it was made of",
}
"""What to do where an artifact of another kind was given; else how to make one."""

_FILES = (".csv", ".tsv", ".tab", ".txt", ".xlsx", ".json", ".jsonl", ".obo", ".owl", ".xml", ".zip", ".gz")
"""Endings of files that people give where an artifact may stand too."""

_MOST_BESIDE = 1000


def _beside(path: Path) -> str:
    """The artifact with nearly the same name in the folder where there is none, as a question."""
    try:
        there = [one.name for one in islice(path.parent.iterdir(), _MOST_BESIDE) if (one / MANIFEST).is_file()]
    except OSError:
        return ""
    wanted = path.stem.lower()  # a common ending alone is no likeness
    small = {
        name.lower(): name for name in sorted(there) if difflib.get_close_matches(wanted, [Path(name).stem.lower()])
    }
    near = difflib.get_close_matches(path.name.lower(), small, n=1, cutoff=0.7)
    return f". Did you mean {path.with_name(small[near[0]])}?" if near else ""


def _checked(path: Path, kind: ArtifactKind | None, version: _Version | None) -> Manifest:
    if not path.exists() and path.suffix.lower() in _FILES:
        raise ArtifactError(f"{path}: no such file{_beside(path) or '. Check the path'}")
    if not path.exists():
        raise ArtifactError(
            f"{path}: no such {kind or 'artifact'}{_beside(path) or make_one(kind) or '. Check the path'}"
        )
    if not path.is_dir():
        hint = make_one(kind) or "; make a terminology of a release with `build_terminology()`"
        raise ArtifactError(f"{path}: is a file, but {called(kind)} is a folder{hint}")
    if version is None:
        if (path / MANIFEST).is_file():
            (path / MANIFEST).read_bytes()  # raises what is in the way
        raise ArtifactError(f"{path}: is not {called(kind)} (it has no {MANIFEST}){make_one(kind)}")
    manifest = parse_manifest(path, version[-1])
    if kind is not None and manifest.kind != kind:
        hint = _INSTEAD.get((manifest.kind, kind)) or make_one(kind)
        raise ArtifactError(f"{path}: is {called(manifest.kind)}, but {called(kind)} was expected{hint}")
    check_version(path, manifest)
    if checksum_of(manifest) != manifest.checksum:
        raise damaged(path, manifest.kind, f"{MANIFEST} was changed")
    _check_files(path, manifest)
    return manifest


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


# Writing ---------------------------------------------------------------------------------------------------------


@contextmanager
def write_artifact(
    path: Path | str,
    kind: ArtifactKind,
    *,
    overwrite: bool = True,
    accept: Callable[[Path], None] | None = None,
    resume: str | None = None,
    patience: float = 0.0,
) -> Iterator[ArtifactWriter]:
    """Lends an `ArtifactWriter`; when the block ends well, its folder is the artifact at ``path``.

    ``accept`` is called with the finished folder before it takes the place of an older one, and raises to refuse.
    ``resume`` stands for all that the artifact is made from: what a killed writer with the same one noted as done
    (``writer.notes``) is in the folder again.

    An older artifact of the same kind is replaced in one step; anything else at ``path`` is refused. If the block
    raises, or the process is killed at any moment, ``path`` is as it was. Raises `LockedError` while another process
    writes there, after ``patience`` seconds, and `ArtifactError` where ``path`` cannot be written or may not be
    replaced.
    """
    if kind not in FORMAT_VERSIONS:
        raise UnknownNameError("artifact kind", kind, FORMAT_VERSIONS)
    require_folder(Path(path))
    path = Path(path).resolve()
    with writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with lock(path, patience=patience):
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
                writer.sealed = _seal(staging, kind, writer.content, checksums.finish())
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
        raise ArtifactError(f"{path}: is a file, and {called(kind)} is a folder: give another place")
    if not any(path.iterdir()):
        return
    if not (path / MANIFEST).is_file():
        raise ArtifactError(f"{path}: is a folder that ontonym did not make, so it stays as it is: give another place")
    found = parse_manifest(path, (path / MANIFEST).read_bytes()).kind
    if found != kind:
        raise ArtifactError(f"{path}: is {called(found)}, which {called(kind)} may not replace: give another place")
    if not overwrite:
        raise ArtifactError(f"{path}: is there already: give another place, or allow to overwrite it")


def _seal(folder: Path, kind: str, content: dict[str, Any], files: dict[str, FileEntry]) -> Manifest:
    manifest = new_manifest(kind, files, content)
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    (folder / MANIFEST).write_bytes(orjson.dumps(asdict(manifest), option=options))
    sync(folder / MANIFEST)
    for below in (p for p in folder.rglob("*") if p.is_dir()):
        sync(below)
    sync(folder)
    return manifest
