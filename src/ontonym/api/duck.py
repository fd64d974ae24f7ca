"""Functions of DuckDB that normalize: SQL over any table that it reads, a vector of texts at a time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.opening import open_index
from ontonym.distributed.batches import MentionAnswers
from ontonym.errors import needing
from ontonym.index import Index
from ontonym.tasks import NormalizeOptions
from ontonym.tasks.columns import ANSWER_COLUMNS, NUMBERS, short_enough, text_of
from ontonym.tasks.optionkeywords import chosen

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
    registered; functions of the same name are replaced. Texts are looked up a vector at a time, equal ones once for all
    functions, and terms that are added meanwhile are found. The index stays open as long as the connection. Keywords
    are fields of `NormalizeOptions` and `SearchOptions`. Raises MissingExtraError without pyarrow.
    """
    with needing("pyarrow", "frames", "a function of DuckDB"):
        import duckdb
        import pyarrow as arrow
    answers = _Answers(
        index if isinstance(index, Index) else open_index(index), chosen(options, NormalizeOptions(), keywords)
    )
    sql = {one: "DOUBLE" if one in NUMBERS else "VARCHAR" for one in ANSWER_COLUMNS}

    def column(place: int) -> Any:
        return lambda texts: answers.arrays(texts)[place]

    def struct(texts: Any) -> Any:
        return arrow.StructArray.from_arrays(answers.arrays(texts), [one.removeprefix(PREFIX) for one in sql])

    made = {
        f"{name}_{one.removeprefix(PREFIX)}": (column(place), kind) for place, (one, kind) in enumerate(sql.items())
    }
    fields = ", ".join(f"{one.removeprefix(PREFIX)} {kind}" for one, kind in sql.items())
    made[name] = (struct, f"STRUCT({fields})")
    create: Any = connection.create_function  # its stubs want enumerations, which the library does not need
    for function, (call, returns) in made.items():
        with suppress(duckdb.InvalidInputException):  # there is none yet
            connection.remove_function(function)
        create(function, call, ["VARCHAR"], returns, type="arrow", null_handling="special", side_effects=False)
    return list(made)


class _Answers:
    """The answers to texts of DuckDB, by the index as it is now; a text is looked up once for all functions."""

    def __init__(self, index: Index, options: NormalizeOptions) -> None:
        self._index, self._options = index, options
        self._answers = MentionAnswers(index, options)

    def arrays(self, texts: Any) -> list[Any]:
        """The columns of the answers to a vector of texts."""
        now = self._index.refreshed()
        if now is not self._index:
            self._index, self._answers = now, MentionAnswers(now, self._options)
        found = short_enough([text_of(text) for text in texts.to_pylist()], "of a vector of DuckDB")
        return self._answers.arrays([None if text is None else (text, "") for text in found])
