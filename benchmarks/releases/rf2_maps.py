"""The rows of RF2's simple map (to morphology codes) and extended map (to ICD-10 codes, with rules and advice)."""

from __future__ import annotations

import numpy as np

from . import metadata
from .draws import Bools, Bytes, Column, Ints
from .kinds import KINDS
from .package import Package
from .render import decimal, table, uuids
from .versions import versions
from .world import Block, World

_MAPPED = ("disorder", "finding", "situation", "event")
_KIND = {kind.tag: number for number, kind in enumerate(KINDS)}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTVWXYZ"
_CODES = table([f"{letter}{two:02d}.{one}" for letter in _LETTERS for two in range(100) for one in range(10)])
_MORPHOLOGIES = table([f"{number}/{behaviour}" for number in range(8000, 9990) for behaviour in "01236"])
_NOTES = ("", " | POSSIBLE REQUIREMENT FOR AN EXTERNAL CAUSE CODE", " | DESCENDANTS NOT EXHAUSTIVELY MAPPED")


def write_simple_map(package: Package, world: World, block: Block) -> None:
    """Writes a morphology code for every morphologic abnormality and some disorders."""
    chosen = (block.kinds == _KIND["disorder"]) & world.draws.happens(0.1, "simple_map", block.numbers)
    own = block.take((block.kinds == _KIND["morphologic abnormality"]) | chosen)
    rows = package.needed(versions(own.born, own.dead, world.now, world.draws, "simple_map", own.numbers))
    code = world.draws.below("simple_map.code", len(_MORPHOLOGIES) - 1, own.numbers)[rows.component] + rows.odd
    columns: list[Column] = [
        str(metadata.SIMPLE_MAP).encode(), decimal(world.ids(own.numbers))[rows.component], _MORPHOLOGIES[code],
    ]  # fmt: skip
    package.write(
        "simple_map", rows, uuids(world.draws, "simple_map", own.numbers), str(world.module).encode(), columns
    )


def write_extended_map(package: Package, world: World, block: Block) -> None:
    """Writes the ICD-10 map of findings, disorders, situations and events.

    Most have one code; some have two that depend on another finding (a rule with IFA, then OTHERWISE TRUE), some a
    second group, and a few none.
    """
    mapped = np.isin(block.kinds, [_KIND[tag] for tag in _MAPPED]) & world.draws.happens(0.9, "map", block.numbers)
    own = block.take(mapped)
    form = world.draws.below("map.form", 20, own.numbers)
    other = world.target(own, _KIND["disorder"], "map.other")
    depends = (form < 3) & (other >= 0)
    for group, priority, some in (
        (1, 1, form != 19),
        (1, 2, depends),
        (2, 1, (form == 3) | (form == 4)),
        (1, 1, form == 19),
    ):
        _write_part(
            package, world, own.take(some), group, priority, np.where(depends, other, -1)[some], form[some] == 19
        )


def _write_part(
    package: Package, world: World, own: Block, group: int, priority: int, other: Ints, nothing: Bools
) -> None:
    if not len(own):
        return
    draws = world.draws
    purpose = f"map.{group}.{priority}"
    rows = package.needed(versions(own.born, own.dead, world.now, draws, purpose, own.numbers))
    at = rows.component
    empty = nothing[at]
    code = (draws.below(purpose, len(_CODES) - 1, own.numbers)[at] + rows.odd) * ~empty
    codes = np.where(empty[:, None], np.uint8(0), _CODES[code])
    ruled = (other[at] >= 0) & (group == 1)
    rule, advice = _rules(world, own.numbers[at], other[at], ruled, codes, priority)
    note = table(_NOTES)[draws.below("map.note", len(_NOTES), own.numbers)[at]]
    advice = np.concatenate([advice, np.where(empty[:, None], np.uint8(0), note)], axis=1)
    missing = table(["MAP SOURCE CONCEPT CANNOT BE CLASSIFIED WITH AVAILABLE DATA"])
    if empty.any():
        advice = np.broadcast_to(missing, (len(at), missing.shape[1]))
    category = np.where(empty, metadata.NOT_CLASSIFIABLE, np.where(ruled, metadata.DEPENDS, metadata.CLASSIFIED))
    columns: list[Column] = [
        str(metadata.EXTENDED_MAP).encode(), decimal(world.ids(own.numbers))[at], str(group).encode(),
        str(priority).encode(), rule, advice, codes, str(metadata.CORRELATION).encode(), decimal(category),
    ]  # fmt: skip
    package.write(
        "extended_map", rows, uuids(draws, purpose, own.numbers, nothing), str(world.module).encode(), columns
    )


def _rules(world: World, numbers: Ints, other: Ints, ruled: Bools, codes: Bytes, priority: int) -> tuple[Bytes, Bytes]:
    """Rule and advice: TRUE and ALWAYS, or IFA another disorder, or OTHERWISE TRUE."""
    ids = decimal(world.targets.ids(np.maximum(other, 0)))
    plain = ~ruled | (priority > 1)
    word = table(["TRUE", "OTHERWISE TRUE", "IFA "])[np.where(ruled, 2 if priority == 1 else 1, 0)]
    told = np.where(
        plain[:, None],
        np.uint8(0),
        np.concatenate([ids, _repeated(" | other disorder (disorder) |", len(ids))], axis=1),
    )
    start = np.where(plain[:, None], np.uint8(0), _repeated("IF other disorder CHOOSE ", len(ids)))
    always = np.where(plain[:, None], _repeated("ALWAYS ", len(ids)), np.uint8(0))
    return np.concatenate([word, told], axis=1), np.concatenate([start, always, codes], axis=1)


def _repeated(text: str, count: int) -> Bytes:
    cells = table([text])
    return np.broadcast_to(cells, (count, cells.shape[1]))
