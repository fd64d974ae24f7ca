"""Spark: a DataFrame normalized by real Python workers has the rows and answers of the local run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontonym.distributed.batches import BatchOptions, normalize_batches
from ontonym.errors import InputError, UnknownNameError, WrongTypeError
from ontonym.tasks.columns import ANSWER_COLUMNS
from warded import NOTE, OTHER, TEXTS

pyspark = pytest.importorskip("pyspark", reason="no Spark here: pip install 'ontonym[spark]'")
arrow = pytest.importorskip("pyarrow")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("no Java here, which Spark needs", allow_module_level=True)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "4")
        .getOrCreate()
    )
    yield session
    session.stop()


def local(ward: Path, rows: dict[str, list[Any]], options: BatchOptions) -> list[dict[str, Any]]:
    batches = arrow.table(rows).to_batches()
    found: list[dict[str, Any]] = arrow.Table.from_batches(normalize_batches(batches, ward, options)).to_pylist()
    return found


def test_columns_that_spark_cannot_name_stay(spark: Any, ward: Path) -> None:
    from ontonym.distributed.spark import normalize

    df = spark.createDataFrame([(1, "DM", 2, "old")], "a int, b string, c int, d string").toDF(
        "x", "a.b", "x", "ontonym_id"
    )
    with pytest.warns(UserWarning, match=r"1 column of earlier answers \(ontonym_id\)"):
        made = normalize(df, ward, column="a.b")
    (row,) = made.collect()
    assert (made.columns, tuple(row)[:4]) == (["x", "a.b", "x", *ANSWER_COLUMNS], (1, "DM", 2, "W:4"))


def test_what_spark_cannot_share_out_is_refused(spark: Any, ward: Path) -> None:
    from ontonym.distributed.spark import normalize

    df = spark.createDataFrame([(["DM"], "DM")], "lists array<string>, words string")
    with pytest.raises(InputError, match="the column 'lists' holds arrays: give one of texts"):
        normalize(df, ward, column="lists")
    with pytest.raises(InputError, match="-1 partitions: give a number of them"):
        normalize(df, ward, column="words", partitions=-1)
    with pytest.raises(WrongTypeError, match=r"give a DataFrame of Spark .*, not list"):
        normalize(TEXTS, ward, column="words")


@pytest.mark.parametrize("partitions", [None, 0])
def test_answers_are_those_of_the_local_run(spark: Any, ward: Path, partitions: int | None) -> None:
    from ontonym.distributed.spark import normalize

    rows = {"code": list(range(len(TEXTS) * 4)), "words": TEXTS * 4}
    df = spark.createDataFrame(list(zip(*rows.values(), strict=True)), "code int, words string")
    made = normalize(df, ward, column="words", k=2, partitions=partitions)
    assert made.columns == ["code", "words", *ANSWER_COLUMNS]
    assert dict(made.dtypes)["ontonym_confidence"] == "double"
    found = sorted((row.asDict() for row in made.collect()), key=lambda row: row["code"])
    assert found == local(ward, rows, BatchOptions("words"))
    assert [row["ontonym_id"] for row in found[:4]] == ["W:1", None, "W:4", "W:1|W:2"]


def test_passages_columns_of_before_and_errors(spark: Any, ward: Path) -> None:
    from ontonym.distributed.spark import normalize

    rows = {"text": ["DM", "DM", "toxicity", "toxicity"], "note": [NOTE, OTHER, NOTE, OTHER]}
    df = spark.createDataFrame(list(zip(*rows.values(), strict=True)), "text string, note string")
    once = normalize(df, ward, passage="note")
    again = normalize(once, ward, passage="note")
    assert again.columns == once.columns
    found = sorted((row.asDict() for row in again.collect()), key=lambda row: (row["text"], row["note"] != NOTE))
    assert found == local(ward, rows, BatchOptions(passage="note"))
    with pytest.raises(UnknownNameError, match=r"unknown column 'words'.*Valid: note, text"):
        normalize(df, ward, column="words")
