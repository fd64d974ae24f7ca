"""Looking a concept up: its names and definition, what is around it, and the same concept in other terminologies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload
from weakref import WeakKeyDictionary

import numpy as np

from ontonym.arrays import Ints, Rows32
from ontonym.errors import UnknownIdError, WrongTypeError
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.store.lookup import AN_ID
from ontonym.tasks import cards
from ontonym.tasks.branches import branch_rows, nearest_first
from ontonym.text.counting import count
from ontonym.text.normalization import tokens
from ontonym.types import Concept, Mapping, Property, Relation, Status, Term

_CONSIDERED = 20


class ConceptView:
    """One concept of an open terminology; what is around it is read when it is asked for.

    Views are equal where terminology and concept are. ``index`` is the index that the concept was looked up in, or
    None. A view cannot be asked after its terminology was closed.
    """

    __slots__ = ("index", "row", "terminology")

    def __init__(self, terminology: Terminology, row: int, index: Index | None = None) -> None:
        self.terminology = terminology
        self.row = row
        self.index = index

    @property
    def id(self) -> str:
        """Its id, a CURIE such as ``HP:0001250``."""
        return self.terminology.id(self.row)

    @property
    def preferred(self) -> str:
        """Its preferred term."""
        return self.terminology.preferred(self.row)

    @property
    def record(self) -> Concept:
        """The whole record, as it was published."""
        return self.terminology.concept(self.row)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All names with kind, scope, language, status and source, the preferred term first."""
        return tuple(map(self.terminology.term, self.terminology.terms_of(self.row)))

    @property
    def names(self) -> tuple[str, ...]:
        """The different texts of its active names, the preferred term first."""
        return tuple(self.terminology.names(self.row))

    @property
    def definition(self) -> str:
        """Its first definition, or an empty string."""
        return next(iter(self.definitions), "")

    @property
    def definitions(self) -> tuple[str, ...]:
        """All definitions."""
        return self.terminology.lists("definitions")[self.row]

    @property
    def status(self) -> Status:
        """Whether it is active or retired."""
        return self.terminology.status(self.row)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its semantic tags or types."""
        return self.record.tags

    @property
    def xrefs(self) -> tuple[str, ...]:
        """Its cross-references, as CURIEs."""
        return self.terminology.lists("xrefs")[self.row]

    @property
    def mappings(self) -> tuple[Mapping, ...]:
        """The mappings that its release has of it."""
        return self.terminology.mappings_of(self.row)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Its relations other than is-a."""
        return self.record.relations

    @property
    def properties(self) -> tuple[Property, ...]:
        """What else its release says of it."""
        return self.record.properties

    @property
    def replaced_by(self) -> ConceptList:
        """The successors of a retired concept that its terminology has."""
        found = map(self.terminology.find, self.terminology.lists("replaced_by")[self.row])
        return self._list(row for row in found if row is not None)

    @property
    def parents(self) -> ConceptList:
        """The concepts directly above it."""
        return self._list(self.terminology.hierarchy.parents(self.row))

    @property
    def children(self) -> ConceptList:
        """The concepts directly below it, by name."""
        return self._list(self.terminology.hierarchy.children(self.row)).by_name()

    @property
    def siblings(self) -> ConceptList:
        """The other children of its parents, by name."""
        return self._list(self.terminology.hierarchy.siblings(self.row)).by_name()

    @property
    def ancestors(self) -> ConceptList:
        """All concepts above it, the nearest first."""
        return self._list(nearest_first(self.row, self.terminology.hierarchy.parent_edges))

    @property
    def descendants(self) -> ConceptList:
        """All concepts below it, the nearest first."""
        return self._list(nearest_first(self.row, self.terminology.hierarchy.child_edges))

    @property
    def branches(self) -> ConceptList:
        """The branches of its terminology that it belongs to (see `branches_of`), the nearest first."""
        return self._list(branch_rows(self.terminology, self.row))

    @property
    def elsewhere(self) -> ConceptList:
        """The same concept in the other terminologies of its index, as search would name them; else empty.

        By an id that both have, a cross-reference of either side, or the preferred term.
        """
        return ConceptList(same_elsewhere(self))

    def is_a(self, other: ConceptView | str) -> bool:
        """Whether another concept, or the one with this id, is above it in its terminology.

        A concept of another terminology or release is the one with the same id here; False where there is none. Raises
        UnknownIdError for an id that its terminology does not have.
        """
        if not isinstance(other, ConceptView):
            other = find_concept(self.terminology, other)
        is_here = other.terminology.fingerprint == self.terminology.fingerprint
        above = other.row if is_here else self.terminology.find(other.id)
        return above is not None and self.terminology.hierarchy.is_a(self.row, above)

    def _list(self, rows: Iterable[int] | Rows32) -> ConceptList:
        return ConceptList(ConceptView(self.terminology, int(row), self.index) for row in rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConceptView):
            return NotImplemented
        return self.row == other.row and self.terminology.fingerprint == other.terminology.fingerprint

    def __hash__(self) -> int:
        return hash((self.terminology.fingerprint, self.row))

    def __str__(self) -> str:
        return f"{self.id} {self.preferred}"

    def __repr__(self) -> str:
        retired = ", retired" if self.status == "retired" else ""
        return f"<{self.id} {self.preferred!r} of {self.terminology.name}{retired}>"

    def _repr_html_(self) -> str:
        others = ("of", [self.terminology.full_name])
        is_retired = self.status == "retired"
        status = [("status", ["retired"] * is_retired), ("replaced by", [*map(str, self.replaced_by)] * is_retired)]
        around = [
            (label, [*map(str, found)]) for label, found in (("parents", self.parents), ("children", self.children))
        ]
        facts = [*status, ("names", self.names[1:]), *around, ("cross-references", self.xrefs), others]
        return cards.card(self.preferred, self.id, self.definition, facts)


