"""Builds an index over terminologies: names, the files of the three signals, and the fingerprints of its sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from ontonym.artifact import MANIFEST, ArtifactWriter, Manifest, read_manifest, write_artifact
from ontonym.encoder import DEFAULT, is_name, open_encoder
from ontonym.encoder.places import installed
from ontonym.encoder.protocol import Encoder
from ontonym.errors import ArtifactError, InputError
from ontonym.index.added import Journal, find_concept, write_added
from ontonym.index.beside import write_beside
from ontonym.index.known import Known
from ontonym.index.names import IndexOptions, searched_terms, write_names
from ontonym.index.part import IndexPart, write_signals
from ontonym.index.place import noted_place
from ontonym.store import Terminology
from ontonym.types import Advance, Progress

_EVERYTHING = IndexOptions()


def build_index(
    terminologies: Sequence[Terminology],
    path: Path | str,
    *,
    encoder: str | Path = DEFAULT,
    options: IndexOptions = _EVERYTHING,
    overwrite: bool = True,
    progress: Progress | None = None,
    wrap: Callable[[Encoder], Encoder] | None = None,
) -> Manifest:
    """Builds an index of the terminologies' names at ``path``. An index that is there stays usable until the new one is
    complete.

    Terms that users added to the old index are carried over. ``wrap`` gives what encodes in place of the encoder, with
    the same vectors: others may share its work. Raises InputError if there is no name to index, ArtifactError if
    ``path`` holds something other than an index.
    """
    path = Path(path)
    if not terminologies:
        raise InputError("an index needs at least one terminology")
    opened = open_encoder(encoder)
    opened = opened if wrap is None else wrap(opened)
    with write_artifact(path, "index", overwrite=overwrite) as writer:
        fill_index(writer, terminologies, opened, options, Known.nothing(), progress)
        note_places(writer, path, terminologies, encoder)
        carry_added(writer, path, terminologies, opened)
    assert writer.manifest is not None  # noqa: S101 (set when the block ends)
    return writer.manifest


def check_replaced_index(
    path: Path | str, terminologies: Sequence[Terminology], encoder: str | Path | None = DEFAULT
) -> None:
    """ArtifactError where the index at ``path``, a page index without ``encoder``, is of other terminologies, or was
    made with another encoder.
    """
    path = Path(path)
    if not (path / MANIFEST).is_file():
        return
    try:
        made = read_manifest(path, "index" if encoder else "page index").content["identity"]
    except ArtifactError:
        return
    before, now = [one["name"] for one in made["terminologies"]], [one.name for one in terminologies]
    refusal = ""
    if sorted(before) != sorted(now):
        refusal = f"is an index of {', '.join(before)}, not of {', '.join(now)}"
    elif encoder is not None and made["encoder"] != open_encoder(encoder).fingerprint:
        refusal = f"was made with another encoder than {encoder}"
    if refusal:
        raise ArtifactError(f"{path}: {refusal}. Give another place, or `force=` to replace it")


@dataclass(frozen=True, slots=True)
class Filled:
    """Counts of what an index was filled with.

    ``names`` were written, ``encoded`` of them were not copied from an earlier index. ``terms`` counts the names plus
    the terms left out because they repeat a name of their concept or have no word. The words of ``knew`` terms were
    copied. ``dropped`` is the number of name texts of the earlier index that no name has now.
    """

    names: int
    terms: int
    encoded: int
    knew: int
    dropped: int


def fill_index(
    writer: ArtifactWriter,
    terminologies: Sequence[Terminology],
    encoder: Encoder,
    options: IndexOptions,
    known: Known,
    progress: Progress | None = None,
    old: Path | None = None,
) -> Filled:
    """Writes all files of an index and its manifest entries.

    ``known`` and ``old``, the folder of the index that is replaced, save work and do not change the result.
    """
    folder, stage = writer.folder, _Stages(progress)
    total = sum(terminology.term_count for terminology in terminologies)
    names = write_names(folder, searched_terms(terminologies, options), known, stage.begin("reading names", total))
    encoded = write_signals(
        folder,
        names,
        encoder,
        known,
        written=lambda: writer.complete(*(file.name for file in folder.iterdir())),
        progress=stage.begin("meaning", len(names)),
    )
    beside = write_beside(folder, names, terminologies, encoder, options, old if known.vectors(encoder) else None)
    writer.content["identity"] = {
        "terminologies": [
            {"name": terminology.name, "version": terminology.version, "fingerprint": terminology.fingerprint}
            for terminology in terminologies
        ],
        "encoder": encoder.fingerprint,
        "options": asdict(options),
    }
    writer.content["statistics"] = {
        "concepts": sum(map(len, terminologies)),
        "terms": total,
        "names": len(names),
        "words": len(names.vocabulary),
        **beside,
    }
    return Filled(len(names), len(names) + names.repeats, encoded, names.knew, known.count_dropped(names.known))


def note_places(writer: ArtifactWriter, path: Path, terminologies: Sequence[Terminology], encoder: str | Path) -> None:
    """Writes the paths of the terminologies and the encoder into the manifest of the index at ``path``."""
    writer.content["terminologies"] = [noted_place(terminology.path, path) for terminology in terminologies]
    known = installed(encoder)
    writer.content["encoder"] = str(known) if is_name(known) else noted_place(Path(known), path)


def carry_added(writer: ArtifactWriter, path: Path, terminologies: Sequence[Terminology], encoder: Encoder) -> None:
    """Carries the terms that users added to the index at ``path`` over into the index that replaces it."""
    journal = Journal.open(path)
    if journal.entries:
        find = partial(find_concept, terminologies)
        write_added(writer, journal, find, IndexPart(writer.folder), encoder, None)


class _Stages:
    """Reports the progress of several stages to one function."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def begin(self, stage: str, total: int) -> Advance:
        progress, done = self._progress, 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            if progress:
                progress(stage, done, total)

        return advance
