"""Recognizes the files of an OMOP download by their column names, and the sound and valid rows of its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ontonym.arrays import Column, Mask, places_in
from ontonym.files.delimited import Block, BlockTable
from ontonym.files.source import Source
from ontonym.ontology.release import ReleaseLog
from ontonym.text.strings import Strings

OmopTable = Literal[
    "concept", "synonym", "relationship", "ancestor", "strength", "vocabulary", "domain", "class", "relationship type",
    "source map",
]  # fmt: skip

_COLUMNS: tuple[tuple[frozenset[str], OmopTable], ...] = (
    (frozenset({"concept_id", "concept_name", "vocabulary_id"}), "concept"),
    (frozenset({"concept_id", "concept_name", "domain_id", "concept_class_id"}), "concept"),
    (frozenset({"concept_id", "concept_synonym_name"}), "synonym"),
    (frozenset({"concept_id_1", "concept_id_2"}), "relationship"),
    (frozenset({"ancestor_concept_id", "descendant_concept_id"}), "ancestor"),
    (frozenset({"drug_concept_id", "ingredient_concept_id"}), "strength"),
    (frozenset({"source_code", "source_vocabulary_id", "target_concept_id"}), "source map"),
    (frozenset({"vocabulary_id", "vocabulary_name", "vocabulary_concept_id"}), "vocabulary"),
    (frozenset({"domain_id", "domain_name", "domain_concept_id"}), "domain"),
    (frozenset({"concept_class_id", "concept_class_name", "concept_class_concept_id"}), "class"),
    (frozenset({"relationship_id", "relationship_name", "relationship_concept_id"}), "relationship type"),
)
_DELIMITERS = "\t,;|"


@dataclass(frozen=True, slots=True)
class OmopFiles:
    """The files of a release by kind."""

    kinds: dict[OmopTable, list[Source]]

    def open(self, kind: OmopTable, log: ReleaseLog) -> list[BlockTable]:
        """The files of one kind, ready to be read; none where the release has none."""
        return [BlockTable(source, log, delimiter=b"\t") for source in self.kinds.get(kind, [])]


def is_omop(head: str) -> bool:
    """Whether the beginning of a file is the header of one of OMOP's vocabulary tables."""
    return _kind(head) is not None


def sorted_files(sources: Sequence[Source]) -> OmopFiles:
    """The files by kind.

    Raises:
        FormatError: no concepts, or a table that is not tab-separated or is quoted.
    """
    kinds: dict[OmopTable, list[Source]] = {}
    for source in sources:
        head = source.head()
        kind = _kind(head)
        if kind is None:
            known = "; ".join(sorted(", ".join(sorted(columns)) for columns, _ in _COLUMNS))
            source.fail(1, "not a header of OMOP's vocabulary tables", f"Each has some of: {known}")
        if kind != "source map" and (_delimiter(head) != "\t" or '"' in _first_line(head)):
            problem = "not as Athena writes it: tabs between fields, no quotes around them"
            hint = "Export the table tab-separated and without quoting, or import it as a table: `format=table`"
            source.fail(1, problem, hint)
        kinds.setdefault(kind, []).append(source)
    if "concept" not in kinds and "source map" not in kinds:
        hint = "Give the whole folder or zip that Athena sent, or a SOURCE_TO_CONCEPT_MAP"
        sources[0].fail(None, "no table of concepts (CONCEPT.csv)", hint)
    return OmopFiles(kinds)


def delimiter_of(source: Source) -> str:
    """The delimiter of a file, by its header."""
    return _delimiter(source.head())


def _kind(head: str) -> OmopTable | None:
    header = frozenset(name.strip(' "').casefold() for name in _first_line(head).split(_delimiter(head)))
    return next((kind for columns, kind in _COLUMNS if columns <= header), None)


def _delimiter(head: str) -> str:
    line = _first_line(head)
    return max(_DELIMITERS, key=line.count)


def _first_line(head: str) -> str:
    return head.partition("\n")[0].lstrip("\ufeff").rstrip("\r")


EMPTY = (b"", b"\\N", b"NULL")
"""The forms of a field without a value: Athena's, and those of databases that the table was exported from."""

_LOW_IDS = 1 << 27
_LARGEST_ID = (1 << 32) - 1


class IdSet:
    """A set of concept ids with fast membership tests of millions at once."""

    def __init__(self, ids: Column) -> None:
        low = ids[ids < _LOW_IDS]
        self._low = np.zeros(int(low.max(initial=0)) + 1, dtype=np.bool_)
        self._low[low] = True
        self._high = np.unique(ids[ids >= _LOW_IDS])
        self._none = not len(low)

    def has(self, ids: Column) -> Mask:
        """Whether each id is in the set; a negative one is not."""
        if self._none:
            found = np.zeros(len(ids), dtype=np.bool_)
        else:
            found = self._low[np.clip(ids, 0, len(self._low) - 1)] & (ids >= 0) & (ids < len(self._low))
        if len(self._high):
            found |= places_in(self._high, ids) >= 0
        return found


class Distinct:
    """The distinct values of a column, each with a number; blocks add new ones."""

    def __init__(self, *first: str) -> None:
        self.names: list[str] = []
        self._hashes = np.zeros(0, dtype=np.uint64)
        self._numbers = np.zeros(0, dtype=np.int64)
        if first:
            self.of(Strings.of(first))

    def of(self, texts: Strings) -> Column:
        """The number of each text."""
        hashes = texts.hashes()
        places = places_in(self._hashes, hashes)
        unknown = np.flatnonzero(places < 0)
        if not len(unknown):
            return self._numbers[places]
        new, first = np.unique(hashes[unknown], return_index=True)
        rows = unknown[first]
        self.names += [texts[row] for row in rows.tolist()]
        numbers = np.arange(len(self._hashes), len(self._hashes) + len(new))
        order = np.argsort(np.concatenate([self._hashes, new]))
        self._numbers = np.concatenate([self._numbers, numbers])[order]
        self._hashes = np.concatenate([self._hashes, new])[order]
        return self._numbers[places_in(self._hashes, hashes)]

    def number(self, name: str) -> int:
        """The number of a name, or -1."""
        return self.names.index(name) if name in self.names else -1

    def numbered(self, of: Callable[[str], int]) -> Column:
        """A number for every name, in the order of their own numbers."""
        return np.array([of(name) for name in self.names], dtype=np.int64)


def sound(block: Block, good: Mask, problem: str, log: ReleaseLog, *columns: Column) -> tuple[Any, ...]:
    """The good rows of a block and of columns beside it; ids too large are not good. The others are malformed."""
    for column in columns:
        good = good & (column <= _LARGEST_ID)
    if good.all():
        return (block, *columns)
    block.report(~good, problem, log)
    return (block.only(good), *(column[good] for column in columns))


def still_valid(block: Block, table: BlockTable, log: ReleaseLog, rule: str) -> Mask:
    """Whether each row has no reason for being invalid; those that have one are counted under the rule."""
    if not table.has_column("invalid_reason"):
        return np.ones(len(block), dtype=np.bool_)
    valid = block.has(table.columns("invalid_reason")[0], *EMPTY)
    log.skip(rule, ~valid)
    return valid
