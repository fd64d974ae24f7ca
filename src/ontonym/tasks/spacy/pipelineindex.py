"""The index of a saved pipeline: copied into the pipeline's folder, or recorded by its path."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from ontonym.errors import ArtifactError
from ontonym.index.open import Index, IndexPlace
from ontonym.index.sources import found_place, noted_place
from ontonym.jsonbytes import json_bytes

NOTE = "index.json"
COPY = "copy"


@dataclass(frozen=True, slots=True)
class Note:
    """A record of the index that belongs to a saved pipeline.

    ``configured`` is the path in the pipeline's config. ``relative`` leads from the pipeline's folder to the index; it
    is empty if the pipeline has no folder. ``copied`` is the number of terminologies copied with the index, 0 if it was
    not copied. ``encoder`` says whether an encoder was copied too; one that comes with the package is not.
    """

    configured: str
    absolute: str
    relative: str = ""
    copied: int = 0
    encoder: bool = False

    def to_bytes(self) -> bytes:
        """The note as JSON."""
        return json_bytes(asdict(self), option=orjson.OPT_INDENT_2)

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Note:
        """Reads the note from JSON; the ArtifactError for a damaged one names ``where`` it was."""
        try:
            return cls(**orjson.loads(data))
        except (orjson.JSONDecodeError, TypeError) as error:
            raise ArtifactError(f"{where}: damaged ({error}): save the pipeline again") from None


def save(index: Index, place: IndexPlace, configured: str, folder: Path, *, copy: bool) -> None:
    """Records the index in ``folder``, beside the pipeline's other parts; with ``copy``, copies it there."""
    folder.mkdir(parents=True, exist_ok=True)
    noted = noted_place(place.path, folder)
    terminologies = tuple(terminology.path for terminology in index.terminologies) if copy else ()
    encoder = _encoder(index, place) if copy else None
    if copy and place.path.resolve() != (folder / COPY / "index").resolve():
        _copy(IndexPlace(place.path, terminologies, encoder), folder / COPY)
    note = Note(configured, noted["absolute"], noted["relative"], len(terminologies), encoder is not None)
    (folder / NOTE).write_bytes(note.to_bytes())


def load(configured: str, folder: Path) -> IndexPlace | None:
    """Where the index recorded in ``folder`` is now; None if none was recorded or the config now names another.

    Raises ArtifactError if the recorded index is gone.
    """
    file = folder / NOTE
    if not file.exists():
        return None
    note = Note.from_bytes(file.read_bytes(), str(file))
    if note.copied and note.configured == configured:
        copy = folder / COPY
        terminologies = tuple(copy / f"terminology.{number}" for number in range(note.copied))
        return IndexPlace(copy / "index", terminologies, copy / "encoder" if note.encoder else None)
    return _noted(note, configured, (folder.resolve().parent / note.relative,))


def recall(configured: str, data: bytes) -> IndexPlace | None:
    """Where the index of a note is now, from the note's bytes; see `load`."""
    return _noted(Note.from_bytes(data, "the bytes of the pipeline"), configured, ())


def _noted(note: Note, configured: str, beside: tuple[Path, ...]) -> IndexPlace | None:
    if note.configured != configured:
        return None
    for place in (*beside, Path(note.absolute), Path(configured)):
        if place.exists():
            return IndexPlace(place)
    raise ArtifactError(
        f"{note.absolute}: the index of this pipeline is no longer there: give its new place as the component's "
        "`index`, or make it again with `build_index()`"
    )


def _encoder(index: Index, place: IndexPlace) -> Path | None:
    """The folder of the index's encoder, or None if the encoder comes with the package."""
    if place.encoder is not None:
        return Path(place.encoder)
    kept = index.manifest.content["encoder"]
    return None if isinstance(kept, str) else found_place(index.path, kept, "encoder")


def _copy(place: IndexPlace, target: Path) -> None:
    """Copies all parts to a folder beside ``target``, which then replaces ``target``."""
    staging = target.with_name(f"{target.name}.new")
    shutil.rmtree(staging, ignore_errors=True)
    shutil.copytree(place.path, staging / "index")
    for number, terminology in enumerate(place.terminologies):
        shutil.copytree(terminology, staging / f"terminology.{number}")
    if place.encoder is not None:
        shutil.copytree(place.encoder, staging / "encoder")
    if target.exists():
        shutil.rmtree(target)
    staging.rename(target)
