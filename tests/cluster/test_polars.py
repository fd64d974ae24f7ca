"""polars' lazy frames: the answers of the batch function, as a step of a query that streams."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontonym.distributed.polars import normalize
from ontonym.errors import UnknownNameError, WrongTypeError
from ontonym.index import Index
from ontonym.tasks.columns import ANSWER_COLUMNS
from warded import NOTE, OTHER, TEXTS

polars = pytest.importorskip("polars")
pytestmark = [pytest.mark.slow]


def test_a_lazy_frame_gets_the_columns(index: Index, tmp_path: Path) -> None:
    rows = polars.DataFrame(
        {"text": TEXTS, "n": [7] * len(TEXTS)}, schema={"text": polars.Categorical, "n": polars.Int8}
    )
    lazy = normalize(rows.lazy(), index.path, k=1)
    found = lazy.collect()
    assert found.columns == ["text", "n", *ANSWER_COLUMNS]
    assert lazy.collect_schema() == found.schema
    assert found.select("text", "n").equals(rows)
    assert found["ontonym_id"].to_list() == ["W:1", None, "W:4", "W:1|W:2", None, "W:3", "W:4", None, "W:1"]
    only = lazy.filter(polars.col("ontonym_id") == "W:4").select("n", "ontonym_name").collect()
    assert only.rows() == [(7, "Myotonic dystrophy")] * 2
    lazy.sink_parquet(tmp_path / "out.parquet")
    assert polars.read_parquet(tmp_path / "out.parquet")["ontonym_id"].equals(found["ontonym_id"])
    assert lazy.collect(engine="streaming").equals(found)
    with pytest.warns(UserWarning, match="9 columns of earlier answers"):
        assert normalize(lazy, index).collect().equals(found), "again, nothing is doubled"


def test_passages_and_unknown_columns(index: Index) -> None:
    rows = polars.LazyFrame({"text": ["DM", "DM"], "note": [NOTE, OTHER]})
    ids = normalize(rows, index, passage="note").collect()["ontonym_id"].to_list()
    assert ids[0] == "W:4"
    assert ids[1] != "W:4"
    with pytest.raises(UnknownNameError, match="unknown column 'words'"):
        normalize(rows, index, column="words")
    assert normalize(rows.head(0), index).collect().height == 0


def test_a_frame_that_is_not_lazy_is_told_what_to_do(index: Index) -> None:
    with pytest.raises(WrongTypeError, match=r"`frame.lazy\(\)`.*not polars.DataFrame"):
        normalize(polars.DataFrame({"text": TEXTS}), index)
