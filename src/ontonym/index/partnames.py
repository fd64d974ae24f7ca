"""The names that an index searches, over all its parts: the terminologies' own, everyday ones and added ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from ontonym.arrays import AnyInts, Ints
from ontonym.index.extra import ExtraNames
from ontonym.index.names import Names
from ontonym.index.part import IndexPart
from ontonym.index.scan import NameSource, Scan
from ontonym.text.wordroots import roots_of
from ontonym.types import KINDS, Kind

_PREFERRED = KINDS.index("preferred")


class NamesOfParts:
    """Looks up names by their words, and what a name row says, in all parts of an index.

    The name rows of everyday names follow those of the ontology, and those of added terms come last. ``firsts`` are
    the numbers of the first concepts of the terminologies.
    """

    def __init__(
        self, ontology: IndexPart, everyday: ExtraNames | None, added: ExtraNames | None, firsts: Sequence[int]
    ) -> None:
        self.ontology = ontology
        self.everyday = everyday
        self.added = added
        self.firsts = np.asarray(firsts, dtype=np.int64)
        self._parts: dict[NameSource, Sequence[tuple[int, IndexPart]]] = {}

    def close(self) -> None:
        """Lets go of the files of all parts, which amended signals share."""
        for part in (self.ontology, *(extra.part for extra in (self.everyday, self.added) if extra is not None)):
            part.close()

    @property
    def names(self) -> Names:
        """The names of the ontology."""
        return self.ontology.names

    def parts(self, source: NameSource) -> Sequence[tuple[int, IndexPart]]:
        """The parts to be searched, each after the row of its first name."""
        found = self._parts.get(source)
        if found is None:
            found = self._parts[source] = self._parts_of(source)
        return found

    def _parts_of(self, source: NameSource) -> list[tuple[int, IndexPart]]:
        held = len(self.names)
        found = [(0, self.ontology)] if "O" in source else []
        if self.everyday and found:
            found.append((held, self.everyday.part))
        if self.added and "D" in source:
            found.append((held + len(self.everyday or ()), self.added.part))
        return found

    def spelled(self, words: Sequence[str], source: NameSource = "OD") -> Ints:
        """The name rows with exactly these words, in any order."""
        found = [part.names.spelled(words).astype(np.int64) + first for first, part in self.parts(source)]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def near_rows(self, longest: int | None = None) -> list[int]:
        """The rows of the names that concepts are only near to (`ontonym.index.everyday`); with ``longest`` those of at
        most so many words."""
        if self.everyday is None:
            return []
        names = self.everyday.part.names
        is_near = names.scopes > 0
        if longest is not None:
            is_near &= np.diff(names.word_bounds) <= longest
        rows: list[int] = (len(self.names) + np.flatnonzero(is_near)).tolist()
        return rows

    def is_name(self, words: Sequence[str], source: NameSource = "OD") -> bool:
        """Whether some name has exactly these words, in any order."""
        return any(len(part.names.spelled(words)) for _, part in self.parts(source))

    def is_candidate_name(self, words: Sequence[str], scan: Scan) -> bool:
        """Whether a name of a concept that may be a candidate has exactly these words, in any order."""
        if scan.allowed is None and scan.hidden is None:
            return self.is_name(words, scan.source)
        return any(len(rows) for _, rows in self._candidate_names(words, scan))

    def candidates_named(self, words: Sequence[str], scan: Scan) -> tuple[set[int], bool]:
        """The concepts that may be candidates with a name of exactly these words, in any order, and whether that is the
        preferred term of one."""
        concepts: set[int] = set()
        is_preferred = False
        for names, rows in self._candidate_names(words, scan):
            concepts.update(names.concepts[rows].tolist())
            is_preferred |= bool((names.kinds[rows] == _PREFERRED).any())
        return concepts, is_preferred

    def _candidate_names(self, words: Sequence[str], scan: Scan) -> Iterator[tuple[Names, Ints]]:
        """The rows of the names of candidates with exactly these words, in each part."""
        for first, part in self.parts(scan.source):
            rows = part.names.spelled(words).astype(np.int64)
            if scan.hidden is not None:
                rows = rows[~np.isin(rows + first, scan.hidden)]
            if scan.allowed is not None and len(rows):
                concepts = part.names.concepts[rows]
                rows = rows[scan.allowed[concepts] | np.isin(concepts, scan.also)]
            yield part.names, rows

    def concepts_named(self, words: Sequence[str]) -> Ints:
        """The concepts with a name of exactly these words, in any order; one with several such names comes as often."""
        found = [part.names.concepts[part.names.spelled(words)] for _, part in self.parts("OD")]
        return np.concatenate(found).astype(np.int64)

    def names_of(self, concept: int, source: NameSource = "OD") -> Iterator[tuple[str, ...]]:
        """The normalized words of each name of a concept."""
        for _, part in self.parts(source):
            yield from map(part.names.words_of, range(*part.names.bounds[concept : concept + 2].tolist()))

    def part_of(self, row: int) -> tuple[int, IndexPart]:
        """The part that has a name row, after the row of its first name."""
        return next(one for one in reversed(self.parts("OD")) if row >= one[0])

    def is_everyday(self, part: IndexPart) -> bool:
        """Whether a part is that of everyday names."""
        return self.everyday is not None and part is self.everyday.part

    def concept_of(self, row: int) -> int:
        """The concept number of a name row."""
        first, part = self.part_of(row)
        return int(part.names.concepts[row - first])

    def words_of(self, row: int) -> tuple[str, ...]:
        """The normalized words of a name row, in order."""
        first, part = self.part_of(row)
        return part.names.words_of(row - first)

    def kind_of(self, row: int) -> Kind:
        """The kind of a name row."""
        first, part = self.part_of(row)
        return KINDS[int(part.names.kinds[row - first])]

    def preferred_words(self, concept: int) -> tuple[str, ...]:
        """The normalized words of a concept's preferred term in the ontology, in order; none where it has none."""
        name = self.preferred_name(concept)
        return () if name is None else self.names.words_of(name)

    def name_roots(self, row: int) -> frozenset[str]:
        """The roots of the words of a name row."""
        return roots_of(self.words_of(row))

    def preferred_roots(self, concept: int) -> frozenset[str]:
        """The roots of the words of a concept's preferred term in the ontology; none where it has none."""
        return roots_of(self.preferred_words(concept))

    def preferred_name(self, concept: int) -> int | None:
        """The name row of a concept's preferred term in the ontology; None where it has none."""
        names = self.names
        first, last = int(names.bounds[concept]), int(names.bounds[concept + 1])
        return first if first < last and names.kinds[first] == _PREFERRED else None

    def is_known(self, words: Sequence[str], source: NameSource = "OD") -> list[bool]:
        """Whether each word occurs in some name."""
        found = [part.names.word_ids(words) for _, part in self.parts(source)]
        return [any(number is not None for number in numbers) for numbers in zip(*found, strict=True)]

    def words_beside(self, words: Sequence[str]) -> frozenset[str]:
        """The words of each of which there may be a name with these words and no others (`IndexPart.words_beside`)."""
        return frozenset().union(*(part.words_beside(words) for _, part in self.parts("OD")))

    def terminologies_of(self, concepts: AnyInts) -> Ints:
        """The number of the terminology that each concept is of."""
        found: Ints = np.searchsorted(self.firsts, concepts, side="right") - 1
        return found

    def concepts_with_names(self, concepts: Collection[int], source: NameSource) -> Ints:
        """Those of some concepts that have a name of a source."""
        some = np.asarray(tuple(concepts), dtype=np.int64)
        has_names = [part.names.bounds[some] < part.names.bounds[some + 1] for _, part in self.parts(source)]
        return some[np.logical_or.reduce(has_names)]
