"""The links of SNOMED CT concepts: is-a, attributes, values, historical associations and maps."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Column, places_in
from ontonym.ontology.batch import BatchBuilder
from ontonym.ontology.rf2.components import Loader, Rf2Rows, Wanted
from ontonym.ontology.rf2.ids import (
    ASSOCIATIONS,
    CORRELATIONS,
    INACTIVATION_REASON,
    IS_A,
    MAP_PREFIXES,
    MEMBER_OF,
    REPLACING,
    STATED,
    SUGGESTING,
)
from ontonym.ontology.rf2.names import TAG, SnomedNames
from ontonym.ontology.xrefs import prefixed
from ontonym.text.strings import Coded, Strings, mixed

INACTIVE = "row that is no longer active"
NO_CONCEPT = "row of a component that is not a concept of the release"
STATED_ROW = "stated relationship where inferred ones are read"
OTHER_ATTRIBUTE = "attribute of a description"
PREFIX = "SCTID:"
CURATED = "semapv:ManualMappingCuration"

LINK_TABLES = MappingProxyType(
    {
        "relationship": Wanted(("sourceId", "destinationId", "typeId", "characteristicTypeId")),
        "concrete": Wanted(("sourceId", "typeId"), ("value",)),
        "association": Wanted(("refsetId", "referencedComponentId", "targetComponentId")),
        "attribute": Wanted(("refsetId", "referencedComponentId", "valueId")),
        "simple": Wanted(("refsetId", "referencedComponentId")),
        "simple map": Wanted(("refsetId", "referencedComponentId"), ("mapTarget",)),
        "extended map": Wanted(
            ("refsetId", "referencedComponentId", "mapGroup", "mapPriority", "correlationId"),
            ("mapRule", "mapAdvice", "mapTarget"),
        ),
    }
)
"""The tables read, and which of their columns."""


class Spoken:
    """The concepts by id: their places, and what each is called."""

    def __init__(self, ids: Column, names: SnomedNames) -> None:
        self._ids = ids
        self._names = names
        self._first = names.first_of(len(ids))

    def places(self, ids: Column) -> Column:
        """The place of each concept, -1 for unknown ones."""
        return places_in(self._ids, ids)

    def coded(self, ids: Column) -> Coded:
        """The concepts as their names: few distinct ones, types and reference sets."""
        distinct, codes = np.unique(ids, return_inverse=True)
        return Coded(codes.astype(np.uint32), tuple(self.name(concept_id) for concept_id in distinct.tolist()))

    def name(self, concept_id: int) -> str:
        """The preferred term without a semantic tag, or the id where the release does not have the concept."""
        place = int(self.places(np.array([concept_id]))[0])
        first = -1 if place < 0 else int(self._first[place])
        return str(concept_id) if first < 0 else TAG.sub("", self._names.text[first]).strip()


def link_concepts(table: str, rows: Rf2Rows, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    """Adds the rows of one of `LINK_TABLES` to the concepts."""
    rows = loader.drop(rows, ~rows["active"], INACTIVE)
    owner_column = "sourceId" if "sourceId" in rows.numbers else "referencedComponentId"
    owners = spoken.places(rows[owner_column])
    rows = loader.drop(rows, owners < 0, NO_CONCEPT)
    _ADDERS[table](rows, owners[owners >= 0], spoken, loader, gathered)


def _relationships(rows: Rf2Rows, owners: Column, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    stated = rows["characteristicTypeId"] == STATED
    rows, owners = loader.drop(rows, stated, STATED_ROW), owners[~stated]
    is_a = rows["typeId"] == IS_A
    gathered.add("parents", owners[is_a], {"parents": Strings.decimal(rows["destinationId"][is_a], PREFIX)})
    # the same attribute in several role groups is one relation
    _, first = np.unique(mixed(owners[~is_a], rows["typeId"][~is_a], rows["destinationId"][~is_a]), return_index=True)
    first = np.flatnonzero(~is_a)[np.sort(first)]
    gathered.add(
        "relations",
        owners[first],
        {"relation_target": Strings.decimal(rows["destinationId"][first], PREFIX)},
        {"relation_predicate": spoken.coded(rows["typeId"][first])},
    )


def _concrete(rows: Rf2Rows, owners: Column, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    values = [value[1:] if value.startswith("#") else value.strip('"') for value in rows.texts["value"]]
    texts = {"property_value": Strings.of(values)}
    gathered.add("properties", owners, texts, {"property_name": spoken.coded(rows["typeId"])})


def _associations(rows: Rf2Rows, owners: Column, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    targets = Strings.decimal(rows["targetComponentId"], PREFIX)
    distinct, codes = np.unique(rows["refsetId"], return_inverse=True)
    names = [ASSOCIATIONS.get(refset) or spoken.name(refset) for refset in distinct.tolist()]
    predicates = Coded(codes.astype(np.uint32), names)
    gathered.add("relations", owners, {"relation_target": targets}, {"relation_predicate": predicates})
    for group, meant in (("replaced_by", REPLACING), ("consider", SUGGESTING)):
        chosen = np.flatnonzero(np.isin(codes, [place for place, name in enumerate(names) if name in meant]))
        gathered.add(group, owners[chosen], {group: targets.take(chosen)})


def _attributes(rows: Rf2Rows, owners: Column, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    reasons = rows["refsetId"] == INACTIVATION_REASON
    rows, owners = loader.drop(rows, ~reasons, OTHER_ATTRIBUTE), owners[reasons]
    gathered.add(
        "properties",
        owners,
        {"property_value": spoken.coded(rows["valueId"]).strings()},
        {"property_name": Coded.same("inactivation reason", len(owners))},
    )


def _members(rows: Rf2Rows, owners: Column, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    names = Coded.same(MEMBER_OF, len(owners))
    gathered.add("properties", owners, {"property_value": Strings.decimal(rows["refsetId"])}, {"property_name": names})


def _simple_maps(rows: Rf2Rows, owners: Column, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    predicates = Coded.same("skos:relatedMatch", len(rows))
    gathered.add_mappings(owners, _targets(rows), predicates, CURATED, spoken.coded(rows["refsetId"]))


def _extended_maps(rows: Rf2Rows, owners: Column, spoken: Spoken, loader: Loader, gathered: BatchBuilder) -> None:
    distinct, codes = np.unique(rows["correlationId"], return_inverse=True)
    predicates = Coded(codes, [CORRELATIONS.get(value, "skos:relatedMatch") for value in distinct.tolist()])
    order = np.lexsort((rows["mapPriority"], rows["mapGroup"], rows["refsetId"], owners))
    rows, owners = rows.only(order), owners[order]
    gathered.add_mappings(
        owners,
        _targets(rows),
        Coded(predicates.codes[order], predicates.names),
        CURATED,
        spoken.coded(rows["refsetId"]),
        notes=(rows.texts["mapRule"], rows.texts["mapAdvice"]),
        places=(rows["mapGroup"], rows["mapPriority"]),
    )


def _targets(rows: Rf2Rows) -> Strings:
    """The targets of maps as CURIEs where the map's system is known; empty targets stay empty."""
    texts = rows.texts["mapTarget"]
    refsets, codes = np.unique(rows["refsetId"], return_inverse=True)
    names = [MAP_PREFIXES.get(refset, "") for refset in refsets.tolist()]
    return prefixed(texts, Coded(np.where(texts.lengths > 0, codes, len(names)), [*names, ""]))


_ADDERS: dict[str, Callable[[Rf2Rows, Column, Spoken, Loader, BatchBuilder], None]] = {
    "relationship": _relationships,
    "concrete": _concrete,
    "association": _associations,
    "attribute": _attributes,
    "simple": _members,
    "simple map": _simple_maps,
    "extended map": _extended_maps,
}