class ConceptList(Sequence[ConceptView]):
    """Concepts in order, shown one in a line; an id or a place from 0 selects one.

    Raises UnknownIdError for an id that no concept of them has, IndexError for a place where there is none.
    """

    def __init__(self, concepts: Iterable[ConceptView] = ()) -> None:
        self._concepts = tuple(concepts)

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids."""
        return tuple(concept.id for concept in self._concepts)

    def by_name(self) -> ConceptList:
        """The same, ordered by preferred term."""
        return ConceptList(sorted(self._concepts, key=lambda one: (one.preferred.casefold(), one.id)))

    def __len__(self) -> int:
        return len(self._concepts)

    def __iter__(self) -> Iterator[ConceptView]:
        return iter(self._concepts)

    @overload
    def __getitem__(self, place: int | str) -> ConceptView: ...
    @overload
    def __getitem__(self, place: slice) -> ConceptList: ...
    def __getitem__(self, place: int | str | slice) -> ConceptView | ConceptList:
        if isinstance(place, str):
            found = next((one for one in self._concepts if one.id == place), None)
            if found is None:
                raise UnknownIdError(place, f"these {count(len(self), 'concept')}")
            return found
        return ConceptList(self._concepts[place]) if isinstance(place, slice) else self._concepts[place]

    def __contains__(self, one: object) -> bool:
        return any(one == (concept.id if isinstance(one, str) else concept) for concept in self._concepts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConceptList) and self._concepts == other._concepts

    def __hash__(self) -> int:
        return hash(self._concepts)

    def __repr__(self) -> str:
        shown = [f"  {concept}" for concept in self._concepts[:_CONSIDERED]]
        more = len(self) - len(shown)
        return "\n".join([count(len(self), "concept"), *shown, *([f"  … and {more:,} more"] if more else [])])

    def _repr_html_(self) -> str:
        return cards.table(("id", "preferred term"), [(one.id, one.preferred) for one in self._concepts])


def find_concept(source: Index | Terminology, concept_id: str) -> ConceptView:
    """The concept that an id means, as it is or without its prefix or dot.

    A retired concept is found itself, in an index too. Raises UnknownIdError, which names the nearest ids, and
    WrongTypeError for anything but a text.
    """
    if not isinstance(concept_id, str):
        raise WrongTypeError(concept_id, AN_ID)
    found = concept_at(source, concept_id)
    if found is not None:
        return found
    if isinstance(source, Terminology):
        return ConceptView(source, source.row(concept_id))
    return ConceptView(*source.locate(source.number(concept_id)), source)


def concept_at(source: Index | Terminology, concept_id: str) -> ConceptView | None:
    """The concept that an id means, as in `find_concept`; None where there is none."""
    index = None if isinstance(source, Terminology) else source
    terminologies = (source,) if isinstance(source, Terminology) else source.terminologies
    for find in (Terminology.find, Terminology.coded, _prefixed_row):
        for terminology in terminologies:
            row = find(terminology, concept_id)
            if row is not None:
                return ConceptView(terminology, row, index)
    number = None if index is None else index.find(concept_id)
    return None if index is None or number is None else ConceptView(*index.locate(number), index)


def _prefixed_row(terminology: Terminology, local: str) -> int | None:
    """Who names a concept means an id, so that even a plain number is one."""
    prefixes = terminology.manifest.content["prefixes"]
    rows = (terminology.find(f"{prefix}:{local.strip()}") for prefix in prefixes)
    return next((row for row in rows if row is not None), None)


def same_elsewhere(view: ConceptView) -> tuple[ConceptView, ...]:
    """The views of the same concept in the other terminologies of the view's index."""
    index = view.index
    if index is None or len(index.terminologies) == 1 or view.status == "retired":
        return ()
    beside = index.sharing_ids(view.terminology, view.row)
    namesakes = index.signals.concepts_named(tokens(view.preferred)).tolist()
    numbers = [*namesakes, *_referring(index, view), *beside]
    found: dict[ConceptView, None] = {}
    for number in dict.fromkeys(numbers):
        terminology, row = index.locate(number)
        if terminology is not view.terminology:
            found[ConceptView(terminology, row, index)] = None
    return tuple(found)


