"""The rows of descriptions, text definitions and language reference sets, a block of concepts at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import metadata
from .draws import Bools, Bytes, Column, Ints
from .grammar import Namer
from .kinds import DEFINITION, KINDS
from .package import Package
from .render import decimal, sctids, table, uuids
from .versions import Lives, successions, versions
from .world import FIRST, NEVER, SPECIAL, Block, World

FSN_SLOT, PREFERRED_SLOT, BRITISH_SLOT, LATE_SLOT, DEFINITION_SLOT = 0, 1, 2, 6, 7
_SYNONYM_SLOTS = ((3, 0.42), (4, 0.25), (5, 0.13))
_ABBREVIATED = 0.15
_GENERATIONS = 16
_PER_CONCEPT = 128
_DEFINED_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Descriptions of a block: the row of their concept, slot, generation, times; ``spelled`` where the concept's
    preferred name has a British spelling of its own. ``keys`` number them over the whole terminology.
    """

    row: Ints
    slot: Ints
    generation: Ints
    born: Ints
    dead: Ints
    spelled: Bools
    keys: Ints

    def __len__(self) -> int:
        return len(self.row)


def descriptions(world: World, namer: Namer, block: Block) -> Descriptions:
    """All descriptions and text definitions of the block's concepts up to the release, by concept."""
    changed = world.options.changed
    regular = block.kinds != SPECIAL
    spelled = np.zeros(len(block), dtype=bool)
    spelled[regular] = namer.differs(block.kinds[regular], block.members[regular])
    never = np.full(len(block), NEVER)
    everyone = np.ones(len(block), dtype=bool)
    found: list[tuple[int, Lives, Ints]] = []
    for slot, present in ((FSN_SLOT, everyone), (PREFERRED_SLOT, everyone), (BRITISH_SLOT, spelled)):
        rows = np.flatnonzero(present)
        found.append((slot, _named(world, block.take(rows)), rows))
    for slot, share in _SYNONYM_SLOTS:
        rows = np.flatnonzero(regular & world.draws.happens(share, "synonym", block.numbers, slot))
        rows = rows[_worded(namer, world, block, rows, slot)]
        found.append((slot, _synonyms(world, block.take(rows), slot), rows))
    late = never.copy()
    for time in range(world.now, FIRST - 1, -1):
        gained = regular & (block.born < time) & (block.dead > time)
        late[gained & world.draws.happens(changed / 2, "synonym.gained", block.numbers, time)] = time
    rows = np.flatnonzero(late < NEVER)
    found.append((LATE_SLOT, Lives(np.arange(len(rows)), 0 * rows, late[rows], never[rows]), rows))
    rows = np.flatnonzero(regular & world.draws.happens(_DEFINED_SHARE, "definition", block.numbers))
    found.append((DEFINITION_SLOT, Lives(np.arange(len(rows)), 0 * rows, block.born[rows], never[rows]), rows))
    return _collected(block, spelled, found)


def _named(world: World, block: Block) -> Lives:
    """The names of one slot: they may change until the concept is retired, and stay after that."""
    until = np.where(block.kinds == SPECIAL, 0, block.dead)
    lives = successions(
        world, "rename", block.numbers, block.born, until,
        early=0.12, late=world.options.changed, most=_GENERATIONS - 1,
    )  # fmt: skip
    dead = lives.dead.copy()
    dead[-len(block) :] = NEVER
    return Lives(lives.row, lives.generation, lives.born, dead)


def _synonyms(world: World, block: Block, slot: int) -> Lives:
    """One slot's synonyms: some come later than their concept, some go."""
    draws, keys = world.draws, block.numbers * 8 + slot
    room = FIRST - 1 - block.born
    later = draws.happens(0.2, "synonym.later", keys) & (room > 0)
    born = np.where(later, block.born + 1 + draws.below("synonym.when", room, keys), block.born)
    leaving = draws.happens(0.12, "synonym.lost.early", keys) & (born < FIRST - 1)
    until = np.where(leaving, born + 1 + draws.below("synonym.lost.when", FIRST - 1 - born, keys), NEVER)
    for time in range(FIRST, world.now + 1):
        lost = draws.happens(world.options.changed / 4, "synonym.lost", keys, time)
        until = np.where((until == NEVER) & (born < time) & (block.dead > time) & lost, time, until)
    return Lives(np.arange(len(keys)), np.zeros(len(keys), dtype=np.int64), born, until)


def _wordings(world: World, numbers: Ints, slots: Ints) -> Ints:
    """The wording of each description; a few last synonyms are abbreviations."""
    wording = np.array([0, 0, 0, 1, 2, 3, 1, DEFINITION])[slots]
    short = world.draws.happens(_ABBREVIATED, "abbreviated", numbers)
    return np.where((slots == _SYNONYM_SLOTS[-1][0]) & short, 4, wording)


def _worded(namer: Namer, world: World, block: Block, rows: Ints, slot: int) -> Bools:
    wordings = _wordings(world, block.numbers[rows], np.full(len(rows), slot))
    return namer.worded(block.kinds[rows], block.members[rows], wordings)


