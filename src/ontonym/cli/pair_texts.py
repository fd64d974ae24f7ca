"""The TSV of examples that ``ontonym pairs`` writes."""

from __future__ import annotations

import numpy as np

from ontonym.cli.shapes import tsv_line
from ontonym.files.output import written_file
from ontonym.learning.recipes import Examples
from ontonym.learning.recipes.split import SPLITS
from ontonym.text.strings import Strings

COLUMNS = ("split", "anchor", "positive", "negative", "anchor_id", "positive_id", "negative_id")
"""The columns of examples as TSV; those of negatives are there where the recipe gives negatives."""

_BLOCK = 1 << 15


def write_tsv(path: str, examples: Examples, ids: Strings) -> int:
    """Writes the examples as readable TSV and gives their number; ``ids`` are those of the concepts.

    Raises InputError where the file cannot be written.
    """
    columns = max(examples.table(split).shape[1] for split in SPLITS)
    texts, concepts = examples.texts.texts, examples.texts.concepts
    header = [name for name in COLUMNS if columns == 3 or "negative" not in name]
    count = 0
    with written_file(path) as stream:
        stream.write((tsv_line(header) + "\n").encode())
        for split in SPLITS:
            table = examples.table(split)
            count += len(table)
            for start in range(0, len(table), _BLOCK):
                block = table[start : start + _BLOCK].astype(np.int64)
                cells = [texts.take(column).tolist() for column in block.T]
                cells += [ids.take(concepts[column].astype(np.int64)).tolist() for column in block.T]
                lines = [tsv_line((split, *row)) for row in zip(*cells, strict=True)]
                stream.write(("\n".join(lines) + "\n").encode())
    return count
