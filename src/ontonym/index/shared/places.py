"""Indexes by their place, be it a folder or the URL of a shared index: what they are, when they change, copies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ontonym.artifact import read_manifest
from ontonym.encoder import DEFAULT
from ontonym.errors import ArtifactError, InputError, OntonymError
from ontonym.index.build import build_index
from ontonym.index.names import IndexOptions
from ontonym.index.open import Index, open_index
from ontonym.index.shared.address import Address, address_of
from ontonym.index.shared.loading import load_index
from ontonym.index.shared.opening import shared_manifest, shared_stamp
from ontonym.index.shared.pulling import pull_index
from ontonym.index.shared.storage import Loaded
from ontonym.manifest import MANIFEST, ArtifactKind, Manifest
from ontonym.store import Terminology, open_terminology
from ontonym.types import Progress

_EVERYTHING = IndexOptions()


def manifest_at(place: Path | str, kind: ArtifactKind | None = None) -> Manifest:
    """The manifest of the artifact at a path, or of the shared index at a URL; see `ontonym.artifact.read_manifest`."""
    address = address_of(place)
    return read_manifest(place, kind) if address is None else shared_manifest(address)


def is_terminology(place: Path | str) -> bool:
    """Whether there is a terminology at a path, and no index; raises ArtifactError where there is something else."""
    kind = manifest_at(place).kind
    if kind not in ("index", "terminology"):
        raise ArtifactError(f"{place}: is of kind {kind}; give an index or a terminology")
    return kind == "terminology"


def stamp_at(place: Path | str) -> tuple[int, int] | None:
    """What differs after every change of the artifact at a path or URL; None if there is none now."""
    address = address_of(place)
    try:
        if address is not None:
            return shared_stamp(address)
        status = (Path(place) / MANIFEST).stat()
    except (OSError, OntonymError):
        return None
    return status.st_ino, status.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Shared:
    """An index that was copied into a database or out of it.

    ``place`` is where it is now, as it may be shown, ``manifest`` its own. ``loaded`` says how loading went; None for a
    copy in a folder.
    """

    place: Path
    manifest: Manifest
    loaded: Loaded | None


def is_index(sources: Sequence[Path | str]) -> bool:
    """Whether the sources are one index: a folder or a URL."""
    if len(sources) != 1:
        return False
    if address_of(sources[0]) is not None:
        return True
    try:
        return read_manifest(sources[0]).kind == "index"
    except ArtifactError:
        return False


def share(
    sources: Sequence[Path | str],
    to: Path | str | None,
    path: Path | str | None = None,
    encoder: str | Path = DEFAULT,
    options: IndexOptions = _EVERYTHING,
    progress: Progress | None = None,
) -> Shared:
    """Brings terminologies or one index into the database at the URL ``to``; ``path`` keeps the index in a folder too.

    Without ``to`` a shared index is copied into the folder ``path``. Raises InputError if it is not said where to, and
    for options of a new index where one is copied.
    """
    target = to if to is not None else path
    if target is None or (to is None and address_of(sources[0]) is None):
        raise InputError(
            f"{sources[0]}: is an index already: search it, or give `to=URL` to share it in a database. For another, "
            "give the terminology that it was made of"
        )
    address = address_of(target)
    if to is not None and address is None:
        raise InputError(
            f"{to}: is no URL of a shared index, postgresql://HOST/DATABASE/NAME or milvus://HOST/DATABASE/NAME"
        )
    if is_index(sources):
        if options != _EVERYTHING:
            raise InputError(
                f"{sources[0]}: is an index, which is copied as it is: leave out which languages, retired or everyday "
                "names are searched, or give terminologies"
            )
        loaded = copy_index(sources[0], target, encoder=None if encoder == DEFAULT else encoder, progress=progress)
    else:
        assert address is not None  # noqa: S101 (for mypy)
        with ExitStack() as stack:
            opened = [stack.enter_context(open_terminology(source)) for source in sources]
            loaded = build_shared(opened, address, path=path, encoder=encoder, options=options, progress=progress)
    return Shared(Path(target) if address is None else address.path, manifest_at(target), loaded)


def build_shared(
    terminologies: Sequence[Terminology],
    address: Address,
    *,
    path: Path | str | None = None,
    encoder: str | Path = DEFAULT,
    options: IndexOptions = _EVERYTHING,
    progress: Progress | None = None,
) -> Loaded:
    """Builds an index over terminologies and makes it the one at an address; ``path`` keeps the folder of it too.

    Given again after it was stopped, it goes on where it stopped. See `build_index` and `load_index`.
    """
    with tempfile.TemporaryDirectory(prefix="ontonym-index-") as made:
        folder = Path(made) / f"{address.index}.index" if path is None else Path(path)
        build_index(terminologies, folder, encoder=encoder, options=options, progress=progress)
        places = [one.path for one in terminologies]
        with open_index(folder, terminologies=places) as index:
            return load_index(index, address, progress)


def copy_index(
    source: Path | str, target: Path | str, *, encoder: Path | str | None = None, progress: Progress | None = None
) -> Loaded | None:
    """Copies an index: from a folder into a database, or from a database into a folder; one of both is a URL."""
    address = address_of(target)
    with open_index(source, encoder=encoder) as index:
        if address is not None:
            with _in_a_folder(index, progress) as local:
                return load_index(local, address, progress)
        pull_index(index, target, progress=progress)
    return None


@contextmanager
def _in_a_folder(index: Index, progress: Progress | None) -> Iterator[Index]:
    """The index itself, or a copy of it if it is in another database."""
    if address_of(index.opened_as.path) is None:
        yield index
        return
    with tempfile.TemporaryDirectory(prefix="ontonym-copy-") as made:
        folder = Path(made) / "copy.index"
        pull_index(index, folder, progress=progress)
        with open_index(folder, encoder=index.opened_as.encoder) as copy:
            yield copy
