"""The facts about concepts in the other tables: semantic types, hierarchy, definitions, ranks, retired ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ontonym.arrays import Column, joined
from ontonym.files.delimited import Block, BlockTable
from ontonym.ontology.options import OTHER_SOURCE
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.rrf.atoms import listed
from ontonym.ontology.rrf.files import RrfFiles
from ontonym.ragged import spread
from ontonym.text.strings import Strings, mixed

NOT_HIERARCHY = "relation that is not of the hierarchy"
ITSELF = "relation of a concept with itself"
SUPPRESSED_ROW = "suppressible row"
BETWEEN_ATOMS = "relation between names, not concepts"
UNNAMED = "relation without a name"
MALFORMED = "an id or a number is missing or malformed"
_HALF = np.uint64(32)
_WAITING = 4_000_000


@dataclass(frozen=True, slots=True)
class ByConcept:
    """Values by concept: those of the concept numbered ``cuis[i]`` have that number; ``cuis`` ascends, with repeats."""

    cuis: Column
    values: Column
    texts: Strings | None = None

    def of(self, cuis: Column) -> tuple[Column, Column]:
        """How many values each concept has, and where they all are."""
        starts = np.searchsorted(self.cuis, cuis)
        counts = np.searchsorted(self.cuis, cuis, side="right") - starts
        return counts, spread(starts, counts)


def semantic_types(files: RrfFiles, log: ReleaseLog) -> tuple[ByConcept, dict[bytes, int], dict[bytes, int]]:
    """The types of every concept, as places in the names given; and the same table by type id (TUI)."""
    names: dict[bytes, int] = {}
    tuis: dict[bytes, int] = {}
    cuis, values = [], []
    for table in files.open("STY", log):
        for block in table.blocks():
            numbers, block_ = _numbered(block, files, log)
            cuis.append(numbers)
            values.append(block_.coded(3, names))
            for row in np.unique(values[-1], return_index=True)[1].tolist():
                tuis.setdefault(block_.field(row, 1), int(values[-1][row]))
    return _grouped(cuis, values), names, tuis


@dataclass(frozen=True, slots=True)
class RrfLinks:
    """The parents of every concept, and its other relations with their names, where those are kept."""

    parents: ByConcept
    relations: ByConcept
    targets: Column
    names: dict[bytes, int]


def links(files: RrfFiles, log: ReleaseLog) -> RrfLinks:
    """PAR and CHD, and RELA isa and inverse_isa, each once (UMLS manual, 3.3.9); of RxNorm the other relations too."""
    edges = np.zeros(0, dtype=np.uint64)
    pending: list[Column] = []
    waiting = 0
    others: list[tuple[Column, Column, Column]] = [(np.zeros(0, dtype=np.int64),) * 3]
    names: dict[bytes, int] = {}
    for table in files.open("REL", log):
        for block in table.blocks():
            pending.append(_edges(block, files, log))
            waiting += len(pending[-1])
            if waiting > max(_WAITING, len(edges)):  # so that both directions of an edge do not wait for the end
                edges = np.unique(np.concatenate([edges, *pending]))
                pending, waiting = [], 0
            if files.is_rxnorm:
                others.append(_relations(block, names, log))
    edges = np.unique(np.concatenate([edges, *pending]))
    children, parents = (edges >> _HALF).astype(np.int64), (edges & np.uint64(0xFFFFFFFF)).astype(np.int64)
    subjects, predicates, targets = (np.concatenate(column) for column in zip(*others, strict=True))
    _, first = np.unique(mixed(subjects, predicates, targets), return_index=True)
    order = first[np.argsort(subjects[first], kind="stable")]
    return RrfLinks(ByConcept(children, parents), ByConcept(subjects[order], predicates[order]), targets[order], names)


def _edges(block: Block, files: RrfFiles, log: ReleaseLog) -> Column:
    """Child and parent of each row of the hierarchy, in one number."""
    # REL and RELA say what the second concept is to the first
    up = block.has(3, b"PAR") | block.has(7, b"inverse_isa")
    down = block.has(3, b"CHD") | block.has(7, b"isa")
    suppressed = ~block.has(14, b"N", b"")
    wanted = (up | down) & ~suppressed
    log.skip(SUPPRESSED_ROW, suppressed)
    if not files.is_rxnorm:
        log.skip(NOT_HIERARCHY, ~suppressed & ~wanted)
    block, up = block.only(wanted), up[wanted]
    first, second = block.numbers(0, skip=files.id_start), block.numbers(4, skip=files.id_start)
    between_atoms = (block.starts[:, 0] == block.ends[:, 0]) | (block.starts[:, 4] == block.ends[:, 4])
    block.report(~between_atoms & ((first < 0) | (second < 0)), MALFORMED, log)
    sound = (first >= 0) & (second >= 0)
    good = sound & (first != second)
    log.skip(BETWEEN_ATOMS, between_atoms)
    log.skip(ITSELF, sound & ~good)
    log.keep(good)
    child, parent = np.where(up, first, second)[good], np.where(up, second, first)[good]
    pairs: Column = (child.astype(np.uint64) << _HALF) | parent.astype(np.uint64)
    return pairs


def _relations(block: Block, names: dict[bytes, int], log: ReleaseLog) -> tuple[Column, Column, Column]:
    """Subject, name and object of each relation outside the hierarchy: the second concept is the subject."""
    wanted = ~block.has(3, b"PAR", b"CHD") & ~block.has(7, b"isa", b"inverse_isa") & block.has(14, b"N", b"")
    block = block.only(wanted)
    objects, subjects = block.numbers(0), block.numbers(4)
    named = block.starts[:, 7] < block.ends[:, 7]
    good = (objects >= 0) & (subjects >= 0) & (objects != subjects) & named
    log.skip(BETWEEN_ATOMS, (objects < 0) | (subjects < 0))
    log.skip(ITSELF, (objects >= 0) & (objects == subjects))
    log.skip(UNNAMED, (objects >= 0) & (subjects >= 0) & (objects != subjects) & ~named)
    log.keep(good)
    return subjects[good], block.only(good).coded(7, names), objects[good]


def definitions(files: RrfFiles, log: ReleaseLog) -> ByConcept:
    """The definitions of every concept, of the sources asked for."""
    cuis, texts = [], []
    known: dict[bytes, int] = {}
    for table in files.open("DEF", log):
        for block in table.blocks():
            numbers, sound = _numbered(block, files, log)
            good = sound.has(6, b"N", b"")
            rules = [(SUPPRESSED_ROW, ~good)]
            if log.options.sources:
                source = sound.coded(4, known)
                asked = listed(known, log.options.sources)[source]
                rules.append((OTHER_SOURCE, good & ~asked))
                good &= asked
            for rule, rows in rules:
                log.counts.drop(rule, int(np.count_nonzero(rows)))
            cuis.append(numbers[good])
            texts.append(sound.only(good).texts(5))
    number = joined(cuis)
    order = np.argsort(number, kind="stable")
    return ByConcept(number[order], order, Strings.joined(texts).take(order))


def ranks(files: RrfFiles, log: ReleaseLog) -> dict[tuple[bytes, bytes], int]:
    """The rank of each source and term type, higher is preferred (MRRANK); empty where the release has none."""
    found: dict[tuple[bytes, bytes], int] = {}
    for table in files.open("RANK", log):
        for block in table.blocks():
            numbers = block.numbers(0)
            block.report(numbers < 0, MALFORMED, log)
            log.keep(numbers >= 0)
            for row in np.flatnonzero(numbers >= 0).tolist():
                found.setdefault((block.field(row, 1), block.field(row, 2)), int(numbers[row]))
    return found


@dataclass(frozen=True, slots=True)
class RetiredId:
    """A retired id: its replacement (empty if it was deleted), and the version in which it was retired."""

    cui: int
    merged: tuple[int, ...]
    near: tuple[int, ...]
    version: str


def retired_ids(files: RrfFiles, log: ReleaseLog) -> Iterator[RetiredId]:
    """The retired ids by number (MRCUI, RXNCUI), each once."""
    found: dict[int, tuple[set[int], set[int], str]] = {}
    for table in files.open("CUI", log):
        for row in _retirements(table, files, log):
            merged, near, _ = found.setdefault(row.cui, (set(), set(), row.version))
            merged.update(row.merged)
            near.update(row.near)
    for cui, (merged, near, version) in sorted(found.items()):
        split = files.is_rxnorm and len(merged) > 1
        heirs = set[int]() if split else merged
        yield RetiredId(cui, tuple(sorted(heirs)), tuple(sorted((near | merged) - heirs)), version)


def _retirements(table: BlockTable, files: RrfFiles, log: ReleaseLog) -> Iterator[RetiredId]:
    target = 4 if files.is_rxnorm else 5
    for block in table.blocks():
        numbers, sound = _numbered(block, files, log)
        others = sound.numbers(target, skip=files.id_start).tolist()
        merges = np.ones(len(sound), dtype=np.bool_) if files.is_rxnorm else sound.has(2, b"SY")
        for row, (cui, other, merge) in enumerate(zip(numbers.tolist(), others, merges.tolist(), strict=True)):
            successor = (other,) if other >= 0 and other != cui else ()
            version = sound.field(row, 2 if files.is_rxnorm else 1).decode(errors="replace")
            yield RetiredId(cui, successor if merge else (), () if merge else successor, version)


def source_versions(files: RrfFiles, log: ReleaseLog) -> dict[str, str]:
    """The version of every source (MRSAB), by its abbreviation: the current one, where a file has older ones too."""
    versions: dict[str, str] = {}
    current: dict[str, str] = {}
    for table in files.open("SAB", log):
        for block in table.blocks():
            log.counts.keep(len(block))
            for row, is_current in enumerate(block.has(21, b"Y").tolist()):
                known = current if is_current else versions
                known.setdefault(block.field(row, 3).decode(), block.field(row, 6).decode())
    return versions | current


def _numbered(block: Block, files: RrfFiles, log: ReleaseLog) -> tuple[Column, Block]:
    """The concept numbers of the rows, without rows that have none, which are malformed."""
    numbers = block.numbers(0, skip=files.id_start)
    good = numbers >= 0
    block.report(~good, MALFORMED, log)
    log.keep(good)
    return (numbers, block) if good.all() else (numbers[good], block.only(good))


def _grouped(cuis: list[Column], values: list[Column]) -> ByConcept:
    number = joined(cuis)
    order = np.argsort(number, kind="stable")
    return ByConcept(number[order], joined(values)[order])
