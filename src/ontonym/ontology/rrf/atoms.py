"""The rows of a names table (MRCONSO): atoms, in columns, chosen by source, language, type and suppressibility."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ontonym.arrays import Column, Mask
from ontonym.files.delimited import Block, BlockTable
from ontonym.ontology.languages import language_codes
from ontonym.ontology.options import OTHER_LANGUAGE, OTHER_SOURCE, among
from ontonym.ontology.release import ReleaseLog
from ontonym.text.strings import Strings

SUPPRESSED = "suppressible name"
OTHER_TYPE = "term type not asked for"
_LAT, _TS, _STT, _ISPREF, _SAB, _TTY, _CODE, _STR, _SUPPRESS = 1, 2, 4, 6, 11, 12, 13, 14, 16


@dataclass(slots=True)
class AtomTables:
    """The small tables that the coded columns of atoms point into; they grow as the file is read."""

    languages: dict[bytes, int] = field(default_factory=dict)
    sources: dict[bytes, int] = field(default_factory=dict)
    types: dict[bytes, int] = field(default_factory=dict)

    def tags(self) -> list[str]:
        """The BCP 47 tag of every language; one that is not known stays as it is, in lower case."""
        spelled = (value.decode().lower() for value in self.languages)
        return [language_codes().get(value, value) for value in spelled]


@dataclass(frozen=True, slots=True)
class Atoms:
    """Some rows: ``cui`` is an id's number; ``source``, ``type``, ``language`` point into `AtomTables`.

    ``standing`` is 0 for the name that the release prefers among names of equal rank, 7 for the last.
    """

    cui: Column
    language: Column
    source: Column
    type: Column
    standing: Column
    suppressed: Mask
    code: Strings
    text: Strings

    def __len__(self) -> int:
        return len(self.cui)

    def only(self, rows: Column) -> Atoms:
        """The atoms of these rows, as a mask or as places."""
        rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        plain = {name: getattr(self, name)[rows] for name in _PLAIN}
        return Atoms(**plain, code=self.code.take(rows), text=self.text.take(rows))

    @classmethod
    def joined(cls, first: Atoms | None, second: Atoms) -> Atoms:
        """The atoms of both."""
        if first is None or not len(first):
            return second
        plain = {name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in _PLAIN}
        code, text = Strings.joined([first.code, second.code]), Strings.joined([first.text, second.text])
        return cls(**plain, code=code, text=text)


_PLAIN = ("cui", "language", "source", "type", "standing", "suppressed")


def atoms_of(table: BlockTable, id_start: int, codes: AtomTables, log: ReleaseLog) -> Iterator[Atoms]:
    """The atoms of a names table that the options take, in blocks in which every concept is whole.

    A concept whose rows do not lie together in the file comes in several blocks.
    """
    pending: Atoms | None = None
    for block in table.blocks():
        atoms = Atoms.joined(pending, _chosen(block, id_start, codes, log))
        if not len(atoms):
            continue
        rest = atoms.cui == atoms.cui[-1]
        begin = len(atoms) - int(np.argmin(rest[::-1])) if not rest.all() else 0
        pending = atoms.only(np.arange(begin, len(atoms)))
        if begin:
            yield atoms.only(np.arange(begin))
    if pending is not None and len(pending):
        yield pending


def _chosen(block: Block, id_start: int, codes: AtomTables, log: ReleaseLog) -> Atoms:
    """The atoms of a block that the options take; each of the others is counted under the first rule against it."""
    cui = block.numbers(0, skip=id_start)
    bad = cui < 0
    block.report(bad, "the first field is not a concept id", log)
    block, cui = (block.only(~bad), cui[~bad]) if bad.any() else (block, cui)
    options = log.options
    language, source = block.coded(_LAT, codes.languages), block.coded(_SAB, codes.sources)
    kind = block.coded(_TTY, codes.types)
    suppressed = ~block.has(_SUPPRESS, b"N")
    taken = np.ones(len(block), dtype=np.bool_)
    spoken = np.array([options.takes_language(tag) for tag in codes.tags()], dtype=np.bool_)
    rules: list[tuple[str, Mask]] = [(OTHER_LANGUAGE, spoken[language])]
    if options.sources:
        rules.append((OTHER_SOURCE, listed(codes.sources, options.sources)[source]))
    if options.term_types:
        rules.append((OTHER_TYPE, listed(codes.types, options.term_types)[kind]))
    if not options.suppressible:
        rules.append((SUPPRESSED, ~suppressed))
    for rule, good in rules:
        log.skip(rule, taken & ~good)
        taken &= good
    log.keep(taken)
    block = block.only(taken)
    standing = 4 * ~block.has(_TS, b"P") + 2 * ~block.has(_STT, b"PF") + ~block.has(_ISPREF, b"Y")
    return Atoms(
        cui[taken],
        language[taken],
        source[taken],
        kind[taken],
        standing,
        suppressed[taken],
        block.texts(_CODE),
        block.texts(_STR),
    )


def listed(table: dict[bytes, int], wanted: tuple[str, ...]) -> Mask:
    """Which values of a coded column's table are among those wanted, in any letter case."""
    return np.array(among((value.decode(errors="replace") for value in table), wanted), dtype=np.bool_)
