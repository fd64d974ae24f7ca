"""Searching, normalizing, annotating and looking up, with an index by its path or open."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from ontonym.api.frames import library_of
from ontonym.api.given import place_of
from ontonym.api.keywords import AnnotateKeywords, AnyMention, NormalizeKeywords, SearchKeywords
from ontonym.api.opening import AN_INDEX, open_index, open_terminology, using_index
from ontonym.api.results import AnnotationList, AnswerList, ExplanationView, HitList
from ontonym.index import Index
from ontonym.index.shared.places import is_terminology
from ontonym.serve.concepts import ConceptTree, roots_shape, tree_shape
from ontonym.store import Terminology
from ontonym.tasks import Normalization, Reranking, SearchOptions
from ontonym.tasks.concepts import ConceptView, find_concept
from ontonym.tasks.normalize import AT_ONCE
from ontonym.types import Mention

if TYPE_CHECKING:
    from ontonym.tasks import AnnotateOptions, NormalizeOptions


def search(
    index: Index | Path | str,
    text: str,
    options: SearchOptions | None = None,
    *,
    reranking: Reranking | None = None,
    **keywords: Unpack[SearchKeywords],
) -> HitList:
    """The concepts that ``text`` may mean, best first, each once; empty if nothing resembles it.

    ``index`` is open, or the path of one, which is then opened for this call alone. Keywords are fields of
    `SearchOptions`: ``k=3``, ``within="HP:0000118"``. See `IndexHandle.search`.
    """
    with using_index(index) as opened:
        return opened.search(text, options, reranking=reranking, **keywords)


@overload
def normalize(
    index: Index | Path | str, given: Iterator[AnyMention], options: NormalizeOptions | None = None,
    **keywords: Unpack[NormalizeKeywords],
) -> Iterator[Normalization]: ...  # fmt: skip
@overload
def normalize(
    index: Index | Path | str, given: str | Mention | Sequence[AnyMention], options: NormalizeOptions | None = None,
    **keywords: Unpack[NormalizeKeywords],
) -> AnswerList: ...  # fmt: skip
@overload
def normalize(
    index: Any, given: Any, options: NormalizeOptions | None = None, *, column: Hashable | None = None,
    **keywords: Unpack[NormalizeKeywords],
) -> Any: ...  # fmt: skip
def normalize(
    index: Index | Path | str,
    given: Any,
    options: NormalizeOptions | None = None,
    *,
    column: Hashable | None = None,
    jobs: int = 1,
    on: Any = None,
    at_once: int = AT_ONCE,
    **keywords: Any,
) -> Any:
    """The concept of each mention, or NIL: texts, mentions, or a data frame with the ``column`` that holds the texts.

    ``index`` is open, or the path of one. Frame and index may be given in either order. Texts or mentions in a list
    give an `AnswerList`, an iterator of them an iterator, and a frame the frame with further columns: see
    `IndexHandle.normalize`. ``at_once`` mentions are looked up together; ``jobs`` processes share the work, or those of
    a cluster ``on`` which it is done.
    """
    if library_of(index):
        index, given = given, index
    with ExitStack() as held:
        opened = held.enter_context(using_index(index))
        answers = opened.normalize(given, options, column=column, jobs=jobs, on=on, at_once=at_once, **keywords)
        return _streamed(answers, held.pop_all()) if isinstance(answers, Iterator) else answers


def _streamed(answers: Iterator[Normalization], held: ExitStack) -> Iterator[Normalization]:
    """The answers, with what they need held open until the last one."""
    with held:
        yield from answers


@overload
def annotate(  # type: ignore[overload-overlap]  # a text is an iterable of texts too
    index: Index | Path | str, text: str, options: AnnotateOptions | None = None, **keywords: Unpack[AnnotateKeywords]
) -> AnnotationList: ...
@overload
def annotate(
    index: Index | Path | str, text: Iterable[str | None], options: AnnotateOptions | None = None,
    **keywords: Unpack[AnnotateKeywords],
) -> list[AnnotationList]: ...  # fmt: skip
@overload
def annotate(
    index: Any, text: Any, options: AnnotateOptions | None = None, *, column: Hashable | None = None,
    **keywords: Unpack[AnnotateKeywords],
) -> Any: ...  # fmt: skip
def annotate(
    index: Index | Path | str,
    text: Any,
    options: AnnotateOptions | None = None,
    *,
    column: Hashable | None = None,
    jobs: int = 1,
    on: Any = None,
    **keywords: Any,
) -> Any:
    """The mentions in a text, in order, each with its concept and context; of several texts a list for each.

    Of a data frame with the ``column`` that holds the texts, a frame with a row for each mention. See
    `IndexHandle.annotate`.
    """
    if library_of(index):
        index, text = text, index
    with using_index(index) as opened:
        return opened.annotate(text, options, column=column, jobs=jobs, on=on, **keywords)


def explain(
    index: Index | Path | str,
    text: str,
    concept_id: str,
    options: SearchOptions | None = None,
    **keywords: Unpack[SearchKeywords],
) -> ExplanationView:
    """Why a concept is found for a text, or would be; found or not. Keywords are fields of `SearchOptions`."""
    with using_index(index) as opened:
        return opened.explain(text, concept_id, options, **keywords)


def show(source: Index | Terminology | Path | str, concept_id: str) -> ConceptView:
    """A concept of an index or a terminology: names, definition, parents, children, mappings.

    What is opened by its path here stays open as long as the view is used. Raises UnknownIdError, which names the
    nearest ids.
    """
    return find_concept(_source(source), concept_id)


def tree(
    source: Index | Terminology | Path | str, concept_id: str | None = None, *, levels: int = 1, each: int = 20
) -> ConceptTree:
    """A concept in its hierarchy, from the top down to it, with ``levels`` below it; without an id the top.

    ``each`` is the number of children that are shown of one concept.
    """
    opened = _source(source)
    if concept_id is not None:
        return ConceptTree(tree_shape(find_concept(opened, concept_id), levels=levels, most=each))
    first = opened if isinstance(opened, Terminology) else opened.terminologies[0]
    return ConceptTree(roots_shape(first, levels=levels, most=each))


def _source(given: Index | Terminology | Path | str) -> Index | Terminology:
    if isinstance(given, Index | Terminology):
        return given
    place = place_of(given, f"{AN_INDEX} or a terminology")
    return open_terminology(place) if is_terminology(place) else open_index(place)
