"""Builds an index over terminologies: names, the files of the three signals, and the fingerprints of its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ontonym.artifact import ArtifactWriter, read_manifest, write_artifact
from ontonym.encoder import DEFAULT, is_name, open_encoder
from ontonym.encoder.places import installed
from ontonym.encoder.protocol import Encoder
from ontonym.errors import ArtifactError, InputError
from ontonym.index.added import Journal, find_concept, write_added
from ontonym.index.earlier import EarlierIndex
from ontonym.index.everyday import SOURCE as SAID
from ontonym.index.everyday import everyday_terms
from ontonym.index.extra import EVERYDAY, ExtraTerms, write_extra
from ontonym.index.handle import first_concepts
from ontonym.index.memory import for_sorting
from ontonym.index.names import IndexOptions
from ontonym.index.newnames import NewNames, SearchedTerms, searched_terms, write_names, written_names
from ontonym.index.shards import MOST as MOST_SHARDS
from ontonym.index.shards import shards_of, whole_part
from ontonym.index.shortened import SOURCE as SHORTENED
from ontonym.index.shortened import shortened_names
from ontonym.index.signalfiles import Shares, write_signals
from ontonym.index.sources import noted_place
from ontonym.jsonbytes import json_bytes
from ontonym.manifest import FORMAT_VERSIONS, MANIFEST, Manifest, ontonym_version
from ontonym.store import Terminology
from ontonym.text.strings import Strings
from ontonym.types import KINDS, SCOPES, Advance, Progress, staged

_EVERYTHING = IndexOptions()
_NAMES = "names"


def build_index(
    terminologies: Sequence[Terminology],
    path: Path | str,
    *,
    encoder: str | Path = DEFAULT,
    options: IndexOptions = _EVERYTHING,
    overwrite: bool = True,
    progress: Progress | None = None,
    wrap: Callable[[Encoder], Encoder] | None = None,
    memory: int | None = None,
) -> Manifest:
    """Builds an index of the terminologies' names at ``path``. An index that is there stays usable until the new one is
    complete.

    Terms that users added to the old index are carried over. ``wrap`` gives what encodes in place of the encoder, with
    the same vectors: others may share its work. ``memory`` is how many bytes of it to take at most, mapped files not
    counted; half of the machine's if None. After ``kill -9`` the same call goes on where it was. Raises InputError if
    there is no name to index or ``memory`` is too little, ArtifactError if ``path`` holds something else.
    """
    path = Path(path)
    if not terminologies:
        raise InputError("an index needs at least one terminology")
    opened = open_encoder(encoder)
    opened = opened if wrap is None else wrap(opened)
    if not 1 <= options.shards <= MOST_SHARDS:
        raise InputError(f"{options.shards} shards: 1 to {MOST_SHARDS} are possible")
    key = _key(terminologies, opened, options)
    with write_artifact(path, "index", overwrite=overwrite, resume=key) as writer:
        fill_index(writer, terminologies, opened, options, EarlierIndex.nothing(), progress, memory=memory)
        note_places(writer, path, terminologies, encoder)
        carry_added(writer, path, terminologies, opened)
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
    the terms left out because they repeat a name of their concept or have no word. The words of ``read`` terms were
    read, those of the others copied. ``dropped`` is the number of name texts of the earlier index that no name has now.
    """

    names: int
    terms: int
    encoded: int
    read: int
    dropped: int


