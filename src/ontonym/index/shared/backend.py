"""The backend of an index in PostgreSQL: names by their words, inverted lists, nearest vectors, each asked of tables.

What was read stays in memory, since a generation never changes: inverted lists for as long as the index is open,
vectors up to `_VECTORS`, answers up to `_ANSWERS`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Floats, Hashes, Ints, Mask, Rows32
from ontonym.encoder.protocol import Vectors
from ontonym.index.dense import DenseSignal
from ontonym.index.inverted import Postings
from ontonym.index.names import forms_of
from ontonym.index.protocol import Forms, Nearest, nearest_of
from ontonym.index.query import Query
from ontonym.index.shared.database import Database, SqlRow, SqlStatement
from ontonym.index.shared.schema import State, quoted
from ontonym.store.columns import load_bounds, load_numbers

_ANSWERS = 1 << 12
_VECTORS = 1 << 26  # bytes
_FEW = 10_000
_MORE = 20  # names compared exactly beyond those asked for, which half precision may have put behind
_AT_ONCE = 1 << 14
_NONE = Nearest(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))

Value = TypeVar("Value")


class PostgresBackend:
    """The large files of a generation as tables; see `ontonym.index.part.Backend`."""

    def __init__(self, database: Database, state: State, dim: int) -> None:
        self.database, self.state, self.dim = database, state, dim
        schema = quoted(database.address.index)
        self.name, self.posting, self._near = (f"{schema}.{state.table(what)}" for what in ("name", "posting", "near"))
        self._sql_forms = SqlForms(database, self.name)

    def forms(self, folder: Path, names: int) -> Forms:
        """See `Backend`."""
        return self._sql_forms

    def postings(self, folder: Path, words: int, names: int) -> Postings:
        """See `Backend`."""
        bounds = load_numbers(folder, "word_name.rows", np.int64, count=words + 1)
        size = int(bounds[-1])
        return SqlPostings(
            np.zeros(size, dtype=np.uint32),
            load_bounds(folder, "word_name.rows", size, words),
            np.zeros(size, dtype=np.float32),
            load_numbers(folder, "name_worth", np.float32, count=names),
            database=self.database,
            table=self.posting,
            held=np.zeros(words, dtype=np.bool_),
        )

    def dense(self, folder: Path, names: int) -> DenseSignal:
        """See `Backend`."""
        self._sql_dense = SqlDense(self.database, self.name, self._near, names, self.dim)
        return self._sql_dense

    def prepare(self, queries: Sequence[Query], signals: Collection[str], k: int, wanted: Mask | None) -> None:
        """See `Backend`: names by their words and by meaning, for all queries at the same time."""
        asked: list[tuple[SqlStatement, Callable[[list[SqlRow]], object]]] = list(self._sql_forms.questions(queries))
        if "dense" in signals:
            asked += self._sql_dense.questions(queries, k, wanted)
        if asked:
            for (_, keep), found in zip(asked, self.database.together(*(ask for ask, _ in asked)), strict=True):
                keep(found)

    def close(self) -> None:
        """See `Backend`: closes the connections."""
        self.database.close()


class _Answers(Generic[Value]):
    """The last answers, by question."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, question: Hashable) -> Value | None:
        with self._lock:
            if question in self._held:
                self._held.move_to_end(question)
            return self._held.get(question)

    def keep(self, question: Hashable, value: Value) -> None:
        with self._lock:
            self._held[question] = value
            while len(self._held) > _ANSWERS:
                self._held.popitem(last=False)


