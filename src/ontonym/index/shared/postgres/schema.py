"""The tables of a shared index: a schema of its own, and in it one set of tables for each generation of the index.

A generation never changes once it is ready; an update makes the next one beside it. What changes at once (a user's
terms) is in the journal, and each revision of it has its searched part among the files.
"""

from __future__ import annotations

import orjson

from ontonym.errors import ArtifactError, MismatchError
from ontonym.index.shared.address import Address
from ontonym.index.shared.postgres.database import Database, Transaction
from ontonym.index.shared.storage import State

FORMAT = 2
"""The version of the tables that this ontonym writes and reads."""

PART = 1 << 22
"""The most bytes of a file in one row."""

IN_TABLES = frozenset(f"{name}.npy" for name in ("dense_int8", "form_hash", "form_row", "word_name", "word_worth"))
"""The files of an index whose content is in tables."""

_LEAST_SERVER = 150000


def terms_owner(revision: int) -> str:
    """The owner of the files of the users' terms at a revision."""
    return f"terms-{revision}"


def table_of(name: str, generation: int) -> str:
    """The name of one of a generation's tables."""
    return f"{name}_{generation}"


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def read_state(database: Database) -> State:
    """The present state. Raises ArtifactError if there is no such index, or none that is whole, or another version."""
    address, schema = database.address, quoted(database.address.index)
    (found,) = database.fetch("SELECT to_regclass($1)::text IS NOT NULL", f"{schema}.state")
    if not found[0]:
        raise ArtifactError(
            f"{address.shown}: there is no such shared index; make one with `build_index()`, or give the user the "
            "right to read it"
        )
    statement = (
        f"SELECT s.format, s.generation, s.revision, g.manifest, s.added FROM {schema}.state s "  # noqa: S608 (names are quoted, values go apart)
        f"LEFT JOIN {schema}.generation g ON g.number = s.generation"
    )
    ((version, generation, revision, manifest, added),) = database.fetch(statement)
    check_format(address, version)
    if generation is None:
        raise ArtifactError(f"{address.shown}: is not whole yet: load it to the end with `build_index()`")
    return State(generation, revision, manifest.encode(), orjson.loads(added), terms_owner(revision))


def check_format(address: Address, version: int) -> None:
    """Raises MismatchError for tables of another version."""
    if version != FORMAT:
        newer = "upgrade ontonym" if version > FORMAT else "load it again with `build_index()`"
        raise MismatchError(
            f"{address.shown}: has tables of version {version}, and this ontonym reads {FORMAT}: {newer}"
        )


def prepare(transaction: Transaction, address: Address) -> None:
    """Makes the schema and its tables if they are missing. Raises ArtifactError for a server that is too old."""
    ((server,),) = transaction.fetch("SELECT current_setting('server_version_num')::int")
    if server < _LEAST_SERVER:
        raise ArtifactError(f"{address.shown}: the server is PostgreSQL {server // 10000}; 15 is the least")
    schema = quoted(address.index)
    found = transaction.fetch("SELECT to_regclass($1)::text IS NOT NULL", f"{schema}.state")
    if found[0][0]:
        ((version,),) = transaction.fetch(f"SELECT format FROM {schema}.state")  # noqa: S608 (names are quoted, values go apart)
        check_format(address, version)
        return
    if transaction.fetch("SELECT 1 FROM pg_namespace WHERE nspname = $1", address.index):
        held = transaction.fetch("SELECT 1 FROM pg_class WHERE relnamespace = $1::text::regnamespace LIMIT 1", schema)
        if held:
            raise ArtifactError(
                f"{address.shown}: the schema {address.index} holds tables that ontonym did not make: take another name"
            )
    else:
        transaction.run(f"CREATE SCHEMA {schema}")
    transaction.run(
        f"CREATE TABLE {schema}.state (one bool PRIMARY KEY DEFAULT true CHECK (one), format int NOT NULL, "
        "generation int, revision bigint NOT NULL DEFAULT 0, added text NOT NULL DEFAULT '{}')",
        f"CREATE TABLE {schema}.generation (number int PRIMARY KEY, fingerprint text NOT NULL, manifest text NOT NULL, "
        "names int NOT NULL DEFAULT 0, words int NOT NULL DEFAULT 0, ready bool NOT NULL "
        "DEFAULT false, loaded_by text NOT NULL DEFAULT current_user, began timestamptz NOT NULL DEFAULT now())",
        f"CREATE TABLE {schema}.file (owner text, path text, part int, data bytea NOT NULL, "
        "PRIMARY KEY (owner, path, part))",
        f"ALTER TABLE {schema}.file ALTER data SET STORAGE EXTERNAL",
        f"CREATE TABLE {schema}.journal (entry bigint PRIMARY KEY, did text NOT NULL, id text NOT NULL, "
        "text text NOT NULL, count int NOT NULL, who text NOT NULL, written text NOT NULL, why text NOT NULL, "
        "revision bigint NOT NULL, stored timestamptz NOT NULL DEFAULT now(), stored_by text NOT NULL "
        "DEFAULT current_user)",
        f"INSERT INTO {schema}.state (format) VALUES ({FORMAT})",  # noqa: S608 (a number)
    )


def make_generation(transaction: Transaction, schema: str, number: int) -> None:
    """Makes the tables of a generation."""
    name, posting = f"{schema}.{table_of('name', number)}", f"{schema}.{table_of('posting', number)}"
    transaction.run(
        f"CREATE TABLE {name} (row int NOT NULL, concept int NOT NULL, form bigint NOT NULL, vector bytea NOT NULL, "
        "text text NOT NULL) WITH (toast_tuple_target = 8160)",  # a name is read as a whole: no column is kept apart
        f"ALTER TABLE {name} ALTER vector SET STORAGE PLAIN",
        f"CREATE TABLE {posting} (word int NOT NULL, text text NOT NULL, rows bytea NOT NULL, worths bytea NOT NULL)",
        f"ALTER TABLE {posting} ALTER rows SET STORAGE EXTERNAL, ALTER worths SET STORAGE EXTERNAL",
    )


def finish_generation(transaction: Transaction, schema: str, number: int) -> None:
    """Makes the keys of a loaded generation."""
    name, posting = f"{schema}.{table_of('name', number)}", f"{schema}.{table_of('posting', number)}"
    transaction.run(
        f"ALTER TABLE {name} ADD PRIMARY KEY (row)",
        f"ALTER TABLE {posting} ADD PRIMARY KEY (word)",
        f"CREATE INDEX ON {name} (form)",
        f"CREATE INDEX ON {name} (concept)",
        f"ANALYZE {name}",
        f"ANALYZE {posting}",
    )


def drop_generation(transaction: Transaction, schema: str, number: int) -> None:
    """Removes the tables of a generation that nobody needs any more."""
    transaction.run(
        f"DROP TABLE IF EXISTS {schema}.{table_of('name', number)}, {schema}.{table_of('posting', number)}",
        f"DELETE FROM {schema}.generation WHERE number = {int(number)}",  # noqa: S608 (names are quoted, values go apart)
    )
