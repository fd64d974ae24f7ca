"""Frames of pandas, polars, Arrow and DuckDB: rows, order and columns stay, answers come beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ontonym
from ontonym.api.frames import library_of
from ontonym.distributed import batches
from ontonym.errors import InputError, UnknownNameError, WrongTypeError
from ontonym.tasks.columns import ANSWER_COLUMNS

pytestmark = pytest.mark.slow

WORDS = ["fits", None, "heart attack", "qqqq", "fits"]
IDS = ["H:6", None, "H:3", None, "H:6"]


def test_pandas_keeps_index_columns_and_order(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"code": [5, 4, 3, 2, 1], "words": WORDS, "n": 1.5}, index=list("edcba"))
    found = index.normalize(frame, column="words")
    assert [*found.columns] == ["code", "words", "n", *ANSWER_COLUMNS]
    assert [*found.index] == list("edcba")
    assert [None if pandas.isna(one) else one for one in found["ontonym_id"]] == IDS
    assert found["ontonym_confidence"].dtype == "float64"
    assert found["ontonym_confidence"].isna().tolist() == [False, True, False, False, False]
    pandas.testing.assert_frame_equal(found[["code", "words", "n"]], frame)
    assert [*frame.columns] == ["code", "words", "n"], "the frame given stays as it is"
    with pytest.warns(
        UserWarning, match=r"^9 columns of earlier answers \(ontonym_id, .*\) replaced by the new ones: "
    ):
        assert [*index.normalize(found, column="words").columns] == [*found.columns], "again, nothing is doubled"


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "record batch", "duckdb"])
def test_a_column_that_answers_replace_is_told(index: ontonym.IndexHandle, library: str) -> None:
    given, read = _notes(library, {"note": ["fits", None, "xyzzy", "fever"], "ontonym_id": ["MINE"] * 4})
    for verb, ids in ((index.normalize, ["H:6", None, None, "H:5"]), (index.annotate, ["H:6", "H:5"])):
        with pytest.warns(UserWarning, match=r"^1 column of earlier answers \(ontonym_id\) replaced by the new ones"):
            found = verb(given, column="note")
        assert [one if isinstance(one, str) else None for one in read(found, "ontonym_id")] == ids


def test_a_column_of_pandas_is_given_by_its_label(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    for label, frame in {
        0: pandas.DataFrame({0: WORDS, "0": ["x"] * 5}),
        "0": pandas.DataFrame({0: ["x"] * 5, "0": WORDS}),
        ("a", "b"): pandas.DataFrame({("a", "b"): WORDS, ("a", "c"): ["x"] * 5}),
    }.items():
        found = index.normalize(frame, column=label)
        assert [one if isinstance(one, str) else None for one in found["ontonym_id"]] == IDS
        assert found[frame.columns].equals(frame)
        mentions = index.annotate(frame, column=label)
        assert (mentions.shape[1], label in mentions.columns) == (frame.shape[1] + 10, False)
    with pytest.raises(WrongTypeError, match=r"as `column=` \(words\), not int$"):
        index.normalize(pandas.DataFrame({"words": WORDS}), column=0)
    with pytest.raises(InputError, match="2 columns are called '0': give them different names"):
        index.normalize(pandas.DataFrame([WORDS[:2]], columns=[0, 0]), column=0)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_column_of_lists_is_no_column_of_texts(index: ontonym.IndexHandle, library: str) -> None:
    given, _ = _notes(library, {"note": [["fits"], ["fever", "fits"]]}, "ab")
    for verb in (index.normalize, index.annotate):
        with pytest.raises(WrongTypeError, match=r"^give a column of texts, one in each row, not list$"):
            verb(given, column="note")


def test_columns_of_one_name_that_are_not_read_stay(index: ontonym.IndexHandle) -> None:
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table([[1], ["fits"], [2]], names=["x", "words", "x"])
    found = index.normalize(table, column="words")
    assert (found.column_names[:4], found.column(2).to_pylist()) == (["x", "words", "x", "ontonym_id"], [2])


def test_texts_that_are_bytes_are_read(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    found = index.normalize(pandas.DataFrame({"words": [b"fits", None]}), column="words")
    assert found["ontonym_id"].tolist()[0] == "H:6"


def test_pandas_takes_nan_numbers_and_repeated_labels(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"words": ["fits", float("nan"), 7.0, pandas.NA]}, index=[0, 0, 0, 0])
    found = index.normalize(frame, column="words")
    assert len(found) == 4
    assert found["ontonym_id"].tolist()[0] == "H:6"
    assert found["ontonym_certainty"].isna().tolist() == [False, True, False, True]


def test_answers_to_a_column_of_pandas_have_its_index(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"words": WORDS}, index=[7, 5, 5, 3, 0])
    answers = index.normalize(frame["words"])
    found = answers.to_pandas()
    assert [*found.index] == [7, 5, 5, 3, 0]
    part = frame.iloc[[0, 3]]
    ids = part.assign(id=index.normalize(part["words"]).to_pandas()["ontonym_id"])["id"]
    assert [None if pandas.isna(one) else one for one in ids] == ["H:6", None]
    assert [*answers[:2].to_pandas().index] == [0, 1], "labels of others say nothing"
    both = answers + index.normalize(["fever"])
    assert ([*both.to_pandas().index], both.to_pandas()["ontonym_id"].iat[5]) == ([0, 1, 2, 3, 4, 5], "H:5")
    answers.reverse()
    assert [*answers.to_pandas().index] == [0, 1, 2, 3, 4]
    assert [*index.normalize(WORDS).to_pandas().index] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("words", [WORDS, ["qqqq", None], []])
def test_columns_of_pandas_have_one_type_whatever_is_found(index: ontonym.IndexHandle, words: list[str | None]) -> None:
    pandas = pytest.importorskip("pandas")
    text = pandas.Series([], dtype="str" if pandas.__version__ >= "3" else object).dtype
    found = index.normalize(pandas.DataFrame({"words": pandas.Series(words, dtype=object)}), column="words")
    assert {*found[[*ANSWER_COLUMNS]].dtypes} == {text, pandas.Series([1.5]).dtype}
    assert {*index.normalize(words).to_pandas()["ontonym_negated"].isna()} <= {True}


def test_an_expression_is_no_name_of_a_column(index: ontonym.IndexHandle) -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(WrongTypeError, match=r"^give the name of the column .* \(words\), not polars\.Expr$"):
        index.normalize(polars.DataFrame({"words": WORDS}), column=polars.col("words"))


def test_polars(index: ontonym.IndexHandle, heart: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"words": WORDS, "code": range(5)})
    found = ontonym.normalize(frame, heart / "a.index", column="words", k=2)
    assert found.columns == ["words", "code", *ANSWER_COLUMNS]
    assert found["ontonym_id"].to_list() == IDS
    assert found.select("words", "code").equals(frame)
    assert found.schema["ontonym_nearest"] == polars.String


def test_arrow(index: ontonym.IndexHandle) -> None:
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"words": WORDS})
    found = index.normalize(table, column="words")
    assert found.column_names == ["words", *ANSWER_COLUMNS]
    assert found.column("ontonym_id").to_pylist() == IDS
    assert str(found.schema.field("ontonym_confidence").type) == "double"


def test_results_become_frames(index: ontonym.IndexHandle) -> None:
    pytest.importorskip("pandas")
    hits = index.search("fits", k=2)
    assert hits.to_pandas()["id"].tolist() == [hit.id for hit in hits]
    assert hits.to_polars()["confidence"].to_list() == [hit.confidence for hit in hits]
    assert index.normalize(["fits"]).to_arrow().column("ontonym_name").to_pylist() == ["Seizure"]
    assert index.annotate("No fever.").to_pandas()[["start", "end", "id"]].values.tolist() == [[3, 8, "H:5"]]


def test_duckdb(index: ontonym.IndexHandle) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    with duckdb.connect() as connection:
        names = ontonym.register_duckdb(connection, index)
        assert names == [*ANSWER_COLUMNS, "ontonym"]
        connection.execute("create table t (n integer, words varchar)")
        connection.executemany("insert into t values (?, ?)", [*enumerate(WORDS)])
        rows = connection.sql("select ontonym_id(words), ontonym(words).name from t order by n").fetchall()
        assert rows == [("H:6", "Seizure"), (None, None), ("H:3", "Myocardial infarction"), (None, None),
                        ("H:6", "Seizure")]  # fmt: skip
        relation = connection.sql('select n, words as "my ""words""" from t order by n')
        assert index.normalize(relation, column='my "words"').column("ontonym_id").to_pylist() == IDS
        assert ontonym.register_duckdb(connection, index, within="H:2") == names  # again, as in a notebook
        assert connection.sql("select ontonym_id('Seizure')").fetchall() == [(None,)]


