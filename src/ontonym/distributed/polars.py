"""Normalization of polars' lazy frames: the batch function, as one step of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ontonym.distributed.batches import (
    BatchOptions,
    IndexGiven,
    MentionAnswers,
    answer_fields,
    arrow,
    kept_columns,
)
from ontonym.errors import WrongTypeError, needing
from ontonym.tasks.optionkeywords import chosen

if TYPE_CHECKING:
    import polars as pl


def normalize(
    frame: pl.LazyFrame, index: IndexGiven, options: BatchOptions | None = None, **keywords: Any
) -> pl.LazyFrame:
    """A lazy frame with `ontonym.tasks.columns.ANSWER_COLUMNS` after its own columns; computed when it is collected.

    The streaming engine (``collect(engine="streaming")``, ``sink_parquet``) normalizes a batch of rows after another,
    so that a frame may be larger than memory. Keywords are fields of `BatchOptions`, `NormalizeOptions` and
    `SearchOptions`: ``column="complaint"``, ``k=1``. Raises UnknownNameError for a column that the frame lacks,
    MissingExtraError without polars or pyarrow.
    """
    with needing("polars", "frames", "a lazy frame of polars"):
        import polars
    if not isinstance(frame, polars.LazyFrame):
        raise WrongTypeError(frame, "a lazy frame, such as `frame.lazy()` (`ontonym.normalize` takes any other)")
    library = arrow()
    how = chosen(options, BatchOptions(), keywords)
    given = frame.collect_schema()
    how.begin(given.names())
    kept = [given.names()[place] for place in kept_columns(given.names())]
    added = library.schema(answer_fields())
    empty: Any = polars.from_arrow(added.empty_table())
    answers = MentionAnswers(index, how.normalize)  # for all batches: an equal mention of a later one is known

    def mapped(rows: pl.DataFrame) -> pl.DataFrame:
        batches = rows.select(how.read).to_arrow().to_batches()
        made = [library.record_batch(answers.beside(batch, how), schema=added) for batch in batches]
        converted: Any = polars.from_arrow(library.Table.from_batches(made, added))
        return rows.select(kept).hstack(converted)

    return frame.map_batches(
        mapped, schema={**{name: given[name] for name in kept}, **empty.schema}, streamable=True,
        predicate_pushdown=False, projection_pushdown=False, slice_pushdown=True,
    )  # fmt: skip
