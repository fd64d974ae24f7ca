"""Writes the files of every signal on the names of a part of an index, whole or in shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Rows32
from ontonym.artifact import ArtifactWriter
from ontonym.encoder.protocol import Encoder
from ontonym.index.char import write_char, write_name_lengths
from ontonym.index.dense import StepNotes, write_dense
from ontonym.index.earlier import EarlierIndex
from ontonym.index.inverted import NAME_WORTH, Postings, Times, invert
from ontonym.index.names import write_idf
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
    parts = [_Part(folder, names)] if shares is None else list(_shards(folder, names, shares))
    encoded = sum(_write_vectors(part, encoder, earlier, writer, progress) for part in parts)
    if writer is not None:
        writer.complete(*(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()))
    lists = _write_lists(folder, names, parts)
    counts = np.sum([np.diff(postings.bounds) for postings, _ in lists], axis=0)
    if ontology is None:
        write_idf(folder, counts, len(names))
        squares = write_char(folder, names.vocabulary, counts, len(names), memory=memory)
    else:
        save_numbers(folder, "word_idf", ontology.names.idf_of(names.vocabulary))
        squares = write_char(folder, names.vocabulary, counts, len(names), rarity=ontology.char.rarity)
    write_name_lengths(folder, squares, lists, len(names))
    return encoded


class _Part(NamedTuple):
    """Names whose large files are in one folder; ``rows`` are those of a shard in the whole index, None for all."""

    folder: Path
    names: NewNames
    rows: Rows32 | None = None


def _shards(folder: Path, names: NewNames, shares: Shares) -> Iterator[_Part]:
    shard = shares.shard[names.concepts]
    for number in range(shares.count):
        rows = np.flatnonzero(shard == number).astype(np.uint32)
        yield _Part(shard_folder(folder, number), names.some(folder, rows), rows)


def _write_vectors(
    part: _Part, encoder: Encoder, earlier: EarlierIndex, writer: ArtifactWriter | None, progress: Advance | None
) -> int:
    """Writes the vectors of a part, and what finds its names by their words; returns how many names were encoded."""
    part.folder.mkdir(parents=True, exist_ok=True)
    if part.rows is None:
        rows, step = np.arange(len(part.names), dtype=np.uint32), "vectors"
    else:
        rows, step = part.rows, f"vectors {part.folder.name}"
        save_numbers(part.folder, ROWS, rows)
    HashLookup.build(part.folder, "form", part.names.forms, rows)
    notes = None if writer is None else StepNotes(writer.notes, step)
    return write_dense(part.folder, part.names, encoder, earlier.vectors(encoder), progress, notes)


def _write_lists(folder: Path, names: NewNames, parts: Sequence[_Part]) -> list[tuple[Postings, Times]]:
    """Writes the inverted lists of all parts, and into ``folder`` the highest term weight of each name."""
    mean = float(np.diff(names.word_bounds).mean())
    lists: list[tuple[Postings, Times]] = []
    most = np.empty(len(names), dtype=np.float32)
    for part in parts:
        words, bounds, size = part.names.words, part.names.word_bounds, len(names.vocabulary)
        lists.append(invert(part.folder, words, bounds, size, mean_length=mean, numbers=part.rows))
        most[slice(None) if part.rows is None else part.rows] = lists[-1][0].most
    save_numbers(folder, NAME_WORTH, most)
    return lists
