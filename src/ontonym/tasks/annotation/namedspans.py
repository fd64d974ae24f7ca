"""Mentions that names of an index spell: which windows of a text's words are names, and which of these count.

An acronym must be in capitals, unless no letter around it is or all are; one that is also a common English word (WAS)
must be written as the name is, and one that means other things more often counts only where the text defines it.
Numbers alone, single letters, words as general as *disease* or *bilateral*, and what follows *non-* are no mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from ontonym.arrays import Mask
from ontonym.index import Index
from ontonym.index.windows import NameWindows, Window
from ontonym.memo import Memo
from ontonym.tasks.annotation.overlaps import EVERYDAY, IN_OTHER_WORDS, Span
from ontonym.tasks.annotation.textreadings import ReadWords, TextReading
from ontonym.tasks.annotation.writtenforms import is_numbered, is_shouted
from ontonym.tasks.search import SearchOptions, allowed_by
from ontonym.text.abbreviations import expand
from ontonym.text.bodyparts import names_a_part, narrows
from ontonym.text.capitals import is_capitals_in, may_be_capitals
from ontonym.text.findings import has_abnormal_word
from ontonym.text.kinds import kind_of
from ontonym.text.normalization import UNSPACED, tokens
from ontonym.text.notes.headings import INNER_FIRST_WORDS
from ontonym.text.phraseborders import belongs_after, is_border
from ontonym.text.pieces import Piece, words_in
from ontonym.text.wordforms import is_adjective
from ontonym.text.wordlists import COMMON, EDGES, GENERIC, OTHERWISE
from ontonym.text.wordroots import root
from ontonym.wanted import check_wanted

_LETTER = re.compile(r"[^\W\d_]")
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]+s?")
_SIZES = frozenset("big broad large little long low narrow short small tall thick thin too very wide".split())
_GUARDS = frozenset("diet jab shot".split())
"""What is against what stands before: a *low-sodium* diet, a *flu* shot."""
_HELD = frozenset("advice alone controlled managed only treated".split())
"""What follows a diet by which a disease is treated: "hypertension diet controlled" is one."""
_IS = frozenset("are appear appeared appears be is remain remained seem seemed was were".split())
"""Verbs between a part of the body and its size: "the humerus was short"."""
_AND = frozenset({"and", "or"})
_FARTHEST_PART = 5
"""Words after a size in which its part of the body is named: "very short and broad tubular bones"."""
_SHORT = 4
"""Letters of the longest word that may be a part of an acronym, or an acronym in capitals that no name has so."""
_LONGEST_ACRONYM = 6
"""Letters of the longest acronym: a longer word means what it spells however it is written."""
_MOST_KNOWN = 50_000
_QUALIFIERS = ("clinical modifier", "qualifier value", "frequency")
"""What terminologies call the concepts that only say how or how often another one is: *Bilateral*, *Excluded*."""


def sought(index: Index, lexicon: NameWindows, search: SearchOptions) -> Mask | None:
    """The concepts that ``search`` lets through, None for all.

    Of those that only say how another one is, it has none but what is wrong by itself, as a *compression fracture* is,
    unless ``search`` asks for a branch or a tag.
    """
    allowed = allowed_by(index, search)
    rows = [row for name in _QUALIFIERS for row in lexicon.spelled(tokens(name))]
    if search.within or search.tags or not rows:
        return allowed
    qualifying = index.mask(within=sorted({index.id(lexicon.concept(row)) for row in rows}))
    others = np.ones(index.concept_count, dtype=np.bool_) if allowed is None else allowed.copy()
    for concept in np.flatnonzero(qualifying).tolist() if qualifying is not None else ():
        name = tokens(index.preferred(concept))
        others[concept] &= len(name) > 1 and has_abnormal_word(name)
    return others


class NamedSpans:
    """Finds the names of concepts that are ``allowed``, of ``shortest`` characters or defined as abbreviations.

    ``means_other`` says of an acronym and some concepts that it usually means something else.
    """

    def __init__(
        self,
        index: Index,
        lexicon: NameWindows,
        allowed: Mask | None,
        shortest: int,
        means_other: Callable[[str, Collection[int]], bool],
    ) -> None:
        self._index = index
        self._lexicon = lexicon
        self._allowed = allowed
        self._shortest = shortest
        self._means_other = means_other
        self._means_name = Memo(self._judge, _MOST_KNOWN)

    def is_name(self, words: str) -> bool:
        """Whether words, in any order, are a name."""
        return bool(self._left(self._lexicon.spelled(tokens(words))))

    def _left(self, rows: Sequence[int]) -> tuple[int, ...]:
        """The names whose concepts pass the filters."""
        allowed = self._allowed
        return tuple(row for row in rows if allowed is None or allowed[self._lexicon.concept(row)])

    def find(self, readings: Sequence[TextReading]) -> list[list[Span]]:
        """The names in each of some readings of texts, overlapping ones too, where it reads its text anew."""
        found: list[list[Span]] = [[] for _ in readings]
        words = ReadWords.of(readings)
        changes = np.diff(words.owners) != 0
        opens, closes = np.append(True, changes), np.append(changes, True)
        if words.words:
            limits = np.searchsorted(words.runs, words.runs, side="right")
            for window in self._lexicon.windows(words.words, opens & words.fresh, closes, limits):
                check_wanted()
                number = words.reading_of(window.start)
                places = words.owners[[window.start, window.end - 1]] - words.firsts[number]
                first, last = places.tolist()
                span = self._span(readings[number], first, last, window)
                if span is not None and (not self._is_near(window) or self._may_be_near(span, window, found[number])):
                    found[number].append(span)
        return found

    def _is_near(self, window: Window) -> bool:
        """Whether the names of a window are those of concepts that are only near to them."""
        return all(map(self._lexicon.is_near, window.rows))

    def _may_be_near(self, span: Span, window: Window, found: Sequence[Span]) -> bool:
        """Whether a near name counts: it says more than a name in it that was found, as "septic shock" does of *shock*,
        or its concept is called by one of its words: "visual loss" is near to *Visual impairment*."""
        if any(span.start <= one.start and one.end <= span.end for one in found):
            return True
        words = set(map(root, tokens(span.lookup)))
        concepts = map(self._lexicon.concept, window.rows)
        return any(not words.isdisjoint(map(root, tokens(self._index.preferred(one)))) for one in concepts)

    def _span(self, reading: TextReading, first: int, last: int, window: Window) -> Span | None:
        """The mention that pieces ``first`` to ``last`` are whose words are a name; None if they are none."""
        text, row, defined = reading.text, reading.row, reading.defined
        is_read = not reading.stand_ins.isdisjoint(range(first, last + 1))
        if is_read:
            defined = {**defined, **reading.meant}
        if first == last and (first in reading.stand_ins - reading.phrases or is_shouted(text, row, first)):
            return None
        if (first < last and belongs_after(text, row, last)) or _only_describes(text, row, first, last):
            return None
        if not window.in_order and has_abnormal_word(row[last].words) and _qualifies_next(text, row, last):
            return None  # the "narrow face and short" of "a narrow face and short thumbs"
        rows = self._left(window.rows)
        if not rows or not self._counts(text, row[first : last + 1], rows, defined, in_order=window.in_order):
            return None
        is_everyday = all(map(self._lexicon.is_everyday, rows))
        if is_everyday and self._is_other(text, row, first, last, rows):
            return None
        start, end = row[first].start, row[last].end
        lookup = self._lookup(text[start:end], row[first : last + 1], defined)
        is_less_sure = is_everyday or self._is_near(window)
        return Span(start, end, lookup, sure=EVERYDAY if is_less_sure else IN_OTHER_WORDS if is_read else 1.0)

    def _counts(
        self, text: str, row: Sequence[Piece], rows: tuple[int, ...], defined: Mapping[str, str], *, in_order: bool
    ) -> bool:
        """Whether pieces that are the names in some rows count as a mention."""
        if not in_order and any(piece.comma or piece.listed for piece in row[1:]):
            return False
        if GENERIC.issuperset(words_in(row)):
            return False
        start, end = row[0].start, row[-1].end
        written, before = text[start:end], text[max(0, start - 4) : start].lower()
        if before.endswith(("non-", "non ")) or {row[0].words[0], row[-1].words[-1]} & EDGES:
            return False
        if len(row) > 1:
            return bool(_LETTER.search(written)) and not self._shares_letters(written, row[0], rows)
        if before.endswith("-") and len(written) <= _SHORT:  # the ALD of X-ALD
            return False
        is_defined = written in defined or written.removesuffix("s") in defined
        is_measured = written.isupper() and is_numbered(text, end)
        return is_defined or (not is_measured and self._means_name[written, rows, row[0].flat])

    def _is_other(self, text: str, row: Sequence[Piece], first: int, last: int, rows: Sequence[int]) -> bool:
        """Whether pieces that are everyday names are something else: another word, or parted by a comma, since only
        terminologies invert names ("a bruised elbow, cut to the head")."""
        if first == last:
            return self._is_another_word(text, row, first, rows)
        return any(piece.comma for piece in row[first + 1 : last + 1])

    def _is_another_word(self, text: str, row: Sequence[Piece], place: int, rows: Sequence[int]) -> bool:
        """Whether a word that is an everyday name is another word than that: the *aid* that is no "aids", the *glasses*
        of wine, the heading "Endo:", and the *glandular* of "glandular atrophy", an adjective of the next word."""
        written = row[place].written(text).lower()
        terms = {term.lower() for one in rows for term in self._lexicon.spellings(one)}
        if terms.isdisjoint({written, written.removesuffix("s")}):
            return True
        if written in INNER_FIRST_WORDS and text.startswith(":", row[place].end):
            return True
        if kind_of(row[place].words) != "finding" and _is_a_thing(text, row, place):
            return True
        return is_adjective(written) and _qualifies_next(text, row, place)

    def _shares_letters(self, written: str, piece: Piece, rows: tuple[int, ...]) -> bool:
        """Whether a word that is written small is an abbreviation in all of these names, as in "ALL, childhood"."""
        if piece.flat or not may_be_capitals(written):
            return False
        spelled = [term for row in rows for term in self._lexicon.spellings(row)]
        return bool(spelled) and all(is_capitals_in(written, term) for term in spelled)

    def _judge(self, asked: tuple[str, tuple[int, ...], bool]) -> bool:
        """Whether a single word as it is written means the names in some rows; and whether its line is `Piece.flat`."""
        written, rows, flat = asked
        if not _is_long_enough(written, self._shortest) or not _LETTER.search(written) or self._only_qualifies(written):
            return False
        common = written.lower() in COMMON or written.lower() in OTHERWISE
        if len(written) > _LONGEST_ACRONYM and not common:
            return True
        terms = {term for row in rows for term in self._lexicon.spellings(row)}
        if common:
            return not flat and written.isupper() and written in terms
        if all(map(_ACRONYM.fullmatch, terms)) and self._means_other(written, set(map(self._lexicon.concept, rows))):
            return False
        if flat or written in terms or written.removesuffix("s") in terms:
            return True
        acronym = written.isupper() and len(written) <= _SHORT  # that is not a name
        return any(map(str.isupper, terms)) if acronym else not all(map(_ACRONYM.fullmatch, terms))

    def _only_qualifies(self, written: str) -> bool:
        return not written.isupper() and is_adjective(written.lower()) and self._lexicon.is_modifier(tokens(written))

    @staticmethod
    def _lookup(written: str, row: Sequence[Piece], defined: Mapping[str, str]) -> str:
        if row[0].flat:
            written = written.lower()
        return expand(written, defined) if defined else written


def _is_long_enough(written: str, shortest: int) -> bool:
    """Whether a word has at least ``shortest`` characters; in Chinese and Japanese two say as much as a word."""
    return len(written) >= shortest or (len(written) > 1 and bool(UNSPACED.fullmatch(written)))


def _only_describes(text: str, row: Sequence[Piece], first: int, last: int) -> bool:
    """Whether pieces only say how large or small the next word's thing is, the *very short* of "very short toes", or
    what a diet or a jab is for: the *low-sodium* of "low-sodium diet"."""
    if _is_guarded_against(text, row, last):
        return True
    if not _SIZES.issuperset(words_in(row[first : last + 1])):
        return False
    return _qualifies_next(text, row, last) or _is_size_of_part(text, row, first, last)


def _is_guarded_against(text: str, row: Sequence[Piece], last: int) -> bool:
    """Whether a diet or a jab directly follows a piece, and is not what a disease is treated with."""
    if last + 1 >= len(row) or _GUARDS.isdisjoint(row[last + 1].words):
        return False
    is_beside = text[row[last].end : row[last + 1].start] in {" ", "-"}
    return is_beside and not any(_HELD.intersection(piece.words) for piece in row[last + 2 : last + 3])


def _is_size_of_part(text: str, row: Sequence[Piece], first: int, last: int) -> bool:
    """Whether pieces that are a size say so of a part of the body, named before a verb ("the humerus was very short")
    or after another adjective ("very short or missing toes")."""
    if first > 1 and row[first].continues and row[first - 1].written(text).lower() in _IS:
        return names_a_part(row[first - 2].words)
    if last + 1 == len(row) or row[last + 1].written(text).lower() not in _AND or not row[last + 1].continues:
        return False
    for piece in row[last + 2 : last + 2 + _FARTHEST_PART]:
        if not piece.continues or is_border(piece.written(text).lower()):
            return False
        if names_a_part(piece.words):
            return True
    return False


def _is_a_thing(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether a word says what there is of something, as in "glasses of wine", or which part of the body is meant, as
    in "cranial nerves"."""
    before, after = row[place - 1 : place], row[place + 1 : place + 2]
    if after and after[0].continues and after[0].written(text) == "of":
        return True
    return bool(before) and row[place].continues and narrows(before[0].written(text))


def _qualifies_next(text: str, row: Sequence[Piece], place: int) -> bool:
    """Whether a phrase goes on after the piece at a place, with a word that it may qualify."""
    if place + 1 == len(row) or not row[place + 1].continues:
        return False
    word = row[place + 1].written(text).lower()
    return not (is_border(word) or word[0].isdigit())
