"""Names from a small grammar: slots with tables of words, templates that word them, every preferred name its own.

A concept's number within its kind, permuted and written in the mixed radix of its slots' table sizes, chooses its
words; where a family of slots is used up, the concepts after it are numbered ("variant 2").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import gcd, prod
from typing import Protocol

import numpy as np

from . import words
from .draws import Bools, Bytes, Draws, Ints
from .kinds import KINDS
from .render import decimal, table

_PIECE = re.compile(r"\[([^\[\]{}]*)\{(\w+)(?::(\w+))?\}([^\[\]{}]*)\]|\{(\w+)(?::(\w+))?\}|([^\[\]{}]+)")
_TAKEN_BY_ONE_FAMILY = 10


class Namer(Protocol):
    """Where the names of a release come from. ``kinds`` and ``members`` number concepts: ``KINDS`` and within them."""

    def differs(self, kinds: Ints, members: Ints) -> Bools:
        """Whether the preferred name is spelled differently in Great Britain."""
        ...

    def worded(self, kinds: Ints, members: Ints, wordings: Ints) -> Bools:
        """Whether there is a name of this wording (see ``kinds``)."""
        ...

    def names(self, kinds: Ints, members: Ints, wordings: Ints, changes: Ints, british: Bools) -> Bytes:
        """The names, padded with NUL; ``changes`` counts how often the name was changed in earlier releases."""
        ...


@dataclass(frozen=True, slots=True)
class _Slot:
    """A table of words in each form, and which nouns are spelled differently in Great Britain."""

    forms: dict[str, Bytes]
    british: dict[str, Bytes]
    differs: Bools

    @property
    def size(self) -> int:
        return len(self.differs)


def _written(text: str) -> _Slot:
    """The slot of a table of ``words``."""
    entries = words.entries(text)
    nouns = [noun for noun, _, _ in entries]
    forms = {
        "noun": nouns,
        "adj": [adjective for _, adjective, _ in entries],
        "de": [german for _, _, german in entries],
        "abbr": ["".join(word[0].upper() for word in re.split(r"[ -]", noun) if word) for noun in nouns],
    }
    british = {form: table([words.british(entry) for entry in texts]) for form, texts in forms.items()}
    differs = np.array([words.british(noun) != noun for noun in nouns])
    return _Slot({form: table(texts) for form, texts in forms.items()}, british, differs)


def _same(cells: Bytes) -> _Slot:
    """The slot of words that are the same in all languages."""
    forms = {"noun": cells, "adj": cells, "de": cells, "abbr": capitalized(cells[:, :1].copy())}
    return _Slot(forms, forms, np.zeros(len(cells), dtype=bool))


def _coined(ends: list[str], count: int) -> Bytes:
    """Made-up words, well mixed."""
    parts = [table(part) for part in (words.ONSETS, words.VOWELS, words.ONSETS, words.VOWELS, ends)]
    total = prod(len(part) for part in parts)
    rest = np.arange(count) * 1_000_003 % total
    columns = []
    for part in parts:
        rest, digit = np.divmod(rest, len(part))
        columns.append(part[digit])
    return np.concatenate(columns, axis=1)


def _genera() -> Bytes:
    cells = _coined(words.GENUS_ENDS, 20_000)
    return capitalized(cells)


def _codes(count: int) -> Bytes:
    """Codes of two letters and five digits."""
    numbers = np.arange(count)
    letters = np.stack([65 + numbers % 26, 65 + numbers // 26 % 26, np.full(count, ord("-"))], axis=1).astype(np.uint8)
    return np.concatenate([letters, decimal(numbers * 7919 % 100_000, 5)], axis=1)


_LOCANTS = [
    f"{place}-" for place in ("2", "3", "4", "5", "6", "7", "8", "alpha", "beta", "N", "2,4", "3,5", "1,3", "2,6")
]
_SLOTS: dict[str, Callable[[], _Slot]] = {
    "mod": lambda: _written(words.MODIFIERS),
    "dis": lambda: _written(words.DISORDERS),
    "part": lambda: _written(words.PARTS),
    "lat": lambda: _written(words.SIDES),
    "site": lambda: _written(words.SITES),
    "proc": lambda: _written(words.PROCEDURES),
    "appr": lambda: _written(words.APPROACHES),
    "find": lambda: _written(words.FINDINGS),
    "obs": lambda: _written(words.OBSERVED),
    "obj": lambda: _written(words.OBJECTS),
    "mat": lambda: _written(words.MATERIALS),
    "form": lambda: _written(words.FORMS),
    "salt": lambda: _written(words.SALTS),
    "group": lambda: _written(words.GROUPS),
    "group2": lambda: _written(words.GROUPS),
    "qual": lambda: _written(words.QUALITIES),
    "event": lambda: _written(words.EVENTS),
    "locant": lambda: _same(table(_LOCANTS)),
    "locant2": lambda: _same(table(_LOCANTS[::-1])),
    "genus": lambda: _same(_genera()),
    "epithet": lambda: _same(_coined(words.EPITHET_ENDS, 8_000)),
    "stem": lambda: _same(_coined(words.STEM_ENDS, 60_000)),
    "number": lambda: _same(decimal(np.arange(1, 1001))),
    "mg": lambda: _same(table([f"{number / 4:g}" for number in range(1, 401)])),
    "mg2": lambda: _same(decimal(np.arange(1, 51))),
    "code": lambda: _same(_codes(50_000)),
}


@cache
def _filled(name: str) -> _Slot:
    return _SLOTS[name]()


@cache
def _stacked(slot: str, form: str, before: str, after: str) -> Bytes:
    """A slot's entries with the text around them: American, then British, then one empty row."""
    filled = _filled(slot)
    american, british = filled.forms[form], filled.british[form]
    start, end = len(before.encode()), len(after.encode())
    width = max(american.shape[1], british.shape[1])
    cells = np.zeros((2 * filled.size + 1, start + width + end), dtype=np.uint8)
    cells[:-1, :start] = np.frombuffer(before.encode(), dtype=np.uint8)
    cells[: filled.size, start : start + american.shape[1]] = american
    cells[filled.size : -1, start : start + british.shape[1]] = british
    cells[:-1, start + width :] = np.frombuffer(after.encode(), dtype=np.uint8)
    return cells


