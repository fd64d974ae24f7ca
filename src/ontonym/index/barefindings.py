"""Queries that say how a finding goes on ("cough at night"), or where it is in the body: whether the finding by itself
is what to search for, or what was found for the whole query answers all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.interpretation import CONSIDERED, Interpretation
from ontonym.index.query import Query
from ontonym.index.signals import Signals
from ontonym.text.bodyparts import names_a_part
from ontonym.text.courses import without_course
from ontonym.text.denials import NEGATORS
from ontonym.text.lacks import lacking
from ontonym.text.normalization import tokens
from ontonym.text.places import depends_on_place, without_place
from ontonym.text.qualifiers import axis_masks, qualifier_bits, words_on
from ontonym.text.rewordings import LACKING
from ontonym.text.wordlists import LIGHT
from ontonym.text.wordroots import root, roots_of
from ontonym.types import Correction

_ALIKE = 0.3
"""The cosine from which on two phrases may tell the same finding."""

_SIDES = frozenset(map(root, words_on("side", "level") | {"side"}))
"""What says on which side a finding is, and how high."""

_DENIED = ("no ", "denies ", "denied ", "without ")
"""What a text begins with that denies a finding; "can't see at night" does not."""

_WITHOUT_COURSE, _WITHOUT_PLACE = 0.9, 0.85
"""How often a finding is what is asked for where a query tells how it goes on, or where it is, and no name does."""


class BareFinding(NamedTuple):
    """The finding of a query as a ``text``: without what the query says of its course, or, where it ``is_placed``, of
    its place in the body.
    """

    query: Query
    text: str
    is_placed: bool = False

    @property
    def trust(self) -> float:
        """How often this is what is asked for."""
        return _WITHOUT_PLACE if self.is_placed else _WITHOUT_COURSE

    def is_meant(self, query: Query, read: Interpretation, signals: Signals) -> bool:
        """Whether the text, as a ``query`` by itself with its likeliest interpretation, is likely a finding.

        One word without its course only where that is a name of one, and not of what the body does or has: "worse
        vision" is no *visions*. Without its place where the name of the surest candidate says nothing that the text
        does not.
        """
        if read.surest < LIKELIER_RIGHT:
            return False
        if self.is_placed:
            is_whole = signals.name_roots(read.name_row(read.surest_place)) - LIGHT <= roots_of(read.query.words)
            return is_whole and not depends_on_place(read.query.words)
        return len(query.words) > 1 or (read.is_name and not LACKING.keys() & query.words)


def bare_finding(query: Query, read: Interpretation, signals: Signals) -> BareFinding | None:
    """What a query tells beside the course of a finding, or, where its likeliest interpretation has no likely answer
    and it tells no course, beside where the finding is; with its abbreviations written out where only these tell a
    course and lead to nothing likely. None where nothing tells one, or what was found answers all of it.
    """
    if read.has_named_answer:
        return None
    whole, text = query, without_course(query.text)
    if not text and read.query.correction is Correction.EXPANDED and read.surest < LIKELIER_RIGHT:
        whole, text = read.query, without_course(read.query.text)
    if text:
        return None if _answers_course(read, text, signals) else BareFinding(whole, text)
    place = "" if _is_first_likely(read) else without_place(query.text)
    return BareFinding(query, place, is_placed=True) if place and not _answers_side(read, signals) else None


def _answers_course(read: Interpretation, finding: str, signals: Signals) -> bool:
    """Whether the surest candidate answers all of a query, of which ``finding`` is the text without the course.

    That is so where it is equal to the query, where it is likely and has all words of the finding, where it has these
    and words of the course, and where it has words of the course and says the finding in other words: any words of it
    where it is likely ("dyspnea when lying down", *breathless when lying down*), else all, and more than the side.
    """
    place = read.surest_place
    if place < 0:
        return False
    if read.is_spelled(place):
        return True
    wanted = roots_of(tuple(word for word in tokens(finding) if word not in LIGHT and word not in NEGATORS))
    course = roots_of(tuple(word for word in read.query.words if word not in LIGHT)) - wanted
    name = signals.name_roots(read.name_row(place))
    is_whole = wanted <= name | signals.preferred_roots(read.concept(place))
    is_likely, told = read.surest >= LIKELIER_RIGHT, course & name
    if is_whole or finding.lower().startswith(_DENIED):
        return is_whole and (is_likely or bool(told))
    words = signals.words_of(read.name_row(place))
    said = " ".join(word for word in words if root(word) not in course)
    if not said or not told or not (is_likely or (told == course and not told <= _SIDES)):
        return False
    return any(cosine >= _ALIKE for cosine in signals.cosines(said, [finding, *map(" ".join, lacking(finding))]))


def _answers_side(read: Interpretation, signals: Signals) -> bool:
    """Whether a query tells a side, and one of the first candidates has that side and a word of the finding, or is the
    first and has the side: *Traumatic cataract, left eye* for "cataract left eye"."""
    said = _side_of(read.query.words)
    if not said:
        return False
    finding = roots_of(tuple(w for w in read.query.words if w not in LIGHT and not _side_of((w,))))
    finding -= {root(word) for word in read.query.words if names_a_part((word,))}
    for number, place in enumerate(read.ranked()[:CONSIDERED]):
        name = signals.words_of(read.name_row(place))
        if said & _side_of(name) and (not number or not finding.isdisjoint(roots_of(name))):
            return True
    return False


def _is_first_likely(read: Interpretation) -> bool:
    """Whether the first candidate of all terminologies is likely among those of its own."""
    return bool(len(read.confidences)) and float(read.own_confidences[read.ranked()[0]]) >= LIKELIER_RIGHT


def _side_of(words: Sequence[str]) -> int:
    """The sides that words say, as bits."""
    return qualifier_bits(words) & axis_masks()["side"]
