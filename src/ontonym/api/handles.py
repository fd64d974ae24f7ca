"""Opened indexes that answer as objects: a subclass of the handle of the lower rooms, so that these take it too."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from ontonym.api.frames import (
    FRAMES,
    as_table,
    computed,
    labels_of,
    library_of,
    no_frame,
    notes_in,
    rows_of,
    texts_in,
    with_columns,
)
from ontonym.api.given import concept_id_of, given_texts, place_of, values_of, written_in
from ontonym.api.giventerms import given_terms
from ontonym.api.keywords import AnnotateKeywords, AnyMention, NormalizeKeywords, SearchKeywords
from ontonym.api.results import AnnotationList, AnswerList, ExplanationView, HitList, with_text
from ontonym.api.terminologies import TerminologyHandle, with_lookup
from ontonym.distributed.dask import workers_on
from ontonym.errors import InputError, WrongTypeError
from ontonym.index import Index
from ontonym.index.contents import IndexContents
from ontonym.index.open import IndexPlace
from ontonym.manifest import MANIFEST
from ontonym.tasks import (
    AnnotateOptions,
    Normalization,
    NormalizeOptions,
    Reranking,
    SearchOptions,
    annotate,
    annotate_texts,
    cards,
    explain,
    normalize,
    search_many,
)
from ontonym.tasks.columns import answer_columns, is_missing, short_enough
from ontonym.tasks.concepts import ConceptView, concept_at, find_concept
from ontonym.tasks.jobs import Jobs
from ontonym.tasks.normalize import AT_ONCE
from ontonym.tasks.optionkeywords import chosen, given_to
from ontonym.text.counting import count
from ontonym.types import LONGEST_TEXT, Mention

if TYPE_CHECKING:
    from ontonym.index import Holding, TermsChange

_TEXTS = f"texts, mentions (`ontonym.Mention`), or {FRAMES} with `column=`"

_SHARED = ("column", "jobs", "on")
"""Keywords of normalization and annotation that are no options."""

_DECIDED = ("k", "signal", "precision", "search", "reranking")
"""Options of normalization that an evaluation decides: by ``depth`` and ``signals``, or not at all."""


class IndexHandle(Index):
    """An open index: ``search``, ``normalize``, ``annotate``, and ``index["HP:0001250"]`` for a concept.

    Terms that are added are searched from the next call on. Options are given as an options class or as keywords,
    the names of its fields. ``terminologies`` are what it was made of, open; ``len(index)`` is the number of concepts,
    ``"HP:0001250" in index`` says whether there is such a concept, and a loop over it gives every concept.
    """

    terminologies: tuple[TerminologyHandle, ...]

    def __init__(self, contents: IndexContents, opened_as: IndexPlace) -> None:
        terminologies = tuple(map(with_lookup, contents.terminologies))
        super().__init__(replace(contents, terminologies=terminologies), opened_as)

    _latest: IndexHandle | None = None  # with the terms, calibration and ranking that came since it was opened

    def search(
        self,
        text: str,
        options: SearchOptions | None = None,
        *,
        reranking: Reranking | None = None,
        **keywords: Unpack[SearchKeywords],
    ) -> HitList:
        """The concepts that ``text`` may mean, best first; keywords are fields of `SearchOptions`, such as ``k``.

        Raises WrongTypeError for anything but a text, UnknownNameError for an unknown keyword.
        """
        if not isinstance(text, str):
            raise WrongTypeError(text, "a text to search for (`normalize()` takes several)")
        if not isinstance(reranking, Reranking | None):
            raise WrongTypeError(reranking, "`Reranking` of `ontonym.tasks` for reranking")
        now = self._present()
        how = chosen(options, SearchOptions(), keywords, also=("reranking",))
        (hits,) = search_many(now, [text], how, reranking)
        branches = [[one.preferred for one in find_concept(now, hit.id).branches] for hit in hits]
        return HitList(hits, text, branches)

    @overload
    def normalize(
        self, given: Iterator[AnyMention], options: NormalizeOptions | None = None,
        **keywords: Unpack[NormalizeKeywords],
    ) -> Iterator[Normalization]: ...  # fmt: skip
    @overload
    def normalize(
        self, given: str | Mention | Sequence[AnyMention], options: NormalizeOptions | None = None,
        **keywords: Unpack[NormalizeKeywords],
    ) -> AnswerList: ...  # fmt: skip
    @overload
    def normalize(
        self, given: Any, options: NormalizeOptions | None = None, *, column: Hashable | None = None,
        **keywords: Unpack[NormalizeKeywords],
    ) -> Any: ...  # fmt: skip
    def normalize(
        self,
        given: Any,
        options: NormalizeOptions | None = None,
        *,
        column: Hashable | None = None,
        jobs: int = 1,
        on: Any = None,
        at_once: int = AT_ONCE,
        **keywords: Any,
    ) -> Any:
        """The concept of each mention, or NIL; keywords are fields of `NormalizeOptions` and `SearchOptions`.

        Texts or mentions in a list or a column give an `AnswerList` of the same length, with NIL for a text that is
        missing (None, NaN); ``to_pandas()`` has the index of a column of pandas. An iterator of them gives an iterator,
        which reads ahead only as far as it must; what cannot be taken is refused after the answers to all before it.
        A frame of pandas, polars, Arrow or DuckDB with the name of a ``column`` (in pandas its label) gives the frame
        back (DuckDB's as a table of Arrow, which DuckDB reads by the name of its variable) with the columns
        ``ontonym_id``, ``ontonym_name``, ``ontonym_confidence`` and more, rows and columns in their order. A warning
        says which columns of these names gave way, and the rows whose text is too long for a mention, which get no
        answer. ``jobs`` is the number of processes, ``on`` another place
        for the work: ``dask://HOST:PORT``, a client of Dask, or ``dask`` (`ontonym.distributed.dask.workers_on`);
        ``at_once`` is how many mentions are looked up together.
        """
        now, how = self._present(), chosen(options, NormalizeOptions(), keywords, also=(*_SHARED, "at_once"))
        if library_of(given):
            with workers_on(on, jobs) as workers:
                return _frame_of_answers(now, given, column, how, workers)
        if column is not None:
            raise no_frame(given)
        texts = [given] if isinstance(given, str | Mention) else values_of(given)
        if isinstance(texts, Path | bytes | Mapping) or not isinstance(texts, Iterable):
            raise WrongTypeError(given, _TEXTS)
        if isinstance(texts, Iterator):
            return _answers(now, texts, how, jobs, on, at_once)
        mentions = [_mention(one, place) for place, one in enumerate(texts)]
        return AnswerList(_answers(now, mentions, how, jobs, on, at_once), labels_of(given))

    @overload
    def annotate(  # type: ignore[overload-overlap]  # a text is an iterable of texts too
        self, text: str, options: AnnotateOptions | None = None, **keywords: Unpack[AnnotateKeywords]
    ) -> AnnotationList: ...
    @overload
    def annotate(
        self, text: Iterable[str | None], options: AnnotateOptions | None = None, **keywords: Unpack[AnnotateKeywords]
    ) -> list[AnnotationList]: ...
    @overload
    def annotate(
        self, text: Any, options: AnnotateOptions | None = None, *, column: Hashable | None = None,
        **keywords: Unpack[AnnotateKeywords],
    ) -> Any: ...  # fmt: skip
    def annotate(
        self,
        text: Any,
        options: AnnotateOptions | None = None,
        *,
        column: Hashable | None = None,
        jobs: int = 1,
        on: Any = None,
        **keywords: Any,
    ) -> Any:
        """The mentions in a text, in order, each with its concept and context; of several texts a list for each.

        A document of spaCy stands for its text, also from ``nlp.pipe``; a text that is missing has no mentions. A frame
        of pandas, polars, Arrow or DuckDB with the name of a ``column`` gives a frame with a row for each mention: the
        other columns of its note, in pandas with the note's index, then ``ontonym_start``, ``ontonym_end``,
        ``ontonym_text``, ``ontonym_id`` and the other columns of `AnnotationList`, in place of any of these names.
        Keywords are fields of `AnnotateOptions`, `NormalizeOptions` and `SearchOptions`; ``jobs`` and ``on`` are as in
        `normalize`.
        """
        now, how = self._present(), chosen(options, AnnotateOptions(), keywords, also=_SHARED)
        if library_of(text):
            with workers_on(on, jobs) as workers:
                return _frame_of_mentions(now, text, column, how, workers)
        if column is not None:
            raise no_frame(text)
        text = written_in(values_of(text))
        if isinstance(text, str):
            return AnnotationList(annotate(now, text, how), text)
        texts = given_texts(text, "a text, or several", lambda one: "" if is_missing(one) else written_in(one))
        with workers_on(on, jobs) as workers:
            found = annotate_texts(now, texts, how, jobs=workers)
            return [AnnotationList(some, one) for some, one in zip(found, texts, strict=True)]

    def explain(
        self, text: str, concept_id: str, options: SearchOptions | None = None, **keywords: Unpack[SearchKeywords]
    ) -> ExplanationView:
        """Why a concept is found for a text, or would be; keywords are fields of `SearchOptions`."""
        if not isinstance(text, str):
            raise WrongTypeError(text, "the text that is searched for")
        how = chosen(options, SearchOptions(), keywords)
        return ExplanationView.of(explain(self._present(), text, concept_id_of(concept_id), how))

    def add_terms(self, terms: Any, *, who: str = "", why: str = "") -> TermsChange:
        """Adds names of your own, which are searched from the next call on.

        ``terms`` are pairs of id and text, a dictionary from ids to texts, `AddedTerm`s, or a data frame or the path of
        a table with the columns id and text, or of a gold corpus; ids may lack their prefix. ``who`` and ``why`` go to
        the journal.
        """
        from ontonym.evaluate.ownterms import with_present_ids
        from ontonym.index import add_terms

        new = with_present_ids(self._present(), given_terms(terms, who, why))
        return add_terms(self.opened_as.path, new, **self._places())

    def remove_terms(self, terms: Any, *, who: str = "", why: str = "") -> TermsChange:
        """Removes names that were added; given as in `add_terms`, or as ids alone, for all of a concept."""
        from ontonym.evaluate.ownterms import with_present_ids
        from ontonym.index import remove_terms

        gone = with_present_ids(self._present(), given_terms(terms, who, why, removal=True), removal=True)
        return remove_terms(self.opened_as.path, gone, **self._places())

    def terms(self) -> list[Holding]:
        """The names that were added, each with the concept that it has today."""
        from ontonym.index import holdings

        return holdings(self._present())

    def evaluate(self, *gold: Any, **keywords: Any) -> Any:
        """How well the index does on gold data, with intervals; printing the result shows the figures.

        ``gold`` are annotated corpora, or data frames with the columns ``text`` and ``id``, whose mentions are
        normalized (a `NormalizationRuns`; keywords are fields of `CorpusEvaluationOptions`, `NormalizeOptions`,
        `SearchOptions` and `CorpusChoice`: ``strategy``, ``verbatim``, ``split`` and so on), or one folder of questions
        made by `build_gold`, which are searched (a `SearchEvaluation`; keywords are fields of
        `SearchEvaluationOptions`).
        """
        from ontonym.api.gold import READING, corpus_choice, opened_gold
        from ontonym.evaluate.indexes import CorpusEvaluationOptions, evaluate_index
        from ontonym.evaluate.search import SearchEvaluationOptions, evaluate_search

        if any(map(library_of, gold)):
            with ExitStack() as held:
                return self.evaluate(*(held.enter_context(as_table(one)) for one in gold), **keywords)
        places = [place_of(one, "the path of gold data, or a data frame of it") for one in gold]
        if len(places) == 1 and (places[0] / MANIFEST).is_file():
            how = chosen(None, SearchEvaluationOptions(), keywords)
            return with_text(evaluate_search(self._present(), places[0], how))
        choice, others = corpus_choice(keywords)
        judging, rest = given_to(others, CorpusEvaluationOptions(), NormalizeOptions(), without=_DECIDED, also=READING)
        asked, normalizing = chosen(None, CorpusEvaluationOptions(), judging), chosen(None, NormalizeOptions(), rest)
        corpora = opened_gold(places, choice, asked.types)
        return evaluate_index(self._present(), corpora, replace(asked, split=choice.split), normalizing=normalizing)

    def _present(self) -> IndexHandle:
        """The index with what it has now: opened again where that changed, and kept until it changes again."""
        before = self if self._latest is None else self._latest
        now = before.refreshed()
        if now is not before:
            self._latest = now
        return now

    def close(self) -> None:
        """Lets go of all files; the index cannot be used afterwards. Closing twice is fine."""
        latest, self._latest = self._latest, None
        if latest is not None:
            latest.close()
        super().close()

    def _places(self) -> dict[str, Any]:
        place: IndexPlace = self.opened_as
        return {"terminologies": place.terminologies or None, "encoder": place.encoder}

    def __getitem__(self, concept_id: str) -> ConceptView:
        return find_concept(self, concept_id)

    def get(self, concept_id: str) -> ConceptView | None:
        """The concept with this id, as ``index[…]`` gives it; None where there is none."""
        return concept_at(self, concept_id)

    def resolve(self, concept_id: str) -> str | None:
        """The id of the concept that an id means today; None where there is none."""
        return super().resolve(concept_id_of(concept_id))

    def __contains__(self, concept_id: object) -> bool:
        return isinstance(concept_id, str) and concept_at(self, concept_id) is not None

    def __len__(self) -> int:
        return self.concept_count

    def __iter__(self) -> Iterator[ConceptView]:
        return (ConceptView(one, row, self) for one in self.terminologies for row in range(len(one)))

    def __repr__(self) -> str:
        if self.closed:
            return f"<Index of {self.releases}, closed>"
        return f"<Index of {self.releases}: {count(self.name_count, 'name')} of {count(len(self), 'concept')}>"

    def _repr_html_(self) -> str | None:
        if self.closed:
            return None  # a notebook then shows the text
        facts = [
            ("of", [one.full_name for one in self.terminologies]),
            ("concepts", [f"{len(self):,}"]),
            ("names", [f"{self.name_count:,}"]),
            ("at", [str(self.path)]),
        ]
        return cards.card(self.name, "index", "", facts)


def _frame_of_answers(index: Index, frame: Any, column: object, options: NormalizeOptions, jobs: Jobs) -> Any:
    """A frame with the answers to the texts of a column."""
    frame = computed(frame)
    texts = short_enough(texts_in(frame, column), f"of the column {column!r}")
    asked = (Mention(text) for text in texts if text is not None)
    answers = normalize(index, asked, options, jobs=jobs)
    return with_columns(frame, answer_columns(None if text is None else next(answers) for text in texts))


def _frame_of_mentions(index: Index, frame: Any, column: object, options: AnnotateOptions, jobs: Jobs) -> Any:
    """A frame with a row for each mention found in the texts of a column, in place of the column."""
    frame = computed(frame)
    found = [*annotate_texts(index, notes_in(frame, column), options, jobs=jobs)]
    notes = [place for place, some in enumerate(found) for _ in some]
    columns = AnnotationList(one for some in found for one in some).columns()
    return with_columns(rows_of(frame, notes, without=column), {f"ontonym_{name}": columns[name] for name in columns})


def _answers(
    index: Index, given: Iterable[object], options: NormalizeOptions, jobs: int, on: Any, at_once: int
) -> Iterator[Normalization]:
    """The answers in order. What cannot be taken is refused when all before it is answered."""
    refused: list[InputError] = []

    def mentions() -> Iterator[Mention]:
        for place, one in enumerate(given):
            try:
                mention = _mention(one, place)
            except InputError as error:
                refused.append(error)
                return
            yield mention

    with workers_on(on, jobs) as workers:
        yield from normalize(index, mentions(), options, jobs=workers, at_once=at_once)
    if refused:
        raise refused[0]


def _mention(one: object, place: int) -> Mention:
    text = one.text if isinstance(one, Mention) else one
    if isinstance(text, str):
        if len(text) > LONGEST_TEXT:
            size = f"{len(text):,} characters, {text[:40]!r}…"
            raise InputError(f"the text at position {place} has {size}; {LONGEST_TEXT:,} are the most of a mention")
        return one if isinstance(one, Mention) else Mention(text)
    if is_missing(one):
        return Mention("")
    raise WrongTypeError(one, _TEXTS, place)
