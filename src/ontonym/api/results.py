"""What searches and normalizations give: lists that show themselves as tables, and become frames of other libraries."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, SupportsIndex, TypeVar, overload

from ontonym.api.frames import arrow_table, pandas_frame, polars_frame
from ontonym.serve.hitlists import why
from ontonym.tasks import Annotation, Explanation, Normalization, cards
from ontonym.tasks.columns import ANSWER_COLUMNS, answer_cells, answer_columns
from ontonym.tasks.explain.texts import described
from ontonym.text.counting import count
from ontonym.text.visible import cut_to
from ontonym.types import Hit

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ontonym.evaluate.results import Evaluation

One = TypeVar("One")
Measured = TypeVar("Measured", bound="Evaluation")

_SHOWN = 20
_WIDEST = 60


class ResultList(list[One]):
    """A list of results of one kind, with columns that every table has."""

    @overload
    def __getitem__(self, place: SupportsIndex, /) -> One: ...
    @overload
    def __getitem__(self, place: slice, /) -> Self: ...
    def __getitem__(self, place: SupportsIndex | slice, /) -> One | Self:
        found = super().__getitem__(place)
        return self._of(found) if isinstance(place, slice) else found  # type: ignore[arg-type, return-value]

    def copy(self) -> Self:
        """A list of the same results."""
        return self._of(self)

    def _of(self, some: Iterable[One]) -> Self:
        """Some of the results as a list of the same class, with what this one says of them."""
        made: Self = type(self)()
        made.__dict__.update(self.__dict__)
        made.extend(some)
        return made

    def columns(self) -> dict[str, list[Any]]:
        """The results as columns, a row for each; None where there is nothing."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """The columns as a pandas data frame; raises MissingExtraError without pandas."""
        return pandas_frame(self.columns())

    def to_polars(self) -> pl.DataFrame:
        """The columns as a polars data frame; raises MissingExtraError without polars."""
        return polars_frame(self.columns())

    def to_arrow(self) -> pa.Table:
        """The columns as an Arrow table; raises MissingExtraError without pyarrow."""
        return arrow_table(self.columns())

    def _title(self) -> str:
        return f"{count(len(self), 'result')}"

    def _rows(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Headers and cells for a person."""
        raise NotImplementedError

    def __repr__(self) -> str:
        if not self:
            return f"{self._title()}: nothing found"
        headers, rows = self._rows()
        shown = [[" ".join(cell.splitlines()) for cell in row] for row in (headers, *rows[:_SHOWN])]
        cells = [[cut_to(cell, _WIDEST) for cell in row] for row in shown]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        more = len(rows) - _SHOWN
        return "\n".join([self._title(), *lines, *([f"… and {more:,} more"] if more > 0 else [])])

    def _repr_html_(self) -> str:
        headers, rows = self._rows()
        return cards.table(headers, rows, self._title())


