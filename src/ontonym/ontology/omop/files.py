"""Which file of an OMOP download is what, told by its column names, which may be in any order and letter case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ontonym.files.delimited import Table
from ontonym.files.source import Source
from ontonym.ontology.release import ReleaseLog

Kind = Literal[
    "concept", "synonym", "relationship", "ancestor", "strength", "vocabulary", "domain", "class", "relationship type",
    "source map",
]  # fmt: skip

_COLUMNS: tuple[tuple[frozenset[str], Kind], ...] = (
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
class Files:
    """The files of a release by kind."""

    kinds: dict[Kind, list[Source]]

    def open(self, kind: Kind, log: ReleaseLog) -> list[Table]:
        """The files of one kind, ready to be read; none where the release has none."""
        return [Table(source, log, delimiter=b"\t") for source in self.kinds.get(kind, [])]


def is_omop(head: str) -> bool:
    """Whether the beginning of a file is the header of one of OMOP's vocabulary tables."""
    return _kind(head) is not None


def sorted_files(sources: Sequence[Source], log: ReleaseLog) -> Files:
    """The files by kind.

    Raises:
        FormatError: no concepts, or a table that is not tab-separated or is quoted.
    """
    kinds: dict[Kind, list[Source]] = {}
    for source in sources:
        head = source.head()
        kind = _kind(head)
        if kind is None:
            known = "; ".join(sorted(", ".join(sorted(columns)) for columns, _ in _COLUMNS))
            source.fail(1, "not a header of OMOP's vocabulary tables", f"Each has some of: {known}")
        if kind != "source map" and (_delimiter(head) != "\t" or '"' in _first_line(head)):
            problem = "not as Athena writes it: tabs between fields, no quotes around them"
            hint = "Export the table tab-separated and without quoting, or import it as a table: --format table"
            source.fail(1, problem, hint)
        kinds.setdefault(kind, []).append(source)
    if "concept" not in kinds and "source map" not in kinds:
        hint = "Give the whole folder or zip that Athena sent, or a SOURCE_TO_CONCEPT_MAP"
        sources[0].fail(None, "no table of concepts (CONCEPT.csv)", hint)
    return Files(kinds)


def delimiter_of(source: Source) -> str:
    """What parts the columns of a file, told by its header."""
    return _delimiter(source.head())


def _kind(head: str) -> Kind | None:
    header = frozenset(name.strip(' "').casefold() for name in _first_line(head).split(_delimiter(head)))
    return next((kind for columns, kind in _COLUMNS if columns <= header), None)


def _delimiter(head: str) -> str:
    line = _first_line(head)
    return max(_DELIMITERS, key=line.count)


def _first_line(head: str) -> str:
    return head.partition("\n")[0].lstrip("\ufeff").rstrip("\r")
