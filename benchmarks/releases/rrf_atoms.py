"""The rows of MRCONSO, MRSTY, MRDEF and MRCUI, a block of concepts at a time."""

from __future__ import annotations

from functools import cache

import numpy as np

from .draws import Bools, Bytes, Column, Counts, Ints
from .foreign import coined_names
from .grammar import Namer
from .kinds import DEFINITION, KINDS
from .metadata import NAMESPACE
from .render import decimal, lines, sctids, table
from .rrf_files import Folder
from .rrf_tables import (
    ATOMS,
    FRENCH,
    FULL_NAME,
    JAPANESE,
    PRIMARY,
    PRIMARY_ATOM,
    RANKED,
    SPANISH,
    STRINGS,
    VOCABULARIES,
)
from .world import FIRST, NEVER, Block, World

_SLOTS = len(ATOMS)
_LATER = 10**8
_DEFINED = 0.05
_WORDING = np.array([atom.wording for atom in ATOMS])
# The second wording is the first with its words in another order: the same term to UMLS, in another string.
_TERM = np.where(_WORDING == 2, 0, _WORDING)
_SABS = [vocabulary.sab for vocabulary in VOCABULARIES]
_LANGUAGES = [vocabulary.language for vocabulary in VOCABULARIES]
_LANGUAGE = np.array([0 if not atom.sab else sorted(set(_LANGUAGES)).index(
    _LANGUAGES[_SABS.index(atom.sab)]) for atom in ATOMS])  # fmt: skip
_LANGUAGE[PRIMARY_ATOM] = sorted(set(_LANGUAGES)).index("ENG")
_FOREIGN = {SPANISH: "SPA", FRENCH: "FRE", JAPANESE: "JPN"}
_WENT = (("SY", 60), ("DEL", 10), ("RB", 12), ("RN", 10), ("RO", 8))


def renames(world: World) -> Counts:
    """How often each concept was renamed since the first written release, by number."""
    return _counted(world, "rename", world.options.changed)


def moves(world: World) -> Counts:
    """How often each concept's first parent changed since the first written release, by number."""
    return _counted(world, "move", world.options.changed / 2)


def _counted(world: World, purpose: str, share: float) -> Counts:
    numbers = np.arange(world.size)
    born = world.born(numbers)
    counts = np.zeros(world.size, dtype=np.uint8)
    for time in range(FIRST, world.now + 1):
        counts += world.draws.happens(share, purpose, numbers, time) & (born < time)
    return counts


def cuis(numbers: Ints) -> Bytes:
    """The CUIs of concepts."""
    return _lettered("C", decimal(numbers + 1, 7))


def auis(numbers: Ints, slots: Ints | int, changes: Ints) -> Bytes:
    """The AUIs of names: a changed name is another atom."""
    return _lettered("A", _eight(numbers * _SLOTS + slots + changes * _LATER))


def _eight(numbers: Ints) -> Bytes:
    """The numbers in eight digits, or more where they are larger."""
    cells = decimal(numbers, 9)
    cells[:, 0] *= numbers >= _LATER
    return cells


def _lettered(letter: str, cells: Bytes) -> Bytes:
    return np.concatenate([np.full((len(cells), 1), ord(letter), dtype=np.uint8), cells], axis=1)


@cache
def _primaries() -> tuple[Ints, Ints]:
    """By kind and one of sixteen draws: the row of the source and of the term type in ``RANKED``."""
    rows = np.zeros((len(KINDS), 16), dtype=np.int64)
    for number, kind in enumerate(KINDS):
        pairs = PRIMARY.get(kind.tag, (("SNOMEDCT_US", "PT"),))
        rows[number] = [RANKED.index(pairs[turn % len(pairs)]) for turn in range(16)]
    return rows, np.array([_SABS.index(sab) for sab, _ in RANKED])


def primary_pairs(world: World, block: Block) -> Ints:
    """The row in ``RANKED`` of each concept's own source and term type."""
    return _primaries()[0][block.kinds, world.draws.below("primary", 16, block.numbers)]


def present_atoms(world: World, namer: Namer, block: Block, scale: float) -> Bools:
    """Which of ``ATOMS`` each concept has; all but the primary one with their chance times ``scale``."""
    found = np.zeros((len(block), _SLOTS), dtype=bool)
    found[:, PRIMARY_ATOM] = True
    for slot, atom in enumerate(ATOMS):
        if slot != PRIMARY_ATOM:
            found[:, slot] = world.draws.happens(min(1.0, atom.share * scale), "atom", block.numbers, slot)
            if 0 < atom.wording < FULL_NAME:
                wording = np.full(len(block), atom.wording)
                found[:, slot] &= namer.worded(block.kinds, block.members, wording)
    return found


