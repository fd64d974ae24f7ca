"""The part of an index with names beside the terminologies' own: everyday and shortened ones, made when it is built."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from ontonym.encoder.protocol import Encoder
from ontonym.index.everyday import everyday_terms
from ontonym.index.extra import write_extra
from ontonym.index.names import IndexOptions
from ontonym.index.newnames import NewNames
from ontonym.index.shards import whole_part
from ontonym.index.shortened import shortened_names
from ontonym.store import Terminology

PART = "everyday"
"""The name of the part's folder inside an index."""


def write_beside(
    folder: Path,
    names: NewNames,
    terminologies: Sequence[Terminology],
    encoder: Encoder,
    options: IndexOptions,
    old: Path | None,
) -> dict[str, int]:
    """Writes the part of the index that is being written in ``folder``, with these ``names``; its numbers of names.

    ``old`` is the folder of an earlier index, or None. Without English names, or if ``options`` say so, there is none.
    """
    counts = {"everyday": 0, "shortened": 0}
    if options.languages and "en" not in options.languages:
        return counts
    ontology = whole_part(folder, options.shards)
    firsts = [0, *accumulate(map(len, terminologies))][:-1]
    shortened = shortened_names(ontology, names, terminologies)
    everyday = everyday_terms(ontology, firsts, shortened.concepts) if options.everyday else {}
    held = [(concept, [*shortened.terms.get(concept, ()), *everyday.get(concept, ())])
            for concept in sorted({*shortened.terms, *everyday})]  # fmt: skip
    if held:
        write_extra(folder / PART, held, ontology, encoder, old / PART if old else None)
    for name, found in (("everyday", everyday), ("shortened", shortened.terms)):
        counts[name] = sum(map(len, found.values()))
    return counts
