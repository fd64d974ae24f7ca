"""Why a mention got its concept, or none: the answers of normalization explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from types import MappingProxyType
from typing import Literal

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.query import Query
from ontonym.tasks.answer import Normalization, NormalizeOptions
from ontonym.tasks.document import CONSIDERED
from ontonym.tasks.explain.explaining import Explanation, explained
from ontonym.tasks.explain.sharedwords import written
from ontonym.tasks.nil import is_left_empty
from ontonym.tasks.normalize import normalize
from ontonym.tasks.search import SearchOptions, ranking, shown, whole_rankings
from ontonym.text.abbreviations import abbreviations_in, expand, find_abbreviations
from ontonym.types import Hit, Mention

_SEARCH, _NORMALIZE = SearchOptions(), NormalizeOptions()


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
    known = {choice.concept for choice in choices}  # terms may have been removed
    numbered = [] if answer.parts else [(index.number_in(hit.terminology, hit.id), hit) for hit in answer.candidates]
    hits = [hit for concept, hit in numbered if concept in known]
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
        tuple(replace(explained(index, choices, place, signal, shifts), hit=hit) for place, hit in enumerate(hits)),
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
    others = {choice.concept: choice for choice in whole}
    first, shifts = [], {}
    for hit in hits:
        choice = others.pop(index.number_in(hit.terminology, hit.id), None)
        if choice is None:
            continue
        first.append(replace(choice, confidence=hit.confidence))
        if hit.confidence != choice.confidence and hit.confidence > 0 and choice.confidence > 0:
            shifts[choice.concept] = log(hit.confidence / choice.confidence)
    return [*first, *others.values()], shifts
