"""Explanations: why a concept was found for a text, and by how much it leads.

They use the same evidence by which `ontonym.tasks.search` ranks. `ontonym.tasks.explain.texts` puts them into words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from ontonym.arrays import Floats
from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.fuse import Fusion
from ontonym.tasks.explain.decisions import Decision
from ontonym.tasks.explain.rivals import Named, Rival, related, rival_of
from ontonym.tasks.explain.shapley import neutral, shapley_values
from ontonym.tasks.explain.sharedwords import Words, words_of
from ontonym.tasks.hits import hit_of
from ontonym.tasks.search import SearchOptions, coded_hits, judged, nameless, ranking, shown
from ontonym.types import Hit

_SEARCH = SearchOptions()


@dataclass(frozen=True, slots=True)
class Part:
    """The part of one of `ontonym.tasks.explain.shapley.GROUPS` in the score.

    ``similarity`` in [0, 1] is the signal's own, None for the groups of no signal. ``lift`` is by how much its features
    raise the score above that of a candidate for which they are neutral, in natural log-odds; negative if they speak
    against the concept, None if one signal alone ranks. ``share`` is its share of the sum of all lifts' absolute
    values, in [0, 1].
    """

    similarity: float | None
    share: float
    lift: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a concept is a hit for ``text``.

    ``read_as`` is the text that was searched for; ``corrections`` are pairs of a word as typed and as searched for.
    ``probability`` is that of this reading of the query, which had the ``prior`` before anything was searched for.
    ``rank`` counts from 1; None if no signal brings the concept. ``module`` is the search that gave it
    (a `ontonym.tasks.strategy.Module`), with the similarity ``near`` that the sieve compares with its threshold;
    ``believed`` says that the sieve's first module accepted it. ``parts`` are by
    `ontonym.tasks.explain.shapley.GROUPS`; their shares add up to 1. The steps of normalization are the hit's
    ``reason.changes``. ``namesakes`` also have a name equal to the query.
    """

    hit: Hit
    text: str
    read_as: str
    corrections: tuple[tuple[str, str], ...]
    rank: int | None
    module: str
    near: float
    believed: bool
    parts: Mapping[str, Part]
    words: Words
    rival: Rival | None
    namesakes: tuple[Named, ...]
    probability: float = 1.0
    prior: float = 1.0


def explain(index: Index, text: str, concept_id: str, options: SearchOptions = _SEARCH) -> Explanation:
    """Explains one concept for ``text``, whether search finds it or not; raises UnknownIdError for an unknown id.

    Its confidence is the one in a search, or the one it would have as one more candidate; 0 if the text is the code of
    another concept. Raises InputError if it has
    no name among those that the strategy searches.
    """
    return explain_concept(index, text, index.number(concept_id), options)


def explain_concept(index: Index, text: str, concept: int, options: SearchOptions) -> Explanation:
    """Like `explain`, for a concept number."""
    query = index.signals.query(text)
    codes = coded_hits(index, query, options)
    for rank, hit in enumerate(codes, 1):
        if index.number_in(hit.terminology, hit.id) == concept:
            return _code_explained(text, hit, rank)
    choices = ranking(index, query, options, index.concept_count)
    place = next((place for place, choice in enumerate(choices) if choice.concept == concept), None)
    if place is not None and not codes:
        return explained(index, choices, place, options.signal)
    choice = judged(index, query, options, concept)
    if choice is None:
        raise nameless(index, concept, options)
    if codes:
        return _beside_codes(index, choice, codes)
    most = min((one.confidence for one in choices if one.believed), default=1.0)
    return explained(index, [replace(choice, confidence=min(choice.confidence, most)), *choices], None, options.signal)


def explain_hits(index: Index, text: str, options: SearchOptions = _SEARCH) -> list[Explanation]:
    """Explains each hit of `search`, in order."""
    query = index.signals.query(text)
    if codes := coded_hits(index, query, options):
        return [_code_explained(text, hit, rank) for rank, hit in enumerate(codes, 1)]
    choices = ranking(index, query, options, index.concept_count)
    return [explained(index, choices, place, options.signal) for place in range(len(shown(choices, options)))]


def explained(
    index: Index,
    choices: Sequence[Choice],
    place: int | None,
    signal: str,
    shifts: Mapping[int, float] = MappingProxyType({}),
) -> Explanation:
    """Explains the choice at a position, or without one the first choice, which is not among the answers.

    ``shifts`` are by how much the document moved the log-odds of concepts.
    """
    choice = choices[place or 0]
    read, query = choice.read, choice.read.query
    hit = hit_of(index, choice)
    return Explanation(
        hit=hit,
        text=query.typed,
        read_as=query.text,
        corrections=query.changes,
        rank=None if place is None else place + 1,
        module=f"{read.scan.source}-{read.scan.representation}",
        near=float(np.clip(read.similarities[choice.place], -1, 1)),
        believed=choice.believed,
        parts=_parts(index.fusion, read.evidence.features[choice.place], hit.signals, signal),
        words=words_of(query, hit.matched),
        rival=rival_of(index, choice, choices, shifts),
        namesakes=tuple(Named(other, index.preferred(index.number(other))) for other in hit.ambiguous),
        probability=choice.reading_probability,
        prior=read.prior,
    )


def _code_explained(text: str, hit: Hit, rank: int) -> Explanation:
    """Explains the hit of a code: nothing was compared, and nothing is a rival."""
    nothing = Words((), (), ())
    return Explanation(hit, text, text, (), rank, "", 1.0, False, {}, nothing, None, ())


def _beside_codes(index: Index, choice: Choice, codes: Sequence[Hit]) -> Explanation:
    """Explains a concept for the code of other concepts: by its words, without confidence."""
    one = explained(index, [replace(choice, confidence=0.0)], None, choice.read.scan.signal)
    own = (hit for hit in codes if hit.terminology == one.hit.terminology)
    hit = next((hit for hit in own if hit.id not in one.hit.equivalents), None)
    if hit is None:
        return one
    decided = Decision("code", False, None, (one.hit.matched, hit.matched), (one.read_as, one.text))
    number = index.number_in(hit.terminology, hit.id)
    rival = related(index, choice.concept, number, one.hit.confidence, hit.confidence)
    return replace(one, rival=replace(rival, decision=decided))


def _parts(fusion: Fusion, features: Floats, similarities: Mapping[str, float], signal: str) -> Mapping[str, Part]:
    if signal != "fused":
        return {name: Part(value, float(name == signal), None) for name, value in similarities.items()}
    found = shapley_values(fusion, features, neutral(fusion, features))
    whole = sum(map(abs, found.values()))
    return {
        name: Part(similarities.get(name), abs(lift) / whole if whole else 1 / len(found), lift)
        for name, lift in found.items()
    }
