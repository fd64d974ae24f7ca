"""Normalization of Spark DataFrames: the batch function, mapped over Arrow batches by Spark's Python workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ontonym.distributed.batches import BatchOptions, IndexGiven, arrow, kept_columns, normalize_batches
from ontonym.distributed.reference import IndexReference
from ontonym.errors import InputError, needing
from ontonym.tasks.columns import ANSWER_COLUMNS, NUMBERS
from ontonym.tasks.optionkeywords import chosen

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def normalize(
    df: DataFrame,
    index: IndexGiven,
    options: BatchOptions | None = None,
    *,
    partitions: int | None = None,
    **keywords: Any,
) -> DataFrame:
    """A DataFrame with `ontonym.tasks.columns.ANSWER_COLUMNS` after its own columns; evaluated when Spark needs it.

    Keywords are fields of `BatchOptions`, `NormalizeOptions` and `SearchOptions`: ``column="complaint"``,
    ``threshold=0.5``. Rows are first brought together by their text, or by their passage if there is one, in
    ``partitions`` partitions (by default as many as ``spark.sql.shuffle.partitions``), so that equal mentions are
    looked up once; 0 leaves them where they are, in their order. Every Python worker opens the index once, at its path,
    which has to be the same on all machines. Raises UnknownNameError for a column that ``df`` lacks, InputError for a
    second stage (reranking), MissingExtraError without pyspark or pyarrow.
    """
    with needing("pyspark", "spark", "a Spark DataFrame"):
        from pyspark.sql.types import DoubleType, StringType, StructField, StructType
    arrow()
    how = chosen(options, BatchOptions(), keywords)
    if how.normalize.reranking is not None:
        raise InputError("a reranker uses all processors by itself, and is not sent to workers: leave it out")
    how.check(df.columns)
    kept = [df.schema.fields[place] for place in kept_columns(df.columns)]
    added = [StructField(name, DoubleType() if name in NUMBERS else StringType()) for name in ANSWER_COLUMNS]
    if partitions is None:
        partitions = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    together = df.repartition(partitions, df[how.passage or how.column]) if partitions else df
    return together.mapInArrow(partial(_mapped, IndexReference.of(index), how), StructType([*kept, *added]))


def _mapped(
    reference: IndexReference, options: BatchOptions, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    return normalize_batches(batches, reference, options)
