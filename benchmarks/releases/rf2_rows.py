"""The rows of concepts, relationships, axioms, reference sets and maps of RF2, a block of concepts at a time."""

from __future__ import annotations

import numpy as np

from . import metadata
from .draws import Column, Ints
from .kinds import KINDS, STRENGTH
from .package import Package
from .render import decimal, sctids, table, uuids
from .rf2_terms import Descriptions
from .versions import Lives, successions, versions
from .world import FIRST, NEVER, PARENT_SLOTS, SPECIAL, Block, World

_PER_CONCEPT, _GENERATIONS = 128, 8
_FURTHER_PARENTS = (1.0, 0.55, 0.2)
_FORMER_PARENTS = ((3, 1.0), (4, 0.9))
_ATTRIBUTES = ((5, 1.0), (6, 0.85), (7, 0.7), (8, 0.55), (9, 0.4))
_CONCRETE_SLOT = 10
_CONCRETE_SHARE = 0.33
_OLDER = 100
_KIND = {kind.tag: number for number, kind in enumerate(KINDS)}


def write_concepts(package: Package, world: World, block: Block) -> None:
    """Writes the concept rows of the block."""
    rows = package.needed(versions(block.born, block.dead, world.now, world.draws, "concept", block.numbers))
    defined = world.draws.happens(0.3, "defined", block.numbers)[rows.component]
    status = table([str(metadata.PRIMITIVE), str(metadata.DEFINED)])[(defined ^ rows.odd).astype(np.int64)]
    special = block.kinds[rows.component] == SPECIAL
    module = table([str(world.module), str(metadata.MODEL)])[special.astype(np.int64)]
    package.write("concept", rows, decimal(world.ids(block.numbers)), module, [status])


def write_relationships(package: Package, world: World, block: Block) -> None:
    """Writes the is-a and attribute rows of the block: those that hold, those that did, and those of retired ones."""
    found = [*_is_a(world, block), *_attributes(world, block)]
    row, target, type_id, group, slot, generation, born, dead = (
        np.concatenate([part[column] for part in found]) for column in range(8)
    )
    keys = block.numbers[row] * _PER_CONCEPT + slot * _GENERATIONS + generation
    order = np.argsort(keys)
    row, target, type_id, group, slot, born, dead, keys = (
        column[order] for column in (row, target, type_id, group, slot, born, dead, keys)
    )
    rows = package.needed(versions(born, dead, world.now, world.draws, "relationship", keys))
    at = rows.component
    # The first is-a changes its module instead of going for a while, so that no concept is ever without a parent.
    kept = slot[at] == 0
    module = table([str(world.module), str(metadata.MODEL)])[(kept & rows.odd).astype(np.int64)]
    rows.active[:] &= kept | ~rows.odd
    columns: list[Column] = [
        decimal(world.ids(block.numbers[row]))[at], decimal(world.targets.ids(target))[at], decimal(group)[at],
        decimal(type_id)[at], str(metadata.INFERRED).encode(), str(metadata.SOME).encode(),
    ]  # fmt: skip
    package.write("relationship", rows, decimal(sctids(keys, world.namespace, 12)), module, columns)


_Part = tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, Ints]


def _part(rows: Ints, lives: Lives, target: Ints, type_id: int, group: int, slot: int) -> _Part:
    there = target >= 0
    same = np.ones(int(there.sum()), dtype=np.int64)
    return (
        rows[lives.row][there], target[there], same * type_id, same * group, same * slot, lives.generation[there],
        lives.born[there], lives.dead[there],
    )  # fmt: skip


def _is_a(world: World, block: Block) -> list[_Part]:
    parts = []
    regular = block.kinds != SPECIAL
    root = world.ids(block.numbers) == metadata.ROOT
    for slot, share in enumerate(_FURTHER_PARENTS):
        some = world.draws.happens(share, "parent.further", block.numbers, slot)
        rows = np.flatnonzero(some & (regular | (slot == 0)) & ~root)
        own = block.take(rows)
        moving = world.options.changed / 2 if slot == 0 else 0.0
        until = np.where(own.kinds == SPECIAL, 0, own.dead)
        lives = successions(
            world, f"move.{slot}", own.numbers, own.born, until, early=0.0, late=moving, most=_GENERATIONS - 1
        )
        lives = Lives(lives.row, lives.generation, lives.born, np.where(lives.dead == 0, NEVER, lives.dead))
        target = world.parents(own.take(lives.row), slot, lives.generation)
        parts.append(_part(rows, lives, target, metadata.IS_A, 0, slot))
    for slot, share in _FORMER_PARENTS:
        some = world.draws.happens(share, "parent.former", block.numbers, slot)
        rows = np.flatnonzero(some & regular & (block.born < FIRST - 1))
        own = block.take(rows)
        left = own.born + 1 + world.draws.below(f"parent.left.{slot}", FIRST - 1 - own.born, own.numbers)
        lives = Lives(np.arange(len(rows)), 0 * rows, own.born, np.minimum(left, own.dead))
        target = world.parents(own, slot % PARENT_SLOTS, 0 * rows + _OLDER + slot)
        parts.append(_part(rows, lives, target, metadata.IS_A, 0, slot))
    return parts


