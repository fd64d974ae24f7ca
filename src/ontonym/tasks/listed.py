"""Queries that list several findings ("UTI, confused", "wt loss + night sweats ?lymphoma"), or tell one among other
words: each is searched for by itself where nothing says the whole better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.query import Query, changed_together
from ontonym.tasks.confidences import LIKELIER_RIGHT, SURE, surest_first
from ontonym.tasks.hits import term_of
from ontonym.tasks.told import OF_NAME, UNLIKELY, Whole, all_named, is_named, only_qualifies, read_items, told_in
from ontonym.text.composite import denied_apart, list_items
from ontonym.text.denials import NEGATORS
from ontonym.text.normalization import tokens
from ontonym.text.wordlists import LIGHT

_OF_ITEM = 0.9
"""How often what an item of a list says of a query is right; an answer is no surer."""

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
        if len(one.items) == 1 and of_items[0] and only_qualifies(index, of_items[0][0].concept):
            continue
        if said := _saying(one, found[number], of_items):
            share = _OF_ITEM if len(one.items) > 1 else OF_NAME
            left = 1 - share if found[number][0].confidence >= SURE else 1.0  # what listed names leave to the whole
            said = [*(_less_sure(some, share) for some in said), _less_sure(found[number], left)]
            several[number] = surest_first(said, lambda one: one.concept)[:wanted]
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
    where the name that is best for the whole has words of each item, or says as much as the name in it.
    """
    parted = list_items(query.typed, joined=False)
    is_marked = len(parted) > 1
    items = tuple(dict.fromkeys(one for item in parted for one in _joined_names(index, item)))
    if len(items) == 1:
        items = list_items(query.typed)
    apart = denied_apart(query.typed) if len(items) == 1 else items
    read = [*read_items(index, apart)] if len(apart) > 1 else []
    are_names = bool(read) and all(is_named(index, item) for item in read)
    if are_names:
        items = apart
    best = frozenset(tokens(term_of(index, int(whole[0].read.evidence.best[whole[0].place])).text))
    if len(items) > 1 and (are_names or whole[0].confidence < SURE):
        more = (best - LIGHT).difference(tokens(query.typed))
        says_one = all(item.is_said_by(best) for item in read)
        adds_much = are_names and best.isdisjoint(NEGATORS) and 2 * len(more) >= len(best - LIGHT)
        is_open = are_names and whole[0].confidence < UNLIKELY
        return None if says_one and not adds_much and not is_open else _Listed(items, is_marked, are_names)
    one = told_in(index, query.typed, Whole(best, index.signals.preferred_words(whole[0].concept), whole[0].confidence))
    return _Listed((one.name,), least=one.least) if one else None


def _joined_names(index: Index, item: str) -> tuple[str, ...]:
    """What words such as "and" join in an item, where each of it is a name and the item is none; else the item."""
    parts = list_items(item)
    if len(parts) < 2 or not all_named(index, parts) or all_named(index, [item]):
        return (item,)
    return parts


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
