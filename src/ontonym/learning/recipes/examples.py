"""Training examples: rows of texts that belong together, and the PAIRS folder that keeps them.

A folder has the texts, what is known of each (concept, meaning, spelling), and one table of rows for each split. The
columns of a table are the places of anchor and positive, and of a negative where the recipe gives one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.arrays import Ints32
from ontonym.artifact import open_artifact, write_artifact
from ontonym.errors import ArtifactError, InputError
from ontonym.files.output import tsv_line, written_file
from ontonym.learning.recipes.split import SPLITS, Split
from ontonym.manifest import Manifest
from ontonym.ragged import boundaries
from ontonym.store.columns import StringColumn, StringWriter, load_numbers, save_numbers
from ontonym.store.hierarchy import Edges
from ontonym.text.bulk import normalized_hashes
from ontonym.text.strings import Strings

_MOST_NAMESAKES = 8
"""A name that more meanings than this share ("syndrome", "II") is ignored when meanings are compared."""


TSV_COLUMNS = ("split", "anchor", "positive", "negative", "anchor_id", "positive_id", "negative_id")
"""The columns of examples as TSV; those of negatives are there where the recipe gives negatives."""

_TSV_BLOCK = 1 << 15
_NO_TSV = frozenset({".csv", ".json", ".jsonl", ".parquet", ".xlsx"})


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of some examples, and which of them mean the same.

    By text: ``concepts`` is its concept, ``meanings`` the set of linked concepts it belongs to, and ``spellings`` its
    folded form, each as a number. Two texts with the same meaning or spelling are never negatives of each other.
    """

    texts: Strings
    concepts: Ints32
    meanings: Ints32
    spellings: Ints32

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def namesakes(self) -> Edges:
        """For each meaning the meanings with which it shares a name, regardless of word order and repeats.

        Terminologies that are not linked have much in common; shared names are never taken as negatives.
        """
        forms = np.unique(normalized_hashes(self.texts), return_inverse=True)[1].astype(np.int64)
        pairs = np.unique(forms << 32 | self.meanings)
        forms, meanings = pairs >> 32, pairs & 0xFFFFFFFF
        counts = np.bincount(forms)
        bounds = boundaries(counts)
        ours, theirs = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for size in range(2, _MOST_NAMESAKES + 1):
            starts = bounds[:-1][counts == size]
            members = meanings[starts[:, None] + np.arange(size)]
            for shift in range(1, size):
                ours.append(members.ravel())
                theirs.append(np.roll(members, shift, axis=1).ravel())
        return Edges.of_pairs(np.concatenate(ours), np.concatenate(theirs), int(self.meanings.max(initial=-1)) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The training data of an encoder: the texts, and a table of examples for each split.

    ``described`` goes into the manifest: recipe, options, sources, counts.
    """

    texts: Texts
    tables: Mapping[Split, Ints32]
    described: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for split, table in self.tables.items():
            if table.ndim != 2 or table.shape[1] not in (2, 3):
                raise ValueError(f"{split}: a table of examples has 2 or 3 columns, not the shape {table.shape}")
            if table.size and not 0 <= int(table.min()) <= int(table.max()) < len(self.texts):
                raise ValueError(f"{split}: a table of examples points outside the {len(self.texts)} texts")

    def __repr__(self) -> str:
        sizes = ", ".join(f"{number:,} {split}" for split, number in self.counts().items())
        return f"<Examples of {self.described.get('recipe', 'no recipe')}: {sizes}>"

    def table(self, split: Split) -> Ints32:
        """The examples of a split, empty where there are none."""
        return self.tables.get(split, np.zeros((0, 2), dtype=np.int32))

    def counts(self) -> dict[str, int]:
        """The number of examples of each split."""
        return {split: len(self.table(split)) for split in SPLITS}


def save_examples(path: Path, examples: Examples) -> Manifest:
    """Writes a PAIRS folder, with only the texts that occur in an example.

    Raises InputError if there is no training example.
    """
    if not len(examples.table("train")):
        raise InputError(
            "the recipe gives no training example from these terminologies: it needs concepts with what it pairs "
            "(see the recipes), in the wanted languages"
        )
    with write_artifact(path, "pairs") as writer:
        seen = np.zeros(len(examples.texts), dtype=np.bool_)
        for split in SPLITS:
            seen[examples.table(split).ravel()] = True
        used = np.flatnonzero(seen)
        places = np.full(len(examples.texts), -1, dtype=np.int32)
        places[used] = np.arange(len(used), dtype=np.int32)
        with StringWriter(writer.folder, "text") as column:
            column.extend(examples.texts.texts.take(used.astype(np.int64)))
        for name in ("concepts", "meanings", "spellings"):
            save_numbers(writer.folder, name, getattr(examples.texts, name)[used])
        for split in SPLITS:
            save_numbers(writer.folder, split, places[examples.table(split)])
        writer.content.update(
            {
                "identity": {"recipe": examples.described.get("recipe", "")},
                **examples.described,
                "examples": examples.counts(),
                "texts": len(used),
            }
        )
    return writer.manifest


def open_examples(path: Path | str) -> Examples:
    """Opens a PAIRS folder, memory-mapped; raises ArtifactError if it is damaged or holds something else."""
    return open_artifact(Path(path), "pairs", _load)


def _load(path: Path, manifest: Manifest) -> Examples:
    try:
        column = StringColumn.open(path, "text")
        numbers = (load_numbers(path, name) for name in ("concepts", "meanings", "spellings"))
        texts = Texts(column.strings(), *numbers)
        if any(numbers.shape != (len(column),) for numbers in (texts.concepts, texts.meanings, texts.spellings)):
            raise ValueError("the columns of the texts are of different lengths")
        return Examples(texts, {split: load_numbers(path, split) for split in SPLITS}, dict(manifest.content))
    except (OSError, ValueError, IndexError) as error:
        raise ArtifactError(f"{path}: damaged: {error}; make it again with `pairs()`") from error


def check_tsv_name(path: Path | str) -> None:
    """Raises InputError where a file of readable examples is called as something that is no TSV."""
    ending = Path(path).suffix.lower()
    if ending in _NO_TSV:
        raise InputError(f"{path}: examples are written as TSV: give a name that ends in .tsv, not in {ending}")


def write_examples_tsv(path: Path | str, examples: Examples, ids: Strings) -> int:
    """Writes the examples as readable TSV and gives their number; ``ids`` are those of the concepts.

    Raises InputError where the file cannot be written.
    """
    columns = max(examples.table(split).shape[1] for split in SPLITS)
    texts, concepts = examples.texts.texts, examples.texts.concepts
    header = [name for name in TSV_COLUMNS if columns == 3 or "negative" not in name]
    count = 0
    with written_file(path) as stream:
        stream.write((tsv_line(header) + "\n").encode())
        for split in SPLITS:
            table = examples.table(split)
            count += len(table)
            for start in range(0, len(table), _TSV_BLOCK):
                block = table[start : start + _TSV_BLOCK].astype(np.int64)
                cells = [texts.take(column).tolist() for column in block.T]
                cells += [ids.take(concepts[column].astype(np.int64)).tolist() for column in block.T]
                lines = [tsv_line((split, *row)) for row in zip(*cells, strict=True)]
                stream.write(("\n".join(lines) + "\n").encode())
    return count
