"""Names that an index searches beside the terminologies' own: a user's added terms, everyday and shortened names.

They are a part of the index with its own signals; the rarity of words is that among the terminologies' names.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Ints
from ontonym.encoder.protocol import Encoder
from ontonym.index.earlier import EarlierIndex
from ontonym.index.newnames import SearchedTerms, write_names
from ontonym.index.part import IndexPart
from ontonym.index.signalfiles import write_signals
from ontonym.store.columns import StringColumn, StringWriter, load_numbers, save_numbers
from ontonym.text.strings import Strings
from ontonym.types import KINDS, SCOPES, Term

EVERYDAY, ADDED, NIL_TEXTS = "everyday", "added", "nil"
"""The folders of the parts with extra names inside an index: everyday and shortened names, made when it is built; terms
that users added; and texts that users added as those of no concept.
"""


class ExtraTerms(NamedTuple):
    """Names in columns, by concept ascending: the concept's number, the text, the source, how many ``times`` it was
    added (0: not by a user), and the kind and the scope, as positions in ``types.KINDS`` and ``types.SCOPES``.
    """

    concepts: Ints
    texts: Strings
    sources: Strings
    times: Ints
    kinds: npt.NDArray[np.uint8]
    scopes: npt.NDArray[np.uint8]


class ExtraNames:
    """The searched part of the extra names, with the source of each."""

    def __init__(self, folder: Path, rarity_among: int) -> None:
        counts = load_numbers(folder, "name_count", np.uint32)
        self.part = IndexPart(folder, rarity_among=rarity_among, counts=counts)
        self._texts = StringColumn.open(folder, "term", len(counts))
        self._sources = StringColumn.open(folder, "source", len(counts))
        if len(self.part.names) > len(counts):
            raise ValueError(f"{folder.name} has more names than terms")

    def __len__(self) -> int:
        return len(self.part.names)

    @classmethod
    def open(cls, folder: Path, rarity_among: int) -> ExtraNames | None:
        """Opens the part in a folder of an index; None if the index has none."""
        return cls(folder, rarity_among) if folder.is_dir() else None

    def term(self, row: int) -> Term:
        """The term of a name row of the part."""
        names = self.part.names
        place = int(names.terms[row])
        kind, scope = KINDS[names.kinds[row]], SCOPES[names.scopes[row]]
        return Term(self._texts[place], kind=kind, scope=scope, source=self._sources[place])

    def texts_of(self, concept: int) -> list[str]:
        """The extra names of a concept."""
        bounds = self.part.names.bounds
        return [self.term(row).text for row in range(int(bounds[concept]), int(bounds[concept + 1]))]


def write_extra(folder: Path, terms: ExtraTerms, ontology: IndexPart, encoder: Encoder, old: Path | None) -> None:
    """Writes extra names into the new ``folder``.

    ``old`` is the folder of the same part of an earlier index with the same encoder: its words and vectors are reused.
    """
    folder.mkdir()
    earlier = EarlierIndex.of(old, encoder.fingerprint) if old and old.is_dir() else EarlierIndex.nothing()
    count = len(terms.concepts)
    for name, values in (("term", terms.texts), ("source", terms.sources)):
        column = StringWriter(folder, name)
        column.extend(values)
        column.close()
    names = write_names(
        folder,
        SearchedTerms(
            concepts=terms.concepts.astype(np.uint32),
            terms=np.arange(count, dtype=np.uint32),
            kinds=terms.kinds,
            scopes=terms.scopes,
            hashes=terms.texts.hashes(),
            edges=np.array([0, count]),
            texts=(StringColumn.open(folder, "term"),),
            concept_count=len(ontology.names.bounds) - 1,
        ),
        earlier,
    )
    write_signals(folder, names, encoder, earlier, ontology=ontology)
    save_numbers(folder, "name_count", terms.times.astype(np.uint32))
