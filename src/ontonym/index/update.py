"""Updates an index to a new release: only texts that the index does not have are normalized and encoded.

The result equals that of a full build byte for byte. The old index stays usable until it is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontonym.artifact import ArtifactWriter, read_manifest, write_artifact
from ontonym.encoder import open_encoder
from ontonym.errors import ArtifactError, InputError, MismatchError
from ontonym.index.amend import TUNED
from ontonym.index.build import Filled, carry_added, fill_index, note_places
from ontonym.index.calibration import FILE, carry_calibration
from ontonym.index.earlier import EarlierIndex
from ontonym.index.fuse import carry_fusion
from ontonym.index.names import IndexOptions
from ontonym.index.shared.address import address_of
from ontonym.index.sources import found_place, kept_encoder
from ontonym.manifest import Manifest
from ontonym.store import Terminology, open_terminology
from ontonym.store.successor import is_older
from ontonym.types import Progress

_LEAST_SHARED = 0.1
"""A terminology of another name that shares no more of its names with the one before is no new release of it."""


@dataclass(frozen=True, slots=True)
class Updated:
    """The result of an update.

    The index has ``names`` names, of which ``encoded`` were encoded and the others copied from the earlier index. Of
    its ``terms``, ``read`` were normalized. ``dropped`` name texts are no longer in it. ``calibration`` is ``kept`` or
    ``dropped``, or empty if the index had none. ``doubts`` say of a new terminology that it is an older release than
    the one before, or has another name.
    """

    manifest: Manifest
    names: int
    terms: int
    encoded: int
    read: int
    dropped: int
    calibration: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def copied(self) -> int:
        """The number of names that were copied with their vectors."""
        return self.names - self.encoded


def update_index(
    path: Path | str,
    terminologies: Sequence[Path | str],
    *,
    encoder: Path | str | None = None,
    progress: Progress | None = None,
) -> Updated:
    """Replaces terminologies of the index at ``path`` by new releases of them, with the options it was made with.

    A new release replaces the terminology of the same name; if the index has only one terminology, the name does not
    matter. ``encoder`` gives the encoder's new place, or another encoder: then every name is encoded. Of a
    shared index, ``path`` its URL, the changed one is the next generation.

    Raises ArtifactError if the index or one of its sources is missing, MismatchError if a terminology that is not
    replaced has changed, InputError if a new terminology replaces none, or is another one: of another name, and with
    hardly a name in common.
    """
    path = Path(path)
    address = address_of(path)
    if address is not None:
        from ontonym.index.open import IndexPlace
        from ontonym.index.shared.changing import working_copy

        with working_copy(address, IndexPlace(path), encoder, progress) as folder:
            return update_index(folder, terminologies, encoder=encoder, progress=progress)
    read_manifest(path, "index")
    with write_artifact(path, "index") as writer:
        old = read_manifest(path, "index")  # again, now that nobody else can replace it
        filled = _fill(writer, path, old, terminologies, encoder, progress)
        if encoder is None and filled.names - filled.encoded < _LEAST_SHARED * filled.names:
            _refuse_stranger(path, *(one.content["identity"]["terminologies"] for one in (old, writer)))
        kept = carry_calibration(writer, path, old)
        carry_fusion(writer, path, old)
    calibration = ("kept" if kept else "dropped") if FILE in old.files else ""
    doubts = tuple(_doubts(*(manifest.content["identity"]["terminologies"] for manifest in (old, writer.manifest))))
    return Updated(
        writer.manifest, filled.names, filled.terms, filled.encoded, filled.read, filled.dropped, calibration, doubts
    )


def _refuse_stranger(path: Path, before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> None:
    """Raises InputError if a terminology that shares hardly a name with the one before has another name too."""
    for old, new in zip(before, after, strict=True):
        if old["name"] != new["name"]:
            raise InputError(
                f"{new['name']} has hardly a name in common with {old['name']}, which {path} is of: an update is for a "
                "new release of the same terminology; make an index of another one with `build_index()`"
            )


def _doubts(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What may be a mistake, of the terminologies that an index had and of those that it has in their places."""
    for old, new in zip(before, after, strict=True):
        was, now = (f"{part['name']} {part['version']}".strip() for part in (old, new))
        if old["name"] != new["name"]:
            yield f"{now} took the place of {was}, which has another name"
        elif is_older(new["version"], old["version"]):
            yield f"{now} is older than {was}, which was there before"


def _fill(
    writer: ArtifactWriter,
    path: Path,
    old: Manifest,
    terminologies: Sequence[Path | str],
    encoder: Path | str | None,
    progress: Progress | None,
) -> Filled:
    content = old.content
    if encoder is None:
        encoder = kept_encoder(path, content["encoder"])
    try:
        earlier = EarlierIndex.of(path, content["identity"]["encoder"], content["identity"]["options"]["shards"])
    except (OSError, ValueError, IndexError) as error:
        raise ArtifactError(f"{path}: damaged: {error}; rebuild with `build_index()`") from error
    given = content["identity"]["options"]
    options = IndexOptions(**{**given, "languages": tuple(given["languages"])})
    with _opened(path, content, terminologies) as releases:
        coder = open_encoder(encoder)
        filled = fill_index(writer, releases, coder, options, earlier, progress)
        note_places(writer, path, releases, encoder)
        carry_added(writer, path, releases, coder)
        if TUNED in content:
            writer.content[TUNED] = content[TUNED]
    return filled


@contextmanager
def _opened(path: Path, content: dict[str, Any], terminologies: Sequence[Path | str]) -> Iterator[list[Terminology]]:
    """The terminologies of the updated index, in the order of the old one."""
    expected = content["identity"]["terminologies"]
    if not terminologies:
        raise InputError("an update needs at least one terminology")
    with ExitStack() as stack:
        new = [stack.enter_context(open_terminology(place)) for place in terminologies]
        if len(expected) == len(new) == 1:
            yield new
            return
        names = [part["name"] for part in expected]
        by_name: dict[str, Terminology] = {}
        for terminology in new:
            if names.count(terminology.name) != 1 or terminology.name in by_name:
                raise InputError(
                    f"{terminology.path}: its name {terminology.name!r} must be that of one terminology of the index "
                    f"({', '.join(names)}): import it with `name=NAME`, or rebuild with `build_index()`"
                )
            by_name[terminology.name] = terminology
        releases = []
        for part, place in zip(expected, content["terminologies"], strict=True):
            if part["name"] in by_name:
                releases.append(by_name[part["name"]])
                continue
            try:
                where = found_place(path, place, "terminology")
            except ArtifactError as error:
                raise ArtifactError(
                    f"{path}: its terminology {part['name']} is no longer at {place['absolute']}: give it to the "
                    "update too"
                ) from error
            kept = stack.enter_context(open_terminology(where))
            if kept.fingerprint != part["fingerprint"]:
                raise MismatchError(f"{where} is no longer what {path} was made from: give it to the update too")
            releases.append(kept)
        yield releases
