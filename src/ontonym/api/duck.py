"""Functions of DuckDB that normalize: SQL over any table that it reads, a vector of texts at a time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.opening import open_index
from ontonym.distributed.batches import answer_fields
from ontonym.errors import needing
from ontonym.index import Index
from ontonym.tasks import NormalizeOptions, normalize
from ontonym.tasks.columns import ANSWER_COLUMNS, NUMBERS, answer_columns, short_enough
from ontonym.tasks.optionkeywords import chosen
from ontonym.types import Mention

if TYPE_CHECKING:
    import duckdb

PREFIX = "ontonym_"


def register_duckdb(
    connection: duckdb.DuckDBPyConnection,
    index: Index | Path | str,
    options: NormalizeOptions | None = None,
    *,
    name: str = "ontonym",
    **keywords: Any,
) -> list[str]:
    """Gives a DuckDB connection functions of a text, one for each column of an answer; gives their names.

    ``ontonym_id(text)``, ``ontonym_name(text)``, ``ontonym_confidence(text)`` and the others of `ANSWER_COLUMNS`, and
    ``ontonym(text)`` with all of them in a struct. ``name`` is in place of ``ontonym``, so that several indexes can be
    registered; functions of the same name are replaced. Texts are looked up a vector at a time, equal ones once. The
    index stays open as long as the connection. Keywords are fields of `NormalizeOptions` and `SearchOptions`. Raises
    MissingExtraError without pyarrow.
    """
    with needing("pyarrow", "frames", "a function of DuckDB"):
        import duckdb
        import pyarrow as arrow
    opened = index if isinstance(index, Index) else open_index(index)
    how = chosen(options, NormalizeOptions(), keywords)
    types = {field.name: field.type for field in answer_fields()}
    sql = {one: "DOUBLE" if one in NUMBERS else "VARCHAR" for one in ANSWER_COLUMNS}

    def answered(texts: Any) -> dict[str, list[Any]]:
        found = [None if text is None or not text.strip() else text for text in texts.to_pylist()]
        given = short_enough(found, "of a vector of DuckDB")
        answers = normalize(opened, (Mention(text) for text in given if text is not None), how)
        return answer_columns(None if text is None else next(answers) for text in given)

    def column(of: str) -> Any:
        return lambda texts: arrow.array(answered(texts)[of], type=types[of])

    def struct(texts: Any) -> Any:
        columns = answered(texts)
        arrays = [arrow.array(columns[one], type=types[one]) for one in columns]
        return arrow.StructArray.from_arrays(arrays, [one.removeprefix(PREFIX) for one in columns])

    made = {}
    for one in ANSWER_COLUMNS:
        made[f"{name}_{one.removeprefix(PREFIX)}"] = (column(one), sql[one])
    fields = ", ".join(f"{one.removeprefix(PREFIX)} {kind}" for one, kind in sql.items())
    made[name] = (struct, f"STRUCT({fields})")
    create: Any = connection.create_function  # its stubs want enumerations, which the library does not need
    for function, (call, returns) in made.items():
        with suppress(duckdb.InvalidInputException):  # there is none yet
            connection.remove_function(function)
        create(function, call, ["VARCHAR"], returns, type="arrow", null_handling="special", side_effects=False)
    return list(made)
