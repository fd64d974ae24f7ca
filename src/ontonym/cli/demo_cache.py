"""The demo's artifacts in the cache folder: what is missing or out of date is made, everything else is just opened.

Their manifests are the cache's keys: a terminology is current when this ontonym made it from files with the same
checksums, the index when it opens with the terminologies and the encoder that are there now. So an interrupted run
leaves nothing to hint, and a new version of a package, of ontonym or of the encoder remakes only what depends on it.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import ontonym
from ontonym.artifact import read_manifest
from ontonym.cli.progress import Bar
from ontonym.errors import ArtifactError
from ontonym.index import Index, open_index
from ontonym.ontology.embedded import EMBEDDED, EmbeddedRelease


def cache_folder() -> Path:
    """``ONTONYM_CACHE``, else ``ontonym`` in ``XDG_CACHE_HOME``, else ``~/.cache/ontonym``."""
    if own := os.environ.get("ONTONYM_CACHE"):
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else Path.home() / ".cache") / "ontonym"


@dataclass(slots=True)
class Prepared:
    """The demo's index, opened, and the seconds that each step took; only steps that were needed are there."""

    index: Index
    seconds: dict[str, float] = field(default_factory=dict)


def prepare(folder: Path, *, rebuild: bool = False) -> Prepared:
    """The demo's index in ``folder``, made where it is not there or not current.

    Raises `MissingExtraError` where a package that brings a release is not installed, and `ArtifactError` where the
    folder cannot be written.
    """
    seconds: dict[str, float] = {}
    terminologies = []
    for release in EMBEDDED.values():
        path = folder / f"{release.name}.terminology"
        files = release.files()
        if rebuild or not _is_current(path, files):
            began = time.perf_counter()
            _read(release, files, path)
            seconds[release.name] = time.perf_counter() - began
        terminologies.append(path)
    path = folder / "demo.index"
    began = time.perf_counter()
    index = None if rebuild else _opened(path, terminologies)
    if index is None:
        _build(terminologies, path)
        seconds["index"] = time.perf_counter() - began
        began = time.perf_counter()
        index = open_index(path, terminologies=terminologies)
    seconds["open"] = time.perf_counter() - began
    return Prepared(index, seconds)


def _is_current(path: Path, files: Sequence[Path]) -> bool:
    try:
        manifest = read_manifest(path, "terminology")
    except ArtifactError:
        return False
    made_from = [source["sha256"] for source in manifest.content["metadata"]["sources"]]
    return manifest.ontonym == ontonym.__version__ and made_from == [_sha256(file) for file in files]


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read(release: EmbeddedRelease, files: Sequence[Path], path: Path) -> None:
    from ontonym.ontology.formats import read_release
    from ontonym.ontology.release import ReadOptions
    from ontonym.store import build_terminology

    with Bar(f"reading {release.title}") as bar:
        build_terminology(read_release(files, options=ReadOptions(name=release.name)), path, progress=bar.advance)


def _opened(path: Path, terminologies: Sequence[Path]) -> Index | None:
    try:
        if read_manifest(path, "index").ontonym != ontonym.__version__:
            return None
        return open_index(path, terminologies=terminologies)
    except ArtifactError:
        return None


def _build(terminologies: Sequence[Path], path: Path) -> None:
    from ontonym.index import build_index
    from ontonym.store import open_terminology

    with ExitStack() as stack, Bar("indexing") as bar:
        build_index([stack.enter_context(open_terminology(t)) for t in terminologies], path, progress=bar.stage)
