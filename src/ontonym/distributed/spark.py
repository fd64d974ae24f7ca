"""Normalization of Spark DataFrames: the batch function, mapped over Arrow batches by Spark's Python workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ontonym.distributed.batches import BatchOptions, IndexGiven, arrow, kept_columns, normalize_batches
from ontonym.distributed.reference import IndexReference
from ontonym.errors import InputError, WrongTypeError, needing
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
    which has to be the same on all machines. Raises UnknownNameError for a column that ``df`` lacks, WrongTypeError for
    what is no DataFrame of Spark, InputError for a column of arrays, maps or structs and for a second stage
    (reranking), MissingExtraError without pyspark or pyarrow.
    """
    with needing("pyspark", "spark", "a Spark DataFrame"):
        from pyspark.sql import DataFrame
        from pyspark.sql.types import ArrayType, DoubleType, MapType, StringType, StructField, StructType
    arrow()
    if not isinstance(df, DataFrame):
        raise WrongTypeError(df, "a DataFrame of Spark (`ontonym.normalize` takes those of pandas and polars)")
    how = chosen(options, BatchOptions(), keywords)
    if how.normalize.reranking is not None:
        raise InputError("a reranker uses all processors by itself, and is not sent to workers: leave it out")
    names = df.columns
    how.begin(names)
    for field in (df.schema.fields[names.index(name)] for name in how.read):
        if isinstance(field.dataType, ArrayType | MapType | StructType):
            raise InputError(f"the column {field.name!r} holds {field.dataType.typeName()}s: give one of texts")
    kept = [df.schema.fields[place] for place in kept_columns(names)]
    added = [StructField(name, DoubleType() if name in NUMBERS else StringType()) for name in ANSWER_COLUMNS]
    made = [
        StructField(str(place), field.dataType, field.nullable, field.metadata)
        for place, field in enumerate((*kept, *added))
    ]
    if partitions is None:
        partitions = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    elif partitions < 0:
        raise InputError(f"{partitions} partitions: give a number of them, or 0 to leave rows where they are")
    # Columns are called by their places meanwhile: Spark finds none whose name has a dot, or that another has too.
    numbered = df.toDF(*map(str, range(len(names))))
    together = numbered.repartition(partitions, str(names.index(how.passage or how.column))) if partitions else numbered
    mapped = partial(_mapped, IndexReference.of(index), how, names)
    return together.mapInArrow(mapped, StructType(made)).toDF(*(field.name for field in (*kept, *added)))


def _mapped(
    reference: IndexReference, options: BatchOptions, names: list[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    named = (batch.rename_columns(names) for batch in batches)
    for made in normalize_batches(named, reference, options):
        yield made.rename_columns([str(place) for place in range(made.num_columns)])
