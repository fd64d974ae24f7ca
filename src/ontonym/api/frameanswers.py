"""Frames of other libraries with what was found in a column of theirs."""

from __future__ import annotations

from typing import Any

from ontonym.api.frames import notes_in, rows_of, short_enough, texts_in, with_columns
from ontonym.api.results import AnnotationList
from ontonym.index import Index
from ontonym.tasks import AnnotateOptions, NormalizeOptions, annotate_texts, normalize
from ontonym.tasks.columns import answer_columns
from ontonym.tasks.jobs import Jobs
from ontonym.types import Mention


def frame_of_answers(index: Index, frame: Any, column: str | None, options: NormalizeOptions, jobs: Jobs) -> Any:
    """A frame with the answers to the texts of a column."""
    texts = short_enough(texts_in(frame, column), f"of the column {column!r}")
    asked = (Mention(text) for text in texts if text is not None)
    answers = normalize(index, asked, options, jobs=jobs)
    return with_columns(frame, answer_columns(None if text is None else next(answers) for text in texts))


def frame_of_mentions(index: Index, frame: Any, column: str | None, options: AnnotateOptions, jobs: Jobs) -> Any:
    """A frame with a row for each mention found in the texts of a column, in place of the column."""
    found = [*annotate_texts(index, notes_in(frame, column), options, jobs=jobs)]
    notes = [place for place, some in enumerate(found) for _ in some]
    columns = AnnotationList(one for some in found for one in some).columns()
    return with_columns(rows_of(frame, notes, without=column), {f"ontonym_{name}": columns[name] for name in columns})