def atoms_scale(wanted: float) -> float:
    """What the chances of all but the primary atom are multiplied with, so that a concept has so many on average."""
    return scale_to([atom.share for slot, atom in enumerate(ATOMS) if slot != PRIMARY_ATOM], wanted, "names")


def scale_to(chances: list[float], wanted: float, what: str) -> float:
    """The factor by which things of these chances, none above 1, and one that is always there make up ``wanted``.

    Raises:
        ValueError: more are wanted than there can be, or fewer than one.
    """
    shares = np.array(chances)
    if not 1 <= wanted <= 1 + len(shares):
        raise ValueError(f"{wanted:.1f} {what} a concept: 1 to {1 + len(shares)} can be written")
    low, high = 0.0, float(1 / shares.min())
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(1, shares * middle).sum() < wanted - 1 else (low, middle)
    return high


def write_names(folder: Folder, world: World, namer: Namer, block: Block, changes: Ints, scale: float) -> None:
    """Writes the MRCONSO rows of the block's concepts; ``changes`` says how often each was renamed."""
    present = present_atoms(world, namer, block, scale)
    row, slot = np.nonzero(present)
    numbers, kinds = block.numbers[row], block.kinds[row]
    pairs = np.array([RANKED.index((atom.sab, atom.tty)) if atom.sab else 0 for atom in ATOMS])[slot]
    own = slot == PRIMARY_ATOM
    pairs[own] = primary_pairs(world, block)[row[own]]
    source = _primaries()[1][pairs]
    changed = changes[row]
    wording = _WORDING[slot]
    strings = numbers * STRINGS + wording + changed * _LATER
    terms = numbers * STRINGS + _TERM[slot] + changed * _LATER
    codes, concepts, descriptors = _codes(numbers, source)
    suppress = table([atom.suppress for atom in ATOMS])[slot]
    columns: list[Column] = [
        cuis(numbers), table(_LANGUAGES)[source], *_standing(present, row, slot, terms, strings),
        auis(numbers, slot, changed), b"", concepts, descriptors, table(_SABS)[source],
        table([tty for _, tty in RANKED])[pairs], codes, _texts(world, namer, block, row, wording, changed, kinds),
        decimal(np.array([vocabulary.restriction for vocabulary in VOCABULARIES])[source]), suppress, b"",
    ]  # fmt: skip
    folder.write("MRCONSO.RRF", lines(columns, between=b"|", end=b"|\n"))


def _standing(present: Bools, row: Ints, slot: Ints, terms: Ints, strings: Ints) -> list[Column]:
    """TS, LUI, STT, SUI and ISPREF: of a language the first atom is preferred; of a term the first string; of a string
    the first atom.
    """
    first = np.zeros((3, *present.shape), dtype=np.int64)
    for depth, group in enumerate((_LANGUAGE, _LANGUAGE * STRINGS + _TERM, _LANGUAGE * STRINGS + _WORDING)):
        for each in np.unique(group):
            own = np.flatnonzero(group == each)
            first[depth][:, own] = own[present[:, own].argmax(axis=1)][:, None]
    best, term_first, string_first = first[:, row, slot]
    preferred = _TERM[best] == _TERM[slot]
    form = _WORDING[term_first] == _WORDING[slot]
    return [
        table(["S", "P"])[preferred.astype(np.int64)], _lettered("L", _eight(terms)),
        table(["VO", "PF"])[form.astype(np.int64)], _lettered("S", _eight(strings)),
        table(["N", "Y"])[(string_first == slot).astype(np.int64)],
    ]  # fmt: skip


def _codes(numbers: Ints, source: Ints) -> tuple[Bytes, Bytes, Bytes]:
    """CODE, SCUI and SDUI of names in their sources."""
    ids = sctids(numbers, NAMESPACE, 10)
    digits = decimal(np.where(source == _SABS.index("SNOMEDCT_US"), ids, numbers + 1))
    prefixes = table([vocabulary.code for vocabulary in VOCABULARIES])[source]
    codes = np.concatenate([prefixes, digits], axis=1)
    scui = np.array([vocabulary.scui for vocabulary in VOCABULARIES])[source]
    sdui = np.array([vocabulary.sdui for vocabulary in VOCABULARIES])[source]
    return codes, codes * scui[:, None], codes * sdui[:, None]