@dataclass(frozen=True, slots=True)
class _Piece:
    slot: str
    form: str
    before: str
    after: str


@cache
def _pieces(template: str) -> tuple[_Piece, ...]:
    found = []
    for before, inner, inner_form, after, outer, outer_form, literal in _PIECE.findall(template):
        form = inner_form or outer_form or "noun"
        found.append(_Piece(inner or outer, form, before or literal, after))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class GrammarNames:
    """The names that the grammar gives under one seed (see ``Namer``)."""

    draws: Draws

    def differs(self, kinds: Ints, members: Ints) -> Bools:
        """Whether the preferred name is spelled differently in Great Britain."""
        found = np.zeros(len(kinds), dtype=bool)
        for kind, rows in _groups(kinds):
            choices, _ = self._choices(kind, members[rows])
            for piece in _pieces(KINDS[kind].wordings[0]):
                if piece.slot:
                    differs = np.append(_filled(piece.slot).differs, [False])
                    found[rows] |= differs[choices[piece.slot]]
        return found

    def worded(self, kinds: Ints, members: Ints, wordings: Ints) -> Bools:
        """Always: the grammar words every concept in every way."""
        return np.ones(len(kinds), dtype=bool)

    def names(self, kinds: Ints, members: Ints, wordings: Ints, changes: Ints, british: Bools) -> Bytes:
        """The names, padded with NUL and with a capital first."""
        built: list[tuple[Ints, list[Bytes]]] = []
        for kind, rows in _groups(kinds):
            choices, turn = self._choices(kind, members[rows])
            for wording, within in _groups(wordings[rows]):
                chosen = rows[within]
                spelled = british[chosen]
                columns = [
                    self._column(piece, choices, within, spelled) for piece in _pieces(KINDS[kind].wordings[wording])
                ]
                if turn.any():
                    columns.append(variant_suffix(turn[within]))
                built.append((chosen, columns))
        width = max((sum(column.shape[1] for column in columns) for _, columns in built), default=1)
        suffix = change_suffix(self.draws, kinds, members, changes)
        cells = np.zeros((len(kinds), width + suffix.shape[1]), dtype=np.uint8)
        for chosen, columns in built:
            cells[chosen, : sum(column.shape[1] for column in columns)] = np.concatenate(columns, axis=1)
        cells[:, width:] = suffix
        return capitalized(cells)

    def _choices(self, kind: int, members: Ints) -> tuple[dict[str, Ints], Ints]:
        """For each slot the row of its table (the last, empty one where a family lacks it); and the round's number."""
        families = KINDS[kind].families
        slots = sorted({slot for family in families for slot in family.split()})
        choices = {slot: np.full(len(members), _filled(slot).size, dtype=np.int64) for slot in slots}
        turns = np.zeros(len(members), dtype=np.int64)
        for number, rows in _groups(members % _TAKEN_BY_ONE_FAMILY):
            own = families[number].split()
            sizes = [_filled(slot).size for slot in own]
            total = prod(sizes)
            alike = families.count(families[number])
            within = members[rows] // _TAKEN_BY_ONE_FAMILY * alike + families[:number].count(families[number])
            turns[rows], rest = np.divmod(within, total)
            stride, start = self._stride(kind, families.index(families[number]), total)
            rest = (rest * stride + start) % total
            for slot, size in zip(own, sizes, strict=True):
                rest, choices[slot][rows] = np.divmod(rest, size)
        return choices, turns

    def _stride(self, kind: int, family: int, total: int) -> tuple[int, int]:
        start = int(self.draws.below("name.start", min(total, 2**31 - 1), kind, family))
        stride = int(total * 0.6180339887) | 1
        while gcd(stride, total) != 1:
            stride += 2
        return stride % total or 1, start

    @staticmethod
    def _column(piece: _Piece, choices: dict[str, Ints], within: Ints, british: Bools) -> Bytes:
        if not piece.slot:
            return np.broadcast_to(table([piece.before]), (len(within), len(piece.before.encode())))
        size = _filled(piece.slot).size
        rows = choices[piece.slot][within]
        empty = rows == size
        return _stacked(piece.slot, piece.form, piece.before, piece.after)[
            np.where(empty, 2 * size, rows + size * british)
        ]


