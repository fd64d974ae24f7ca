"""The manifest of an artifact: what it is, where it comes from, what it must hold, and what is wrong with one.

What reads and writes the folders is `ontonym.artifact`.
"""

from __future__ import annotations

import datetime
import hashlib
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import orjson

from ontonym.checksums import FileEntry
from ontonym.errors import ArtifactError
from ontonym.jsonbytes import json_bytes

ArtifactKind = Literal["terminology", "pairs", "index", "encoder", "reranker", "benchmark", "page index"]

FORMAT_VERSIONS: dict[str, int] = {
    "terminology": 2, "pairs": 1, "index": 5, "encoder": 1, "reranker": 1, "benchmark": 1,
    "page index": 1,
}  # fmt: skip
"""The format version that this ontonym writes and reads, per kind; raised too when ``text`` makes other words."""

REBUILD: dict[str, str] = {
    "terminology": "build_terminology()",
    "pairs": "pairs()",
    "index": "build_index()",
    "encoder": "train()",
    "reranker": "train_reranker()",
    "benchmark": "build_sets()",
    "page index": "build_pages()",
}
"""The function that makes each kind; error messages name it."""

MANIFEST = "manifest.json"

_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an artifact is, where it comes from and what it must hold.

    ``fingerprint`` is a hexadecimal SHA-256 over the files and ``content["identity"]``: the same input gives the same
    fingerprint at any time and place. ``created`` is UTC in ISO 8601. ``files`` is keyed by the path inside the folder
    with forward slashes. ``content`` belongs to the kind: counts, options, source release. ``checksum`` is a
    hexadecimal SHA-256 over all other fields.
    """

    kind: str
    format_version: int
    ontonym: str
    created: str
    fingerprint: str
    files: dict[str, FileEntry]
    content: dict[str, Any]
    checksum: str = ""

    @property
    def bytes(self) -> int:
        """Size of all files together, without the manifest."""
        return sum(entry.bytes for entry in self.files.values())

    def __repr__(self) -> str:
        held = f"{len(self.files)} files with {self.bytes:,} bytes"
        return f"<Manifest of {called(self.kind)} of {self.created}: {held}, fingerprint {self.fingerprint[:12]}>"


def new_manifest(kind: str, files: dict[str, FileEntry], content: dict[str, Any]) -> Manifest:
    """The manifest of an artifact that is complete now."""
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    content = orjson.loads(json_bytes(content))
    fingerprint = fingerprint_of(kind, files, content)
    manifest = Manifest(kind, FORMAT_VERSIONS[kind], ontonym_version(), created, fingerprint, files, content)
    return replace(manifest, checksum=checksum_of(manifest))


def parse_manifest(path: Path, data: bytes) -> Manifest:
    """Reads a manifest; raises ArtifactError, which names ``path``, for what is none."""
    try:
        raw = orjson.loads(data)
        raw["files"] = {name: FileEntry(**entry) for name, entry in raw["files"].items()}
        manifest = Manifest(**raw)
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
    sums = [manifest.fingerprint, manifest.checksum, *(entry.sha256 for entry in manifest.files.values())]
    if not all(isinstance(text, str) and _SHA256.fullmatch(text) for text in sums):
        raise ValueError("a checksum is not 64 hexadecimal digits")
    if not all(type(entry.bytes) is int and entry.bytes >= 0 for entry in manifest.files.values()):
        raise ValueError("a size is not a whole number")


def damaged(path: Path, kind: str | None, what: str) -> ArtifactError:
    """The error for an artifact that does not hold what its manifest says, or what its kind needs."""
    remedy = f"rebuild with `{REBUILD[kind]}`" if kind else "make it again"
    return ArtifactError(f"{path}: damaged: {what}; {remedy}")


def called(kind: str | None) -> str:
    """A kind with its article; None is any."""
    return f"an {kind}" if kind in ("index", "encoder") else f"a {kind}" if kind else "an artifact"


def make_one(kind: str | None) -> str:
    """What an error message ends with where there is none of this kind: how to make one."""
    return f"; make one with `{REBUILD[kind]}`" if kind else ""


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


def fingerprint_of(kind: str, files: dict[str, FileEntry], content: dict[str, Any]) -> str:
    """The fingerprint of an artifact; see `Manifest`."""
    declared = {
        "kind": kind,
        "files": sorted((name, entry.sha256) for name, entry in files.items()),
        "identity": content.get("identity"),
    }
    return hashlib.sha256(orjson.dumps(declared, option=orjson.OPT_SORT_KEYS)).hexdigest()


def checksum_of(manifest: Manifest) -> str:
    """The checksum of a manifest over all its other fields."""
    facts = {name: getattr(manifest, name) for name in Manifest.__slots__ if name != "checksum"}
    return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()
