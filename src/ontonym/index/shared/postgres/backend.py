"""The backend of an index in PostgreSQL: names by their words, inverted lists and vectors, each asked of tables.

What was read stays in memory, since a generation never changes: inverted lists for as long as the index is open,
vectors and answers up to a limit (`ontonym.index.shared.vectors`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from ontonym.arrays import AnyInts, Hashes, Ints, Mask, Rows32
from ontonym.index.dense import DenseSignal
from ontonym.index.inverted import Postings
from ontonym.index.names import Forms, forms_of
from ontonym.index.query import Query
from ontonym.index.shared.postgres.database import Database, SqlRow, SqlStatement
from ontonym.index.shared.postgres.pulling import write_names, write_words
from ontonym.index.shared.postgres.schema import quoted, table_of
from ontonym.index.shared.storage import State, Storage
from ontonym.index.shared.vectors import Int8Vectors, NearestQuestion, RecentAnswers, SharedVectors
from ontonym.index.signcodes import SignCodes
from ontonym.store.columns import load_bounds, load_numbers
from ontonym.types import Progress

_AT_ONCE = 1 << 14


class PostgresBackend:
    """The large files of a generation as tables; see `ontonym.index.part.Backend`."""

    def __init__(self, storage: Storage, database: Database, state: State, dim: int) -> None:
        self.storage, self.database, self.state, self._dim = storage, database, state, dim
        schema = quoted(database.address.index)
        self.name, self.posting = (f"{schema}.{table_of(what, state.generation)}" for what in ("name", "posting"))
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
        self._sql_vectors = SqlVectors(self.database, self.name, folder, names, self._dim)
        return self._sql_vectors

    def prepare(self, queries: Sequence[Query], signals: Collection[str], k: int, wanted: Mask | None) -> None:
        """See `Backend`: names by their words and by meaning, for all queries at the same time."""
        asked: list[tuple[SqlStatement, Callable[[list[SqlRow]], object]]] = list(self._sql_forms.questions(queries))
        if "dense" in signals:
            asked += self._sql_vectors.questions(queries, k, wanted)
        if asked:
            for (_, keep), found in zip(asked, self.database.together(*(ask for ask, _ in asked)), strict=True):
                keep(found)

    def write_tables(self, folder: Path, names: int, progress: Progress | None) -> None:
        """See `ontonym.index.shared.storage.SharedBackend`."""
        write_names(self.database, self.name, folder, names, progress)
        write_words(self.database, self.posting, folder, progress)

    def close(self) -> None:
        """See `Backend`: closes the connections."""
        self.storage.close()


class SqlForms(Forms):
    """Finds name rows by the hash of their words; see `ontonym.index.names.Forms`."""

    def __init__(self, database: Database, table: str) -> None:
        self._database = database
        self._one = f"SELECT row FROM {table} WHERE form = $1 ORDER BY row"  # noqa: S608 (names are quoted, values go apart)
        self._many = f"SELECT form, min(row) FROM {table} WHERE form = ANY($1::bigint[]) GROUP BY form"  # noqa: S608 (names are quoted, values go apart)
        self._answers: RecentAnswers[Rows32] = RecentAnswers()

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

    def placed(self, words: AnyInts) -> tuple[Ints, Ints]:
        """See `Postings`."""
        if not self.held[words].all():
            self.read(words)
        return Postings.placed(self, words)

    def read_ahead(self, words: AnyInts) -> None:
        """See `InvertedLists`."""
        if not self.held[words].all():
            self.read(words)

    def read(self, words: AnyInts) -> None:
        """Reads the lists of words that are not in memory."""
        missing = np.unique(words[~self.held[words]])
        statement = (
            f"SELECT string_agg(rows, ''::bytea ORDER BY word), string_agg(worths, ''::bytea ORDER BY word) "  # noqa: S608 (names are quoted, values go apart)
            f"FROM {self.table} WHERE word = ANY($1::int[])"
        )
        ((rows, worths),) = self.database.fetch(statement, missing.tolist())
        where, _ = Postings.placed(self, missing)
        if len(rows or b"") != 4 * len(where) or len(worths) != 4 * len(where):
            raise ValueError(f"the lists of {len(missing)} words have another length than their counts")
        with self._lock:
            self.rows[where] = np.frombuffer(rows, dtype="<u4")
            self.worths[where] = np.frombuffer(worths, dtype="<f4")
            self.held[missing] = True


class SqlVectors(SharedVectors):
    """Searches the vectors of a table: the sign codes, which every machine has, are scanned exactly as in a folder, and
    the vectors of the nearest are asked for.
    """

    def __init__(self, database: Database, table: str, folder: Path, names: int, dim: int) -> None:
        self._database = database
        self._codes = SignCodes(load_numbers(folder, "dense_sign", np.uint8, -(-dim // 8), count=names))
        self._scales = load_numbers(folder, "dense_scale", np.float32, count=names)
        read = f"SELECT string_agg(vector, ''::bytea ORDER BY row) FROM {table} WHERE "  # noqa: S608 (names are quoted, values go apart)
        self._listed, self._range = f"{read} row = ANY($1::int[])", f"{read} row >= $1 AND row < $2"
        super().__init__(names, dim)

    def read(self, rows: Ints) -> Int8Vectors:
        """See `SharedVectors`."""
        return self._found(rows, self._database.fetch(self._listed, rows.tolist()))

    def read_range(self, start: int, stop: int) -> Int8Vectors:
        """See `SharedVectors`."""
        return self._found(np.arange(start, stop), self._database.fetch(self._range, start, stop))

    def _found(self, rows: Ints, found: list[SqlRow]) -> Int8Vectors:
        ((vectors,),) = found
        return Int8Vectors(
            np.frombuffer(vectors or b"", dtype=np.int8).reshape(len(rows), self.dim), self._scales[rows]
        )

    def ask(self, question: NearestQuestion) -> tuple[Ints, Int8Vectors]:
        """See `SharedVectors`."""
        _, rows = self._codes.nearest(question.query, question.k, question.wanted)
        return rows, self.int8(rows)

    def questions(
        self, queries: Sequence[Query], k: int, wanted: Mask | None
    ) -> list[tuple[SqlStatement, Callable[[list[SqlRow]], object]]]:
        """What to ask for the names nearest to queries, and what to do with the answer."""
        asked = self.unknown([query.vector for query in queries], k, wanted)
        if not asked:
            return []
        near = self._codes.nearest_to_each(np.stack([question.query for question in asked]), k, wanted)
        rows = self.unread(np.unique(np.concatenate([found for _, found in near])))

        def keep(found: list[SqlRow]) -> None:
            self.remember(rows, self._found(rows, found))
            for question, (_, candidates) in zip(asked, near, strict=True):
                self.keep(question, candidates, self.int8(candidates))

        if len(rows):
            return [((self._listed, rows.tolist()), keep)]
        for question, (_, candidates) in zip(asked, near, strict=True):
            self.keep(question, candidates, self.int8(candidates))
        return []
