"""What each tool answers, short and typed: pure functions from what is opened to what a model reads."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict  # that of typing has no schema before Python 3.12

from ontonym.errors import InputError, UnknownIdError
from ontonym.serve.api.concepts import hierarchy_answer, located
from ontonym.serve.api.matching import candidates_answer
from ontonym.serve.library import Opened
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions, annotate, normalize, search
from ontonym.tasks.concepts import ConceptView
from ontonym.types import Hit, Mention

MOST_NAMES = 12
"""Most names of a concept in an answer."""
MOST_MENTIONS = 200
"""Most mentions of a text in an answer: some 8,000 tokens."""
NEXT_TO_NOTHING = 0.05
"""The confidence below which a candidate is left out, unless it is the best one."""


class FoundConcept(TypedDict):
    """A concept found for words; ``confidence`` is in [0, 1], the probability that it is the right one.

    ``negated`` says that the words deny it, as *no fever* does.
    """

    id: str
    name: str
    matched: str
    confidence: float
    negated: bool
    reason: str
    terminology: str


class FoundConcepts(TypedDict):
    """Concepts found, best first; none where nothing resembles the words."""

    hits: list[FoundConcept]


class NamedConcept(TypedDict):
    """A concept by id and preferred term."""

    id: str
    name: str


class DescribedConcept(TypedDict):
    """A concept: its names, its definition, what is around it, and ``same_as``: the same in other terminologies."""

    id: str
    name: str
    terminology: str
    version: str
    status: str
    definition: str
    names: list[str]
    parents: list[NamedConcept]
    children: list[NamedConcept]
    children_total: int
    same_as: list[NamedConcept]
    replaced_by: list[str]
    mappings: list[str]


class ConceptsAround(TypedDict):
    """Concepts around one in the hierarchy; ``total`` counts those that are not listed too."""

    id: str | None
    relation: str
    total: int
    concepts: list[NamedConcept]


class NormalizedText(TypedDict):
    """A mention with its concept; ``id`` is null where no concept fits: do not make one up.

    ``negated`` says that the mention denies it. ``same_as`` are ids of the same concept in other terminologies,
    ``nearest`` other candidates.
    """

    text: str
    id: str | None
    name: str | None
    confidence: float
    negated: bool
    same_as: list[str]
    nearest: list[NamedConcept]


class NormalizedTexts(TypedDict):
    """One answer for each mention, in order."""

    mentions: list[NormalizedText]


class AnnotatedText(TypedDict):
    """A mention in a text at ``start`` to ``end``, in characters, with how the text speaks of it (negated…).

    ``section`` is the heading above it, such as *family history*; empty where there is none.
    """

    start: int
    end: int
    text: str
    id: str | None
    name: str | None
    confidence: float
    context: list[str]
    section: str


class AnnotatedTexts(TypedDict):
    """The mentions in a text, in order; ``left_out`` counts those after them: ask for the text from the last end on."""

    mentions: list[AnnotatedText]
    left_out: int


class MappedConcept(TypedDict):
    """A concept that the one asked for may be the same as; ``score`` is the probability of it, in [0, 1]."""

    id: str
    name: str
    score: float
    reason: str


class MappedConcepts(TypedDict):
    """Candidates of a mapping, best first."""

    id: str
    name: str
    candidates: list[MappedConcept]


def found_concepts(
    opened: Opened, query: str, k: int, within: list[str], terminology: str, index: str
) -> FoundConcepts:
    """The concepts behind words: the best one, and others that are not next to impossible."""
    options = SearchOptions(k=k, within=tuple(within), terminologies=_only(terminology))
    hits = search(opened.index(index), query, options)
    return {"hits": [_found(hit) for place, hit in enumerate(hits) if not place or hit.confidence >= NEXT_TO_NOTHING]}


def _only(terminology: str) -> tuple[str, ...]:
    return (terminology,) if terminology else ()


def _found(hit: Hit) -> FoundConcept:
    return {
        "id": hit.id, "name": hit.preferred, "matched": hit.matched, "confidence": round(hit.confidence, 3),
        "negated": hit.reason.negated, "reason": f"{hit.reason.rule}: {hit.reason.detail}",
        "terminology": hit.terminology,
    }  # fmt: skip


def described_concept(opened: Opened, concept_id: str, terminology: str) -> DescribedConcept:
    """All that matters of a concept."""
    try:
        found, row = located(opened, concept_id, terminology)
    except UnknownIdError as error:
        if error.nearest:
            raise
        raise InputError(f"{error}. `search` finds the ids of concepts for words") from None
    view = ConceptView(found, row, next((one for one in opened.indexes.values() if found in one.terminologies), None))
    children = view.children
    return {
        "id": view.id, "name": view.preferred, "terminology": view.terminology.name,
        "version": view.terminology.version, "status": view.status, "definition": view.definition,
        "names": list(view.names[:MOST_NAMES]), "parents": [_named(one) for one in view.parents],
        "children": [_named(one) for one in children[:MOST_NAMES]], "children_total": len(children),
        "same_as": [_named(one) for one in view.elsewhere],
        "replaced_by": [one.id for one in view.replaced_by],
        "mappings": [f"{one.predicate_id} {one.object_id}" for one in view.mappings[:MOST_NAMES]],
    }  # fmt: skip


def _named(view: ConceptView) -> NamedConcept:
    return {"id": view.id, "name": view.preferred}


def concepts_around(
    opened: Opened, concept_id: str, relation: str, terminology: str, offset: int, count: int
) -> ConceptsAround:
    """What is around a concept."""
    given = {"id": concept_id, "relation": relation, "terminology": terminology, "offset": offset, "count": count}
    answer = hierarchy_answer(opened, given)
    concepts: list[NamedConcept] = [{"id": one["id"], "name": one["preferred"]} for one in answer["concepts"]]
    return {"id": answer["id"], "relation": answer["relation"], "total": answer["total"], "concepts": concepts}


def normalized_texts(opened: Opened, mentions: list[str], terminology: str, index: str) -> NormalizedTexts:
    """The concept of each mention, or none."""
    options = NormalizeOptions(search=SearchOptions(k=3, terminologies=_only(terminology)))
    found = normalize(opened.index(index), [Mention(text) for text in mentions], options)
    return {
        "mentions": [
            {
                "text": one.mention.text, "id": one.id, "name": one.preferred,
                "confidence": round(one.confidence, 3),
                "negated": one.negated,
                "same_as": list(one.equivalents),
                "nearest": [
                    {"id": hit.id, "name": hit.preferred}
                    for hit in one.candidates
                    if hit.id not in (one.id, *one.equivalents) and hit.confidence >= NEXT_TO_NOTHING
                ],
            }
            for one in found
        ]
    }  # fmt: skip


def annotated_texts(opened: Opened, text: str, terminology: str, index: str) -> AnnotatedTexts:
    """The first mentions in a text, and how many more there are."""
    options = AnnotateOptions(normalize=NormalizeOptions(search=SearchOptions(terminologies=_only(terminology))))
    found = annotate(opened.index(index), text, options)
    return {
        "mentions": [
            {
                "start": one.span[0], "end": one.span[1], "text": one.text, "id": one.id,
                "name": one.preferred, "confidence": round(one.confidence, 3),
                "context": list(one.context), "section": one.section,
            }
            for one in found[:MOST_MENTIONS]
        ],
        "left_out": max(len(found) - MOST_MENTIONS, 0),
    }  # fmt: skip


def mapped_concepts(opened: Opened, concept_id: str, terminology: str, index: str, k: int) -> MappedConcepts:
    """The concepts of an index that one of another terminology may be the same as."""
    source, _ = located(opened, concept_id, terminology)
    if any(source.fingerprint == one.fingerprint for one in opened.index(index).terminologies):
        others = [name for name, one in opened.indexes.items() if source not in one.terminologies]
        here = f"{source.name} is in this index itself"
        if others:
            raise InputError(f"{here}: give one of {', '.join(others)}")
        raise InputError(f"{here}, and there is no other: see same_as of `concept`, or `search` with `terminology`")
    given: dict[str, Any] = {
        "id": concept_id, "terminology": terminology, "index": index, "k": k, "within": (), "tag": (),
    }  # fmt: skip
    answer = candidates_answer(opened, given)
    candidates: list[MappedConcept] = [
        {"id": one["id"], "name": one["preferred"], "score": one["score"], "reason": one["reason"]["detail"]}
        for one in answer["candidates"]
    ]
    return {"id": answer["id"], "name": answer["preferred"], "candidates": candidates}
