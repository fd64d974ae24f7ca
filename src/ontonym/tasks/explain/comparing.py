"""Any two concepts compared for a query: why one is ranked above the other, in terms that add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.store.duplicates import recorded_duplicates
from ontonym.tasks.explain.decisions import Contrast, Decision, contrast, decision
from ontonym.tasks.explain.explaining import Explanation, explain_concept
from ontonym.tasks.explain.rivals import Rival, related, said_together
from ontonym.tasks.search import SearchOptions, judged_together, ranking

Rivalry = Literal["rivals", "duplicates", "elsewhere"]
"""``rivals`` are concepts of one terminology; ``duplicates`` are records of one concept, and concepts ``elsewhere`` are
of different terminologies: these share no confidence, so that nothing is decided between them.
"""

_SEARCH = SearchOptions()


@dataclass(frozen=True, slots=True)
class HitComparison:
    """Two concepts as answers to ``text``.

    ``first`` and ``second`` explain each; one whose ``rank`` is None is not found by any signal. ``difference`` is the
    first one's score minus the second one's and the sum of ``terms``, by `ontonym.tasks.explain.decisions.TERMS`. Its
    ``unit`` is ``log-odds`` (natural); ``similarity`` if one signal alone ranks, by that signal; or ``confidence`` if
    the text is the code of either, by ``code``. ``rival`` is the second one as seen from the first, with the `Decision`
    between them; that is None unless the ``relation`` is ``rivals``.
    """

    text: str
    first: Explanation
    second: Explanation
    relation: Rivalry
    unit: Literal["log-odds", "similarity", "confidence"]
    difference: float
    terms: Mapping[str, float]
    rival: Rival


def compare_hits(
    index: Index, text: str, first_id: str, second_id: str, options: SearchOptions = _SEARCH
) -> HitComparison:
    """Compares two concepts as answers to ``text``, whether search finds them or not.

    Ids may lack their prefix. Raises UnknownIdError for an unknown id, InputError if both mean the same concept, or if
    one has no name among those that the strategy searches.
    """
    numbers = [index.coded(concept_id) for concept_id in (first_id, second_id)]
    if numbers[0] == numbers[1]:
        raise InputError(f"{first_id} and {second_id} are the same concept, {index.id(numbers[0])}: give two concepts")
    first, second = (explain_concept(index, text, number, options) for number in numbers)
    is_code = "code" in (first.hit.reason.rule, second.hit.reason.rule)
    decided: Decision | None
    if is_code:
        found, decided = _by_code(first, second)
    else:
        found, decided = _by_score(index, text, numbers[0], numbers[1], options)
    relation = _relation(index, numbers[0], numbers[1], first, second)
    rival = related(index, numbers[0], numbers[1], first.hit.confidence, second.hit.confidence)
    return HitComparison(
        text,
        first,
        second,
        relation,
        "confidence" if is_code else "log-odds" if options.signal == "fused" else "similarity",
        found.difference,
        found.terms,
        replace(rival, decision=decided if relation == "rivals" else None),
    )


def _relation(index: Index, first: int, second: int, one: Explanation, other: Explanation) -> Rivalry:
    if index.place(first) != index.place(second):
        return "elsewhere"
    terminology, row = index.locate(first)
    is_same = index.locate(second)[1] in recorded_duplicates(terminology, row)
    is_same = is_same or other.hit.id in one.hit.equivalents or one.hit.id in other.hit.equivalents
    return "duplicates" if is_same else "rivals"


def _by_code(first: Explanation, second: Explanation) -> tuple[Contrast, Decision | None]:
    """The difference where the query is the code of one of both, or a retired code of both."""
    difference = first.hit.confidence - second.hit.confidence
    names, read_as = (first.hit.matched, second.hit.matched), (first.read_as, second.read_as)
    decided = Decision("code", difference > 0, None, names, read_as) if difference else None
    return Contrast(difference, MappingProxyType({"code": difference})), decided


def _by_score(index: Index, text: str, first: int, second: int, options: SearchOptions) -> tuple[Contrast, Decision]:
    """The difference of the scores that the last module of the strategy gives both, and what decided: the ranking where
    it has both for the same text, or one of them from added terms.
    """
    query = index.signals.query(text)
    found = {choice.concept: choice for choice in ranking(index, query, options, index.concept_count)}
    one, other = found.get(first), found.get(second)
    if one is not None and other is not None and not said_together(one, other):
        one = other = None  # each is for an item of a list: they are compared by the whole
    if one is not None and other is not None and not (one.believed or other.believed):
        return _contrast(index, one, other), decision(index, one, other)
    judged = judged_together(index, query, options, (first, second))
    difference = _contrast(index, *judged)
    if one is not None and other is not None:  # added terms, of which the ranking knows what decided
        return difference, decision(index, one, other)
    believed = (choice is not None and choice.believed for choice in (one, other))
    one, other = (replace(choice, believed=sure) for choice, sure in zip(judged, believed, strict=True))
    return difference, decision(index, one, other)


def _contrast(index: Index, one: Choice, other: Choice) -> Contrast:
    return contrast(index, one.readings, one.concept, other.concept, narrower=one.raised - other.raised)
