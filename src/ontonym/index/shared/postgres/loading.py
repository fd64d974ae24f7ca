"""Loads an index of a folder into a database: in steps that are each kept for good, so that a second try goes on."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

import numpy as np
import orjson

from ontonym.errors import LockedError
from ontonym.index.added import Journal
from ontonym.index.names import name_texts
from ontonym.index.open import Index
from ontonym.index.shared.address import Address
from ontonym.index.shared.mirror import index_owner, terminology_owner
from ontonym.index.shared.outgoing import files_to_share, pieces, searched_terms
from ontonym.index.shared.postgres.database import Database, Transaction
from ontonym.index.shared.postgres.journal import amend, stored_journal, write_entries
from ontonym.index.shared.postgres.rows import NAME_COLUMNS, POSTING_COLUMNS, name_rows, posting_rows
from ontonym.index.shared.postgres.schema import (
    IN_TABLES,
    PART,
    drop_generation,
    finish_generation,
    make_generation,
    prepare,
    quoted,
)
from ontonym.index.shared.storage import Loaded
from ontonym.manifest import MANIFEST
from ontonym.store.columns import load_numbers
from ontonym.types import Progress, staged

_NAMES = 1 << 14
_LISTS = 1 << 22  # bytes of inverted lists at once
_WORDS = 1 << 14


@dataclass(frozen=True, slots=True)
class _Generation:
    number: int
    names: int
    words: int
    ready: bool


def load(index: Index, address: Address, progress: Progress | None) -> Loaded:
    """See `ontonym.index.shared.loading.load_index`."""
    with closing(Database(address)) as database:
        loader = _Loader(database, index, progress)
        with database.transaction() as transaction:
            prepare(transaction, address)
        found = loader.generation()
        ((current,),) = database.fetch(f"SELECT generation FROM {loader.schema}.state")  # noqa: S608 (names are quoted, values go apart)
        if found.ready and current == found.number:
            return Loaded(found.number, index.name_count, was_there=True)
        if not found.ready:
            loader.files()
            loader.names(found)
            loader.words(found)
            loader.finish(found)
        loader.publish(found)
        return Loaded(found.number, index.name_count, continued_at=found.names)


class _Loader:
    """One index on its way into a database."""

    def __init__(self, database: Database, index: Index, progress: Progress | None) -> None:
        self.database, self.index, self.progress = database, index, progress
        self.schema = quoted(database.address.index)
        self.folder = index.path
        self.manifest = (self.folder / MANIFEST).read_bytes()

    def generation(self) -> _Generation:
        """The generation of this very index, made if there is none."""
        fingerprint = self.index.manifest.fingerprint
        statement = f"SELECT number, names, words, ready FROM {self.schema}.generation WHERE fingerprint = $1"  # noqa: S608 (names are quoted, values go apart)
        with self.database.transaction() as transaction:
            transaction.fetch(f"SELECT 1 FROM {self.schema}.state FOR UPDATE")  # noqa: S608 (names are quoted, values go apart)
            found = transaction.fetch(statement, fingerprint)
            if not found:
                ((number,),) = transaction.fetch(
                    f"INSERT INTO {self.schema}.generation (number, fingerprint, manifest) "  # noqa: S608 (names are quoted, values go apart)
                    f"SELECT coalesce(max(number), 0) + 1, $1, $2 FROM {self.schema}.generation RETURNING number",
                    fingerprint, self.manifest.decode(),
                )  # fmt: skip
                make_generation(transaction, self.schema, number)
                found = transaction.fetch(statement, fingerprint)
        return _Generation(*found[0])

    def files(self) -> None:
        """Loads the files that clients copy: the columns of the terminologies, and those of the index."""
        todo = files_to_share(self.index, IN_TABLES)
        advance = staged(self.progress, "loading columns", sum(len(names) for _, _, names in todo))
        for owner, folder, names in todo:
            held = set(
                map(tuple, self.database.fetch(f"SELECT path, part FROM {self.schema}.file WHERE owner = $1", owner))  # noqa: S608 (names are quoted, values go apart)
            )
            for name in names:
                for number, data in enumerate(pieces(folder / name, PART)):
                    if (name, number) not in held:
                        self.database.fetch(
                            f"INSERT INTO {self.schema}.file VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",  # noqa: S608 (names are quoted, values go apart)
                            owner, name, number, data,
                        )  # fmt: skip
                advance(1)

    def names(self, found: _Generation) -> None:
        """Loads the names, some thousands in each transaction."""
        names = self.index.signals.names
        forms = np.empty(len(names), dtype=np.uint64)
        forms[load_numbers(self.folder, "form_row", np.uint32)] = load_numbers(self.folder, "form_hash", np.uint64)
        vectors = load_numbers(self.folder, "dense_int8", np.int8, None)
        texts = name_texts(names, self.index.terminologies)
        for _ in range(found.names):
            next(texts)
        advance = staged(self.progress, "loading names", len(names))
        advance(found.names)
        for start in range(found.names, len(names), _NAMES):
            here = slice(start, min(start + _NAMES, len(names)))
            read = [next(texts) for _ in range(here.stop - start)]
            rows = name_rows(start, names.concepts[here], forms[here], vectors[here], read)
            with self.database.transaction() as transaction:
                self._step(transaction, found.number, "names", start, here.stop)
                transaction.copy(self.database.address.index, f"name_{found.number}", NAME_COLUMNS, rows)
            advance(here.stop - start)

    def words(self, found: _Generation) -> None:
        """Loads the inverted lists."""
        names = self.index.signals.names
        bounds = load_numbers(self.folder, "word_name.rows", np.int64)
        rows = load_numbers(self.folder, "word_name", np.uint32)
        worths = load_numbers(self.folder, "word_worth", np.float32)
        count = len(names.vocabulary)
        advance = staged(self.progress, "loading words", count)
        advance(found.words)
        start = found.words
        while start < count:
            stop = int(np.searchsorted(bounds, bounds[start] + _LISTS // 8, side="right")) - 1
            stop = min(max(stop, start + 1), start + _WORDS, count)
            lists = posting_rows(start, names.vocabulary[start:stop], bounds[start : stop + 1], rows, worths)
            with self.database.transaction() as transaction:
                self._step(transaction, found.number, "words", start, stop)
                transaction.copy(self.database.address.index, f"posting_{found.number}", POSTING_COLUMNS, lists)
            advance(stop - start)
            start = stop

    def _step(self, transaction: Transaction, number: int, column: str, start: int, stop: int) -> None:
        """Notes in a transaction how far its step goes; raises LockedError if another process did it meanwhile."""
        moved = transaction.fetch(
            f"UPDATE {self.schema}.generation SET {column} = $3 WHERE number = $1 AND {column} = $2 RETURNING 1",  # noqa: S608 (names are quoted, values go apart)
            number, start, stop,
        )  # fmt: skip
        if not moved:
            raise LockedError(f"{self.database.address.shown}: another process is loading this index")

    def finish(self, found: _Generation) -> None:
        """Makes the keys."""
        advance = staged(self.progress, "making keys", 1)
        with self.database.transaction() as transaction:
            held = transaction.fetch(
                f"SELECT ready FROM {self.schema}.generation WHERE number = $1 FOR UPDATE", found.number  # noqa: S608 (names are quoted, values go apart)
            )  # fmt: skip
            if not held[0][0]:
                finish_generation(transaction, self.schema, found.number)
                transaction.run(f"UPDATE {self.schema}.generation SET ready = true WHERE number = {found.number}")  # noqa: S608 (names are quoted, values go apart)
        advance(1)

    def publish(self, found: _Generation) -> None:
        """Makes the generation the present one, with the users' terms, in one transaction.

        The generation before it stays, for those that have it open; older ones are removed.
        """
        with self.database.transaction() as transaction:
            transaction.fetch(f"SELECT 1 FROM {self.schema}.state FOR UPDATE")  # noqa: S608 (names are quoted, values go apart)
            journal = stored_journal(transaction, self.schema)
            if not journal.entries:
                journal = Journal.open(self.folder)
                write_entries(transaction, self.schema, journal.entries, 0)
            amend(transaction, self.schema, searched_terms(self.index, journal, None))
            ((before,),) = transaction.fetch(f"SELECT generation FROM {self.schema}.state")  # noqa: S608 (names are quoted, values go apart)
            transaction.run(f"UPDATE {self.schema}.state SET generation = {found.number}")  # noqa: S608 (names are quoted, values go apart)
            gone = transaction.fetch(
                f"SELECT number FROM {self.schema}.generation WHERE number <> ALL($1::int[])",  # noqa: S608 (names are quoted, values go apart)
                [found.number, *([] if before is None else [before])],
            )
            for (number,) in gone:
                drop_generation(transaction, self.schema, number)
            self._sweep(transaction)

    def _sweep(self, transaction: Transaction) -> None:
        """Removes the files that no generation has any more."""
        kept = set()
        for (data,) in transaction.fetch(f"SELECT manifest FROM {self.schema}.generation"):  # noqa: S608 (names are quoted, values go apart)
            facts = orjson.loads(data)
            kept.add(index_owner(facts["fingerprint"]))
            kept |= {terminology_owner(one["fingerprint"]) for one in facts["content"]["identity"]["terminologies"]}
        transaction.fetch(
            f"DELETE FROM {self.schema}.file WHERE owner NOT LIKE 'terms-%' AND owner <> ALL($1::text[])",  # noqa: S608 (names are quoted, values go apart)
            sorted(kept),
        )
