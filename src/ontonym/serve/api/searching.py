"""What the API answers from words: search, completion, normalization, annotation, explanations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.serve.answers import answer_shape, context_shape
from ontonym.serve.api.parameters import ApiValues
from ontonym.serve.api.shapes import Ways, completion_shape, way_of, ways_of
from ontonym.serve.library import Opened
from ontonym.serve.shapes import comparison_shape, search_shape
from ontonym.store import Terminology
from ontonym.tasks import (
    AnnotateOptions,
    Normalization,
    NormalizeOptions,
    SearchOptions,
    annotate,
    compare_hits,
    explain,
    explain_answer,
    explain_hits,
    normalize,
    search,
    why_nil,
)
from ontonym.tasks.completing import CompleteOptions, complete, unfinished_word
from ontonym.tasks.concepts import ConceptView, same_elsewhere
from ontonym.types import Mention
from ontonym.wanted import check_wanted


def search_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The concepts behind words, with explanations on request; none for words of which the last one is only begun."""
    index = opened.index(given["index"])
    begun = unfinished_word(index, given["q"]) if given["typing"] else ""
    if begun:
        return {**search_shape(given["q"], []), "unfinished": begun}
    options = replace(
        _search_options(given), strategy=given["strategy"], signal=given["signal"], verbatim=given["verbatim"]
    )
    if given["explain"]:
        return _explained(opened, index, given["q"], options)
    return _placed(ways_of(opened), index, search_shape(given["q"], search(index, given["q"], options), index=index))


def _explained(opened: Opened, index: Index, words: str, options: SearchOptions) -> dict[str, Any]:
    """The concepts behind words, each with why it was found, or why there is none."""
    explained = explain_hits(index, words, options)
    nil = None if explained else why_nil(index, words, options=options)
    shape = search_shape(words, [one.hit for one in explained], explained, nil, index=index)
    return _placed(ways_of(opened), index, shape)


_FIRST = ("warm up", "pt c/o fiebre alta, no asprin 500 mg bd")
"""Searches that read all that a search may need: tables of short forms and other languages, what spelling knows."""


def warmed(index: Index) -> None:
    """Reads what the first searches, completion and concept would otherwise wait for."""
    complete(index, "warm up", CompleteOptions(k=1))
    for text in _FIRST:
        search(index, text, SearchOptions(k=1))
    same_elsewhere(ConceptView(index.terminologies[0], 0, index))


def _placed(ways: Ways, index: Index, shape: dict[str, Any]) -> dict[str, Any]:
    """The shape of a search, each hit with its way from a root."""
    by_name = _by_name(index)
    for hit in shape["hits"]:
        hit["path"] = way_of(ways, by_name[hit["terminology"]], hit["id"])
    return shape


def _by_name(index: Index) -> dict[str, Terminology]:
    return {one.name: one for one in reversed(index.terminologies)}


def _search_options(given: ApiValues) -> SearchOptions:
    """How many concepts are searched for, and among which."""
    return SearchOptions(given["k"], within=given["within"], tags=given["tag"], terminologies=given["only"])


def autocomplete_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The concepts that a text which is still being typed may mean."""
    index = opened.index(given["index"])
    options = CompleteOptions(given["k"], given["within"], given["tag"], given["only"], given["meaning"])
    by_name, ways = _by_name(index), ways_of(opened)
    found = complete(index, given["q"], options)
    return {"query": given["q"], "hits": [completion_shape(ways, by_name[one.terminology], one) for one in found]}


def normalize_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The concept of each mention, or none."""
    index = opened.index(given["index"])
    if not given["text"]:
        raise InputError("the parameter text is missing: the mentions to normalize")
    options = NormalizeOptions(threshold=given["threshold"], search=_search_options(given))
    mentions = [Mention(text, id=str(number), passage=given["passage"]) for number, text in enumerate(given["text"], 1)]
    shapes = []
    for one in normalize(index, mentions, options):
        check_wanted()  # to explain a thousand answers takes minutes
        shapes.append(answer_shape(one, why=explain_answer(index, one, options) if given["explain"] else None))
    return {"mentions": shapes}


def annotate_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The mentions in a text, each with its place, its concept and what the text says of it."""
    index = opened.index(given["index"])
    options = AnnotateOptions(
        normalize=NormalizeOptions(
            threshold=given["threshold"] or 0.0, composites=False, search=_search_options(given)
        ),
        find=given["find"],
    )
    found = annotate(index, given["text"], options)
    shapes = [
        answer_shape(
            Normalization(one.mention, one.id, one.confidence, one.candidates),
            context_shape(one.context, one.section, nested=one.nested),
        )
        for one in found
    ]
    return {"text": given["text"], "mentions": shapes}


def explain_answer_of(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """Why a concept was found for words, and what decided against others; by default for the best hits."""
    index = opened.index(given["index"])
    options = SearchOptions(given["k"])
    if not given["id"]:
        return _explained(opened, index, given["q"], options)
    explained = explain(index, given["q"], given["id"], options)
    return _placed(ways_of(opened), index, search_shape(given["q"], [explained.hit], [explained], index=index))


def compare_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """Two concepts compared for words, found or not, and what decides between them."""
    index = opened.index(given["index"])
    return comparison_shape(compare_hits(index, given["q"], given["first"], given["second"], SearchOptions()))
