"""What the API answers from words: search, completion, normalization, annotation, explanations."""

from __future__ import annotations

from collections.abc import Mapping
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


def search_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The concepts behind words, with explanations on request; none for words of which the last one is only begun."""
    index, options = opened.index(given["index"]), _search_options(given)
    begun = unfinished_word(index, given["q"]) if given["typing"] else ""
    if begun:
        return {**search_shape(given["q"], []), "unfinished": begun}
    explained = explain_hits(index, given["q"], options) if given["explain"] else []
    hits = [one.hit for one in explained] if given["explain"] else search(index, given["q"], options)
    nil = why_nil(index, given["q"], options=options) if given["explain"] and not hits else None
    return _placed(ways_of(opened), index, search_shape(given["q"], hits, explained, nil, index=index))


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
    return SearchOptions(
        k=given["k"],
        strategy=given["strategy"],
        signal=given["signal"],
        within=given["within"],
        tags=given["tag"],
        terminologies=given["only"],
        verbatim=given["verbatim"],
    )


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
    search_options = SearchOptions(given["k"], within=given["within"], tags=given["tag"], terminologies=given["only"])
    options = NormalizeOptions(threshold=given["threshold"], search=search_options)
    mentions = [Mention(text, id=str(number), passage=given["passage"]) for number, text in enumerate(given["text"], 1)]
    return {"mentions": [_answer(index, one, options, given) for one in normalize(index, mentions, options)]}


def _answer(index: Index, answer: Normalization, options: NormalizeOptions, given: ApiValues) -> dict[str, Any]:
    why = explain_answer(index, answer, options) if given["explain"] else None
    return answer_shape(answer, None, why)


def annotate_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The mentions in a text, each with its place, its concept and what the text says of it."""
    index = opened.index(given["index"])
    search_options = SearchOptions(given["k"], within=given["within"], tags=given["tag"], terminologies=given["only"])
    options = AnnotateOptions(
        normalize=NormalizeOptions(threshold=given["threshold"] or 0.0, composites=False, search=search_options),
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
    if not given["id"]:
        return search_answer(opened, {**SEARCH_DEFAULTS, **given, "explain": True})
    explained = explain(index, given["q"], given["id"], SearchOptions(given["k"]))
    return _placed(ways_of(opened), index, search_shape(given["q"], [explained.hit], [explained], index=index))


SEARCH_DEFAULTS: Mapping[str, Any] = {
    "strategy": SearchOptions().strategy, "signal": SearchOptions().signal, "within": (), "tag": (), "only": (),
    "verbatim": False, "typing": False,
}  # fmt: skip


def compare_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """Two concepts compared for words, found or not, and what decides between them."""
    index = opened.index(given["index"])
    return comparison_shape(compare_hits(index, given["q"], given["first"], given["second"], SearchOptions()))