def test_a_query_of_duckdb_is_run_once(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:  # each run gives the rows in another order
        rows = connection.sql(
            "select if(i % 2 = 0, 'fits', 'fever') as words, i from range(99) as r(i) order by random()"
        )
        found = index.normalize(rows, column="words").to_pylist()
        assert [(one["words"], one["ontonym_id"]) for one in found] == [
            (one["words"], {"fits": "H:6", "fever": "H:5"}[one["words"]]) for one in found
        ]
        mentions = index.annotate(rows, column="words").to_pylist()
        assert {(one["ontonym_id"], one["i"] % 2) for one in mentions} == {("H:6", 0), ("H:5", 1)}
        codes = connection.sql("select 'C' || i as id, 'name ' || i as name from range(99) as r(i) order by random()")
        made = ontonym.import_release(codes, tmp_path / "a.terminology", columns=["id=id", "preferred=name"])
        assert {one.preferred.removeprefix("name ") == one.id.removeprefix("C") for one in made} == {True}


def test_duckdb_looks_each_text_up_once_for_all_functions_and_rows(
    heart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    shutil.copytree(heart, tmp_path / "heart")
    asked: list[str] = []
    found = batches._answers
    monkeypatch.setattr(batches, "_answers", lambda ask, keys: asked.extend(key[0] for key in keys) or found(ask, keys))
    with duckdb.connect() as connection, ontonym.open(tmp_path / "heart" / "a.index") as index:
        ontonym.register_duckdb(connection, index)
        rows = connection.sql("select if(i % 2 = 0, ' fits', 'funny turn') as t from range(9000) as r(i)")
        answers = rows.select("ontonym_id(t) as id, ontonym_name(t) as name, ontonym(t).matched as matched")
        assert sorted(answers.aggregate("id, name, matched, count(*)").fetchall(), key=str) == [
            ("H:6", "Seizure", "Fits", 4500), (None, None, None, 4500),
        ]  # fmt: skip
        assert sorted(asked) == ["fits", "funny turn"]
        index.add_terms([("H:6", "funny turn")])
        assert connection.sql("select ontonym_id('funny turn')").fetchall() == [("H:6",)]


def test_an_unknown_column_lists_those_there_are(index: ontonym.IndexHandle) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"words": WORDS})
    with pytest.raises(UnknownNameError, match=r"unknown column 'word'\. Did you mean 'words'"):
        index.normalize(frame, column="word")
    with pytest.raises(WrongTypeError, match="give the name of the column"):
        index.normalize(frame)


