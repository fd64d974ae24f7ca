"""What the API says of the artifacts themselves: what is served, concepts and the hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ontonym.arrays import Rows32
from ontonym.errors import InputError, UnknownIdError
from ontonym.index.added import added_counts
from ontonym.manifest import ontonym_version
from ontonym.serve.api.parameters import ApiValues
from ontonym.serve.api.shapes import named_shape, placed_concept_shape, terminology_shape, ways_of
from ontonym.serve.concepts import levels_within, ordered_roots, roots_shape, tree_shape
from ontonym.serve.library import Opened
from ontonym.store import Terminology
from ontonym.store.export.fhirproperties import code_of
from ontonym.store.hierarchy import Hierarchy
from ontonym.tasks.concepts import ConceptView, find_concept

MOST_IN_TREE = 1_000
"""The most concepts from the one asked for down, or from the top down, in a tree: some 150 kB."""
MOST_SORTED = 10_000
"""The most concepts around one that are sorted: some 20 ms."""

RELATIONS: Mapping[str, Callable[[Hierarchy, int], Rows32]] = {
    "children": Hierarchy.children,
    "parents": Hierarchy.parents,
    "siblings": Hierarchy.siblings,
    "ancestors": Hierarchy.ancestors,
    "descendants": Hierarchy.descendants,
}


def about_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """What is served: indexes, terminologies with their tags and languages, and reviews; whether anybody may write."""
    return {
        "ontonym": ontonym_version(),
        "generation": opened.number,
        "writable": given["writable"],
        "indexes": [
            {
                "name": name,
                "fingerprint": index.manifest.fingerprint,
                "names": index.name_count,
                "concepts": index.concept_count,
                "terminologies": [one.name for one in index.terminologies],
                "added_terms": added_counts(index.manifest.content)[0],
            }
            for name, index in opened.indexes.items()
        ],
        "terminologies": [terminology_shape(name, one) for name, one in opened.terminologies.items()],
        "reviews": list(opened.reviews),
    }


def concept_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The whole record of a concept, and its code as other systems write it: without the prefix, unless that is part of
    the codes.
    """
    terminology, row = located(opened, given["id"], given["terminology"])
    index = next((one for one in opened.indexes.values() if terminology in one.terminologies), None)
    view = ConceptView(terminology, row, index)
    return {**placed_concept_shape(ways_of(opened), view), "code": code_of(view.id)}


def tree_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The hierarchy around a concept as a tree, or its top where no id is given; ``levels`` are those that had room."""
    each = given["count"]

    def fitting(terminology: Terminology, rows: Sequence[int]) -> int:
        return levels_within(terminology, rows, given["levels"], each=each, most=MOST_IN_TREE)

    if not given["id"]:
        terminology = opened.terminology(given["terminology"])
        levels = fitting(terminology, ordered_roots(terminology)[:each])
        return {**roots_shape(terminology, levels=levels, most=each), "levels": levels}
    terminology, row = located(opened, given["id"], given["terminology"])
    levels = fitting(terminology, [row])
    return {**tree_shape(ConceptView(terminology, row), levels=levels, most=each), "levels": levels}


def hierarchy_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """What is around a concept in the hierarchy, a page of it; roots where no id is given.

    Up to `MOST_SORTED` concepts are by preferred term, more in the order of the release.
    """
    relation = given["relation"] or ("children" if given["id"] else "roots")
    if relation == "roots":
        terminology, row = opened.terminology(given["terminology"]), None
        rows = terminology.hierarchy.roots()
    elif not given["id"]:
        raise InputError(f"the parameter id is missing: the concept whose {relation} are asked for")
    else:
        terminology, row = located(opened, given["id"], given["terminology"])
        rows = RELATIONS[relation](terminology.hierarchy, row)
    ordered = _by_preferred(terminology, rows) if len(rows) <= MOST_SORTED else rows
    page = ordered[given["offset"] : given["offset"] + given["count"]]
    return {
        "terminology": terminology.name,
        "id": None if row is None else terminology.id(row),
        "preferred": None if row is None else terminology.preferred(row),
        "path": [] if row is None else ways_of(opened).to(terminology, row),
        "relation": relation,
        "total": len(rows),
        "offset": given["offset"],
        "concepts": [named_shape(terminology, one) for one in page.tolist()],
    }


def _by_preferred(terminology: Terminology, rows: Rows32) -> Rows32:
    texts = [terminology.preferred(row).casefold() for row in rows.tolist()]
    return np.asarray([row for _, row in sorted(zip(texts, rows.tolist(), strict=True))], dtype=np.uint32)


def located(opened: Opened, concept_id: str, name: str = "") -> tuple[Terminology, int]:
    """The terminology and row of a concept by its id, with or without its prefix or dot.

    In the terminology named, or in the first that has it as it is written, then otherwise. UnknownIdError lists the
    nearest ids.
    """
    terminologies = [opened.terminology(name)] if name else list(opened.terminologies.values())
    for terminology in terminologies:
        if (row := terminology.find(concept_id)) is not None:
            return terminology, row
    failed = []
    for terminology in terminologies:
        try:
            return terminology, find_concept(terminology, concept_id).row
        except UnknownIdError as error:
            failed.append(error)
    if len(failed) == 1 or any(error.nearest for error in failed):
        raise next((error for error in failed if error.nearest), failed[0])
    raise UnknownIdError(concept_id, ", ".join(opened.terminologies))
