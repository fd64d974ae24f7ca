"""Explanations: why a concept was found for a text, by how much it leads, and why a mention is NIL.

They use the same evidence by which `ontonym.tasks.search` ranks. `ontonym.tasks.explain.texts` puts them into words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from types import MappingProxyType
from typing import Literal

import numpy as np

from ontonym.arrays import Floats
from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.fuse import Fusion
from ontonym.index.query import Query
from ontonym.tasks.answer import Normalization, NormalizeOptions
from ontonym.tasks.document import CONSIDERED
from ontonym.tasks.duplicates import duplicates_of
from ontonym.tasks.explain.decisions import Decision, decision
from ontonym.tasks.explain.shapley import neutral, shapley_values
from ontonym.tasks.explain.sharedwords import Words, words_of, written
from ontonym.tasks.hits import hit_of
from ontonym.tasks.nil import is_left_empty
from ontonym.tasks.normalize import normalize
from ontonym.tasks.search import SearchOptions, coded_hits, judged, nameless, ranking, shown, whole_rankings
from ontonym.text.abbreviations import abbreviations_in, expand, find_abbreviations
from ontonym.types import Hit, Mention

Kinship = Literal["parent", "child", "ancestor", "descendant", "sibling", "kin", "unrelated", "flat", "elsewhere"]
"""The relation of a rival to a concept. ``kin``: they have a more distant common ancestor; ``unrelated``: they have
none; ``flat``: there is no hierarchy; ``elsewhere``: the rival is of another terminology.
"""

_SEARCH, _NORMALIZE = SearchOptions(), NormalizeOptions()


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
class Named:
    """A concept by its id and preferred term."""

    id: str
    preferred: str


@dataclass(frozen=True, slots=True)
class Rival:
    """The best other candidate of the same terminology that is no duplicate: the first, or for the first the second.

    ``lead`` is the concept's confidence minus the rival's. ``steps`` is the number of is-a steps between them, up to
    the common ancestors ``via`` and down again; None if there is no such path. ``decision`` is what decided between the
    concept (first) and the rival (second).
    """

    concept: Named
    confidence: float
    lead: float
    kinship: Kinship
    steps: int | None = None
    via: tuple[Named, ...] = ()
    decision: Decision | None = None


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


@dataclass(frozen=True, slots=True)
class Nil:
    """Why a text has no concept.

    ``rule``: it has no word, or no candidate resembles it, or the best one's ``confidence`` is below the ``threshold``,
    by ``missing``, or it is more like the texts that were added as NIL than like a concept, or it holds the place of a
    name in a table ("N/A"). Of the rest to 1, ``none`` went to "none of them" and ``others`` to the other candidates;
    None if one signal alone ranks. ``unknown`` are words that no name has.
    """

    rule: Literal["no words", "nothing like it", "below the threshold", "added as NIL", "placeholder"]
    threshold: float
    confidence: float = 0.0
    missing: float = 0.0
    none: float | None = None
    others: float | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MentionExplanation:
    """Why a mention got its concept, or none.

    ``lookup`` is the text that was looked up. ``abbreviations`` are those expanded in it, with the document's
    definitions. ``implied`` are the words of the document for which an undefined abbreviation was taken, or empty.
    ``nil`` is None if the mention has a concept. A composite mention has explained ``parts``, any other the
    ``candidates``, with the confidences after the document was considered.
    """

    mention: Mention
    id: str | None
    lookup: str
    abbreviations: Mapping[str, str]
    implied: str
    nil: Nil | None
    candidates: tuple[Explanation, ...]
    parts: tuple[MentionExplanation, ...] = ()


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
        return _explained(index, choices, place, options.signal)
    choice = judged(index, query, options, concept)
    if choice is None:
        raise nameless(index, concept, options)
    if codes:
        return _beside_codes(index, choice, codes)
    most = min((one.confidence for one in choices if one.believed), default=1.0)
    return _explained(index, [replace(choice, confidence=min(choice.confidence, most)), *choices], None, options.signal)


def explain_hits(index: Index, text: str, options: SearchOptions = _SEARCH) -> list[Explanation]:
    """Explains each hit of `search`, in order."""
    query = index.signals.query(text)
    if codes := coded_hits(index, query, options):
        return [_code_explained(text, hit, rank) for rank, hit in enumerate(codes, 1)]
    choices = ranking(index, query, options, index.concept_count)
    return [_explained(index, choices, place, options.signal) for place in range(len(shown(choices, options)))]


def why_nil(index: Index, text: str, threshold: float = 0.0, options: SearchOptions = _SEARCH) -> Nil | None:
    """Why the best hit for ``text`` is not good enough; None if its confidence reaches the threshold."""
    query = index.signals.query(text)
    choices = shown(ranking(index, query, options, options.k), options)
    if choices and choices[0].confidence >= threshold:
        return None
    return _nil(index, query, threshold, choices, options.signal)


def _nil(index: Index, query: Query, threshold: float, choices: Sequence[Choice], signal: str) -> Nil:
    if not query.words:
        return Nil("no words", threshold)
    spellings = written(query.typed)
    known = zip(query.words, index.signals.is_known(query.words), strict=True)
    unknown = tuple(dict.fromkeys(spellings.get(word, word) for word, is_known in known if not is_known))
    if not choices:
        return Nil("nothing like it", threshold, unknown=unknown)
    best = choices[0]
    fused = signal == "fused"
    none, others = _rest_shared(best)
    is_below = best.confidence < threshold
    return Nil(
        "below the threshold" if is_below else "added as NIL",
        threshold,
        best.confidence,
        max(threshold - best.confidence, 0.0),
        none=none if fused else None,
        others=others if fused else None,
        unknown=unknown,
    )


def _rest_shared(best: Choice) -> tuple[float, float]:
    """What the best candidate's confidence leaves to 1, shared among "none of them" and the other candidates.

    It is shared as before the calibration.
    """
    sure = best.read.confidences
    total = float(sure.sum())
    none, others = max(1 - total, 0.0), max(total - float(sure[best.place]), 0.0)
    rest = max(1 - best.confidence, 0.0) / ((none + others) or 1.0)
    return none * rest, others * rest


def explain_mention(index: Index, mention: Mention, options: NormalizeOptions = _NORMALIZE) -> MentionExplanation:
    """Explains why `normalize` gives a mention its concept, or NIL."""
    (answer,) = normalize(index, [mention], options)
    return explain_answer(index, answer, options)


def explain_answer(index: Index, answer: Normalization, options: NormalizeOptions = _NORMALIZE) -> MentionExplanation:
    """Explains an answer that `normalize` gave under these options."""
    mention, lookup, signal = answer.mention, answer.lookup, options.search.signal
    defined = find_abbreviations(mention.passage) if options.abbreviations else {}
    query = index.signals.query(lookup)
    choices, shifts = _as_answered(index, query, options.search, answer.candidates)
    known = {index.id(choice.concept) for choice in choices}
    hits = [] if answer.parts else [hit for hit in answer.candidates if hit.id in known]  # terms may have been removed
    is_nil = answer.id is None and not answer.parts
    nil = _nil(index, query, options.least(index), choices[: len(hits)], signal) if is_nil else None
    if nil is not None and nil.rule != "no words" and is_left_empty(mention, answer.candidates):
        nil = replace(nil, rule="placeholder")
    return MentionExplanation(
        mention,
        answer.id,
        lookup,
        MappingProxyType(abbreviations_in(mention.text, defined)),
        lookup if lookup != expand(mention.text, defined) else "",
        nil,
        tuple(replace(_explained(index, choices, place, signal, shifts), hit=hit) for place, hit in enumerate(hits)),
        tuple(explain_answer(index, part, options) for part in answer.parts),
    )


def _as_answered(
    index: Index, query: Query, options: SearchOptions, hits: Sequence[Hit]
) -> tuple[list[Choice], dict[int, float]]:
    """The choices for a query in the order and with the confidences of its hits, then the other choices; and by how
    much the document moved the log-odds of each that it moved.
    """
    wide = replace(options, k=max(options.k, CONSIDERED))
    (whole,) = whole_rankings(index, [query], wide, index.concept_count)
    by_id = {index.id(choice.concept): choice for choice in whole}
    first, shifts = [], {}
    for hit in hits:
        choice = by_id.pop(hit.id, None)
        if choice is None:
            continue
        first.append(replace(choice, confidence=hit.confidence))
        if hit.confidence != choice.confidence and hit.confidence > 0 and choice.confidence > 0:
            shifts[choice.concept] = log(hit.confidence / choice.confidence)
    return [*first, *by_id.values()], shifts


def _explained(
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
    rival = _runner_up(index, choice, choices)
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
        rival=None if rival is None else _rival(index, choice, rival, shifts),
        namesakes=tuple(Named(other, index.preferred(index.number(other))) for other in hit.ambiguous),
        probability=choice.weight,
        prior=read.prior,
    )


def _code_explained(text: str, hit: Hit, rank: int) -> Explanation:
    """Explains the hit of a code: nothing was compared, and nothing is a rival."""
    nothing = Words((), (), ())
    return Explanation(hit, text, text, (), rank, "", 1.0, False, {}, nothing, None, ())


def _beside_codes(index: Index, choice: Choice, codes: Sequence[Hit]) -> Explanation:
    """Explains a concept for the code of other concepts: by its words, without confidence."""
    one = _explained(index, [replace(choice, confidence=0.0)], None, choice.read.scan.signal)
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


def _runner_up(index: Index, choice: Choice, choices: Sequence[Choice]) -> Choice | None:
    """The best rival: the first other choice of the same terminology that is no duplicate."""
    concept, own = choice.concept, index.place(choice.concept)
    same = duplicates_of(index, choice)
    for other in choices:
        if other.concept == concept or index.place(other.concept) != own or other.concept in same:
            continue
        if not said_together(choice, other):
            continue
        if concept not in duplicates_of(index, other):
            return other
    return None


def said_together(one: Choice, other: Choice) -> bool:
    """Whether two choices are for the same text, and not for two items of a list."""
    texts, others = ({read.query.text for _, read in choice.readings} for choice in (one, other))
    return not (texts and others) or not texts.isdisjoint(others)


def _rival(index: Index, choice: Choice, other: Choice, shifts: Mapping[int, float]) -> Rival:
    shift = shifts.get(choice.concept, 0.0) - shifts.get(other.concept, 0.0)
    found = related(index, choice.concept, other.concept, choice.confidence, other.confidence)
    return replace(found, decision=decision(index, choice, other, shift))


def related(index: Index, concept: int, other: int, confidence: float, others: float) -> Rival:
    """Another concept as the rival of a concept, with the confidences of both; without what decided."""
    terminology, row = index.locate(concept)
    theirs, other_row = index.locate(other)
    hierarchy = terminology.hierarchy
    apart: Kinship = "unrelated" if hierarchy.edge_count else "flat"
    found = Rival(
        Named(index.id(other), index.preferred(other)),
        others,
        confidence - others,
        apart if theirs is terminology else "elsewhere",
    )
    way = hierarchy.shortest_way(row, other_row) if theirs is terminology else None
    if way is None:
        return found
    steps, rows = way
    via = tuple(Named(terminology.id(one), terminology.preferred(one)) for one in rows.tolist())
    return replace(found, kinship=_kinship(row, other_row, steps, rows.tolist()), steps=steps, via=via)


def _kinship(row: int, other: int, steps: int, via: Sequence[int]) -> Kinship:
    if other in via:
        return "parent" if steps == 1 else "ancestor"
    if row in via:
        return "child" if steps == 1 else "descendant"
    return "sibling" if steps == 2 else "kin"