def test_columns_are_taken_by_their_name_alone(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    numbered = index.normalize(pandas.DataFrame([["x", WORDS[0]]]), column="1")
    assert numbered["ontonym_id"].notna().all(), "pandas numbers what has no header"
    with pytest.raises(InputError, match="2 columns are called 'words': give them different names"):
        index.normalize(pandas.DataFrame([WORDS[:2]], columns=["words", "words"]), column="words")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_that_answers_would_replace_is_not_read(index: ontonym.IndexHandle, library: str) -> None:
    frame = pytest.importorskip(library).DataFrame({"ontonym_name": WORDS})
    with pytest.raises(InputError, match="the column 'ontonym_name' is read, and the answers would replace it"):
        index.normalize(frame, column="ontonym_name")


def test_a_frame_is_not_annotated_as_the_names_of_its_columns(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"fits": WORDS})
    with pytest.raises(WrongTypeError, match="give the name of the column that holds the texts as `column=`"):
        index.annotate(frame)
    with pytest.raises(WrongTypeError, match=r"as `column=` \(fits\), not NoneType"):
        index.normalize(frame)
    for verb in (index.normalize, index.annotate):
        with pytest.raises(WrongTypeError, match=r"give the name of a column as a keyword, `column=`, not str"):
            verb(frame, "fits")
    with pytest.raises(WrongTypeError, match=r"as `column=` is its column, not list$"):
        index.annotate(WORDS, column="fits")
    assert len(index.annotate(frame["fits"])) == len(WORDS)


