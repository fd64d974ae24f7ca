"""The keywords of search, normalization and annotation as type checkers and editors see them: fields of the options."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

if TYPE_CHECKING:
    from ontonym.tasks import NormalizeOptions, Reranking, SearchOptions
    from ontonym.tasks.annotation.acceptance import Acceptance
    from ontonym.tasks.annotation.spans import Sought
    from ontonym.tasks.concepts import ConceptView
    from ontonym.types import Mention

TextsOrConcepts: TypeAlias = "str | ConceptView | Collection[str | ConceptView]"
"""One text or several; a concept stands for its id."""
AnyMention: TypeAlias = "str | Mention | None"
"""A mention, or its text; None where it is missing."""


class SearchKeywords(TypedDict, total=False):
    """The fields of `SearchOptions`."""

    k: int
    strategy: str
    signal: str
    sieve: float
    within: TextsOrConcepts
    tags: TextsOrConcepts
    terminologies: TextsOrConcepts
    least: float
    verbatim: bool


class AnswerKeywords(SearchKeywords, total=False):
    """The fields of `NormalizeOptions` too, and where the work is done."""

    threshold: float | None
    abbreviations: bool
    document: bool
    composites: bool
    expected: TextsOrConcepts
    sections: Collection[tuple[str, str]]
    search: SearchOptions
    reranking: Reranking | None
    precision: float | None
    jobs: int
    on: Any


class NormalizeKeywords(AnswerKeywords, total=False):
    """The keywords of normalization."""

    at_once: int


class AnnotateKeywords(AnswerKeywords, total=False):
    """The keywords of annotation: the fields of `AnnotateOptions` too."""

    normalize: NormalizeOptions
    context: bool
    shortest: int
    type: str
    find: Sought
    nested: bool
    accept: float | None
    recall: float | None
    acceptance: Acceptance | None
