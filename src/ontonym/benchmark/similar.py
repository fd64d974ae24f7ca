"""Pairs of names with the same meaning, by a terminology and its history: the positives of the similarity sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, get_args

import numpy as np

from ontonym.arrays import Mask, Rows
from ontonym.learning.recipes.historical import as_in_use, associated, known_associations
from ontonym.learning.recipes.pool import in_languages
from ontonym.store import Terminology
from ontonym.types import Scope

SimilarityRelation = Literal["fsn-synonym", "synonym-synonym", "possibly-equivalent-to", "replaced-by", "same-as"]
RELATIONS: tuple[SimilarityRelation, ...] = get_args(SimilarityRelation)
"""Why two names are similar, in the order of Schulz's Table 2."""

_ASSOCIATIONS: dict[SimilarityRelation, str] = {
    "possibly-equivalent-to": "POSSIBLY EQUIVALENT TO", "replaced-by": "REPLACED BY", "same-as": "SAME AS",
}  # fmt: skip
_MODEL_MODULE = "900000000000012004"
_MODEL_COMPONENT = "SCTID:900000000000441003"
_STANDARD = "skos:closeMatch"


@dataclass(frozen=True, slots=True)
class SimilarNameOptions:
    """Which names are compared: their languages (``en`` is ``en-GB`` too; empty for all) and scopes."""

    languages: tuple[str, ...] = ("en",)
    scopes: tuple[Scope, ...] = ("exact",)


