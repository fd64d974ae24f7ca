"""Stretches of a text that may be mentions though no name spells them: those that have words in common with a name,
each with what tells whether it is worth a search."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.index import Index
from ontonym.index.part import IndexPart
from ontonym.index.partialforms import PartialForms, PartialMatches
from ontonym.memo import Memo
from ontonym.ragged import boundaries
from ontonym.tasks.annotation.overlaps import free_pieces
from ontonym.text.abbreviations import expand
from ontonym.text.kinds import THING_KINDS, scores_of
from ontonym.text.phrasearrays import Phrases
from ontonym.text.phraseborders import is_border, says_other, stretches
from ontonym.text.pieces import Piece, words_in
from ontonym.text.wordlists import COMMON, FILLERS, MODIFIERS
from ontonym.wanted import check_wanted

_SAMPLED = 500
"""Names of which the kinds are counted."""
_OFTEN = 0.2
"""A terminology is of every kind that so many of its names are of."""
_COMMON_SHARE, _COMMON_NAMES = 1 / 1500, 20
"""A word of more than this share of the names, and of more names than that, means no concept alone."""
_LEAST_KIND = -4.0
"""The least log-odds that a stretch names a thing of the terminology's kinds."""
_MOST_KNOWN = 1 << 15
_BLOCK = 1 << 15  # stretches that are compared with names together
_OF = ("of", "in", "on")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Pieces ``first`` to ``last`` of a text, the words to look up, and the features by `SHAPE`."""

    first: int
    last: int
    lookup: str
    words: tuple[str, ...]
    shape: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """Pieces of a text, the ``first`` to the ``last``, that are a name of these concepts, around which a longer mention
    of another one may be: the *spasm* of "coronary spasm"."""

    first: int
    last: int
    concepts: frozenset[int]

    def lies_in(self, first: int, last: int) -> bool:
        """Whether the pieces from ``first`` to ``last`` have all of it among them."""
        return first <= self.first and self.last <= last

    def lets(self, first: int, last: int) -> bool:
        """Whether the pieces from ``first`` to ``last`` may be a mention beside it: they are none of it, or all and
        more."""
        if last < self.first or first > self.last:
            return True
        return self.lies_in(first, last) and last - first > self.last - self.first


@dataclass(frozen=True)
class PiecedText:
    """A text in ``pieces``, with its abbreviations (``defined``), as likely mentions are looked for in it.

    None lies in the places ``taken``, in characters. One may have ``heads`` in it if it means another concept than
    these.
    """

    text: str
    pieces: Sequence[Piece]
    defined: Mapping[str, str] = field(default_factory=dict)
    taken: tuple[tuple[int, int], ...] = ()
    heads: tuple[Head, ...] = ()

    @property
    def key(self) -> Key:
        """What tells it from other texts, and from itself with other mentions taken."""
        return self.text, self.taken, self.heads

    @cached_property
    def by_piece(self) -> HeadsByPiece:
        """The heads by the pieces that they have."""
        return HeadsByPiece(self.heads)

    @property
    def free(self) -> Mask:
        """Which of its pieces lie in no taken place."""
        return free_pieces(self.pieces, self.taken)

    def fills(self, stretch: Stretch, heads: Sequence[Head]) -> bool:
        """Whether a stretch is no more than these heads, one beside the other: "nausea/vomiting"."""
        covered = {place for head in heads for place in range(head.first, head.last + 1)}
        between = set(range(stretch.first, stretch.last + 1)) - covered
        return all(FILLERS.issuperset(self.pieces[place].words) for place in between)

    def between_taken(self) -> Iterator[tuple[int, int]]:
        """The first and last piece of each stretch in no taken place that may be a mention beside the ``heads``."""
        taken = [0, *accumulate((~self.free).tolist())]
        for first, last in stretches(self.text, self.pieces):
            heads = self.by_piece.of(first, last)
            if taken[last + 1] == taken[first] and all(head.lets(first, last) for head in heads):
                yield first, last


class HeadsByPiece:
    """Heads by the pieces that they have, since a long text has thousands."""

    def __init__(self, heads: Sequence[Head]) -> None:
        self._at: dict[int, list[Head]] = {}
        for head in heads:
            for place in range(head.first, head.last + 1):
                self._at.setdefault(place, []).append(head)

    def of(self, first: int, last: int) -> Collection[Head]:
        """The heads that have any of the pieces from ``first`` to ``last``."""
        at = self._at
        return {head for place in range(first, last + 1) if place in at for head in at[place]} if at else ()

    def within(self, stretch: Stretch) -> list[Head]:
        """The heads that lie in a stretch."""
        first, last = stretch.first, stretch.last
        return [head for head in self.of(first, last) if head.lies_in(first, last)]

    def around(self, stretch: Stretch) -> int:
        """The number of pieces of a stretch that has a name of several words in it, 0 for another."""
        is_around = any(head.first < head.last for head in self.within(stretch))
        return stretch.last + 1 - stretch.first if is_around else 0


Key: TypeAlias = tuple[str, tuple[tuple[int, int], ...], tuple[Head, ...]]


class _Spot(NamedTuple):
    """A stretch of one of several texts: the number of the text, and its first and last piece."""

    text: int
    first: int
    last: int


class Stretches:
    """Finds stretches that resemble names of parts of an index, of concepts that are ``allowed`` (None: of all).

    The name rows ``hidden`` are left out. ``kinds`` are the kinds of thing (`ontonym.text.kinds.THING_KINDS`, by
    number) that the names are mostly of.
    """

    def __init__(
        self, index: Index, parts: Sequence[IndexPart], allowed: Mask | None, hidden: Ints | None = None
    ) -> None:
        self._parts = [
            part.partial_forms if allowed is None and rows is None else PartialForms(part.names, allowed, rows)
            for part, rows in zip(parts, (hidden, *[None] * len(parts)), strict=False)
        ]
        names = index.signals.names
        most = max(_COMMON_NAMES, _COMMON_SHARE * len(names))
        self._is_common = Memo[str, bool](lambda word: names.uses_of(word)[0] > most, _MOST_KNOWN)
        self._odds_of_last = Memo[str, float](lambda word: _odds_of_last(*names.uses_of(word)), _MOST_KNOWN)
        self.kinds = _kinds_of(index, allowed)

    def rarity(self, word: str) -> float:
        """How rare the root of a normalized word is among the names of the first part (`PartialForms.rarity`)."""
        return self._parts[0].rarity(word)

    def every(self, read: PiecedText) -> list[Stretch]:
        """All stretches of a text that have words in common with a name and may be of its kinds, whatever is taken."""
        (found,) = self._shown([read], [_Spot(0, *place) for place in stretches(read.text, read.pieces)])
        return found

    def between(self, texts: Sequence[PiecedText]) -> list[list[Stretch]]:
        """For each text those of them that lie between what is taken, computed together."""
        spots = [_Spot(number, *place) for number, read in enumerate(texts) for place in read.between_taken()]
        return self._shown(texts, spots)

    def _shown(self, texts: Sequence[PiecedText], spots: Sequence[_Spot]) -> list[list[Stretch]]:
        """The stretches in some places that are worth it, for each text, in the order of the places."""
        found: list[list[Stretch]] = [[] for _ in texts]
        spots = [spot for spot in spots if self._tells(texts[spot.text], spot)] if self._parts else []
        words = Phrases.of([piece.words for read in texts for piece in read.pieces])
        begins = boundaries(np.array([len(read.pieces) for read in texts]))
        written = [[piece.written(read.text).lower() for piece in read.pieces] for read in texts]
        for block in range(0, len(spots), _BLOCK):
            check_wanted()
            some = spots[block : block + _BLOCK]
            numbers, firsts, lasts = np.array(some, dtype=np.int64).T
            phrases = words.runs(begins[numbers] + firsts, begins[numbers] + lasts)
            kinds: Doubles = scores_of(phrases)[:, self.kinds].max(axis=1)
            match = self._nearest(phrases)
            for place in np.flatnonzero((kinds >= _LEAST_KIND) & (match.of_name > 0)).tolist():
                spot = some[place]
                resembled = float(kinds[place]), float(match.of_phrase[place]), float(match.of_name[place])
                found[spot.text].append(self._stretch(texts[spot.text], written[spot.text], spot, resembled))
        return found

    def _tells(self, read: PiecedText, spot: _Spot) -> bool:
        """Whether a stretch has words that mean something: a word of very many names by itself means none of them."""
        words = words_in(read.pieces[spot.first : spot.last + 1])
        if len(words) == 1:
            return not (self._is_common[words[0]] or says_other(read.text, read.pieces, spot.first))
        return bool(words)

    def _nearest(self, phrases: Phrases) -> PartialMatches:
        """The nearest names in any part."""
        found = [part.nearest(phrases) for part in self._parts]
        every = PartialMatches(*map(np.concatenate, zip(*found, strict=True)))
        return every.best(np.tile(np.arange(len(phrases)), len(found)), len(phrases))

    def _stretch(
        self, read: PiecedText, written: Sequence[str], spot: _Spot, resembled: tuple[float, float, float]
    ) -> Stretch:
        """A stretch with its features by `SHAPE`; ``written`` are the pieces in small letters, ``resembled`` the
        log-odds of its kind, and the shares of `PartialMatches`."""
        text, row, (_, first, last) = read.text, read.pieces, spot
        here, start, end = written[first : last + 1], row[first].start, row[last].end
        words, lookup = words_in(row[first : last + 1]), " ".join(text[start:end].split())
        telling = sum(word not in FILLERS for word in words)
        links = [place for place, word in enumerate(here) if place and word in _OF]
        head = row[first + links[0] - 1] if links else row[last]
        kind, of_phrase, of_name = resembled
        shape = (
            kind,
            min(kind, 0.0),
            of_phrase,
            of_name,
            telling,
            telling == 1,
            bool(links),
            here[0] in MODIFIERS,
            self._odds_of_last[head.words[-1] if head.words else ""],
            bool(first) and row[first].continues and not is_border(written[first - 1]),
            last + 1 < len(row) and row[last + 1].continues and not is_border(written[last + 1]),
            text[start:end].isupper(),
            any(map(str.isdigit, text[start:end])),
            "normal" in here or "normally" in here,
            here[0] in COMMON,
            text[start - 1 : start] == "-" or text[end : end + 1] == "-",
        )
        return Stretch(first, last, expand(lookup, read.defined) if read.defined else lookup, words, shape)


def _odds_of_last(uses: int, last: int) -> float:
    """The log-odds that a word of a name is the last one."""
    return float(np.log((last + 0.5) / (uses - last + 0.5)))


def _kinds_of(index: Index, allowed: Mask | None) -> Ints:
    """The kinds that at least a fifth of the names are of, as columns; the commonest where none is."""
    names = index.signals.names
    rows = np.arange(len(names)) if allowed is None else np.flatnonzero(allowed[names.concepts])
    sample = rows[np.linspace(0, max(len(rows) - 1, 0), min(_SAMPLED, len(rows))).astype(np.int64)]
    best = scores_of(Phrases.of([names.words_of(int(row)) for row in sample.tolist()])).argmax(axis=1)
    shares = np.bincount(best, minlength=len(THING_KINDS)) / max(len(best), 1)
    often = np.flatnonzero(shares >= _OFTEN)
    return often if len(often) else np.array([int(np.argmax(shares))])
