"""Frames of pandas, polars, Arrow and DuckDB: a column of texts out of them, and columns of answers into them.

None of these libraries is imported before a frame of it is given or asked for.
"""

from __future__ import annotations

import csv
import importlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ontonym.errors import InputError, MissingExtraError, UnknownNameError, WrongTypeError
from ontonym.tasks.columns import check_read, text_of
from ontonym.text.counting import count, first_few
from ontonym.types import LONGEST_TEXT

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

NUMBERS = frozenset(("ontonym_confidence", "confidence", "similarity"))
PLACES = frozenset(("start", "end", "ontonym_start", "ontonym_end", "place", "rank"))
TRUTHS = frozenset(("nested", "ontonym_nested"))
"""The columns that hold numbers with and without a fraction, and those that hold True or False; all others hold texts.
"""

FRAMES = "a data frame of pandas or polars, or a table of pyarrow or DuckDB"
_LAZY = (
    "`ontonym.distributed` has `polars.normalize` for lazy frames and `spark.normalize`; any other is collected first"
)

_NAMED = 5  # rows

_LIBRARIES = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame",),
    "pyarrow": ("Table", "RecordBatch"),
    "duckdb": ("DuckDBPyRelation",),
}


def library_of(value: object) -> str:
    """The library whose frame a value is, such as ``pandas``; empty for anything else."""
    for kind in type(value).__mro__:
        library = kind.__module__.partition(".")[0].lstrip("_")
        if kind.__name__ in _LIBRARIES.get(library, ()):
            return library
    return ""


def no_frame(given: object) -> WrongTypeError:
    """The error for what is given with ``column=`` and is no frame, or one that is not computed yet."""
    is_lazy = hasattr(given, "collect") or hasattr(given, "compute")
    return WrongTypeError(given, f"{FRAMES}, as `column=` is its column{f' ({_LAZY})' if is_lazy else ''}")


def texts_in(frame: Any, column: object) -> list[str | None]:
    """The texts of a column, in the order of the rows, without space around them; None where there is none.

    Numbers become texts. Raises what `_values` raises.
    """
    return [text_of(value) for value in _values(frame, column)]


@contextmanager
def as_table(given: Any) -> Iterator[Any]:
    """The path of a table (CSV) of a data frame, for as long as the block lasts; anything else as it is.

    Lists in a cell are joined by ``|``. An error names the table without its folder, which is gone by then.
    """
    if not library_of(given):
        yield given
        return
    with TemporaryDirectory(prefix="ontonym-") as folder:
        path, names = Path(folder) / "frame.csv", column_names(given)
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(names)
            rows.writerows(zip(*([_cell(value) for value in _values(given, name)] for name in names), strict=True))
        try:
            yield path
        except InputError as error:
            error.args = tuple(str(said).replace(str(path), path.name) for said in error.args)
            raise


def _cell(value: Any) -> str:
    several = value.tolist() if type(value).__module__ == "numpy" and hasattr(value, "__len__") else value
    if isinstance(several, list | tuple):
        return "|".join(text for text in map(text_of, several) if text)
    return text_of(value) or ""


def notes_in(frame: Any, column: object) -> list[str]:
    """The texts of a column as they are, in the order of the rows, empty where there is none; raises as `texts_in`."""
    return [value if isinstance(value, str) else text_of(value) or "" for value in _values(frame, column)]


def _values(frame: Any, column: object) -> list[Any]:
    """The values of a column. Raises UnknownNameError for a column that the frame does not have, InputError for a name
    that two columns have or that the answers take, WrongTypeError where ``column`` is no text.
    """
    library, names = library_of(frame), column_names(frame)
    if not isinstance(column, str):
        there = ", ".join(map(str, names))
        raise WrongTypeError(column, f"the name of the column that holds the texts as `column=` ({there})")
    if column not in names:
        raise UnknownNameError("column", column, names)
    if names.count(column) > 1:
        raise InputError(f"{names.count(column)} columns are called {column!r}: give them different names")
    check_read(column)
    if library == "duckdb":
        return [row[0] for row in frame.select(f'"{column.replace(chr(34), chr(34) * 2)}"').fetchall()]
    if library == "pyarrow":
        return list(frame.column(column).to_pylist())
    if library == "polars":
        return list(frame.get_column(column).to_list())
    return list(frame.iloc[:, names.index(column)].tolist())  # its label may be no text


