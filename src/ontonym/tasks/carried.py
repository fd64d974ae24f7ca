"""An index that a saved pipeline carries with it: copied into the pipeline's folder, or noted by its place."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from ontonym.errors import ArtifactError
from ontonym.index import Index, open_index
from ontonym.index.place import found_place, noted_place

NOTE = "index.json"
COPY = "copy"


@dataclass(frozen=True, slots=True)
class Places:
    """Where an index lies, and its terminologies and its encoder where they are not where the index says."""

    index: Path
    terminologies: tuple[Path, ...] = ()
    encoder: Path | None = None

    def open(self) -> Index:
        """The index; raises ArtifactError where there is none, or no whole one."""
        return open_index(self.index, terminologies=self.terminologies or None, encoder=self.encoder)

    def resolved(self) -> Places:
        """The same places, from whatever folder they are looked for."""
        terminologies = tuple(terminology.resolve() for terminology in self.terminologies)
        return Places(self.index.resolve(), terminologies, self.encoder and self.encoder.resolve())


@dataclass(frozen=True, slots=True)
class Note:
    """Which index belongs to a saved pipeline.

    ``configured`` is the path in the pipeline's config. ``relative`` leads from the pipeline's folder to the index, and
    is empty where the pipeline has no folder. ``copied`` is how many terminologies were copied with the index, 0 where
    it was not copied; ``encoder`` says whether an encoder was copied too, which one that comes with the package is not.
    """

    configured: str
    absolute: str
    relative: str = ""
    copied: int = 0
    encoder: bool = False

    def to_bytes(self) -> bytes:
        """The note as JSON."""
        return orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2)

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> Note:
        """The note in JSON; ArtifactError names ``where`` it was read."""
        try:
            return cls(**orjson.loads(data))
        except (orjson.JSONDecodeError, TypeError) as error:
            raise ArtifactError(f"{where}: damaged ({error}): save the pipeline again") from None


def save(index: Index, places: Places, configured: str, folder: Path, *, copy: bool) -> None:
    """Notes the index in ``folder``, which is beside the pipeline's other parts, and copies it there if asked to."""
    folder.mkdir(parents=True, exist_ok=True)
    place = noted_place(places.index, folder)
    terminologies = tuple(terminology.path for terminology in index.terminologies) if copy else ()
    encoder = _encoder(index, places) if copy else None
    if copy and places.index.resolve() != (folder / COPY / "index").resolve():
        _copy(Places(places.index, terminologies, encoder), folder / COPY)
    note = Note(configured, place["absolute"], place["relative"], len(terminologies), encoder is not None)
    (folder / NOTE).write_bytes(note.to_bytes())


def load(configured: str, folder: Path) -> Places | None:
    """Where the index noted in ``folder`` is now; None where none was noted, or the config now names another.

    Raises ArtifactError where it was noted and is nowhere.
    """
    file = folder / NOTE
    if not file.exists():
        return None
    note = Note.from_bytes(file.read_bytes(), str(file))
    if note.copied and note.configured == configured:
        copy = folder / COPY
        terminologies = tuple(copy / f"terminology.{number}" for number in range(note.copied))
        return Places(copy / "index", terminologies, copy / "encoder" if note.encoder else None)
    return _noted(note, configured, (folder.resolve().parent / note.relative,))


def recall(configured: str, data: bytes) -> Places | None:
    """Like `load`, from the bytes of a note."""
    return _noted(Note.from_bytes(data, "the bytes of the pipeline"), configured, ())


def _noted(note: Note, configured: str, beside: tuple[Path, ...]) -> Places | None:
    if note.configured != configured:
        return None
    for place in (*beside, Path(note.absolute), Path(configured)):
        if place.exists():
            return Places(place)
    raise ArtifactError(
        f"{note.absolute}: the index of this pipeline is no longer there: give its new place as the component's "
        "`index`, or make it again with `build_index()`"
    )


def _encoder(index: Index, places: Places) -> Path | None:
    """The folder of the index's encoder, or None where it comes with the package."""
    kept = index.manifest.content["encoder"]
    if places.encoder is not None or isinstance(kept, str):
        return places.encoder
    return found_place(index.path, kept, "encoder")


def _copy(places: Places, target: Path) -> None:
    """Copies all parts beside ``target``, then puts them in its place together."""
    staging = target.with_name(f"{target.name}.new")
    shutil.rmtree(staging, ignore_errors=True)
    shutil.copytree(places.index, staging / "index")
    for number, terminology in enumerate(places.terminologies):
        shutil.copytree(terminology, staging / f"terminology.{number}")
    if places.encoder is not None:
        shutil.copytree(places.encoder, staging / "encoder")
    if target.exists():
        shutil.rmtree(target)
    staging.rename(target)