class SqlForms:
    """Finds name rows by the hash of their words; see `ontonym.index.names.Forms`."""

    def __init__(self, database: Database, table: str) -> None:
        self._database = database
        self._one = f"SELECT row FROM {table} WHERE form = $1 ORDER BY row"  # noqa: S608 (names are quoted, values go apart)
        self._many = f"SELECT form, min(row) FROM {table} WHERE form = ANY($1::bigint[]) GROUP BY form"  # noqa: S608 (names are quoted, values go apart)
        self._answers: _Answers[Rows32] = _Answers()

    def rows_of(self, wanted: np.uint64) -> Rows32:
        """See `Forms`."""
        form = int(wanted.view(np.int64))
        found = self._answers.get(form)
        if found is None:
            found = self._kept(form, self._database.fetch(self._one, form))
        return found

    def first(self, hashes: Hashes) -> Ints:
        """See `Forms`."""
        found = np.full(len(hashes), -1, dtype=np.int64)
        for start in range(0, len(hashes), _AT_ONCE):
            forms = hashes[start : start + _AT_ONCE].view(np.int64).tolist()
            rows = dict(map(tuple, self._database.fetch(self._many, forms)))
            found[start : start + len(forms)] = [rows.get(form, -1) for form in forms]
        return found

    def questions(self, queries: Sequence[Query]) -> list[tuple[SqlStatement, Callable[[list[SqlRow]], object]]]:
        """What to ask for the names with the words of queries, and what to do with each answer."""
        forms = {int(forms_of([query.words])[0].view(np.int64)) for query in queries}
        return [((self._one, form), partial(self._kept, form)) for form in forms if self._answers.get(form) is None]

    def _kept(self, form: int, found: list[SqlRow]) -> Rows32:
        rows = np.array([row for (row,) in found], dtype=np.uint32)
        rows.flags.writeable = False
        self._answers.keep(form, rows)
        return rows


@dataclass(frozen=True)
class SqlPostings(Postings):
    """Inverted lists that are read when they are first asked for; ``held`` says which words' lists are in memory."""

    database: Database
    table: str
    held: Mask
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, word: int) -> slice:
        """See `Postings`."""
        if not self.held[word]:
            self.read(np.array([word]))
        return Postings.of(self, word)

    def places(self, words: AnyInts) -> Ints:
        """See `Postings`."""
        if not self.held[words].all():
            self.read(words)
        return Postings.places(self, words)

    def read(self, words: AnyInts) -> None:
        """Reads the lists of words that are not in memory."""
        missing = np.unique(words[~self.held[words]])
        statement = (
            f"SELECT string_agg(rows, ''::bytea ORDER BY word), string_agg(worths, ''::bytea ORDER BY word) "  # noqa: S608 (names are quoted, values go apart)
            f"FROM {self.table} WHERE word = ANY($1::int[])"
        )
        ((rows, worths),) = self.database.fetch(statement, missing.tolist())
        where = Postings.places(self, missing)
        if len(rows or b"") != 4 * len(where) or len(worths) != 4 * len(where):
            raise ValueError(f"the lists of {len(missing)} words have another length than their counts")
        with self._lock:
            self.rows[where] = np.frombuffer(rows, dtype="<u4")
            self.worths[where] = np.frombuffer(worths, dtype="<f4")
            self.held[missing] = True


