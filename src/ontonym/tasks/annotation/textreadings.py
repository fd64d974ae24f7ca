"""The ways to read a text: as it is written, and with words joined, corrected or taken together as names have them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ontonym.arrays import Ints, Mask
from ontonym.index import Index
from ontonym.index.windows import NameWindows
from ontonym.memo import Memo
from ontonym.tasks.annotation.shorthand import ShorthandFinder
from ontonym.text.abbreviations import find_abbreviations
from ontonym.text.bodyparts import names_a_part, same_part
from ontonym.text.capitals import genes_of
from ontonym.text.digits import counted_digits
from ontonym.text.findings import has_abnormal_word
from ontonym.text.foreign.words import said_in
from ontonym.text.kinds import kind_of
from ontonym.text.languages import language_of_document
from ontonym.text.normalization import tokens
from ontonym.text.notes.organs import UnderOrgan, under_organs
from ontonym.text.phraseborders import ends_phrase_at, is_border
from ontonym.text.pieces import Piece, pieces, words_in
from ontonym.text.rereadings import (
    as_capitals,
    as_unable,
    maybe_slips,
    with_own,
    without_asides,
    without_hyphens,
    without_inversions,
    without_owners,
    without_slips,
)
from ontonym.text.values import measured
from ontonym.text.wordforms import is_adjective
from ontonym.text.wordlists import COMMON, FILLERS
from ontonym.wanted import check_wanted

_MOST_KNOWN = 50_000
_MOST_MEANINGS = 3
"""Concepts that an everyday word may stand for: one of more says nothing."""
_MOST_PHRASE, _NEAR = 2, 4
"""Words of a phrase under the heading of a part of the body, and words behind it in which another part is named."""
_NO_FINDINGS = frozenset({"chemical", "procedure", "process"})


class TextReading(NamedTuple):
    """One way to read a text: its pieces, with the abbreviations that it defines.

    ``fresh`` says which pieces lie in runs that the first reading does not have so, shape ``(pieces,)``: in the first
    reading all of them. A run is parted from the next where no name goes on. ``stand_ins`` are the places of pieces
    that are read as other words, as ``meant`` says: such a piece is part of a name, and none by itself but where it is
    one of the ``phrases``.
    """

    text: str
    row: list[Piece]
    defined: Mapping[str, str]
    fresh: Mask
    stand_ins: frozenset[int] = frozenset()
    phrases: frozenset[int] = frozenset()
    meant: Mapping[str, str] = MappingProxyType({})


class ReadWords(NamedTuple):
    """The words of readings, one after another.

    By word: ``owners`` are pieces, counted over all readings, and ``runs`` numbers that are equal where a name may have
    both. ``firsts`` is by reading the number of its first piece, and ``starts`` that of its first word, with the
    end of both.
    """

    words: list[str]
    owners: Ints
    runs: Ints
    fresh: Mask
    firsts: Ints
    starts: Ints

    @classmethod
    def of(cls, readings: Sequence[TextReading], *, listed: bool = True) -> ReadWords:
        """The words of some readings; with ``listed`` a name may have words of two lines of a list (`Piece.listed`)."""
        row = [piece for reading in readings for piece in reading.row]
        counts = np.array([len(piece.words) for piece in row], dtype=np.int64)
        owners = np.arange(len(row)).repeat(counts)
        firsts = np.cumsum([0, *(len(reading.row) for reading in readings)])
        breaks = np.array([not piece.goes_on or (piece.listed and not listed) for piece in row], dtype=np.bool_)
        breaks[firsts[:-1][firsts[:-1] < len(row)]] = True
        fresh = np.concatenate([np.empty(0, dtype=np.bool_), *(reading.fresh for reading in readings)])
        starts = np.concatenate([[0], np.cumsum(counts)])[firsts]
        words = list(words_in(row))
        return cls(words, owners, np.cumsum(breaks, dtype=np.int64)[owners], fresh[owners], firsts, starts)

    def reading_of(self, word: int) -> int:
        """The number of the reading that has the word at a place."""
        return int(np.searchsorted(self.starts, word, side="right")) - 1


class TextReader:
    """Reads texts as the names of an index allow; ``freely`` also with hyphens left out, slips corrected, and shorthand
    and everyday words as what they stand for, then with ``values`` too ("K 6.2")."""

    def __init__(
        self, index: Index, lexicon: NameWindows, shorthand: ShorthandFinder, *, abbreviations: bool, freely: bool,
        values: bool,
    ) -> None:  # fmt: skip
        self._index, self._lexicon, self._shorthand = index, lexicon, shorthand
        self._abbreviations, self._freely, self._values = abbreviations, freely, values
        self._meant = Memo(index.signals.meant, _MOST_KNOWN)
        self._stands_for = Memo(self._named_by, _MOST_KNOWN)

    def read(self, texts: Sequence[str]) -> list[list[TextReading]]:
        """The ways to read each text, that as it is written first."""
        defined = [self._defined(text) if self._abbreviations else {} for text in texts]
        found = [*map(pieces, texts, defined)]
        if self._freely:
            self._remember(texts, found)
        return [*map(self._readings, texts, defined, found)]

    def _readings(self, text: str, defined: dict[str, str], found: list[Piece]) -> list[TextReading]:
        others = [without_asides(text, found, defined) if defined else None, as_capitals(text, found)]
        if self._freely:
            others.append(without_hyphens(text, found, self._lexicon.has_word))
            others.append(without_slips(text, found, self._meant))
            others.append(as_unable(text, found))
            others += [without_owners(text, found), with_own(text, found)]
            others.append(without_inversions(text, found, lambda words: bool(self._lexicon.spelled(words))))
        known = {some[0].start: some for some in _runs(found)}
        read = [TextReading(text, found, defined, np.ones(len(found), dtype=np.bool_))]
        read += [TextReading(text, row, defined, _changed(row, known)) for row in others if row is not None]
        if self._freely:
            for stand_ins in self._stand_ins(text, defined, found):
                check_wanted()
                row = [
                    replace(one, words=tuple(tokens(stand_ins[n]))) if n in stand_ins else one
                    for n, one in enumerate(found)
                ]
                meant = {found[place].written(text): words for place, words in stand_ins.items()}
                read.append(TextReading(text, row, defined, _changed(row, known), frozenset(stand_ins), meant=meant))
            values = _placed(found, ((*one[:2], one.means) for one in measured(text))) if self._values else {}
            digits = _placed(found, counted_digits(text))
            foreign = self._in_english(text, found)
            shorthand = self._shorthand.phrases(text, found)
            for phrases in (shorthand, *self._of_organs(text, found), values, digits, foreign):
                check_wanted()
                if phrases:
                    read.append(_with_phrases(text, found, defined, phrases, known))
        return read

    def _stand_ins(self, text: str, defined: Mapping[str, str], row: Sequence[Piece]) -> list[dict[int, str]]:
        """By place what shorthand and everyday words of a text stand for: each way to read them, none where there are
        none."""
        ways: dict[int, tuple[str, ...]] = {
            place: names
            for place, piece in enumerate(row)
            if len(piece.words) == 1
            and piece.written(text) not in COMMON
            and (names := self._stands_for[piece.words[0]])
        }
        ways |= self._shorthand.long_forms(text, row, genes_of(text) | defined.keys())
        most = max(map(len, ways.values()), default=0)
        return [{place: said[min(way, len(said) - 1)] for place, said in ways.items()} for way in range(most)]

    def _of_organs(self, text: str, row: Sequence[Piece]) -> list[dict[tuple[int, int], str]]:
        """The words that are a name only with the part of the body in their heading, by their first and last piece,
        with that name: the *nodule* of "Lungs: a nodule". Apart where the same words are different names."""
        starts = [piece.start for piece in row]
        ways: list[dict[tuple[int, int], str]] = []
        said: list[dict[str, str]] = []
        for organ in under_organs(text):
            first = bisect_left(starts, organ.start)
            while first < len(row) and row[first].end <= organ.end and not _names_another(row[first], organ):
                last, meaning = self._of_organ(text, row, first, organ)
                if meaning:
                    written = text[row[first].start : row[last].end]
                    way = next((n for n, one in enumerate(said) if one.get(written, meaning) == meaning), len(said))
                    if way == len(said):
                        ways.append({})
                        said.append({})
                    ways[way][first, last] = said[way][written] = meaning
                first = last + 1
        return ways

    def _of_organ(self, text: str, row: Sequence[Piece], first: int, organ: UnderOrgan) -> tuple[int, str]:
        """The last of the pieces from ``first`` on that are a name with the part of the body, and this name; empty
        where they are a name themselves, or of another part."""
        if names_a_part(row[first - 1].words) and row[first].continues:
            return first, ""
        for last in range(min(first + _MOST_PHRASE, len(row)) - 1, first - 1, -1):
            phrase = row[first : last + 1]
            words = words_in(phrase)
            if phrase[-1].end > organ.end or not all(piece.continues for piece in phrase[1:]):
                continue
            if is_border(words[0]) and not has_abnormal_word(words[:1]):
                continue
            if len(words) > _MOST_PHRASE or not ends_phrase_at(text, row, last) or _is_of_another(row, last, organ):
                continue
            if _qualifies_another(text, row, first) if has_abnormal_word(words) else names_a_part(words):
                continue
            rows = [row for part in organ.parts for row in self._lexicon.spelled([part, *words])]
            if own := self._lexicon.spelled(words):  # "Lungs: edema" says which, a later sentence may not
                rows = [] if ". " in text[organ.start : phrase[0].start] else self._narrower(own, rows)
            rows.sort(key=self._lexicon.is_everyday)
            preferred = self._index.preferred(self._lexicon.concept(rows[0])) if rows else ""
            if rows and _is_finding(words, tokens(preferred)):
                return last, preferred if self._lexicon.is_everyday(rows[0]) else self._index.term(rows[0]).text
        return first, ""

    def _in_english(self, text: str, row: Sequence[Piece]) -> dict[tuple[int, int], str]:
        """What a text in another language says in everyday words and abbreviations, by their first and last piece, in
        English; not what is a name itself."""
        said = said_in(text, [(one.start, one.end) for one in row], language_of_document(text))
        return {
            (first, last): english
            for (first, last), english in said.items()
            if not self._lexicon.spelled(words_in(row[first : last + 1]))
        }

    def _narrower(self, own: Sequence[int], rows: Sequence[int]) -> list[int]:
        """Of some names those of concepts below the concepts of others, ``own``."""
        broad = set(map(self._lexicon.concept, own))
        return [name for name in rows if not broad.isdisjoint(self._index.above(self._lexicon.concept(name)))]

    def _named_by(self, word: str) -> tuple[str, ...]:
        """The preferred terms of the concepts that an everyday name calls by a word, if they are no more than
        `_MOST_MEANINGS`."""
        rows = [row for row in self._lexicon.spelled([word]) if self._lexicon.is_everyday(row)]
        names = dict.fromkeys(self._index.preferred(self._lexicon.concept(row)) for row in rows)
        return tuple(names) if len(names) <= _MOST_MEANINGS else ()

    def _remember(self, texts: Sequence[str], found: Sequence[list[Piece]]) -> None:
        """Finds out together which words of texts are no slips since some name has them, which is faster."""
        asked = {
            word
            for text, row in zip(texts, found, strict=True)
            for _, words in maybe_slips(text, row)
            for word in words
        }
        fresh = list(asked - self._meant.keys())
        if len(self._meant) + len(fresh) < _MOST_KNOWN:
            known = zip(fresh, self._index.signals.is_known(fresh), strict=True)
            self._meant.update((word, None) for word, is_known in known if is_known)

    def _defined(self, text: str) -> dict[str, str]:
        """The abbreviations that a text defines, without those that the terminologies know better.

        "von Hippel-Lindau (VHL)" is not a name, but VHL is one, of a concept that has a name with all these words.
        """
        return {short: long for short, long in find_abbreviations(text).items() if not self._knows_better(short, long)}

    def _knows_better(self, short: str, long: str) -> bool:
        words = set(tokens(long))
        if self._lexicon.spelled(tokens(long)):
            return False
        concepts = map(self._lexicon.concept, self._lexicon.spelled(tokens(short)))
        return any(words <= set(name) for concept in concepts for name in self._lexicon.names_of(concept))


def _placed(row: Sequence[Piece], said: Iterable[tuple[int, int, str]]) -> dict[tuple[int, int], str]:
    """What stretches of a text mean, each with its start and end, by their first and last piece: the *K 6.2* of a
    letter."""
    starts = [piece.start for piece in row]
    found: dict[tuple[int, int], str] = {}
    for start, end, means in said:
        first, last = bisect_left(starts, start), bisect_left(starts, end) - 1
        if first <= last and starts[first] == start and row[last].end <= end:
            found[first, last] = means
    return found


def _qualifies_another(text: str, row: Sequence[Piece], first: int) -> bool:
    """Whether a piece goes on with a word that it may tell of: the *absent* of "Hands: small. Clinodactyly absent"."""
    if not first or not row[first].continues:
        return False
    before = row[first - 1]
    written = before.written(text).lower()
    return not (is_border(written) or is_adjective(written) or FILLERS.issuperset(before.words) or written.isdigit())


def _is_of_another(row: Sequence[Piece], last: int, organ: UnderOrgan) -> bool:
    """Whether another part of the body is named soon after a piece, in the same phrase: "nodule of the skin"."""
    for piece in row[last + 1 : last + 1 + _NEAR]:
        if not piece.continues:
            return False
        if _names_another(piece, organ):
            return True
    return False


def _names_another(piece: Piece, organ: UnderOrgan) -> bool:
    return any(word not in organ.parts and len(same_part(word)) > 1 for word in piece.words)


def _is_finding(words: Sequence[str], preferred: Sequence[str]) -> bool:
    """Whether words under a heading, with the preferred term of what they mean, may say that something is wrong."""
    return has_abnormal_word((*words, *preferred)) or not (
        names_a_part(preferred) or kind_of(preferred) in _NO_FINDINGS
    )


def _with_phrases(
    text: str,
    row: Sequence[Piece],
    defined: Mapping[str, str],
    phrases: Mapping[tuple[int, int], str],
    known: Mapping[int, list[Piece]],
) -> TextReading:
    """The reading of a text with its ``phrases``, by their first and last piece, as one piece each that says what they
    stand for."""
    read: list[Piece] = []
    places: set[int] = set()
    meant: dict[str, str] = {}
    ends = dict(phrases.keys())
    place = 0
    while place < len(row):
        last = ends.get(place, place)
        if last > place or (place, place) in phrases:
            meaning = phrases[place, last]
            meant[text[row[place].start : row[last].end]] = meaning
            places.add(len(read))
            read.append(replace(row[place], end=row[last].end, words=tuple(tokens(meaning))))
        else:
            read.append(row[place])
        place = last + 1
    return TextReading(text, read, defined, _changed(read, known), frozenset(places), frozenset(places), meant)


def _changed(row: Sequence[Piece], known: Mapping[int, list[Piece]]) -> Mask:
    """Which pieces of a row lie in other runs than those that are ``known``, by where they start."""
    changed: list[bool] = []
    for some in _runs(row):
        changed += [known.get(some[0].start) != some] * len(some)
    return np.array(changed, dtype=np.bool_)


def _runs(row: Sequence[Piece]) -> Iterator[list[Piece]]:
    """The pieces of a row, parted where no name goes on."""
    some: list[Piece] = []
    for piece in row:
        if some and not piece.goes_on:
            yield some
            some = []
        some.append(piece)
    if some:
        yield some
