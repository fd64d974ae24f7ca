"""Queries that list several findings ("UTI, confused", "wt loss + night sweats ?lymphoma"), or name one among words
that no concept says ("cracked tooth lower left 7", "left-sided weakness", "pitting edema"): each is searched for by
itself where nothing says the whole better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.doubts import qualifies
from ontonym.index.query import Query, changed_together
from ontonym.tasks.confidences import LIKELIER_RIGHT, SURE
from ontonym.tasks.hits import term_of
from ontonym.text.composite import denied_apart, list_items
from ontonym.text.denials import NEGATORS
from ontonym.text.frames import of_circumstance, without_frame
from ontonym.text.kinds import kind_of
from ontonym.text.normalization import tokens
from ontonym.text.notes.context import without_negation
from ontonym.text.qualifiers import without_manner, without_onset, without_side, words_on
from ontonym.text.rewordings import HALVED
from ontonym.text.values import values_in_words
from ontonym.text.wordlists import LIGHT, SMALL
from ontonym.text.wordroots import root

_UNLIKELY = 0.35
"""Below this confidence of the whole a name in the midst of a query is searched for by itself."""

_MOST = 6
"""The most words of such a name."""

_SIDES = words_on("side")
_ARTICLES = frozenset({"a", "an", "the", "some"})

_OF_ITEM, _OF_NAME = 0.9, 0.7
"""How often what an item of a list, or such a name, says of a query is right; an answer is no surer."""

RankQueries = Callable[[Sequence[Query]], list[list[Choice]]]
"""The candidates of each query, best first."""


def with_items(
    index: Index, queries: Sequence[Query], found: Sequence[list[Choice]], ranked: RankQueries, wanted: int
) -> list[list[Choice]]:
    """The candidates ``found`` for each query, or for the items that it lists where those say it better.

    A name and another one that is denied ("cough, no fever", "headache without nausea") are items too. Items say it
    better where nothing is likely for the whole and one of them is sure, or all are where words join them ("and");
    where all are sure and surer than a whole that is not; and where all are names ("headache, vomiting, fever"). Never
    where the name that is best for the whole has words of each ("fracture of wrist, initial encounter"). A name of
    several words in a query for which nothing is found is such an item too. Each concept comes once, at most
    ``wanted`` in all.
    """
    listed = {
        number: one
        for number, (query, whole) in enumerate(zip(queries, found, strict=True))
        if whole and not whole[0].is_spelled and (one := _listed(index, query, whole))
    }
    if not listed:
        return list(found)
    of_listed = [
        (queries[number], dict.fromkeys(one.items, ()), queries[number].correction) for number, one in listed.items()
    ]
    asked = changed_together(index.signals.encoder, of_listed)
    answers = iter(ranked([one for some in asked for one in some]))
    several = list(found)
    for number, one in listed.items():
        of_items = [next(answers) for _ in one.items]
        if len(one.items) == 1 and of_items[0] and _only_qualifies(index, of_items[0][0]):
            continue
        if said := _saying(one, found[number], of_items):
            share = _OF_ITEM if len(one.items) > 1 else _OF_NAME
            left = 1 - share if found[number][0].confidence >= SURE else 1.0  # what listed names leave to the whole
            said = [*(_less_sure(some, share) for some in said), _less_sure(found[number], left)]
            several[number] = merged_choices(said)[:wanted]
    return several


class _Listed(NamedTuple):
    """The items that a query lists, one of them where it is a name in its midst; whether marks alone part them ("fever,
    cough"), and whether they are then names of the index and nothing else; how sure the answer to one has to be."""

    items: tuple[str, ...]
    is_marked: bool = False
    are_names: bool = False
    least: float = SURE


def _listed(index: Index, query: Query, whole: Sequence[Choice]) -> _Listed | None:
    """What a query lists, parted by marks, or else by words, or else the name in it; None where it says one thing, and
    where the name that is best for the whole has words of each item, or more than half of the words beside the name.
    What is on one side ("weakness on the left") is listed without it, unless that name has all its words and a side.
    """
    parted = list_items(query.typed, joined=False)
    is_marked = len(parted) > 1
    items = tuple(dict.fromkeys(one for item in parted for one in _joined_names(index, item)))
    if len(items) == 1:
        items = list_items(query.typed)
    apart = denied_apart(query.typed) if len(items) == 1 else items
    read = [*_read(index, apart)] if len(apart) > 1 else []
    are_names = bool(read) and all(_is_named(index, item) for item in read)
    if are_names:
        items = apart
    best = frozenset(tokens(term_of(index, int(whole[0].read.evidence.best[whole[0].place])).text))
    rest = without_side(query.typed)
    rest = without_frame(rest) or rest
    if whole[0].confidence >= SURE and not are_names:
        said = {*map(root, (*best, *index.signals.preferred_words(whole[0].concept)))}
        is_elsewhere = rest and not said.issuperset(map(root, tokens(rest))) and _all_named(index, [rest])
        return _Listed((rest,)) if is_elsewhere else None
    if len(items) > 1:
        more = (best - LIGHT).difference(tokens(query.typed))
        says_one = all(item.is_said_by(best) for item in read)
        adds_much = are_names and best.isdisjoint(NEGATORS) and 2 * len(more) >= len(best - LIGHT)
        is_open = are_names and whole[0].confidence < _UNLIKELY
        return None if says_one and not adds_much and not is_open else _Listed(items, is_marked, are_names)
    if rest and _all_named(index, [rest]):
        is_told = best.issuperset(tokens(rest)) and not best.isdisjoint(_SIDES)
        names = (*(" ".join(name) for name in HALVED.get(rest.lower(), ())), rest)
        return None if is_told else _Listed((next(name for name in names if _all_named(index, [name])),))
    if whole[0].confidence < LIKELIER_RIGHT:
        what, least = _told_how(index, query.typed), SURE
        if not what:
            what, least = _beside_circumstance(index, query.typed, best), LIKELIER_RIGHT
        if what:
            return _Listed((what,), least=least)
    if whole[0].confidence >= _UNLIKELY or not (name := _name_in(index, query)):
        return None
    beside = frozenset(tokens(query.typed)) - frozenset(tokens(name))
    return _Listed((name,)) if 2 * len(beside & best) <= len(beside) else None


def _told_how(index: Index, text: str) -> str:
    """That of which a text only tells how it is, where it is a name: *edema* of "pitting edema", *ataxia* of "ataxia,
    adult-onset"; else empty."""
    what = without_manner(text) or without_onset(text)
    return what if what and _all_named(index, [what]) else ""


def _beside_circumstance(index: Index, text: str, best: frozenset[str]) -> str:
    """What a text tells beside after what or from what it came, where that is a name; empty where the words of the
    ``best`` name for the whole say something of both, or the circumstance is a finding, which may be what is meant."""
    what, circumstance = of_circumstance(text)
    if not what or not (_all_named(index, [what]) or kind_of(tokens(what)) == "finding"):
        return ""
    told = tokens(circumstance)
    says_both = not best.isdisjoint(tokens(what)) and not best.isdisjoint(set(told) - SMALL)
    is_meant = kind_of(told) == "finding" and _all_named(index, [circumstance])
    return "" if says_both or is_meant else what


def _only_qualifies(index: Index, choice: Choice) -> bool:
    """Whether the concept says how a finding is, and not which, so that it is none in the midst of other words."""
    return qualifies(index.signals.preferred_words(choice.concept))


def _joined_names(index: Index, item: str) -> tuple[str, ...]:
    """What words such as "and" join in an item, where each of it is a name and the item is none; else the item."""
    parts = list_items(item)
    if len(parts) < 2 or not _all_named(index, parts) or _all_named(index, [item]):
        return (item,)
    return parts


def _all_named(index: Index, items: Sequence[str]) -> bool:
    """Whether all items are names of the index, but for an article, a denial, words around a finding, and values."""
    return all(_is_named(index, item) for item in _read(index, items))


class _Item(NamedTuple):
    """An item, whether it is denied, and the words that it may stand for, each list normalized."""

    is_denied: bool
    readings: list[list[str]]

    def is_said_by(self, name: frozenset[str]) -> bool:
        """Whether the normalized words of a name have some of the item, and deny something where it is denied."""
        is_shared = not all(map(name.isdisjoint, self.readings))
        return is_shared and not (self.is_denied and name.isdisjoint(NEGATORS))


def _is_named(index: Index, item: _Item) -> bool:
    return any(map(index.signals.is_name, item.readings))


def _read(index: Index, items: Sequence[str]) -> Iterator[_Item]:
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
        yield _Item(bool(denied), readings)


def _name_in(index: Index, query: Query) -> str:
    """The longest stretch of a query's text that is a name of several words, together rarer than one that no name has;
    else empty."""
    if not NEGATORS.isdisjoint(query.words):
        return ""
    words, names = query.typed.split(), index.signals.names
    for size in range(min(len(words) - 1, _MOST), 1, -1):
        texts = (" ".join(words[first : first + size]) for first in range(len(words) - size + 1))
        rarest, best = names.unseen_idf, ""
        for text in texts:
            said = tokens(text)
            if len(said) == size and index.signals.is_name(said):
                rarest, best = max((rarest, best), (sum(map(names.rarity, said)), text))
        if best:
            return best
    return ""


def _saying(listed: _Listed, whole: Sequence[Choice], of_items: Sequence[list[Choice]]) -> list[list[Choice]]:
    """The candidates of the items that say a text better than the whole does; none where it stays whole, as it does
    where only what it denies is sure ("toxic goitre, no storm").
    """
    sure = [some for some in of_items if some and some[0].confidence >= listed.least]
    if len(sure) == len(of_items):
        is_surer = all(some[0].confidence > whole[0].confidence for some in sure)
        return sure if is_surer or listed.are_names else []
    tells = any(not some[0].read.query.negated for some in sure)
    return sure if tells and listed.is_marked and whole[0].confidence < LIKELIER_RIGHT else []


def _less_sure(choices: Sequence[Choice], share: float) -> list[Choice]:
    return [one.with_confidence(round(one.confidence * share, 6)) for one in choices]


def merged_choices(several: Sequence[Sequence[Choice]]) -> list[Choice]:
    """The candidates of several queries, each concept once, the surest first; those of one query stay in their order,
    in which a surer one may stand below others, so that a cut leaves out the last."""
    best: dict[int, tuple[float, Choice]] = {}
    for some in several:
        least = 1.0
        for choice in some:
            least = min(least, choice.confidence)
            if choice.concept not in best or least > best[choice.concept][0]:
                best.pop(choice.concept, None)  # its place among equals is the later one
                best[choice.concept] = least, choice
    return [choice for _, choice in sorted(best.values(), key=lambda one: -one[0])]