class SqlDense(DenseSignal):
    """Searches the vectors of a table by the graph over their sign codes; see `schema.CANDIDATES`."""

    def __init__(self, database: Database, table: str, near: str, names: int, dim: int) -> None:
        self._database, self.dim = database, dim
        self._nearest = f"SELECT name_row, name_scale, name_vector FROM {near}($1, $2, $3, $4, $5)"  # noqa: S608 (names are quoted, values go apart)
        read = f"SELECT string_agg(vector, ''::bytea ORDER BY row), array_agg(scale ORDER BY row) FROM {table} WHERE "  # noqa: S608 (names are quoted, values go apart)
        self._listed, self._range = f"{read} row = ANY($1::int[])", f"{read} row >= $1 AND row < $2"
        self._answers: _Answers[Nearest] = _Answers()
        self._lock = threading.Lock()
        self._names, self._slots = names, min(max(_VECTORS // dim, _AT_ONCE), names)
        self._forget()

    def _forget(self) -> None:
        self._place = np.full(self._names, -1, dtype=np.int32)
        self._ints = np.empty((self._slots, self.dim), dtype=np.int8)
        self._scale = np.empty(self._slots, dtype=np.float32)
        self._used = 0

    def vectors(self, rows: Ints | slice) -> Vectors:
        """See `DenseSignal`."""
        if isinstance(rows, slice):
            return self._read(self._range, *rows.indices(self._names)[:2])
        with self._lock:
            missing = np.unique(rows[self._place[rows] < 0])
        if not len(missing):
            return self._held(rows)
        if len(missing) > self._slots // 2:
            distinct, back = np.unique(rows, return_inverse=True)
            found: Vectors = self._read(self._listed, distinct.tolist())[back]
            return found
        self._remember(missing, *self._bytes(self._listed, missing.tolist()))
        return self._held(rows)

    def _remember(self, rows: Ints, ints: npt.NDArray[np.int8], scale: npt.NDArray[np.float32]) -> None:
        with self._lock:
            new = self._place[rows] < 0
            count = int(np.count_nonzero(new))
            if self._used + count > self._slots:
                self._forget()
                new, count = np.ones(len(rows), dtype=np.bool_), len(rows)
            here = slice(self._used, self._used + count)
            self._ints[here], self._scale[here] = ints[new], scale[new]
            self._place[rows[new]] = np.arange(here.start, here.stop)
            self._used = here.stop

    def _held(self, rows: Ints) -> Vectors:
        with self._lock:
            places = self._place[rows]
            if not len(places) or places.min() >= 0:
                ints, scale = self._ints[places], self._scale[places]
            else:  # forgotten meanwhile, for other queries
                ints = None
        if ints is None:
            return self.vectors(rows)
        found: Vectors = ints.astype(np.float32) * scale[:, None]
        return found

    def _read(self, statement: str, *given: object) -> Vectors:
        ints, scale = self._bytes(statement, *given)
        found: Vectors = ints.astype(np.float32) * scale[:, None]
        return found

    def _bytes(self, statement: str, *given: object) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        ((ints, scale),) = self._database.fetch(statement, *given)
        return (
            np.frombuffer(ints or b"", dtype=np.int8).reshape(-1, self.dim),
            np.array(scale or (), dtype=np.float32),
        )

    def cosines(self, rows: Ints, query: Vectors) -> Floats:
        """See `DenseSignal`."""
        found: Floats = self.vectors(rows) @ query
        return found

    def nearest_to_each(self, queries: Vectors, k: int, wanted: Mask | None = None) -> list[Nearest]:
        """See `DenseSignal`; what `questions` asked is known."""
        return [self.nearest(query, k, wanted) for query in queries]

    def nearest(self, query: Vectors, k: int, wanted: Mask | None = None) -> Nearest:
        """See `DenseSignal`; the candidates come from a graph, so that now and then one is missing."""
        if not query.any():
            return _NONE
        question = _question(query, k, wanted)
        found = self._answers.get(question)
        if found is None:
            found = self._kept(question, query, k, self._database.fetch(*self._ask(query, k, wanted)))
        return found

    def questions(
        self, queries: Sequence[Query], k: int, wanted: Mask | None
    ) -> list[tuple[SqlStatement, Callable[[list[SqlRow]], object]]]:
        """What to ask for the names nearest to queries, and what to do with each answer."""
        asked = {_question(query.vector, k, wanted): query.vector for query in queries if query.vector.any()}
        return [
            (self._ask(vector, k, wanted), partial(self._kept, question, vector, k))
            for question, vector in asked.items()
            if self._answers.get(question) is None
        ]

    def _ask(self, query: Vectors, k: int, wanted: Mask | None) -> SqlStatement:
        import asyncpg

        code = asyncpg.BitString.frombytes(np.packbits(query > 0).tobytes(), bitlength=self.dim)
        few = among = None
        if wanted is not None:
            rows = np.flatnonzero(wanted)
            if len(rows) <= _FEW:
                few = rows.tolist()
            else:
                among = np.packbits(wanted, bitorder="little").tobytes()
        return self._nearest, code, query.tolist(), k + _MORE, among, few

    def _kept(self, question: Hashable, query: Vectors, k: int, found: list[SqlRow]) -> Nearest:
        if not found:
            nearest = _NONE
        else:
            listed, scales, vectors = zip(*found, strict=True)
            rows, scale = np.array(listed, dtype=np.int64), np.array(scales, dtype=np.float32)
            ints = np.frombuffer(b"".join(vectors), dtype=np.int8).reshape(-1, self.dim)
            self._remember(rows, ints, scale)
            exact: Vectors = ints.astype(np.float32) * scale[:, None]
            nearest = nearest_of(rows, exact @ query, k)
        self._answers.keep(question, nearest)
        return nearest


def _question(query: Vectors, k: int, wanted: Mask | None) -> Hashable:
    return query.tobytes(), k, None if wanted is None else np.packbits(wanted).tobytes()
