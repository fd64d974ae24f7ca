"""RF2 releases of any size: SNOMED CT's format and layout, with invented concepts and a history."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from . import metadata
from .draws import Bools, Column
from .grammar import GrammarNames, Namer
from .kinds import GERMAN, GERMAN_SYNONYM
from .package import VIEWS, Package, Written, zipped
from .render import decimal, sctids, table, uuids
from .rf2_maps import write_extended_map, write_simple_map
from .rf2_rows import write_axioms, write_concepts, write_concrete, write_relationships, write_retired, write_simple
from .rf2_terms import write_terms
from .versions import Versions, versions
from .world import NEVER, SPECIAL, Block, Options, World, date_of

_BLOCK = 20_000
_EXTENSION_SEED = 2**32
_GERMAN_SHARES = ((0, GERMAN, 0.6), (1, GERMAN_SYNONYM, 0.25))
_GERMAN_NAMESPACES = 50, 70


def write_rf2(
    out: Path | str,
    options: Options,
    *,
    names: Namer | None = None,
    views: tuple[str, ...] = ("Snapshot",),
    zip: bool = False,
) -> Written:
    """Writes an International edition into a folder of its own under ``out``, or a zip.

    ``views`` are some of Snapshot, Full and Delta. ``names`` gives the names, the grammar where it is None. The same
    options give the same bytes; a later ``release`` repeats the earlier ones but for its changes.

    Raises:
        ValueError: a view that there is not.
    """
    world = World(options)
    namer = names or GrammarNames(world.draws)
    with Package(Path(out), "Generated", "INT", world.now, _checked(views)) as package:
        for start in range(0, world.size, _BLOCK):
            block = world.block(start, start + _BLOCK)
            _write_block(package, world, namer, block)
            write_concrete(package, world, block)
            write_simple(package, world, block)
            write_simple_map(package, world, block)
            write_extended_map(package, world, block)
        _write_modules(package, world, (metadata.MODEL,))
        package.inform(_facts(world, views))
    return Written(zipped(package.folder) if zip else package.folder, dict(sorted(package.rows.items())))


def write_extension(
    out: Path | str,
    options: Options,
    *,
    concepts: int,
    names: Namer | None = None,
    views: tuple[str, ...] = ("Snapshot",),
    zip: bool = False,
) -> Written:
    """Writes a German extension to the International edition of the same options.

    It has ``concepts`` of its own under International ones, in a module and a namespace of its own, and German names
    for them and for most International ones with a language reference set.

    Raises:
        ValueError: a view that there is not.
    """
    base = World(options)
    own = replace(options, concepts=concepts, seed=options.seed + _EXTENSION_SEED)
    world = World(own, metadata.EXTENSION_SPECIALS, metadata.EXTENSION_NAMESPACE, module=metadata.EXTENSION, base=base)
    namer = names or GrammarNames(base.draws)
    where = f"DE{metadata.EXTENSION_NAMESPACE}"
    with Package(Path(out), "GeneratedDE", where, world.now, _checked(views), ("en", "de")) as package:
        for start in range(0, world.size, _BLOCK):
            block = world.block(start, start + _BLOCK)
            _write_block(package, world, namer, block)
            _write_german(package, world, namer, world, block)
        for start in range(0, base.size, _BLOCK):
            _write_german(package, world, namer, base, base.block(start, start + _BLOCK))
        _write_modules(package, world, (metadata.CORE, metadata.MODEL))
        package.inform(_facts(base, views) | {"extension": concepts})
    return Written(zipped(package.folder) if zip else package.folder, dict(sorted(package.rows.items())))


def _checked(views: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [view for view in views if view not in VIEWS]
    if unknown or not views:
        raise ValueError(f"no such view: {', '.join(unknown) or 'none given'} (known: {', '.join(VIEWS)})")
    return views


def _facts(world: World, views: tuple[str, ...]) -> dict[str, object]:
    return {"effectiveTime": str(date_of(world.now)), "generated": asdict(world.options), "views": list(views)}


def _write_block(package: Package, world: World, namer: Namer, block: Block) -> None:
    write_concepts(package, world, block)
    found = write_terms(package, world, namer, block)
    write_relationships(package, world, block)
    write_axioms(package, world, block)
    write_retired(package, world, block, found)


def _write_german(package: Package, world: World, namer: Namer, named: World, block: Block) -> None:
    """Writes German names of some of the block's concepts, of the extension itself or of its base."""
    purpose = "german.own" if named is world else "german"
    namespace = world.namespace + _GERMAN_NAMESPACES[named is world]
    for slot, wording, share in _GERMAN_SHARES:
        some: Bools = world.draws.happens(share, purpose, block.numbers, slot) & (block.kinds != SPECIAL)
        own = block.take(some & (block.dead > block.born + 1))
        own = own.take(namer.worded(own.kinds, own.members, np.full(len(own), wording)))
        keys = own.numbers * 2 + slot
        none = np.zeros(len(own), dtype=np.int64)
        never = none + NEVER
        rows = package.needed(versions(own.born, never, world.now, world.draws, f"{purpose}.term", keys))
        at = rows.component
        texts = namer.names(own.kinds, own.members, none + wording, none, none > 0)
        ids = decimal(sctids(keys, namespace, 11))
        cases = table([str(metadata.CASE_INSENSITIVE), "900000000000017005"])[(~rows.odd).astype(np.int64)]
        columns: list[Column] = [
            decimal(named.ids(own.numbers))[at],
            b"de",
            str(metadata.SYNONYM).encode(),
            texts[at],
            cases,
        ]
        package.write("description", rows, ids, str(world.module).encode(), columns, "de")
        rows = package.needed(versions(own.born, never, world.now, world.draws, f"{purpose}.member", keys))
        chosen = table([str(metadata.ACCEPTABLE), str(metadata.PREFERRED)])[(rows.odd ^ (slot == 0)).astype(np.int64)]
        columns = [str(metadata.GERMAN).encode(), ids[rows.component], chosen]
        members = uuids(world.draws, f"{purpose}.member", keys)
        package.write("language", rows, members, str(world.module).encode(), columns, "de")


def _write_modules(package: Package, world: World, needed: tuple[int, ...]) -> None:
    """Writes that the world's module needs others, all of the release's date."""
    date = str(date_of(world.now)).encode()
    there = np.ones(1, dtype=bool)
    row = Versions(np.zeros(1, dtype=np.int64), np.full(1, world.now), there, ~there, there, there)
    for number, module in enumerate(needed):
        columns: list[Column] = [str(metadata.MODULE_DEPENDENCY).encode(), str(module).encode(), date, date]
        members = uuids(world.draws, "module", np.array([number]))
        package.write("module", row, members, str(world.module).encode(), columns)
