"""Frames of pandas, polars, Arrow and DuckDB: a column of texts out of them, and columns of answers into them.

None of these libraries is imported before a frame of it is given or asked for.
"""

from __future__ import annotations

import csv
import importlib
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ontonym.errors import InputError, MissingExtraError, WrongTypeError
from ontonym.tasks.columns import NUMBERS, check_column, check_read, is_several, replaced_note, text_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_NUMBERS = NUMBERS | {"confidence", "similarity"}
_PLACES = frozenset(("start", "end", "ontonym_start", "ontonym_end", "place", "rank"))
_TRUTHS = frozenset(("nested", "ontonym_nested"))
"""The columns that hold numbers with and without a fraction, and those that hold True or False; all others hold texts.
"""

FRAMES = "a data frame of pandas or polars, or a table of pyarrow or DuckDB"
_LAZY = (
    "`ontonym.distributed` has `polars.normalize` for lazy frames and `spark.normalize`; any other is collected first"
)

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


def labels_of(column: Any) -> Any:
    """The index of a column of pandas (a Series); None for anything else."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(column).__mro__}
    return column.index if ("pandas", "Series") in kinds else None


def no_frame(given: object) -> WrongTypeError:
    """The error for what is given with ``column=`` and is no frame, or one that is not computed yet."""
    is_lazy = hasattr(given, "collect") or hasattr(given, "compute")
    return WrongTypeError(given, f"{FRAMES}, as `column=` is its column{f' ({_LAZY})' if is_lazy else ''}")


def texts_in(frame: Any, column: object) -> list[str | None]:
    """The texts of a column of a `computed` frame, in the order of the rows, without space around them; None where
    there is none.

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
    given = computed(given)
    with TemporaryDirectory(prefix="ontonym-") as folder:
        path, names = Path(folder) / "frame.csv", column_names(given)
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(names)
            columns = (_values(given, label) for label in _labels(given))
            rows.writerows(zip(*(map(_cell, values) for values in columns), strict=True))
        try:
            yield path
        except InputError as error:
            error.args = tuple(str(said).replace(str(path), path.name) for said in error.args)
            raise


def _cell(value: Any) -> str:
    several = value.tolist() if type(value).__module__ == "numpy" and hasattr(value, "__len__") else value
    if isinstance(several, list | tuple):
        return "|".join(text for text in map(text_of, several) if text)
    return str(value) if is_several(several) else text_of(value) or ""


def notes_in(frame: Any, column: object) -> list[str]:
    """As `texts_in`, the texts as they are, empty where there is none."""
    return [value if isinstance(value, str) else text_of(value) or "" for value in _values(frame, column)]


def _values(frame: Any, column: object) -> list[Any]:
    """The values of a column. Raises what `_place` raises."""
    library, place = library_of(frame), _place(frame, column)
    if library == "pyarrow":
        return list(frame.column(place).to_pylist())
    if library == "polars":
        return list(frame.to_series(place).to_list())
    return list(frame.iloc[:, place].tolist())


def _place(frame: Any, column: object) -> int:
    """The place of a column, given by its label (in pandas anything, such as a number or a tuple) or the text of it.

    Raises UnknownNameError for a column that the frame does not have, InputError for a name that two columns have or
    that the answers take, WrongTypeError for what is no label.
    """
    labels, names = _labels(frame), column_names(frame)
    places = defaultdict[object, list[int]](list)
    for place, label in enumerate(labels):
        places[label].append(place)
    found = places.get(column, []) if _is_label(column) else []
    if column is None or not (found or isinstance(column, str)):
        raise WrongTypeError(column, f"the name of the column that holds the texts as `column=` ({', '.join(names)})")
    if len(found) == 1:
        check_read(names[found[0]])
        return found[0]
    check_column(str(column), names)
    return names.index(str(column))


def _is_label(column: object) -> bool:
    """Whether a value can be looked up among labels: an expression of polars says that it can, and cannot."""
    try:
        hash(column)
    except TypeError:
        return False
    return True


def with_columns(frame: Any, columns: Mapping[str, Sequence[Any]]) -> Any:
    """A `computed` frame with these columns after its own; those of the same names are replaced, with a warning.

    Rows, their order, and all other columns stay as they are.
    """
    library = library_of(frame)
    there = frame.column_names if library == "pyarrow" else frame.columns
    old = [name for name in columns if name in there]
    if old:
        warnings.warn(replaced_note(old, columns), stacklevel=4)
    if library == "pyarrow":
        kept = frame.select([place for place, name in enumerate(there) if name not in columns])
        made = arrow_table(columns)
        if not kept.num_columns:
            return made  # a table without columns has no rows
        for name in made.column_names:
            kept = kept.append_column(name, made.column(name))
        return kept
    if library == "polars":
        return frame.drop(old).hstack(polars_frame(columns))
    made, kept = pandas_frame(columns), frame.drop(columns=old)
    if kept.columns.nlevels == 1:
        return kept.assign(**{name: made[name].array for name in columns})  # by place: labels may repeat
    kept = kept.copy()
    for name in columns:
        kept[(name, *[""] * (kept.columns.nlevels - 1))] = made[name].array
    return kept


def rows_of(frame: Any, places: Sequence[int], *, without: object) -> Any:
    """The rows at these places, which may repeat, of a `computed` frame, ``without`` a column."""
    library, place = library_of(frame), _place(frame, without)
    if library == "pyarrow":
        return frame.remove_column(place).take(_library(library).array(places, type="int64"))
    if library == "polars":
        return frame.drop(frame.columns[place])[list(places)]
    return frame.iloc[list(places), [other for other in range(frame.shape[1]) if other != place]]


def column_names(frame: Any) -> list[str]:
    """The names of the columns as texts: in pandas they may be anything."""
    return [*map(str, _labels(frame))]


def _labels(frame: Any) -> list[Any]:
    return list(frame.schema.names if library_of(frame) == "pyarrow" else frame.columns)


def computed(frame: Any) -> Any:
    """The Arrow table of a relation of DuckDB or a record batch; any other frame as it is.

    A relation is a query, which may give its rows in another order whenever it is run: its columns are read of one run.
    """
    if library_of(frame) == "duckdb":
        return frame.to_arrow_table()
    return _library("pyarrow").Table.from_batches([frame]) if type(frame).__name__ == "RecordBatch" else frame


def pandas_frame(columns: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """The columns as a pandas data frame; raises MissingExtraError without pandas."""
    pandas = _library("pandas")
    text = "str" if int(pandas.__version__.partition(".")[0]) >= 3 else object  # its own type of texts, also of none
    types = _types(columns, "float64", "int64", "bool", text)
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
        name: number if name in _NUMBERS else place if name in _PLACES else truth if name in _TRUTHS else text
        for name in columns
    }


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(name, "frames", f"a frame of {name}") from None
