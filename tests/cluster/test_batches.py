"""Normalization of Arrow batches: pure, each distinct mention once, with the answers that `normalize` gives."""

from __future__ import annotations

import pickle
import shutil
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ontonym.distributed import reference
from ontonym.distributed.batches import BatchOptions, answered_schema, normalize_batches
from ontonym.distributed.reference import IndexReference, work_on
from ontonym.errors import InputError, MismatchError, UnknownNameError, WrongTypeError
from ontonym.index import AddedTerm, Index, add_terms
from ontonym.tasks import NormalizeOptions, normalize
from ontonym.tasks.columns import ANSWER_COLUMNS, answer_cells
from ontonym.types import Mention
from warded import NOTE, OTHER, TEXTS

arrow = pytest.importorskip("pyarrow")


def table(texts: Sequence[object], size: int = 4, **more: Sequence[object]) -> list[Any]:
    return arrow.table({"code": range(len(texts)), "text": texts, **more}).to_batches(max_chunksize=size)


def cells(index: Index, texts: Sequence[str | None], passages: Sequence[str] | None = None) -> list[tuple[Any, ...]]:
    """The cells that `normalize` gives for each text."""
    given = [
        None if text is None or not text.strip() else Mention(text, passage=passages[at] if passages else "")
        for at, text in enumerate(texts)
    ]
    answers = normalize(index, (one for one in given if one is not None))
    return [answer_cells(None if one is None else next(answers)) for one in given]


def found(batches: Sequence[Any]) -> list[tuple[Any, ...]]:
    rows = arrow.Table.from_batches(batches).select(list(ANSWER_COLUMNS)).to_pylist()
    return [tuple(row.values()) for row in rows]


def test_answers_are_those_of_normalize_and_columns_stay(index: Index) -> None:
    given = table(TEXTS, odd=[b"\0"] * len(TEXTS))
    made = list(normalize_batches(given, index))
    assert [batch.num_rows for batch in made] == [4, 4, 1]
    assert found(made) == cells(index, TEXTS)
    assert [row[0] for row in found(made)] == ["W:1", None, "W:4", "W:1|W:2", None, "W:3", "W:4", None, "W:1"]
    kept = arrow.Table.from_batches(made).select(["code", "text", "odd"])
    assert kept.equals(arrow.Table.from_batches(given))
    assert made[0].schema.equals(answered_schema(given[0].schema))


def test_each_distinct_mention_is_asked_once(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = reference.work_on

    def counted(given: Any, worker: Any, groups: Any) -> Any:
        asked.extend(mention.text for group in groups for mention in group)
        return real(given, worker, groups)

    monkeypatch.setattr("ontonym.distributed.batches.work_on", counted)
    assert found(list(normalize_batches(table(TEXTS, 2), index.path))) == cells(index, TEXTS)
    assert sorted(asked) == sorted({text for text in TEXTS if text and text.strip()})


def test_mentions_with_a_passage_depend_on_it(index: Index) -> None:
    texts = ["DM", "toxicity", "DM", "toxicity", "DM", "toxicity"]
    passages = [NOTE, NOTE, OTHER, OTHER, NOTE, ""]
    options = BatchOptions(passage="note")
    made = list(normalize_batches(table(texts, 6, note=passages), index, options))
    assert found(made) == cells(index, texts, passages)
    assert found(made)[0] == found(made)[4]
    assert found(made)[0] != found(made)[2], "OTHER says that DM is diabetes"
    assert found(made)[1] != found(made)[3], "the words beside it choose the toxicity"


def test_no_passage_is_kept_beyond_its_batch(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = normalize(index, [Mention("DM")])
    monkeypatch.setattr("ontonym.distributed.batches._answers", lambda ask, keys: [one] * len(keys))
    notes = (arrow.record_batch({"text": ["DM"], "note": [f"{number} {'x' * 1_000_000}"]}) for number in range(20))
    tracemalloc.start()
    try:
        for _ in normalize_batches(notes, index, BatchOptions(passage="note")):
            assert tracemalloc.get_traced_memory()[0] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_column_that_answers_would_replace_is_not_read(index: Index) -> None:
    given = [one.rename_columns(["ontonym_id", *one.schema.names[1:]]) for one in table(TEXTS, 2)]
    with pytest.raises(InputError, match="the column 'ontonym_id' is read"):
        list(normalize_batches(given, index, BatchOptions(column="ontonym_id")))


def test_options_numbers_and_columns_of_an_earlier_run(index: Index) -> None:
    first = list(normalize_batches(table(["Hepatitis B", "breast carcinoma"]), index))
    options = BatchOptions(normalize=NormalizeOptions(threshold=1.0))
    again = list(normalize_batches(first, index, options))
    assert again[0].schema.equals(first[0].schema)
    assert [row[3] for row in found(again)] == ["none", "none"]
    numbers = list(normalize_batches(arrow.table({"text": [7.0, None]}).to_batches(), index))
    assert [row[3] for row in found(numbers)] == ["none", None]


def test_an_empty_batch_and_an_unknown_column(index: Index) -> None:
    (made,) = normalize_batches(table(["x"])[:1], index)
    empty = list(normalize_batches([made.slice(0, 0)], index))
    assert (empty[0].num_rows, empty[0].schema.names) == (0, ["code", "text", *ANSWER_COLUMNS])
    with pytest.raises(UnknownNameError, match=r"unknown column 'word'.*Valid: code, text"):
        list(normalize_batches(table(["x"]), index, BatchOptions("word")))


def test_a_text_that_is_too_long_stops_nothing(index: Index) -> None:
    texts = ["DM", "toxicity " * 2_000, "DM"]
    with pytest.warns(UserWarning, match=r"no answer for 1 text in a batch of 'text' with more than 10,000 .*\(row 1,"):
        rows = found(list(normalize_batches(table(texts), index)))
    assert rows == cells(index, ["DM", None, "DM"])


def test_columns_that_cannot_be_read_are_refused(index: Index) -> None:
    twice = [one.rename_columns(["text", "text"]) for one in table(["DM"])]
    with pytest.raises(InputError, match="2 columns are called 'text': give them different names"):
        list(normalize_batches(twice, index))
    with pytest.raises(WrongTypeError, match="give a column of texts, one in each row, not list"):
        list(normalize_batches(table([["DM"]]), index))


def test_a_reference_opens_once_and_only_the_same_index(ward: Path, tmp_path: Path) -> None:
    shutil.copytree(ward.parent, tmp_path / "copy")
    copy = tmp_path / "copy" / ward.name
    named = IndexReference.of(copy)
    assert named == IndexReference.of(copy)
    assert len(pickle.dumps(named)) < 2000, "a reference is sent, never an index"
    seen = [work_on(pickle.loads(pickle.dumps(named)), _opened, None) for _ in range(2)]  # noqa: S301 (what was pickled just now)
    assert seen[0] is seen[1]
    assert seen[0].path == copy
    assert named.at(ward).open().manifest.fingerprint == named.fingerprint, "a copy is the same"
    add_terms(copy, [AddedTerm("W:3", "yellow eyes")])
    assert work_on(named, _opened, None) is seen[0], "what is open stays as it was"
    reference.forget()
    with pytest.raises(MismatchError, match=r"the index of this worker is \w{16}, but the work was begun with \w{16}"):
        list(normalize_batches(table(["x"]), named))


def _opened(index: Index) -> Any:
    return lambda _: index