class HitList(ResultList[Hit]):
    """The hits of one query, best first."""

    def __init__(self, hits: Iterable[Hit] = (), query: str = "", branches: Sequence[Sequence[str]] = ()) -> None:
        super().__init__(hits)
        self.query = query
        self._branches = {(hit.terminology, hit.id): names for hit, names in zip(self, branches, strict=False)}

    @property
    def branches(self) -> list[Sequence[str]]:
        """For each hit of the list the names of its branches, the nearest first; empty where they are not known."""
        return [self._branches.get((hit.terminology, hit.id), ()) for hit in self]

    def columns(self) -> dict[str, list[Any]]:
        """Id, preferred term, confidence, cosine, matched name, why, terminology and branches of each hit."""
        return {
            "id": [hit.id for hit in self],
            "name": [hit.preferred for hit in self],
            "confidence": [hit.confidence for hit in self],
            "similarity": [hit.similarity for hit in self],
            "matched": [hit.matched for hit in self],
            "why": [why(hit) for hit in self],
            "terminology": [hit.terminology for hit in self],
            "branches": ["; ".join(names) for names in self.branches],
        }

    def _title(self) -> str:
        return f"{count(len(self), 'concept')} for “{self.query}”"

    def _rows(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        rows = [
            (hit.id, hit.preferred, f"{hit.confidence:.2f}", names[0] if names else "", why(hit))
            for hit, names in zip(self, self.branches, strict=True)
        ]
        return ("id", "name", "confidence", "branch", "why"), [*rows]


class AnswerList(ResultList[Normalization]):
    """The answers to mentions, in their order; ``labels`` is the index of the pandas column that they were in."""

    def __init__(self, answers: Iterable[Normalization] = (), labels: Any = None) -> None:
        super().__init__(answers)
        self._labelled = None if labels is None else (labels, tuple(self))

    @overload  # type: ignore[override]  # of two lists of answers one of answers, which is more than a list's own gives
    def __add__(self, more: AnswerList, /) -> AnswerList: ...
    @overload
    def __add__(self, more: list[One], /) -> list[Normalization | One]: ...
    def __add__(self, more: list[Any], /) -> Any:
        both = super().__add__(more)
        return AnswerList(both) if isinstance(more, AnswerList) else both

    def to_pandas(self) -> pd.DataFrame:
        """The columns as a pandas data frame; raises MissingExtraError without pandas.

        Answers to a column of pandas have its index, so that pandas puts each beside its text, as long as they are all
        there in their order.
        """
        frame = super().to_pandas()
        if self._labelled is not None:
            labels, answers = self._labelled
            if len(self) == len(answers) and all(map(operator.is_, self, answers)):
                frame.index = labels
        return frame

    def columns(self) -> dict[str, list[Any]]:
        """The text of each mention, and the columns of `ontonym.tasks.columns.ANSWER_COLUMNS`."""
        return {"text": [one.text for one in self], **answer_columns(self)}

    @property
    def candidates(self) -> CandidateList:
        """The candidates of all mentions in one list, in the order of the mentions and of their ranks."""
        return CandidateList(
            Candidate(place, one.text, rank, hit)
            for place, one in enumerate(self)
            for rank, hit in enumerate(one.candidates, 1)
        )

    def _title(self) -> str:
        return f"{count(len(self), 'mention')}"

    def _rows(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        return ("text", "id", "name", "confidence", "certainty"), [_answer_row(one) for one in self]


class Candidate(NamedTuple):
    """A candidate of the mention at a ``place`` from 0, whose text is ``text``; ``rank`` counts from 1."""

    place: int
    text: str
    rank: int
    hit: Hit


class CandidateList(ResultList[Candidate]):
    """The candidates of several mentions, those of one after those of another."""

    def columns(self) -> dict[str, list[Any]]:
        """The mention's place and text, and the candidate's rank, id, preferred term, confidence, cosine and so on."""
        return {
            "place": [one.place for one in self],
            "text": [one.text for one in self],
            "rank": [one.rank for one in self],
            "id": [one.hit.id for one in self],
            "name": [one.hit.preferred for one in self],
            "confidence": [one.hit.confidence for one in self],
            "similarity": [one.hit.similarity for one in self],
            "matched": [one.hit.matched for one in self],
            "terminology": [one.hit.terminology for one in self],
        }

    def _title(self) -> str:
        return f"{count(len(self), 'candidate')} of {count(len({one.place for one in self}), 'mention')}"

    def _rows(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        rows = [
            (one.text, str(one.rank), one.hit.id, one.hit.preferred, f"{one.hit.confidence:.2f}", one.hit.matched)
            for one in self
        ]
        return ("text", "rank", "id", "name", "confidence", "matched"), [*rows]


class AnnotationList(ResultList[Annotation]):
    """The mentions that were found in a text, in order; ``text`` is the text."""

    def __init__(self, annotations: Iterable[Annotation] = (), text: str = "") -> None:
        super().__init__(annotations)
        self.text = text

    def columns(self) -> dict[str, list[Any]]:
        """Start, end, text, type, id, preferred term, confidence, context, section, runner-up and whether it is nested,
        of each mention.
        """
        return {
            "start": [one.start for one in self],
            "end": [one.end for one in self],
            "text": [one.text for one in self],
            "type": [one.mention.type for one in self],
            "id": [one.id for one in self],
            "name": [one.preferred for one in self],
            "confidence": [one.confidence for one in self],
            "context": ["; ".join(one.context) for one in self],
            "section": [one.section for one in self],
            "runner_up": [one.runner_up.id if one.runner_up else None for one in self],
            "nested": [one.nested for one in self],
        }

    def _title(self) -> str:
        return f"{count(len(self), 'mention')} in {count(len(self.text), 'character')}"

    def _rows(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        rows = [
            (f"{one.start}-{one.end}", one.text, one.id or "", one.preferred or "", f"{one.confidence:.2f}",
             ", ".join(one.context), one.section)
            for one in self
        ]  # fmt: skip
        return ("at", "text", "id", "name", "confidence", "context", "section"), [*rows]


class ExplanationView(Explanation):
    """An explanation that shows itself in lines, as ``ontonym search --explain`` does."""

    __slots__ = ()

    @classmethod
    def of(cls, explanation: Explanation) -> ExplanationView:
        """The same explanation."""
        return cls(**{field.name: getattr(explanation, field.name) for field in fields(explanation)})

    def __repr__(self) -> str:
        found = f"{self.hit.preferred} {self.hit.id} for “{self.text}”: confidence {self.hit.confidence:.2f}"
        return "\n".join([found, *(f"  {line}" for line in described(self))])


def _answer_row(answer: Normalization) -> Sequence[str]:
    cells: Mapping[str, Any] = dict(zip(ANSWER_COLUMNS, answer_cells(answer), strict=True))
    which = cells["ontonym_negated"]  # of several findings one by one: "no|yes"
    denied = ", negated" if which == "yes" else f", negated: {which}" if answer.negated else ""
    said = f"{answer.certainty}{denied}"
    shown = (cells["ontonym_id"] or "", cells["ontonym_name"] or "", f"{answer.confidence:.2f}", said)
    return answer.text, *shown


def with_text(evaluation: Measured) -> Measured:
    """The evaluation with its figures as text, where it has tables alone."""
    if evaluation.text:
        return evaluation
    from ontonym.serve.evaluations import results_lines

    shown = results_lines(evaluation.results)[:-1]
    lines = [str(line[0] if isinstance(line, tuple) else line) for line in shown]
    return replace(evaluation, text="\n".join([*lines, *evaluation.results.about]))
