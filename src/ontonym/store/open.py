"""The read-only handle on a terminology: opens in milliseconds at any size, because every column is memory-mapped.

Concepts and terms are dense integer rows inside and ids outside; the terms of a concept are consecutive rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from ontonym.arrays import Ints, Mask, Rows32
from ontonym.artifact import open_artifact
from ontonym.closing import Closing
from ontonym.errors import ArtifactError, InputError, UnknownIdError, UnknownNameError
from ontonym.manifest import Manifest
from ontonym.ontology.batch import GROUPS, LISTS, BatchPart
from ontonym.ontology.options import speaks
from ontonym.store.columns import ListColumn, StringColumn, load_bounds, load_numbers
from ontonym.store.hierarchy import Edges, Hierarchy
from ontonym.store.layout import Tables, number_columns
from ontonym.store.lookup import HashLookup, IdLookup, near_ids, same_ids
from ontonym.text.normalization import key
from ontonym.text.strings import Coded, Strings
from ontonym.types import Concept, Mapping, Property, Relation, Status, Term


def open_terminology(path: Path | str) -> Terminology:
    """The terminology at ``path``, ready to be asked; close it, or use it as a context manager.

    Raises `ArtifactError` where the folder is missing, damaged, or of another kind or format version.
    """
    return open_artifact(path, "terminology", Terminology._load)


@contextmanager
def open_terminologies(paths: Iterable[Path | str]) -> Iterator[list[Terminology]]:
    """The terminologies at some paths, open for a block; raises as `open_terminology` does."""
    with ExitStack() as stack:
        yield [stack.enter_context(open_terminology(path)) for path in paths]


def refuse_repeats(terminologies: Iterable[Terminology]) -> None:
    """Raises InputError where one terminology is given twice, so that each of its concepts would be there twice."""
    seen: dict[str, Path] = {}
    for one in terminologies:
        before = seen.setdefault(one.fingerprint, one.path)
        if before is not one.path:
            same = "is given twice" if before == one.path else f"is the same release as {before}"
            raise InputError(f"{one.path}: {same}: give it once")


class Terminology(Closing):
    """One release of a terminology on disk, read-only; several processes and threads share its memory pages.

    ``len()`` is the number of concepts. ``hierarchy`` answers is-a questions. Arrays it gives are read-only views of
    the files and stay valid after `close`.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._tables = Tables.open(path)
        self._ids = StringColumn.open(path, "concept_id")
        self._texts = StringColumn.open(path, "term_text")
        count = len(self._ids)
        self._lists = {name: ListColumn.open(path, name, count) for name in LISTS}
        self._columns: dict[str, StringColumn] = {}
        self._bounds: dict[str, Any] = {}
        self._numbers = {
            "concept_status": load_numbers(path, "concept_status", np.uint8, count=count),
            "term_concept": load_numbers(path, "term_concept", np.uint32, count=len(self._texts)),
        }
        for group in (name for name in GROUPS if name not in LISTS):
            texts = {name: StringColumn.open(path, name) for name in GROUPS[group].texts if group != "terms"}
            types = number_columns(group)
            length = len(self._texts) if group == "terms" else len(load_numbers(path, next(iter(types))))
            if any(len(column) != length for column in texts.values()):
                raise ValueError(f"the columns of {group} are of different lengths")
            self._columns |= texts
            self._bounds[group] = load_bounds(path, f"{group}.rows", length, count).data
            self._numbers |= {name: load_numbers(path, name, types[name], count=length) for name in types}
        self._views = {name: array.data for name, array in self._numbers.items()}
        self._names_by_code = {table: self._tables.names(table) for table in self._tables.codes}
        self._id_lookup = IdLookup(HashLookup.open(path, "id"), self._ids, self._lists["alternative_ids"])
        self._name_lookup = HashLookup.open(path, "name")
        self._edges = (Edges.open(path, "parents", count), Edges.open(path, "children", count))

    @classmethod
    def _load(cls, path: Path, manifest: Manifest) -> Terminology:
        try:
            return cls(path, manifest)
        except (ValueError, KeyError) as error:
            raise ArtifactError(f"{path}: damaged: {error}; rebuild with `build_terminology()`") from error

    def close(self) -> None:
        """Lets go of the files; the handle cannot be asked afterwards. Closing twice is fine."""
        kept = {name: self.__dict__[name] for name in ("path", "manifest")}
        self.__dict__.clear()
        self.__dict__.update(kept)

    @property
    def closed(self) -> bool:
        """Whether it was closed: only its path, name and version can be asked for then."""
        return "_ids" not in self.__dict__

    if not TYPE_CHECKING:  # so that mypy still finds misspelt attributes

        def __getattr__(self, name: str) -> Any:
            # only called for what is not there: after close() that is every column
            if name.startswith("_") and not name.startswith("__") and self.closed:
                raise ValueError(f"the terminology {self.__dict__.get('path')} is closed")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"an open terminology is not pickled or copied: give {self.path}, and open it there")

    def __repr__(self) -> str:
        return f"<Terminology {self.name} {self.version} at {self.path}>"

    # What it is -----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the terminology, as the release or the import gave it."""
        return str(self.manifest.content["identity"]["name"])

    @property
    def version(self) -> str:
        """The version of the release, or an empty string."""
        return str(self.manifest.content["identity"]["version"])

    @property
    def fingerprint(self) -> str:
        """Hexadecimal SHA-256 that is the same for the same release imported the same way."""
        return self.manifest.fingerprint

    @property
    def full_name(self) -> str:
        """Name and version, for people."""
        return f"{self.name} {self.version}".strip()

    @property
    def release(self) -> dict[str, str]:
        """Name, version and fingerprint, as the manifests of what is made from it have them."""
        return {"name": self.name, "version": self.version, "fingerprint": self.fingerprint}

    @property
    def metadata(self) -> dict[str, Any]:
        """What the release says about itself: format, licence, files…"""
        return dict(self.manifest.content["metadata"])

    @property
    def statistics(self) -> dict[str, Any]:
        """Counts of concepts, terms, edges and the rest, taken when it was built."""
        return dict(self.manifest.content["statistics"])

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def term_count(self) -> int:
        """The number of terms."""
        return len(self._texts)

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The is-a hierarchy over concept rows."""
        return Hierarchy(*self._edges, active=self.active)

    @cached_property
    def active(self) -> Mask:
        """A bitmap over concepts: True where the concept is not retired."""
        mask: Mask = self._numbers["concept_status"] == self._tables.code("status", "active")
        mask.flags.writeable = False
        return mask

    # Concepts ---------------------------------------------------------------------------------------------------

    def find(self, concept_id: str) -> int | None:
        """The row of the concept with this own or alternative id, or None."""
        return self._id_lookup.find(concept_id)

    def holders(self, concept_id: str) -> list[int]:
        """The rows of the concepts that have this as an alternative id, ascending."""
        return self._id_lookup.holders(concept_id)

    def find_rows(self, concept_ids: Strings) -> Ints:
        """`find` for many ids at once: their rows, -1 for unknown ones."""
        return self._id_lookup.find_all(concept_ids)

    def coded(self, code: str) -> int | None:
        """The row of the concept that a code names, with or without its prefix or dot (`same_ids`), or None."""
        rows = map(self.find, same_ids(code, self.manifest.content["prefixes"]))
        return next((row for row in rows if row is not None), None)

    def row(self, concept_id: str) -> int:
        """The row of the concept with this own or alternative id; `UnknownIdError` names the nearest ids."""
        row = self.find(concept_id)
        if row is None:
            variants = near_ids(concept_id, self.manifest.content["prefixes"])
            nearest = islice((variant for variant in variants if self.find(variant) is not None), 3)
            raise UnknownIdError(concept_id, self.name or str(self.path), nearest)
        return row

    def current(self, concept_id: str) -> int | None:
        """The row of the active concept that an id means in this release, or None.

        The concept with this own or alternative id where it is active; for a retired one, the active concept that has
        the id as an alternative id (HPO keeps both), else its replacement where it names exactly one, and so on.
        """
        seen: set[int] = set()
        while (row := self.find(concept_id)) is not None and row not in seen:
            seen.add(row)
            for holder in (row, *self.holders(concept_id)):
                if self.status(holder) == "active":
                    return holder
            replacements = self._lists["replaced_by"][row]
            if len(replacements) != 1:
                return None
            concept_id = replacements[0]
        return None

    def id(self, row: int) -> str:
        """The id of a concept."""
        if row < 0:
            raise IndexError(f"concept row {row} of {len(self)}")
        return self._ids[row]

    def ids(self) -> StringColumn:
        """The ids of all concepts by row."""
        return self._ids

    def preferred(self, row: int) -> str:
        """The preferred term of a concept, or its id where the release gives no name."""
        terms = self.terms_of(row)
        return self._texts[terms.start] if terms else self._ids[row]

    def concept(self, row: int) -> Concept:
        """The whole record of a concept, as it was published."""
        lists, columns = self._lists, self._columns
        relations = range(*self._part("relations", row))
        return Concept(
            id=self._ids[row],
            terms=tuple(self.term(term_row) for term_row in self.terms_of(row)),
            parents=lists["parents"][row],
            relations=tuple(
                Relation(self._name("predicate", "relation_predicate", i), columns["relation_target"][i])
                for i in relations
            ),
            definitions=lists["definitions"][row],
            tags=tuple(self._name("tag", "tag", i) for i in range(*self._part("tags", row))),
            status=self.status(row),
            alternative_ids=lists["alternative_ids"][row],
            replaced_by=lists["replaced_by"][row],
            consider=lists["consider"][row],
            xrefs=lists["xrefs"][row],
            properties=tuple(
                Property(self._name("property", "property_name", i), columns["property_value"][i])
                for i in range(*self._part("properties", row))
            ),
            mappings=self.mappings_of(row),
        )

    def mappings_of(self, row: int) -> tuple[Mapping, ...]:
        """The mappings of a concept to others, in the release's order."""
        return tuple(self._mapping(row, i) for i in range(*self._part("mappings", row)))

    def _mapping(self, row: int, i: int) -> Mapping:
        """The mapping at a row of the mappings, whose subject is the concept at a row of the terminology."""
        columns, numbers = self._columns, self._views
        confidence = numbers["mapping_confidence"][i]
        return Mapping(
            subject_id=self._ids[row],
            predicate_id=self._name("mapping_predicate", "mapping_predicate", i),
            object_id=columns["mapping_object"][i],
            justification=self._name("justification", "mapping_justification", i),
            confidence=None if confidence != confidence else confidence,  # noqa: PLR0124 - not a number means none
            object_label=columns["mapping_object_label"][i],
            source=self._name("mapping_source", "mapping_source", i),
            rule=columns["mapping_rule"][i],
            comment=columns["mapping_comment"][i],
            group=numbers["mapping_group"][i],
            priority=numbers["mapping_priority"][i],
        )

    def lists(self, name: str) -> ListColumn:
        """What concepts have any number of, by row: one of `ontonym.ontology.batch.LISTS`, such as ``parents``."""
        return self._lists[name]

    def part(self, group: str) -> BatchPart:
        """What all concepts have of a group of `ontonym.ontology.batch.GROUPS` other than terms and lists, as columns.

        Such as ``relations``: how many each concept has, and all values, concept after concept, as views of the files.
        """
        layout = GROUPS[group]
        return BatchPart(
            np.diff(np.asarray(self._bounds[group])),
            {name: self._columns[name].strings() for name in layout.texts},
            {name: Coded(self._numbers[name], self._names_by_code[table]) for name, table in layout.coded.items()},
            {name: self._numbers[name] for name in layout.numbers},
        )

    def status(self, row: int) -> Status:
        """Whether a concept is active or retired."""
        return cast(Status, self._name("status", "concept_status", row))

    @property
    def tags(self) -> tuple[str, ...]:
        """The semantic tags or types that concepts have."""
        return self._names_by_code["tag"]

    def tagged(self, tag: str) -> Mask:
        """A bitmap over concepts: True where the concept has this tag. `UnknownNameError` lists the tags."""
        if tag not in self._tables.codes["tag"]:
            raise UnknownNameError("tag", tag, self.tags)
        bounds = np.asarray(self._bounds["tags"])
        places = np.flatnonzero(self._numbers["tag"] == self._tables.code("tag", tag))
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[bounds.searchsorted(places, side="right") - 1] = True
        return mask

    # Terms ------------------------------------------------------------------------------------------------------

    def terms_of(self, row: int) -> range:
        """The term rows of a concept, the preferred term first."""
        return range(*self._part("terms", row))

    def term_bounds(self) -> Ints:
        """Where the terms of each concept begin, with the end: one more than concepts."""
        return np.asarray(self._bounds["terms"])

    def term(self, term_row: int) -> Term:
        """The record of a term."""
        if term_row < 0:
            raise IndexError(f"term row {term_row} of {self.term_count}")
        names: dict[str, Any] = self._names_by_code  # not by `_name` and `cast`: every hit has a term
        codes = self._views
        return Term(
            self._texts[term_row],
            names["kind"][codes["term_kind"][term_row]],
            names["scope"][codes["term_scope"][term_row]],
            names["language"][codes["term_language"][term_row]],
            names["status"][codes["term_status"][term_row]],
            names["source"][codes["term_source"][term_row]],
        )

    def names(self, row: int, languages: tuple[str, ...] = ()) -> list[str]:
        """The different texts of a concept's active terms, the preferred one first; in ``languages``, empty for all."""
        terms = (term for term in map(self.term, self.terms_of(row)) if term.status == "active")
        return list(dict.fromkeys(term.text for term in terms if not languages or speaks(term.language, languages)))

    def term_texts(self) -> StringColumn:
        """The texts of all terms by row: indexed, sliced to lists, taken by arrays of rows, or walked."""
        return self._texts

    def term_concepts(self) -> Rows32:
        """The concept row of every term, uint32, ascending."""
        return cast(Rows32, self._numbers["term_concept"])

    def term_kinds(self) -> Coded:
        """The kind of every term."""
        return Coded(self._numbers["term_kind"], self._names_by_code["kind"])

    def term_scopes(self) -> Coded:
        """The scope of every term."""
        return Coded(self._numbers["term_scope"], self._names_by_code["scope"])

    def term_statuses(self) -> Coded:
        """The status of every term."""
        return Coded(self._numbers["term_status"], self._names_by_code["status"])

    def term_languages(self) -> Coded:
        """The language of every term."""
        return Coded(self._numbers["term_language"], self._names_by_code["language"])

    def term_sources(self) -> Coded:
        """The source of every term, in the release's words."""
        return Coded(self._numbers["term_source"], self._names_by_code["source"])

    def rows_named(self, text: str) -> Rows32:
        """The term rows whose text is equal to ``text`` after folding with `normalization.key`, ascending."""
        wanted = key(text)
        rows = self._name_lookup.candidates(wanted)
        return np.array([row for row in rows.tolist() if key(self._texts[row]) == wanted], dtype=np.uint32)

    def _part(self, group: str, row: int) -> tuple[int, int]:
        bounds = self._bounds[group]
        if not 0 <= row < len(bounds) - 1:
            raise IndexError(f"concept row {row} of {len(bounds) - 1}")
        return bounds[row], bounds[row + 1]

    def _name(self, table: str, column: str, row: int) -> str:
        return self._names_by_code[table][self._views[column][row]]
