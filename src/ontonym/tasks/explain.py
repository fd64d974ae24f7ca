"""Explanations: why a concept was found for a text, by how much it leads, and why a mention is NIL.

They use the same evidence by which `ontonym.tasks.search` ranks. `ontonym.tasks.describing` puts them into words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial
from types import MappingProxyType
from typing import Literal

import numpy as np

from ontonym.arrays import Floats
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.index.evidence import FEATURES, SIGNAL_TABLE
from ontonym.index.fuse import Fusion
from ontonym.index.query import Query
from ontonym.index.signals import Choice
from ontonym.tasks.document import CONSIDERED
from ontonym.tasks.hits import hit_of
from ontonym.tasks.normalize import Normalization, NormalizeOptions, normalize
from ontonym.tasks.search import SearchOptions, coded_hits, judged, ranking, shown
from ontonym.text.abbreviations import expand, find_abbreviations, written_out
from ontonym.text.normalization import tokens
from ontonym.text.pieces import pieces
from ontonym.types import Hit, Mention

Kinship = Literal["parent", "child", "ancestor", "descendant", "sibling", "kin", "unrelated", "flat", "elsewhere"]
"""The relation of a rival to a concept. ``kin``: they have a more distant common ancestor; ``unrelated``: they have
none; ``flat``: there is no hierarchy; ``elsewhere``: the rival is of another terminology.
"""

NAME = "name"
"""The features of no signal: the kind of the name, and how many names the concept has."""

_SEARCH, _NORMALIZE = SearchOptions(), NormalizeOptions()


@dataclass(frozen=True, slots=True)
class Part:
    """One signal's part in the decision.

    ``similarity`` in [0, 1] is the signal's own, None for `NAME`. ``lift`` is by how much its features raise the score
    above that of a candidate for which they are neutral, in natural log-odds; negative if they speak against the
    concept, None if one signal alone ranks. ``share`` is its share of the sum of all lifts' absolute values, in [0, 1].
    """

    similarity: float | None
    share: float
    lift: float | None


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the query and of the matched name, as written: those that are equal after text normalization, and
    others.

    ``shared`` are written as in the query.
    """

    shared: tuple[str, ...]
    only_query: tuple[str, ...]
    only_name: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A concept by its id and preferred term."""

    id: str
    preferred: str


@dataclass(frozen=True, slots=True)
class Rival:
    """The best other candidate: the first, or for the first the second.

    ``lead`` is the concept's confidence minus the rival's. ``steps`` is the number of is-a steps between them, up to
    the common ancestors ``via`` and down again; None if there is no such path.
    """

    concept: Named
    confidence: float
    lead: float
    kinship: Kinship
    steps: int | None = None
    via: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a concept is a hit for ``text``.

    ``read_as`` is the text that was searched for; ``corrections`` are pairs of a word as typed and as searched for.
    ``rank`` counts from 1; None if no signal brings the concept. ``module`` is the search that gave it
    (`ontonym.tasks.strategy.Module.name`), with the similarity ``near`` that the sieve compares with its threshold;
    ``believed`` says that the sieve's first module accepted it. ``parts`` are by signal and `NAME`; their shares add up
    to 1. The steps of normalization are the hit's ``reason.changes``. ``namesakes`` also have a name equal to the
    query.
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


@dataclass(frozen=True, slots=True)
class Nil:
    """Why a text has no concept.

    ``rule``: it has no word, or no candidate resembles it, or the best one's ``confidence`` is below the ``threshold``,
    by ``missing``. Of the rest to 1, ``none`` went to "none of them" and ``others`` to the other candidates; None if
    one signal alone ranks. ``unknown`` are words that no name has.
    """

    rule: Literal["no words", "nothing like it", "below the threshold"]
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

    Its confidence is the one in a search, or the one it would have as one more candidate. Raises InputError if it has
    no name among those that the strategy searches.
    """
    concept, query = index.number(concept_id), index.signals.query(text)
    choices = ranking(index, query, options, index.concept_count)
    place = next((place for place, choice in enumerate(choices) if choice.concept == concept), None)
    if place is not None:
        return _explained(index, choices, place, options.signal)
    choice = judged(index, query, options, concept)
    if choice is None:
        raise InputError(f"{concept_id} has no name among those that the strategy {options.strategy} searches")
    most = min((one.confidence for one in choices if one.believed), default=1.0)
    return _explained(index, [replace(choice, confidence=min(choice.confidence, most)), *choices], None, options.signal)


