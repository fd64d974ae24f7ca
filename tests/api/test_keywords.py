"""The keywords that type checkers and editors see are those that are taken."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature

import pytest

from ontonym.api.finding import annotate, normalize
from ontonym.api.handles import IndexHandle
from ontonym.api.keywords import AnnotateKeywords, NormalizeKeywords, SearchKeywords
from ontonym.api.learning import train_reranker
from ontonym.errors import UnknownNameError
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions


def _named(*kinds: type) -> set[str]:
    return {field.name for kind in kinds for field in fields(kind)}


def test_keywords_are_the_fields_of_the_options() -> None:
    assert set(SearchKeywords.__annotations__) == _named(SearchOptions)
    work = {"jobs", "on"}
    every = _named(SearchOptions, NormalizeOptions)
    assert set(NormalizeKeywords.__annotations__) == every | work | {"at_once"}
    assert set(AnnotateKeywords.__annotations__) == every | _named(AnnotateOptions) | work


@pytest.mark.parametrize("verb", [normalize, annotate, IndexHandle.normalize, IndexHandle.annotate])
def test_those_that_are_no_options_are_parameters(verb: object) -> None:
    typed = NormalizeKeywords if "normalize" in verb.__name__ else AnnotateKeywords
    options = _named(SearchOptions, NormalizeOptions, AnnotateOptions)
    own = {name for name, one in signature(verb).parameters.items() if one.kind is one.KEYWORD_ONLY}
    assert own - {"column"} == set(typed.__annotations__) - options


def test_an_unknown_keyword_of_a_reranker_is_told_those_of_its_candidates_too() -> None:
    with pytest.raises(UnknownNameError, match=r"'grups'. Did you mean 'groups'.*\bbatch\b.*\bhidden\b"):
        train_reranker("no.index", "no.reranker", base="no.model", grups=5)
