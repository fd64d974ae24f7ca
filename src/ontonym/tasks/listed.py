"""Queries that list several findings ("UTI, confused", "wt loss + night sweats ?lymphoma"), or have a name embedded in
them (`ontonym.tasks.embeddednames`): each is searched for by itself where no concept says the whole better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT, Choice
from ontonym.index.query import Query, changed_together
from ontonym.tasks.confidences import SURE, with_parts
from ontonym.tasks.embeddednames import (
    EMBEDDED_PRECISION,
    UNLIKELY,
    WholeAnswer,
    are_names,
    embedded_name,
    is_named,
    only_qualifies,
    read_items,
)
from ontonym.tasks.hits import term_of
from ontonym.tasks.narrowerfirst import NarrowerConcepts
from ontonym.text.composite import denied_apart, list_items
from ontonym.text.denials import NEGATORS
from ontonym.text.normalization import tokens
from ontonym.text.wordlists import LIGHT

_ITEM_PRECISION = 0.9
"""How often the answer for an item of a list is right for the query; an answer is no surer."""

RankQueries = Callable[[Sequence[Query]], list[list[Choice]]]
"""The candidates of each query, best first."""


def with_items(
    index: Index, queries: Sequence[Query], found: Sequence[list[Choice]], ranked: RankQueries, wanted: int
) -> list[list[Choice]]:
    """The candidates ``found`` for each query, with those for the items that it lists where these are better answers.

    A name and another one that is denied are items too ("cough, no fever", "headache without nausea"), and so is an
    embedded name by itself. The items are better where

    - nothing is likely for the whole and one of them is sure, or all are where words join them ("and");
    - all are sure, and surer than a whole that is not;
    - all are names ("headache, vomiting, fever").

    Never where the name that is best for the whole has words of each ("fracture of wrist, initial encounter"). Each
    concept comes once, at most ``wanted`` in all.
    """
    listed = {
        number: one
        for number, (query, whole) in enumerate(zip(queries, found, strict=True))
        if whole and not whole[0].is_spelled and (one := _items_of(index, query, whole))
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
        better = _better_items(one, found[number], of_items)
        if len(better) == 1:  # what else the query says may be the side of it, or the place
            narrower = NarrowerConcepts(index, queries[number], found[number][0].readings)
            better = [narrower.before_part(better[0], found[number])]
        if better := _denied_last(better):
            precision = _ITEM_PRECISION if len(one.items) > 1 else EMBEDDED_PRECISION
            both = with_parts(found[number], better, precision, lambda one: one.concept, Choice.with_confidence)
            several[number] = both[:wanted]
    return several


class _ListedItems(NamedTuple):
    """The items that a query lists, or the one name embedded in it.

    ``is_marked``: marks alone part them ("fever, cough"). ``all_names``: they are names of the index and nothing else.
    ``least`` is how sure the answer to one has to be."""

    items: tuple[str, ...]
    is_marked: bool = False
    all_names: bool = False
    least: float = SURE


def _items_of(index: Index, query: Query, whole: Sequence[Choice]) -> _ListedItems | None:
    """What a query lists, parted by marks, or else by words, or else the name embedded in it.

    None where it says one thing, and where the name that is best for the whole has words of each item, or says as much
    as the embedded name.
    """
    parted = list_items(query.typed, joined=False)
    is_marked = len(parted) > 1
    items = tuple(dict.fromkeys(one for item in parted for one in _joined_names(index, item)))
    if len(items) == 1:
        items = list_items(query.typed)
    apart = denied_apart(query.typed) if len(items) == 1 else items
    read = [*read_items(index, apart)] if len(apart) > 1 else []
    all_names = bool(read) and all(is_named(index, item) for item in read)
    if all_names:
        items = apart
    best = frozenset(tokens(term_of(index, int(whole[0].read.evidence.best[whole[0].place])).text))
    if len(items) > 1 and (all_names or whole[0].confidence < SURE):
        added = (best - LIGHT).difference(tokens(query.typed))
        covers_all = all(item.is_said_by(best) for item in read)
        adds_much = all_names and best.isdisjoint(NEGATORS) and 2 * len(added) >= len(best - LIGHT)
        is_unlikely = all_names and whole[0].confidence < UNLIKELY
        return None if covers_all and not adds_much and not is_unlikely else _ListedItems(items, is_marked, all_names)
    answer = WholeAnswer(best, index.signals.preferred_words(whole[0].concept), whole[0].confidence)
    one = embedded_name(index, query.typed, answer)
    return _ListedItems((one.name,), least=one.least) if one else None


def _joined_names(index: Index, item: str) -> tuple[str, ...]:
    """The names that words such as "and" join in an item; the item itself where it is one, or not all of them are."""
    parts = list_items(item)
    if len(parts) < 2 or not are_names(index, parts) or are_names(index, [item]):
        return (item,)
    return parts


def _better_items(
    listed: _ListedItems, whole: Sequence[Choice], of_items: Sequence[list[Choice]]
) -> list[list[Choice]]:
    """The candidates of the items that are better answers than the whole (`with_items`); none where the query stays
    whole, as it does where only what it denies is sure ("toxic goitre, no storm").
    """
    sure = [some for some in of_items if some and some[0].confidence >= listed.least]
    if len(sure) == len(of_items):
        is_surer = all(some[0].confidence > whole[0].confidence for some in sure)
        return sure if is_surer or listed.all_names else []
    asserts_one = any(not some[0].read.query.negated for some in sure)
    return sure if asserts_one and listed.is_marked and whole[0].confidence < LIKELIER_RIGHT else []


def _denied_last(of_items: Sequence[list[Choice]]) -> list[list[Choice]]:
    """The candidates of items, those of denied ones last and no surer than the first of what is said: "low mood, no
    psychosis" asks for the mood."""
    denied = [some for some in of_items if some[0].read.query.negated]
    said = [some for some in of_items if not some[0].read.query.negated]
    most = min((some[0].confidence for some in said), default=1.0)
    return [*said, *([one.with_confidence(min(one.confidence, most)) for one in some] for some in denied)]