def explain_hits(index: Index, text: str, options: SearchOptions = _SEARCH) -> list[Explanation]:
    """Explains each hit of `search`, in order."""
    query = index.signals.query(text)
    if codes := coded_hits(index, query, options):
        return [_code_explained(text, hit, rank) for rank, hit in enumerate(codes, 1)]
    choices = ranking(index, query, options, max(options.k, 2))
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
    written = _written(query.typed)
    known = zip(query.words, index.signals.is_known(query.words), strict=True)
    unknown = tuple(dict.fromkeys(written.get(word, word) for word, is_known in known if not is_known))
    if not choices:
        return Nil("nothing like it", threshold, unknown=unknown)
    best = choices[0]
    fused = signal == "fused"
    total = float(best.read.confidences.sum())
    return Nil(
        "below the threshold",
        threshold,
        best.confidence,
        threshold - best.confidence,
        none=max(1 - total, 0.0) if fused else None,
        others=max(total - best.confidence, 0.0) if fused else None,
        unknown=unknown,
    )


def explain_mention(index: Index, mention: Mention, options: NormalizeOptions = _NORMALIZE) -> MentionExplanation:
    """Explains why `normalize` gives a mention its concept, or NIL."""
    (answer,) = normalize(index, [mention], options)
    return explain_answer(index, answer, options)


def explain_answer(index: Index, answer: Normalization, options: NormalizeOptions = _NORMALIZE) -> MentionExplanation:
    """Explains an answer that `normalize` gave under these options."""
    mention, lookup, signal = answer.mention, answer.lookup, options.search.signal
    defined = find_abbreviations(mention.passage) if options.abbreviations else {}
    query = index.signals.query(lookup)
    choices = _as_answered(index, query, options.search, answer.candidates)
    known = {index.id(choice.concept) for choice in choices}
    hits = [] if answer.parts else [hit for hit in answer.candidates if hit.id in known]  # terms may have been removed
    is_nil = answer.id is None and not answer.parts
    return MentionExplanation(
        mention,
        answer.id,
        lookup,
        MappingProxyType(written_out(mention.text, defined)),
        lookup if lookup != expand(mention.text, defined) else "",
        _nil(index, query, options.least(index), choices[: len(hits)], signal) if is_nil else None,
        tuple(replace(_explained(index, choices, place, signal), hit=hit) for place, hit in enumerate(hits)),
        tuple(explain_answer(index, part, options) for part in answer.parts),
    )


def _as_answered(index: Index, query: Query, options: SearchOptions, hits: Sequence[Hit]) -> list[Choice]:
    """The choices for a query in the order and with the confidences of its hits, then the other choices."""
    wide = replace(options, k=max(options.k, CONSIDERED))
    by_id = {index.id(choice.concept): choice for choice in ranking(index, query, wide, max(wide.k, len(hits) + 1))}
    first = [replace(by_id.pop(hit.id), confidence=hit.confidence) for hit in hits if hit.id in by_id]
    return [*first, *by_id.values()]


def _explained(index: Index, choices: Sequence[Choice], place: int | None, signal: str) -> Explanation:
    """Explains the choice at a position, or without one the first choice, which is not among the answers."""
    choice = choices[place or 0]
    read, query = choice.read, choice.read.query
    hit = hit_of(index, choice)
    others = [other for other in choices if other.concept != choice.concept]
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
        words=_words(query, hit.matched),
        rival=_rival(index, choice, others[0]) if others else None,
        namesakes=tuple(Named(other, index.preferred(index.number(other))) for other in hit.ambiguous),
    )