def _collected(block: Block, spelled: Bools, found: list[tuple[int, Lives, Ints]]) -> Descriptions:
    row = np.concatenate([rows[lives.row] for _, lives, rows in found])
    slot = np.concatenate([np.full(len(lives), slot) for slot, lives, _ in found])
    generation = np.concatenate([lives.generation for _, lives, _ in found])
    born = np.concatenate([lives.born for _, lives, _ in found])
    dead = np.concatenate([lives.dead for _, lives, _ in found])
    keys = block.numbers[row] * _PER_CONCEPT + slot * _GENERATIONS + generation
    order = np.argsort(keys)
    return Descriptions(
        row[order], slot[order], generation[order], born[order], dead[order], spelled[row[order]], keys[order]
    )


def terms(world: World, namer: Namer, block: Block, found: Descriptions) -> Bytes:
    """The text of each description, padded with NUL."""
    row, slot = found.row, found.slot
    kinds, members = block.kinds[row], block.members[row]
    own = np.flatnonzero(kinds != SPECIAL)
    wordings = _wordings(world, block.numbers[row], slot)
    changes = found.generation + (slot == LATE_SLOT)
    named = namer.names(kinds[own], members[own], wordings[own], changes[own], slot[own] == BRITISH_SLOT)
    special = table([name for _, name, _, _ in world.specials])
    cells = np.zeros((len(row), max(named.shape[1], special.shape[1])), dtype=np.uint8)
    cells[own, : named.shape[1]] = named
    metas = np.flatnonzero(kinds == SPECIAL)
    cells[metas, : special.shape[1]] = special[members[metas]]
    return cells


def _tags(world: World, block: Block, found: Descriptions) -> Bytes:
    """The semantic tag that ends a fully specified name, with its brackets; the sentence that ends a definition."""
    tags = [f" ({kind.tag})" for kind in KINDS]
    special = [f" ({tag})" for _, _, tag, _ in world.specials]
    sentence = ", as it is generally understood and recorded."
    cells = table([*tags, *special, sentence, ""])
    kinds = block.kinds[found.row]
    tag = np.where(kinds == SPECIAL, len(tags) + block.members[found.row], kinds)
    last = len(cells) - 1
    return cells[np.where(found.slot == FSN_SLOT, tag, np.where(found.slot == DEFINITION_SLOT, last - 1, last))]


def write_terms(package: Package, world: World, namer: Namer, block: Block) -> Descriptions:
    """Writes the descriptions, text definitions and language members of the block; gives the descriptions."""
    found = descriptions(world, namer, block)
    ids = decimal(sctids(found.keys, world.namespace, 11))
    concepts = decimal(world.ids(block.numbers))
    texts, tags = terms(world, namer, block, found), _tags(world, block, found)
    types = table([str(metadata.FSN), str(metadata.SYNONYM), str(metadata.TEXT_DEFINITION)])
    kind_case = np.array([kind.case for kind in KINDS] + [metadata.CASE_INSENSITIVE])
    cases = decimal(np.stack([np.full(len(kind_case), metadata.CASE_INSENSITIVE), kind_case], axis=1).ravel())
    rows = package.needed(versions(found.born, found.dead, world.now, world.draws, "description", found.keys))
    for kind, chosen in (("description", found.slot != DEFINITION_SLOT), ("definition", found.slot == DEFINITION_SLOT)):
        part = rows.take(chosen[rows.component])
        at = part.component
        slots = found.slot[at]
        typed = np.where(slots == FSN_SLOT, 0, np.where(slots == DEFINITION_SLOT, 2, 1))
        opening = [np.broadcast_to(table(["A concept that covers: "]), (len(at), 23))] if kind == "definition" else []
        term = np.concatenate([*opening, texts[at], tags[at]], axis=1)
        case = cases[2 * block.kinds[found.row[at]] + ~part.odd]
        columns: list[Column] = [concepts[found.row[at]], b"en", types[typed], term, case]
        package.write(kind, part, ids, str(world.module).encode(), columns, "en")
    _write_language(package, world, found, ids)
    return found


def _write_language(package: Package, world: World, found: Descriptions, ids: Bytes) -> None:
    for refset in (metadata.UNITED_STATES, metadata.GREAT_BRITAIN):
        left_out = (found.slot == BRITISH_SLOT) if refset == metadata.UNITED_STATES else (
            (found.slot == PREFERRED_SLOT) & found.spelled
        )  # fmt: skip
        own = np.flatnonzero(~left_out)
        keys = found.keys[own]
        members = uuids(world.draws, f"language.{refset}", keys)
        rows = package.needed(
            versions(found.born[own], found.dead[own], world.now, world.draws, f"language.{refset}", keys)
        )
        slots = found.slot[own][rows.component]
        preferred = (slots <= BRITISH_SLOT) | (slots == DEFINITION_SLOT)
        chosen = table([str(metadata.ACCEPTABLE), str(metadata.PREFERRED)])[(preferred ^ rows.odd).astype(np.int64)]
        columns: list[Column] = [str(refset).encode(), ids[own][rows.component], chosen]
        package.write("language", rows, members, str(world.module).encode(), columns, "en")