def fill_index(
    writer: ArtifactWriter,
    terminologies: Sequence[Terminology],
    encoder: Encoder,
    options: IndexOptions,
    earlier: EarlierIndex,
    progress: Progress | None = None,
    *,
    memory: int | None = None,
) -> Filled:
    """Writes all files of an index and its manifest entries.

    ``earlier``, the index that is replaced, saves work and does not change the result. ``memory`` is as in
    `build_index`.
    """
    folder = writer.folder
    total = sum(terminology.term_count for terminology in terminologies)
    sorting = for_sorting(total, memory)
    names = _names(writer, searched_terms(terminologies, options), earlier, staged(progress, "reading names", total))
    shares = None if options.shards == 1 else Shares(shards_of(terminologies, options.shards), options.shards)
    encoded = write_signals(
        folder,
        names,
        encoder,
        earlier,
        shares=shares,
        writer=writer,
        progress=staged(progress, "meaning", len(names)),
        memory=sorting,
    )
    further = _write_everyday(folder, names, terminologies, encoder, options, earlier)
    writer.content["identity"] = {
        "terminologies": [terminology.release for terminology in terminologies],
        "encoder": encoder.fingerprint,
        "options": asdict(options),
    }
    writer.content["statistics"] = {
        "concepts": sum(map(len, terminologies)),
        "terms": total,
        "names": len(names),
        "words": len(names.vocabulary),
        **further,
    }
    dropped = earlier.count_dropped(names.earlier_rows)
    return Filled(len(names), len(names) + names.repeats, encoded, names.read, dropped)


def _write_everyday(
    folder: Path,
    names: NewNames,
    terminologies: Sequence[Terminology],
    encoder: Encoder,
    options: IndexOptions,
    earlier: EarlierIndex,
) -> dict[str, int]:
    """Writes the part with everyday and shortened names of the index in ``folder``, which has these ``names``; returns
    how many there are of each.

    Without English names there is no such part.
    """
    if options.languages and "en" not in options.languages:
        return {"everyday": 0, "shortened": 0}
    ontology = whole_part(folder, options.shards)
    old = None if earlier.folder is None else earlier.folder / EVERYDAY
    reused = old if old and earlier.vectors(encoder) and old.is_dir() else None
    shortened = shortened_names(ontology, names, terminologies, earlier)
    concepts, texts = [shortened.concepts], [shortened.texts]
    is_near = [np.zeros(len(shortened.concepts), dtype=np.bool_)]
    if options.everyday:
        everyday = everyday_terms(ontology, first_concepts(terminologies), shortened, reused)
        concepts.append(everyday.concepts)
        texts.append(everyday.texts)
        is_near.append(everyday.is_near)
    every = np.concatenate(concepts)
    order = np.argsort(every, kind="stable")
    is_said = order >= len(shortened.concepts)
    if len(order):
        terms = ExtraTerms(
            every[order],
            Strings.joined(texts).take(order),
            Strings.of((SHORTENED, SAID)).take(is_said.astype(np.int64)),
            np.zeros(len(order), dtype=np.int64),
            np.where(is_said, KINDS.index("lay"), KINDS.index("synonym")).astype(np.uint8),
            np.where(np.concatenate(is_near)[order], SCOPES.index("related"), SCOPES.index("exact")).astype(np.uint8),
        )
        write_extra(folder / EVERYDAY, terms, ontology, encoder, reused)
        if options.everyday:
            everyday.save_forms(folder / EVERYDAY)
    shortened.placed(np.argsort(order)[: len(shortened.concepts)]).save(folder)
    return {"everyday": int(np.count_nonzero(is_said)), "shortened": len(shortened.concepts)}


def _key(terminologies: Sequence[Terminology], encoder: Encoder, options: IndexOptions) -> str:
    """What stands for all that an index is made from."""
    made = [FORMAT_VERSIONS["index"], ontonym_version(), encoder.fingerprint, asdict(options)]
    made += [[terminology.name, terminology.fingerprint] for terminology in terminologies]
    return hashlib.sha256(json_bytes(made)).hexdigest()


def _names(writer: ArtifactWriter, found: SearchedTerms, earlier: EarlierIndex, progress: Advance) -> NewNames:
    """The names, as a killed writer wrote them or written now."""
    folder = writer.folder
    if writer.notes.done(_NAMES):
        progress(len(found.terms))
        return written_names(folder, found)
    names = write_names(folder, found, earlier, progress)
    writer.notes.note(_NAMES, len(names), [file for file in folder.iterdir() if file.is_file()])
    return names


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
        ontology = whole_part(writer.folder, writer.content["identity"]["options"]["shards"])
        write_added(writer, journal, find, ontology, encoder, None)