def change_suffix(draws: Draws, kinds: Ints, members: Ints, changes: Ints) -> Bytes:
    """What a name that was changed so often ends with; nothing where it was not."""
    entries = [f", {noun}" for noun, _, _ in words.entries(words.CHANGES)]
    picked = (draws.below("name.change", len(entries), kinds, members) + changes) % len(entries)
    return table([*entries, ""])[np.where(changes > 0, picked, len(entries))]


def capitalized(cells: Bytes) -> Bytes:
    """The rows with the first letter a capital (ASCII letters only), in place."""
    rows = np.arange(len(cells))
    first = (cells != 0).argmax(axis=1)
    letter = cells[rows, first]
    cells[rows, first] = np.where((letter >= ord("a")) & (letter <= ord("z")), letter - 32, letter)
    return cells


def _groups(numbers: Ints) -> list[tuple[int, Ints]]:
    """Each number that occurs with the rows where it does."""
    order = np.argsort(numbers, kind="stable")
    values, starts = np.unique(numbers[order], return_index=True)
    return list(zip(values.tolist(), np.split(order, starts[1:]), strict=True))


def variant_suffix(turns: Ints) -> Bytes:
    """ " variant 2" and so on for all but the first turn (0)."""
    cells = decimal(turns + 1)
    columns = np.concatenate([np.broadcast_to(table([" variant "]), (len(turns), 9)), cells], axis=1)
    columns[turns == 0] = 0
    return columns