@dataclass(slots=True)
class NumberedNames:
    """Distinct names with numbers; names that differ only in case are one, written as first seen.

    ``owners`` is the id of the first concept of each.
    """

    texts: list[str] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, text: str, owner: str) -> int:
        """The number of a name, which is added if it is new."""
        number = self._numbers.setdefault(text.lower(), len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
            self.owners.append(owner)
        return number

    def lowered(self) -> list[str]:
        """All names in lower case, by number; all are distinct."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True, eq=False)
class SimilarPairs:
    """Pairs of numbers of names, shape ``(pairs, 2)``, each once in either order, and the concepts of both."""

    names: Rows
    concepts: Sequence[tuple[str, str]]

    def __len__(self) -> int:
        return len(self.names)


@dataclass(slots=True)
class _Gathered:
    """Collects the pairs of one relation."""

    names: list[tuple[int, int]] = field(default_factory=list)
    concepts: list[tuple[str, str]] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def add(self, first: int, second: int, concepts: tuple[str, str]) -> None:
        pair = (min(first, second), max(first, second))
        if first == second or pair in self.seen:
            return
        self.seen.add(pair)
        self.names.append((first, second))
        self.concepts.append(concepts)

    def pairs(self) -> SimilarPairs:
        return SimilarPairs(np.array(self.names, dtype=np.int64).reshape(-1, 2), self.concepts)


def similar_pairs(
    terminology: Terminology, older: Sequence[Terminology], options: SimilarNameOptions = SimilarNameOptions()
) -> tuple[NumberedNames, dict[SimilarityRelation, SimilarPairs]]:
    """All pairs of similar names, by the relation that connects them (Schulz, section 3.1).

    ``fsn-synonym``: the fully specified name of each active concept (the preferred one if the terminology has none)
    with each of its other names. ``synonym-synonym``: every two names of a concept, including the first kind. The
    others pair the fully specified names of a retired concept and of its active successor: by the RF2 association of
    that name, and in other formats ``possibly-equivalent-to`` by *consider*, ``replaced-by`` by *replaced by* and
    OMOP's *Maps to*, ``same-as`` if one id was merged into another (OBO alternative ids, UMLS MRCUI). A concept whose
    name is gone with its id has its name in the newest of the ``older`` releases that knows it.

    SNOMED CT's model component is left out; categories in brackets, "[D]" and "obsolete" are dropped; names that differ
    only in case make no pair, and the same two names make only one.
    """
    names = NumberedNames()
    found = {relation: _Gathered() for relation in RELATIONS}
    model = _model(terminology)
    fits = terminology.active & ~model
    for concept, main, others in _named(terminology, fits, options):
        own = terminology.id(concept)
        numbers = list(dict.fromkeys(names.number(text, own) for text in (main, *others)))
        for place, first in enumerate(numbers):
            for second in numbers[place + 1 :]:
                found["synonym-synonym"].add(first, second, (own, own))
                if not place:
                    found["fsn-synonym"].add(first, second, (own, own))
    names_of = _FullNames(terminology, older, options)
    for relation, old, row in _successions(terminology, older):
        if not fits[row] or ((retired := terminology.find(old)) is not None and model[retired]):
            continue
        before, now = names_of.of_old(old), names_of.of(row)
        if before and now:
            ids = (old, terminology.id(row))
            found[relation].add(names.number(before, ids[0]), names.number(now, ids[1]), ids)
    return names, {relation: gathered.pairs() for relation, gathered in found.items()}


def _named(terminology: Terminology, fits: Mask, options: SimilarNameOptions) -> Iterator[tuple[int, str, list[str]]]:
    """Each fitting concept with its fully specified name and its other names, in the order of the release."""
    wanted = _wanted(terminology, options) & fits[terminology.term_concepts()]
    wanted &= terminology.term_statuses().among(("active",))
    rows = np.flatnonzero(wanted)
    kinds = terminology.term_kinds()
    terms = zip(
        terminology.term_concepts()[rows].tolist(),
        terminology.term_texts().take(rows),
        kinds.codes[rows].tolist(),
        strict=True,
    )
    fsn = kinds.names.index("fsn") if "fsn" in kinds.names else -1
    for concept, own in groupby(terms, key=lambda term: term[0]):
        listed = [(_written(text, kinds.names[kind]), kind) for _, text, kind in own]
        main = next((text for text, kind in listed if kind == fsn), listed[0][0])
        texts = [text for text, _ in listed if text]
        if main:
            yield concept, main, texts


def _wanted(terminology: Terminology, options: SimilarNameOptions) -> Mask:
    """A bitmap of the terms in the wanted languages and scopes."""
    spoken = in_languages(terminology.term_languages(), options.languages)
    return spoken & terminology.term_scopes().among(options.scopes)


def _model(terminology: Terminology) -> Mask:
    """A bitmap of SNOMED CT's concepts about itself: in the model component module, or below the model component."""
    mask = np.zeros(len(terminology), dtype=np.bool_)
    properties = terminology.part("properties")
    rows = np.flatnonzero(properties.coded["property_name"].among(("moduleId",)))
    if len(rows):
        owners = properties.owners()[rows]
        values = properties.texts["property_value"].take(rows).tolist()
        mask[owners[[value == _MODEL_MODULE for value in values]]] = True
    top = terminology.find(_MODEL_COMPONENT)
    if top is not None:
        mask[top] = True
        mask[np.asarray(terminology.hierarchy.descendants(top))] = True
    return mask


# Successors ----------------------------------------------------------------------------------------------------------


def _successions(
    terminology: Terminology, older: Sequence[Terminology]
) -> Iterator[tuple[SimilarityRelation, str, int]]:
    """Each retired or merged id with the row of its active successor and the relation between them."""
    ids = terminology.ids()
    known = known_associations(terminology)
    if any(name in known for name in _ASSOCIATIONS.values()):
        for relation, association in _ASSOCIATIONS.items():
            if association in known:
                for old, new in associated(terminology, association).tolist():
                    yield relation, ids[old], new
        return
    nameless = np.diff(terminology.term_bounds()) == 0
    for old, new in associated(terminology, "consider").tolist():
        yield "possibly-equivalent-to", ids[old], new
    for old, new in associated(terminology, "replaced_by").tolist():
        yield "same-as" if nameless[old] else "replaced-by", ids[old], new
    for old in np.flatnonzero(~terminology.active).tolist():
        if len(mappings := terminology.mappings_of(old)) == 1 and mappings[0].predicate_id == _STANDARD:
            row = terminology.current(mappings[0].object_id)
            if row is not None:
                yield "replaced-by", ids[old], row
    seen: set[str] = set()
    for release in older:
        for row in np.flatnonzero(release.active).tolist():
            old = release.id(row)
            new = terminology.find(old)
            if old not in seen and new is not None and terminology.active[new] and terminology.id(new) != old:
                seen.add(old)
                yield "same-as", old, new


class _FullNames:
    """The fully specified names of concepts, including retired and removed ones."""

    def __init__(self, terminology: Terminology, older: Sequence[Terminology], options: SimilarNameOptions) -> None:
        self.releases = (terminology, *older)
        self._wanted = [_wanted(release, options) for release in self.releases]

    def of(self, row: int) -> str:
        """The name of a concept of the release itself."""
        return self._name(0, row)

    def of_old(self, concept_id: str) -> str:
        """The name of a concept by its id, from the newest release that has one under exactly this id; else empty."""
        for number, release in enumerate(self.releases):
            row = release.find(concept_id)
            if row is not None and release.id(row) == concept_id and (name := self._name(number, row)):
                return name
        return ""

    def _name(self, number: int, row: int) -> str:
        """Of several fully specified names the active one, else the first, which is the latest."""
        release, wanted = self.releases[number], self._wanted[number]
        terms = [release.term(term) for term in release.terms_of(row) if wanted[term]]
        ranked = sorted(terms, key=lambda term: (term.kind != "fsn", term.status != "active"))
        return _written(ranked[0].text, ranked[0].kind) if ranked else ""


def _written(text: str, kind: str) -> str:
    """A name as written in a set: on one line, without marks that it is out of use."""
    return " ".join(as_in_use(text, kind).split())
