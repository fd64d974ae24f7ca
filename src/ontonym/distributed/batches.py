"""Normalization of Arrow record batches: one pure function, which every engine maps over its own batches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from ontonym.distributed.reference import IndexReference, work_on
from ontonym.errors import needing
from ontonym.index import Index
from ontonym.tasks import NormalizeOptions
from ontonym.tasks.answer import Normalization
from ontonym.tasks.columns import (
    ANSWER_COLUMNS,
    NUMBERS,
    answer_cells,
    check_column,
    replaced_note,
    short_enough,
    text_of,
)
from ontonym.tasks.normalize import AT_ONCE, answerer
from ontonym.types import Mention

if TYPE_CHECKING:
    import pyarrow as pa

IndexGiven: TypeAlias = Index | IndexReference | Path | str
Cells: TypeAlias = tuple[str | float | None, ...]
MentionKey: TypeAlias = tuple[str, str]
"""The text of a mention and its passage, which may be empty."""

_MOST_KEPT = 50_000
"""Distinct mentions whose cells are kept from one batch to the next, of about 500 bytes each, if they have no passage.
With their passages, which are whole documents, they are kept for their own batch."""


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Which ``column`` holds the mentions, and how they are normalized.

    ``passage`` names the column with the text of each mention's document, whose words and abbreviations then count.
    """

    column: str = "text"
    passage: str | None = None
    normalize: NormalizeOptions = field(default_factory=NormalizeOptions)

    @property
    def read(self) -> list[str]:
        """The columns that are read, each once."""
        return list(dict.fromkeys(one for one in (self.column, self.passage) if one is not None))

    def check(self, columns: Sequence[str]) -> None:
        """Raises UnknownNameError for a column that is not there, InputError for one that is there twice or that the
        answers would replace.
        """
        for name in self.read:
            check_column(name, columns)

    def begin(self, columns: Sequence[str]) -> None:
        """Checks the columns of a whole table before it is read, and warns of those that the answers replace."""
        self.check(columns)
        if said := replaced_note(columns):
            warnings.warn(said, stacklevel=3)


def normalize_batches(
    batches: Iterable[pa.RecordBatch], index: IndexGiven, options: BatchOptions = BatchOptions()
) -> Iterator[pa.RecordBatch]:
    """Each batch with `ANSWER_COLUMNS` after its own columns, as a stream; rows stay in their order.

    The result depends on nothing but what is given: each distinct mention is looked up once, and a row without a
    mention gets nulls, and so does a text that is too long for one, with a warning. Columns of the same names are
    replaced. ``index`` is open, or is opened once in this process by
    its path or reference. Raises what `BatchOptions.check` raises for the columns of a batch, WrongTypeError for a
    column of lists or objects, MismatchError for an index that is not the one that the reference was made from,
    MissingExtraError without pyarrow.
    """
    answers = MentionAnswers(index, options.normalize)
    for batch in batches:
        options.check(batch.schema.names)
        kept = [batch.column(place) for place in kept_columns(batch.schema.names)]
        made = answers.beside(batch, options)
        yield arrow().record_batch([*kept, *made], schema=answered_schema(batch.schema))


class MentionAnswers:
    """The answers to mentions as columns of Arrow; a mention is looked up once, as long as its cells are kept.

    Threads may share it, one after another.
    """

    def __init__(self, index: IndexGiven, options: NormalizeOptions) -> None:
        self._ask = _asker(index, options)
        self._known: dict[MentionKey, Cells] = {}
        self._lock = Lock()

    def beside(self, batch: pa.RecordBatch, options: BatchOptions) -> list[pa.Array]:
        """The arrays for the rows of a batch, whose mentions and passages are in the columns of the options."""
        return self.arrays(_keys(batch, options))

    def arrays(self, keys: Sequence[MentionKey | None]) -> list[pa.Array]:
        """An array for each of `answer_fields`, with the cells of each mention; null where there is none."""
        places = {key: place for place, key in enumerate(dict.fromkeys(key for key in keys if key is not None))}
        with self._lock:
            new = [key for key in places if key not in self._known]
            self._known.update(zip(new, map(answer_cells, _answers(self._ask, new)), strict=True))
            cells = [self._known[key] for key in places]
            if len(self._known) > _MOST_KEPT or any(passage for _, passage in new):
                self._known.clear()
        rows = arrow().array([None if key is None else places[key] for key in keys], type=arrow().int32())
        return [  # each distinct cell is converted once
            arrow().array([row[place] for row in cells], type=field.type).take(rows)
            for place, field in enumerate(answer_fields())
        ]


def answered_schema(schema: pa.Schema) -> pa.Schema:
    """The schema of the batches that `normalize_batches` gives for batches of this schema."""
    kept = [schema.field(place) for place in kept_columns(schema.names)]
    return arrow().schema([*kept, *answer_fields()], metadata=schema.metadata)


def answer_fields() -> list[pa.Field]:
    """The fields of `ANSWER_COLUMNS`."""
    library = arrow()
    return [library.field(name, library.float64() if name in NUMBERS else library.string()) for name in ANSWER_COLUMNS]


def kept_columns(names: Sequence[str]) -> list[int]:
    """The places of the columns that answers do not replace."""
    return [place for place, name in enumerate(names) if name not in ANSWER_COLUMNS]


def arrow() -> Any:
    """The library pyarrow; raises MissingExtraError without it."""
    with needing("pyarrow", "frames", "work on Arrow batches"):
        import pyarrow
    return pyarrow


_Ask: TypeAlias = Callable[[Sequence[Sequence[Mention]]], list[list[Normalization]]]


def _asker(index: IndexGiven, options: NormalizeOptions) -> _Ask:
    if isinstance(index, Index):
        return answerer(index, options)
    worker = partial(answerer, options=options)
    return partial(work_on, IndexReference.of(index), worker)


def _keys(batch: pa.RecordBatch, options: BatchOptions) -> list[MentionKey | None]:
    """The text and the passage of each row; None for a row without a mention."""
    texts = short_enough(list(map(text_of, _column(batch, options.column))), f"in a batch of {options.column!r}")
    if options.passage is None:
        return [None if text is None else (text, "") for text in texts]
    passages = ["" if value is None else str(value) for value in _column(batch, options.passage)]
    return [None if text is None else (text, passage) for text, passage in zip(texts, passages, strict=True)]


def _column(batch: pa.RecordBatch, name: str) -> list[Any]:
    values: list[Any] = batch.column(batch.schema.names.index(name)).to_pylist()
    return values


def _answers(ask: _Ask, keys: Sequence[MentionKey]) -> list[Normalization]:
    """The answers to distinct mentions, those of one document after another, in the order of the keys."""
    order: dict[str, list[MentionKey]] = {}
    for key in keys:
        order.setdefault(key[1], []).append(key)
    asked = [key for some in order.values() for key in some]
    found: dict[MentionKey, Normalization] = {}
    rest = iter(asked)
    while some := list(islice(rest, AT_ONCE)):
        (answers,) = ask([[Mention(text, passage=passage) for text, passage in some]])
        found.update(zip(some, answers, strict=True))
    return [found[key] for key in keys]
