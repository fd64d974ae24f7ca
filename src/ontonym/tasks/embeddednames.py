"""A name embedded in a longer text that no concept says as a whole: *weakness* in "left-sided weakness", *ataxia* in
"ataxia, adult-onset", *leg swelling* in "leg swelling after hip replacement"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.doubtrules import qualifies
from ontonym.tasks.confidences import SURE
from ontonym.text.denials import NEGATORS
from ontonym.text.frames import of_circumstance, without_frame, without_negation
from ontonym.text.kinds import kind_of
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import without_onset, without_side, words_on
from ontonym.text.rewordings import UNILATERAL
from ontonym.text.values import values_in_words
from ontonym.text.wordlists import SMALL
from ontonym.text.wordroots import root

UNLIKELY = 0.35
"""Below this confidence of the whole the longest name in a text is searched for by itself."""

EMBEDDED_PRECISION = 0.7
"""How often the answer for an embedded name is right for the text; an answer is no surer."""

_MOST_WORDS = 6
"""The most words of an embedded name that is looked for anywhere in a text."""

_SIDES = words_on("side")
_ARTICLES = frozenset({"a", "an", "the", "some"})


class WholeAnswer(NamedTuple):
    """The best answer for a whole text: the normalized words of the name found and of the concept's preferred term, and
    the confidence."""

    name: frozenset[str]
    preferred: Sequence[str]
    confidence: float


class EmbeddedName(NamedTuple):
    """A name in a text, and the least confidence of its answer with which that is the answer for the text."""

    name: str
    least: float = SURE


def embedded_name(index: Index, text: str, whole: WholeAnswer) -> EmbeddedName | None:
    """The name embedded in a text; None where the answer for the ``whole`` says as much or more.

    Tried in this order, the later ones only where the whole is ever less likely:

    1. the finding of which the text has the side: *weakness* in "weakness on the left", unless the name found for the
       whole has its words and a side;
    2. the finding beside a side, an onset or a way of inheritance: *ataxia* in "right ataxia", "ataxia, left", "ataxia,
       adult-onset";
    3. the finding before a circumstance: *leg swelling* in "leg swelling after hip replacement";
    4. the longest name of several words, unless the name found for the whole has more than half of the other words.
    """
    finding = without_side(text)
    finding = without_frame(finding) or finding
    is_name = bool(finding) and are_names(index, [finding])
    if whole.confidence >= SURE:
        covered = {*map(root, (*whole.name, *whole.preferred))}
        return EmbeddedName(finding) if is_name and not covered.issuperset(map(root, tokens(finding))) else None
    if is_name:
        is_covered = whole.name.issuperset(tokens(finding)) and not whole.name.isdisjoint(_SIDES)
        names = (*(" ".join(name) for name in UNILATERAL.get(finding.lower(), ())), finding)
        return None if is_covered else EmbeddedName(next(name for name in names if are_names(index, [name])))
    if whole.confidence < LIKELIER_RIGHT:
        if name := _without_side_or_onset(index, text, whole.name):
            return EmbeddedName(name)
        if name := _without_circumstance(index, text, whole.name):
            return EmbeddedName(name, LIKELIER_RIGHT)
    if whole.confidence >= UNLIKELY or not (name := _longest_name(index, text)):
        return None
    others = frozenset(tokens(text)) - frozenset(tokens(name))
    return EmbeddedName(name) if 2 * len(others & whole.name) <= len(others) else None


def _without_side_or_onset(index: Index, text: str, best: frozenset[str]) -> str:
    """The name of which a text only adds the side, the way of inheritance or the onset: *ataxia* of "right ataxia", of
    "ataxia, left" unless the ``best`` name for the whole has a side, and of "ataxia, adult-onset"; empty where there is
    none."""
    first, _, rest = text.partition(" ")
    if first.lower() in _SIDES:
        finding = rest
    elif (sided := _before_side(text)) and best.isdisjoint(_SIDES):
        finding = sided
    else:
        finding = without_onset(text)
    return finding if finding and are_names(index, [finding]) else ""


def _before_side(text: str) -> str:
    """What stands before the side that a text ends with: *ataxia* of "ataxia - left" and "ataxia (left)", or empty."""
    whole = text.rstrip(" .)]")
    start = next((whole[: -len(side)] for side in _SIDES if whole.lower().endswith(side)), "")
    return "" if start[-1:].isalnum() else start.rstrip(" ,;:-–/([")


def _without_circumstance(index: Index, text: str, best: frozenset[str]) -> str:
    """The finding before a circumstance: *leg swelling* of "leg swelling after hip replacement".

    Empty where the ``best`` name for the whole has words of both, or the circumstance is the name of a finding, which
    may be what is meant."""
    finding, circumstance = of_circumstance(text)
    if not finding or not (are_names(index, [finding]) or kind_of(tokens(finding)) == "finding"):
        return ""
    words = tokens(circumstance)
    has_both = not best.isdisjoint(tokens(finding)) and not best.isdisjoint(set(words) - SMALL)
    is_finding = kind_of(words) == "finding" and are_names(index, [circumstance])
    return "" if has_both or is_finding else finding


def only_qualifies(index: Index, concept: int) -> bool:
    """Whether a concept says how a finding is, and not which, so that it is none in the midst of other words."""
    return qualifies(index.signals.preferred_words(concept))


def are_names(index: Index, items: Sequence[str]) -> bool:
    """Whether all items are names of the index, but for an article, a denial, words around a finding, and values."""
    return all(is_named(index, item) for item in read_items(index, items))


class ReadItem(NamedTuple):
    """An item of a list, whether it is denied, and what it may be read as, each a list of normalized words."""

    is_denied: bool
    readings: list[list[str]]

    def is_said_by(self, name: frozenset[str]) -> bool:
        """Whether the normalized words of a name have some of the item, as it is or in another form (*psychotic* of
        "no psychosis"), and deny something where it is denied."""
        roots = frozenset(map(root, name))
        is_shared = not all(roots.isdisjoint(map(root, words)) for words in self.readings)
        return is_shared and not (self.is_denied and name.isdisjoint(NEGATORS))


def is_named(index: Index, item: ReadItem) -> bool:
    """Whether one of the readings of an item is a name of the index."""
    return any(map(index.signals.is_name, item.readings))


def read_items(index: Index, items: Sequence[str]) -> Iterator[ReadItem]:
    """The items, each with its words as they are and without what people write around a finding; where one of them is
    denied, also with the abbreviations written out.

    "no fever" is denied, and read as *fever*."""
    denied_parts = [without_negation(item) for item in items]
    is_known = index.signals.is_known
    for item, denied in zip(items, denied_parts, strict=True):
        text = denied or item
        bare_text, _ = values_in_words(text)
        bare_text = without_frame(bare_text) or bare_text
        readings = [[*tokens(text)], [word for word in tokens(bare_text) if word not in _ARTICLES]]
        if any(denied_parts):
            written = index.signals.lexicon.expansions(text, lambda word: all(is_known(tokens(word))))
            readings += [[*tokens(one.text)] for one in written]
        yield ReadItem(bool(denied), readings)


def _longest_name(index: Index, text: str) -> str:
    """The longest stretch of a text that is a name of several words; of equally long ones the one of the rarest words.

    Empty where there is none whose words are together rarer than a word that no name has, and for a text that denies
    something.
    """
    if not NEGATORS.isdisjoint(tokens(text)):
        return ""
    words, names = text.split(), index.signals.names
    for size in range(min(len(words) - 1, _MOST_WORDS), 1, -1):
        stretches = (" ".join(words[first : first + size]) for first in range(len(words) - size + 1))
        rarest, best = names.unseen_idf, ""
        for stretch in stretches:
            name = tokens(stretch)
            if len(name) == size and index.signals.is_name(name):
                rarest, best = max((rarest, best), (sum(map(names.rarity, name)), stretch))
        if best:
            return best
    return ""
