"""The JSON shapes of the API that the command line does not print: concepts, their places, what is served."""

from __future__ import annotations

from typing import Any

from ontonym.serve.concepts import concept_shape
from ontonym.serve.library import Opened
from ontonym.store import Terminology
from ontonym.tasks.completing import Completion
from ontonym.tasks.concepts import ConceptView
from ontonym.tasks.match import Matched

MOST_CHILDREN = 100
"""Most children that are listed with a concept."""
MOST_STEPS = 40
"""Most steps of a way up."""
MOST_WAYS = 10_000
"""Most ways that are kept."""


def named_shape(terminology: Terminology, row: int) -> dict[str, Any]:
    """A concept in a list: id, preferred term, status, and how many children it has."""
    return {
        "id": terminology.id(row),
        "preferred": terminology.preferred(row),
        "status": terminology.status(row),
        "children": len(terminology.hierarchy.children(row)),
    }


class Ways:
    """Ways from a root down to concepts; those to the parents of concepts are kept, since many concepts share them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Terminology, int], list[dict[str, str]]] = {}

    def to(self, terminology: Terminology, row: int) -> list[dict[str, str]]:
        """The way from a root down to a concept's first parent, by first parents; empty for a root."""
        edges = terminology.hierarchy.parent_edges
        above = edges.of(row)
        climbed: list[int] = []
        way: list[dict[str, str]] = []
        while len(above) and len(climbed) < MOST_STEPS:
            known = self._kept.get((terminology, int(above[0])))
            if known is not None:
                way = known
                break
            climbed.append(int(above[0]))
            above = edges.of(climbed[-1])
        for one in reversed(climbed):
            way = [*way, {"id": terminology.id(one), "preferred": terminology.preferred(one)}]
            if len(self._kept) >= MOST_WAYS:
                self._kept.clear()
            self._kept[terminology, one] = way
        return way[-MOST_STEPS:]


def ways_of(opened: Opened) -> Ways:
    """The ways of a generation."""
    return opened.once("ways", Ways)


def completion_shape(ways: Ways, terminology: Terminology, one: Completion) -> dict[str, Any]:
    """A completion with its way from a root."""
    return {
        "id": one.id,
        "preferred": one.preferred,
        "matched": one.matched,
        "kind": one.kind,
        "terminology": one.terminology,
        "status": one.status,
        "by": one.way,
        "path": way_of(ways, terminology, one.id),
    }


def way_of(ways: Ways, terminology: Terminology, concept_id: str) -> list[dict[str, str]]:
    """The way from a root to the concept with an id; empty for an id that the terminology has not."""
    row = terminology.find(concept_id)
    return [] if row is None else ways.to(terminology, row)


def placed_concept_shape(ways: Ways, view: ConceptView) -> dict[str, Any]:
    """A concept as `ontonym.serve.concepts` shapes it, with its way from a root and its first children, all counted."""
    children = [named_shape(one.terminology, one.row) for one in view.children[:MOST_CHILDREN]]
    return concept_shape(view) | {
        "path": ways.to(view.terminology, view.row),
        "parents": [named_shape(one.terminology, one.row) for one in view.parents],
        "children": children,
        "children_total": len(view.terminology.hierarchy.children(view.row)),
    }


def terminology_shape(name: str, terminology: Terminology) -> dict[str, Any]:
    """A terminology: its release, and what its concepts can be filtered by."""
    metadata, statistics = terminology.metadata, terminology.statistics
    return {
        "name": name,
        "version": terminology.version,
        "title": metadata.get("title") or name,
        "licence": metadata.get("licence", ""),
        "fingerprint": terminology.fingerprint,
        "concepts": len(terminology),
        "terms": terminology.term_count,
        "languages": statistics.get("terms_by_language", {}),
        "tags": sorted(terminology.tags),
        "has_hierarchy": bool(terminology.hierarchy.edge_count),
    }


def candidates_shape(found: Matched) -> dict[str, Any]:
    """A source concept with the concepts of an index that it may be the same as."""
    return {
        "id": found.id,
        "preferred": found.preferred,
        "candidates": [
            {
                "id": one.id, "preferred": one.preferred, "predicate": one.predicate, "score": round(one.score, 4),
                "similarity": round(one.similarity, 4), "name": one.name, "matched": one.matched,
                "reason": {"rule": one.reason.rule, "detail": one.reason.detail},
                "found": one.found, "names": one.of, "referenced": one.referenced,
            }
            for one in found.candidates
        ],
    }  # fmt: skip