def _attributes(world: World, block: Block) -> list[_Part]:
    parts = []
    for number, kind in enumerate(KINDS):
        for place, (slot, share) in enumerate(_ATTRIBUTES):
            if not kind.attributes:
                continue
            type_id, tag = kind.attributes[place % len(kind.attributes)]
            some = world.draws.happens(share, "attribute", block.numbers, slot)
            rows = np.flatnonzero((block.kinds == number) & some)
            own = block.take(rows)
            target = world.target(own, _KIND[tag], f"attribute.{slot}")
            lives = Lives(np.arange(len(rows)), 0 * rows, own.born, own.dead)
            parts.append(_part(rows, lives, target, type_id, 1 + place // 2, slot))
    return parts


def write_concrete(package: Package, world: World, block: Block) -> None:
    """Writes the concrete values of the block: strengths of a share of the clinical drugs."""
    drugs = block.kinds == _KIND["clinical drug"]
    own = block.take(drugs & world.draws.happens(_CONCRETE_SHARE, "concrete", block.numbers))
    keys = own.numbers * _PER_CONCEPT + _CONCRETE_SLOT * _GENERATIONS
    rows = package.needed(versions(own.born, own.dead, world.now, world.draws, "concrete", keys))
    strength = world.draws.below("strength", 400, own.numbers)
    values = table([f"#{(number + 1) / 4:g}" for number in range(400)])[strength]
    columns: list[Column] = [
        decimal(world.ids(own.numbers))[rows.component], values[rows.component], b"1", str(STRENGTH).encode(),
        str(metadata.INFERRED).encode(), str(metadata.SOME).encode(),
    ]  # fmt: skip
    package.write("concrete", rows, decimal(sctids(keys, world.namespace, 12)), _module(world), columns)


def write_axioms(package: Package, world: World, block: Block) -> None:
    """Writes one OWL axiom for each concept but the root: subclass of its first parent."""
    own = block.take(world.ids(block.numbers) != metadata.ROOT)
    parents = world.parents(own, 0, 0 * own.numbers)
    rows = package.needed(versions(own.born, own.dead, world.now, world.draws, "owl", own.numbers, changing=False))
    child, parent = decimal(world.ids(own.numbers)), decimal(world.targets.ids(parents))
    at = rows.component
    opening, closing = table(["SubClassOf(:"]), table([")"])
    axiom = np.concatenate(
        [
            np.broadcast_to(opening, (len(at), opening.shape[1])), child[at],
            np.broadcast_to(table([" :"]), (len(at), 2)), parent[at], np.broadcast_to(closing, (len(at), 1)),
        ],
        axis=1,
    )  # fmt: skip
    columns: list[Column] = [str(metadata.OWL_AXIOM).encode(), child[at], axiom]
    package.write("owl", rows, uuids(world.draws, "owl", own.numbers), _module(world), columns)


def write_retired(package: Package, world: World, block: Block, found: Descriptions) -> None:
    """Writes why the retired concepts and descriptions of the block were retired, and what takes their place."""
    gone = block.take(block.dead <= world.now)
    reasons = world.reasons(gone)
    never = np.full(len(gone), NEVER)
    ids = decimal(world.ids(gone.numbers))
    rows = package.needed(versions(gone.dead, never, world.now, world.draws, "reason", gone.numbers, changing=False))
    why = table([str(reason) for _, reason, _, _ in metadata.REASONS])[reasons]
    columns: list[Column] = [str(metadata.CONCEPT_REASON).encode(), ids[rows.component], why[rows.component]]
    package.write("reason", rows, uuids(world.draws, "reason", gone.numbers), _module(world), columns)
    sets = table([str(refset) for _, _, refset, _ in metadata.REASONS])[reasons]
    named = np.array([count for _, _, _, count in metadata.REASONS])[reasons]
    for turn in range(2):
        target = np.full(len(gone), -1)
        for kind in range(len(KINDS)):
            alike = np.flatnonzero(gone.kinds == kind)
            target[alike] = world.target(gone.take(alike), kind, f"replacement.{turn}")
        own = np.flatnonzero((named > turn) & (target >= 0))
        times = versions(
            gone.dead[own], never[own], world.now, world.draws, "association", gone.numbers[own], changing=False
        )
        rows = package.needed(times)
        at = own[rows.component]
        columns = [sets[at], ids[at], decimal(world.targets.ids(np.maximum(target, 0)))[at]]
        package.write(
            "association", rows, uuids(world.draws, f"association.{turn}", gone.numbers[own]), _module(world), columns
        )
    _write_description_reasons(package, world, block, found)


def _write_description_reasons(package: Package, world: World, block: Block, found: Descriptions) -> None:
    """Retired descriptions were outdated; those that stay on a retired concept say that it is."""
    moment = np.minimum(found.dead, block.dead[found.row])
    own = np.flatnonzero(moment <= world.now)
    times = versions(
        moment[own],
        np.full(len(own), NEVER),
        world.now,
        world.draws,
        "description.reason",
        found.keys[own],
        changing=False,
    )
    rows = package.needed(times)
    at = own[rows.component]
    why = table([str(metadata.OUTDATED), str(metadata.CONCEPT_RETIRED)])[
        (found.dead[at] > block.dead[found.row[at]]).astype(np.int64)
    ]
    columns: list[Column] = [
        str(metadata.DESCRIPTION_REASON).encode(),
        decimal(sctids(found.keys, world.namespace, 11))[at],
        why,
    ]
    members = uuids(world.draws, "description.reason", found.keys[own])
    package.write("reason", rows, members, _module(world), columns)


def write_simple(package: Package, world: World, block: Block) -> None:
    """Writes the simple reference set: every twentieth finding, disorder and procedure."""
    some = world.draws.happens(0.05, "simple", block.numbers) & (block.kinds >= 0) & (block.kinds <= 2)
    own = block.take(some)
    rows = package.needed(versions(own.born, own.dead, world.now, world.draws, "simple", own.numbers, changing=False))
    columns: list[Column] = [str(metadata.SIMPLE).encode(), decimal(world.ids(own.numbers))[rows.component]]
    package.write("simple", rows, uuids(world.draws, "simple", own.numbers), _module(world), columns)


def _module(world: World) -> bytes:
    return str(world.module).encode()
