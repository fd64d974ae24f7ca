"""The tables of a shared index: a schema of its own, and in it one set of tables for each generation of the index.

A generation never changes once it is ready; an update makes the next one beside it. What changes at once (a user's
terms) is in the journal, and each revision of it has its searched part among the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from ontonym.errors import ArtifactError, MismatchError
from ontonym.index.shared.address import Address
from ontonym.index.shared.database import Database, Transaction

FORMAT = 1
"""The version of the tables that this ontonym writes and reads."""

CANDIDATES = 400
"""How many names of the nearest sign codes are compared by their vectors, as in `ontonym.index.dense`."""

_EXPLORED = 600  # names that the graph is searched for: of more, fewer are missed

_LEAST_SERVER, _LEAST_VECTOR = 150000, (0, 8)


@dataclass(frozen=True, slots=True)
class State:
    """The present state of a shared index: the number of its generation, and how often its terms were changed.

    ``manifest`` is that of the index in a folder that the generation was made from; ``added`` counts the users' terms
    in effect and those searched.
    """

    generation: int
    revision: int
    manifest: bytes
    added: dict[str, Any]

    @property
    def stamp(self) -> tuple[int, int]:
        """What differs after every change."""
        return self.generation, self.revision

    def table(self, name: str) -> str:
        """The name of one of the generation's tables."""
        return f"{name}_{self.generation}"


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
    return State(generation, revision, manifest.encode(), orjson.loads(added))


def check_format(address: Address, version: int) -> None:
    """Raises MismatchError for tables of another version."""
    if version != FORMAT:
        newer = "upgrade ontonym" if version > FORMAT else "load it again with `build_index()`"
        raise MismatchError(
            f"{address.shown}: has tables of version {version}, and this ontonym reads {FORMAT}: {newer}"
        )


