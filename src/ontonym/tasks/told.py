"""The one name that a text tells among words that no concept says ("cracked tooth lower left 7", "left-sided
weakness", "ataxia, adult-onset", "leg swelling after hip replacement")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.doubtrules import qualifies
from ontonym.tasks.confidences import LIKELIER_RIGHT, SURE
from ontonym.text.denials import NEGATORS
from ontonym.text.frames import of_circumstance, without_frame
from ontonym.text.kinds import kind_of
from ontonym.text.normalization import tokens
from ontonym.text.notes.context import without_negation
from ontonym.text.qualifiers import without_onset, without_side, words_on
from ontonym.text.rewordings import HALVED
from ontonym.text.values import values_in_words
from ontonym.text.wordlists import SMALL
from ontonym.text.wordroots import root

UNLIKELY = 0.35
"""Below this confidence of the whole a name in the midst of a text is searched for by itself."""

OF_NAME = 0.7
"""How often what such a name says of a text is right; an answer is no surer."""

_MOST = 6
"""The most words of a name in the midst of a text."""

_SIDES = words_on("side")
_ARTICLES = frozenset({"a", "an", "the", "some"})


class Whole(NamedTuple):
    """The best answer for a whole text: the normalized words of the name found and of the concept's preferred term, and
    the confidence."""

    name: frozenset[str]
    preferred: Sequence[str]
    confidence: float


class Told(NamedTuple):
    """The name that a text tells, and how sure the answer to it has to be if it is to be that of the text."""

    name: str
    least: float = SURE


def told_in(index: Index, text: str, whole: Whole) -> Told | None:
    """The name that a text tells among other words; None where the answer for the ``whole`` says as much or more.

    That is what is on one side ("weakness on the left"), unless the name found has all its words and a side; where
    nothing is likely for the whole, what is told with its side or onset, or after what; and where nothing is found at
    all, the longest name in the text, unless the name found has more than half of the words beside that.
    """
    rest = without_side(text)
    rest = without_frame(rest) or rest
    is_a_name = bool(rest) and all_named(index, [rest])
    if whole.confidence >= SURE:
        said = {*map(root, (*whole.name, *whole.preferred))}
        return Told(rest) if is_a_name and not said.issuperset(map(root, tokens(rest))) else None
    if is_a_name:
        is_told = whole.name.issuperset(tokens(rest)) and not whole.name.isdisjoint(_SIDES)
        names = (*(" ".join(name) for name in HALVED.get(rest.lower(), ())), rest)
        return None if is_told else Told(next(name for name in names if all_named(index, [name])))
    if whole.confidence < LIKELIER_RIGHT:
        if what := _told_with_more(index, text):
            return Told(what)
        if what := _beside_circumstance(index, text, whole.name):
            return Told(what, LIKELIER_RIGHT)
    if whole.confidence >= UNLIKELY or not (name := _name_in(index, text)):
        return None
    beside = frozenset(tokens(text)) - frozenset(tokens(name))
    return Told(name) if 2 * len(beside & whole.name) <= len(beside) else None


def _told_with_more(index: Index, text: str) -> str:
    """That of which a text only tells the side, how it is inherited or from which age on, where it is a name: *ataxia*
    of "right ataxia" and of "ataxia, adult-onset"; else empty."""
    first, _, rest = text.partition(" ")
    what = rest if first.lower() in _SIDES else without_onset(text)
    return what if what and all_named(index, [what]) else ""


def _beside_circumstance(index: Index, text: str, best: frozenset[str]) -> str:
    """What a text tells beside after what or from what it came, where that is a name; empty where the words of the
    ``best`` name for the whole say something of both, or the circumstance is a finding, which may be what is meant."""
    what, circumstance = of_circumstance(text)
    if not what or not (all_named(index, [what]) or kind_of(tokens(what)) == "finding"):
        return ""
    told = tokens(circumstance)
    says_both = not best.isdisjoint(tokens(what)) and not best.isdisjoint(set(told) - SMALL)
    is_meant = kind_of(told) == "finding" and all_named(index, [circumstance])
    return "" if says_both or is_meant else what


def only_qualifies(index: Index, concept: int) -> bool:
    """Whether a concept says how a finding is, and not which, so that it is none in the midst of other words."""
    return qualifies(index.signals.preferred_words(concept))


def all_named(index: Index, items: Sequence[str]) -> bool:
    """Whether all items are names of the index, but for an article, a denial, words around a finding, and values."""
    return all(is_named(index, item) for item in read_items(index, items))


class ReadItem(NamedTuple):
    """An item, whether it is denied, and the words that it may stand for, each list normalized."""

    is_denied: bool
    readings: list[list[str]]

    def is_said_by(self, name: frozenset[str]) -> bool:
        """Whether the normalized words of a name have some of the item, and deny something where it is denied."""
        is_shared = not all(map(name.isdisjoint, self.readings))
        return is_shared and not (self.is_denied and name.isdisjoint(NEGATORS))


def is_named(index: Index, item: ReadItem) -> bool:
    """Whether one of the readings of an item is a name of the index."""
    return any(map(index.signals.is_name, item.readings))


def read_items(index: Index, items: Sequence[str]) -> Iterator[ReadItem]:
    """The items with their words as they are, and without what is around them; where one of them is denied, with their
    abbreviations written out too."""
    bare = [without_negation(item) for item in items]
    is_known = index.signals.is_known
    for item, denied in zip(items, bare, strict=True):
        text = denied or item
        said, _ = values_in_words(text)
        readings = [[*tokens(text)], [word for word in tokens(without_frame(said) or said) if word not in _ARTICLES]]
        if any(bare):
            written = index.signals.lexicon.expansions(text, lambda word: all(is_known(tokens(word))))
            readings += [[*tokens(one.text)] for one in written]
        yield ReadItem(bool(denied), readings)


def _name_in(index: Index, text: str) -> str:
    """The longest stretch of a text that is a name of several words, together rarer than one that no name has;
    else empty."""
    if not NEGATORS.isdisjoint(tokens(text)):
        return ""
    words, names = text.split(), index.signals.names
    for size in range(min(len(words) - 1, _MOST), 1, -1):
        stretches = (" ".join(words[first : first + size]) for first in range(len(words) - size + 1))
        rarest, best = names.unseen_idf, ""
        for stretch in stretches:
            said = tokens(stretch)
            if len(said) == size and index.signals.is_name(said):
                rarest, best = max((rarest, best), (sum(map(names.rarity, said)), stretch))
        if best:
            return best
    return ""