def _code_explained(text: str, hit: Hit, rank: int) -> Explanation:
    """Explains the hit of a code: nothing was compared, and nothing is a rival."""
    nothing = Words((), (), ())
    return Explanation(hit, text, text, (), rank, "", 1.0, False, {}, nothing, None, ())


def _parts(fusion: Fusion, features: Floats, similarities: Mapping[str, float], signal: str) -> Mapping[str, Part]:
    if signal != "fused":
        return {name: Part(value, float(name == signal), None) for name, value in similarities.items()}
    lifts = _lifts(fusion, features)
    whole = sum(map(abs, lifts.values()))
    return {
        name: Part(similarities.get(name), abs(lift) / whole if whole else 1 / len(lifts), lift)
        for name, lift in lifts.items()
    }


def _lifts(fusion: Fusion, features: Floats) -> dict[str, float]:
    """The Shapley value of each signal's features in the score, relative to the candidate of `_neutral`.

    Exact: the score is computed for every subset of the groups, the others being neutral. The values add up to the
    score minus that of the candidate for which all groups are neutral.
    """
    signals = [np.isin(FEATURES, list(row.features)) for row in SIGNAL_TABLE.values()]
    groups = np.array([*signals, ~np.logical_or.reduce(signals)])
    count = len(groups)
    subsets = np.arange(1 << count)
    members = (subsets[:, None] >> np.arange(count) & 1).astype(np.bool_)
    scores = fusion.scores(np.where(members @ groups, features, _neutral(fusion, features))).astype(np.float64)
    sizes = members.sum(axis=1).tolist()
    lifts = {}
    for number, name in enumerate((*SIGNAL_TABLE, NAME)):
        without = subsets[~members[:, number]]
        weights = [factorial(sizes[one]) * factorial(count - sizes[one] - 1) / factorial(count) for one in without]
        lifts[name] = float(weights @ (scores[without | 1 << number] - scores[without]))
    return lifts


def _neutral(fusion: Fusion, features: Floats) -> Floats:
    """The features of a neutral candidate of the same query.

    It has similarity 0, shares no word and lacks no number; it has the usual number of names, and an exact one.
    """
    neutral = np.zeros_like(features)
    for row in SIGNAL_TABLE.values():
        for name, of in row.features.items():
            if of:
                neutral[FEATURES.index(name)] = features[FEATURES.index(name)] - features[FEATURES.index(of)]
    for name, value in (("size", fusion.mean), ("short_query", features)):
        neutral[FEATURES.index(name)] = value[FEATURES.index(name)]
    return neutral


def _words(query: Query, matched: str) -> Words:
    ours, theirs = query.words, tokens(matched)
    typed = {word: spelling for word, spelling in _written(query.typed).items() if word in ours}
    written = _written(query.text) | typed
    left = Counter(theirs)
    shared: list[str] = []
    only_query: list[str] = []
    for word in ours:
        (shared if left[word] else only_query).append(written.get(word, word))
        left[word] -= left[word] > 0
    names = _written(matched)
    only_name = [names.get(word, word) for word in theirs if _taken(left, word)]
    return Words(tuple(shared), tuple(only_query), tuple(only_name))


def _taken(counts: Counter[str], word: str) -> bool:
    """Whether a word is still left in ``counts``; if so, one is removed."""
    counts[word] -= 1
    return counts[word] >= 0


def _written(text: str) -> dict[str, str]:
    """Each normalized word of a text as it is first written there."""
    written: dict[str, str] = {}
    for piece in pieces(text):
        for word in piece.words:
            written.setdefault(word, text[piece.start : piece.end])
    return written


def _rival(index: Index, choice: Choice, other: Choice) -> Rival:
    terminology, row = index.locate(choice.concept)
    theirs, other_row = index.locate(other.concept)
    hierarchy = terminology.hierarchy
    apart: Kinship = "unrelated" if hierarchy.edge_count else "flat"
    found = Rival(
        Named(index.id(other.concept), index.preferred(other.concept)),
        other.confidence,
        choice.confidence - other.confidence,
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