NOTES = ["  No fever. Fits!", None, "Well.", "fever"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "record batch", "duckdb"])
def test_a_frame_of_notes_gives_a_row_for_each_mention(index: ontonym.IndexHandle, library: str) -> None:
    columns = {"note": NOTES, "patient": [7, 8, 9, 10]}
    given, read = _notes(library, columns)
    found = index.annotate(given, column="note")
    assert read(found, "patient") == [7, 7, 10]
    assert read(found, "ontonym_id") == ["H:5", "H:6", "H:5"]
    assert read(found, "ontonym_context") == ["negated", "", ""]
    places = zip(read(found, "patient"), read(found, "ontonym_start"), read(found, "ontonym_end"), strict=True)
    written = [columns["note"][columns["patient"].index(one)][start:end] for one, start, end in places]
    assert written == read(found, "ontonym_text") == ["fever", "Fits", "fever"]
    assert read(found, "ontonym_nested") == [False] * 3


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "record batch", "duckdb"])
def test_a_frame_of_notes_alone_and_one_in_which_nothing_is_found(index: ontonym.IndexHandle, library: str) -> None:
    given, read = _notes(library, {"note": NOTES})
    assert read(index.annotate(given, column="note"), "ontonym_id") == ["H:5", "H:6", "H:5"]
    given, read = _notes(library, {"note": ["Well."] * 4, "patient": [7, 8, 9, 10]})
    nothing = index.annotate(given, column="note")
    assert read(nothing, "patient") == read(nothing, "ontonym_start") == read(nothing, "ontonym_id") == []


def _notes(library: str, columns, labels="aabc"):
    """A frame of these columns, and what reads a column of the frame that comes back."""
    if library == "pandas":
        pandas = pytest.importorskip(library)
        return pandas.DataFrame(columns, index=list(labels)), lambda found, name: found[name].tolist()
    if library == "polars":
        return pytest.importorskip(library).DataFrame(columns), lambda found, name: found[name].to_list()
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table(columns)
    if library == "duckdb":
        given = pytest.importorskip(library).connect().from_arrow(table)
    else:
        given = table.to_batches()[0] if library == "record batch" else table
    return given, lambda found, name: found.column(name).to_pylist()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_frame_is_a_table_of_codes(index: ontonym.IndexHandle, tmp_path: Path, library: str) -> None:
    columns = {"code": ["007", "008"], "display": ["Heart\nattack", "Fits"], "other": ["Infarct|MI", None]}
    given, _ = _notes(library, columns) if library != "pandas" else _notes("pandas", columns | {"n": [1, 2]}, "ab")
    roles = {"id": "code", "preferred": "display", "synonyms": "other"}
    made = ontonym.import_release(given, tmp_path / "own.terminology", columns=roles, prefix="L")
    assert (made.name, [(one.id, one.names) for one in made]) == (
        "own", [("L:007", ("Heart\nattack", "Infarct", "MI")), ("L:008", ("Fits",))],
    )  # fmt: skip
    mapped = ontonym.match(given, index, columns=["id=code", "preferred=display"])
    assert [one.id for one in mapped] == ["007", "008"]
    assert mapped[1].candidates[0].id == "H:6"
    assert len(repr(mapped).splitlines()) == 4, "a name of two lines takes one"