_references: WeakKeyDictionary[Terminology, dict[tuple[str, ...], tuple[Ints, Ints]]] = WeakKeyDictionary()


def _referring(index: Index, view: ConceptView) -> list[int]:
    """The numbers of the concepts of other terminologies with a cross-reference to a concept."""
    key = tuple(one.fingerprint for one in index.terminologies)
    made = _references.setdefault(view.terminology, {})
    if key not in made:
        made.clear()  # what was made for an index that others have replaced
        made[key] = _references_to(view.terminology, index)
    targets, sources = made[key]
    start, stop = targets.searchsorted([view.row, view.row + 1]).tolist()
    return [int(number) for number in sources[start:stop]]


def _references_to(terminology: Terminology, index: Index) -> tuple[Ints, Ints]:
    """The rows of a terminology that others of an index refer to, ascending, and the numbers of those that do."""
    targets, sources, first = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for other in index.terminologies:
        if other is not terminology:
            xrefs = other.lists("xrefs")
            rows = terminology.find_rows(xrefs.values.strings())
            counts = np.diff(np.asarray(xrefs.bounds))
            known = rows >= 0
            targets.append(rows[known])
            sources.append(np.repeat(np.arange(len(other)) + first, counts)[known])
        first += len(other)
    found = np.concatenate(targets)
    order = np.argsort(found, kind="stable")
    return found[order], np.concatenate(sources)[order]


# Branches ---------------------------------------------------------------------------------------------------------


def branches_of(index: Index, concept_id: str) -> ConceptList:
    """The branches of its terminology that a concept belongs to, the nearest first.

    Branches are the highest concepts with at most half of their terminology below them: the chapters of ICD-10, the
    systems of the body in HPO, the top level of SNOMED CT. A concept above all branches has none, and a branch is not
    its own.
    """
    return find_concept(index, concept_id).branches
