"""Passages: the aliases of a concept as one text for a cross-encoder, cut so that each side of a pair has a fair share.

Pure Python and numpy; the caller gives the function that counts tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Ints
from ontonym.encoder.protocol import AliasPair
from ontonym.errors import InputError
from ontonym.memo import MemoOfMany
from ontonym.text.normalization import tokens

SEPARATOR = "; "
"""The separator of the aliases in a passage."""


_MOST_KEPT = 200_000
"""Sides of pairs whose order and lengths are kept."""
_MOST_ALIASES = 64
"""Aliases of a concept that are compared: the time grows with the square of their number."""


def distinct_first(aliases: Sequence[str]) -> tuple[str, ...]:
    """The aliases, the most informative first: the first, then always the one with the most new words.

    The measure is the share of an alias's words that no earlier alias has; ties go to the earlier one. Only the first
    64 aliases are considered.
    """
    left = [(alias, frozenset(tokens(alias))) for alias in dict.fromkeys(aliases[:_MOST_ALIASES])]
    if not left:
        return ()
    chosen, seen = [left[0][0]], set(left[0][1])
    del left[0]
    while left:
        best = max(range(len(left)), key=lambda place: (_novelty(left[place][1], seen), -place))
        alias, words = left.pop(best)
        chosen.append(alias)
        seen |= words
    return tuple(chosen)


def _novelty(words: frozenset[str], seen: set[str]) -> float:
    return len(words - seen) / len(words) if words else 0.0


def check_pairs(pairs: Sequence[AliasPair]) -> None:
    """Raises InputError if a side of a pair is not a list of aliases, or is empty."""
    for number, (query, candidate) in enumerate(pairs):
        for side, aliases in (("query", query), ("candidate", candidate)):
            if isinstance(aliases, str):
                raise InputError(f"pair {number}: the {side} is the text {aliases!r}, but a list of aliases is wanted")
            if not aliases:
                raise InputError(f"pair {number}: the {side} has no alias; leave concepts without names out")


class _CountedAliases(NamedTuple):
    """The aliases of one side of a pair, the most informative first, and how many tokens each has."""

    aliases: tuple[str, ...]
    lengths: list[int]


class Passages:
    """Makes the two passages of pairs for one tokenizer.

    ``count`` gives the number of tokens of each text, without special tokens. ``room`` is the maximum number of tokens
    of both passages together: each has half of it, and may use what the other does not need.
    """

    def __init__(self, count: Callable[[Sequence[str]], Sequence[int]], room: int) -> None:
        self._room = room
        both, one, other = count([f"a{SEPARATOR}b", "a", "b"])
        self._between = both - one - other
        self._sides: MemoOfMany[tuple[str, ...], _CountedAliases] = MemoOfMany(partial(_sides, count), _MOST_KEPT)

    def of(self, pairs: Sequence[AliasPair]) -> list[tuple[str, str]]:
        """The two texts of each pair; an alias is in it whole or not at all, except a first one that is too long."""
        sides = self._sides.of([tuple(aliases) for pair in pairs for aliases in pair])
        return [self._pair(first, second) for first, second in zip(sides[::2], sides[1::2], strict=True)]

    def _pair(self, first: _CountedAliases, second: _CountedAliases) -> tuple[str, str]:
        needs = [sum(side.lengths) + self._between * (len(side.lengths) - 1) for side in (first, second)]
        half = self._room // 2
        for_first = max(half, self._room - needs[1])
        for_second = max(self._room - half, self._room - needs[0])
        return self._cut(first, for_first), self._cut(second, for_second)

    def _cut(self, side: _CountedAliases, room: int) -> str:
        kept, used = [side.aliases[0]], side.lengths[0]
        for alias, length in zip(side.aliases[1:], side.lengths[1:], strict=True):
            if used + self._between + length <= room:
                kept.append(alias)
                used += self._between + length
        return SEPARATOR.join(kept)


def _sides(count: Callable[[Sequence[str]], Sequence[int]], wanted: Sequence[tuple[str, ...]]) -> list[_CountedAliases]:
    """The sides that have these aliases, counted together."""
    ordered = [distinct_first(aliases) for aliases in wanted]
    flat = list(dict.fromkeys(chain.from_iterable(ordered)))
    lengths = dict(zip(flat, count(flat), strict=True)) if flat else {}
    return [_CountedAliases(aliases, [lengths[alias] for alias in aliases]) for aliases in ordered]


def by_length(lengths: Ints, at_once: int) -> list[Ints]:
    """Positions in batches of similar lengths, longest first: a batch padded to its longest has at most ``at_once``
    tokens.

    A text longer than that is a batch of its own.
    """
    order = np.argsort(-lengths, kind="stable")
    batches, start = [], 0
    while start < len(order):
        size = max(1, at_once // max(int(lengths[order[start]]), 1))
        batches.append(order[start : start + size])
        start += size
    return batches
