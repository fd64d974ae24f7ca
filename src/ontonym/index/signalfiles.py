"""Writes the files of every signal on the names of a part of an index, whole or in shards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Rows32
from ontonym.artifact import ArtifactWriter
from ontonym.encoder.protocol import Encoder
from ontonym.index.char import write_char, write_name_lengths
from ontonym.index.dense import StepNotes, write_dense
from ontonym.index.earlier import EarlierIndex
from ontonym.index.inverted import Postings, Times, invert
from ontonym.index.names import Names, write_idf
from ontonym.index.newnames import NewNames
from ontonym.index.part import IndexPart
from ontonym.index.shards import ROWS, shard_folder
from ontonym.store.columns import save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.types import Advance


@dataclass(frozen=True, slots=True)
class Shares:
    """How the names of an index are shared out: ``shard`` is that of each concept, ``count`` is how many there are."""

    shard: npt.NDArray[np.uint8]
    count: int


def write_signals(
    folder: Path,
    names: NewNames,
    encoder: Encoder,
    earlier: EarlierIndex,
    *,
    ontology: IndexPart | None = None,
    shares: Shares | None = None,
    writer: ArtifactWriter | None = None,
    progress: Advance | None = None,
    memory: int | None = None,
) -> int:
    """Writes the files of every signal on ``names``; returns the number of names that were encoded.

    The rarity of words is that in ``ontology``, if given. With ``shares`` the large files are in shards. ``writer`` is
    told what is done, so that a build that was killed goes on there. ``memory`` is how many bytes sorting may take.
    """
    parts: list[tuple[Path, NewNames, Rows32 | None]] = [(folder, names, None)]
    if shares is not None:
        shard = shares.shard[names.concepts]
        held = [np.flatnonzero(shard == number).astype(np.uint32) for number in range(shares.count)]
        parts = [(shard_folder(folder, number), names.some(folder, rows), rows) for number, rows in enumerate(held)]
    encoded = 0
    for place, some, rows in parts:
        place.mkdir(parents=True, exist_ok=True)
        numbers = np.arange(len(names), dtype=np.uint32) if rows is None else rows
        if rows is not None:
            save_numbers(place, ROWS, rows)
        HashLookup.build(place, "form", some.forms, numbers)
        step = f"vectors {place.name}" if rows is not None else "vectors"
        notes = None if writer is None else StepNotes(writer.notes, step)
        encoded += write_dense(place, some, encoder, earlier.vectors(encoder), progress, notes)
    if writer is not None:
        writer.complete(*(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()))
    mean = float(np.diff(names.word_bounds).mean())
    lists: list[tuple[Postings, Times]] = []
    most = np.empty(len(names), dtype=np.float32)
    for place, some, rows in parts:
        size = len(names.vocabulary)
        lists.append(invert(place, some.words, some.word_bounds, size, mean_length=mean, numbers=rows))
        most[slice(None) if rows is None else rows] = lists[-1][0].most
    save_numbers(folder, "name_worth", most)
    counts = np.sum([np.diff(postings.bounds) for postings, _ in lists], axis=0)
    if ontology is None:
        write_idf(folder, counts, len(names))
        squares = write_char(folder, names.vocabulary, counts, len(names), memory=memory)
    else:
        save_numbers(folder, "word_idf", _idf(ontology.names, names.vocabulary.tolist()))
        squares = write_char(folder, names.vocabulary, counts, len(names), rarity=ontology.char.rarity)
    write_name_lengths(folder, squares, lists, len(names))
    return encoded


def _idf(names: Names, words: Sequence[str]) -> Floats:
    numbers = names.word_ids(words)
    found = [names.unseen_idf if number is None else float(names.idf[number]) for number in numbers]
    return np.array(found, dtype=np.float32)