def short_enough(texts: Sequence[str | None], where: str = "") -> list[str | None]:
    """The texts, with None for those that are too long to be looked up; a warning says how many, and where."""
    long = [place for place, text in enumerate(texts) if text is not None and len(text) > LONGEST_TEXT]
    if long:
        rows = first_few(map(str, long), _NAMED)
        what = f"{count(len(long), 'text')} {where} with more than {LONGEST_TEXT:,} characters"
        warnings.warn(f"no answer for {what} (row {rows}, counted from 0): `annotate()` reads notes", stacklevel=4)
    return [None if text is None or len(text) > LONGEST_TEXT else text for text in texts]


def with_columns(frame: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """A frame of the same library with these columns after its own; those of the same names are replaced.

    Rows, their order, and all other columns stay as they are. A relation of DuckDB and a record batch become an Arrow
    table.
    """
    frame = _table(frame)
    library = library_of(frame)
    if library == "pyarrow":
        kept = frame.select([name for name in frame.column_names if name not in columns])
        made = arrow_table(columns)
        if not kept.num_columns:
            return made  # a table without columns has no rows
        for name in made.column_names:
            kept = kept.append_column(name, made.column(name))
        return kept
    if library == "polars":
        return frame.drop([name for name in columns if name in frame.columns]).hstack(polars_frame(columns))
    made = pandas_frame(columns)
    kept = frame.drop(columns=[name for name in columns if name in frame.columns])
    return kept.assign(**{name: made[name].array for name in columns})  # by place: labels may repeat


def rows_of(frame: Any, places: Sequence[int], *, without: str | None) -> Any:
    """The rows at these places, which may repeat, of a frame as `with_columns` gives it, ``without`` a column."""
    frame = _table(frame)
    library, place = library_of(frame), column_names(frame).index(str(without))
    if library == "pyarrow":
        return frame.remove_column(place).take(_library(library).array(places, type="int64"))
    if library == "polars":
        return frame.drop(without)[list(places)]
    return frame.iloc[list(places), [other for other in range(frame.shape[1]) if other != place]]


def column_names(frame: Any) -> list[str]:
    """The names of the columns as texts: in pandas they may be anything."""
    return [str(name) for name in (frame.schema.names if library_of(frame) == "pyarrow" else frame.columns)]


def _table(frame: Any) -> Any:
    """The Arrow table of a relation of DuckDB or a record batch; any other frame as it is."""
    if library_of(frame) == "duckdb":
        return frame.to_arrow_table()
    return _library("pyarrow").Table.from_batches([frame]) if type(frame).__name__ == "RecordBatch" else frame


def pandas_frame(columns: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """The columns as a pandas data frame; raises MissingExtraError without pandas."""
    pandas = _library("pandas")
    types = _types(columns, "float64", "int64", "bool", object)
    made = {name: pandas.Series(values, dtype=types[name]) for name, values in columns.items()}
    frame: pd.DataFrame = pandas.DataFrame(made)
    return frame


def polars_frame(columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    """The columns as a polars data frame; raises MissingExtraError without polars."""
    polars = _library("polars")
    types = _types(columns, polars.Float64, polars.Int64, polars.Boolean, polars.String)
    frame: pl.DataFrame = polars.DataFrame(dict(columns), schema=types)
    return frame


def arrow_table(columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """The columns as an Arrow table; raises MissingExtraError without pyarrow."""
    arrow = _library("pyarrow")
    types = _types(columns, arrow.float64(), arrow.int64(), arrow.bool_(), arrow.string())
    return arrow.table({name: arrow.array(list(values), type=types[name]) for name, values in columns.items()})


def _types(columns: Iterable[str], number: Any, place: Any, truth: Any, text: Any) -> dict[str, Any]:
    """The type of each column, of those that a library has for what columns hold."""
    return {
        name: number if name in NUMBERS else place if name in PLACES else truth if name in TRUTHS else text
        for name in columns
    }


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(name, "frames", f"a frame of {name}") from None
