"""UMLS releases of any size in Rich Release Format: invented concepts, several sources and languages, history."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from .grammar import GrammarNames, Namer
from .package import Written, zipped
from .rrf_atoms import atoms_scale, moves, renames, write_definitions, write_gone, write_names, write_types
from .rrf_files import Folder
from .rrf_relations import relate, write_relations
from .rrf_tables import ATOMS, COLUMNS, DOCUMENTED, RANKED, TITLES, VOCABULARIES
from .world import FIRST, NEVER, Options, World, date_of

_BLOCK = 20_000
_RETIRED = 0.05
_PREFERRED_RANK = 900
_NAMES_EACH, _RELATIONS_EACH = 10 / 3, 80 / 9


def write_rrf(
    out: Path | str,
    options: Options,
    *,
    names: int = 0,
    relations: int = 0,
    namer: Namer | None = None,
    split: int = 0,
    zip: bool = False,
) -> Written:
    """Writes a folder META of RRF files under ``out``/VERSION, or a zip of it.

    The options' ``concepts`` are those in MRCONSO; retired ones (a twentieth of all) are in MRCUI. ``names`` and
    ``relations`` are about how many rows MRCONSO and MRREL have, by default as many for each concept as the
    UMLS has. With
    ``split`` every file is written as compressed parts of so many bytes. The next release repeats this one but for its
    changes.

    Raises:
        ValueError: more names or relations for each concept than there can be, or fewer.
    """
    world = World(replace(options, concepts=round(options.concepts / (1 - _RETIRED)), retired=_RETIRED), specials=())
    scale = atoms_scale(names / options.concepts if names else _NAMES_EACH)
    pairs_each = (relations / options.concepts if relations else _RELATIONS_EACH) / 2
    chosen = namer or GrammarNames(world.draws)
    version = version_of(world.now)
    changes, moved = renames(world), moves(world)
    with Folder(Path(out) / version / "META", split) as folder:
        for start in range(0, world.size, _BLOCK):
            block = world.block(start, start + _BLOCK)
            write_gone(folder, world, block, [version_of(time) for time in range(world.now + 1)])
            block = block.take(block.dead == NEVER)
            write_names(folder, world, chosen, block, changes[block.numbers].astype(np.int64), scale)
            write_types(folder, world, block)
            write_definitions(folder, world, chosen, block, changes[block.numbers].astype(np.int64))
        pairs = relate(world, moved, pairs_each, _BLOCK)
        write_relations(folder, world, pairs, changes, moved, _BLOCK)
        _write_tables(folder, world)
    rows = dict(sorted(folder.rows.items()))
    return Written(zipped(folder.path.parent) if zip else folder.path.parent, rows)


def version_of(time: int) -> str:
    """The name of the release at a time: two a year, AA and AB; those before the first written one by their date."""
    if time < FIRST:
        year, month = divmod(date_of(time) // 100, 100)
        return f"{year}{'AA' if month < 7 else 'AB'}"
    year, half = divmod(time - FIRST, 2)
    return f"{2025 + year}{'AA' if half == 0 else 'AB'}"


def _write_tables(folder: Folder, world: World) -> None:
    """Writes what describes the release: MRRANK, MRSAB, MRDOC, MRCOLS and MRFILES."""
    version = version_of(world.now)
    suppressed = {(atom.sab, atom.tty): atom.suppress for atom in ATOMS}
    folder.write_rows(
        "MRRANK.RRF",
        (
            (f"{_PREFERRED_RANK - rank:04d}", sab, tty, suppressed.get((sab, tty), "N"))
            for rank, (sab, tty) in enumerate(RANKED)
        ),
    )
    folder.write_rows(
        "MRSAB.RRF",
        (
            (
                f"C{9_000_000 + number * 2}", f"C{9_000_001 + number * 2}", f"{vocabulary.sab}_{version}",
                vocabulary.sab, vocabulary.title, vocabulary.sab.removesuffix("GER"), version, "", "", version, "",
                "", "", vocabulary.restriction, "", "", "FULL", _types_of(vocabulary.sab), "", vocabulary.language,
                "UTF-8", "Y", "Y", vocabulary.title, "",
            )
            for number, vocabulary in enumerate(VOCABULARIES)
        ),
    )  # fmt: skip
    folder.write_rows("MRDOC.RRF", (*DOCUMENTED, ("RELEASE", "", "release_date", str(date_of(world.now)))))
    folder.write_rows(
        "MRCOLS.RRF",
        (
            (column, f"{column} of {TITLES[name].lower()}", "", "", "", "", name, "varchar(4000)")
            for name, columns in COLUMNS.items()
            for column in columns.split()
        ),
    )
    described = [
        (name, TITLES[name], columns.replace(" ", ","), len(columns.split()), folder.rows[name], folder.sizes[name])
        for name, columns in COLUMNS.items()
        if name in folder.rows
    ]
    folder.write_rows("MRFILES.RRF", described)


def _types_of(source: str) -> str:
    return ",".join(tty for sab, tty in RANKED if sab == source)