def test_an_error_in_a_frame_names_no_folder_that_is_gone(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": ["A1"], "y": ["Fits"]})
    for act in (
        lambda: ontonym.import_release(frame, tmp_path / "a.terminology"),
        lambda: ontonym.match(frame, index),
        lambda: index.evaluate(frame),
        lambda: ontonym.evaluate_search(index, frame),
    ):
        with pytest.raises(InputError, match=r"^frame\.csv"):
            act()


def test_lists_in_a_frame_are_several_names(tmp_path: Path) -> None:
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    frame = pandas.DataFrame({"id": ["A:1", "A:2"], "name": ["x", "y"], "also": [["p", "q"], numpy.array(["r"])]})
    roles = {"id": "id", "preferred": "name", "synonyms": "also"}
    made = ontonym.import_release(frame, tmp_path / "a.terminology", columns=roles)
    assert [one.names for one in made] == [("x", "p", "q"), ("y", "r")]


def test_questions_in_a_frame(index: ontonym.IndexHandle, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    gold = pandas.DataFrame({"text": ["fits", "heart attack"], "id": ["H:6", "H:3"]})
    gold.to_csv(tmp_path / "gold.csv", index=False)
    asked, filed = (ontonym.evaluate_search(index, one, resamples=9) for one in (gold, tmp_path / "gold.csv"))
    assert asked.to_dict()["runs"] == filed.to_dict()["runs"]
    judged, read = (index.evaluate(one, resamples=9) for one in (gold, tmp_path / "gold.csv"))
    assert judged.first.measures == read.first.measures


def test_mentions_keep_the_index_of_their_notes(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"note": NOTES}, index=list("wxyz"))
    found = index.annotate(frame, column="note")
    assert found.index.tolist() == ["w", "w", "z"]
    assert list(found.columns)[:3] == ["ontonym_start", "ontonym_end", "ontonym_text"]
    assert frame.join(found, how="inner")["note"].tolist() == [NOTES[0], NOTES[0], NOTES[3]]
    assert ontonym.annotate(frame, index, column="note").equals(found)
    nothing = index.annotate(frame.iloc[:0], column="note")
    assert (len(nothing), list(nothing.columns)) == (0, list(found.columns))


def test_columns_of_every_library_are_texts(index: ontonym.IndexHandle) -> None:
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    for column in (
        arrow.array(WORDS),
        arrow.chunked_array([WORDS]),
        pandas.Series(WORDS),
        pandas.Series(WORDS, dtype="category"),
    ):
        assert [one.id for one in index.normalize(column)] == [one.id for one in index.normalize(WORDS)]


def test_lazy_frames_say_where_they_are_read(index: ontonym.IndexHandle) -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(WrongTypeError, match=r"has `polars.normalize` for lazy frames"):
        index.normalize(polars.DataFrame({"words": WORDS}).lazy(), column="words")


def test_what_is_no_frame_has_no_library() -> None:
    assert [library_of(one) for one in ([], "x", {"a": [1]}, object())] == ["", "", "", ""]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_terms_of_a_data_frame(index: ontonym.IndexHandle, tmp_path: Path, library: str) -> None:
    frames = pytest.importorskip(library)
    shutil.copytree(index.path, tmp_path / "a.index")
    frame = frames.DataFrame({"text": ["funny turn", "burning up"], "id": ["H:6", "H:5"], "note": [1, 2]})
    assert ontonym.add_terms(tmp_path / "a.index", frame).added == 2
    assert [one.term.text for one in ontonym.terms(tmp_path / "a.index")] == ["funny turn", "burning up"]
    with pytest.raises(InputError, match="row 1 of the data frame has no text: fill it in, or drop it"):
        ontonym.add_terms(tmp_path / "a.index", frames.DataFrame({"text": ["hot", None], "id": ["H:5", "H:5"]}))
    with pytest.raises(UnknownNameError, match="unknown column 'id'"):
        ontonym.add_terms(tmp_path / "a.index", frames.DataFrame({"text": ["hot"]}))
    assert ontonym.remove_terms(tmp_path / "a.index", frame[["text", "id"]][:1]).removed == 1
    assert ontonym.remove_terms(tmp_path / "a.index", frame[["id"]]).removed == 1, "by ids alone"


def test_a_text_that_is_too_long_has_no_answer_and_a_warning_names_its_row(index: ontonym.IndexHandle) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"words": ["fits", "fits " * 2_500, "fever"]})
    with pytest.warns(UserWarning, match=r"no answer for 1 text of the column 'words' .* \(row 1, counted from 0\)"):
        found = index.normalize(frame, column="words")
    assert [None if pandas.isna(one) else one for one in found["ontonym_id"]] == ["H:6", None, "H:5"]


def test_duckdb_goes_on_after_a_text_that_is_too_long(index: ontonym.IndexHandle) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    ontonym.register_duckdb(connection, index)
    asked = "SELECT ontonym_id(words) FROM (VALUES ('fits'), (repeat('fits ', 2500)), ('fever')) t(words)"
    with pytest.warns(UserWarning, match="no answer for 1 text of a vector of DuckDB"):
        assert connection.sql(asked).fetchall() == [("H:6",), (None,), ("H:5",)]