def _texts(world: World, namer: Namer, block: Block, row: Ints, wording: Ints, changed: Ints, kinds: Ints) -> Bytes:
    members = block.members[row]
    plain = np.flatnonzero(wording <= FULL_NAME)
    worded = np.where(wording == FULL_NAME, 0, wording)[plain]
    named = namer.names(kinds[plain], members[plain], worded, changed[plain], np.zeros(len(plain), dtype=bool))
    tags = table([*(f" ({kind.tag})" for kind in KINDS), ""])
    tag = tags[np.where(wording[plain] == FULL_NAME, kinds[plain], len(KINDS))]
    foreign = {
        each: coined_names(world.draws, language, block.numbers[row[wording == each]] * 64 + changed[wording == each])
        for each, language in _FOREIGN.items()
    }
    width = max(named.shape[1] + tag.shape[1], *(cells.shape[1] for cells in foreign.values()))
    found = np.zeros((len(row), width), dtype=np.uint8)
    found[plain, : named.shape[1]] = named
    found[plain, named.shape[1] : named.shape[1] + tag.shape[1]] = tag
    for each, cells in foreign.items():
        found[wording == each, : cells.shape[1]] = cells
    return found


def write_types(folder: Folder, world: World, block: Block) -> None:
    """Writes the MRSTY rows: one semantic type of the concept's kind, and for a tenth a second one."""
    counts = np.array([len(kind.types) for kind in KINDS])
    first = world.draws.below("type", counts[block.kinds], block.numbers)
    second = (counts[block.kinds] > 1) & world.draws.happens(0.1, "type.second", block.numbers)
    numbers = np.concatenate([block.numbers, block.numbers[second]])
    kinds = np.concatenate([block.kinds, block.kinds[second]])
    turn = np.concatenate([first, (first[second] + 1) % counts[block.kinds[second]]])
    order = np.argsort(numbers, kind="stable")
    numbers, kinds, turn = numbers[order], kinds[order], turn[order]
    start = np.cumsum(counts) - counts
    types = [each for kind in KINDS for each in kind.types]
    chosen = [table([each[part] for each in types])[start[kinds] + turn] for part in range(3)]
    identity = np.concatenate([_repeated("AT", len(numbers)), _eight(numbers * 4 + turn)], axis=1)
    folder.write("MRSTY.RRF", lines([cuis(numbers), *chosen, identity, b""], between=b"|", end=b"|\n"))


def write_definitions(folder: Folder, world: World, namer: Namer, block: Block, changes: Ints) -> None:
    """Writes the MRDEF rows: a twentieth of the concepts are defined, by NCI or MeSH."""
    some = world.draws.happens(_DEFINED, "definition", block.numbers)
    own, changed = block.take(some), changes[some]
    none = np.zeros(len(own), dtype=np.int64)
    named = namer.names(own.kinds, own.members, none + DEFINITION, none, none > 0)
    told = np.concatenate(
        [
            _repeated("A concept that covers: ", len(own)), named,
            _repeated(", as it is generally understood and recorded.", len(own)),
        ],
        axis=1,
    )  # fmt: skip
    source = table(["NCI", "MSH"])[world.draws.below("definition.source", 2, own.numbers)]
    identity = np.concatenate([_repeated("AT", len(own)), _eight(own.numbers * 4 + 3)], axis=1)
    columns: list[Column] = [
        cuis(own.numbers), auis(own.numbers, PRIMARY_ATOM, changed), identity, b"", source, told, b"N", b"",
    ]  # fmt: skip
    if len(own):
        folder.write("MRDEF.RRF", lines(columns, between=b"|", end=b"|\n"))


def write_gone(folder: Folder, world: World, block: Block, versions: list[str]) -> None:
    """Writes the MRCUI rows of the block's retired concepts: merged, deleted, or related to a live one.

    ``versions`` names the release at each time.
    """
    gone = block.take(block.dead < NEVER)
    target = np.full(len(gone), -1)
    for kind in range(len(KINDS)):
        alike = np.flatnonzero(gone.kinds == kind)
        target[alike] = world.target(gone.take(alike), kind, "merged")
    relations = [rel for rel, percent in _WENT for _ in range(percent)]
    way = world.draws.below("merged.how", len(relations), gone.numbers)
    deleted = np.array([rel == "DEL" for rel in relations])[way] | (target < 0)
    rel = table([*relations, "DEL"])[np.where(deleted, len(relations), way)]
    successor = np.where(deleted[:, None], np.uint8(0), cuis(np.maximum(target, 0)))
    mapin = table(["Y", ""])[deleted.astype(np.int64)]
    version = table(versions)[gone.dead]
    if len(gone):
        columns: list[Column] = [cuis(gone.numbers), version, rel, b"", b"", successor, mapin]
        folder.write("MRCUI.RRF", lines(columns, between=b"|", end=b"|\n"))


def _repeated(text: str, count: int) -> Bytes:
    cells = table([text])
    return np.broadcast_to(cells, (count, cells.shape[1]))
