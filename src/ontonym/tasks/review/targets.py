"""The index that the targets of a review come from: it completes and checks ids, and says what is around a concept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ontonym.artifact import is_url
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.store.mappingfile import MappingFile
from ontonym.tasks.codes import code_hits
from ontonym.tasks.review.items import Item

_SLOT, _SAID = "other", "target index: "
SIBLINGS = 6
"""How many concepts beside a target are named."""


def index_slot(index: Path | str, output: Path | str) -> Mapping[str, str]:
    """The metadata by which a candidates file at ``output`` names the index that was searched, from its own folder.

    None for a shared index, whose URL may hold a password.
    """
    if is_url(index):
        return {}
    place, folder = Path(index).absolute(), Path(output).absolute().parent
    try:
        return {_SLOT: f"{_SAID}{os.path.relpath(place, folder)}"}
    except ValueError:  # another drive
        return {_SLOT: f"{_SAID}{place}"}


def target_index(candidates: Path | str) -> Path | None:
    """Where the index is that a candidates file names; None where it names none, or it is not there any more."""
    said = MappingFile(candidates).facts.get(_SLOT, "")
    if not said.startswith(_SAID):
        return None
    place = Path(candidates).absolute().parent / said.removeprefix(_SAID)
    return Path(os.path.normpath(place)) if place.is_dir() else None


def checked_target(index: Index, item: Item, target: str) -> tuple[str, str]:
    """The id and the preferred term of what a reviewer calls a target: an id, or a code without its prefix.

    Raises InputError for what is no concept of the index, or a code of several.
    """
    if (known := item.candidate(target)) is not None:
        return known.id, known.label
    prefixes = dict.fromkeys(one.id.partition(":")[0] for one in item.candidates) if ":" not in target else {}
    asked = [target, *(f"{prefix}:{target}" for prefix in prefixes)]
    found = {hit.id: hit for text in asked for hit in code_hits(index, text)}
    if not found:
        hint = f"Look for it in {index.path} with `search()`, or take it as it is, `unchecked=`"
        raise InputError(f"no concept {target!r} in {index.name}. {hint}")
    if len(found) > 1:
        raise InputError(f"{target!r} is the code of {' and of '.join(found)}: give it with its prefix")
    (hit,) = found.values()
    if hit.status == "retired":
        raise InputError(f"{hit.id} {hit.preferred} is retired: give an active concept, or `unchecked=`")
    return hit.id, hit.preferred


def completed_target(item: Item, others: Iterable[Item], target: str) -> str:
    """A code without a prefix with that of all candidates, where they have one; nothing is looked up."""
    if ":" in target or item.candidate(target) is not None:
        return target
    prefixes = {one.id.partition(":")[0] for each in others for one in each.candidates if ":" in one.id}
    return f"{prefixes.pop()}:{target}" if len(prefixes) == 1 else target


@dataclass(frozen=True, slots=True)
class TargetAround:
    """What is around a target: what it is, what it is a kind of, and what else is; names only."""

    definition: str
    parents: tuple[str, ...]
    siblings: tuple[str, ...]
    more: int


def around(index: Index, target: str) -> TargetAround | None:
    """The definition, the parents and the first `SIBLINGS` siblings of a concept of the index; None for another id."""
    number = index.find(target)
    if number is None:
        return None
    terminology, row = index.locate(number)
    parents, siblings = terminology.hierarchy.parents(row).tolist(), terminology.hierarchy.siblings(row).tolist()
    return TargetAround(
        next(iter(terminology.concept(row).definitions), ""),
        tuple(map(terminology.preferred, parents)),
        tuple(map(terminology.preferred, siblings[:SIBLINGS])),
        max(len(siblings) - SIBLINGS, 0),
    )