def extension_schema(transaction: Transaction, address: Address) -> str:
    """The schema of pgvector, made available if it can be; raises ArtifactError if not, or if it is too old."""
    ((server,),) = transaction.fetch("SELECT current_setting('server_version_num')::int")
    if server < _LEAST_SERVER:
        raise ArtifactError(f"{address.shown}: the server is PostgreSQL {server // 10000}; 15 is the least")
    known = (
        "SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
        "WHERE e.extname = 'vector'"
    )
    found = transaction.fetch(known)
    if not found:
        if not transaction.fetch("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
            raise ArtifactError(
                f"{address.shown}: the server has no pgvector: install it there (package postgresql-{server // 10000}"
                "-pgvector), then give the same command again"
            )
        transaction.run("CREATE EXTENSION IF NOT EXISTS vector")
        found = transaction.fetch(known)
    ((schema, version),) = found
    if tuple(int(part) for part in version.split(".")[:2]) < _LEAST_VECTOR:
        raise ArtifactError(
            f"{address.shown}: pgvector is {version}, and 0.8 is the least: ALTER EXTENSION vector UPDATE"
        )
    return str(schema)


def prepare(transaction: Transaction, address: Address) -> str:
    """Makes the schema and its tables if they are missing; returns the schema of pgvector."""
    schema = quoted(address.index)
    found = transaction.fetch("SELECT to_regclass($1)::text IS NOT NULL", f"{schema}.state")
    if found[0][0]:
        ((version,),) = transaction.fetch(f"SELECT format FROM {schema}.state")  # noqa: S608 (names are quoted, values go apart)
        check_format(address, version)
        return extension_schema(transaction, address)
    extension = extension_schema(transaction, address)
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
        "dim int NOT NULL, names int NOT NULL DEFAULT 0, words int NOT NULL DEFAULT 0, ready bool NOT NULL "
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
    return extension


def make_generation(transaction: Transaction, schema: str, extension: str, number: int, dim: int) -> None:
    """Makes the tables of a generation whose vectors have ``dim`` numbers."""
    name, posting, vector = f"{schema}.name_{number}", f"{schema}.posting_{number}", quoted(extension)
    transaction.run(
        f"CREATE TABLE {name} (row int NOT NULL, concept int NOT NULL, form bigint NOT NULL, scale real NOT NULL, "
        f"code bit({dim}) NOT NULL, half {vector}.halfvec({dim}) NOT NULL, vector bytea NOT NULL, text text NOT NULL) "
        "WITH (toast_tuple_target = 8160)",  # a name is read as a whole: none of its columns is kept apart
        f"CREATE TABLE {posting} (word int NOT NULL, text text NOT NULL, rows bytea NOT NULL, worths bytea NOT NULL)",
        f"ALTER TABLE {posting} ALTER rows SET STORAGE EXTERNAL, ALTER worths SET STORAGE EXTERNAL",
    )


def finish_generation(transaction: Transaction, schema: str, extension: str, number: int) -> None:
    """Makes the keys of a loaded generation, the graph over its sign codes, and the function that searches it."""
    name, posting, vector = f"{schema}.name_{number}", f"{schema}.posting_{number}", quoted(extension)
    transaction.run(
        f"ALTER TABLE {name} ADD PRIMARY KEY (row)",
        f"ALTER TABLE {posting} ADD PRIMARY KEY (word)",
        f"CREATE INDEX ON {name} (form)",
        f"CREATE INDEX ON {name} (concept)",
        f"CREATE INDEX ON {name} USING hnsw (code {vector}.bit_hamming_ops) WITH (m = 16, ef_construction = 100)",
        _near(f"{schema}.near_{number}", name, vector),
    )


def _near(function: str, name: str, vector: str) -> str:
    """The function that gives the nearest names to a vector.

    The names whose sign codes differ least, of equally near ones the first, as in a folder, are compared by their
    vectors in half precision. ``among``: a bitmap of the
    names to search; ``few``: their rows, where they are few enough for an exact scan. What it sets holds for one call.
    """
    nearest = (
        "RETURN QUERY SELECT c.row, c.scale, c.vector FROM (SELECT * FROM ("  # noqa: S608 (names of ours)
        f"SELECT n.row, n.half, n.scale, n.vector, n.code <~> asked AS apart FROM {name} n {{which}} "
        f"ORDER BY n.code <~> asked LIMIT greatest({_EXPLORED}, 4 * most)) e "
        f"ORDER BY e.apart, e.row LIMIT greatest({CANDIDATES}, 4 * most)) c "
        "ORDER BY c.half <#> wanted, c.row LIMIT most;"
    )
    every, some = nearest.format(which=""), nearest.format(which="WHERE get_bit(among, n.row) = 1")
    listed = nearest.format(which="WHERE n.row = ANY(few)")
    return (
        f"CREATE FUNCTION {function}(asked bit, vector real[], most int, among bytea, few int[]) "
        "RETURNS TABLE (name_row int, name_scale real, name_vector bytea) LANGUAGE plpgsql STABLE PARALLEL SAFE "
        f"SET search_path = {vector}, pg_catalog SET hnsw.ef_search = {_EXPLORED} "
        "SET hnsw.iterative_scan = relaxed_order SET hnsw.max_scan_tuples = 100000 SET jit = off "
        "SET plan_cache_mode = force_generic_plan "
        f"AS $near$ DECLARE wanted {vector}.halfvec := vector::{vector}.halfvec; BEGIN "
        f"IF few IS NOT NULL THEN {listed} ELSIF among IS NOT NULL THEN {some} ELSE {every} END IF; END $near$"
    )


def drop_generation(transaction: Transaction, schema: str, number: int) -> None:
    """Removes the tables of a generation that nobody needs any more."""
    transaction.run(
        f"DROP FUNCTION IF EXISTS {schema}.near_{number}(bit, real[], int, bytea, int[])",
        f"DROP TABLE IF EXISTS {schema}.name_{number}, {schema}.posting_{number}",
        f"DELETE FROM {schema}.generation WHERE number = {int(number)}",  # noqa: S608 (names are quoted, values go apart)
    )
