"""The rows of MRREL: every relation in both directions, by first concept, from compact arrays of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .draws import Bools, Bytes, Column, Counts, Ints
from .kinds import KINDS
from .render import decimal, lines, table
from .rrf_atoms import auis, cuis, scale_to
from .rrf_files import Folder
from .rrf_tables import LINKS, PRIMARY_ATOM, RELATIONS, SIBLING_LINK, SIBLING_SHARE
from .world import NEVER, Block, World

Small = npt.NDArray[np.int32]

_SLOTS = 32
_SIBLING_SLOT = 15
_KIND = {kind.tag: number for number, kind in enumerate(KINDS)}
_MOVED = 10**9

_Part = tuple[Small, Small, Counts, Counts]
"""Source, target, place and link of some pairs."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Related concepts, ordered by ``source``: the older ``target``, the place in ``RELATIONS``, the row of ``LINKS``.

    ``backwards`` are their rows ordered by target. ``sibling`` gives for every concept the next child of its first
    parent, or -1, and ``elder`` the one before.
    """

    source: Small
    target: Small
    place: Counts
    link: Counts
    backwards: Small
    sibling: Small
    elder: Small

    @property
    def rows(self) -> int:
        """How many rows MRREL has."""
        return 2 * (len(self.source) + int((self.sibling >= 0).sum()))


def relate(world: World, moved: Counts, wanted: float, block_size: int) -> Pairs:
    """The pairs of a terminology with about ``wanted`` of them for each concept, in 10 bytes each.

    Raises:
        ValueError: more are wanted than there can be, or fewer than one for each.
    """
    scale = _scale(wanted)
    found: list[_Part] = []
    for start in range(0, world.size, block_size):
        block = world.block(start, start + block_size)
        block = block.take(block.dead == NEVER)
        part = _joined([_related(world, block, place, moved, scale) for place in range(len(RELATIONS))])
        order = np.argsort(part[0], kind="stable")
        found.append((part[0][order], part[1][order], part[2][order], part[3][order]))
    source, target, place, link = _joined(found)
    backwards = np.argsort(target, kind="stable").astype(np.int32)
    sibling, elder = _siblings(world, source, target, place, backwards, scale)
    return Pairs(source, target, place, link, backwards, sibling, elder)


def _joined(parts: list[_Part]) -> _Part:
    return (
        np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]), np.concatenate([part[3] for part in parts]),
    )  # fmt: skip


def _scale(wanted: float) -> float:
    """What the chances are multiplied with, the first parent's apart, so that a concept has so many on average."""
    return scale_to([*(relating.share for relating in RELATIONS[1:]), SIBLING_SHARE], wanted, "relations")


def _related(world: World, block: Block, place: int, moved: Counts, scale: float) -> _Part:
    relating = RELATIONS[place]
    share = 1.0 if place == 0 else min(1.0, relating.share * scale)
    own = block.take(world.draws.happens(share, "related", block.numbers, place))
    if relating.parent >= 0:
        changes = moved[own.numbers].astype(np.int64) if relating.parent == 0 else 0 * own.numbers
        target = world.parents(own, relating.parent, changes)
    elif relating.kind:
        target = world.target(own, _KIND[relating.kind], f"related.{place}")
    else:
        target = _alike(world, own, place)
    there = (target >= 0) & (target != own.numbers)
    links = np.array(relating.links, dtype=np.uint8)
    link = links[world.draws.below("related.link", len(links), own.numbers, place)]
    return (
        own.numbers[there].astype(np.int32), target[there].astype(np.int32),
        np.full(int(there.sum()), place, dtype=np.uint8), link[there],
    )  # fmt: skip


def _alike(world: World, block: Block, place: int) -> Ints:
    """For each concept an older one of its own kind, or -1."""
    limit = world.inner_before(block.kinds, block.numbers)
    rank = world.draws.below(f"related.{place}", limit, block.numbers)
    return np.where(limit > 0, world.inner(block.kinds, rank), -1)


def _siblings(
    world: World, source: Small, target: Small, place: Counts, backwards: Small, scale: float
) -> tuple[Small, Small]:
    """The next and the last child of each concept's first parent, for a share of the concepts."""
    children = backwards[place[backwards] == 0]
    left, right = source[children[:-1]], source[children[1:]]
    same = target[children[:-1]] == target[children[1:]]
    some = world.draws.happens(min(1.0, SIBLING_SHARE * scale), "sibling", left)
    left, right = left[same & some], right[same & some]
    sibling, elder = np.full(world.size, -1, dtype=np.int32), np.full(world.size, -1, dtype=np.int32)
    sibling[left], elder[right] = right, left
    return sibling, elder


def write_relations(
    folder: Folder, world: World, pairs: Pairs, changes: Counts, moved: Counts, block_size: int
) -> None:
    """Writes MRREL, sorted by the first concept; a row is read from the second concept to the first."""
    arrived = pairs.target[pairs.backwards]
    for start in range(0, world.size, block_size):
        stop = min(start + block_size, world.size)
        ahead = slice(*np.searchsorted(pairs.source, [start, stop]))
        back = pairs.backwards[slice(*np.searchsorted(arrived, [start, stop]))]
        numbers = np.arange(start, stop)
        younger, older = (numbers[column[start:stop] >= 0] for column in (pairs.sibling, pairs.elder))
        sides = (
            (pairs.source[ahead], pairs.target[ahead], pairs.place[ahead], pairs.link[ahead], False),
            (pairs.target[back], pairs.source[back], pairs.place[back], pairs.link[back], True),
            (younger, pairs.sibling[younger], _SIBLING_SLOT, SIBLING_LINK, False),
            (older, pairs.elder[older], _SIBLING_SLOT, SIBLING_LINK, True),
        )
        first, second, place, link, turned = (
            np.concatenate([np.broadcast_to(np.asarray(side[part]), np.shape(side[0])) for side in sides]).astype(
                np.int64
            )
            for part in range(5)
        )
        order = np.argsort(first, kind="stable")
        columns = _columns(first[order], second[order], place[order], link[order], turned[order] > 0, changes, moved)
        if len(order):
            folder.write("MRREL.RRF", lines(columns, between=b"|", end=b"|\n"))


def _columns(
    first: Ints, second: Ints, place: Ints, link: Ints, turned: Bools, changes: Counts, moved: Counts
) -> list[Column]:
    way = link * 2 + turned
    younger = np.where(turned, second, first)
    times = np.where(place == 0, moved[younger].astype(np.int64), 0)
    identity = younger * _SLOTS + place * 2 + turned + times * _MOVED
    rel, rela, sab, direction = _labels()
    return [
        cuis(first), auis(first, PRIMARY_ATOM, changes[first].astype(np.int64)), b"AUI", rel[way], cuis(second),
        auis(second, PRIMARY_ATOM, changes[second].astype(np.int64)), b"AUI", rela[way],
        np.concatenate([np.full((len(way), 1), ord("R"), dtype=np.uint8), decimal(identity, 10)], axis=1), b"",
        sab[way], sab[way], b"", direction[way], b"N", b"",
    ]  # fmt: skip


def _labels() -> tuple[Bytes, Bytes, Bytes, Bytes]:
    """REL, RELA, SAB and DIR by row of ``LINKS`` and direction; a source that names relations says which it means."""
    rows = [
        row
        for link in LINKS
        for row in (
            (link.rel, link.rela, link.sab, "N" if link.rela else ""),
            (link.back, link.back_rela, link.sab, "Y" if link.back_rela else ""),
        )
    ]
    rel, rela, sab, direction = (table([row[part] for row in rows]) for part in range(4))
    return rel, rela, sab, direction
